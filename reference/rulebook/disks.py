"""Decisions about queues on disk: which are kept there, and what is there after a crash (000, L9; 002, L115).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


def _some_of(count: int) -> Free:
    """None, one, or up to all."""
    return Free(tuple(range(count + 1)))


class DiskDecisions(Subject):
    """What the disk of a member holds of a queue, and what becomes of that when the member starts again."""

    @staticmethod
    @decision("SER-PRIMARY-04")
    def goes_on_alone() -> bool:
        """Whether a sender that starts where no other one runs sends what has waited: it does (002, L45)."""
        return True

    @staticmethod
    @decision("SER-PRIMARY-03", "GWQ-ACK-03")
    def joins_with_queue() -> bool:
        """Whether a secondary that starts again takes a copy of the queue that runs: it does (002, L43)."""
        return True

    @staticmethod
    @decision("GWQ-PERSIST-01", "REM-SCOPE-01", "GWQ-OVERFLOW-03")
    def keeps_on_disk(persistent: bool) -> bool:
        """Whether a queue is back when all members that held it start again: a persistent one (000, L9 s2).

        Args:
            persistent: the sender's setting, which is off unless it is asked for.
        """
        return persistent

    @staticmethod
    @decision("GWQ-PERSIST-01", free=_some_of)
    def unwritten(written: int) -> int:  # noqa: ARG004
        """How many of the last events whose calls had returned are missing on the disk: none (000, L9 s3)."""
        return 0

    @staticmethod
    @decision("GWQ-PERSIST-02", free=_some_of)
    def skipped_on_disk(recovered: int) -> int:  # noqa: ARG004
        """Behind how many of the oldest events a sender resumes: it resumes at the oldest (000, L9 s3)."""
        return 0

    @staticmethod
    @decision("GWQ-PERSIST-02")
    def recovers_in_order() -> bool:
        """Whether a recovered queue has the order in which it was filled: it has (000, L9 s3)."""
        return True

    @staticmethod
    @decision("GWQ-PERSIST-02")
    def forgets_removed() -> bool:
        """Whether what has left a queue is off the disk once all has come to rest: it is (000, L9 s3)."""
        return True

    @staticmethod
    @decision("GWQ-PERSIST-03")
    def enters_behind_recovered() -> bool:
        """Whether a new event leaves a recovered queue as it is, and comes behind it: yes (000, L9 s3)."""
        return True


FAULTS = (
    variant(
        "waits-for-good",
        "SER-PRIMARY-04",
        "a sender that starts where no other one runs never dispatches what has waited",
        goes_on_alone=lambda: False,
    ),
    variant(
        "joins-without-the-queue",
        "SER-PRIMARY-03 GWQ-ACK-03",
        "a secondary that starts again takes no copy of what waits in the queue",
        joins_with_queue=lambda: False,
    ),
    variant(
        "never-on-disk",
        "GWQ-PERSIST-01 REM-SCOPE-01",
        "a queue is kept in memory alone, though its sender's settings have it persistent",
        keeps_on_disk=lambda _: False,
    ),
    variant(
        "always-on-disk",
        "GWQ-PERSIST-01 REM-SCOPE-01 GWQ-OVERFLOW-03",
        "a queue comes back from the disk, though its sender's settings do not ask for that",
        keeps_on_disk=lambda _: True,
    ),
    variant(
        "written-late",
        "GWQ-PERSIST-01",
        "a call returns before its event is on the disk, and a crash loses it",
        unwritten=lambda written: min(written, 1),
    ),
    variant(
        "resumes-behind-the-oldest",
        "GWQ-PERSIST-02",
        "a sender that starts again takes the oldest event on its disk for delivered",
        skipped_on_disk=lambda recovered: min(recovered, 1),
    ),
    variant(
        "recovers-the-last-first",
        "GWQ-PERSIST-02",
        "a sender that starts again sends what is on its disk from the last event to the first",
        recovers_in_order=lambda: False,
    ),
    variant(
        "sends-the-removed-again",
        "GWQ-PERSIST-02",
        "removals never reach the disk, so that all that was ever delivered is queued again",
        forgets_removed=lambda: False,
    ),
    variant(
        "replaces-the-recovered",
        "GWQ-PERSIST-03",
        "positions are counted anew after a restart, so that a new event replaces a recovered one",
        enters_behind_recovered=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
