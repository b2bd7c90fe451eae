"""Shapes of worlds of clients, and of copies that are taken meanwhile."""

from __future__ import annotations

from plumbline.reference.explore.program_shape import ProgramShape
from plumbline.reference.explore.shape_words import (
    AWAY,
    CLIENT,
    CRASH,
    DURABLE,
    EVERYWHERE,
    MOVING,
    PUT,
    PUTS,
    READY,
    SECURED,
    THREE,
    TWO,
    WRITERS,
)
from plumbline.reference.explore.topics import ExploreScope, Topic

SHAPES: dict[tuple[Topic, ExploreScope], tuple[ProgramShape, ...]] = {
    (Topic.CLIENTS, ExploreScope.SMALL): (
        ProgramShape(sites=(TWO,), operations=1, kinds=EVERYWHERE, there=True, clients=CLIENT),
        ProgramShape(sites=(TWO,), operations=2, kinds=PUTS, there=True, clients=CLIENT),
    ),
    (Topic.REGISTRATIONS, ExploreScope.SMALL): (
        ProgramShape(
            sites=(TWO,), operations=1, kinds=EVERYWHERE, there=True, clients=CLIENT, registers=True
        ),
        ProgramShape(sites=(TWO,), operations=2, kinds=PUTS, clients=CLIENT, registers=True),
        ProgramShape(
            sites=(TWO,),
            operations=1,
            kinds=PUTS,
            there=True,
            clients=MOVING,
            registers=True,
            faults=(CRASH,),
        ),
    ),
    (Topic.REGISTRATIONS, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(TWO,), operations=2, kinds=EVERYWHERE, there=True, clients=CLIENT, registers=True
        ),
        ProgramShape(
            sites=(TWO,),
            operations=2,
            kinds=PUTS,
            there=True,
            clients=MOVING,
            registers=True,
            faults=(CRASH,),
        ),
    ),
    (Topic.COPIES, ExploreScope.SMALL): (
        ProgramShape(sites=(THREE,), operations=1, kinds=EVERYWHERE, callers=WRITERS, there=True, takes="B"),
        ProgramShape(sites=(THREE,), operations=2, kinds=PUTS, callers=WRITERS, there=True, takes="B"),
        ProgramShape(
            sites=(THREE,),
            operations=1,
            kinds=PUTS,
            callers=WRITERS,
            there=True,
            takes="B",
            faults=(CRASH,),
            doomed=WRITERS,
        ),
    ),
    (Topic.COPIES, ExploreScope.MEDIUM): (
        ProgramShape(sites=(THREE,), operations=2, kinds=EVERYWHERE, callers=WRITERS, there=True, takes="B"),
        ProgramShape(
            sites=(THREE,),
            operations=2,
            kinds=PUTS,
            callers=WRITERS,
            there=True,
            takes="B",
            faults=(CRASH,),
            doomed=WRITERS,
        ),
    ),
    (Topic.REPLAYS, ExploreScope.SMALL): (
        ProgramShape(
            sites=(TWO,),
            operations=1,
            kinds=PUTS,
            callers=TWO,
            there=True,
            clients=DURABLE,
            faults=(READY,),
        ),
        ProgramShape(
            sites=(TWO,),
            operations=1,
            kinds=(PUT,),
            callers=TWO,
            clients=DURABLE,
            faults=(READY, CRASH),
        ),
        ProgramShape(sites=(TWO,), operations=1, kinds=(PUT,), callers=TWO, clients=DURABLE, faults=(AWAY,)),
    ),
    (Topic.REPLAYS, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(TWO,), operations=2, kinds=PUTS, callers=TWO, clients=DURABLE, faults=(READY, CRASH)
        ),
        ProgramShape(
            sites=(TWO,), operations=1, kinds=(PUT,), callers=TWO, clients=DURABLE, faults=(AWAY, CRASH)
        ),
    ),
    (Topic.RECRUITS, ExploreScope.SMALL): (
        ProgramShape(
            sites=(THREE,), operations=1, kinds=(PUT,), callers=TWO, clients=SECURED, faults=(CRASH,)
        ),
        ProgramShape(
            sites=(THREE,),
            operations=1,
            kinds=(PUT,),
            callers=("C",),
            clients=SECURED,
            faults=(CRASH, CRASH),
            doomed=TWO,
        ),
    ),
    (Topic.RECRUITS, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(THREE,), operations=2, kinds=PUTS, callers=THREE, clients=SECURED, faults=(CRASH,)
        ),
    ),
    (Topic.CLIENTS, ExploreScope.MEDIUM): (
        ProgramShape(sites=(TWO,), operations=3, kinds=(PUT,), there=True, clients=CLIENT),
    ),
}
"""The shapes of each topic and scope, the small ones first."""
