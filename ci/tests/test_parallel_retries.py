"""A call tried again on a new primary may enter a parallel queue once more, behind later ones (002, L73)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.checks.behaviours_of_members import retried
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History
from plumbline.reference.history.listener_calls import QueueCall, QueuedChange, SeenCall
from plumbline.reference.history.moments import Located
from plumbline.reference.history.operations import EventKind
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan


@pytest.fixture(scope="module")
def played() -> History:
    """The primary of a key has died while the update v1 stood in the listener of its copy."""
    with Session(find_candidate("reference")) as session:
        for key in "xyzw":
            history = play_plan(retried(key), session).history
            if [what.primary for what in history.timeline if isinstance(what, Located)][:1] == ["A"]:
                return history
    pytest.fail("A is primary of no key")


def receiving(history: History, *batches: str) -> History:
    """The same, but the listener of B receives these batches; "12" stands for v1 and v2."""
    (first, *_) = history.calls
    key = first.call.events[0].key
    calls: list[SeenCall] = []
    for batch in batches:
        events = tuple(
            QueuedChange(
                region="region",
                key=key,
                kind=EventKind.CREATE if number == "1" and not calls else EventKind.UPDATE,
                token=f"v{number}",
            )
            for number in batch
        )
        call = QueueCall(member="B", queue=first.call.queue, events=events, answer="true")
        calls.append(SeenCall(call, 0, len(history.timeline)))
    return replace(history, calls=tuple(calls))


@pytest.mark.parametrize(
    "batches", [("1", "23"), ("1", "123"), ("1", "213"), ("1", "231"), ("1", "23", "1"), ("123",), ("1231",)]
)
def test_a_repetition_may_come_anywhere_behind_the_failure(played: History, batches: tuple[str, ...]):
    """Apache Geode 1.13.8 showed the fourth."""
    found = search(receiving(played, *batches), Rulebook(), Budget(states=20_000))
    assert found.answer is Answer.EXPLAINED


@pytest.mark.parametrize("batches", [("1", "32"), ("2", "13"), ("1", "3"), ("1", "2312")])
def test_first_deliveries_are_ordered_and_complete(played: History, batches: tuple[str, ...]):
    found = search(receiving(played, *batches), Rulebook(), Budget(states=20_000))
    assert found.answer is Answer.REFUTED
