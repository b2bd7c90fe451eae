"""Decisions about tombstones: what a member keeps of a destroyed entry (document 004).

Each function answers one question about plain values. None knows the model's state.
"""

from __future__ import annotations

from plumbline.reference.operations import RegionPolicy
from plumbline.reference.rulebook.values import EntryState, Stamp


def keeps_tombstone(policy: RegionPolicy, called_here: bool) -> bool:  # noqa: ARG001
    """Whether a destroy leaves a tombstone with its version: it does, in regions of every kind (L93, L57)."""
    return True


def remembers_unseen_destroy(of_other_site: bool) -> bool:  # noqa: ARG001
    """Whether a destroy that comes to a member without the key leaves a tombstone there: it does (L93)."""
    return True


def compared_with_tombstone(stamp: Stamp) -> Stamp | None:
    """What an update is compared with where it finds a tombstone: with the version of the destroy (L93)."""
    return stamp


def goes_on_from(tombstone: Stamp) -> Stamp | None:
    """Which stamp a new entry goes on from over a tombstone: that of the destroy (L93)."""
    return tombstone


def tombstone_read_as() -> EntryState:
    """What anybody who reads finds in place of a tombstone: no entry (L93)."""
    return EntryState.ABSENT


def tombstone_timeout(named: int | None) -> int:
    """For how many milliseconds a tombstone of a replicated region is kept: ten minutes, if unnamed (L97)."""
    return 600_000 if named is None else named


def has_expired(age_ms: int, timeout_ms: int) -> bool:
    """Whether a tombstone of this age has expired: once it is as old as its time-out (L97)."""
    return age_ms >= timeout_ms


def age_counted_from(called: int, arrived: int) -> int:  # noqa: ARG001
    """When the age of a tombstone begins: when its destroy was called, not when it arrived (L95, L97)."""
    return called


def removed_by_age() -> bool:
    """Whether an expired tombstone of a replicated region goes by its age alone: it waits (L97 s2)."""
    return False


def collection_threshold(named: int | None) -> int:
    """How many expired tombstones set off a collection: 100,000, or as many as are named (L97 s3, s4)."""
    return 100_000 if named is None else named


def sets_off_collection(expired: int, threshold: int) -> bool:
    """Whether so many expired tombstones set off a collection: as many as the threshold do (L97 s3)."""
    return expired >= threshold


def counted_together(regions: int) -> bool:  # noqa: ARG001
    """Whether expired tombstones of so many regions count together for the threshold: they do (L97 s3)."""
    return True


def collects(expired: bool) -> bool:
    """Whether a collection takes a tombstone, expired or not: only expired ones (L97 s2)."""
    return expired


def told_of_collection(others: tuple[str, ...], replicates: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
    """Which of the other members are told what a member has collected: all (L97)."""
    return others


def overwrites_expired() -> bool:
    """Whether a later update of a smaller version replaces a tombstone that has expired: it does (L93)."""
    return True


def collects_replaced() -> bool:
    """Whether collecting a tombstone removes what has replaced it since: it does not (L97)."""
    return False


def tombstones_reported(tombstones: int, entries: int) -> int:  # noqa: ARG001
    """What tombstoneCount says: how many tombstones the member holds (L101 s1)."""
    return tombstones


def collections_counted(removed: int) -> int:  # noqa: ARG001
    """How much a collection of so many tombstones adds to tombstoneGCCount: one (L101 s2)."""
    return 1


def adds_to_size(gauge_of_replicated: bool, replicated: bool) -> bool:
    """Whether a region's tombstones add to a gauge of their size: each kind to its own (L101 s3)."""
    return gauge_of_replicated == replicated


def compared_between_sites(finds_tombstone: bool, destroys: bool) -> bool:  # noqa: ARG001
    """Whether an event of another site that destroys, or finds a tombstone, is compared: it is (L28, L93)."""
    return True


def other_timeout(named: int | None) -> int:
    """For how many milliseconds all others keep a tombstone: eight minutes, if unnamed (L95)."""
    return 480_000 if named is None else named


def others_remove_by_age() -> bool:
    """Whether an expired tombstone of a client or a non-replicated region goes by its age: at once (L95)."""
    return True
