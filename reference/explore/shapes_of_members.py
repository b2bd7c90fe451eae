"""Shapes of worlds of one site: regions, transactions, clears and tombstones."""

from __future__ import annotations

from plumbline.reference.explore.program_shape import ProgramShape
from plumbline.reference.explore.shape_words import (
    CLEAR,
    CRASH,
    DESTROY,
    EMPTY,
    ENDINGS,
    EVERYWHERE,
    FOUR,
    KEYS,
    LESS,
    LOCAL,
    MINUTE,
    MOVE,
    NORMAL,
    NOT_ACKNOWLEDGED,
    PRELOADED,
    PUT,
    PUTS,
    ROLLBACK,
    THREE,
    TICK,
    TWO,
    TWO_REGIONS,
    lesser,
    partitioned,
)
from plumbline.reference.explore.topics import ExploreScope, Topic
from plumbline.reference.history.operations import (
    TombstoneSettings,
)

SHAPES: dict[tuple[Topic, ExploreScope], tuple[ProgramShape, ...]] = {
    (Topic.REPLICATED, ExploreScope.SMALL): (
        ProgramShape(sites=(TWO,), operations=2, kinds=EVERYWHERE),
        ProgramShape(sites=(TWO,), operations=2, kinds=EVERYWHERE, there=True),
        ProgramShape(sites=(TWO,), operations=2, kinds=EVERYWHERE, there=True, faults=(CRASH,)),
        ProgramShape(sites=(THREE,), operations=2, kinds=EVERYWHERE, there=True),
        ProgramShape(sites=(TWO,), operations=2, kinds=PUTS, there=True, faults=(TICK,)),
    ),
    (Topic.REPLICATED, ExploreScope.MEDIUM): (
        ProgramShape(sites=(THREE,), operations=3, kinds=EVERYWHERE, there=True),
        ProgramShape(sites=(THREE,), operations=3, kinds=PUTS, there=True, faults=(CRASH,)),
        ProgramShape(sites=(THREE,), operations=4, kinds=PUTS),
        ProgramShape(sites=(TWO,), operations=4, kinds=PUTS, there=True, faults=(TICK,)),
        ProgramShape(sites=(THREE,), operations=3, kinds=PUTS, there=True, faults=(TICK,)),
    ),
    (Topic.REPLICATED, ExploreScope.LARGE): (
        ProgramShape(sites=(THREE,), operations=5, kinds=PUTS),
        ProgramShape(sites=(THREE,), operations=4, kinds=EVERYWHERE, there=True, faults=(CRASH,)),
        ProgramShape(sites=(THREE,), operations=4, kinds=PUTS, there=True, faults=(TICK, CRASH)),
        ProgramShape(sites=(FOUR,), operations=4, kinds=PUTS, there=True),
    ),
    (Topic.TRANSACTIONS, ExploreScope.SMALL): (
        ProgramShape(sites=(TWO,), operations=1, kinds=PUTS, committed=PUTS),
        ProgramShape(sites=(TWO,), operations=1, kinds=PUTS, there=True, committed=PUTS),
        ProgramShape(sites=(TWO,), operations=1, kinds=PUTS, there=True, faults=(CRASH,), committed=PUTS),
        ProgramShape(sites=(THREE,), operations=1, kinds=PUTS, there=True, committed=PUTS),
        ProgramShape(sites=(TWO,), operations=1, kinds=(PUT,), there=True, committed=PUTS, transacted=2),
        ProgramShape(sites=(TWO,), operations=1, kinds=PUTS, there=True, committed=PUTS, endings=ROLLBACK),
    ),
    (Topic.TRANSACTIONS, ExploreScope.MEDIUM): (
        ProgramShape(sites=(THREE,), operations=2, kinds=PUTS, there=True, committed=PUTS),
        ProgramShape(sites=(TWO,), operations=3, kinds=PUTS, committed=PUTS),
        ProgramShape(sites=(THREE,), operations=1, kinds=PUTS, there=True, faults=(CRASH,), committed=PUTS),
    ),
    (Topic.PARTITIONED, ExploreScope.SMALL): (
        ProgramShape(sites=(TWO,), operations=2, kinds=EVERYWHERE, there=True, regions=partitioned(1)),
        ProgramShape(
            sites=(TWO,), operations=2, kinds=PUTS, there=True, regions=partitioned(1), faults=(CRASH,)
        ),
        ProgramShape(sites=(THREE,), operations=2, kinds=PUTS, there=True, regions=partitioned(1)),
        ProgramShape(sites=(THREE,), operations=2, kinds=PUTS, regions=partitioned(2)),
        ProgramShape(
            sites=(TWO,), operations=2, kinds=(PUT,), there=True, regions=partitioned(1), faults=(MOVE,)
        ),
        ProgramShape(
            sites=(TWO,),
            operations=1,
            kinds=PUTS,
            there=True,
            regions=partitioned(0),
            faults=(MOVE, CRASH),
        ),
        ProgramShape(
            sites=(THREE,), operations=1, kinds=PUTS, there=True, regions=partitioned(2), faults=(CRASH,)
        ),
    ),
    (Topic.LESSER, ExploreScope.SMALL): (
        ProgramShape(sites=(TWO,), operations=2, kinds=EVERYWHERE, regions=lesser(NORMAL, "B")),
        ProgramShape(sites=(TWO,), operations=2, kinds=PUTS, there=True, regions=lesser(EMPTY, "B")),
        ProgramShape(sites=(TWO,), operations=2, kinds=PUTS, there=True, regions=lesser(PRELOADED, "B")),
        ProgramShape(sites=(TWO,), operations=1, kinds=PUTS, there=True, regions=lesser(LOCAL, "B")),
        ProgramShape(
            sites=(TWO,),
            operations=1,
            kinds=PUTS,
            there=True,
            regions=lesser(NORMAL, "B"),
            faults=(CRASH,),
        ),
        ProgramShape(
            sites=(THREE,),
            operations=1,
            kinds=(PUT,),
            there=True,
            regions=lesser(NORMAL, "C"),
            faults=(CRASH,),
        ),
        ProgramShape(sites=(TWO,), operations=2, kinds=(PUT, CLEAR), there=True, regions=lesser(NORMAL, "B")),
        ProgramShape(sites=(TWO,), operations=2, kinds=PUTS, regions=NOT_ACKNOWLEDGED),
        ProgramShape(
            sites=(TWO,),
            operations=1,
            kinds=(PUT,),
            there=True,
            regions=lesser(EMPTY, "B"),
            committed=LESS,
            endings=ENDINGS,
        ),
        ProgramShape(
            sites=(TWO,),
            operations=0,
            kinds=(PUT,),
            there=True,
            regions=lesser(EMPTY, "B"),
            committed=PUTS,
        ),
    ),
    (Topic.CLEARS, ExploreScope.SMALL): (
        ProgramShape(sites=(TWO,), operations=2, kinds=(PUT, DESTROY, CLEAR), there=True),
        ProgramShape(sites=(TWO,), operations=2, kinds=(PUT, CLEAR), there=True, faults=(CRASH,)),
        ProgramShape(sites=(THREE,), operations=2, kinds=(PUT, CLEAR), there=True),
    ),
    (Topic.TOMBSTONES, ExploreScope.SMALL): (
        ProgramShape(sites=(TWO,), operations=2, kinds=(DESTROY,), keys=KEYS, there=True, faults=(TICK,)),
        ProgramShape(
            sites=(TWO,),
            operations=2,
            kinds=(DESTROY,),
            regions=TWO_REGIONS,
            there=True,
            faults=(TICK,),
            after=(1,),
        ),
        ProgramShape(
            sites=(TWO,),
            operations=1,
            kinds=(DESTROY,),
            there=True,
            faults=(TICK,),
            tombstones=TombstoneSettings(timeout_ms=MINUTE // 2, threshold=1, thresholds=(("B", 9),)),
        ),
        ProgramShape(
            sites=(TWO,),
            operations=1,
            kinds=(DESTROY,),
            there=True,
            faults=(TICK, TICK),
            tombstones=TombstoneSettings(timeout_ms=3 * MINUTE // 2, threshold=1),
        ),
        ProgramShape(
            sites=(TWO,),
            operations=2,
            kinds=(DESTROY,),
            regions=TWO_REGIONS,
            there=True,
            faults=(TICK,),
            after=(2,),
            tombstones=TombstoneSettings(timeout_ms=MINUTE // 2, threshold=2),
        ),
        *(
            ProgramShape(
                sites=(TWO,),
                operations=1,
                kinds=(DESTROY,),
                there=True,
                faults=(TICK,),
                after=(1,),
                tick_ms=9 * MINUTE,
                regions=regions,
                tombstones=TombstoneSettings(threshold=1),
            )
            for regions in ((), lesser(PRELOADED, "B"))
        ),
        ProgramShape(sites=(TWO,), operations=1, kinds=PUTS, there=True, again=True),
        ProgramShape(sites=(TWO,), operations=1, kinds=PUTS, there=True, rejoins="B"),
    ),
    (Topic.TOMBSTONES, ExploreScope.MEDIUM): (
        ProgramShape(sites=(THREE,), operations=2, kinds=(DESTROY,), keys=KEYS, there=True, faults=(TICK,)),
    ),
    (Topic.PARTITIONED, ExploreScope.MEDIUM): (
        ProgramShape(sites=(THREE,), operations=3, kinds=PUTS, there=True, regions=partitioned(2)),
        ProgramShape(
            sites=(THREE,), operations=3, kinds=PUTS, there=True, regions=partitioned(2), faults=(CRASH,)
        ),
    ),
    (Topic.LESSER, ExploreScope.MEDIUM): (
        ProgramShape(sites=(THREE,), operations=2, kinds=PUTS, there=True, regions=lesser(NORMAL, "C")),
    ),
    (Topic.CLEARS, ExploreScope.MEDIUM): (
        ProgramShape(sites=(THREE,), operations=3, kinds=(PUT, CLEAR), there=True),
        ProgramShape(sites=(THREE,), operations=3, kinds=(PUT, CLEAR), there=True, faults=(CRASH,)),
    ),
}
"""The shapes of each topic and scope, the small ones first."""
