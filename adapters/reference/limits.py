"""Limits: what the reference refuses, since the model has no such thing so far.

A candidate need not be able to do everything, and the reference is one. Knows the model's setting and where
a run stands; changes neither.
"""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.adapters.errors import UnsupportedError
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.bulk import BULK, singly
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import (
    CONDITIONAL,
    EXPIRES,
    LOCAL,
    LOCAL_ACTIONS,
    OF_TRANSACTIONS,
    READS,
    Client,
    Interest,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Topology,
)
from plumbline.reference.model.clients.attempts import counted
from plumbline.reference.model.region_operations import WHOLE
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.unmodelled import of_region
from plumbline.reference.model.unmodelled_clients import of_client, of_interest
from plumbline.reference.model.unmodelled_queues import of_queue
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.effects import SUPPORTED

_OF_CLIENTS = (OperationKind.LOCAL_DESTROY_REGION, OperationKind.LOCAL_INVALIDATE_REGION)

CAPABILITIES = (
    Capability.REPLICATED_REGIONS,
    Capability.REGION_POLICIES,
    Capability.PARTITIONED_REGIONS,
    Capability.BUCKET_MOVES,
    Capability.CHECKS_SETTING,
    Capability.LOCAL_OPERATIONS,
    Capability.BULK_OPERATIONS,
    Capability.CONDITIONAL_OPERATIONS,
    Capability.LOCAL_EXPIRATION,
    Capability.EVICTION,
    Capability.REGION_VIEWS,
    Capability.QUERIES,
    Capability.CLEAR,
    Capability.TRANSACTIONS,
    Capability.DISK,
    Capability.LISTENER_GATES,
    Capability.MESSAGE_CONTROL,
    Capability.TOMBSTONES,
    Capability.STATISTICS,
    Capability.CONFIGURATION,
    Capability.CALLBACK_SCRIPTS,
    Capability.CLIENTS,
    Capability.DURABLE_CLIENTS,
    Capability.CONCURRENT_LIVES,
    Capability.SUBSCRIPTION_CONFLATION,
    Capability.HELD_REGISTRATIONS,
    Capability.HELD_GETS,
    Capability.HELD_JOINS,
    Capability.CONCURRENT_RESTARTS,
    Capability.GATEWAYS,
    Capability.ASYNC_QUEUES,
    Capability.PARALLEL_QUEUES,
    Capability.PARALLEL_SENDERS,
    Capability.QUEUE_CONFLATION,
    Capability.EVENT_FILTERS,
    Capability.DUPLICATE_MARKS,
    Capability.EVENT_ARGUMENTS,
    Capability.EVENT_SUBSTITUTION,
    Capability.TRANSACTION_GROUPS,
    Capability.QUEUE_INSPECTION,
    Capability.MEMBER_FAULTS,
    Capability.LINK_FAULTS,
    Capability.HELD_CLOCKS,
    Capability.SITE_CLOCKS,
    Capability.VIRTUAL_TIME,
    Capability.RETRY_TIME,
    Capability.FAILURE_COUNTS,
    Capability.LOG_LINES,
    Capability.OVERFLOW_COUNTS,
)
"""What it offers."""


def require_region(
    region: RegionAttributes, topology: Topology, queues: Iterable[QueueAttributes] = ()
) -> None:
    """Raise UnsupportedError for a region that is not modelled with these members, sites and queues."""
    _require("reset", of_region(region, topology, tuple(queues)))


def require_operation(operation: Operation, setting: Setting, world: World) -> None:
    """Raise UnsupportedError for an operation that cannot be called here and now."""
    if operation.kind in BULK:
        _require_bulk(operation, setting, world)
        return
    whole = operation.kind in WHOLE
    if operation.kind in OF_TRANSACTIONS or operation.thread in _threads(setting, world):
        _require_transaction(operation, setting, world)
    if operation.kind in OF_TRANSACTIONS:
        return
    if operation.kind not in SUPPORTED and not whole:
        raise UnsupportedError(f"begin: the reference does not model {operation.kind} so far")
    if operation.kind in CONDITIONAL:
        _require_alike(operation, setting, world)
    _require_call_of_client(operation, setting, world)
    if whole and world.calls and operation.region not in setting.clears:
        raise UnsupportedError(f"begin: {operation.kind} is called while nothing is under way, so far")
    of_member = operation.member not in setting.clients
    if operation.kind in _OF_CLIENTS and of_member:
        raise UnsupportedError("begin: members do not destroy or invalidate regions alone so far")
    if operation.kind in EXPIRES and setting.clients:
        raise UnsupportedError("begin: entries do not expire where there are clients so far")
    if operation.kind in LOCAL_ACTIONS and not of_member:
        raise UnsupportedError("begin: regions of clients expire and evict nothing so far")
    if operation.region in setting.partitioned and not setting.has_buckets(
        operation.member, operation.region
    ):
        if operation.kind not in READS and of_member:
            raise UnsupportedError("begin: no site writes to a region that another one partitions, so far")
        return
    refused = operation.kind is OperationKind.CLEAR and of_member
    if (
        operation.region in setting.partitioned
        and not refused
        and ((not of_member and operation.kind is not OperationKind.PUT) or whole or operation.kind in LOCAL)
    ):
        raise UnsupportedError(
            "begin: only members call on partitioned regions so far, and only on single keys; clients put"
        )


