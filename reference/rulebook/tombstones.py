"""Decisions about tombstones: what a member keeps of a destroyed entry (document 004).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.history.operations import EventKind, OperationKind, RegionPolicy
from plumbline.reference.history.views import QUERIES, VIEWS
from plumbline.reference.rulebook.decision import Subject, any_recipients, decision
from plumbline.reference.rulebook.values import EntryState, Free, Stamp
from plumbline.reference.rulebook.variant import variant


def compared_or_not(stamp: Stamp) -> Free:
    """As it is, not at all, or as one or two versions later."""
    return Free((stamp, None, *(replace(stamp, version=stamp.version + later) for later in (1, 2))))


class RetentionDecisions(Subject):
    """What is kept of a destroyed entry, and what becomes of a later update of its key."""

    @staticmethod
    @decision("TOMB-RETAIN-05", "WANC-NEW-01")
    def remembers_unseen_destroy(of_other_site: bool) -> bool:  # noqa: ARG004
        """Whether a destroy that comes to a member without the key leaves a tombstone there: it does.

        Source: L93.
        """
        return True

    @staticmethod
    @decision("TOMB-RETAIN-02", free=compared_or_not)
    def compared_with_tombstone(stamp: Stamp) -> Stamp | None:
        """What an update is compared with where it finds a tombstone: with the version of the destroy.

        Source: L93.
        """
        return stamp

    @staticmethod
    @decision("TOMB-RETAIN-05")
    def destroys_absent() -> bool:
        """Whether a destroy takes effect that is called for a key known to be absent: it fails (L93)."""
        return False

    @staticmethod
    @decision("TOMB-RETAIN-04", free=lambda stamp: Free((stamp, None)))
    def goes_on_from(tombstone: Stamp) -> Stamp | None:
        """Which stamp a new entry goes on from over a tombstone: that of the destroy (L93)."""
        return tombstone

    @staticmethod
    @decision("TOMB-INVIS-01", free=lambda _: Free((EventKind.CREATE, EventKind.UPDATE)))
    def creation_told_as(behind_tombstone: bool) -> EventKind:  # noqa: ARG004
        """As what listeners receive a creation, over a tombstone or not: as a create (L93)."""
        return EventKind.CREATE

    @staticmethod
    @decision("TOMB-INVIS-01", free=lambda _: Free((EntryState.ABSENT, EntryState.INVALID, EntryState.LIVE)))
    def tombstone_read_as(kind: OperationKind | None) -> EntryState:  # noqa: ARG004
        """What an operation, or who reads a copy (None), finds in place of a tombstone: no entry (L93)."""
        return EntryState.ABSENT

    @staticmethod
    @decision("TOMB-RETAIN-01", "TOMB-RETAIN-03")
    def keeps_tombstone(policy: RegionPolicy, called_here: bool) -> bool:  # noqa: ARG004
        """Whether a destroy leaves a tombstone with its version: it does, in regions of every kind.

        Source: L93, L57.
        """
        return True


class ExpiryDecisions(Subject):
    """When tombstones expire, and when a collection removes them."""

    @staticmethod
    @decision("TOMB-TTL-04", free=lambda called, arrived, _: Free((called, arrived)))
    def age_counted_from(called: int, arrived: int, timeout_ms: int) -> int | Free:
        """When the age of a tombstone begins: with its destroy, at most one time-out ahead (L95, L97)."""
        return called if called <= arrived else Free((arrived, min(called, arrived + timeout_ms)))

    @staticmethod
    @decision(
        "TOMB-TTL-02", free=lambda named, _: Free((600_000 if named is None else named, 480_000, 600_000))
    )
    def tombstone_timeout(named: int | None, partitioned: bool) -> int:  # noqa: ARG004
        """For how long a tombstone of a replicated or partitioned region is kept: ten minutes, unnamed.

        Source: L97.
        """
        return 600_000 if named is None else named

    @staticmethod
    @decision("TOMB-TTL-01", free=lambda named: Free((480_000 if named is None else named, 480_000, 600_000)))
    def other_timeout(named: int | None) -> int:
        """For how many milliseconds all others keep a tombstone: eight minutes, if unnamed (L95)."""
        return 480_000 if named is None else named

    @staticmethod
    @decision("TOMB-TTL-01", "CONS-CL-03")
    def others_remove_by_age() -> bool:
        """Whether an expired tombstone of a client or a non-replicated region goes by its age: at once.

        Source: L95.
        """
        return True

    @staticmethod
    @decision("TOMB-TTL-02")
    def removed_by_age() -> bool:
        """Whether an expired tombstone of a replicated region goes by its age alone: it waits (L97 s2)."""
        return False

    @staticmethod
    @decision("TOMB-TTL-03")
    def has_expired(age_ms: int, timeout_ms: int) -> bool:
        """Whether a tombstone of this age has expired: once it is as old as its time-out (L97)."""
        return age_ms >= timeout_ms

    @staticmethod
    @decision("TOMB-TTL-03")
    def collects(expired: bool) -> bool:
        """Whether a collection takes a tombstone, expired or not: only expired ones (L97 s2)."""
        return expired

    @staticmethod
    @decision(
        "TOMB-GC-02", "TOMB-GC-01", free=lambda named: Free((100_000 if named is None else named, 100_000, 1))
    )
    def collection_threshold(named: int | None) -> int:
        """How many expired tombstones set off a collection: 100,000, or as many as are named (L97 s3, s4)."""
        return 100_000 if named is None else named

    @staticmethod
    @decision("TOMB-GC-03")
    def counted_together(regions: int, kinds: int) -> bool:  # noqa: ARG004
        """Whether expired tombstones of so many regions, of so many kinds, count together: they do.

        Source: L97 s3.
        """
        return True

    @staticmethod
    @decision("TOMB-GC-01")
    def sets_off_collection(expired: int, threshold: int) -> bool:
        """Whether so many expired tombstones set off a collection: as many as the threshold do (L97 s3)."""
        return expired >= threshold

    @staticmethod
    @decision("TOMB-GC-04", free=any_recipients)
    def told_of_collection(others: tuple[str, ...], replicates: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG004
        """Which of the other members are told what a member has collected: all (L97)."""
        return others

    @staticmethod
    @decision("TOMB-GC-04")
    def tells_client_of_collection(interested: bool) -> Free | bool:
        """Whether a server tells a client what was collected: of keys that it is interested in (L97).

        Whether it is told of other keys, too, no document says.
        """
        return True if interested else Free((False, True))

    @staticmethod
    @decision("TOMB-GC-06")
    def overwrites_expired() -> bool:
        """Whether a later update of a smaller version replaces a tombstone that has expired: it does.

        Source: L93.
        """
        return True

    @staticmethod
    @decision(
        "TOMB-GC-01", free=lambda expired: Free(tuple(dict.fromkeys((expired, max(expired - 1, 1), 1))))
    )
    def taken_at_once(expired: int) -> int:
        """How many of so many expired tombstones a collection takes, the oldest first: all (L97 s3)."""
        return expired

    @staticmethod
    @decision("TOMB-GC-07")
    def collects_replaced(destroyed_again: bool) -> bool:  # noqa: ARG004
        """Whether collecting a tombstone removes the entry, or tombstone, that has replaced it: no (L97)."""
        return False


class GaugeDecisions(Subject):
    """How tombstones are counted."""

    @staticmethod
    @decision("TOMB-INVIS-01")
    def view_shows_tombstones(view: str) -> bool:  # noqa: ARG004
        """Whether the size of a region, one of its sets or a query has its tombstones: none has (L93)."""
        return False

    @staticmethod
    @decision("STAT-TOMB-01", free=lambda count, present, _: Free((count, present, 0, count + 1)))
    def tombstones_reported(tombstones: int, entries: int, collections: int) -> int:  # noqa: ARG004
        """What tombstoneCount says: how many tombstones the member holds (L101 s1)."""
        return tombstones

    @staticmethod
    @decision("STAT-TOMB-02", free=lambda removed: Free((1, 0, removed)))
    def collections_counted(removed: int) -> int:  # noqa: ARG004
        """How much a collection of so many tombstones adds to tombstoneGCCount: one (L101 s2)."""
        return 1

    @staticmethod
    @decision("STAT-TOMB-03")
    def adds_to_size(gauge_of_replicated: bool, replicated: bool) -> bool:
        """Whether a region's tombstones add to a gauge of their size: each kind to its own (L101 s3)."""
        return gauge_of_replicated == replicated


