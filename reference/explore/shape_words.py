"""Names for what shapes of worlds are made of: sites, regions, clients, faults. Knows no shape."""

from __future__ import annotations

from plumbline.reference.explore.program_shape import REGION
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import (
    Client,
    HostPolicy,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
)
from plumbline.reference.history.operations import Scope as Ack

PUT, DESTROY = OperationKind.PUT, OperationKind.DESTROY
EVERYWHERE = (PUT, OperationKind.CREATE, OperationKind.INVALIDATE, DESTROY)
PUTS = (PUT, DESTROY)
CRASH = (FaultKind.CRASH,)
MOVE = (FaultKind.MOVE_PRIMARY,)
TICK = (FaultKind.TIME_LEAP,)
LOST = (FaultKind.REPLIES_LOST,)
CUT = (FaultKind.LINK_DOWN,)
BETWEEN_SITES = (*CRASH, FaultKind.LINK_DOWN, *LOST, FaultKind.RECEIVER_STOP)
TWO, THREE, FOUR = ("A", "B"), ("A", "B", "C"), ("A", "B", "C", "D")
APART, IN_THREES = (("A",), ("B",)), (("A",), ("B",), ("C",))
RING = ((1, 2), (2, 3), (3, 1))
CHAIN = ((1, 2), (2, 1), (2, 3), (3, 2))
LOWEST_BETWEEN = ((1, 2), (2, 1), (1, 3), (3, 1))
HIGHEST_BETWEEN = ((1, 3), (3, 1), (2, 3), (3, 2))

CLEAR = OperationKind.CLEAR
ROLLBACK = (OperationKind.TX_ROLLBACK,)
ENDINGS = (OperationKind.TX_COMMIT, OperationKind.TX_ROLLBACK)
OF_SITE = (
    OperationKind.LOCAL_DESTROY,
    OperationKind.INVALIDATE_REGION,
    OperationKind.EXPIRE_DESTROY,
    CLEAR,
)
"""What does not go to other sites."""
LESS = (PUT, DESTROY, OperationKind.LOCAL_DESTROY, OperationKind.LOCAL_INVALIDATE)


def partitioned(redundancy: int) -> tuple[RegionAttributes, ...]:
    """A partitioned region with so many redundant copies."""
    return (RegionAttributes(name=REGION, policy=RegionPolicy.PARTITION, redundancy=redundancy),)


def lesser(policy: RegionPolicy, *members: str, scope: Ack = Ack.ACK) -> tuple[RegionAttributes, ...]:
    """A replicated region of which some members keep less."""
    return (
        RegionAttributes(
            name=REGION, policies=tuple(HostPolicy(member, policy) for member in members), scope=scope
        ),
    )


NORMAL, EMPTY, PRELOADED, LOCAL = (
    RegionPolicy.NORMAL,
    RegionPolicy.EMPTY,
    RegionPolicy.PRELOADED,
    RegionPolicy.LOCAL,
)
TWO_REGIONS = (RegionAttributes(name=REGION), RegionAttributes(name="s"))
NOT_ACKNOWLEDGED = (RegionAttributes(name=REGION, scope=Ack.NO_ACK),)
KEYS = ("x", "y")
MINUTE = 60_000
PREFERS = "prefer 1 within 1000 ms"
CLIENT = (Client(name="c", servers=("A",)),)
MOVING = (Client(name="c", servers=TWO),)
SECURED = (Client(name="c", servers=THREE, redundancy=1),)
DURABLE = (Client(name="c", servers=TWO, redundancy=1, durable_id="c"),)
WRITERS = ("A", "C")
READY = (FaultKind.CLIENT_READY,)
AWAY = (FaultKind.CLIENT_DETACH, FaultKind.CLIENT_CRASH)
RECOVER = FaultKind.RECOVER


def listening(size: int, *, parallel: bool = False) -> tuple[QueueAttributes, ...]:
    """An asynchronous event queue whose listeners receive so many events at once."""
    return (QueueAttributes(id="q", site=1, parallel=parallel, batch_size=size),)
