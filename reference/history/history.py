"""A history: everything that was asked of a candidate in one example, and everything it showed.

The harness's own clock is the timeline: a list of moments in the order in which the harness sent or
received them. Each listener log entry carries the window of the timeline in which it must have been
shown. Knows nothing of what is right.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from plumbline.reference.history.bulk import Share
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
    TombstoneSettings,
    Topology,
)
from plumbline.reference.history.ranges import OpId


class OrderStrength(StrEnum):
    """How much order a member's listener log carries, as the candidate declares it."""

    TOTAL = "total"
    PER_KEY = "per_key"
    PER_KEY_AND_THREAD = "per_key_and_thread"


class Gate(msgspec.Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """Where an operation is parked: in the listener of `member`, when it receives operation `op_id`.

    On the calling member the operation is then applied and announced but not yet distributed; on another
    member it is applied and announced but not acknowledged, and what its thread sends behind it waits.
    Where `callback` is "writer": in the cache writer of the member or client, before it changes anything.
    """

    member: str
    op_id: OpId
    callback: str = "listener"

    @property
    def place(self) -> tuple[str | int, ...]:
        """What tells it from other gates."""
        listens = self.callback == "listener"
        return (self.member, self.op_id) if listens else (self.member, self.op_id, self.callback)


class Called(msgspec.Struct, frozen=True, tag="called", omit_defaults=True):
    """The harness has sent the call; the operation may take effect from here on.

    Of an operation on many keys each entry is called so, all at once; `share` says which it is.
    """

    operation: Operation
    share: Share | None = None


class Returned(msgspec.Struct, frozen=True, tag="returned"):
    """The harness has received the outcome; the operation took effect before."""

    op_id: int
    outcome: Outcome


class Armed(msgspec.Struct, frozen=True, tag="armed"):
    """From here on the operation parks when it reaches the gate; stands before the operation is called.

    A gate armed later might have been passed already, and a failure to park would go unnoticed.
    """

    gate: Gate


class Parked(msgspec.Struct, frozen=True, tag="parked"):
    """The candidate has reported that the operation stands at the gate."""

    gate: Gate


class NotParked(msgspec.Struct, frozen=True, tag="not_parked"):
    """The operation has not reached the gate, though the candidate was given all the time it may take."""

    gate: Gate


class Waited(msgspec.Struct, frozen=True, tag="waited"):
    """The candidate was given all the time it may take, and what was waited for has not come.

    `awaited` says it in words; `op_id` is the operation where it was its return.
    """

    awaited: str = ""
    op_id: int | None = None


class Released(msgspec.Struct, frozen=True, tag="released"):
    """The gate is opened."""

    gate: Gate


class Settled(msgspec.Struct, frozen=True, tag="settled"):
    """Nothing more would happen by itself, and all that was shown so far has been observed.

    `held` are the members and keys at which a parked listener may hold other operations back.
    """

    held: tuple[tuple[str, str], ...] = ()


class Unsettled(msgspec.Struct, frozen=True, tag="unsettled"):
    """All the time was given to come to rest, and listeners are called again and again. It claims nothing.

    `repeated` says in words what came again. Nothing was asked behind it.
    """

    repeated: str = ""


class SettledBut(Settled, frozen=True, tag="settled_but"):
    """Nothing more would happen by itself, but for what waits in some queues to be sent.

    No harness says so: it is what is left of a Settled where operations were left out, of which some may have
    been sent last over a link whose answers are lost, and hold up all that is queued behind them.
    """

    queues: tuple[str, ...] = ()


class ClocksPassed(msgspec.Struct, frozen=True, tag="clocks_passed"):
    """The clocks of all sites show a later time from here on than any timestamp given before.

    The harness waits for that where a candidate declares how far its clocks differ.
    """


class ContentsAsked(msgspec.Struct, frozen=True, tag="contents_asked"):
    """The harness has asked what a member holds; answered by the ContentsRead of the same number."""

    number: int
    member: str
    region: str


class ContentsRead(msgspec.Struct, frozen=True, tag="contents_read", omit_defaults=True):
    """What the member held of the region, key by key, at some time since it was asked.

    `gone` where it had no such region any more.
    """

    number: int
    member: str
    region: str
    entries: tuple[Content, ...]
    gone: bool = False


class StatisticAsked(msgspec.Struct, frozen=True, tag="statistic_asked"):
    """The harness has asked for a statistic; answered by the StatisticRead of the same number."""

    number: int
    member: str
    name: str


class StatisticRead(msgspec.Struct, frozen=True, tag="statistic_read"):
    """How far the statistic of the member has moved since the example began."""

    number: int
    member: str
    name: str
    delta: int


class AttributesRead(msgspec.Struct, frozen=True, tag="attributes_read"):
    """The member has told whether it checks consistency of a region."""

    member: str
    region: str
    checks: bool | None


class Redelivered(msgspec.Struct, frozen=True, tag="redelivered"):
    """The message of an operation to one member is put on the way once more."""

    op_id: int
    member: str


class Left(msgspec.Struct, frozen=True, tag="left"):
    """The member has given up its copy of a region; asked for only when everything has settled."""

    member: str
    region: str


class Joined(msgspec.Struct, frozen=True, tag="joined"):
    """The member holds a copy of the region again, taken from another member while nothing happened."""

    member: str
    region: str


class Hosted(msgspec.Struct, frozen=True, tag="hosted", omit_defaults=True):
    """The member was to take a copy of a region again, with settings of its own; it has one, or was refused.

    Asked for only when everything has settled. Of a member that was the only one, the copy is empty.

    Attributes:
        member: the member.
        region: the region.
        asked: whether it was to check consistency.
        persistent: whether its copy was to be kept on disk.
        in_force: whether it says that it checks; None where it was refused.
    """

    member: str
    region: str
    asked: bool
    persistent: bool = False
    in_force: bool | None = None


class Registered(msgspec.Struct, frozen=True, tag="registered", omit_defaults=True):
    """A client's registration of interest, or its withdrawal, is in force; or was refused.

    Asked for only when everything has settled; nothing else was under way until it had returned.
    """

    interest: Interest
    refused: bool = False


class Scripted(msgspec.Struct, frozen=True, tag="scripted"):
    """From here on the cache writer of a member or client refuses changes of these keys, and of no others.

    Asked for only when everything has settled.
    """

    member: str
    region: str
    refuses: tuple[str, ...]


class FaultKind(StrEnum):
    """What is done to a system besides calling operations; the kinds that mend something among them."""

    CRASH = "crash"
    LINK_DOWN = "link_down"
    LINK_UP = "link_up"
    REPLIES_LOST = "replies_lost"
    RECEIVER_STOP = "receiver_stop"
    RECEIVER_START = "receiver_start"
    PAUSE = "pause"
    RESUME = "resume"
    HOLD_TIME = "hold_time"
    TIME_LEAP = "time_leap"
    LET_RUN = "let_run"
    CLOCK_SET = "clock_set"
    ANSWERS_LOST = "answers_lost"
    ANSWERS_BACK = "answers_back"
    RESTART = "restart"


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One fault, or its mending.

    Attributes:
        kind: crash: the member is killed without a word. link_down: nothing passes from the senders of
            `site` to the receivers of `remote_site` or back, and their connections break. replies_lost:
            events still pass, what receivers answer does not. link_up: both mended, by new connections.
            receiver_stop, receiver_start: of the member's gateway receiver. pause, resume: of the queue
            on the member; a paused primary builds no further batch. hold_time: from here on the clocks of
            all sites show the same and stand still, and what waits for time waits. time_leap: they leap.
            let_run: they run by themselves again. clock_set: while they are held, those of `site` show so
            many milliseconds more than the others', or less, from here on. answers_lost: what the member
            answers to calls of `client` is lost, from here on until answers_back. restart: the member,
            which was killed, runs again with empty memory, and has taken copies of the regions from
            others. Either is asked for only when everything has settled.
        member: whom it befalls; "" for links.
        queue: which queue is paused or resumed.
        site: the sending side of a link.
        remote_site: its receiving side.
        milliseconds: how much time is let pass, or by how much a site's clocks are ahead.
        client: whose calls are not answered.
    """

    kind: FaultKind
    member: str = ""
    queue: str = ""
    site: int = 0
    remote_site: int = 0
    milliseconds: int = 0
    client: str = ""


def fault_words(fault: Fault) -> str:
    """A fault in words: "crash of a1", "link from site 1 to site 2 cut"."""
    link = f"from site {fault.site} to site {fault.remote_site}"
    return {
        FaultKind.CRASH: f"crash of {fault.member}",
        FaultKind.LINK_DOWN: f"link {link} cut",
        FaultKind.LINK_UP: f"link {link} up again",
        FaultKind.REPLIES_LOST: f"replies to what is sent {link} lost",
        FaultKind.RECEIVER_STOP: f"receiver of {fault.member} stopped",
        FaultKind.RECEIVER_START: f"receiver of {fault.member} started",
        FaultKind.PAUSE: f"queue {fault.queue} paused on {fault.member}",
        FaultKind.RESUME: f"queue {fault.queue} resumed on {fault.member}",
        FaultKind.HOLD_TIME: "time held still",
        FaultKind.TIME_LEAP: f"{fault.milliseconds:,} milliseconds let pass",
        FaultKind.LET_RUN: "time runs again",
        FaultKind.CLOCK_SET: f"clocks of site {fault.site} {fault.milliseconds:+,} milliseconds",
        FaultKind.RESTART: f"{fault.member} started again",
        FaultKind.ANSWERS_LOST: f"answers of {fault.member} to {fault.client} lost",
        FaultKind.ANSWERS_BACK: f"answers of {fault.member} reach {fault.client} again",
    }[fault.kind]


def interest_words(interest: Interest) -> str:
    """A registration in words: "K registers for regex a.* of r, keys_values"."""
    called, how = interest_parts(interest)
    return f"{interest.client} {called} of {interest.region}{how and f', {how}'}"


def interest_parts(interest: Interest) -> tuple[str, str]:
    """What a registration is for, and how, client and region left out: "registers for all", "keys"."""
    what = f"{interest.kind} {interest.specification}".strip().replace("\n", ", ")
    if not interest.register:
        return f"withdraws {what}", ""
    return f"registers for {what}", ", ".join(
        filter(
            None,
            (
                interest.policy,
                "durable" if interest.durable else "",
                "" if interest.receive_values else "without values",
            ),
        )
    )


def script_words(member: str, region: str, refuses: tuple[str, ...]) -> str:
    """What a cache writer is told, in words: "the writer of B refuses changes of x, y in r"."""
    return f"the writer of {member} refuses changes of {', '.join(refuses) or 'nothing'} in {region}"


def host_words(member: str, region: str, *, checks: bool, persistent: bool) -> str:
    """What a member was to host, in words: "A takes a persistent copy of r with checking off"."""
    kind = "a persistent copy" if persistent else "a copy"
    return f"{member} takes {kind} of {region} with checking {'on' if checks else 'off'}"


class Located(msgspec.Struct, frozen=True, tag="located", omit_defaults=True):
    """The candidate says which member is primary for a key of a partitioned region, and who holds copies.

    Asked before the key is first used, and again only when everything has settled.
    """

    region: str
    key: str
    primary: str
    redundant: tuple[str, ...] = ()


class FaultBegun(msgspec.Struct, frozen=True, tag="fault_begun"):
    """The harness has asked for a fault; it may happen from here on."""

    number: int
    fault: Fault


class FaultDone(msgspec.Struct, frozen=True, tag="fault_done"):
    """The fault of that number has happened; its consequences may take longer."""

    number: int
    fault: Fault


class QueueAsked(msgspec.Struct, frozen=True, tag="queue_asked"):
    """The harness has asked to see a queue; answered by the QueueRead of the same number."""

    number: int
    member: str
    queue: str


class QueueRead(msgspec.Struct, frozen=True, tag="queue_read"):
    """What the member's copy of the queue held, and what it was for it, at some time since it was asked."""

    number: int
    member: str
    queue: str
    sight: QueueSight


Moment = (
    Called
    | Returned
    | Armed
    | Parked
    | NotParked
    | Waited
    | ClocksPassed
    | Released
    | Settled
    | Unsettled
    | ContentsAsked
    | ContentsRead
    | StatisticAsked
    | StatisticRead
    | AttributesRead
    | Redelivered
    | Left
    | Joined
    | Hosted
    | Registered
    | Scripted
    | FaultBegun
    | FaultDone
    | QueueAsked
    | QueueRead
    | Located
)


class Observation(msgspec.Struct, frozen=True):
    """One listener log entry and the window of the timeline in which it was shown.

    Attributes:
        event: what the listener was told.
        after: shown only once this many moments of the timeline had passed.
        before: shown while at most this many had passed.
    """

    event: Event
    after: int
    before: int


class History(msgspec.Struct, frozen=True, kw_only=True):
    """One example as it was seen.

    Attributes:
        topology: the sites and members.
        regions: the regions in use.
        timeline: what the harness sent and received, in order.
        logs: for each member or client whose listeners were observed, what they were told, in log order.
        order_strength: how much order the logs carry.
        client_order_strength: the same for logs of clients, where it differs.
        member_order: members from the lowest to the highest id, or None where the candidate does not say.
        conflated_weight_least: least that one discarded update adds to the statistic conflatedEvents.
        conflated_weight_most: most that it adds.
        callback_arguments: whether destroys and invalidates carry their token.
        queues: the gateway senders and asynchronous queues that regions may be attached to.
        clients: the clients, which ran from the beginning.
        registers: whether they registered for all keys of all regions when they started; else they began
            without any interest.
        tombstones: how long tombstones were kept, where it was asked for.
        resolver: the policy of the conflict resolver on every member (see `resolvers`); "" for none.
        batches_wait: whether batches that are not full waited while clocks were held; else they left as ever.
        retries_wait: whether senders that found no receiver waited while clocks were held; else they tried at
            any time.
        sends_on: whether an event that came from another site was sent on to those that had not been sent it.
    """

    topology: Topology
    regions: tuple[RegionAttributes, ...]
    timeline: tuple[Moment, ...]
    logs: dict[str, tuple[Observation, ...]]
    order_strength: OrderStrength = OrderStrength.TOTAL
    client_order_strength: OrderStrength | None = None
    member_order: tuple[str, ...] | None = None
    conflated_weight_least: int = 1
    conflated_weight_most: int = 1
    callback_arguments: bool = True
    queues: tuple[QueueAttributes, ...] = ()
    clients: tuple[Client, ...] = ()
    registers: bool = True
    tombstones: TombstoneSettings | None = None
    resolver: str = ""
    batches_wait: bool = True
    retries_wait: bool = False
    sends_on: bool = False