def require_view(member: str, region: str, setting: Setting) -> None:
    """Raise UnsupportedError for the size and the sets of a region that not each member replicates."""
    lesser = any(name == region for _, name in setting.lesser)
    if lesser or region in setting.partitioned or member in setting.clients:
        raise UnsupportedError("views and queries: the reference shows those of replicates so far")


def _require_alike(operation: Operation, setting: Setting, world: World) -> None:
    """Members call operations that expect a value, all of one policy, and outside of transactions."""
    lesser = any(region == operation.region for _, region in setting.lesser)
    if operation.member in setting.clients or lesser or operation.thread in _threads(setting, world):
        raise UnsupportedError(
            f"begin: {operation.kind} is called by members so far, where none keeps less than a replicate"
        )


def _require_bulk(operation: Operation, setting: Setting, world: World) -> None:
    """Operations on many keys are called outside of transactions, where no writer refuses, as on each key."""
    site = setting.site_of.get(operation.member)
    near = any(
        keys and setting.site_of.get(holder, site) == site
        for (holder, _), keys in world.served.refusals.items()
    )
    if operation.thread in _threads(setting, world) or near:
        raise UnsupportedError(
            f"begin: no {operation.kind} in a transaction or beside a writer that refuses, so far"
        )
    for entry in singly(operation):
        require_operation(entry, setting, world)


def _threads(setting: Setting, world: World) -> set[str]:
    """The threads that have begun a transaction."""
    return {setting.operations[begin].thread for begin in world.transactions}


def _require_transaction(operation: Operation, setting: Setting, world: World) -> None:
    """Transactions are of members of one site, on regions that they keep whole or less of, one at a time."""
    if setting.clients or setting.partitioned:
        raise UnsupportedError("begin: no transactions beside clients and partitioned regions so far")
    begins = operation.kind is OperationKind.TX_BEGIN
    if begins is (operation.thread in _threads(setting, world)):
        raise UnsupportedError(f"begin: {operation.kind}, where the thread has begun a transaction or not")
    if operation.kind in WHOLE or operation.kind in (OperationKind.LOCAL_CLEAR, *EXPIRES, *LOCAL_ACTIONS):
        raise UnsupportedError(f"begin: no {operation.kind} in a transaction so far")
    if operation.kind in LOCAL and (operation.member, operation.region) not in setting.lesser:
        raise UnsupportedError(f"begin: no {operation.kind} in a transaction on a replicate so far")


def _require_call_of_client(operation: Operation, setting: Setting, world: World) -> None:
    """Clients of several servers call puts once answers were lost, and what concerns no server, so far."""
    if operation.member not in setting.clients or operation.kind is OperationKind.LOCAL_INVALIDATE:
        return
    tracked = len(setting.clients[operation.member].servers) > 1
    if tracked and (not counted(world) or world.wan.dead):
        raise UnsupportedError("begin: clients of several servers only listen so far")
    if (tracked or world.served.lost) and operation.kind is not OperationKind.PUT:
        raise UnsupportedError(f"begin: no {operation.kind} is called while answers are lost, so far")


def require_client(client: Client, setting: Setting) -> None:
    """Raise UnsupportedError for a client that cannot be started here and now."""
    if setting.operations:
        raise UnsupportedError("start_client: clients are there from the beginning so far")
    _require("start_client", of_client(client))
    if setting.partitioned and len(client.servers) > 1:
        raise UnsupportedError("start_client: clients of partitioned regions have one server so far")


def require_life(client: str, setting: Setting, kind: FaultKind) -> None:
    """Raise UnsupportedError for what the model does not follow: a client without a durable id that goes."""
    if client not in setting.durable and (
        kind is not FaultKind.CLIENT_READY or client not in setting.clients
    ):
        raise UnsupportedError("client_action: only durable clients go and come back so far")


def require_interest(interest: Interest) -> None:
    """Raise UnsupportedError for a registration that is not modelled."""
    _require("interest", of_interest(interest))


def require_queue(queue: QueueAttributes) -> None:
    """Raise UnsupportedError for a queue that is not modelled."""
    _require("create_queue", of_queue(queue))


def _require(method: str, beyond: Iterable[str]) -> None:
    if words := ", ".join(beyond):
        raise UnsupportedError(f"{method}: the reference has no {words} so far")
