"""Decisions about senders that group transactions, an extension: what a batch takes beyond its size.

Such a sender never splits the events of one transaction over two batches. Each function answers one question
about plain values. None knows the model's state. Faulty variants of the answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.variant import variant


class GroupDecisions(Subject):
    """What a batch takes of transactions, and what becomes of the events that it passes over."""

    @staticmethod
    @decision("EXT-GROUP-05")
    def groups_by(own: bool) -> bool:
        """Whether a sender goes by a setting: by its own alone (Geode, GatewaySenderFactory).

        Args:
            own: whether the setting is its own, not that of another sender.
        """
        return own

    @staticmethod
    @decision("EXT-GROUP-01")
    def completes_transaction(heir: bool, larger: bool) -> bool:  # noqa: ARG004
        """Whether a batch takes a transaction whole: it does (Geode, GatewaySenderFactory).

        Args:
            heir: whether the sender has taken over from another one.
            larger: whether the transaction has more events than a batch.
        """
        return True

    @staticmethod
    @decision("EXT-GROUP-01")
    def sends_larger() -> bool:
        """Whether a transaction larger than a batch is sent: it is (Geode, GatewaySenderFactory)."""
        return True

    @staticmethod
    @decision("EXT-GROUP-02", "EXT-GROUP-01")
    def takes_beyond(same: bool, transacted: bool, number: int) -> bool:  # noqa: ARG004
        """Whether a batch takes an event beyond its size: the rest of its transactions alone.

        Source: Geode, GatewaySenderFactory.

        Args:
            same: whether the event is of a transaction of which the batch has taken some.
            transacted: whether it is of any transaction.
            number: how many the batch has taken of that transaction beyond its size, this one among them.
        """
        return same

    @staticmethod
    @decision("EXT-GROUP-03")
    def removes_passed_over(told: bool) -> bool:  # noqa: ARG004
        """Whether an answer removes what its batch has passed over: it does not.

        Source: Geode, GatewaySenderFactory.

        Args:
            told: whether that is asked of the copies on other members.
        """
        return False

    @staticmethod
    @decision("EXT-GROUP-04")
    def removes_part() -> bool:
        """Whether an answer may remove a part of a transaction: it may not (Geode, GatewaySenderFactory)."""
        return False


FAULTS = (
    variant(
        "groups-by-other-senders",
        "EXT-GROUP-05",
        "a sender groups transactions where another one of its site is to",
        groups_by=lambda _: True,
    ),
    variant(
        "splits-transactions",
        "EXT-GROUP-01",
        "a batch is cut at its size, also within a transaction",
        completes_transaction=lambda _, __: False,
    ),
    variant(
        "splits-at-takeover",
        "EXT-GROUP-01",
        "a sender that has taken over cuts its batches within transactions",
        completes_transaction=lambda heir, _: not heir,
    ),
    variant(
        "splits-large-transactions",
        "EXT-GROUP-01",
        "a transaction with more events than a batch is split",
        completes_transaction=lambda _, larger: not larger,
    ),
    variant(
        "keeps-large-transactions",
        "EXT-GROUP-01",
        "a transaction with more events than a batch stays in its queue, and what is behind it waits",
        sends_larger=lambda: False,
    ),
    variant(
        "takes-one-event-more",
        "EXT-GROUP-01",
        "a batch takes one event more of a transaction, though there are two",
        takes_beyond=lambda same, _, number: same and number <= 1,
    ),
    variant(
        "takes-everything-behind",
        "EXT-GROUP-02",
        "a batch with a transaction takes all that is queued behind it",
        takes_beyond=lambda same, transacted, number: True,  # noqa: ARG005
    ),
    variant(
        "takes-every-transaction",
        "EXT-GROUP-02",
        "a batch with a transaction takes other transactions, too",
        takes_beyond=lambda same, transacted, _: same or transacted,
    ),
    variant(
        "removes-what-it-passes-over",
        "EXT-GROUP-03",
        "an answer removes all up to the last event of its batch, sent or not",
        removes_passed_over=lambda _: True,
    ),
    variant(
        "copies-remove-what-is-passed-over",
        "EXT-GROUP-03",
        "the copies of a queue lose all up to the last event that was sent",
        removes_passed_over=lambda told: told,
    ),
    variant(
        "removes-part-of-a-transaction",
        "EXT-GROUP-04",
        "what is applied of a transaction leaves its queue while the rest is under way",
        removes_part=lambda: True,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
