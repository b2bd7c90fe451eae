"""Decisions about primary and secondary senders, and about the takeover (002).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.history.operations import OperationKind
from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


class RecordDecisions(Subject):
    """What a secondary records of operations that are not in its copy of the queue."""

    @staticmethod
    @decision("SER-SECONDARY-02")
    def queued_clears_record() -> bool:
        """Whether the primary's queue entry removes the record at a secondary: it does (002, A7)."""
        return True

    @staticmethod
    @decision("SER-SECONDARY-05")
    def removal_clears_record() -> bool:
        """Whether the removal of an event drops what a secondary recorded of it: it does (002, Serial)."""
        return True

    @staticmethod
    @decision("SER-SECONDARY-01", "SER-ENQ-02")
    def secondary_remembers(kind: OperationKind, of_other_site: bool) -> bool:  # noqa: ARG004
        """Whether a secondary records an operation that the primary has not queued yet: it does (002, A2)."""
        return True

    @staticmethod
    @decision("SER-SECONDARY-03", "SER-SECONDARY-04")
    def remembers_queued_first() -> bool:
        """Whether a secondary remembers a queue entry that came before its operation: it does (002, B5)."""
        return True


class TakeoverDecisions(Subject):
    """Which sender is primary, and what a new primary does."""

    @staticmethod
    @decision("SER-PRIMARY-02")
    def starts_as_primary(first: bool) -> bool:
        """Whether a sender that starts becomes primary: the first does (002, Serial)."""
        return first

    @staticmethod
    @decision("SER-PRIMARY-02")
    def stays_primary(queued: int) -> bool:  # noqa: ARG004
        """Whether a primary that runs stays it, however many events it has queued: it does (002, Serial)."""
        return True

    @staticmethod
    @decision("SER-PRIMARY-03", "SER-PRIMARY-01", "GWQ-PROC-01")
    def dispatches(primary: bool) -> bool:
        """Whether a sender dispatches from its copy of the queue: the primary alone does (002, Serial)."""
        return primary

    @staticmethod
    @decision("SER-PRIMARY-04", "SER-PRIMARY-05")
    def takes_over() -> bool:
        """Whether a secondary becomes primary when there is none any more: it does (002, Serial)."""
        return True

    @staticmethod
    @decision("SER-PRIMARY-06")
    def stays_eligible(missed: int, waited_ms: int) -> bool:  # noqa: ARG004
        """Whether a secondary that was passed over so often still waits, after so long: it does.

        Source: 002, Serial.
        """
        return True

    @staticmethod
    @decision("SER-FAILOVER-01", "GWQ-ACK-03")
    def keeps_inherited() -> bool:
        """Whether a new primary keeps what its copy of the queue holds: it does (002, Serial)."""
        return True

    @staticmethod
    @decision("SER-FAILOVER-01")
    def looks_for_queued() -> bool:
        """Whether a new primary leaves out records of what is in its queue: it does (002, Serial)."""
        return True

    @staticmethod
    @decision("SER-FAILOVER-01")
    def merges_before_new() -> bool:
        """Whether a new primary queues its records before it accepts new events: it does (002, Serial)."""
        return True

    @staticmethod
    @decision("SER-FAILOVER-01", "SER-ENQ-02")
    def merges_records() -> bool:
        """Whether a new primary queues what it only has a record of: it does (002, Serial)."""
        return True

    @staticmethod
    @decision("SER-FAILOVER-02")
    def records_behind_queue() -> bool:
        """Whether the records come behind the events that were queued: they do (002, Serial)."""
        return True

    @staticmethod
    @decision("SER-FAILOVER-02")
    def records_in_order() -> bool:
        """Whether the records are queued in the order in which they were made: they are (002, Serial)."""
        return True

    @staticmethod
    @decision("REM-SERIAL-04", free=lambda count: Free(tuple(range(min(count, 3) + 1))))
    def skipped_at_takeover(inherited: int) -> int:  # noqa: ARG004
        """How many of its inherited events a new primary takes for delivered: none (002, Serial)."""
        return 0

    @staticmethod
    @decision("SER-SECONDARY-06")
    def tracks_after_takeover() -> bool:
        """Whether a new primary still records operations, as a secondary does: it queues them.

        Source: 002, Serial.
        """
        return False


