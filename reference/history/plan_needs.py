"""What a candidate must have for a plan to be carried out on it: its needs, as capabilities.

Read off the plan alone: its regions, queues, clients and steps. Knows no candidate, nor what becomes of a
plan whose needs are not met.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.history import FaultKind
from plumbline.reference.history.operations import (
    CONDITIONAL,
    EXPIRES,
    LOCAL,
    OperationKind,
    RegionAttributes,
    RegionPolicy,
)
from plumbline.reference.history.plans import (
    Count,
    Do,
    Host,
    Inject,
    Inquire,
    Join,
    Leave,
    Look,
    Park,
    Plan,
    PlanStep,
    Redeliver,
    Script,
    Start,
)
from plumbline.reference.history.views import view_of

_OF_KINDS = {
    OperationKind.PUT_ALL: Capability.BULK_OPERATIONS,
    OperationKind.REMOVE_ALL: Capability.BULK_OPERATIONS,
    OperationKind.CLEAR: Capability.CLEAR,
    OperationKind.INVALIDATE_REGION: Capability.CLEAR,
    OperationKind.DESTROY_REGION: Capability.CLEAR,
    **dict.fromkeys(EXPIRES, Capability.CONFIGURATION),
    OperationKind.TX_BEGIN: Capability.TRANSACTIONS,
    OperationKind.TX_COMMIT: Capability.TRANSACTIONS,
    OperationKind.TX_ROLLBACK: Capability.TRANSACTIONS,
    **dict.fromkeys(CONDITIONAL, Capability.CONDITIONAL_OPERATIONS),
    **dict.fromkeys(LOCAL, Capability.LOCAL_OPERATIONS),
}

_OF_FAULTS = {
    FaultKind.CRASH: Capability.MEMBER_FAULTS,
    FaultKind.RESTART: Capability.MEMBER_FAULTS,
    FaultKind.LINK_DOWN: Capability.LINK_FAULTS,
    FaultKind.LINK_UP: Capability.LINK_FAULTS,
    FaultKind.REPLIES_LOST: Capability.LINK_FAULTS,
    FaultKind.ANSWERS_LOST: Capability.LINK_FAULTS,
    FaultKind.ANSWERS_BACK: Capability.LINK_FAULTS,
    FaultKind.RECEIVER_STOP: Capability.GATEWAYS,
    FaultKind.RECEIVER_START: Capability.GATEWAYS,
    FaultKind.HOLD_TIME: Capability.HELD_CLOCKS,
    FaultKind.TIME_LEAP: Capability.HELD_CLOCKS,
    FaultKind.LET_RUN: Capability.HELD_CLOCKS,
    FaultKind.CLOCK_SET: Capability.HELD_CLOCKS,
}


def needs(plan: Plan) -> tuple[Capability, ...]:
    """What a candidate must have for the plan to be carried out on it."""
    needed = [capability for region in plan.regions for capability in _region_needs(region)]
    for queue in plan.queues:
        needed.append(Capability.ASYNC_QUEUES if queue.remote_site is None else Capability.GATEWAYS)
        needed += [Capability.PARALLEL_QUEUES] * queue.parallel
    for client in plan.clients:
        needed.append(Capability.CLIENTS)
        needed += [Capability.DURABLE_CLIENTS] * (client.durable_id is not None)
        needed += [Capability.CHECKS_SETTING] * (client.checks is not None)
    needed += [Capability.TOMBSTONES] * (plan.tombstones is not None)
    needed += [Capability.CALLBACK_SCRIPTS] * bool(plan.resolver)
    steps = [capability for step in plan.steps for capability in _step_needs(step)]
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


def _step_needs(step: PlanStep) -> list[Capability]:
    match step:
        case Do(operation) | Start(operation):
            return [_OF_KINDS[operation.kind]] if operation.kind in _OF_KINDS else []
        case Park(operation, _, callback):
            called = _step_needs(Start(operation))
            in_writer = [Capability.CALLBACK_SCRIPTS] * (callback != "listener")
            return [Capability.LISTENER_GATES, *in_writer, *called]
        case Script():
            return [Capability.CALLBACK_SCRIPTS]
        case Inject(fault):
            # Queues are paused where there are any, and those were asked for already.
            return [_OF_FAULTS[fault.kind]] if fault.kind in _OF_FAULTS else []
        case Look():
            return [Capability.QUEUE_INSPECTION]
        case Count(_, name):
            return [Capability.STATISTICS if view_of(name) is None else Capability.REGION_VIEWS]
        case Redeliver():
            return [Capability.MESSAGE_CONTROL]
        case Leave() | Join() | Inquire():
            return [Capability.CONFIGURATION]
        case Host(persistent=persistent):
            settings = [Capability.CONFIGURATION, Capability.CHECKS_SETTING]
            return [*settings, Capability.DISK] if persistent else settings
        case _:
            return []
