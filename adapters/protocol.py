"""The adapter protocol: every method with its parameters, its result and the capability it needs.

JSON-RPC 2.0, one message a line. The harness calls and the adapter answers; nothing is pushed. In-process
candidates implement the same methods as `plumbline.adapters.adapter.Adapter`. The document is
docs/protocol.md; the JSON Schema, generated from these types, is adapters/protocol.json.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.listener_calls import QueueCall
from plumbline.reference.history.log_lines import LogLine
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    Client,
    Content,
    Event,
    Interest,
    Operation,
    Outcome,
    QueueAttributes,
    QueueSight,
    RegionAttributes,
    Status,
    TombstoneSettings,
    Topology,
)
from plumbline.reference.history.ranges import (
    ClockErrorMs,
    Natural,
    OffsetMs,
    OpId,
    SettleMs,
    SiteNumber,
    TimeMs,
    ToldSite,
    WaitMs,
    Weight,
    Whole,
)
from plumbline.reference.history.views import RegionViews

PROTOCOL_VERSION = 1
MOST_LINES = 10_000


class _Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All parameters and results are frozen and refuse fields that the protocol does not know."""


class Nothing(_Record, frozen=True, kw_only=True):
    """No parameters, or no result."""


class Hello(_Record, frozen=True, kw_only=True):
    """Harness introduces itself. `protocol` is the version it speaks."""

    protocol: int = PROTOCOL_VERSION


class Introduction(_Record, frozen=True, kw_only=True):
    """Candidate introduces itself.

    Attributes:
        protocol: version of this protocol that the adapter speaks.
        name: product name.
        version: product version.
        dialect: `gemfire6`, `gemfire8` or `geode`: which document's reading it follows.
        capabilities: what it offers, from the one list of capabilities.
        order_strength: how much order a listener log carries.
        order_strength_unchecked: the same for regions that do not check consistency, where it differs.
        conflated_weight_least: least that one discarded update adds to conflatedEvents.
        conflated_weight_most: most that it adds.
        callback_arguments: whether listeners are told the operation's token for destroys and invalidates.
        sends_on: whether an event that came from another site is sent on to sites that were not sent it,
            where not each site is linked to each.
        settle_limit_ms: how long the harness should wait for `settle` and `finish` at most.
        clock_error_ms: how far the clocks of sites differ at most; null: not declared.
    """

    protocol: int = PROTOCOL_VERSION
    name: str
    version: str
    dialect: str = "geode"
    capabilities: tuple[Capability, ...]
    order_strength: OrderStrength = OrderStrength.PER_KEY
    order_strength_unchecked: OrderStrength | None = None
    conflated_weight_least: Weight = 1
    conflated_weight_most: Weight = 1
    callback_arguments: bool = True
    sends_on: bool = False
    settle_limit_ms: SettleMs = 10_000
    clock_error_ms: ClockErrorMs | None = None


class Deploy(_Record, frozen=True, kw_only=True):
    """Start the members of all sites; done once per topology."""

    topology: Topology


class Deployed(_Record, frozen=True, kw_only=True):
    """The members run. `member_order`: lowest to highest membership id, or null if not known."""

    member_order: tuple[str, ...] | None = None


class Reset(_Record, frozen=True, kw_only=True):
    """Forget everything of the last example and create these regions, fresh, on every member."""

    regions: tuple[RegionAttributes, ...]


class TombstoneParams(_Record, frozen=True, kw_only=True):
    """How long members keep tombstones and when they collect them: from the next `reset` to the one after.

    Asked after `deploy`. A field that is left out is as the product has it when nothing is named. Where time
    is held, a member has noticed that a tombstone has expired when ten seconds more have passed.
    """

    settings: TombstoneSettings


class Begin(_Record, frozen=True, kw_only=True):
    """Call an operation on its thread; answered at once, before it has returned."""

    operation: Operation


class FinishRequest(_Record, frozen=True, kw_only=True):
    """Wait until the operation has returned."""

    op_id: OpId
    timeout_ms: WaitMs


class Finished(_Record, frozen=True, kw_only=True):
    """Its outcome, or null if it has not returned within the time."""

    outcome: Outcome | None


class GateParams(_Record, frozen=True, kw_only=True):
    """Arm or release a gate."""

    gate: Gate


class AwaitParked(_Record, frozen=True, kw_only=True):
    """Wait until the operation stands at the gate."""

    gate: Gate
    timeout_ms: WaitMs


class ParkedResult(_Record, frozen=True, kw_only=True):
    """Whether it does."""

    parked: bool


class Observe(_Record, frozen=True, kw_only=True):
    """Listener events since a position; positions begin at 0 after each reset."""

    since: Natural


