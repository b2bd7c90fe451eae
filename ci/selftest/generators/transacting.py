"""Random small examples with transactions: plans in which one or two run beside plain operations.

Knows nothing of trials, nor of how plans are carried out.
"""

from __future__ import annotations

import random

from plumbline.ci.selftest.generators.one_site import REGION, OneSiteShape
from plumbline.reference.history.actions import Do, Finish, Park, PlanStep, Release, Settle, Start
from plumbline.reference.history.operations import (
    READS,
    HostPolicy,
    Operation,
    OperationKind,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan

_LESS = (RegionPolicy.NORMAL, RegionPolicy.NORMAL, RegionPolicy.PRELOADED, RegionPolicy.EMPTY)
_PLAIN = (OperationKind.PUT,) * 4 + (OperationKind.DESTROY, OperationKind.GET)
_INSIDE = (
    *(OperationKind.PUT, OperationKind.PUT, OperationKind.PUT, OperationKind.GET),
    *(OperationKind.DESTROY, OperationKind.INVALIDATE, OperationKind.CREATE, OperationKind.REPLACE),
)
_LOCAL = (OperationKind.LOCAL_DESTROY, OperationKind.LOCAL_INVALIDATE)


def draw_plan(draw: random.Random, most: int, *, least: int = 2) -> tuple[Plan, OneSiteShape]:
    """A plan of so many operations besides the begins and ends; and the shape that carries it out."""
    drawing = _Drawing(draw)
    for _ in range(draw.randrange(least, most + 1)):
        drawing.go_on()
    drawing.end()
    return drawing.plan(), drawing.shape


class _Drawing:
    """A plan as it is drawn: who has begun a transaction, and what is under way."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._members = tuple("ABC"[: draw.choice((2, 2, 3))])
        lesser = draw.random() < 0.35
        self._keys = draw.choice(((("x",)), ("x",), ("x", "y"))) if not lesser else ("x",)
        less = draw.choice(self._members)
        self.shape = OneSiteShape(
            operations=0,
            keys=self._keys,
            members=len(self._members),
            checks=draw.choice((None, None, True, False)),
            scope=draw.choice((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
            looks=draw.choice((0.0, 0.3)),
            policies=(HostPolicy(less, draw.choice(_LESS)),) if lesser else (),
        )
        self._steps: list[PlanStep] = []
        self._count = 0
        self._open: dict[str, str] = {}
        self._under_way: dict[str, int] = {}
        self._parked: list[tuple[int, str]] = []

    def plan(self) -> Plan:
        shape = self.shape
        region = RegionAttributes(
            name=REGION, checks=shape.checks, scope=shape.scope, policies=shape.policies
        )
        return Plan(Topology((Site(1, self._members),)), (region,), tuple(self._steps))

    def _operation(self, member: str, thread: str, kind: OperationKind) -> Operation:
        self._count += 1
        ends = kind in (OperationKind.TX_BEGIN, OperationKind.TX_COMMIT, OperationKind.TX_ROLLBACK)
        return Operation(
            op_id=self._count,
            thread=thread,
            member=member,
            region=REGION,
            kind=kind,
            key="" if ends else self._draw.choice(self._keys),
            token=None if ends or kind in READS else f"t{self._count}",
        )

    def go_on(self) -> None:
        """One operation more, of a transaction or not."""
        draw = self._draw
        if self._parked and draw.random() < 0.4:
            self._steps.append(Release(*self._parked.pop(0)))
        if draw.random() < 0.15:
            self._steps.append(Settle())
        free = [thread for thread in self._open if thread not in self._under_way]
        if not self._open and draw.random() < 0.7:
            member = draw.choice(self._members)
            thread = f"{member}tx{self._count}"
            self._open[thread] = member
            self._call(self._operation(member, thread, OperationKind.TX_BEGIN))
        elif free and draw.random() < 0.7:
            thread = draw.choice(free)
            member = self._open[thread]
            kinds: tuple[OperationKind, ...] = _INSIDE
            if any(host.member == member for host in self.shape.policies) and self.shape.checks is not False:
                kinds = (*_INSIDE, *_LOCAL)
            self._call(self._operation(member, thread, draw.choice(kinds)))
            if draw.random() < 0.3:
                self._finish(thread)
        else:
            member = draw.choice(self._members)
            thread = f"{member}{draw.randrange(2)}"
            if thread in self._under_way:
                self._let_go(thread)
            self._call(self._operation(member, thread, draw.choice(_PLAIN)), park=True)

    def end(self) -> None:
        """Every transaction ends; for some the caller does not receive it."""
        for thread in list(self._open):
            if thread in self._under_way:
                self._let_go(thread)
            if self._draw.random() < 0.9:
                self._finish(thread)

    def _finish(self, thread: str) -> None:
        if thread in self._under_way:
            return
        member = self._open.pop(thread)
        commits = self._draw.random() < 0.8
        kind = OperationKind.TX_COMMIT if commits else OperationKind.TX_ROLLBACK
        self._call(self._operation(member, thread, kind))

    def _let_go(self, thread: str) -> None:
        while self._parked:
            self._steps.append(Release(*self._parked.pop()))
        self._steps.append(Finish(self._under_way.pop(thread)))

    def _call(self, operation: Operation, *, park: bool = False) -> None:
        chance = self._draw.random()
        if park and operation.token is not None and chance < 0.3:
            at = operation.member if chance < 0.2 else self._draw.choice(self._members)
            self._steps.append(Park(operation, at))
            self._parked.append((operation.op_id, at))
            self._under_way[operation.thread] = operation.op_id
        elif self._parked or chance < 0.6:
            self._steps.append(Start(operation))
            self._under_way[operation.thread] = operation.op_id
        else:
            self._steps.append(Do(operation))
