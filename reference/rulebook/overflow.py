"""Decisions about queues beyond their memory: what moves to disk, and what comes back (000, L9).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant

SMALLEST_MB, DEFAULT_MB = 1, 100
"""What a candidate may take for the memory of a queue that has asked for another one."""


class OverflowDecisions(Subject):
    """What becomes of an event that a queue takes beyond its memory."""

    @staticmethod
    @decision("REM-SCOPE-01", free=lambda memory_mb: Free((memory_mb, SMALLEST_MB, DEFAULT_MB)))
    def memory_of(memory_mb: int) -> int:
        """Beyond how many megabytes a queue overflows: beyond those of its sender's settings (002, L115)."""
        return memory_mb

    @staticmethod
    @decision("GWQ-OVERFLOW-01")
    def moves_to_disk() -> bool:
        """Whether events move to disk where a queue exceeds its memory: some do (000, L9 s1)."""
        return True

    @staticmethod
    @decision("GWQ-OVERFLOW-01")
    def keeps_beyond_memory() -> bool:
        """Whether an event enters a queue whose memory is full: it does (000, L9 s1)."""
        return True

    @staticmethod
    @decision("GWQ-OVERFLOW-01")
    def oldest_makes_room() -> bool:
        """Whether the oldest event leaves a queue whose memory is full: it stays (000, L9 s1)."""
        return False

    @staticmethod
    @decision("GWQ-OVERFLOW-01")
    def waits_for_memory() -> bool:
        """Whether a call waits until its event has room in memory: it returns at once (000, L9 s1)."""
        return False

    @staticmethod
    @decision("GWQ-OVERFLOW-02")
    def keeps_value_on_disk() -> bool:
        """Whether an event comes back from the disk with its own value: it does (000, L9 s1)."""
        return True

    @staticmethod
    @decision("GWQ-OVERFLOW-02", free=lambda place, in_memory: Free((place, in_memory)))
    def place_on_disk(place: int, in_memory: int) -> int:  # noqa: ARG004
        """Where an event on disk stands in its queue: at the place at which it has entered (000, L9 s1).

        Args:
            place: that place.
            in_memory: how many events of the queue are in memory.
        """
        return place


FAULTS = (
    variant(
        "overflows-too-early",
        "REM-SCOPE-01",
        "a queue overflows beyond one megabyte, though its sender's settings give it more",
        memory_of=lambda _: SMALLEST_MB,
    ),
    variant(
        "never-overflows",
        "GWQ-OVERFLOW-01",
        "a queue keeps all in memory, however much that is",
        moves_to_disk=lambda: False,
    ),
    variant(
        "drops-beyond-memory",
        "GWQ-OVERFLOW-01",
        "an event is dropped where the memory of its queue is full",
        keeps_beyond_memory=lambda: False,
    ),
    variant(
        "oldest-makes-room",
        "GWQ-OVERFLOW-01",
        "the oldest event is dropped for each that enters a queue whose memory is full",
        oldest_makes_room=lambda: True,
    ),
    variant(
        "blocks-beyond-memory",
        "GWQ-OVERFLOW-01",
        "a call blocks until its event has room in the memory of its queue",
        waits_for_memory=lambda: True,
    ),
    variant(
        "disk-mixes-values",
        "GWQ-OVERFLOW-02",
        "an event comes back from the disk with the value of the event before it",
        keeps_value_on_disk=lambda: False,
    ),
    variant(
        "disk-reads-last-first",
        "GWQ-OVERFLOW-02",
        "what has moved to disk last is sent first, behind what is in memory",
        place_on_disk=lambda _, in_memory: in_memory,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