class Observed(_Record, frozen=True, kw_only=True):
    """Events of all members' listeners, in each member's log order, dead members' included.

    `calls` are those of asynchronous queues' listeners, in the order of each queue on each member. The
    position counts both. A call is kept before its listener answers: no death of its member loses it.
    """

    events: tuple[Event, ...]
    position: Natural
    calls: tuple[QueueCall, ...] = ()


PART_CHARACTERS = 1_000_000
"""An answer to `observe` whose tokens are so long together may be the first part of what there is to tell."""


def characters(observed: Observed) -> int:
    """How long the tokens of an answer to `observe` are together."""
    queued = (change.token for call in observed.calls for change in call.events)
    return sum(len(token or "") for token in (*(event.token for event in observed.events), *queued))


class SettleRequest(_Record, frozen=True, kw_only=True):
    """Return when nothing more will happen unless time advances, a gate opens or a fault heals."""

    timeout_ms: WaitMs


class SettleResult(_Record, frozen=True, kw_only=True):
    """What has come to rest.

    Attributes:
        settled: whether surely nothing more will happen by itself, except at the pairs in `held`.
        held: pairs of member and key at which a parked listener may hold other operations back.
    """

    settled: bool
    held: tuple[tuple[str, str], ...] = ()


class Contents(_Record, frozen=True, kw_only=True):
    """What a member holds of a region, locally."""

    member: str
    region: str


class ContentsResult(_Record, frozen=True, kw_only=True):
    """Present keys only, an invalid entry with a null token; null where the region was destroyed."""

    entries: tuple[Content, ...] | None


class Statistic(_Record, frozen=True, kw_only=True):
    """A counter or gauge of a member, by the name that the documents give it."""

    member: str
    name: str


class StatisticResult(_Record, frozen=True, kw_only=True):
    """Its value since the last reset (counters) or now (gauges)."""

    value: Whole


class Attributes(_Record, frozen=True, kw_only=True):
    """How a region is configured on a member, defaults resolved."""

    member: str
    region: str


class AttributesResult(_Record, frozen=True, kw_only=True):
    """The attributes in force; `checks` is never null here."""

    attributes: RegionAttributes


class RedeliverRequest(_Record, frozen=True, kw_only=True):
    """Deliver the message of a finished operation to a member once more."""

    op_id: OpId
    member: str


class HostingRequest(_Record, frozen=True, kw_only=True):
    """A member and a region that it gives up its copy of, or takes a copy of again."""

    member: str
    region: str


class BeginCopy(_Record, frozen=True, kw_only=True):
    """Have a member begin to take a copy of a region again, and come back at once, while all else goes on.

    The member has given up its copy, and is not called before it has the new one. Where `held`, the copy is
    held on its way: it was read, and the member has taken over nothing of it.
    """

    member: str
    region: str
    held: bool = False


class AwaitCopy(_Record, frozen=True, kw_only=True):
    """Wait until a copy is held, or until the member has it."""

    member: str
    region: str
    timeout_ms: WaitMs


class JoinResult(_Record, frozen=True, kw_only=True):
    """Whether the member has its copy, and may be called."""

    joined: bool


class HostingParams(_Record, frozen=True, kw_only=True):
    """Have a member take a copy of a region again, with settings of its own; empty if no member has any.

    `checks` says whether it is to check consistency, `persistent` whether it is kept on disk. A member that
    is refused has no copy.
    """

    member: str
    region: str
    checks: bool
    persistent: bool = False


class Crash(_Record, frozen=True, kw_only=True):
    """Kill a member; answered when it is dead.

    Operations under way on it end `indefinite`; its listener events stay observable; the next `reset`
    brings it back.
    """

    member: str


class MemberParams(_Record, frozen=True, kw_only=True):
    """Restart a member."""

    member: str
    from_disk: bool = False


class Link(_Record, frozen=True, kw_only=True):
    """State of the link from one site (its number as text), member or client to another.

    `up`; `down`: connections break and none can be made; `drop_acks`: events arrive, answers do not; `hold`:
    nothing arrives, nothing breaks. Going `up` again makes new connections.
    """

    source: str
    target: str
    state: str


class Advance(_Record, frozen=True, kw_only=True):
    """Let so much time pass where clocks are held; its effects may take longer than the answer."""

    milliseconds: TimeMs


class ClockParams(_Record, frozen=True, kw_only=True):
    """Set a site's clock offset, or hold it still (`frozen`).

    Clocks that are held show one common time, each plus its offset, and only `advance` moves it. While those
    of all sites are held, batches that are not full wait for `advance`, of a candidate with `virtual_time`;
    messages and connections take as long as they take. `reset` lets all clocks run, without offset.
    """

    site: SiteNumber
    offset_ms: OffsetMs = 0
    frozen: bool = False