FAULTS = (
    variant(
        "forgets-at-once",
        "TOMB-RETAIN-01 TOMB-RETAIN-03",
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
        "TOMB-TTL-01 CONS-CL-03",
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
        "an update as new as a destroy is discarded against its tombstone, even with the higher id",
        compared_with_tombstone=lambda stamp: replace(stamp, version=stamp.version + 1),
    ),
    variant(
        "tombstone-loses-ties",
        "TOMB-RETAIN-02",
        "an update as new as a destroy replaces its tombstone, even with the lower id",
        compared_with_tombstone=lambda stamp: replace(stamp, version=stamp.version - 1),
    ),
    variant(
        "tombstone-refuses-the-next",
        "TOMB-RETAIN-02",
        "an update that is one version newer than a destroy is discarded against its tombstone",
        compared_with_tombstone=lambda stamp: replace(stamp, version=stamp.version + 2),
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
        "destroys-what-is-absent",
        "TOMB-RETAIN-05",
        "a destroy called for a key that is not there succeeds, and leaves a tombstone",
        destroys_absent=lambda: True,
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
        "a reader finds an entry without a value in place of a tombstone",
        tombstone_read_as=lambda _: EntryState.INVALID,
    ),
    variant(
        "put-if-absent-finds-tombstones",
        "TOMB-INVIS-01",
        "a putIfAbsent takes a tombstone for an entry, and stores nothing",
        tombstone_read_as=lambda kind: (
            EntryState.LIVE if kind is OperationKind.PUT_IF_ABSENT else EntryState.ABSENT
        ),
    ),
    variant(
        "replace-finds-tombstones",
        "TOMB-INVIS-01",
        "a replace takes a tombstone for an entry, and stores its value",
        tombstone_read_as=lambda kind: (
            EntryState.LIVE if kind is OperationKind.REPLACE else EntryState.ABSENT
        ),
    ),
    variant(
        "size-counts-tombstones",
        "TOMB-INVIS-01",
        "the size of a region counts its tombstones",
        view_shows_tombstones=lambda view: view == "size",
    ),
    variant(
        "sets-show-tombstones",
        "TOMB-INVIS-01",
        "the key, value and entry sets of a region have its tombstones, and its size does not count them",
        view_shows_tombstones=lambda view: view in VIEWS and view != "size",
    ),
    variant(
        "queries-show-tombstones",
        "TOMB-INVIS-01",
        "queries find the tombstones of a region",
        view_shows_tombstones=lambda view: view in QUERIES,
    ),
    variant(
        "tells-recreations-as-updates",
        "TOMB-INVIS-01",
        "the creation over a tombstone reaches listeners as an update, and any other as a create",
        creation_told_as=lambda behind: EventKind.UPDATE if behind else EventKind.CREATE,
    ),
    variant(
        "one-timeout-for-all",
        "TOMB-TTL-02",
        "where no time-out is named, tombstones of all regions expire after eight minutes",
        tombstone_timeout=lambda named, partitioned: 480_000 if named is None else named,  # noqa: ARG005
    ),
    variant(
        "buckets-expire-early",
        "TOMB-TTL-02",
        "where no time-out is named, tombstones of partitioned regions expire after eight minutes",
        tombstone_timeout=lambda named, partitioned: named or (480_000 if partitioned else 600_000),
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
        age_counted_from=lambda called, arrived, timeout_ms: arrived,  # noqa: ARG005
    ),
    variant(
        "waits-for-the-future",
        "TOMB-TTL-04",
        "a tombstone with a timestamp in the future is kept until its time-out has passed from then on",
        age_counted_from=lambda called, arrived, timeout_ms: called,  # noqa: ARG005
    ),
    variant(
        "wants-one-more-tombstone",
        "TOMB-GC-01",
        "a collection begins only when there are more expired tombstones than the threshold",
        sets_off_collection=lambda expired, threshold: expired > threshold,
    ),
    variant(
        "collects-one-at-a-time",
        "TOMB-GC-01",
        "a collection takes the oldest expired tombstone, and leaves the others",
        taken_at_once=lambda expired: 1,  # noqa: ARG005
    ),
    variant(
        "collects-by-default",
        "TOMB-GC-01",
        "where no threshold is named, a single expired tombstone sets off a collection",
        collection_threshold=lambda named: 1 if named is None else named,
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
        counted_together=lambda regions, kinds: False,  # noqa: ARG005
    ),
    variant(
        "kinds-count-apart",
        "TOMB-GC-03",
        "partitioned regions count their expired tombstones apart from replicated ones",
        counted_together=lambda regions, kinds: kinds == 1,  # noqa: ARG005
    ),
    variant(
        "collects-in-silence",
        "TOMB-GC-04",
        "a member does not announce what it has collected",
        told_of_collection=lambda *_: (),
    ),
    variant(
        "tells-replicates-alone",
        "TOMB-GC-04",
        "members that are no replicates do not hear what was collected",
        told_of_collection=lambda _, replicates: replicates,
    ),
    variant(
        "clients-hear-of-no-collection",
        "TOMB-GC-04",
        "servers do not tell their clients what was collected",
        tells_client_of_collection=lambda interested: False,  # noqa: ARG005
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
        "a collection removes also a new entry under the key of an old tombstone",
        collects_replaced=lambda destroyed_again: not destroyed_again,
    ),
    variant(
        "collects-newer-tombstones",
        "TOMB-GC-07",
        "a collection removes also the newer tombstone of a key that was created and destroyed again",
        collects_replaced=lambda destroyed_again: destroyed_again,
    ),
    variant(
        "counts-all-entries",
        "STAT-TOMB-01",
        "tombstoneCount does not go down when a key is created again",
        tombstones_reported=lambda tombstones, entries, collections: entries,  # noqa: ARG005
    ),
    variant(
        "counts-no-tombstones",
        "STAT-TOMB-01",
        "tombstoneCount stands still at zero",
        tombstones_reported=lambda tombstones, entries, collections: 0,  # noqa: ARG005
    ),
    variant(
        "counts-the-collected",
        "STAT-TOMB-01",
        "tombstoneCount does not go down to where it was when tombstones are collected",
        tombstones_reported=lambda tombstones, entries, collections: tombstones + collections,  # noqa: ARG005
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
)
"""Faulty variants: each makes one of these decisions wrong."""
