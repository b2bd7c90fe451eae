"""Partitioned regions of Geode: how one is created, which member holds which key, and what a member holds.

Every function talks to a JVM and may hang with it. Knows nothing of members and examples: it is handed the
region as one member has it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

BUCKETS = 8
"""Buckets of a region: enough for each of three members to be primary of some, few to make."""

_NEVER = -1


class Placed(NamedTuple):
    """Names of the members that hold a key, as one member of the cluster sees it.

    Attributes:
        primary: None while there is none.
        redundant: those that hold copies, in no order.
    """

    primary: str | None
    redundant: tuple[str, ...]


def set_up(factory: Any, java: Any, redundancy: int, beside: str | None = None) -> None:
    """Have a region factory make a partitioned region.

    Redundancy that is lost is not restored, and the listeners of all members receive everything: by
    default those of the primary alone would be.

    Args:
        factory: of the region.
        java: the package org.apache.geode.cache in the member's machine.
        redundancy: copies of each bucket beside the primary's.
        beside: a region whose buckets lie where those of this one lie, if any.
    """
    partitions = java.PartitionAttributesFactory()
    partitions.setRedundantCopies(redundancy)
    partitions.setTotalNumBuckets(BUCKETS)
    if beside is not None:
        partitions.setColocatedWith(beside)
    partitions.setRecoveryDelay(_NEVER)
    partitions.setStartupRecoveryDelay(_NEVER)
    factory.setPartitionAttributes(partitions.create())
    factory.setSubscriptionAttributes(java.SubscriptionAttributes(java.InterestPolicy.ALL))


def assign(region: Any, java: Any) -> None:
    """Create all buckets, spread over the members; all of these have created the region."""
    java.partition.PartitionRegionHelper.assignBucketsToPartitions(region)


def placed(region: Any, java: Any, key: str, dead: Collection[str]) -> Placed:
    """The living holders of a key; a bucket that was lost with all its holders is made anew first."""
    helper = java.partition.PartitionRegionHelper
    primary = helper.getPrimaryMemberForKey(region, key)
    if primary is None and helper.getRedundantMembersForKey(region, key).isEmpty():
        assign(region, java)
        primary = helper.getPrimaryMemberForKey(region, key)
    name = None if primary is None or primary.getName() in dead else primary.getName()
    redundant = {other.getName() for other in helper.getRedundantMembersForKey(region, key).toArray()}
    return Placed(name, tuple(sorted(redundant - {name, *dead})))


def take_over(region: Any, java: Any, key: str) -> None:
    """Have the member that is asked become the primary of a key: of its copy, or of the bucket that it gets.

    Regions whose buckets lie together have their primaries together, and the first of them leads.
    """
    bucket = region.getKeyInfo(key).getBucketId()
    leader = java.org.apache.geode.internal.cache.ColocationHelper.getLeaderRegion(region)
    advisor = leader.getRegionAdvisor().getBucketAdvisor(bucket)
    if not advisor.isHosting():
        helper = java.org.apache.geode.cache.partition.PartitionRegionHelper
        here = region.getCache().getDistributedSystem().getDistributedMember()
        helper.moveBucketByKey(region, helper.getPrimaryMemberForKey(region, key), here, key)
    advisor.becomePrimary(False)  # noqa: FBT003


def has_primaries(region: Any, dead: Collection[str]) -> bool:
    """Whether this member knows a living primary of every bucket that a living member holds."""
    advisor = region.getRegionAdvisor()
    for bucket in range(BUCKETS):
        owners = {owner.getName() for owner in advisor.getBucketOwners(bucket).toArray()}
        primary = advisor.getPrimaryMemberForBucket(bucket)
        if owners - {*dead} and (primary is None or primary.getName() in dead):
            return False
    return True


def copies(region: Any) -> list[Any]:
    """All buckets that a member itself holds, the primary's and redundant ones alike: each is a region."""
    return list(region.getDataStore().getAllLocalBucketRegions().toArray())
