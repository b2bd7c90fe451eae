"""What a listener receives after its member took over had not left the copy of that member."""

from __future__ import annotations

from pathlib import Path

import msgspec

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.search.search import Answer, Budget

FOUND = Path(__file__).with_name("received_by_the_next_primary.json")
"""Two histories of the chaotic reference, whose primary dies while calls feed two queues.

Their listeners receive one batch twice, on the primary and on its successor.
"""

FEW = Budget(states=6_000)
"""Of the first 60,000 states each had decided neither.

The second one is undecided again. What had decided it refuted right runs, in which an event enters a queue
once more behind a takeover.
"""


def test_a_batch_that_the_next_primary_receives_again_is_soon_explained():
    histories = msgspec.json.decode(FOUND.read_bytes(), type=tuple[History, ...])
    answers = [search(history, rulebook_of(Dialect.GEODE), FEW).answer for history in histories]
    assert answers[0] is Answer.EXPLAINED
    assert answers[1] is not Answer.REFUTED
