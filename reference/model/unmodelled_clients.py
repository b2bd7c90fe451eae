"""What of clients in an example the model does not follow (see `unmodelled`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from plumbline.reference.history.fault_kinds import CLIENT_GOES, STARTS_AGAIN, Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import (
    EXPIRES,
    OF_TRANSACTIONS,
    WHOLE_REGION,
    Client,
    Interest,
    Operation,
    RegionPolicy,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.history.registration_actions import BeginRegistration
from plumbline.reference.history.registration_moments import RegistrationBegun

INTERESTS = ("all", "key", "list", "regex")


def of_durable(
    example: Plan | History, called: Collection[Operation], faults: Collection[Fault]
) -> Iterator[str]:
    """What is not followed where clients are durable."""
    if len(example.topology.sites) > 1 or example.queues or example.tombstones is not None:
        yield "durable clients beside several sites, queues or collected tombstones"
    if any(region.policy is not RegionPolicy.REPLICATE or region.policies for region in example.regions):
        yield "durable clients of regions that not each member replicates"
    if any(one.kind in WHOLE_REGION | OF_TRANSACTIONS for one in called):
        yield "operations on whole regions, and transactions, beside durable clients"
    if any(fault.kind is FaultKind.ANSWERS_LOST for fault in faults):
        yield "lost answers beside durable clients"
    if any(_may_recruit(client.name, faults) for client in example.clients if client.redundancy):
        yield "servers that die behind the start of one that may be recruited as a secondary"


def _may_recruit(client: str, faults: Collection[Fault]) -> bool:
    """Whether a server dies after a client that runs may have made one that started again its secondary."""
    away = started = recruits = False
    for fault in faults:
        if fault.client == client:
            away = fault.kind in CLIENT_GOES or (away and fault.kind is not FaultKind.CLIENT_START)
        started |= fault.kind in STARTS_AGAIN
        recruits |= started and not away
        if recruits and fault.kind is FaultKind.CRASH:
            return True
    return False


def of_client(client: Client) -> Iterator[str]:
    """What is not followed of a client."""
    if client.durable_id is not None and not client.subscription:
        yield "durable clients without a subscription"
    if client.conflate and not client.subscription:
        yield "clients that conflate without a subscription"
    if client.conflate and client.tracking_timeout_ms is not None:
        yield "clients that conflate and forget what they have processed"


def of_conflating(
    example: Plan | History, called: Collection[Operation], faults: Collection[Fault]
) -> Iterator[str]:
    """What is not followed where the subscription of a client conflates."""
    if not any(client.conflate for client in example.clients):
        return
    if len(example.topology.sites) > 1 or example.queues or example.tombstones is not None:
        yield "clients that conflate beside several sites, queues or collected tombstones"
    if any(region.policy is not RegionPolicy.REPLICATE or region.policies for region in example.regions):
        yield "clients that conflate of regions that not each member replicates"
    if any(one.kind in WHOLE_REGION for one in called):
        yield "operations on whole regions beside clients that conflate"
    if any(fault.kind is FaultKind.ANSWERS_LOST for fault in faults):
        yield "lost answers beside clients that conflate"
    if begun_registrations(example):
        yield "registrations under way beside clients that conflate"


def of_interest(interest: Interest) -> Iterator[str]:
    """What is not followed of a registration of interest."""
    if interest.kind not in INTERESTS:
        yield f"interest of the kind {interest.kind!r:.40}"


def begun_registrations(example: Plan | History) -> list[Interest]:
    """What clients begin to register for, beside all else."""
    if isinstance(example, Plan):
        return [step.interest for step in example.steps if isinstance(step, BeginRegistration)]
    return [what.interest for what in example.timeline if isinstance(what, RegistrationBegun)]


def beside_registrations(
    example: Plan | History, called: Collection[Operation], faults: Collection[Fault]
) -> Iterator[str]:
    """What is not followed where registrations go on beside all else."""
    if any(operation.kind in WHOLE_REGION for operation in called):
        yield "registrations under way beside operations on whole regions"
    if any(fault.kind in STARTS_AGAIN for fault in faults):
        yield "registrations under way beside members that start again"
    if len(example.topology.sites) > 1 or example.queues:
        yield "registrations under way between sites or beside queues"
    if any(region.policy is not RegionPolicy.REPLICATE or region.policies for region in example.regions):
        yield "registrations under way for regions that not each member replicates"


def beside_clients(example: Plan | History, called: Collection[Operation]) -> Iterator[str]:
    """What is not followed where there are clients."""
    if not example.clients:
        return
    kinds = {operation.kind for operation in called}
    if kinds & OF_TRANSACTIONS:
        yield "transactions beside clients"
    if kinds & EXPIRES:
        yield "expiration beside clients"
