"""A faulty variant whose sender removes events as it sends them: asked about any history, it answers."""

from __future__ import annotations

from pathlib import Path

import msgspec

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explain.question import ask
from plumbline.reference.history.history import History
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.search.search import Answer, Budget, explain

SHOWN = Path(__file__).with_name("removed_when_sent.json")
"""What `reference:chaotic` showed by seed 203: an answer is heard, the connection lost, and another made."""


def test_no_more_is_sent_or_answered_than_the_queue_holds():
    """It was: a new connection began behind the end of the queue, and a batch of nothing was begun there."""
    history = msgspec.json.decode(SHOWN.read_bytes(), type=History)
    variant = FAULTY["removes-when-sent"]
    question = ask(history, variant.rulebook(rulebook_of(Dialect.GEODE)))
    answer = explain(question.system, question.logs, Budget(states=1_000)).answer
    assert answer is Answer.REFUTED, "it loses what the lost connection carried"
