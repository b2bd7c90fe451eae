"""Faulty variants of what members keep of destroyed entries.

Knows nothing of how they are found out.
"""

from __future__ import annotations

from plumbline.reference.rulebook.values import EntryState
from plumbline.reference.rulebook.variant import variant

TOMBSTONES = (
    variant(
        "forgets-at-once",
        "TOMB-RETAIN-01",
        "a destroy forgets the entry at once, with its version",
        keeps_tombstone=lambda: False,
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
        compared_with_tombstone=lambda stamp: stamp._replace(version=stamp.version + 1),
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
        remembers_unseen_destroy=lambda: False,
    ),
    variant(
        "tombstones-show",
        "TOMB-INVIS-01",
        "whoever reads finds an entry without a value in place of a tombstone",
        tombstone_read_as=lambda: EntryState.INVALID,
    ),
)
"""All of them."""
