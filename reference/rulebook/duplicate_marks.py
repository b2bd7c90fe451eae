"""Decisions about the mark of a possible duplicate, an extension: which events of a batch carry it.

A listener that receives an event again can tell it by that mark. Each function answers one question about
plain values. None knows the model's state. Faulty variants of the answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.variant import variant


class MarkDecisions(Subject):
    """What a listener learns about events that it, or another one, may have received before."""

    @staticmethod
    @decision("EXT-MARK-01")
    def marks_repeated(first: bool) -> bool:  # noqa: ARG004
        """Whether an event that a listener has received before carries the mark (Geode, AsyncEvent).

        Args:
            first: whether it is the first of its batch.
        """
        return True

    @staticmethod
    @decision("EXT-MARK-02")
    def marks_after_takeover() -> bool:
        """Whether a new primary marks what the old one's listener has received (Geode, AsyncEvent)."""
        return True

    @staticmethod
    @decision("EXT-MARK-03")
    def marks_first_time(behind: bool) -> bool:  # noqa: ARG004
        """Whether an event that no listener has received carries the mark (Geode, AsyncEvent).

        Args:
            behind: whether the batch begins with an event that has come before.
        """
        return False


FAULTS = (
    variant(
        "repeats-without-mark",
        "EXT-MARK-01",
        "a batch that its listener has failed comes again without marks",
        marks_repeated=lambda _: False,
    ),
    variant(
        "marks-first-of-batch-alone",
        "EXT-MARK-01",
        "of a batch that comes again only the first event carries the mark",
        marks_repeated=lambda first: first,
    ),
    variant(
        "takes-over-without-marks",
        "EXT-MARK-02",
        "a new primary offers without a mark what the old one has offered",
        marks_after_takeover=lambda: False,
    ),
    variant(
        "marks-everything",
        "EXT-MARK-03",
        "each event carries the mark",
        marks_first_time=lambda _: True,
    ),
    variant(
        "marks-new-events-of-a-repeated-batch",
        "EXT-MARK-03",
        "a new event carries the mark where it comes behind one that has failed",
        marks_first_time=lambda behind: behind,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
