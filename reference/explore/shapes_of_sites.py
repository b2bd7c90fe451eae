"""Shapes of worlds of several sites: gateways, chains, rings and resolvers."""

from __future__ import annotations

from plumbline.reference.explore.program_shape import ProgramShape
from plumbline.reference.explore.shape_words import (
    APART,
    BETWEEN_SITES,
    CHAIN,
    CRASH,
    CUT,
    EVERYWHERE,
    HIGHEST_BETWEEN,
    IN_THREES,
    LOST,
    LOWEST_BETWEEN,
    PREFERS,
    PUT,
    PUTS,
    RING,
    TWO,
)
from plumbline.reference.explore.topics import ExploreScope, Topic
from plumbline.reference.history.operations import (
    OperationKind,
)
from plumbline.reference.history.resolvers import ALLOW, DISALLOW, REPLACE, THROW

SHAPES: dict[tuple[Topic, ExploreScope], tuple[ProgramShape, ...]] = {
    (Topic.GATEWAYS, ExploreScope.SMALL): (
        ProgramShape(sites=(("A",), ("B",)), operations=2, kinds=PUTS),
        ProgramShape(sites=(("A",), ("B",)), operations=2, kinds=PUTS, ties=True),
        ProgramShape(sites=(TWO, ("C",)), operations=2, kinds=(PUT,)),
        ProgramShape(sites=APART, operations=2, kinds=PUTS, behind=True),
        ProgramShape(sites=APART, operations=2, kinds=PUTS, skewed=True),
        ProgramShape(sites=APART, operations=2, kinds=(*EVERYWHERE, OperationKind.GET), there=True),
        ProgramShape(sites=(TWO, ("C",)), operations=1, kinds=(PUT,), faults=(BETWEEN_SITES,)),
        ProgramShape(sites=(TWO, ("C",)), operations=1, kinds=(PUT,), faults=(CRASH, LOST)),
    ),
    (Topic.GATEWAYS, ExploreScope.MEDIUM): (
        ProgramShape(sites=(TWO, ("C",)), operations=2, kinds=PUTS, there=True),
        ProgramShape(sites=(TWO, ("C",)), operations=3, kinds=(PUT,)),
        ProgramShape(sites=(TWO, ("C",)), operations=2, kinds=PUTS, ties=True),
        ProgramShape(sites=(("A",), ("B",)), operations=4, kinds=(PUT,)),
        ProgramShape(sites=APART, operations=3, kinds=(PUT,), ties=True),
        ProgramShape(sites=(TWO, ("C",)), operations=2, kinds=(PUT,), faults=(BETWEEN_SITES,)),
        ProgramShape(sites=(TWO, ("C",)), operations=3, kinds=(PUT,), faults=(CRASH, LOST)),
        ProgramShape(sites=(TWO, ("C",)), operations=4, kinds=(PUT,)),
        ProgramShape(sites=(TWO, ("C",)), operations=3, kinds=(PUT,), skewed=True),
        ProgramShape(sites=(TWO, ("C",)), operations=3, kinds=(PUT,), ties=True),
    ),
    (Topic.THREE_SITES, ExploreScope.SMALL): (
        ProgramShape(sites=IN_THREES, operations=2, kinds=PUTS),
        ProgramShape(sites=IN_THREES, operations=2, kinds=(PUT,), ties=True),
        ProgramShape(sites=IN_THREES, operations=2, kinds=(PUT,), ties=True, links=RING),
        ProgramShape(sites=IN_THREES, operations=2, kinds=(PUT,), ties=True, links=CHAIN),
        ProgramShape(sites=IN_THREES, operations=2, kinds=(PUT,), ties=True, links=LOWEST_BETWEEN),
        ProgramShape(sites=IN_THREES, operations=2, kinds=PUTS, skewed=True, links=RING),
    ),
    (Topic.THREE_SITES, ExploreScope.MEDIUM): (
        ProgramShape(sites=IN_THREES, operations=2, kinds=PUTS, there=True, skewed=True),
        ProgramShape(sites=IN_THREES, operations=3, kinds=(PUT,)),
        ProgramShape(sites=IN_THREES, operations=3, kinds=(PUT,), ties=True),
        ProgramShape(sites=IN_THREES, operations=3, kinds=(PUT,), skewed=True),
        ProgramShape(sites=IN_THREES, operations=2, kinds=(PUT,), faults=(CUT,)),
        ProgramShape(sites=IN_THREES, operations=2, kinds=PUTS, there=True, skewed=True, links=RING),
        ProgramShape(sites=IN_THREES, operations=3, kinds=(PUT,), ties=True, links=RING),
        ProgramShape(sites=IN_THREES, operations=3, kinds=(PUT,), skewed=True, links=RING),
        ProgramShape(sites=IN_THREES, operations=3, kinds=(PUT,), ties=True, links=CHAIN),
        ProgramShape(sites=IN_THREES, operations=3, kinds=(PUT,), ties=True, links=LOWEST_BETWEEN),
        ProgramShape(sites=IN_THREES, operations=3, kinds=(PUT,), ties=True, links=HIGHEST_BETWEEN),
        ProgramShape(sites=IN_THREES, operations=3, kinds=(PUT,), skewed=True, links=CHAIN),
    ),
    (Topic.GATEWAYS, ExploreScope.LARGE): (
        ProgramShape(sites=(TWO, ("C", "D")), operations=3, kinds=PUTS),
        ProgramShape(
            sites=(TWO, ("C", "D")), operations=3, kinds=(PUT,), faults=(BETWEEN_SITES, BETWEEN_SITES)
        ),
        ProgramShape(sites=APART, operations=5, kinds=PUTS, skewed=True),
    ),
    (Topic.THREE_SITES, ExploreScope.LARGE): (
        ProgramShape(sites=(TWO, ("C",), ("D",)), operations=3, kinds=(PUT,), skewed=True),
        ProgramShape(sites=IN_THREES, operations=4, kinds=PUTS, ties=True),
        ProgramShape(sites=IN_THREES, operations=3, kinds=(PUT,), faults=(BETWEEN_SITES,)),
    ),
    (Topic.RESOLVERS, ExploreScope.SMALL): (
        *(
            ProgramShape(sites=APART, operations=2, kinds=PUTS, resolver=answer)
            for answer in (ALLOW, DISALLOW, REPLACE, THROW)
        ),
        *(
            ProgramShape(sites=(TWO, ("C",)), operations=2, kinds=(PUT,), resolver=answer)
            for answer in (ALLOW, REPLACE)
        ),
        ProgramShape(sites=APART, operations=2, kinds=PUTS, ties=True, resolver=PREFERS),
    ),
    (Topic.RESOLVERS, ExploreScope.MEDIUM): (
        ProgramShape(sites=APART, operations=3, kinds=(PUT,), behind=True, apart_ms=700, resolver=PREFERS),
    ),
}
"""The shapes of each topic and scope, the small ones first."""
