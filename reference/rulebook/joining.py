"""Decisions about copies that a member takes beside all else: of a region (004), and of a queue (002).

A member receives what is written from the moment at which it takes part. The copy fills in what was written
before. Each function answers one question about plain values. Faulty variants of the answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.variant import variant


class JoiningDecisions(Subject):
    """What a copy brings, and what it leaves alone."""

    @staticmethod
    @decision("VER-STAMP-04")
    def copy_revives_destroyed() -> bool:
        """Whether a copy brings back a key that was destroyed while it was on its way: it does not.

        Source: L63, L73.
        """
        return False

    @staticmethod
    @decision("VER-STAMP-04")
    def copy_replaces_newer() -> bool:
        """Whether a copy replaces what was written while it was on its way: it does not (L63, L67 s3)."""
        return False

    @staticmethod
    @decision("VER-STAMP-04")
    def takes_updates_while_joining() -> bool:
        """Whether a member takes in updates while its copy is on its way: it does (L16)."""
        return True

    @staticmethod
    @decision("VER-STAMP-04")
    def returns_with_copy() -> bool:
        """Whether a member may be called only once it has the whole copy: so it is (L63)."""
        return True

    @staticmethod
    @decision("SER-PRIMARY-03", "GWQ-ACK-03")
    def queues_while_joining() -> bool:
        """Whether a secondary keeps what enters the queue while its copies are on their way: it does.

        Source: 002, L43.
        """
        return True


FAULTS = (
    variant(
        "a-copy-revives-the-destroyed",
        "VER-STAMP-04",
        "a key that was destroyed while a copy was on its way is there again once the copy has come",
        copy_revives_destroyed=lambda: True,
    ),
    variant(
        "a-copy-replaces-the-newer",
        "VER-STAMP-04",
        "a copy of a region replaces what was written while it was on its way",
        copy_replaces_newer=lambda: True,
    ),
    variant(
        "deaf-while-it-joins",
        "VER-STAMP-04",
        "a member takes in no update as long as its copy is on its way",
        takes_updates_while_joining=lambda: False,
    ),
    variant(
        "returns-before-its-copy",
        "VER-STAMP-04",
        "a member takes part before it has the whole copy",
        returns_with_copy=lambda: False,
    ),
    variant(
        "queues-nothing-while-it-joins",
        "SER-PRIMARY-03 GWQ-ACK-03",
        "a secondary that starts again misses what enters the queue before it has its copies",
        queues_while_joining=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
