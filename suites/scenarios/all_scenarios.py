"""Every scenario there is.

Importing this module imports the modules that hold them.
"""

from __future__ import annotations

from plumbline.suites.scenarios import (  # noqa: F401 - importing them registers their scenarios
    async_queues,
    attempts,
    callback_arguments,
    clears,
    client_operations,
    clients,
    configuration,
    conflicts,
    copies_meanwhile,
    duplicate_marks,
    durable_lives,
    durable_offline,
    durable_replay,
    entry_operations,
    event_filters,
    event_substitution,
    failover,
    gateway_batches,
    gateway_chains,
    gateway_clocks,
    gateway_conflation,
    gateway_conflicts,
    gateway_delivery,
    gateway_dispatchers,
    gateway_failures,
    gateway_mesh,
    gateway_operations,
    gateway_overflow,
    gateway_queues,
    gateway_restarts,
    gateway_takeover,
    interests,
    lesser_members,
    lives_meanwhile,
    observation,
    parallel_queues,
    parallel_senders,
    partitioned,
    policies,
    recruiting,
    registrations_meanwhile,
    resolvers,
    restarts_meanwhile,
    stamps,
    subscription_conflation,
    subscriptions,
    tombstone_ages,
    tombstones,
    transaction_groups,
    transactions,
    worked_example,
    writers,
)
from plumbline.suites.scenarios.scenario import FOUND, Scenario

SCENARIOS: dict[str, Scenario] = FOUND
"""Every scenario by name."""