class CreateQueue(_Record, frozen=True, kw_only=True):
    """Create and start a gateway sender or asynchronous queue on the members of its site, in their order.

    Asked after `deploy` and before the `reset` whose regions name it; kept until another topology is
    deployed. Asking again for the same attributes does nothing.
    """

    queue: QueueAttributes


class QueueAction(_Record, frozen=True, kw_only=True):
    """start, stop, pause or resume of a queue on a member; start or stop of its gateway receiver.

    `queue` is "receiver" for the receiver. Every member of a site that some gateway sender sends to runs
    one after `reset`. When the answer to `pause` comes, the member builds no further batch.
    """

    member: str
    queue: str
    action: str


class QueueLook(_Record, frozen=True, kw_only=True):
    """Depth, contents and role of a queue on a member."""

    member: str
    queue: str


class ScriptRequest(_Record, frozen=True, kw_only=True):
    """Give a callback (listener, writer, loader, resolver, filter) of a member or client its next answers.

    For the `writer`, the cache writer: `answers` are the keys of which it refuses changes from here on,
    until it is told others. The empty key stands for clears of the region, where they ask a writer.
    Nothing is under way meanwhile, and `reset` ends it.

    For `queue`, the listener of an asynchronous event queue, whose id is `region` here: the answers to its
    next calls on that member, then `true`. `false`: it has failed. `throw`: it throws an exception. `part`:
    it throws behind the first event of its batch.

    For the `resolver`, the conflict resolver: the one answer is its policy, told right behind `reset`, the
    same to all members. It `allow`s, `disallow`s, or `replace`s the value by the same with "~" behind it (and
    allows what has no value), for each event; or it fails (`throw`). "prefer 1 within 1000 ms": of two
    updates whose timestamps differ by at most as much that of site 1 wins; else the later, of equal ones that
    of the higher site. Each call is an event of the kind `resolve` in its member's log, with what it was told
    and has answered in `conflict`.
    """

    member: str
    region: str
    callback: str
    answers: tuple[str, ...]


class ClientStart(_Record, frozen=True, kw_only=True):
    """Start a client, with an empty copy of every region; the next `reset` ends it.

    Answered when it is connected.
    """

    client: Client


class ClientAction(_Record, frozen=True, kw_only=True):
    """ready, close (keepalive or not) or kill of a client."""

    client: str
    action: str
    keepalive: bool = False


class InterestParams(_Record, frozen=True, kw_only=True):
    """Register or withdraw a client's interest in keys of a region; answered when that is in force."""

    interest: Interest


class BeginInterest(_Record, frozen=True, kw_only=True):
    """Call a registration and come back at once, while all else goes on.

    Where `held`, its answer is held back on its way: the server has sent it, and the client has applied
    nothing of it.
    """

    number: OpId
    interest: Interest
    held: bool = False


class InterestNumber(_Record, frozen=True, kw_only=True):
    """Let go the answer to a registration."""

    number: OpId


class AwaitInterest(_Record, frozen=True, kw_only=True):
    """Wait until the answer to a registration is held, or until the registration has returned."""

    number: OpId
    timeout_ms: WaitMs


class HeldResult(_Record, frozen=True, kw_only=True):
    """Whether it is held."""

    held: bool


class InterestEnded(_Record, frozen=True, kw_only=True):
    """How it has ended: `ok`, `refused` or `failed`; null if it has not returned within the time."""

    status: Status | None


class ClientLook(_Record, frozen=True, kw_only=True):
    """Events pending for a durable client on its servers."""

    client: str


class EventCount(_Record, frozen=True, kw_only=True):
    """A number of events; negative where the candidate tells a reason by it."""

    count: Whole


class ConfigurationText(_Record, frozen=True, kw_only=True):
    """Declarative configuration (cache.xml text) for a member about to start."""

    member: str
    text: str


class Accepted(_Record, frozen=True, kw_only=True):
    """Whether a deployment was accepted; if not, the candidate's words."""

    accepted: bool
    detail: str = ""


class LogRequest(_Record, frozen=True, kw_only=True):
    """What a member has logged since the last reset, while it lives; nothing else is under way."""

    member: str


class LogLines(_Record, frozen=True, kw_only=True):
    """Entries of the member's log, at most 10 000; those below a warning may be left out."""

    lines: Annotated[tuple[LogLine, ...], msgspec.Meta(max_length=MOST_LINES)]


class Placement(_Record, frozen=True, kw_only=True):
    """Primary and redundant holders of a key."""

    region: str
    key: str


