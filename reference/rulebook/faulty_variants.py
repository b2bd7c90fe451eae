"""Faulty variants: rulebooks with one decision made wrong, each a mistake that an implementer could make.

Each stands in the module of its decision. They test the suite: the test of every requirement that a variant
names must fail on it. Knows nothing of how they are found out.
"""

from __future__ import annotations

from plumbline.reference.rulebook import (
    answers,
    batches,
    callback_arguments,
    checking,
    clearing,
    clients,
    conflict_resolvers,
    crossing,
    disks,
    duplicate_marks,
    durable,
    entry_operations,
    event_filters,
    failover,
    failures,
    interests,
    joining,
    listeners,
    offline,
    overflow,
    parallel_queues,
    partitioned,
    policies,
    queue_conflation,
    queues,
    receivers,
    redundancy,
    replays,
    replicated,
    subscription_conflation,
    subscriptions,
    takeover,
    tombstones,
    transaction_groups,
    transactions,
    versions,
)
from plumbline.reference.rulebook.variant import FaultyVariant, by_name

FAULTY: dict[str, FaultyVariant] = by_name(
    (
        *checking.FAULTS,
        *clients.FAULTS,
        *interests.FAULTS,
        *answers.FAULTS,
        *subscriptions.FAULTS,
        *redundancy.FAULTS,
        *failover.FAULTS,
        *policies.FAULTS,
        *crossing.FAULTS,
        *batches.FAULTS,
        *receivers.FAULTS,
        *failures.FAULTS,
        *conflict_resolvers.FAULTS,
        *partitioned.FAULTS,
        *queues.FAULTS,
        *takeover.FAULTS,
        *listeners.FAULTS,
        *parallel_queues.FAULTS,
        *disks.FAULTS,
        *overflow.FAULTS,
        *durable.FAULTS,
        *offline.FAULTS,
        *replays.FAULTS,
        *tombstones.FAULTS,
        *transactions.FAULTS,
        *clearing.FAULTS,
        *replicated.FAULTS,
        *versions.FAULTS,
        *joining.FAULTS,
        *queue_conflation.FAULTS,
        *event_filters.FAULTS,
        *duplicate_marks.FAULTS,
        *transaction_groups.FAULTS,
        *subscription_conflation.FAULTS,
        *callback_arguments.FAULTS,
        *entry_operations.FAULTS,
    )
)
"""Every faulty variant by name."""
