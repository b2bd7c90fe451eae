"""What a candidate must have for a plan to be carried out on it: its needs, as capabilities.

Read off the plan alone: its regions, queues and clients; each step tells its own needs. Knows no candidate,
nor what becomes of a plan whose needs are not met.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import QueueAttributes, RegionAttributes, RegionPolicy
from plumbline.reference.history.plans import Plan

_AMPLE_MB = QueueAttributes(id="", site=1).maximum_memory_mb
"""A queue with less may have to overflow to disk."""


def needs(plan: Plan) -> tuple[Capability, ...]:
    """What a candidate must have for the plan to be carried out on it."""
    needed = [capability for region in plan.regions for capability in _region_needs(region)]
    for queue in plan.queues:
        needed.append(Capability.ASYNC_QUEUES if queue.remote_site is None else Capability.GATEWAYS)
        if queue.parallel:
            listens = queue.remote_site is None
            needed.append(Capability.PARALLEL_QUEUES if listens else Capability.PARALLEL_SENDERS)
        needed += [Capability.DISK] * (queue.persistent or queue.maximum_memory_mb < _AMPLE_MB)
        needed += [Capability.QUEUE_CONFLATION] * queue.conflate
        needed += [Capability.EVENT_FILTERS] * queue.filters
        needed += [Capability.EVENT_SUBSTITUTION] * queue.substitutes
        needed += [Capability.TRANSACTION_GROUPS] * queue.group_transactions
    for client in plan.clients:
        needed.append(Capability.CLIENTS)
        needed += [Capability.DURABLE_CLIENTS] * (client.durable_id is not None)
        needed += [Capability.SUBSCRIPTION_CONFLATION] * (client.conflate is not msgspec.UNSET)
        needed += [Capability.CHECKS_SETTING] * (client.checks is not None)
    needed += [Capability.TOMBSTONES] * (plan.tombstones is not None)
    needed += [Capability.CALLBACK_SCRIPTS] * bool(plan.resolver)
    steps = [capability for step in plan.steps for capability in step.needs()]
    if Capability.HELD_CLOCKS in steps:
        needed += [Capability.SITE_CLOCKS] * bool(plan.queues)
        # For clients time decides what they remember, too.
        forgets = any(client.tracking_timeout_ms is not None for client in plan.clients)
        needed += [Capability.VIRTUAL_TIME] * forgets
    needed += steps
    return tuple(dict.fromkeys(needed))


def _region_needs(region: RegionAttributes) -> list[Capability]:
    policies = {
        RegionPolicy.REPLICATE: Capability.REPLICATED_REGIONS,
        RegionPolicy.PARTITION: Capability.PARTITIONED_REGIONS,
    }
    kept = (region.policy, *(host.policy for host in region.policies))
    needed = [policies.get(policy, Capability.REGION_POLICIES) for policy in kept]
    return needed if region.checks is None else [*needed, Capability.CHECKS_SETTING]
