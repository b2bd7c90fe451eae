"""Shapes of worlds of queues: what waits, listeners, buckets and restarts."""

from __future__ import annotations

from plumbline.reference.explore.program_shape import ProgramShape
from plumbline.reference.explore.shape_words import (
    APART,
    CRASH,
    CUT,
    KEYS,
    LOST,
    MINUTE,
    MOVE,
    OF_SITE,
    PUT,
    PUTS,
    RECOVER,
    THREE,
    TICK,
    TWO,
    TWO_REGIONS,
    listening,
    partitioned,
)
from plumbline.reference.explore.topics import ExploreScope, Topic

SHAPES: dict[tuple[Topic, ExploreScope], tuple[ProgramShape, ...]] = {
    (Topic.QUEUES, ExploreScope.SMALL): (
        ProgramShape(sites=APART, operations=2, kinds=OF_SITE, there=True),
        ProgramShape(sites=APART, operations=2, kinds=(PUT,), regions=TWO_REGIONS),
        ProgramShape(sites=APART, operations=2, kinds=PUTS, behind=True, apart_ms=20_000),
        ProgramShape(
            sites=APART,
            operations=2,
            kinds=(PUT,),
            batches=((2, MINUTE // 2), (1, MINUTE // 2)),
            faults=(TICK,),
        ),
        ProgramShape(
            sites=APART,
            operations=2,
            kinds=(PUT,),
            batches=((2, 2 * MINUTE), (3, 2 * MINUTE)),
            faults=(TICK,),
        ),
        ProgramShape(sites=APART, operations=2, kinds=(PUT,), batches=((2, 10),)),
        ProgramShape(
            sites=APART, operations=2, kinds=(PUT,), faults=((*CUT, *LOST),), links=((1, 2), (2, 1))
        ),
        ProgramShape(
            sites=APART,
            operations=1,
            kinds=(PUT,),
            callers=("A",),
            faults=(CUT, CUT, CUT),
            links=((1, 2),),
        ),
        *(
            ProgramShape(
                sites=(TWO, ("C",)),
                operations=2,
                kinds=(PUT,),
                callers=TWO,
                faults=(CRASH,),
                doomed=(dies,),
                links=((1, 2),),
            )
            for dies in ("A", "C")
        ),
        ProgramShape(
            sites=(TWO, ("C",)),
            operations=1,
            kinds=(PUT,),
            faults=(TICK, CRASH),
            doomed=("A",),
            after=(0, 1),
            tick_ms=120 * MINUTE,
        ),
    ),
    (Topic.LISTENERS, ExploreScope.SMALL): (
        *(
            ProgramShape(
                sites=(TWO,), operations=2, kinds=(PUT,), keys=KEYS, listens=listening(2), answers=answers
            )
            for answers in (("false",), ("throw", "false"), ("part",))
        ),
        ProgramShape(
            sites=(TWO,),
            operations=1,
            kinds=PUTS,
            there=True,
            listens=listening(2),
            answers=("false",),
            faults=(CRASH,),
        ),
    ),
    (Topic.LISTENERS, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(TWO,),
            operations=3,
            kinds=PUTS,
            keys=KEYS,
            listens=listening(2),
            answers=("false", "throw"),
        ),
        ProgramShape(
            sites=(TWO,),
            operations=2,
            kinds=(PUT,),
            keys=KEYS,
            listens=listening(2),
            answers=("part",),
            faults=(CRASH,),
        ),
    ),
    (Topic.BUCKETS, ExploreScope.SMALL): (
        ProgramShape(
            sites=(TWO,),
            operations=2,
            kinds=(PUT,),
            regions=partitioned(1),
            listens=listening(2, parallel=True),
            answers=("false",),
        ),
        ProgramShape(
            sites=(TWO,),
            operations=1,
            kinds=PUTS,
            there=True,
            regions=partitioned(1),
            listens=listening(1, parallel=True),
            answers=("false",),
            faults=(CRASH,),
        ),
        ProgramShape(
            sites=(TWO,),
            operations=2,
            kinds=(PUT,),
            regions=partitioned(1),
            listens=listening(1, parallel=True),
            faults=(MOVE,),
        ),
        ProgramShape(
            sites=(TWO,),
            operations=1,
            kinds=(PUT,),
            regions=partitioned(1),
            listens=listening(1, parallel=True),
            faults=(MOVE, CRASH),
        ),
    ),
    (Topic.BUCKETS, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(TWO,),
            operations=2,
            kinds=(PUT,),
            keys=KEYS,
            regions=partitioned(1),
            listens=listening(2, parallel=True),
            faults=(CRASH,),
        ),
    ),
    (Topic.RESTARTS, ExploreScope.SMALL): (
        ProgramShape(
            sites=APART,
            operations=2,
            kinds=(PUT,),
            keys=KEYS,
            callers=("A",),
            faults=(CRASH,),
            doomed=("A",),
            links=((1, 2),),
            recovers=RECOVER,
        ),
        ProgramShape(
            sites=(TWO, ("C",)),
            operations=1,
            kinds=(PUT,),
            callers=TWO,
            faults=(CRASH,),
            links=((1, 2),),
            recovers=RECOVER,
        ),
    ),
    (Topic.RESTARTS, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(TWO, ("C",)),
            operations=1,
            kinds=(PUT,),
            callers=TWO,
            faults=(CRASH, CRASH),
            doomed=TWO,
            links=((1, 2),),
            recovers=RECOVER,
        ),
    ),
    (Topic.QUEUES, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(THREE, ("D",)),
            operations=1,
            kinds=(PUT,),
            faults=(CRASH, CRASH),
            doomed=TWO,
        ),
    ),
}
"""The shapes of each topic and scope, the small ones first."""
