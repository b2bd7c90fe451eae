"""Faulty variants of what members keep of destroyed entries.

Knows nothing of how they are found out.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.operations import RegionPolicy
from plumbline.reference.rulebook.values import EntryState
from plumbline.reference.rulebook.variant import variant

TOMBSTONES = (
    variant(
        "forgets-at-once",
        "TOMB-RETAIN-01",
        "a destroy forgets the entry at once, with its version",
        keeps_tombstone=lambda *_: False,
    ),
    variant(
        "buckets-forget-at-once",
        "TOMB-RETAIN-03",
        "buckets keep no tombstones, since their primary puts all updates in order anyway",
        keeps_tombstone=lambda policy, _: policy is not RegionPolicy.PARTITION,
    ),
    variant(
        "only-replicates-remember",
        "TOMB-RETAIN-03",
        "members that keep less than a replicate, and clients, keep no tombstones",
        keeps_tombstone=lambda policy, _: policy in (RegionPolicy.REPLICATE, RegionPolicy.PARTITION),
    ),
    variant(
        "preloaded-remember-their-own",
        "TOMB-RETAIN-03",
        "a preloaded member keeps tombstones of what it destroys itself, and of nothing that others destroy",
        keeps_tombstone=lambda policy, called_here: called_here or policy is not RegionPolicy.PRELOADED,
    ),
    variant(
        "others-wait-for-a-collection",
        "TOMB-TTL-01",
        "expired tombstones of clients and non-replicated regions wait for a collection",
        others_remove_by_age=lambda: False,
    ),
    variant(
        "one-long-timeout",
        "TOMB-TTL-01",
        "where no time-out is named, tombstones of all regions expire after ten minutes",
        other_timeout=lambda named: 600_000 if named is None else named,
    ),
    variant(
        "tombstone-counts-as-nothing",
        "TOMB-RETAIN-02",
        "an update that finds a tombstone is compared with version 0, as if the key had never been there",
        compared_with_tombstone=lambda stamp: None,  # noqa: ARG005
    ),
    variant(
        "tombstone-wins-ties",
        "TOMB-RETAIN-02",
        "an update as new as a destroy is discarded against its tombstone, whoever has the higher id",
        compared_with_tombstone=lambda stamp: replace(stamp, version=stamp.version + 1),
    ),
    variant(
        "starts-over-after-destroy",
        "TOMB-RETAIN-04",
        "a key that is created again starts at version 1, although its tombstone is kept",
        goes_on_from=lambda tombstone: None,  # noqa: ARG005
    ),
    variant(
        "ignores-unknown-destroy",
        "TOMB-RETAIN-05",
        "a destroy that comes to a member without the key leaves nothing there",
        remembers_unseen_destroy=lambda of_other_site: of_other_site,
    ),
    variant(
        "ignores-unknown-destroy-of-sites",
        "WANC-NEW-01",
        "a destroy of another site for a key of which nothing is recorded leaves nothing there",
        remembers_unseen_destroy=lambda of_other_site: not of_other_site,
    ),
    variant(
        "tombstones-show",
        "TOMB-INVIS-01",
        "whoever reads finds an entry without a value in place of a tombstone",
        tombstone_read_as=lambda: EntryState.INVALID,
    ),
    variant(
        "one-timeout-for-all",
        "TOMB-TTL-02",
        "where no time-out is named, tombstones of all regions expire after eight minutes",
        tombstone_timeout=lambda named: 480_000 if named is None else named,
    ),
    variant(
        "timer-removes-tombstones",
        "TOMB-TTL-02",
        "each member removes its expired tombstones by a timer of its own",
        removed_by_age=lambda: True,
    ),
    variant(
        "expires-at-half-time",
        "TOMB-TTL-03",
        "tombstones expire when half of their time is over",
        has_expired=lambda age_ms, timeout_ms: age_ms >= timeout_ms // 2,
    ),
    variant(
        "collects-what-has-not-expired",
        "TOMB-TTL-03",
        "a collection takes all tombstones, expired or not",
        collects=lambda expired: True,  # noqa: ARG005
    ),
    variant(
        "ages-from-arrival",
        "TOMB-TTL-04",
        "the age of a tombstone is counted from when its destroy arrived",
        age_counted_from=lambda called, arrived: arrived,  # noqa: ARG005
    ),
    variant(
        "wants-one-more-tombstone",
        "TOMB-GC-01",
        "a collection begins only when there are more expired tombstones than the threshold",
        sets_off_collection=lambda expired, threshold: expired > threshold,
    ),
    variant(
        "reads-no-threshold",
        "TOMB-GC-02",
        "the threshold that is named is not read, and 100,000 counts",
        collection_threshold=lambda named: 100_000,  # noqa: ARG005
    ),
    variant(
        "regions-count-apart",
        "TOMB-GC-03",
        "each region counts its expired tombstones for itself",
        counted_together=lambda regions: False,  # noqa: ARG005
    ),
    variant(
        "collects-in-silence",
        "TOMB-GC-04",
        "a member tells nobody what it has collected",
        told_of_collection=lambda *_: (),
    ),
    variant(
        "tells-replicates-alone",
        "TOMB-GC-04",
        "members that keep less than a replicate are not told what was collected",
        told_of_collection=lambda _, replicates: replicates,
    ),
    variant(
        "expired-tombstones-refuse",
        "TOMB-GC-06",
        "an update is compared by version alone with a tombstone that has expired",
        chaotic=True,
        overwrites_expired=lambda: False,
    ),
    variant(
        "collects-by-key",
        "TOMB-GC-07",
        "a collection removes whatever is there under the key of a tombstone that was once made",
        collects_replaced=lambda: True,
    ),
    variant(
        "counts-all-entries",
        "STAT-TOMB-01",
        "tombstoneCount does not go down when a key is created again",
        tombstones_reported=lambda tombstones, entries: entries,  # noqa: ARG005
    ),
    variant(
        "counts-collected-tombstones",
        "STAT-TOMB-02",
        "tombstoneGCCount counts the tombstones that were collected",
        collections_counted=lambda removed: removed,
    ),
    variant(
        "one-size-for-all",
        "STAT-TOMB-03",
        "tombstones of both kinds add to both gauges of their size",
        adds_to_size=lambda gauge_of_replicated, replicated: True,  # noqa: ARG005
    ),
    variant(
        "no-size-at-all",
        "STAT-TOMB-03",
        "the gauges of the size of tombstones stand still",
        adds_to_size=lambda gauge_of_replicated, replicated: False,  # noqa: ARG005
    ),
    variant(
        "destroys-cross-uncompared",
        "WANC-TOMB-01",
        "a destroy of another site is always applied",
        compared_between_sites=lambda finds_tombstone, destroys: not destroys,  # noqa: ARG005
    ),
    variant(
        "tombstones-forget-sites",
        "WANC-TOMB-01",
        "an event of another site is always applied where it finds a tombstone",
        compared_between_sites=lambda finds_tombstone, destroys: not finds_tombstone,  # noqa: ARG005
    ),
)
"""All of them."""
