"""Decisions about clearing a region of replicates that check (document 004, L105).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, any_recipients, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


class ClearDecisions(Subject):
    """What a clear locks, waits for and leaves."""

    @staticmethod
    @decision("CLEAR-TOMB-01", "STAT-TOMB-01")
    def clear_keeps_tombstones() -> bool:
        """Whether tombstones from before a clear stay: they do not (L105 s1)."""
        return False

    @staticmethod
    @decision("CLEAR-TOMB-01", "CLEAR-CONV-01")
    def clear_leaves_tombstones(on_clearing_member: bool) -> bool:  # noqa: ARG004
        """Whether a clear leaves tombstones of the entries that were there: on no member (L105 s1)."""
        return False

    @staticmethod
    @decision("CLEAR-TOMB-01", free=lambda: Free((1, 0, 2)))
    def clear_told() -> int:
        """How often a listener receives a clear: once, for the whole region (L105 s1)."""
        return 1

    @staticmethod
    @decision("CLEAR-LIVE-01")
    def frees_lock(failed: bool) -> bool:  # noqa: ARG004
        """Whether updates go on once a clear has returned, or has failed: they do (L105 s3)."""
        return True

    @staticmethod
    @decision("CLEAR-LIVE-01")
    def frees_lock_of_dead() -> bool:
        """Whether updates go on once a member has died that had the lock of a clear: they do (L105 s3)."""
        return True

    @staticmethod
    @decision("CLEAR-LOCK-01")
    def shuts_out(on_clearing_member: bool, commits: bool) -> bool:  # noqa: ARG004
        """Whether an update, or a commit, waits while a clear has the lock: on every member (L105 s3)."""
        return True

    @staticmethod
    @decision("CLEAR-LOCK-02", "CLEAR-CONV-01")
    def clear_waits_for_updates() -> bool:
        """Whether a clear waits until updates begun before it have arrived everywhere: it does (L105 s4)."""
        return True

    @staticmethod
    @decision("CLEAR-CONV-01", free=any_recipients)
    def cleared_with(others: tuple[str, ...]) -> tuple[str, ...]:
        """Which of the other members empty their copies in a clear: all (L105 s2)."""
        return others


FAULTS = (
    variant(
        "locks-its-own-member-only",
        "CLEAR-LOCK-01",
        "the lock of a clear shuts out updates on the clearing member only",
        shuts_out=lambda on_clearing_member, commits: on_clearing_member,  # noqa: ARG005
    ),
    variant(
        "locks-other-members-only",
        "CLEAR-LOCK-01",
        "the lock of a clear shuts out updates on all members but the clearing one",
        shuts_out=lambda on_clearing_member, commits: not on_clearing_member,  # noqa: ARG005
    ),
    variant(
        "commits-ignore-the-lock",
        "CLEAR-LOCK-01",
        "the lock of a clear shuts out single updates, and no commits",
        shuts_out=lambda on_clearing_member, commits: not commits,  # noqa: ARG005
    ),
    variant(
        "clear-overtakes-updates",
        "CLEAR-LOCK-02 CLEAR-CONV-01",
        "a clear does not wait for updates that are still on their way",
        clear_waits_for_updates=lambda: False,
    ),
    variant(
        "clears-itself-only",
        "CLEAR-CONV-01",
        "a clear empties the copy of the clearing member only",
        cleared_with=lambda others: (),  # noqa: ARG005
    ),
    variant(
        "clear-keeps-tombstones",
        "CLEAR-TOMB-01 STAT-TOMB-01",
        "tombstones from before a clear stay",
        clear_keeps_tombstones=lambda: True,
    ),
    variant(
        "clear-destroys-each-entry",
        "CLEAR-TOMB-01",
        "a clear leaves a tombstone of each entry that was there",
        clear_leaves_tombstones=lambda on_clearing_member: True,  # noqa: ARG005
    ),
    variant(
        "clear-destroys-elsewhere",
        "CLEAR-TOMB-01 CLEAR-CONV-01",
        "a clear leaves tombstones on the other members, which refuse what the clearing one then creates",
        clear_leaves_tombstones=lambda on_clearing_member: not on_clearing_member,
    ),
    variant(
        "clear-told-twice",
        "CLEAR-TOMB-01",
        "listeners receive a clear twice",
        clear_told=lambda: 2,
    ),
    variant(
        "lock-outlives-its-clear",
        "CLEAR-LIVE-01",
        "the lock of a clear is kept when the clear has returned",
        frees_lock=lambda failed: failed,
    ),
    variant(
        "lock-outlives-a-failed-clear",
        "CLEAR-LIVE-01",
        "the lock of a clear is kept when the clear has failed",
        frees_lock=lambda failed: not failed,
    ),
    variant(
        "lock-outlives-its-holder",
        "CLEAR-LIVE-01",
        "the lock of a clear is kept when the member has died that held it",
        frees_lock_of_dead=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
