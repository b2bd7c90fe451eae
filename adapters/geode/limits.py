"""Limits: what is not driven on Apache Geode so far, and is refused before anything is done.

Knows the records of the suite; knows nothing of what runs.
"""

from __future__ import annotations

import re

from plumbline.adapters.errors import UnsupportedError
from plumbline.adapters.geode.calls import CALLS
from plumbline.adapters.geode.cluster import MOST_MEMBERS
from plumbline.adapters.geode.links import MOST_LINKED
from plumbline.adapters.geode.member import POLICIES
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import (
    EXPIRES,
    LOCAL_ACTIONS,
    OF_TRANSACTIONS,
    Interest,
    Operation,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Topology,
)

MOST_SITES = MOST_LINKED

_INTERESTS = ("all", "key", "list", "regex")
_POLICIES = (None, "none", "keys", "keys_values")

CAPABILITIES = (
    Capability.REPLICATED_REGIONS,
    Capability.PARTITIONED_REGIONS,
    Capability.BUCKET_MOVES,
    Capability.REGION_POLICIES,
    Capability.CHECKS_SETTING,
    Capability.LOCAL_OPERATIONS,
    Capability.BULK_OPERATIONS,
    Capability.CONDITIONAL_OPERATIONS,
    Capability.LOCAL_EXPIRATION,
    Capability.EVICTION,
    Capability.REGION_VIEWS,
    Capability.QUERIES,
    Capability.CLEAR,
    Capability.DISK,
    Capability.TOMBSTONES,
    Capability.HELD_CLOCKS,
    Capability.SITE_CLOCKS,
    Capability.TRANSACTIONS,
    Capability.LISTENER_GATES,
    Capability.MEMBER_FAULTS,
    Capability.STATISTICS,
    Capability.CONFIGURATION,
    Capability.CALLBACK_SCRIPTS,
    Capability.FAILURE_COUNTS,
    Capability.LOG_LINES,
    Capability.OVERFLOW_COUNTS,
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
    Capability.LINK_FAULTS,
)
"""What it offers, in its newest versions."""

_GROUPS_SINCE = (1, 14)
"""The first version whose senders can group transactions."""


def offered(version: str) -> tuple[Capability, ...]:
    """What a version offers."""
    numbers = tuple(map(int, re.findall(r"\d+", version)[: len(_GROUPS_SINCE)]))
    if numbers >= _GROUPS_SINCE:
        return CAPABILITIES
    return tuple(one for one in CAPABILITIES if one is not Capability.TRANSACTION_GROUPS)


def require_topology(topology: Topology) -> None:
    """Raise UnsupportedError for more sites or members than are driven, or for a site without any."""
    if not 1 <= len(topology.sites) <= MOST_SITES:
        raise UnsupportedError(f"Apache Geode is driven here on 1 to {MOST_SITES} sites")
    if not all(site.members for site in topology.sites) or len(topology.members) > MOST_MEMBERS:
        raise UnsupportedError(
            f"Apache Geode is driven here on up to {MOST_MEMBERS} members, of which every site has one"
        )


def require_region(attributes: RegionAttributes) -> None:
    """Raise UnsupportedError for a region of a kind that is not driven."""
    for policy in (attributes.policy, *(host.policy for host in attributes.policies)):
        if policy not in POLICIES.values():
            raise UnsupportedError(f"regions with the policy {policy} are not driven on Geode yet")


def require_feeding(
    attributes: RegionAttributes, queues: tuple[QueueAttributes, ...], topology: Topology
) -> None:
    """Raise UnsupportedError for a region whose members, or queues, are not driven together.

    Args:
        attributes: of the region.
        queues: those that it feeds.
        topology: the sites; a region is partitioned on all members of a site, or on none.
    """
    parted = [
        {attributes.policy_of(member) is RegionPolicy.PARTITION for member in site.members}
        for site in topology.sites
    ]
    if not any(True in some for some in parted):
        if any(queue.parallel for queue in queues):
            raise UnsupportedError(
                "parallel queues of regions that are not partitioned are not driven on Geode"
            )
        return
    if any(len(some) > 1 for some in parted) or sum(True in some for some in parted) > 1:
        raise UnsupportedError("partitioned regions are driven on Geode on all members of one site alike")
    if not all(queue.parallel for queue in queues):
        raise UnsupportedError("serial queues of partitioned regions are not driven on Geode yet")


def require_operation(operation: Operation, *, of_client: bool) -> None:
    """Raise UnsupportedError for an operation that is not driven on a member, or on a client."""
    if operation.kind not in CALLS.keys() | EXPIRES | LOCAL_ACTIONS | OF_TRANSACTIONS:
        raise UnsupportedError(f"{operation.kind} is not driven on Apache Geode yet")
    if of_client and operation.kind not in CALLS:
        raise UnsupportedError(f"{operation.kind} of clients is not driven on Apache Geode yet")


def require_call(operation: Operation, attributes: RegionAttributes) -> None:
    """Raise UnsupportedError for an operation that is not driven on a region of this kind."""
    if (
        attributes.policy is RegionPolicy.PARTITION
        and operation.kind in EXPIRES | LOCAL_ACTIONS | OF_TRANSACTIONS
    ):
        raise UnsupportedError(f"{operation.kind} is not driven on partitioned regions of Geode yet")


def require_interest(interest: Interest) -> None:
    """Raise UnsupportedError for a registration that is not driven."""
    if interest.kind not in _INTERESTS or interest.policy not in _POLICIES:
        raise UnsupportedError(f"not driven on Geode yet: {interest}")
