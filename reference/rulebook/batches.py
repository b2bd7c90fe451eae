"""Decisions about batches: what they take, when they leave, and what their reply removes (000, 002).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


def any_batch(waiting: int, size: int) -> Free:
    """Three sizes of a batch: the largest allowed, one event more, and a single event."""
    right = min(waiting, size)
    return Free(tuple(dict.fromkeys((right, min(waiting, size + 1), 1))))


class BatchDecisions(Subject):
    """What a batch takes, when it leaves, and what its reply removes."""

    @staticmethod
    @decision(
        "GWQ-BATCH-06",
        "WAN-ORDER-01",
        "SHQ-FIFO-01",
        "GWQ-PROC-01",
        free=lambda unsent: Free(tuple(range(min(unsent, 3)))),
    )
    def next_of_queue(unsent: int) -> int:  # noqa: ARG004
        """Which of the unsent events is sent next, counted from the oldest: the oldest (002, Local)."""
        return 0

    @staticmethod
    @decision("GWQ-BATCH-01", "GWQ-BATCH-04", free=any_batch)
    def batch_of(waiting: int, size: int) -> int:
        """How many of the waiting events a batch takes: all, up to its size (000, L34)."""
        return min(waiting, size)

    @staticmethod
    @decision("GWQ-BATCH-05", free=lambda queue, others: Free((queue, *others)))
    def settings_of(queue: str, others: tuple[str, ...]) -> str:  # noqa: ARG004
        """Whose batch size counts for a queue: its own (000, L34)."""
        return queue

    @staticmethod
    @decision("GWQ-BATCH-05", free=lambda queue, others: Free((queue, *others)))
    def interval_of(queue: str, others: tuple[str, ...]) -> str:  # noqa: ARG004
        """Whose batch interval counts for a queue: its own (000, L34)."""
        return queue

    @staticmethod
    @decision("GWQ-BATCH-02")
    def full_batch_waits() -> bool:
        """Whether a batch that is full waits until the interval is over: it does not (000, L34)."""
        return False

    @staticmethod
    @decision("GWQ-BATCH-04")
    def leaves_partial(since_ms: int, interval_ms: int) -> bool:
        """Whether a batch that is not full may leave, so long after the last: when its interval is over.

        Source: 000.
        """
        return since_ms >= interval_ms

    @staticmethod
    @decision("GWQ-BATCH-03", "GWQ-BATCH-07")
    def leaves_at_interval(waiting: int) -> bool:  # noqa: ARG004
        """Whether a batch of so many events, not full, leaves when the interval is over: it does.

        Source: 000, L34.
        """
        return True

    @staticmethod
    @decision("GWQ-ACK-05")
    def sends_while_unanswered() -> bool:
        """Whether a batch is sent before the one in front of it was answered: it is not (000, L31)."""
        return False

    @staticmethod
    @decision("GWQ-ACK-01", "GWQ-PROC-02", "SHQ-FIFO-02")
    def removes_when_sent() -> bool:
        """Whether an event leaves the queue before it was answered: it does not (000, L30)."""
        return False

    @staticmethod
    @decision(
        "GWQ-ACK-02",
        "SHQ-FIFO-02",
        free=lambda answered: Free((answered, answered + 1, max(answered - 1, 0))),
    )
    def removed_by_reply(answered: int) -> int:
        """How many events an answer to so many removes: exactly those (000, L28; 002, Remote)."""
        return answered

    @staticmethod
    @decision(
        "SHQ-FIFO-01",
        free=lambda waiting, answered: Free(tuple(dict.fromkeys((0, max(waiting - answered, 0))))),
    )
    def removed_from(waiting: int, answered: int) -> int:  # noqa: ARG004
        """From which place of a queue an answer removes events: from its head (002, Local)."""
        return 0


class RetryDecisions(Subject):
    """What is sent again, and how long a sender tries."""

    @staticmethod
    @decision("GWQ-RETRY-01", "GWQ-ACK-06")
    def resends_unanswered(died: bool) -> bool:  # noqa: ARG004
        """Whether what was not answered is sent again where a link broke or a receiver died: all.

        Source: 000, L35.
        """
        return True

    @staticmethod
    @decision("GWQ-ACK-06")
    def resends_applied() -> bool:
        """Whether that is sent again which a receiver had applied when it died: the whole batch is.

        Source: 000, L34.
        """
        return True

    @staticmethod
    @decision("WAN-ORDER-03")
    def repeats_in_order() -> bool:
        """Whether what is sent again comes in its order, the oldest first: it does (000, L7, L34)."""
        return True

    @staticmethod
    @decision("WAN-ORDER-03", "GWQ-RETRY-05")
    def resends_first() -> bool:
        """Whether what was not answered is sent again before what came after it: it is (000, L34, L40)."""
        return True

    @staticmethod
    @decision("GWQ-RETRY-02")
    def keeps_trying(connections: int, passed_ms: int) -> bool:  # noqa: ARG004
        """Whether unanswered events stay, over however many connections and however long: yes.

        Source: 002, Remote.
        """
        return True

    @staticmethod
    @decision("GWQ-RETRY-07")
    def waits_for_other_senders() -> bool:
        """Whether a sender waits while another of its member has no receiver: it does not (000, L7, L41)."""
        return False

    @staticmethod
    @decision("GWQ-RETRY-03", "GWQ-ACK-03")
    def stays_without_receiver() -> bool:
        """Whether what is queued stays where no receiver is to be had: it does (000, L41)."""
        return True

    @staticmethod
    @decision("GWQ-RETRY-03")
    def tries_again(waited_ms: int) -> bool:
        """Whether a sender that has found no receiver tries again so much later: after five seconds (L41)."""
        return waited_ms >= 5_000

    @staticmethod
    @decision("GWQ-RETRY-04", "WANC-ASYNC-01")
    def reconnects(same: bool) -> bool:  # noqa: ARG004
        """Whether a sender connects again by itself, to the same receiver or another: it does (000, L36)."""
        return True

    @staticmethod
    @decision("GWQ-RETRY-05", "WAN-ASYNC-01")
    def collects_while_unconnected() -> bool:
        """Whether new events are queued while no receiver can be reached: they are (000, L36)."""
        return True


class RemovalDecisions(Subject):
    """When a receiver answers, and how the copies of a queue learn what was removed."""

    @staticmethod
    @decision("GWQ-PROC-02", "GWQ-ACK-06")
    def replies_after_applying() -> bool:
        """Whether a receiver answers only what it has applied: it does (000, L27, L30)."""
        return True

    @staticmethod
    @decision("RCV-RETRY-02")
    def answers_when_stopped() -> bool:
        """Whether a receiver that shuts down answers what it has not applied: it does not (002, Remote)."""
        return False

    @staticmethod
    @decision("REM-SERIAL-02", "SER-FAILOVER-03")
    def tells_removals(told: bool) -> bool:  # noqa: ARG004
        """Whether a primary tells the others what it has removed, also again: it does.

        Source: 002, Removing, Serial.
        """
        return True

    @staticmethod
    @decision("REM-GEN-01")
    def tells_removal_when_sent() -> bool:
        """Whether the others receive a removal before the event was answered: they do not (002, Serial)."""
        return False

    @staticmethod
    @decision("REM-GEN-01")
    def removes_locally_first() -> bool:
        """Whether a primary removes what was answered, and tells the others then: it does (002, Removing)."""
        return True

    @staticmethod
    @decision("REM-SERIAL-03")
    def removes_whole_range() -> bool:
        """Whether a removal message empties a copy up to its position, not there alone: it does.

        Source: 002, Serial.
        """
        return True

    @staticmethod
    @decision("REM-SERIAL-03", free=lambda last: Free((last, last + 1, last - 1)))
    def range_removed(last: int) -> int:
        """Up to which position a removal message empties a copy: to the last dispatched one (002, Serial)."""
        return last

    @staticmethod
    @decision(
        "STAT-QUEUE-01", free=lambda queued, unanswered: Free((queued, queued - unanswered, queued + 1, 0))
    )
    def depth_reported(queued: int, unanswered: int) -> int:  # noqa: ARG004
        """How deep a queue is said to be: as many as are queued and not removed (002)."""
        return queued


def sends_at_will() -> Free:
    """The same where answers are heard by a thread of their own: it may be, or wait (002, L27)."""
    return Free((False, True))


FAULTS = (
    variant(
        "sends-ahead",
        "GWQ-ACK-05",
        "a batch is sent before the one in front of it was answered",
        dialect=Dialect.GEMFIRE6,
        sends_while_unanswered=lambda: True,
    ),
    variant(
        "collects-nothing",
        "GWQ-RETRY-05 WAN-ASYNC-01",
        "nothing is queued while no receiver can be reached",
        collects_while_unconnected=lambda: False,
    ),
    variant(
        "forgets-unanswered",
        "GWQ-RETRY-01",
        "what was not answered when a connection broke is taken for delivered",
        resends_unanswered=lambda died: died,
    ),
    variant(
        "death-is-an-answer",
        "GWQ-RETRY-01 GWQ-ACK-06",
        "what was not answered when its receiver died is taken for delivered",
        resends_unanswered=lambda died: not died,
    ),
    variant(
        "resumes-behind-applied",
        "GWQ-ACK-06",
        "what a receiver had applied when it died is not sent again",
        resends_applied=lambda: False,
    ),
    variant(
        "repeats-backwards",
        "WAN-ORDER-03",
        "what was not answered is sent again with the newest event first",
        repeats_in_order=lambda: False,
    ),
    variant(
        "gives-up",
        "GWQ-RETRY-02",
        "what was sent over three connections and never answered is given up",
        keeps_trying=lambda connections, _: connections < 3,
    ),
    variant(
        "gives-up-with-age",
        "GWQ-RETRY-02",
        "what was not answered for a day is given up when a connection breaks",
        keeps_trying=lambda _, passed_ms: passed_ms < 86_400_000,
    ),
    variant(
        "drops-without-receiver",
        "GWQ-RETRY-03 GWQ-ACK-03",
        "what is queued is dropped when no receiver is to be had",
        stays_without_receiver=lambda: False,
    ),
    variant(
        "tries-without-a-pause",
        "GWQ-RETRY-03",
        "a sender that has found no receiver tries again at once",
        tries_again=lambda _: True,
    ),
    variant(
        "connects-once",
        "GWQ-RETRY-04 WANC-ASYNC-01",
        "a sender whose connection has broken never connects again",
        reconnects=lambda _: False,
    ),
    variant(
        "waits-for-other-senders",
        "GWQ-RETRY-07",
        "a sender waits while another one of its member has no receiver",
        waits_for_other_senders=lambda: True,
    ),
    variant(
        "knows-one-receiver",
        "GWQ-RETRY-04",
        "a sender connects again to its first receiver, and to no other",
        reconnects=lambda same: same,
    ),
    variant(
        "resends-later",
        "WAN-ORDER-03 GWQ-RETRY-05",
        "what was not answered is sent again behind what was queued meanwhile",
        resends_first=lambda: False,
    ),
    variant(
        "answers-first",
        "GWQ-PROC-02 GWQ-ACK-06",
        "a receiver answers what has arrived before it has applied it",
        replies_after_applying=lambda: False,
    ),
    variant(
        "answers-when-stopped",
        "RCV-RETRY-02",
        "a receiver that shuts down answers the batch in hand, and drops what it has not applied",
        answers_when_stopped=lambda: True,
    ),
    variant(
        "receives-batches-backwards",
        "RCV-APPLY-01",
        "a receiver begins with the second of two batches that have arrived",
        sends_while_unanswered=lambda: True,
        next_of_wire=lambda waiting, size: size if waiting > size else 0,
    ),
    variant(
        "sends-newest-first",
        "GWQ-BATCH-06 WAN-ORDER-01 SHQ-FIFO-01",
        "a batch begins with the newest event",
        next_of_queue=lambda unsent: unsent - 1,
    ),
    variant(
        "two-drain-one-queue",
        "GWQ-PROC-01 WAN-ORDER-01",
        "two threads drain a queue of one dispatcher, and the second is ahead of the first",
        next_of_queue=lambda unsent: min(unsent, 2) - 1,
    ),
    variant(
        "batch-of-one-more",
        "GWQ-BATCH-01",
        "a batch takes one event more than its size",
        batch_of=lambda waiting, size: min(waiting, size + 1),
    ),
    variant(
        "leaves-some-behind",
        "GWQ-BATCH-04",
        "a batch that is not full takes the oldest event and leaves the others",
        batch_of=lambda waiting, size: size if waiting >= size else 1,
    ),
    variant(
        "leaves-at-once",
        "GWQ-BATCH-04",
        "a batch leaves as soon as there is an event, full or not",
        leaves_partial=lambda since_ms, interval_ms: True,  # noqa: ARG005
    ),
    variant(
        "full-waits",
        "GWQ-BATCH-02",
        "a batch leaves when its interval is over, and not before though it is full",
        full_batch_waits=lambda: True,
    ),
    variant(
        "waits-to-be-full",
        "GWQ-BATCH-03 GWQ-BATCH-07",
        "a batch leaves when it is full, and not before",
        leaves_at_interval=lambda waiting: False,  # noqa: ARG005
    ),
    variant(
        "lone-event-waits",
        "GWQ-BATCH-07",
        "an event that is alone in its queue waits for another",
        leaves_at_interval=lambda waiting: waiting > 1,
    ),
    variant(
        "settings-of-another",
        "GWQ-BATCH-05",
        "every queue has the batch size and interval of the one whose id is the first",
        settings_of=lambda queue, others: min((queue, *others)),
    ),
    variant(
        "interval-of-another",
        "GWQ-BATCH-05",
        "every queue has the batch interval of the one whose id is the first",
        interval_of=lambda queue, others: min((queue, *others)),
    ),
    variant(
        "removes-when-sent",
        "GWQ-ACK-01 GWQ-PROC-02 SHQ-FIFO-02",
        "an event leaves the queue when it is sent",
        removes_when_sent=lambda: True,
    ),
    variant(
        "removes-one-more",
        "GWQ-ACK-02 SHQ-FIFO-02",
        "an answer removes an event of the next batch, too",
        removed_by_reply=lambda answered: answered + 1,
    ),
    variant(
        "removes-the-newest",
        "SHQ-FIFO-01",
        "an answer removes as many events from the end of the queue",
        removed_from=lambda waiting, answered: waiting - answered,
    ),
    variant(
        "leaves-last-of-batch",
        "GWQ-ACK-02",
        "an answer leaves the last event of its batch in the queue",
        removed_by_reply=lambda answered: answered - 1,
    ),
    variant(
        "read-is-removed",
        "STAT-QUEUE-01",
        "events that have been read for a batch are not counted",
        depth_reported=lambda queued, unanswered: queued - unanswered,
    ),
    variant(
        "never-empty",
        "STAT-QUEUE-01",
        "the depth of an empty queue is reported as one",
        depth_reported=lambda queued, unanswered: max(queued, 1),  # noqa: ARG005
    ),
    variant(
        "tells-no-removals",
        "REM-SERIAL-02 SER-FAILOVER-03",
        "the secondaries never hear what has left the queue",
        tells_removals=lambda _: False,
    ),
    variant(
        "tells-removals-once",
        "REM-SERIAL-02",
        "the secondaries hear once what has left the queue, and never again",
        tells_removals=lambda told: not told,
    ),
    variant(
        "tells-removal-when-sent",
        "REM-GEN-01",
        "the secondaries hear of a removal as soon as the event is sent",
        tells_removal_when_sent=lambda: True,
    ),
    variant(
        "has-others-remove",
        "REM-GEN-01",
        "a primary has the others remove what was answered, and keeps it itself",
        removes_locally_first=lambda: False,
    ),
    variant(
        "removes-range-and-one",
        "REM-SERIAL-03",
        "a removal message empties a copy up to one event too many",
        range_removed=lambda last: last + 1,
    ),
    variant(
        "removes-the-last-alone",
        "REM-SERIAL-03",
        "a removal message empties a copy of the last event alone",
        removes_whole_range=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