FAULTS = (
    variant(
        "inherits-nothing",
        "GWQ-ACK-03 SER-FAILOVER-01",
        "a new primary begins with an empty queue",
        keeps_inherited=lambda: False,
    ),
    variant(
        "everybody-dispatches",
        "SER-PRIMARY-03 SER-PRIMARY-01 GWQ-PROC-01",
        "secondaries dispatch from their copies as well",
        dispatches=lambda primary: True,  # noqa: ARG005
    ),
    variant(
        "everybody-is-primary",
        "SER-PRIMARY-02",
        "every sender that starts takes itself for the primary",
        starts_as_primary=lambda first: True,  # noqa: ARG005
    ),
    variant(
        "hands-over",
        "SER-PRIMARY-02",
        "a primary that has emptied its queue hands over to a secondary, though it runs on",
        stays_primary=lambda queued: not queued,
    ),
    variant(
        "secondary-forgets",
        "SER-SECONDARY-01 SER-ENQ-02",
        "a secondary does not record what the primary has not queued",
        secondary_remembers=lambda *_: False,
    ),
    variant(
        "destroys-not-recorded",
        "SER-SECONDARY-01 SER-ENQ-02",
        "a secondary records what the primary has not queued, but no destroys",
        secondary_remembers=lambda kind, _: kind is not OperationKind.DESTROY,
    ),
    variant(
        "records-its-own-site-alone",
        "SER-SECONDARY-01 SER-ENQ-02",
        "a secondary does not record what came from another site and is to go on to a third",
        secondary_remembers=lambda _, of_other_site: not of_other_site,
    ),
    variant(
        "records-never-cleared",
        "SER-SECONDARY-02",
        "the primary's queue entry does not remove the record at a secondary",
        queued_clears_record=lambda: False,
    ),
    variant(
        "records-survive-removal",
        "SER-SECONDARY-02 SER-SECONDARY-05",
        "neither a queue entry nor its removal drops what a secondary recorded",
        queued_clears_record=lambda: False,
        removal_clears_record=lambda: False,
    ),
    variant(
        "queued-first-is-forgotten",
        "SER-SECONDARY-03 SER-SECONDARY-04",
        "a secondary does not remember a queue entry that came before its operation",
        remembers_queued_first=lambda: False,
    ),
    variant(
        "nobody-takes-over",
        "SER-PRIMARY-04 SER-PRIMARY-05",
        "a secondary never becomes primary",
        takes_over=lambda: False,
    ),
    variant(
        "waits-once",
        "SER-PRIMARY-06",
        "a secondary that another was preferred to no longer waits to become primary",
        stays_eligible=lambda missed, waited_ms: not missed,  # noqa: ARG005
    ),
    variant(
        "tires-of-waiting",
        "SER-PRIMARY-06",
        "a secondary waits an hour to become primary, and no longer",
        stays_eligible=lambda missed, waited_ms: waited_ms < 3_600_000,  # noqa: ARG005
    ),
    variant(
        "begins-empty",
        "SER-FAILOVER-01 GWQ-ACK-03",
        "a new primary begins with an empty queue",
        keeps_inherited=lambda: False,
    ),
    variant(
        "drops-records",
        "SER-FAILOVER-01 SER-ENQ-02",
        "a new primary drops what it has only a record of",
        merges_records=lambda: False,
    ),
    variant(
        "queues-all-records",
        "SER-FAILOVER-01",
        "a new primary queues what it has recorded without looking whether it is queued already",
        queued_clears_record=lambda: False,
        looks_for_queued=lambda: False,
    ),
    variant(
        "records-behind-new",
        "SER-FAILOVER-01",
        "a new primary queues its records behind the first new event",
        merges_before_new=lambda: False,
    ),
    variant(
        "records-first",
        "SER-FAILOVER-02",
        "a new primary puts what it has only a record of in front of what was queued",
        records_behind_queue=lambda: False,
    ),
    variant(
        "records-reversed",
        "SER-FAILOVER-02",
        "a new primary queues the last record first",
        records_in_order=lambda: False,
    ),
    variant(
        "tracks-as-primary",
        "SER-SECONDARY-06",
        "a new primary goes on recording what is called on its member, and queues none of it",
        tracks_after_takeover=lambda: True,
    ),
    variant(
        "inherited-is-delivered",
        "REM-SERIAL-04",
        "a new primary takes all that it inherits for delivered",
        skipped_at_takeover=lambda inherited: inherited,
    ),
    variant(
        "dispatched-is-delivered",
        "REM-SERIAL-04",
        "a new primary takes the oldest event that it inherits for delivered",
        skipped_at_takeover=lambda inherited: min(inherited, 1),
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
