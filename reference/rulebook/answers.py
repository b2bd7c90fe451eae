"""Decisions about registrations under way: what their answers meet (001, L56 to L61; 003, L48 to L51).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.variant import variant


class AnswerDecisions(Subject):
    """What becomes of a registration, of its answer and of events, while it is under way."""

    @staticmethod
    @decision("INT-MON-01")
    def lists_before_loading() -> bool:
        """Whether a registration is on its server's list before its answer is read: it is.

        Source: 001, L56 to L57.
        """
        return True

    @staticmethod
    @decision("INT-MON-01")
    def takes_events_meanwhile() -> bool:
        """Whether events come into effect that reach a client while it registers: they do (001, L61)."""
        return True

    @staticmethod
    @decision("RIR-PREC-01", "RIR-RULE-01")
    def answer_replaces_own() -> bool:
        """Whether an answer replaces a value that the application has put meanwhile: it does not.

        Source: 003, L48 s1, L49.
        """
        return False

    @staticmethod
    @decision("RIR-RULE-01")
    def answer_replaces_fetched() -> bool:
        """Whether an answer replaces a value that a get has brought meanwhile: it does not (003, L49)."""
        return False

    @staticmethod
    @decision("RIR-RACE-01", "RIR-RULE-01")
    def answer_replaces_event() -> bool:
        """Whether an answer replaces a value that an event has brought meanwhile: it does not (003, L49)."""
        return False

    @staticmethod
    @decision("RIR-RULE-02")
    def answer_fills_invalid(checks: bool) -> bool:  # noqa: ARG004
        """Whether an answer's value enters an entry that is without one: it does (003, L50).

        Args:
            checks: whether the client checks what it is sent.
        """
        return True

    @staticmethod
    @decision("RIR-RULE-03", "RIR-PREC-01")
    def answer_revives_destroyed(local: bool) -> bool:  # noqa: ARG004
        """Whether an answer creates again what the application has destroyed: it does not (003, L51 s1).

        Args:
            local: whether the application has destroyed its own copy alone.
        """
        return False

    @staticmethod
    @decision("RIR-RACE-01")
    def answer_revives_after_event() -> bool:
        """Whether an answer creates again what an event has destroyed meanwhile: it does not.

        Source: 001, L57, L61.
        """
        return False

    @staticmethod
    @decision("RIR-RULE-04")
    def marks_outlast() -> bool:
        """Whether later answers leave out what was destroyed during a registration: they do not.

        Source: 003, L51 s2.
        """
        return False

    @staticmethod
    @decision("RIR-RULE-04")
    def marks_show() -> bool:
        """Whether what was destroyed during a registration shows as an entry behind it: it does not.

        Source: 003, L51 s2.
        """
        return False

    @staticmethod
    @decision("RIR-RULE-04")
    def marks_serve_all() -> bool:
        """Whether a destroyed entry stays marked until the last registration under way has ended: it does.

        Source: 003, L51.
        """
        return True

    @staticmethod
    @decision("RIR-RACE-02")
    def failed_stays_listed() -> bool:
        """Whether a registration that has failed stays on the list: it does not (001, L56)."""
        return False

    @staticmethod
    @decision("RIR-RACE-02")
    def failed_holds_up() -> bool:
        """Whether a registration that has failed goes on holding events up: it does not (001, L57, L61)."""
        return False


FAULTS = (
    variant(
        "loads-before-listing",
        "INT-MON-01",
        "a registration is in force only once its answer was applied, and what changes meanwhile is lost",
        lists_before_loading=lambda: False,
    ),
    variant(
        "deaf-while-registering",
        "INT-MON-01",
        "events are lost that reach a client while it registers",
        takes_events_meanwhile=lambda: False,
    ),
    variant(
        "answer-replaces-puts",
        "RIR-PREC-01 RIR-RULE-01",
        "the answer to a registration replaces what the application has put meanwhile",
        answer_replaces_own=lambda: True,
    ),
    variant(
        "answer-replaces-fetched",
        "RIR-RULE-01",
        "the answer to a registration replaces what a get has brought meanwhile",
        answer_replaces_fetched=lambda: True,
    ),
    variant(
        "answer-replaces-events",
        "RIR-RACE-01 RIR-RULE-01",
        "the answer to a registration replaces what an event has brought meanwhile",
        answer_replaces_event=lambda: True,
    ),
    variant(
        "invalid-counts-as-there",
        "RIR-RULE-02",
        "the answer to a registration passes over entries without values",
        answer_fills_invalid=lambda checks: False,  # noqa: ARG005
    ),
    variant(
        "invalid-counts-as-there-unchecked",
        "RIR-RULE-02",
        "where nothing is checked, the answer to a registration passes over entries without values",
        answer_fills_invalid=lambda checks: checks,
    ),
    variant(
        "answer-revives-destroyed",
        "RIR-RULE-03 RIR-PREC-01",
        "the answer to a registration creates again what the application has destroyed meanwhile",
        answer_revives_destroyed=lambda local: True,  # noqa: ARG005
    ),
    variant(
        "answer-revives-destroyed-locally",
        "RIR-RULE-03",
        "the answer to a registration creates again what the application has destroyed in its own copy",
        answer_revives_destroyed=lambda local: local,
    ),
    variant(
        "answer-revives-after-events",
        "RIR-RACE-01",
        "the answer to a registration creates again what an event has destroyed meanwhile",
        answer_revives_after_event=lambda: True,
    ),
    variant(
        "marks-leak",
        "RIR-RULE-04",
        "no later registration loads a key that was destroyed during an earlier one",
        marks_outlast=lambda: True,
    ),
    variant(
        "marks-show",
        "RIR-RULE-04",
        "a key that was destroyed during a registration shows without a value behind it",
        marks_show=lambda: True,
    ),
    variant(
        "marks-go-with-the-first",
        "RIR-RULE-04",
        "a destroyed key is marked only until the first of several registrations under way has ended",
        marks_serve_all=lambda: False,
    ),
    variant(
        "failed-registration-stays",
        "RIR-RACE-02",
        "a registration that has failed as its server died stays on the list",
        failed_stays_listed=lambda: True,
    ),
    variant(
        "failed-registration-holds-up",
        "RIR-RACE-02",
        "events wait for ever behind a registration that has failed as its server died",
        failed_holds_up=lambda: True,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
