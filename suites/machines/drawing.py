"""What all state machines share: the plan so far, who is busy in it, and how much may be under way.

Rules of machines only extend the plan, against a planning state; nothing is executed while drawing, so what
a candidate does never changes what is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import msgspec
from hypothesis.stateful import RuleBasedStateMachine

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Finish, Park, PlanStep, Release, Settle, Start
from plumbline.reference.history.bulk import BULK
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import (
    DESTROYS,
    NAMELESS,
    READS,
    STORES_VALUE,
    BulkEntry,
    Operation,
    OperationKind,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan

REGION = "region"
KEYS = ("x", "y", "z")

WRITES = (
    OperationKind.PUT,
    OperationKind.CREATE,
    OperationKind.PUT_IF_ABSENT,
    OperationKind.REPLACE,
    OperationKind.INVALIDATE,
    OperationKind.DESTROY,
)

WRITES_MOST_PER_KEY = 6
"""So many concurrent writes of one key are drawn at most between two settle points: refuting wrong logs is
linear up to there."""

LOOSE_MOST_PER_KEY = 2
"""The same where logs carry no order between threads, so that every order has to be tried."""

NEVER_PUT = "never-put"
"""A value that no operation stores."""

Execute = Callable[[Plan], None]


def anything_counts(_: History) -> bool:
    """Every example counts."""
    return True


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """A state machine of the suite.

    Attributes:
        name: what it is called.
        requirements: the ids whose violation it can show.
        needs: capabilities without which it cannot run at all.
        draws: the Hypothesis class.
        counts: whether a history shows what the machine is there for; an example that does not, and is not
            wrong, counts for nothing.
        most_rules: rules that a plan has at most, however many the profile allows: of more the search would
            often not know; None where there is no such limit.
        chapters: in so many parts its plans are drawn, one after the other; each part is told its number.
    """

    name: str
    requirements: tuple[str, ...]
    needs: tuple[Capability, ...]
    draws: type[PlanMachine]
    counts: Callable[[History], bool] = anything_counts
    most_rules: int | None = None
    chapters: int = 1


class PlanMachine(RuleBasedStateMachine):
    """What all machines share: the plan so far, and who is busy in it."""

    execute: ClassVar[Execute]
    loose_logs: ClassVar[Callable[[RegionAttributes], bool]]
    offers: ClassVar[frozenset[Capability]]
    chapter: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[PlanStep] = []
        self.parked: dict[int, tuple[str, str]] = {}
        self.busy: set[str] = set()
        self.writes: dict[str, int] = {}
        self.members: tuple[str, ...] = ("A", "B", "C")
        self.region = RegionAttributes(name=REGION)
        self.value_bytes = 0
        self.latest: dict[str, str] = {}
        self.removed: set[str] = set()
        self._count = 0
        self._finished = 0

    def operation(self, member: str, kind: OperationKind, key: str) -> Operation:
        """The next operation, on a thread of the member that is not busy."""
        self._count += 1
        thread = self._idle_thread(member)
        token = None if kind in NAMELESS else f"v{self._count}"
        if kind not in READS:
            self.writes[key] = self.writes.get(key, 0) + 1
        if token is not None and kind in STORES_VALUE:
            self.latest[key] = token
        return Operation(
            op_id=self._count,
            thread=thread,
            member=member,
            region=REGION,
            kind=kind,
            key=key,
            token=token,
            value_bytes=self.value_bytes if kind in STORES_VALUE else 0,
        )

    def expecting(self, member: str, kind: OperationKind, key: str, *, right: bool) -> Operation:
        """The next operation that expects a value: that which was drawn last for the key, or another.

        A product whose removals carry no callback argument tells them apart by their keys. So one of a key
        is under way at a time.
        """
        if kind in DESTROYS and key in self.removed:
            self.settle_now()
        if kind in DESTROYS:
            self.removed.add(key)
        expected = self.latest.get(key, NEVER_PUT) if right else NEVER_PUT
        return msgspec.structs.replace(self.operation(member, kind, key), expected=expected)

    def _idle_thread(self, member: str) -> str:
        return next(name for n in range(99) if (name := f"{member}{n}") not in self.busy)

    def bulk(self, member: str, kind: OperationKind, keys: Sequence[str]) -> Operation:
        """The next operation on many keys, on a thread of the member that is not busy."""
        op_id = self._count + 1
        self._count += 1 + len(keys)
        for key in keys:
            self.writes[key] = self.writes.get(key, 0) + 1
        return Operation(
            op_id=op_id,
            thread=self._idle_thread(member),
            member=member,
            region=REGION,
            kind=kind,
            token=f"v{op_id}",
            entries=tuple(
                BulkEntry(op_id=number, key=key, token=f"v{number}")
                for number, key in enumerate(keys, op_id + 1)
            ),
        )

    def as_bulk(self, kind: OperationKind, keys: Sequence[str]) -> OperationKind | None:
        """As what a put or destroy is called on all of these keys; None where it is called on one."""
        offered = Capability.BULK_OPERATIONS in self.offers and not any(map(self.crowded, keys))
        return next((bulk for bulk, single in BULK.items() if single is kind), None) if offered else None

    def park(self, operation: Operation, holder: str) -> None:
        """Plan to call an operation that stands in the listener of a holder until everything settles."""
        self.busy.add(operation.thread)
        self.parked[operation.op_id] = (holder, operation.key)
        self.steps.append(Park(operation, holder))

    def settle_now(self) -> None:
        """Plan to release, finish and look at everything."""
        for op_id, (member, _) in self.parked.items():
            self.steps.append(Release(op_id, member))
        self.parked.clear()
        self.busy.clear()
        self.writes.clear()
        self.removed.clear()
        self.steps.append(Settle())

    def finish_all(self) -> None:
        """Plan to release everything, and to wait for what was started: no call is under way behind that."""
        self.settle_now()
        started = [step.operation for step in self.steps if isinstance(step, Do | Start | Park)]
        self.steps += [Finish(operation.op_id) for operation in started if operation.op_id > self._finished]
        self._finished = self._count

    def crowded(self, key: str) -> bool:
        """Whether enough writes of the key are under way between two settle points."""
        return self.writes.get(key, 0) >= (LOOSE_MOST_PER_KEY if self.loose else WRITES_MOST_PER_KEY)

    @property
    def loose(self) -> bool:
        """Whether the logs of this plan will carry no order between threads."""
        return type(self).loose_logs(self.region)

    def plan(self) -> Plan:
        """The plan so far."""
        return Plan(Topology((Site(1, self.members),)), (self.region,), tuple(self.steps))

    def teardown(self) -> None:
        """The plan is complete: carry it out and judge it."""
        if self.steps:
            type(self).execute(self.plan())
