"""The abstract class that every in-process candidate, and every driver of another kind, implements.

Its methods are those of `plumbline.adapters.protocol.METHODS`, with the parameters spelled out. Methods that
the first piece of the documents needs are abstract or have a default; everything else is reached by `call`,
which says *unsupported* unless the adapter has it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import ClassVar, Self

import msgspec

from plumbline.adapters.errors import UnsupportedError
from plumbline.adapters.protocol import (
    METHODS,
    Deployed,
    Introduction,
    Observed,
    PlacementResult,
    SettleResult,
)
from plumbline.reference.history.log_lines import LogLine
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    Client,
    Content,
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
from plumbline.reference.history.views import RegionViews


class Adapter(ABC):
    """One candidate, driven. Not thread-safe: the harness calls one method at a time."""

    stands_still: ClassVar[bool] = False
    """Whether what has settled stays as it is until something is called.

    Of others it is only known that they settled; they get time for repairs that they make later, by a clock
    of their own.
    """

    @abstractmethod
    def hello(self) -> Introduction:
        """Introduce the candidate; may be called before `deploy`, and any number of times."""

    @abstractmethod
    def deploy(self, topology: Topology) -> Deployed:
        """Start the members of a topology, or keep them if they run already."""

    @abstractmethod
    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        """Begin an example: no event, entry, gate or statistic of the last one may show any more."""

    @abstractmethod
    def begin(self, operation: Operation) -> None:
        """Call an operation on its own thread and come back at once."""

    @abstractmethod
    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        """The outcome of a begun operation; None if it has not returned within the time."""

    @abstractmethod
    def observe(self, since: int) -> Observed:
        """The listener events since a position."""

    @abstractmethod
    def settle(self, timeout_ms: int) -> SettleResult:
        """Wait until nothing more will happen by itself."""

    @abstractmethod
    def contents(self, member: str, region: str) -> tuple[Content, ...] | None:
        """What a member holds of a region: present keys only."""

    def queries(self, member: str, region: str) -> RegionViews:
        """What queries on a member find of a region: how many entries, and all keys, values and entries."""
        raise UnsupportedError(f"queries: this candidate runs none on {region} at {member}")

    def views(self, member: str, region: str) -> RegionViews:
        """The size of a region on a member, and its key, value and entry sets."""
        raise UnsupportedError(f"views: this candidate shows no size or sets of {region} on {member}")

    def arm(self, gate: Gate) -> None:
        """From here on the operation parks when it reaches the gate."""
        raise UnsupportedError(f"arm: this candidate cannot park listeners (gate {gate})")

    def await_parked(self, gate: Gate, timeout_ms: int) -> bool:
        """Whether the operation stands at the gate within the time."""
        raise UnsupportedError(
            f"await_parked: this candidate cannot park listeners ({gate}, {timeout_ms} ms)"
        )

    def release(self, gate: Gate) -> None:
        """Open a gate for good, parked at or not."""
        raise UnsupportedError(f"release: this candidate cannot park listeners (gate {gate})")

    def statistic(self, member: str, name: str) -> int:
        """A counter since the last reset, or a gauge, by the name that the documents give it."""
        raise UnsupportedError(f"statistic: this candidate shows no {name} of {member}")

    def server_log(self, member: str) -> tuple[LogLine, ...]:
        """What a member that lives has logged since the last reset; see `LogLines`."""
        raise UnsupportedError(f"server_log: this candidate does not show what {member} logs")

    def attributes(self, member: str, region: str) -> RegionAttributes:
        """The attributes in force of a region on a member, defaults resolved."""
        raise UnsupportedError(f"attributes: this candidate does not show those of {region} on {member}")

    def leave(self, member: str, region: str) -> None:
        """Give up the member's copy of a region; nothing is under way."""
        raise UnsupportedError(f"leave: {member} cannot give up its copy of {region}")

    def join(self, member: str, region: str) -> None:
        """Take a copy of a region again, from the members that have one; back when it is complete."""
        raise UnsupportedError(f"join: {member} cannot take a copy of {region}")

    def begin_join(self, member: str, region: str, held: bool) -> None:
        """Have a member begin to take a copy, and come back at once; hold it on its way if asked for."""
        how = ", the copy held" if held else ""
        raise UnsupportedError(f"begin_join: {member} cannot take {region} beside all else{how}")

    def await_copy(self, member: str, region: str, timeout_ms: int) -> bool:
        """Whether a copy is held on its way within the time."""
        raise UnsupportedError(f"await_copy: no copy is held ({member}, {region}, {timeout_ms} ms)")

    def release_copy(self, member: str, region: str) -> None:
        """Let go a copy."""
        raise UnsupportedError(f"release_copy: no copy is held ({member}, {region})")

    def finish_join(self, member: str, region: str, timeout_ms: int) -> bool:
        """Whether a member has its copy within the time, and may be called."""
        raise UnsupportedError(f"finish_join: none is under way ({member}, {region}, {timeout_ms} ms)")

    def host(self, member: str, region: str, checks: bool, persistent: bool) -> None:
        """Take a copy of a region again, with settings of the member's own; empty if no member has any.

        Raises RefusedError when the candidate refuses it; then the member has no copy.
        """
        with_checks = f"checking {'on' if checks else 'off'}{', persistent' if persistent else ''}"
        raise UnsupportedError(f"host: {member} cannot take a copy of {region} with {with_checks}")

    def redeliver(self, op_id: int, member: str) -> None:
        """Deliver the message of a finished operation to a member once more."""
        raise UnsupportedError(f"redeliver: messages are out of reach (operation {op_id}, member {member})")

    def create_queue(self, queue: QueueAttributes) -> None:
        """Create and start a queue on the members of its site, one after the other, unless it is there."""
        raise UnsupportedError(f"create_queue: this candidate has no gateway senders ({queue.id})")

    def queue_action(self, member: str, queue: str, action: str) -> None:
        """start, stop, pause or resume a queue on a member, or its gateway receiver ("receiver")."""
        raise UnsupportedError(f"queue_action: this candidate cannot {action} {queue} on {member}")

    def look_at_queue(self, member: str, queue: str) -> QueueSight:
        """Depth, contents and role of a queue on a member."""
        raise UnsupportedError(f"look_at_queue: this candidate does not show {queue} on {member}")

    def placement(self, region: str, key: str) -> PlacementResult:
        """Which member is primary for a key of a partitioned region, and who holds redundant copies."""
        raise UnsupportedError(f"placement: this candidate does not show who holds {key} of {region}")

    def move_primary(self, region: str, key: str, member: str) -> None:
        """Make a living member the primary of a key's bucket, whose primary lives; back when it is."""
        raise UnsupportedError(
            f"move_primary: this candidate cannot make {member} primary for {key} of {region}"
        )

    def crash(self, member: str) -> None:
        """Kill a member; back when it is dead. The next `reset` brings it back."""
        raise UnsupportedError(f"crash: this candidate cannot kill {member}")

    def restart(self, member: str, from_disk: bool) -> None:
        """Start a member again that was killed; back when it has taken copies of the regions."""
        disk = " from its disk" if from_disk else ""
        raise UnsupportedError(f"restart: this candidate cannot start {member} again{disk}")

    def link(self, source: str, target: str, state: str) -> None:
        """Set the state of the link from one site (its number as text) to another; see `Link`."""
        raise UnsupportedError(f"link: this candidate cannot set {source} to {target} {state}")

    def clock(self, site: int, offset_ms: int, frozen: bool) -> None:
        """Hold a site's clock still, or let it run; see `ClockParams`."""
        held = ", held" if frozen else ""
        raise UnsupportedError(f"clock: this candidate cannot set that of site {site} ({offset_ms} ms{held})")

    def keep_tombstones(self, settings: TombstoneSettings) -> None:
        """Keep tombstones so long and collect them so, from the next reset on; see `TombstoneParams`."""
        raise UnsupportedError(f"keep_tombstones: this candidate has no such setting ({settings})")

    def advance(self, milliseconds: int) -> None:
        """Let so much time pass for clocks that are held."""
        raise UnsupportedError(f"advance: this candidate's time cannot be held ({milliseconds} ms)")

    def start_client(self, client: Client) -> None:
        """Start a client, with an empty copy of every region; back when it is connected."""
        raise UnsupportedError(f"start_client: this candidate has no clients ({client.name})")

    def client_action(self, client: str, action: str, keepalive: bool) -> None:
        """ready, close (keepalive or not) or kill of a client."""
        kept = ", kept alive" if keepalive else ""
        raise UnsupportedError(f"client_action: this candidate cannot {action} {client}{kept}")

    def interest(self, interest: Interest) -> None:
        """Register or withdraw a client's interest in keys of a region; back when that is in force.

        Raises RefusedError when the candidate refuses it.
        """
        raise UnsupportedError(f"interest: {interest.client} cannot register for keys of {interest.region}")

    def begin_interest(self, number: int, interest: Interest, held: bool) -> None:
        """Call a registration and come back at once; hold its answer back on its way if that is asked for."""
        how = ", its answer held" if held else ""
        raise UnsupportedError(f"begin_interest: {interest.client} cannot go on meanwhile ({number}{how})")

    def await_answer(self, number: int, timeout_ms: int) -> bool:
        """Whether the answer to a registration is held back on its way within the time."""
        raise UnsupportedError(f"await_answer: no answer is held ({number}, {timeout_ms} ms)")

    def release_answer(self, number: int) -> None:
        """Let go the answer to a registration."""
        raise UnsupportedError(f"release_answer: no answer is held ({number})")

    def finish_interest(self, number: int, timeout_ms: int) -> Status | None:
        """How a registration that was begun has ended; None if it has not within the time."""
        raise UnsupportedError(f"finish_interest: none is under way ({number}, {timeout_ms} ms)")

    def script(self, member: str, region: str, callback: str, answers: tuple[str, ...]) -> None:
        """Tell a callback of a member or client what to answer; see `Script`. Nothing else is under way."""
        raise UnsupportedError(f"script: this candidate has no {callback} of {region} at {member}: {answers}")

    def call(self, method: str, params: msgspec.Struct) -> msgspec.Struct:
        """Any method of the protocol that has no spelled-out form yet."""
        capability = METHODS[method].capability
        raise UnsupportedError(f"{method}: needs the capability {capability} ({params!r})")

    @abstractmethod
    def close(self) -> None:
        """Stop everything that was started; never raises, may be called twice."""

    def last_words(self) -> str:
        """The end of what the candidate has said to people; "" where that is not kept."""
        return ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
