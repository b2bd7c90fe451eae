"""Faulty variants of clearing a region.

Knows nothing of how they are found out.
"""

from __future__ import annotations

from plumbline.reference.rulebook.variant import variant

CLEARS = (
    variant(
        "locks-its-own-member-only",
        "CLEAR-LOCK-01",
        "the lock of a clear shuts out updates on the clearing member only",
        shuts_out=lambda on_clearing_member: on_clearing_member,
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
        "CLEAR-TOMB-01",
        "tombstones from before a clear stay",
        clear_keeps_tombstones=lambda: True,
    ),
    variant(
        "clear-told-twice",
        "CLEAR-TOMB-01",
        "listeners are told twice that a region was cleared",
        clear_told=lambda: 2,
    ),
    variant(
        "lock-outlives-its-holder",
        "CLEAR-LIVE-01",
        "the lock of a clear is kept when the member has died that held it",
        frees_lock_of_dead=lambda: False,
    ),
)
"""All of them."""
