"""Random small examples of three sites, each linked to each, in a chain or in a ring: plans of a shape.

Knows nothing of trials; `two_sites` plays the plans.
"""

from __future__ import annotations

import random
from itertools import permutations

import msgspec

from plumbline.reference.history.actions import Do, Inject, PlanStep, Settle, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan

REGION = "r"
ALONE = Topology((Site(1, ("A",)), Site(2, ("C",)), Site(3, ("E",))))
ONE_OF_TWO = Topology((Site(1, ("A", "B")), Site(2, ("C",)), Site(3, ("E",))))

MESH = tuple(permutations((1, 2, 3), 2))
LINKED = (
    MESH,
    *(tuple(pair for pair in MESH if middle in pair) for middle in (1, 2, 3)),
    ((1, 2), (2, 3), (3, 1)),
    ((1, 3), (3, 2), (2, 1)),
)
"""From which site to which there is a link: each to each, in a chain with one between, in a ring."""

_KINDS = (OperationKind.CREATE, OperationKind.DESTROY, OperationKind.DESTROY, OperationKind.INVALIDATE)


class ThreeSitesShape(msgspec.Struct, frozen=True, kw_only=True):
    """What kind of plan to draw.

    Attributes:
        operations: how many operations.
        keys: the keys.
        topology: the sites.
        mixed: share of operations other than put.
        started: share of operations that are called and finished later.
        settled: share of plan steps that settle in between.
        linked: from which site to which there is a link.
        cuts: share of the links that are cut for a while.
        held: whether time is held still for a while.
        resolver: the policy of the conflict resolver on every member; "" for none.
    """

    operations: int
    keys: tuple[str, ...] = ("x",)
    topology: Topology = ALONE
    linked: tuple[tuple[int, int], ...] = MESH
    mixed: float = 0.2
    started: float = 0.5
    settled: float = 0.1
    cuts: float = 0.2
    held: bool = False
    resolver: str = ""


def senders(batch_size: int = 2, linked: tuple[tuple[int, int], ...] = MESH) -> tuple[QueueAttributes, ...]:
    """A sender for each link."""
    return tuple(
        QueueAttributes(id=f"{site} to {remote}", site=site, remote_site=remote, batch_size=batch_size)
        for site, remote in linked
    )


def draw_plan(draw: random.Random, shape: ThreeSitesShape) -> Plan:
    """A plan of the shape; each cut link is mended before it ends."""
    slots: dict[int, list[Fault]] = {}

    def during(begins: Fault, ends: Fault) -> None:
        at = draw.randrange(shape.operations)
        slots.setdefault(at, []).append(begins)
        slots.setdefault(draw.randrange(at + 1, shape.operations + 1), []).append(ends)

    for site, remote in shape.linked:
        if draw.random() < shape.cuts:
            during(
                Fault(kind=FaultKind.LINK_DOWN, site=site, remote_site=remote),
                Fault(kind=FaultKind.LINK_UP, site=site, remote_site=remote),
            )
    if shape.held:
        during(Fault(kind=FaultKind.HOLD_TIME), Fault(kind=FaultKind.LET_RUN))
    steps: list[PlanStep] = []
    for number in range(shape.operations + 1):
        steps += [Inject(fault) for fault in slots.get(number, ())]
        if number == shape.operations:
            break
        if draw.random() < shape.settled:
            steps.append(Settle())
        member = draw.choice(shape.topology.members)
        kind = draw.choice(_KINDS) if draw.random() < shape.mixed else OperationKind.PUT
        operation = Operation(
            op_id=number + 1,
            thread=f"{member}{number}",
            member=member,
            region=REGION,
            kind=kind,
            key=draw.choice(shape.keys),
            token=f"v{number + 1}",
        )
        steps.append((Start if draw.random() < shape.started else Do)(operation))
    queues = senders(linked=shape.linked)
    region = RegionAttributes(name=REGION, senders=tuple(queue.id for queue in queues))
    return Plan(shape.topology, (region,), tuple(steps), queues, resolver=shape.resolver)
