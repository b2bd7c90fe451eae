"""Timestamps of clocks that stand: what had to be later than another reading stays later than its equals."""

from __future__ import annotations

import pytest

from plumbline.ci.selftest.histories.history_builder import AWAY, HOME, HistoryBuilder
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import FaultBegun, FaultDone
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer, Budget


class _Held(HistoryBuilder):
    """A tale in which time may be held."""

    def clocks(self, kind: FaultKind) -> None:
        self._numbers += 1
        fault = Fault(kind=kind)
        self._timeline += [FaultBegun(self._numbers, fault), FaultDone(self._numbers, fault)]


def history(puts: int, *, crosses: bool) -> History:
    """At one reading, site 1 puts a key, and site 2 does, so often; site 1 then takes what site 2 has put.

    Args:
        puts: how often site 2 puts the key.
        crosses: whether site 2 then takes the put of site 1 as well.
    """
    tale = _Held()
    tale.clocks(FaultKind.HOLD_TIME)
    tale.fault("link_down").fault("pause", "b1", queue="back").fault("pause", "b2", queue="back")
    one = tale.call("put", "a1", "k")
    tale.shown(one, HOME).ends(one)
    others = [tale.call("put", "b1", "k")]
    tale.shown(others[0], AWAY).ends(others[0])
    if puts > 1:
        others.append(tale.call("put", "b1", "k"))
        tale.shown(others[1], AWAY).ends(others[1])
    tale.clocks(FaultKind.LET_RUN)
    tale.fault("resume", "b1", queue="back").fault("resume", "b2", queue="back")
    for other in others:
        tale.shown(other, HOME)
    tale.fault("link_up")
    if crosses:
        tale.shown(one, AWAY)
    return tale.rests().sample().history


@pytest.mark.parametrize(
    ("puts", "crosses", "answer"),
    [
        (1, False, Answer.EXPLAINED),
        (1, True, Answer.REFUTED),
        (2, False, Answer.EXPLAINED),
        # The second put is dated after the first, with which that of site 1 ties: it is the latest.
        (2, True, Answer.REFUTED),
    ],
)
def test_what_was_dated_after_another_of_the_same_reading_is_later_than_both(
    puts: int, crosses: bool, answer: Answer
):
    found = search(history(puts, crosses=crosses), Rulebook(), Budget(states=50_000))
    assert found.answer is answer
