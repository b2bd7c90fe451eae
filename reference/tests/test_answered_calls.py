"""What a client's call holds back: nothing any more, once it has its answer."""

from __future__ import annotations

from pathlib import Path

import msgspec

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.search.search import Answer

FOUND = Path(__file__).with_name("an_answered_call_holds_nothing_back.json")
"""A history of the chaotic reference: two members destroy x side by side while a client puts y.

The client receives both. The second changes nothing there. All rests before the harness reads the answer of
the put, and then the client puts x.
"""


def test_a_queue_is_empty_at_rest_though_an_answered_call_of_its_client_was_not_yet_asked_about():
    history = msgspec.json.decode(FOUND.read_bytes(), type=History)
    assert search(history, rulebook_of(Dialect.GEODE)).answer is Answer.EXPLAINED
