"""Decisions about events that a receiver fails to apply (000, 002).

An event fails where a cache writer at the receiving member refuses it. Each function answers one question
about plain values. None knows the model's state. Faulty variants of the answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


class FailureDecisions(Subject):
    """What becomes of an event that cannot be applied, and of those behind it."""

    @staticmethod
    @decision("RCV-RETRY-01")
    def retries_kept(keeps: bool) -> bool:  # noqa: ARG004
        """Whether a receiver tries an event again where the sender keeps failed events: it does not.

        Source: 000, L39. Document 002, L107, says otherwise (see `retries_where_kept`).
        """
        return False

    @staticmethod
    @decision("GWQ-FAILACK-02")
    def tries_failed_again() -> bool:
        """Whether an event that failed is tried once more where failed events are removed: it is not.

        Source: 000, L39.
        """
        return False

    @staticmethod
    @decision("GWQ-FAILACK-03")
    def goes_on_behind_failed() -> bool:
        """Whether the events behind one that failed are dealt with: they are (000, L39)."""
        return True

    @staticmethod
    @decision("GWQ-FAILACK-05")
    def answers_failed() -> bool:
        """Whether the answer to a batch covers the events that failed: it does (002, L105)."""
        return True

    @staticmethod
    @decision("GWQ-FAILACK-05", free=lambda answered: Free((answered, max(answered - 1, 0))))
    def removed_where_kept(answered: int) -> int:
        """How many events an answer to so many removes where the sender keeps failed events: exactly those.

        Source: 002, L105.
        """
        return answered

    @staticmethod
    @decision("RCV-RETRY-01")
    def waits_behind_retried() -> bool:
        """Whether the events behind one that is tried again wait until it succeeds: they do (002, L107)."""
        return True

    @staticmethod
    @decision("RCV-RETRY-01")
    def answers_before_success() -> bool:
        """Whether an event that is tried again is answered before it succeeds: it is not (002, L107)."""
        return False

    @staticmethod
    @decision("GWQ-FAILACK-06", free=lambda *_: Free((0, 1, 2)))
    def failures_reported(failed: bool, already: int) -> int:  # noqa: ARG004
        """How many failures are reported of an event: one if it failed, else none.

        `already` is how many its receiver has reported before. Source: 002, L105.
        """
        return 1 if failed else 0

    @staticmethod
    @decision(
        "GWQ-FAILACK-01",
        free=lambda place, count: Free(tuple(dict.fromkeys((place, place - 1, place + 1, count)))),
    )
    def event_named(place: int, count: int) -> int:  # noqa: ARG004
        """Which of so many events an answer names as failed that stands at this place: that one (000, L39).

        A place outside names none.
        """
        return place

    @staticmethod
    @decision("GWQ-FAILACK-01")
    def carries_exception() -> bool:
        """Whether an answer brings the receiver's exception: it does (000, L39)."""
        return True

    @staticmethod
    @decision("GWQ-FAILACK-04")
    def logs_failure() -> bool:
        """Whether a sender logs that an event has failed: it does (000, L39)."""
        return True


def retries_where_kept(keeps: bool) -> bool:
    """Whether a receiver tries an event again: where the sender keeps failed events (002, L107)."""
    return keeps


FAULTS = (
    variant(
        "failed-event-blocks-the-queue",
        "GWQ-FAILACK-02",
        "a receiver tries an event that failed until it succeeds, though failed events are to be removed",
        tries_failed_again=lambda: True,
    ),
    variant(
        "failure-drops-the-rest",
        "GWQ-FAILACK-03",
        "a receiver stops at an event that failed, and what came behind it is removed with it",
        goes_on_behind_failed=lambda: False,
    ),
    variant(
        "failed-event-stays-in-the-queue",
        "GWQ-FAILACK-05",
        "an answer that reports a failure leaves an event of its batch in the queue",
        answers_failed=lambda: False,
    ),
    variant(
        "keeping-sender-leaves-the-last",
        "GWQ-FAILACK-05",
        "a sender that keeps failed events leaves the last event of an answered batch in its queue",
        removed_where_kept=lambda answered: answered - 1,
    ),
    variant(
        "first-failure-alone-is-reported",
        "GWQ-FAILACK-06",
        "a receiver reports the first event that failed, and no later one",
        failures_reported=lambda failed, already: int(failed and not already),
    ),
    variant(
        "successes-are-reported-as-failures",
        "GWQ-FAILACK-06",
        "a receiver reports each event as failed, once one has failed",
        failures_reported=lambda failed, already: int(failed or already > 0),
    ),
    variant(
        "next-event-is-named-as-failed",
        "GWQ-FAILACK-01",
        "an answer counts the events of its batch from one place too far, and names the next one as failed",
        event_named=lambda place, _: place + 1,
    ),
    variant(
        "answer-lacks-the-exception",
        "GWQ-FAILACK-01",
        "an answer names the event that failed without the receiver's exception",
        carries_exception=lambda: False,
    ),
    variant(
        "failure-is-not-logged",
        "GWQ-FAILACK-04",
        "a sender removes an event that failed without a word",
        logs_failure=lambda: False,
    ),
    variant(
        "kept-events-are-dropped",
        "RCV-RETRY-01",
        "a receiver answers after the first failure, though the sender is to keep failed events",
        retries_kept=lambda keeps: False,  # noqa: ARG005
    ),
    variant(
        "kept-event-is-answered-ahead",
        "RCV-RETRY-01",
        "a receiver answers an event that it has yet to apply, and goes on trying",
        answers_before_success=lambda: True,
    ),
    variant(
        "later-events-pass-a-failed-one",
        "RCV-RETRY-01",
        "while a receiver tries an event again, those behind it are applied",
        waits_behind_retried=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
