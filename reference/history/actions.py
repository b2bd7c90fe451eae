"""The steps of a plan: one record for each thing that a harness can be asked to do.

An action has its home here: what it is, what a candidate must offer for it, its words, which operations it
concerns, and what is wrong with it where it comes from elsewhere. How it is carried out stands in
`suites/harness/plan_runner.py`. Knows nothing of what the outcome should be.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import ClassVar, Self

from msgspec.structs import replace

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.action import Action, Named
from plumbline.reference.history.bulk import BULK
from plumbline.reference.history.fault_kinds import Fault, fault_needs, fault_words
from plumbline.reference.history.join_actions import BeginJoin, EndJoin, ReleaseCopy
from plumbline.reference.history.listener_calls import ANSWERS, QUEUE, answer_words
from plumbline.reference.history.log_lines import is_of_alerts
from plumbline.reference.history.moments import ANSWER
from plumbline.reference.history.operations import (
    ARGUED,
    CONDITIONAL,
    EXPIRES,
    LOCAL,
    LOCAL_EXPIRES,
    STORES_VALUE,
    Operation,
    OperationKind,
)
from plumbline.reference.history.registration_actions import (
    BeginRegistration,
    EndRegistration,
    Register,
    ReleaseAnswer,
)
from plumbline.reference.history.views import QUERIES, view_of
from plumbline.reference.history.words import host_words, plan_call_words, script_words

_OF_KINDS = {
    OperationKind.PUT_ALL: Capability.BULK_OPERATIONS,
    OperationKind.REMOVE_ALL: Capability.BULK_OPERATIONS,
    OperationKind.CLEAR: Capability.CLEAR,
    OperationKind.INVALIDATE_REGION: Capability.CLEAR,
    OperationKind.DESTROY_REGION: Capability.CLEAR,
    **dict.fromkeys(EXPIRES, Capability.CONFIGURATION),
    OperationKind.TX_BEGIN: Capability.TRANSACTIONS,
    OperationKind.TX_COMMIT: Capability.TRANSACTIONS,
    OperationKind.TX_ROLLBACK: Capability.TRANSACTIONS,
    **dict.fromkeys(CONDITIONAL, Capability.CONDITIONAL_OPERATIONS),
    **dict.fromkeys(LOCAL, Capability.LOCAL_OPERATIONS),
    **dict.fromkeys(LOCAL_EXPIRES, Capability.LOCAL_EXPIRATION),
    OperationKind.EVICT: Capability.EVICTION,
}

FAILURES = "exceptionsOccurred"
"""The statistic that counts what a gateway receiver has reported as failed (002, L105)."""

CALLBACKS = ("listener", "writer", ANSWER, QUEUE)
"""Where an operation can be parked."""


class _Call(Action, frozen=True):
    """What calls an operation."""

    operation: Operation

    spare: ClassVar[bool] = False

    @property
    def operation_called(self) -> Operation:
        """The operation."""
        return self.operation

    def needs(self) -> tuple[Capability, ...]:
        """What the operation needs."""
        argued = (Capability.EVENT_ARGUMENTS,) if self.operation.argument else ()
        return (*((_OF_KINDS[self.operation.kind],) if self.operation.kind in _OF_KINDS else ()), *argued)

    def words(self, *, several: bool) -> str:
        """The call."""
        return plan_call_words(self.operation, several=several)

    def mistakes(self) -> Iterator[str]:
        """Entries, an expected value or a key that do not go with its kind, and a key twice."""
        called = self.operation
        if (called.kind in BULK) is not bool(called.entries):
            yield f"{called.kind} of {len(called.entries)} entries"
        if (called.kind in CONDITIONAL) is (called.expected is None):
            yield f"{called.kind} with the expected value {called.expected!r:.80}"
        if called.kind is OperationKind.EVICT and called.key:
            yield f"an eviction of {called.key!r:.80}, though the candidate chooses the entry"
        if called.value_bytes and called.kind not in STORES_VALUE:
            yield f"{called.kind} with a value of {called.value_bytes} bytes"
        if called.argument and called.kind not in ARGUED:
            yield f"{called.kind} with a callback argument"
        if len({entry.key for entry in called.entries}) < len(called.entries):
            yield "a key twice"

    def names(self) -> Iterator[Named]:
        """Its caller, and the region."""
        yield from super().names()
        yield "caller", self.operation.member
        yield "region", self.operation.region

    def concerns(self, kept: Collection[int]) -> bool:
        """Whether its operation is among them."""
        return self.operation.op_id in kept

    def renamed(self, name: Callable[[str], str]) -> Self:
        """It with another caller."""
        moved = super().renamed(name)
        return replace(moved, operation=replace(self.operation, member=name(self.operation.member)))


class Do(_Call, frozen=True, tag="do"):
    """Call an operation and wait for its outcome."""

    def words(self, *, several: bool) -> str:
        """The call, and that it is waited for."""
        return f"{super().words(several=several)}, and wait for it"


class Start(_Call, frozen=True, tag="start"):
    """Call an operation and go on."""


class Park(_Call, frozen=True, tag="park"):
    """Call an operation and go on once it stands in the listener, or the cache writer, of a member."""

    member: str
    callback: str = "listener"

    def needs(self) -> tuple[Capability, ...]:
        """A gate, besides what the operation needs."""
        needed = Capability.HELD_GETS if self.callback == ANSWER else Capability.CALLBACK_SCRIPTS
        beside = (needed,) * (self.callback != "listener")
        return (Capability.LISTENER_GATES, *beside, *super().needs())

    def words(self, *, several: bool) -> str:
        """The call, and where it is parked."""
        return f"{super().words(several=several)}, parked in the {self.callback} of {self.member}"

    def mistakes(self) -> Iterator[str]:
        """A callback that there is not, or an operation on many keys."""
        yield from super().mistakes()
        yield from _of_callback(self.callback)
        gets = self.operation.kind is OperationKind.GET and self.operation.member == self.member
        if self.callback == ANSWER and not gets:
            yield "only the answer to a get is held, at the client that has called it"
        if self.operation.entries:
            yield "an operation on many keys is parked nowhere"


def _of_callback(callback: str) -> Iterator[str]:
    if callback not in CALLBACKS:
        yield f"nothing is parked in a {callback!r:.80}"


class Release(Action, frozen=True, tag="release"):
    """Let go an operation that was parked."""

    op_id: int
    member: str
    callback: str = "listener"

    spare: ClassVar[bool] = False
    """It tells the order, and in the end everything is released."""

    @property
    def about(self) -> int:
        """The operation."""
        return self.op_id

    def words(self, *, several: bool) -> str:
        """What is let go, and where."""
        return f"release operation {self.op_id} at {self.member}"

    def mistakes(self) -> Iterator[str]:
        """A callback that there is not."""
        return _of_callback(self.callback)


class Finish(Action, frozen=True, tag="finish"):
    """Wait for the outcome of an operation that was started."""

    op_id: int

    @property
    def about(self) -> int:
        """The operation."""
        return self.op_id

    def words(self, *, several: bool) -> str:
        """What is waited for."""
        return f"wait for operation {self.op_id}"


class Settle(Action, frozen=True, tag="settle"):
    """Wait until nothing more happens, and look at what every member holds."""

    waits_for_rest: ClassVar[bool] = True

    def words(self, *, several: bool) -> str:
        """That it is waited, and read."""
        return "wait until everything is quiet, then read it"


class Inject(Action, frozen=True, tag="inject"):
    """Do something to the system: crash a member, cut a link, mend it."""

    fault: Fault

    def needs(self) -> tuple[Capability, ...]:
        """What the fault needs."""
        return tuple(fault_needs(self.fault))

    def words(self, *, several: bool) -> str:
        """The fault."""
        return fault_words(self.fault)

    def names(self) -> Iterator[Named]:
        """Whom it befalls."""
        yield "member", self.fault.member
        yield "client", self.fault.client
        yield "queue", self.fault.queue

    def renamed(self, name: Callable[[str], str]) -> Self:
        """The fault of another member."""
        if not self.fault.member:
            return self
        return replace(self, fault=replace(self.fault, member=name(self.fault.member)))


class Look(Action, frozen=True, tag="look"):
    """Look at the copies of a queue, as they are at the moment, on every member that lives.

    If a depth is named: wait until the copy of that member is as deep, or has had all the time for it.
    """

    queue: str
    member: str = ""
    depth: int | None = None

    def needs(self) -> tuple[Capability, ...]:
        """Sight of queues."""
        return (Capability.QUEUE_INSPECTION,)

    def words(self, *, several: bool) -> str:
        """What is looked at, or waited for."""
        if self.depth is None:
            return f"look at the copies of queue {self.queue}"
        return f"wait until the copy of queue {self.queue} on {self.member} holds {self.depth} events"

    def renamed(self, name: Callable[[str], str]) -> Self:
        """It as it is: the copy of a named member is meant by its name."""
        return self


class Await(Action, frozen=True, tag="await"):
    """Wait until the listener of a member receives an operation, or its time is over."""

    op_id: int
    member: str

    @property
    def about(self) -> int:
        """The operation."""
        return self.op_id

    def words(self, *, several: bool) -> str:
        """What is waited for."""
        return f"wait until the listener of {self.member} receives operation {self.op_id}"


class Read(Action, frozen=True, tag="read"):
    """Read what a member holds of a region, as it is at the moment."""

    member: str
    region: str

    def words(self, *, several: bool) -> str:
        """What is read."""
        return f"read what {self.member} holds of {self.region}"


class Count(Action, frozen=True, tag="count"):
    """Read a statistic of a member, as it is at the moment."""

    member: str
    name: str

    def needs(self) -> tuple[Capability, ...]:
        """Statistics, failures of a receiver, what is logged, views of a region, or queries."""
        if is_of_alerts(self.name):
            return (Capability.LOG_LINES,)
        if self.name == FAILURES:
            return (Capability.FAILURE_COUNTS,)
        view = view_of(self.name)
        if view is None:
            return (Capability.STATISTICS,)
        return (Capability.QUERIES if view[0] in QUERIES else Capability.REGION_VIEWS,)

    def words(self, *, several: bool) -> str:
        """What is read."""
        return f"read {self.name} of {self.member}"


class Redeliver(Action, frozen=True, tag="redeliver"):
    """Deliver the message of an operation to a member once more."""

    op_id: int
    member: str

    @property
    def about(self) -> int:
        """The operation."""
        return self.op_id

    def needs(self) -> tuple[Capability, ...]:
        """A hand on messages."""
        return (Capability.MESSAGE_CONTROL,)

    def words(self, *, several: bool) -> str:
        """What comes once more."""
        return f"deliver operation {self.op_id} to {self.member} once more"


class Leave(Action, frozen=True, tag="leave"):
    """Have a member give up its copy of a region, once everything has settled."""

    member: str
    region: str

    waits_for_rest: ClassVar[bool] = True
    spare: ClassVar[bool] = False
    """It is left out together with the step that takes the copy again."""

    def needs(self) -> tuple[Capability, ...]:
        """Configuration while it runs."""
        return (Capability.CONFIGURATION,)

    def words(self, *, several: bool) -> str:
        """Who gives up what."""
        return f"{self.member} gives up its copy of {self.region}"


class Join(Action, frozen=True, tag="join"):
    """Have a member take a copy of a region again, once everything has settled."""

    member: str
    region: str

    waits_for_rest: ClassVar[bool] = True
    spare: ClassVar[bool] = False

    def needs(self) -> tuple[Capability, ...]:
        """Configuration while it runs."""
        return (Capability.CONFIGURATION,)

    def words(self, *, several: bool) -> str:
        """Who takes what."""
        return f"{self.member} takes a copy of {self.region} again"


class Host(Action, frozen=True, tag="host"):
    """Have a member take a copy again that checks or not, on disk or not, once everything has settled."""

    member: str
    region: str
    checks: bool
    persistent: bool = False

    waits_for_rest: ClassVar[bool] = True
    spare: ClassVar[bool] = False

    def needs(self) -> tuple[Capability, ...]:
        """Configuration of checks, and a disk where it is kept there."""
        disk = (Capability.DISK,) * self.persistent
        return (Capability.CONFIGURATION, Capability.CHECKS_SETTING, *disk)

    def words(self, *, several: bool) -> str:
        """Who takes what."""
        return host_words(self.member, self.region, checks=self.checks, persistent=self.persistent)


class Inquire(Action, frozen=True, tag="inquire"):
    """Read whether a member checks consistency of a region."""

    member: str
    region: str

    def needs(self) -> tuple[Capability, ...]:
        """Configuration that can be read."""
        return (Capability.CONFIGURATION,)

    def words(self, *, several: bool) -> str:
        """What is asked."""
        return f"ask {self.member} whether it checks {self.region}"


class Script(Action, frozen=True, tag="script"):
    """Have a member's or client's cache writer refuse changes of these keys, once everything has settled."""

    member: str
    region: str
    refuses: tuple[str, ...]

    waits_for_rest: ClassVar[bool] = True

    def needs(self) -> tuple[Capability, ...]:
        """Cache writers that can be told what to do."""
        return (Capability.CALLBACK_SCRIPTS,)

    def words(self, *, several: bool) -> str:
        """What the writer is told."""
        return script_words(self.member, self.region, self.refuses)


class ScriptQueue(Action, frozen=True, tag="script_queue"):
    """Have the listener of a queue on a member answer so, call by call, once everything has settled."""

    member: str
    queue: str
    answers: tuple[str, ...]

    waits_for_rest: ClassVar[bool] = True

    def needs(self) -> tuple[Capability, ...]:
        """Listeners that can be told what to answer."""
        return (Capability.CALLBACK_SCRIPTS,)

    def words(self, *, several: bool) -> str:
        """What the listener is told."""
        return answer_words(self.member, self.queue, self.answers)

    def mistakes(self) -> Iterator[str]:
        """An answer that no listener gives."""
        if not set(self.answers) <= set(ANSWERS):
            yield f"a listener that answers {', '.join(self.answers)!r:.80}"


PlanStep = (
    Do
    | Start
    | Park
    | Release
    | Finish
    | Settle
    | Inject
    | Look
    | Await
    | Read
    | Count
    | Redeliver
    | Leave
    | Join
    | BeginJoin
    | ReleaseCopy
    | EndJoin
    | Host
    | Inquire
    | Register
    | BeginRegistration
    | ReleaseAnswer
    | EndRegistration
    | Script
    | ScriptQueue
)
