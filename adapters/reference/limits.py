"""Limits: what the reference refuses, since the model has no such thing so far.

A candidate need not be able to do everything, and the reference is one. Knows the model's setting and where
a run stands; changes neither.
"""

from __future__ import annotations

from plumbline.adapters.errors import UnsupportedError
from plumbline.reference.model.clients.attempts import counted
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.wholes import WHOLE
from plumbline.reference.model.world import World
from plumbline.reference.operations import (
    EXPIRES,
    LOCAL,
    OF_TRANSACTIONS,
    Client,
    Interest,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Topology,
)
from plumbline.reference.rulebook.operations import SUPPORTED

POLICIES = frozenset(
    (RegionPolicy.REPLICATE, RegionPolicy.NORMAL, RegionPolicy.PRELOADED, RegionPolicy.EMPTY)
)

_INTERESTS = ("all", "key", "list", "regex")


def require_region(region: RegionAttributes, topology: Topology) -> None:
    """Raise UnsupportedError for a region that is not modelled with these members and sites."""
    if region.policy is RegionPolicy.PARTITION:
        _require_buckets(region, topology)
        return
    kept = {region.policy_of(member) for member in topology.members}
    if not kept <= POLICIES:
        words = ", ".join(sorted(kept - POLICIES))
        raise UnsupportedError(f"reset: the reference has no {words} regions so far")
    if kept != {RegionPolicy.REPLICATE} and (region.senders or len(topology.sites) > 1):
        raise UnsupportedError("reset: between sites there are only replicates so far")


def _require_buckets(region: RegionAttributes, topology: Topology) -> None:
    """Raise UnsupportedError for a partitioned region that is not modelled."""
    if region.checks is False or region.scope is not Scope.ACK or region.senders or region.queues:
        raise UnsupportedError("reset: partitioned regions check and wait, and feed no queues so far")
    if len(topology.sites) > 1:
        raise UnsupportedError("reset: partitioned regions are of one site so far")


def require_operation(operation: Operation, setting: Setting, world: World) -> None:
    """Raise UnsupportedError for an operation that cannot be called here and now."""
    whole = operation.kind in WHOLE
    if operation.kind in OF_TRANSACTIONS or operation.thread in _threads(setting, world):
        _require_transaction(operation, setting, world)
    if operation.kind in OF_TRANSACTIONS:
        return
    if operation.kind not in SUPPORTED and not whole:
        raise UnsupportedError(f"begin: the reference does not model {operation.kind} so far")
    _require_call_of_client(operation, setting, world)
    if whole and world.calls and operation.region not in setting.clears:
        raise UnsupportedError(f"begin: {operation.kind} is called while nothing is under way, so far")
    of_member = operation.member not in setting.clients
    if operation.kind is OperationKind.LOCAL_CLEAR and not of_member:
        raise UnsupportedError("begin: clients do not clear regions alone so far")
    if operation.kind is OperationKind.LOCAL_DESTROY_REGION and of_member:
        raise UnsupportedError("begin: members do not destroy regions alone so far")
    if operation.kind in EXPIRES and setting.clients:
        raise UnsupportedError("begin: entries do not expire where there are clients so far")
    if operation.region in setting.partitioned and (not of_member or whole or operation.kind in LOCAL):
        raise UnsupportedError(
            "begin: members change single keys of partitioned regions, and nobody else so far"
        )


def _threads(setting: Setting, world: World) -> set[str]:
    """The threads that have begun a transaction."""
    return {setting.operations[begin].thread for begin in world.transactions}


def _require_transaction(operation: Operation, setting: Setting, world: World) -> None:
    """Transactions are of members of one site, on regions that they keep whole or less of, one at a time."""
    if setting.clients or setting.queues or setting.partitioned:
        raise UnsupportedError("begin: no transactions beside clients, queues and partitioned regions so far")
    begins = operation.kind is OperationKind.TX_BEGIN
    if begins is (operation.thread in _threads(setting, world)):
        raise UnsupportedError(f"begin: {operation.kind}, where the thread has begun a transaction or not")
    if operation.kind in WHOLE or operation.kind in (OperationKind.LOCAL_CLEAR, *EXPIRES):
        raise UnsupportedError(f"begin: no {operation.kind} in a transaction so far")
    if operation.kind in LOCAL and (operation.member, operation.region) not in setting.lesser:
        raise UnsupportedError(f"begin: no {operation.kind} in a transaction on a replicate so far")


def _require_call_of_client(operation: Operation, setting: Setting, world: World) -> None:
    """Clients of several servers call puts once answers were lost, and what concerns no server, so far."""
    if operation.member not in setting.clients or operation.kind is OperationKind.LOCAL_INVALIDATE:
        return
    tracked = setting.tracked(operation.member)
    if tracked and (not counted(world) or world.wan.dead):
        raise UnsupportedError("begin: clients of several servers only listen so far")
    if (tracked or world.served.lost) and operation.kind is not OperationKind.PUT:
        raise UnsupportedError(f"begin: no {operation.kind} is called while answers are lost, so far")


def require_client(client: Client, setting: Setting) -> None:
    """Raise UnsupportedError for a client that cannot be started here and now."""
    if setting.operations:
        raise UnsupportedError("start_client: clients are there from the beginning so far")
    if client.durable_id is not None or len(client.servers) > 1 + client.redundancy > 1:
        raise UnsupportedError(
            "start_client: neither durable clients nor the recruiting of secondaries are modelled so far"
        )
    if setting.partitioned and len(client.servers) > 1:
        raise UnsupportedError("start_client: clients of partitioned regions have one server so far")


def require_interest(interest: Interest, client: Client) -> None:
    """Raise UnsupportedError for a registration that a client cannot have."""
    if interest.durable or not client.subscription or interest.kind not in _INTERESTS:
        raise UnsupportedError(
            f"interest: neither durable interest nor interest by {interest.kind} is modelled so far"
        )


def require_queue(queue: QueueAttributes) -> None:
    """Raise UnsupportedError for a queue other than that of a serial gateway sender."""
    if queue.parallel or queue.remote_site is None or queue.conflate:
        raise UnsupportedError("create_queue: the reference has serial gateway senders so far")
