"""Dialects: every point where the documents contradict each other, and what each of them says there.

All else that any document says is common to all dialects. Knows nothing of products: a product that differs
from its document deviates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from plumbline.reference.catalogue.records import DIALECT_OF_DOCUMENT, Dialect
from plumbline.reference.rulebook.batches import BatchDecisions, sends_at_will
from plumbline.reference.rulebook.clients import CallDecisions, forwards_all
from plumbline.reference.rulebook.failures import FailureDecisions, retries_where_kept


class Saying(msgspec.Struct, frozen=True, kw_only=True):
    """What one of two documents says.

    Attributes:
        document: its number.
        paragraph: where it says so.
        words: what it says, in few of our words.
        requirements: the ids that are owed for this alone.
        answer: how it has the decision made; None where the model makes none.
    """

    document: str
    paragraph: str
    words: str
    requirements: tuple[str, ...] = ()
    answer: Callable[..., Any] | None = None

    @property
    def dialect(self) -> Dialect:
        """Whose saying it is."""
        return DIALECT_OF_DOCUMENT[self.document]


class Contradiction(msgspec.Struct, frozen=True, kw_only=True):
    """One point where two documents contradict each other.

    Attributes:
        about: the question.
        earlier: what the older document says; the rulebook's default.
        later: what the newer one says. A dialect whose documents say nothing of it follows this one.
        decision: the decision that it is about; "" where the model makes none.
        unmodelled: why it makes none.
    """

    about: str
    earlier: Saying
    later: Saying
    decision: str = ""
    unmodelled: str = ""

    def saying(self, dialect: Dialect) -> Saying:
        """What counts in a dialect."""
        return self.earlier if dialect is self.earlier.dialect else self.later


CONTRADICTIONS = (
    Contradiction(
        about="whether a batch may be sent before the one in front of it was answered",
        decision="sends_while_unanswered",
        earlier=Saying(
            document="000",
            paragraph="How the Gateway Processes Its Queue, L28, L31",
            words="the one thread that sends waits for the reply: no",
            requirements=("GWQ-ACK-05",),
            answer=BatchDecisions.sends_while_unanswered,
        ),
        later=Saying(
            document="002",
            paragraph="Main Classes, L27",
            words="a thread of its own hears the answers to the batches that were sent: either way",
            answer=sends_at_will,
        ),
    ),
    Contradiction(
        about="what a failure acknowledgement tells, and what it removes",
        unmodelled="members show the same by both: the failed event is missing, the others arrive in order",
        earlier=Saying(
            document="000",
            paragraph="How the Gateway Handles Batch Processing Failure, L39 s2 to s4",
            words="one failed event and the last good one; both and all before go, the rest is sent again",
        ),
        later=Saying(
            document="002",
            paragraph="Remote Event Replication (WAN), L105 s1",
            words="exceptions, any number of them; the whole batch goes",
            requirements=("GWQ-FAILACK-05", "GWQ-FAILACK-06"),
        ),
    ),
    Contradiction(
        about="who tries again where an event cannot be applied",
        decision="retries_kept",
        earlier=Saying(
            document="000",
            paragraph="How the Gateway Handles Batch Processing Failure, L39 s1 to s4",
            words="no side: the receiver says so, and the sender removes the event and logs it",
            answer=FailureDecisions.retries_kept,
        ),
        later=Saying(
            document="002",
            paragraph="Remote Event Replication (WAN), L107",
            words="the receiver, for certain failures",
            requirements=("RCV-RETRY-01",),
            answer=retries_where_kept,
        ),
    ),
    Contradiction(
        about="whether a client's invalidation goes to its server",
        decision="forwards_invalidates",
        earlier=Saying(
            document="001",
            paragraph="Client-to-Server Event Distribution, note below the table, L22",
            words="it does not",
            requirements=("C2S-OPS-06", "C2S-OPS-07"),
            answer=CallDecisions.forwards_invalidates,
        ),
        later=Saying(
            document="004",
            paragraph="Non-Replicated Region and Client Cache Consistency, L39 s2",
            words="all that a client calls does",
            requirements=("CONS-CL-02",),
            answer=forwards_all,
        ),
    ),
)
"""All of them, as far as they were found by reading the five documents against each other."""

MODELLED = {point.decision: point for point in CONTRADICTIONS if point.decision}
"""Decision → the contradiction that parts its dialects."""


def answers(dialect: Dialect) -> dict[str, Callable[..., Any]]:
    """The decisions that a dialect makes otherwise than others, and how."""
    return {name: answer for name, point in MODELLED.items() if (answer := point.saying(dialect).answer)}


def is_documented(decision: str, answer: object) -> bool:
    """Whether the decision is made as the documents of some dialect have it."""
    point = MODELLED.get(decision)
    return point is not None and answer in (point.earlier.answer, point.later.answer)