class PlacementResult(_Record, frozen=True, kw_only=True):
    """`primary` is null while there is none."""

    primary: str | None
    redundant: tuple[str, ...] = ()


class MovePrimary(_Record, frozen=True, kw_only=True):
    """Make a living member the primary of a key's bucket; back when it is."""

    region: str
    key: str
    member: str


class ShownStamp(_Record, frozen=True, kw_only=True):
    """Where versions are visible: the stamp of an entry."""

    version: Natural
    member: str
    timestamp_ms: Whole | None = None
    site: ToldSite | None = None


class StampParams(_Record, frozen=True, kw_only=True):
    """Ask for the stamp of a key on a member."""

    member: str
    region: str
    key: str


class Method(msgspec.Struct, frozen=True):
    """One method: its name on the wire, its types, and the capability it needs (None: every adapter)."""

    name: str
    params: type[msgspec.Struct]
    result: type[msgspec.Struct]
    capability: Capability | None = None


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("hello", Hello, Introduction),
        Method("deploy", Deploy, Deployed),
        Method("reset", Reset, Nothing),
        Method("begin", Begin, Nothing),
        Method("finish", FinishRequest, Finished),
        Method("observe", Observe, Observed),
        Method("settle", SettleRequest, SettleResult),
        Method("contents", Contents, ContentsResult),
        Method("views", Contents, RegionViews, Capability.REGION_VIEWS),
        Method("queries", Contents, RegionViews, Capability.QUERIES),
        Method("close", Nothing, Nothing),
        Method("arm", GateParams, Nothing, Capability.LISTENER_GATES),
        Method("await_parked", AwaitParked, ParkedResult, Capability.LISTENER_GATES),
        Method("release", GateParams, Nothing, Capability.LISTENER_GATES),
        Method("statistic", Statistic, StatisticResult, Capability.STATISTICS),
        Method("keep_tombstones", TombstoneParams, Nothing, Capability.TOMBSTONES),
        Method("attributes", Attributes, AttributesResult, Capability.CONFIGURATION),
        Method("leave", HostingRequest, Nothing, Capability.CONFIGURATION),
        Method("join", HostingRequest, Nothing, Capability.CONFIGURATION),
        Method("begin_join", BeginCopy, Nothing, Capability.HELD_JOINS),
        Method("await_copy", AwaitCopy, HeldResult, Capability.HELD_JOINS),
        Method("release_copy", HostingRequest, Nothing, Capability.HELD_JOINS),
        Method("finish_join", AwaitCopy, JoinResult, Capability.HELD_JOINS),
        Method("host", HostingParams, Nothing, Capability.CONFIGURATION),
        Method("redeliver", RedeliverRequest, Nothing, Capability.MESSAGE_CONTROL),
        Method("crash", Crash, Nothing, Capability.MEMBER_FAULTS),
        Method("restart", MemberParams, Nothing, Capability.MEMBER_FAULTS),
        Method("link", Link, Nothing, Capability.LINK_FAULTS),
        Method("advance", Advance, Nothing, Capability.HELD_CLOCKS),
        Method("clock", ClockParams, Nothing, Capability.HELD_CLOCKS),
        Method("create_queue", CreateQueue, Nothing, Capability.GATEWAYS),
        Method("queue_action", QueueAction, Nothing, Capability.GATEWAYS),
        Method("look_at_queue", QueueLook, QueueSight, Capability.QUEUE_INSPECTION),
        Method("script", ScriptRequest, Nothing, Capability.CALLBACK_SCRIPTS),
        Method("start_client", ClientStart, Nothing, Capability.CLIENTS),
        Method("client_action", ClientAction, Nothing, Capability.DURABLE_CLIENTS),
        Method("interest", InterestParams, Nothing, Capability.CLIENTS),
        Method("begin_interest", BeginInterest, Nothing, Capability.HELD_REGISTRATIONS),
        Method("await_answer", AwaitInterest, HeldResult, Capability.HELD_REGISTRATIONS),
        Method("release_answer", InterestNumber, Nothing, Capability.HELD_REGISTRATIONS),
        Method("finish_interest", AwaitInterest, InterestEnded, Capability.HELD_REGISTRATIONS),
        Method("pending_events", ClientLook, EventCount, Capability.DURABLE_CLIENTS),
        Method("configure", ConfigurationText, Accepted, Capability.CONFIGURATION),
        Method("server_log", LogRequest, LogLines, Capability.LOG_LINES),
        Method("placement", Placement, PlacementResult, Capability.PARTITIONED_REGIONS),
        Method("move_primary", MovePrimary, Nothing, Capability.BUCKET_MOVES),
        Method("stamp", StampParams, ShownStamp, Capability.VISIBLE_VERSIONS),
    )
}
