"""Scopes: how large the worlds are that are looked at whole. Knows numbers only."""

from __future__ import annotations

from enum import StrEnum

from plumbline.reference.explore.program_shape import REGION, ProgramShape
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import (
    Client,
    HostPolicy,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    TombstoneSettings,
)
from plumbline.reference.history.operations import Scope as Ack
from plumbline.reference.history.resolvers import ALLOW, DISALLOW, REPLACE, THROW


class Topic(StrEnum):
    """What of the documents a world is about."""

    REPLICATED = "replicated"
    GATEWAYS = "gateways"
    THREE_SITES = "three-sites"
    TRANSACTIONS = "transactions"
    PARTITIONED = "partitioned"
    LESSER = "lesser"
    CLEARS = "clears"
    TOMBSTONES = "tombstones"
    RESOLVERS = "resolvers"
    QUEUES = "queues"
    CLIENTS = "clients"
    REGISTRATIONS = "registrations"
    COPIES = "copies"
    REPLAYS = "replays"
    RECRUITS = "recruits"
    LISTENERS = "listeners"
    BUCKETS = "buckets"
    RESTARTS = "restarts"


class ExploreScope(StrEnum):
    """How large worlds are."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"
    """Only drawn from at random: too large to exhaust. Not of every part."""


_PUT, _DESTROY = OperationKind.PUT, OperationKind.DESTROY
_EVERYWHERE = (_PUT, OperationKind.CREATE, OperationKind.INVALIDATE, _DESTROY)
_PUTS = (_PUT, _DESTROY)
_CRASH = (FaultKind.CRASH,)
_MOVE = (FaultKind.MOVE_PRIMARY,)
_TICK = (FaultKind.TIME_LEAP,)
_LOST = (FaultKind.REPLIES_LOST,)
_CUT = (FaultKind.LINK_DOWN,)
_BETWEEN_SITES = (*_CRASH, FaultKind.LINK_DOWN, *_LOST, FaultKind.RECEIVER_STOP)
_TWO, _THREE, _FOUR = ("A", "B"), ("A", "B", "C"), ("A", "B", "C", "D")
_APART, _IN_THREES = (("A",), ("B",)), (("A",), ("B",), ("C",))
_RING = ((1, 2), (2, 3), (3, 1))
_CHAIN = ((1, 2), (2, 1), (2, 3), (3, 2))
_LOWEST_BETWEEN = ((1, 2), (2, 1), (1, 3), (3, 1))
_HIGHEST_BETWEEN = ((1, 3), (3, 1), (2, 3), (3, 2))

_CLEAR = OperationKind.CLEAR
_ROLLBACK = (OperationKind.TX_ROLLBACK,)
_ENDINGS = (OperationKind.TX_COMMIT, OperationKind.TX_ROLLBACK)
_OF_SITE = (
    OperationKind.LOCAL_DESTROY,
    OperationKind.INVALIDATE_REGION,
    OperationKind.EXPIRE_DESTROY,
    _CLEAR,
)
"""What does not go to other sites."""
_LESS = (_PUT, _DESTROY, OperationKind.LOCAL_DESTROY, OperationKind.LOCAL_INVALIDATE)


def _partitioned(redundancy: int) -> tuple[RegionAttributes, ...]:
    """A partitioned region with so many redundant copies."""
    return (RegionAttributes(name=REGION, policy=RegionPolicy.PARTITION, redundancy=redundancy),)


def _lesser(policy: RegionPolicy, *members: str, scope: Ack = Ack.ACK) -> tuple[RegionAttributes, ...]:
    """A replicated region of which some members keep less."""
    return (
        RegionAttributes(
            name=REGION, policies=tuple(HostPolicy(member, policy) for member in members), scope=scope
        ),
    )


_NORMAL, _EMPTY, _PRELOADED, _LOCAL = (
    RegionPolicy.NORMAL,
    RegionPolicy.EMPTY,
    RegionPolicy.PRELOADED,
    RegionPolicy.LOCAL,
)
_TWO_REGIONS = (RegionAttributes(name=REGION), RegionAttributes(name="s"))
_NOT_ACKNOWLEDGED = (RegionAttributes(name=REGION, scope=Ack.NO_ACK),)
_KEYS = ("x", "y")
_MINUTE = 60_000
_PREFERS = "prefer 1 within 1000 ms"
_CLIENT = (Client(name="c", servers=("A",)),)
_MOVING = (Client(name="c", servers=_TWO),)
_SECURED = (Client(name="c", servers=_THREE, redundancy=1),)
_DURABLE = (Client(name="c", servers=_TWO, redundancy=1, durable_id="c"),)
_WRITERS = ("A", "C")
_READY = (FaultKind.CLIENT_READY,)
_AWAY = (FaultKind.CLIENT_DETACH, FaultKind.CLIENT_CRASH)
_RECOVER = FaultKind.RECOVER


def _listening(size: int, *, parallel: bool = False) -> tuple[QueueAttributes, ...]:
    """An asynchronous event queue whose listeners receive so many events at once."""
    return (QueueAttributes(id="q", site=1, parallel=parallel, batch_size=size),)


SHAPES: dict[tuple[Topic, ExploreScope], tuple[ProgramShape, ...]] = {
    (Topic.REPLICATED, ExploreScope.SMALL): (
        ProgramShape(sites=(_TWO,), operations=2, kinds=_EVERYWHERE),
        ProgramShape(sites=(_TWO,), operations=2, kinds=_EVERYWHERE, there=True),
        ProgramShape(sites=(_TWO,), operations=2, kinds=_EVERYWHERE, there=True, faults=(_CRASH,)),
        ProgramShape(sites=(_THREE,), operations=2, kinds=_EVERYWHERE, there=True),
        ProgramShape(sites=(_TWO,), operations=2, kinds=_PUTS, there=True, faults=(_TICK,)),
    ),
    (Topic.REPLICATED, ExploreScope.MEDIUM): (
        ProgramShape(sites=(_THREE,), operations=3, kinds=_EVERYWHERE, there=True),
        ProgramShape(sites=(_THREE,), operations=3, kinds=_PUTS, there=True, faults=(_CRASH,)),
        ProgramShape(sites=(_THREE,), operations=4, kinds=_PUTS),
        ProgramShape(sites=(_TWO,), operations=4, kinds=_PUTS, there=True, faults=(_TICK,)),
        ProgramShape(sites=(_THREE,), operations=3, kinds=_PUTS, there=True, faults=(_TICK,)),
    ),
    (Topic.GATEWAYS, ExploreScope.SMALL): (
        ProgramShape(sites=(("A",), ("B",)), operations=2, kinds=_PUTS),
        ProgramShape(sites=(("A",), ("B",)), operations=2, kinds=_PUTS, ties=True),
        ProgramShape(sites=(_TWO, ("C",)), operations=2, kinds=(_PUT,)),
        ProgramShape(sites=_APART, operations=2, kinds=_PUTS, behind=True),
        ProgramShape(sites=_APART, operations=2, kinds=_PUTS, skewed=True),
        ProgramShape(sites=_APART, operations=2, kinds=(*_EVERYWHERE, OperationKind.GET), there=True),
        ProgramShape(sites=(_TWO, ("C",)), operations=1, kinds=(_PUT,), faults=(_BETWEEN_SITES,)),
        ProgramShape(sites=(_TWO, ("C",)), operations=1, kinds=(_PUT,), faults=(_CRASH, _LOST)),
    ),
    (Topic.GATEWAYS, ExploreScope.MEDIUM): (
        ProgramShape(sites=(_TWO, ("C",)), operations=2, kinds=_PUTS, there=True),
        ProgramShape(sites=(_TWO, ("C",)), operations=3, kinds=(_PUT,)),
        ProgramShape(sites=(_TWO, ("C",)), operations=2, kinds=_PUTS, ties=True),
        ProgramShape(sites=(("A",), ("B",)), operations=4, kinds=(_PUT,)),
        ProgramShape(sites=_APART, operations=3, kinds=(_PUT,), ties=True),
        ProgramShape(sites=(_TWO, ("C",)), operations=2, kinds=(_PUT,), faults=(_BETWEEN_SITES,)),
        ProgramShape(sites=(_TWO, ("C",)), operations=3, kinds=(_PUT,), faults=(_CRASH, _LOST)),
        ProgramShape(sites=(_TWO, ("C",)), operations=4, kinds=(_PUT,)),
        ProgramShape(sites=(_TWO, ("C",)), operations=3, kinds=(_PUT,), skewed=True),
        ProgramShape(sites=(_TWO, ("C",)), operations=3, kinds=(_PUT,), ties=True),
    ),
    (Topic.THREE_SITES, ExploreScope.SMALL): (
        ProgramShape(sites=_IN_THREES, operations=2, kinds=_PUTS),
        ProgramShape(sites=_IN_THREES, operations=2, kinds=(_PUT,), ties=True),
        ProgramShape(sites=_IN_THREES, operations=2, kinds=(_PUT,), ties=True, links=_RING),
        ProgramShape(sites=_IN_THREES, operations=2, kinds=(_PUT,), ties=True, links=_CHAIN),
        ProgramShape(sites=_IN_THREES, operations=2, kinds=(_PUT,), ties=True, links=_LOWEST_BETWEEN),
        ProgramShape(sites=_IN_THREES, operations=2, kinds=_PUTS, skewed=True, links=_RING),
    ),
    (Topic.THREE_SITES, ExploreScope.MEDIUM): (
        ProgramShape(sites=_IN_THREES, operations=2, kinds=_PUTS, there=True, skewed=True),
        ProgramShape(sites=_IN_THREES, operations=3, kinds=(_PUT,)),
        ProgramShape(sites=_IN_THREES, operations=3, kinds=(_PUT,), ties=True),
        ProgramShape(sites=_IN_THREES, operations=3, kinds=(_PUT,), skewed=True),
        ProgramShape(sites=_IN_THREES, operations=2, kinds=(_PUT,), faults=(_CUT,)),
        ProgramShape(sites=_IN_THREES, operations=2, kinds=_PUTS, there=True, skewed=True, links=_RING),
        ProgramShape(sites=_IN_THREES, operations=3, kinds=(_PUT,), ties=True, links=_RING),
        ProgramShape(sites=_IN_THREES, operations=3, kinds=(_PUT,), skewed=True, links=_RING),
        ProgramShape(sites=_IN_THREES, operations=3, kinds=(_PUT,), ties=True, links=_CHAIN),
        ProgramShape(sites=_IN_THREES, operations=3, kinds=(_PUT,), ties=True, links=_LOWEST_BETWEEN),
        ProgramShape(sites=_IN_THREES, operations=3, kinds=(_PUT,), ties=True, links=_HIGHEST_BETWEEN),
        ProgramShape(sites=_IN_THREES, operations=3, kinds=(_PUT,), skewed=True, links=_CHAIN),
    ),
    (Topic.REPLICATED, ExploreScope.LARGE): (
        ProgramShape(sites=(_THREE,), operations=5, kinds=_PUTS),
        ProgramShape(sites=(_THREE,), operations=4, kinds=_EVERYWHERE, there=True, faults=(_CRASH,)),
        ProgramShape(sites=(_THREE,), operations=4, kinds=_PUTS, there=True, faults=(_TICK, _CRASH)),
        ProgramShape(sites=(_FOUR,), operations=4, kinds=_PUTS, there=True),
    ),
    (Topic.GATEWAYS, ExploreScope.LARGE): (
        ProgramShape(sites=(_TWO, ("C", "D")), operations=3, kinds=_PUTS),
        ProgramShape(
            sites=(_TWO, ("C", "D")), operations=3, kinds=(_PUT,), faults=(_BETWEEN_SITES, _BETWEEN_SITES)
        ),
        ProgramShape(sites=_APART, operations=5, kinds=_PUTS, skewed=True),
    ),
    (Topic.THREE_SITES, ExploreScope.LARGE): (
        ProgramShape(sites=(_TWO, ("C",), ("D",)), operations=3, kinds=(_PUT,), skewed=True),
        ProgramShape(sites=_IN_THREES, operations=4, kinds=_PUTS, ties=True),
        ProgramShape(sites=_IN_THREES, operations=3, kinds=(_PUT,), faults=(_BETWEEN_SITES,)),
    ),
    (Topic.TRANSACTIONS, ExploreScope.SMALL): (
        ProgramShape(sites=(_TWO,), operations=1, kinds=_PUTS, committed=_PUTS),
        ProgramShape(sites=(_TWO,), operations=1, kinds=_PUTS, there=True, committed=_PUTS),
        ProgramShape(sites=(_TWO,), operations=1, kinds=_PUTS, there=True, faults=(_CRASH,), committed=_PUTS),
        ProgramShape(sites=(_THREE,), operations=1, kinds=_PUTS, there=True, committed=_PUTS),
        ProgramShape(sites=(_TWO,), operations=1, kinds=(_PUT,), there=True, committed=_PUTS, transacted=2),
        ProgramShape(
            sites=(_TWO,), operations=1, kinds=_PUTS, there=True, committed=_PUTS, endings=_ROLLBACK
        ),
    ),
    (Topic.TRANSACTIONS, ExploreScope.MEDIUM): (
        ProgramShape(sites=(_THREE,), operations=2, kinds=_PUTS, there=True, committed=_PUTS),
        ProgramShape(sites=(_TWO,), operations=3, kinds=_PUTS, committed=_PUTS),
        ProgramShape(
            sites=(_THREE,), operations=1, kinds=_PUTS, there=True, faults=(_CRASH,), committed=_PUTS
        ),
    ),
    (Topic.PARTITIONED, ExploreScope.SMALL): (
        ProgramShape(sites=(_TWO,), operations=2, kinds=_EVERYWHERE, there=True, regions=_partitioned(1)),
        ProgramShape(
            sites=(_TWO,), operations=2, kinds=_PUTS, there=True, regions=_partitioned(1), faults=(_CRASH,)
        ),
        ProgramShape(sites=(_THREE,), operations=2, kinds=_PUTS, there=True, regions=_partitioned(1)),
        ProgramShape(sites=(_THREE,), operations=2, kinds=_PUTS, regions=_partitioned(2)),
        ProgramShape(
            sites=(_TWO,), operations=2, kinds=(_PUT,), there=True, regions=_partitioned(1), faults=(_MOVE,)
        ),
        ProgramShape(
            sites=(_TWO,),
            operations=1,
            kinds=_PUTS,
            there=True,
            regions=_partitioned(0),
            faults=(_MOVE, _CRASH),
        ),
        ProgramShape(
            sites=(_THREE,), operations=1, kinds=_PUTS, there=True, regions=_partitioned(2), faults=(_CRASH,)
        ),
    ),
    (Topic.LESSER, ExploreScope.SMALL): (
        ProgramShape(sites=(_TWO,), operations=2, kinds=_EVERYWHERE, regions=_lesser(_NORMAL, "B")),
        ProgramShape(sites=(_TWO,), operations=2, kinds=_PUTS, there=True, regions=_lesser(_EMPTY, "B")),
        ProgramShape(sites=(_TWO,), operations=2, kinds=_PUTS, there=True, regions=_lesser(_PRELOADED, "B")),
        ProgramShape(sites=(_TWO,), operations=1, kinds=_PUTS, there=True, regions=_lesser(_LOCAL, "B")),
        ProgramShape(
            sites=(_TWO,),
            operations=1,
            kinds=_PUTS,
            there=True,
            regions=_lesser(_NORMAL, "B"),
            faults=(_CRASH,),
        ),
        ProgramShape(
            sites=(_THREE,),
            operations=1,
            kinds=(_PUT,),
            there=True,
            regions=_lesser(_NORMAL, "C"),
            faults=(_CRASH,),
        ),
        ProgramShape(
            sites=(_TWO,), operations=2, kinds=(_PUT, _CLEAR), there=True, regions=_lesser(_NORMAL, "B")
        ),
        ProgramShape(sites=(_TWO,), operations=2, kinds=_PUTS, regions=_NOT_ACKNOWLEDGED),
        ProgramShape(
            sites=(_TWO,),
            operations=1,
            kinds=(_PUT,),
            there=True,
            regions=_lesser(_EMPTY, "B"),
            committed=_LESS,
            endings=_ENDINGS,
        ),
        ProgramShape(
            sites=(_TWO,),
            operations=0,
            kinds=(_PUT,),
            there=True,
            regions=_lesser(_EMPTY, "B"),
            committed=_PUTS,
        ),
    ),
    (Topic.CLEARS, ExploreScope.SMALL): (
        ProgramShape(sites=(_TWO,), operations=2, kinds=(_PUT, _DESTROY, _CLEAR), there=True),
        ProgramShape(sites=(_TWO,), operations=2, kinds=(_PUT, _CLEAR), there=True, faults=(_CRASH,)),
        ProgramShape(sites=(_THREE,), operations=2, kinds=(_PUT, _CLEAR), there=True),
    ),
    (Topic.TOMBSTONES, ExploreScope.SMALL): (
        ProgramShape(sites=(_TWO,), operations=2, kinds=(_DESTROY,), keys=_KEYS, there=True, faults=(_TICK,)),
        ProgramShape(
            sites=(_TWO,),
            operations=2,
            kinds=(_DESTROY,),
            regions=_TWO_REGIONS,
            there=True,
            faults=(_TICK,),
            after=(1,),
        ),
        ProgramShape(
            sites=(_TWO,),
            operations=1,
            kinds=(_DESTROY,),
            there=True,
            faults=(_TICK,),
            tombstones=TombstoneSettings(timeout_ms=_MINUTE // 2, threshold=1, thresholds=(("B", 9),)),
        ),
        ProgramShape(
            sites=(_TWO,),
            operations=1,
            kinds=(_DESTROY,),
            there=True,
            faults=(_TICK, _TICK),
            tombstones=TombstoneSettings(timeout_ms=3 * _MINUTE // 2, threshold=1),
        ),
        ProgramShape(
            sites=(_TWO,),
            operations=2,
            kinds=(_DESTROY,),
            regions=_TWO_REGIONS,
            there=True,
            faults=(_TICK,),
            after=(2,),
            tombstones=TombstoneSettings(timeout_ms=_MINUTE // 2, threshold=2),
        ),
        *(
            ProgramShape(
                sites=(_TWO,),
                operations=1,
                kinds=(_DESTROY,),
                there=True,
                faults=(_TICK,),
                after=(1,),
                tick_ms=9 * _MINUTE,
                regions=regions,
                tombstones=TombstoneSettings(threshold=1),
            )
            for regions in ((), _lesser(_PRELOADED, "B"))
        ),
        ProgramShape(sites=(_TWO,), operations=1, kinds=_PUTS, there=True, again=True),
        ProgramShape(sites=(_TWO,), operations=1, kinds=_PUTS, there=True, rejoins="B"),
    ),
    (Topic.TOMBSTONES, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(_THREE,), operations=2, kinds=(_DESTROY,), keys=_KEYS, there=True, faults=(_TICK,)
        ),
    ),
    (Topic.RESOLVERS, ExploreScope.SMALL): (
        *(
            ProgramShape(sites=_APART, operations=2, kinds=_PUTS, resolver=answer)
            for answer in (ALLOW, DISALLOW, REPLACE, THROW)
        ),
        *(
            ProgramShape(sites=(_TWO, ("C",)), operations=2, kinds=(_PUT,), resolver=answer)
            for answer in (ALLOW, REPLACE)
        ),
        ProgramShape(sites=_APART, operations=2, kinds=_PUTS, ties=True, resolver=_PREFERS),
    ),
    (Topic.QUEUES, ExploreScope.SMALL): (
        ProgramShape(sites=_APART, operations=2, kinds=_OF_SITE, there=True),
        ProgramShape(sites=_APART, operations=2, kinds=(_PUT,), regions=_TWO_REGIONS),
        ProgramShape(sites=_APART, operations=2, kinds=_PUTS, behind=True, apart_ms=20_000),
        ProgramShape(
            sites=_APART,
            operations=2,
            kinds=(_PUT,),
            batches=((2, _MINUTE // 2), (1, _MINUTE // 2)),
            faults=(_TICK,),
        ),
        ProgramShape(
            sites=_APART,
            operations=2,
            kinds=(_PUT,),
            batches=((2, 2 * _MINUTE), (3, 2 * _MINUTE)),
            faults=(_TICK,),
        ),
        ProgramShape(sites=_APART, operations=2, kinds=(_PUT,), batches=((2, 10),)),
        ProgramShape(
            sites=_APART, operations=2, kinds=(_PUT,), faults=((*_CUT, *_LOST),), links=((1, 2), (2, 1))
        ),
        ProgramShape(
            sites=_APART,
            operations=1,
            kinds=(_PUT,),
            callers=("A",),
            faults=(_CUT, _CUT, _CUT),
            links=((1, 2),),
        ),
        *(
            ProgramShape(
                sites=(_TWO, ("C",)),
                operations=2,
                kinds=(_PUT,),
                callers=_TWO,
                faults=(_CRASH,),
                doomed=(dies,),
                links=((1, 2),),
            )
            for dies in ("A", "C")
        ),
        ProgramShape(
            sites=(_TWO, ("C",)),
            operations=1,
            kinds=(_PUT,),
            faults=(_TICK, _CRASH),
            doomed=("A",),
            after=(0, 1),
            tick_ms=120 * _MINUTE,
        ),
    ),
    (Topic.CLIENTS, ExploreScope.SMALL): (
        ProgramShape(sites=(_TWO,), operations=1, kinds=_EVERYWHERE, there=True, clients=_CLIENT),
        ProgramShape(sites=(_TWO,), operations=2, kinds=_PUTS, there=True, clients=_CLIENT),
    ),
    (Topic.REGISTRATIONS, ExploreScope.SMALL): (
        ProgramShape(
            sites=(_TWO,), operations=1, kinds=_EVERYWHERE, there=True, clients=_CLIENT, registers=True
        ),
        ProgramShape(sites=(_TWO,), operations=2, kinds=_PUTS, clients=_CLIENT, registers=True),
        ProgramShape(
            sites=(_TWO,),
            operations=1,
            kinds=_PUTS,
            there=True,
            clients=_MOVING,
            registers=True,
            faults=(_CRASH,),
        ),
    ),
    (Topic.REGISTRATIONS, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(_TWO,), operations=2, kinds=_EVERYWHERE, there=True, clients=_CLIENT, registers=True
        ),
        ProgramShape(
            sites=(_TWO,),
            operations=2,
            kinds=_PUTS,
            there=True,
            clients=_MOVING,
            registers=True,
            faults=(_CRASH,),
        ),
    ),
    (Topic.COPIES, ExploreScope.SMALL): (
        ProgramShape(
            sites=(_THREE,), operations=1, kinds=_EVERYWHERE, callers=_WRITERS, there=True, takes="B"
        ),
        ProgramShape(sites=(_THREE,), operations=2, kinds=_PUTS, callers=_WRITERS, there=True, takes="B"),
        ProgramShape(
            sites=(_THREE,),
            operations=1,
            kinds=_PUTS,
            callers=_WRITERS,
            there=True,
            takes="B",
            faults=(_CRASH,),
            doomed=_WRITERS,
        ),
    ),
    (Topic.COPIES, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(_THREE,), operations=2, kinds=_EVERYWHERE, callers=_WRITERS, there=True, takes="B"
        ),
        ProgramShape(
            sites=(_THREE,),
            operations=2,
            kinds=_PUTS,
            callers=_WRITERS,
            there=True,
            takes="B",
            faults=(_CRASH,),
            doomed=_WRITERS,
        ),
    ),
    (Topic.REPLAYS, ExploreScope.SMALL): (
        ProgramShape(
            sites=(_TWO,),
            operations=1,
            kinds=_PUTS,
            callers=_TWO,
            there=True,
            clients=_DURABLE,
            faults=(_READY,),
        ),
        ProgramShape(
            sites=(_TWO,),
            operations=1,
            kinds=(_PUT,),
            callers=_TWO,
            clients=_DURABLE,
            faults=(_READY, _CRASH),
        ),
        ProgramShape(
            sites=(_TWO,), operations=1, kinds=(_PUT,), callers=_TWO, clients=_DURABLE, faults=(_AWAY,)
        ),
    ),
    (Topic.REPLAYS, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(_TWO,), operations=2, kinds=_PUTS, callers=_TWO, clients=_DURABLE, faults=(_READY, _CRASH)
        ),
        ProgramShape(
            sites=(_TWO,), operations=1, kinds=(_PUT,), callers=_TWO, clients=_DURABLE, faults=(_AWAY, _CRASH)
        ),
    ),
    (Topic.RECRUITS, ExploreScope.SMALL): (
        ProgramShape(
            sites=(_THREE,), operations=1, kinds=(_PUT,), callers=_TWO, clients=_SECURED, faults=(_CRASH,)
        ),
        ProgramShape(
            sites=(_THREE,),
            operations=1,
            kinds=(_PUT,),
            callers=("C",),
            clients=_SECURED,
            faults=(_CRASH, _CRASH),
            doomed=_TWO,
        ),
    ),
    (Topic.RECRUITS, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(_THREE,), operations=2, kinds=_PUTS, callers=_THREE, clients=_SECURED, faults=(_CRASH,)
        ),
    ),
    (Topic.LISTENERS, ExploreScope.SMALL): (
        *(
            ProgramShape(
                sites=(_TWO,), operations=2, kinds=(_PUT,), keys=_KEYS, listens=_listening(2), answers=answers
            )
            for answers in (("false",), ("throw", "false"), ("part",))
        ),
        ProgramShape(
            sites=(_TWO,),
            operations=1,
            kinds=_PUTS,
            there=True,
            listens=_listening(2),
            answers=("false",),
            faults=(_CRASH,),
        ),
    ),
    (Topic.LISTENERS, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(_TWO,),
            operations=3,
            kinds=_PUTS,
            keys=_KEYS,
            listens=_listening(2),
            answers=("false", "throw"),
        ),
        ProgramShape(
            sites=(_TWO,),
            operations=2,
            kinds=(_PUT,),
            keys=_KEYS,
            listens=_listening(2),
            answers=("part",),
            faults=(_CRASH,),
        ),
    ),
    (Topic.BUCKETS, ExploreScope.SMALL): (
        ProgramShape(
            sites=(_TWO,),
            operations=2,
            kinds=(_PUT,),
            regions=_partitioned(1),
            listens=_listening(2, parallel=True),
            answers=("false",),
        ),
        ProgramShape(
            sites=(_TWO,),
            operations=1,
            kinds=_PUTS,
            there=True,
            regions=_partitioned(1),
            listens=_listening(1, parallel=True),
            answers=("false",),
            faults=(_CRASH,),
        ),
        ProgramShape(
            sites=(_TWO,),
            operations=2,
            kinds=(_PUT,),
            regions=_partitioned(1),
            listens=_listening(1, parallel=True),
            faults=(_MOVE,),
        ),
        ProgramShape(
            sites=(_TWO,),
            operations=1,
            kinds=(_PUT,),
            regions=_partitioned(1),
            listens=_listening(1, parallel=True),
            faults=(_MOVE, _CRASH),
        ),
    ),
    (Topic.BUCKETS, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(_TWO,),
            operations=2,
            kinds=(_PUT,),
            keys=_KEYS,
            regions=_partitioned(1),
            listens=_listening(2, parallel=True),
            faults=(_CRASH,),
        ),
    ),
    (Topic.RESTARTS, ExploreScope.SMALL): (
        ProgramShape(
            sites=_APART,
            operations=2,
            kinds=(_PUT,),
            keys=_KEYS,
            callers=("A",),
            faults=(_CRASH,),
            doomed=("A",),
            links=((1, 2),),
            recovers=_RECOVER,
        ),
        ProgramShape(
            sites=(_TWO, ("C",)),
            operations=1,
            kinds=(_PUT,),
            callers=_TWO,
            faults=(_CRASH,),
            links=((1, 2),),
            recovers=_RECOVER,
        ),
    ),
    (Topic.RESTARTS, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(_TWO, ("C",)),
            operations=1,
            kinds=(_PUT,),
            callers=_TWO,
            faults=(_CRASH, _CRASH),
            doomed=_TWO,
            links=((1, 2),),
            recovers=_RECOVER,
        ),
    ),
    (Topic.QUEUES, ExploreScope.MEDIUM): (
        ProgramShape(
            sites=(_THREE, ("D",)),
            operations=1,
            kinds=(_PUT,),
            faults=(_CRASH, _CRASH),
            doomed=_TWO,
        ),
    ),
    (Topic.PARTITIONED, ExploreScope.MEDIUM): (
        ProgramShape(sites=(_THREE,), operations=3, kinds=_PUTS, there=True, regions=_partitioned(2)),
        ProgramShape(
            sites=(_THREE,), operations=3, kinds=_PUTS, there=True, regions=_partitioned(2), faults=(_CRASH,)
        ),
    ),
    (Topic.LESSER, ExploreScope.MEDIUM): (
        ProgramShape(sites=(_THREE,), operations=2, kinds=_PUTS, there=True, regions=_lesser(_NORMAL, "C")),
    ),
    (Topic.CLEARS, ExploreScope.MEDIUM): (
        ProgramShape(sites=(_THREE,), operations=3, kinds=(_PUT, _CLEAR), there=True),
        ProgramShape(sites=(_THREE,), operations=3, kinds=(_PUT, _CLEAR), there=True, faults=(_CRASH,)),
    ),
    (Topic.RESOLVERS, ExploreScope.MEDIUM): (
        ProgramShape(sites=_APART, operations=3, kinds=(_PUT,), behind=True, apart_ms=700, resolver=_PREFERS),
    ),
    (Topic.CLIENTS, ExploreScope.MEDIUM): (
        ProgramShape(sites=(_TWO,), operations=3, kinds=(_PUT,), there=True, clients=_CLIENT),
    ),
}
"""The shapes of each part and scope, the small ones first."""


def shapes_of(part: Topic, scope: ExploreScope) -> tuple[ProgramShape, ...]:
    """The worlds of a part and scope; none where a part has none that large."""
    return SHAPES.get((part, scope), ())
