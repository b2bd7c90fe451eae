"""A call whose answer is lost with the primary of its key: it is tried again, also behind later ones."""

from __future__ import annotations

from pathlib import Path

import msgspec

from plumbline.reference.history.history import History
from plumbline.reference.history.moments import ContentsRead
from plumbline.reference.history.operations import Content
from plumbline.reference.search.search import Answer
from plumbline.reference.tests.agreement import told

FOUND = Path(__file__).with_name("an_answer_lost_with_its_primary.json")
"""A history of the system in Go, without redundancy.

B is primary of x. A puts x there, and B puts it again. B dies before A has its answer. So A tries again on
the next primary, which has no copy, and creates x there (004, L12: the lock ends with the distribution).
"""


def history() -> History:
    return msgspec.json.decode(FOUND.read_bytes(), type=History)


def test_a_call_is_carried_out_anew_whose_answer_was_lost_behind_a_later_update():
    assert told(history()) is Answer.EXPLAINED


def test_the_next_primary_brings_back_nothing_of_a_caller_that_died():
    later = (Content("x", "v2"),)
    timeline = tuple(
        msgspec.structs.replace(what, entries=later)
        if isinstance(what, ContentsRead) and what.entries
        else what
        for what in history().timeline
    )
    assert told(msgspec.structs.replace(history(), timeline=timeline)) is Answer.REFUTED
