"""Failover in the model: histories written by hand, each judged by the search and by its judge."""

from __future__ import annotations

import pytest

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.moments import (
    Called,
    ContentsAsked,
    ContentsRead,
    FaultBegun,
    FaultDone,
    Moment,
    Returned,
    Settled,
)
from plumbline.reference.history.operations import (
    Client,
    Content,
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer
from plumbline.reference.tests.agreement import told

SECURED = Client(name="K", servers=("B", "C"), redundancy=1)
UNSECURED = Client(name="K", servers=("B", "C"))
FORGETTING = Client(name="K", servers=("B", "C"), redundancy=1, tracking_timeout_ms=1_000)


def history(timeline: str, log: str, client: Client = SECURED) -> History:
    """A history of A, B and C that check nothing, with the client K registered for everything at B.

    Args:
        timeline: `+1x` calls put 1 of key x at A, `+2xU` does so on the thread U, `-1` returns from it,
            `!B` kills B, `^B` starts it again, `settled`; `x=1` reads that K holds what put 1 wrote under x,
            and nothing else, `x=` that it holds nothing; `hold` holds time, `>600` lets 600 ms pass, `run`
            lets it run.
        log: the numbers of the puts that K's listener tells of; those behind `|` after B was killed, those
            behind `||` after everything settled for the first time.
        client: K.
    """
    moments: list[Moment] = []
    puts: dict[str, Operation] = {}
    killed = 0
    for number, word in enumerate(timeline.split()):
        if word == "settled":
            moments.append(Settled())
        elif word in ("hold", "run") or word[0] == ">":
            kind = {"h": FaultKind.HOLD_TIME, "r": FaultKind.LET_RUN}.get(word[0], FaultKind.TIME_LEAP)
            leap = Fault(kind=kind, milliseconds=int(word[1:]) if word[0] == ">" else 0)
            moments += [FaultBegun(number, leap), FaultDone(number, leap)]
        elif word[0] == "+":
            puts[word[1]] = _put(int(word[1]), word[2], word[3:] or "T")
            moments.append(Called(puts[word[1]]))
        elif word[0] == "-":
            moments.append(Returned(int(word[1]), Outcome(Status.OK)))
        elif word[0] == "^":
            again = Fault(kind=FaultKind.RESTART, member=word[1])
            moments += [FaultBegun(number, again), FaultDone(number, again)]
        elif word[0] == "!":
            fault = Fault(kind=FaultKind.CRASH, member=word[1])
            moments += [FaultBegun(number, fault), FaultDone(number, fault)]
            killed = len(moments)
        else:
            key, _, value = word.partition("=")
            entries = (Content(key, f"t{value}"),) if value else ()
            moments += [ContentsAsked(number, "K", "r"), ContentsRead(number, "K", "r", entries)]
    end = len(moments) - 1
    settled = [at + 1 for at, moment in enumerate(moments) if isinstance(moment, Settled)]
    parts = zip(log.split("|"), (0, killed, settled[0]), strict=False)
    shown = [
        Observation(_event(puts[number]), since, end) for part, since in parts for number in part.split()
    ]
    return History(
        topology=Topology((Site(1, ("A", "B", "C")),)),
        regions=(RegionAttributes(name="r", checks=False),),
        timeline=tuple(moments),
        logs={"K": tuple(shown)},
        member_order=("A", "B", "C"),
        clients=(client,),
    )


def _put(number: int, key: str, thread: str) -> Operation:
    return Operation(
        op_id=number,
        thread=thread,
        member="A",
        region="r",
        kind=OperationKind.PUT,
        key=key,
        token=f"t{number}",
    )


def _event(put: Operation) -> Event:
    return Event(member="K", region="r", key=put.key, kind=EventKind.UPDATE, token=put.token)


RIGHT = {
    "what was told before": history("+1x -1 +2x -2 settled !B settled x=2", "1 2"),
    "what was not told before": history("+1x -1 +2x -2 !B settled x=2", "|1 2"),
    "one before and one after": history("+1x -1 +2y -2 !B settled", "1 | 2"),
    "what comes after": history("+1x -1 settled !B settled +2x -2 settled x=2", "1 | 2"),
    "told again of a thread that was idle for long": history(
        "hold +1x -1 +2x -2 settled >1500 !B settled", "1 2 | 1 2", FORGETTING
    ),
    "not told again of it": history("hold +1x -1 settled >1500 !B settled", "1", FORGETTING),
    "told again where nobody knows how long it was": history(
        "+1x -1 settled !B settled", "1 | 1", FORGETTING
    ),
    "told again where time ran meanwhile": history(
        "hold +1x -1 settled run hold !B settled", "1 | 1", FORGETTING
    ),
    "under way when it dies": history("+1x !B -1 settled x=1", "|1"),
    # Put 2 overtakes put 1 on its way to B, which finds nothing to update and does not tell of it; C does.
    "what only the secondary had": history("+1x +2xU -1 -2 settled !B settled x=2", "1 | 2"),
    "without a secondary nothing is told": history("+1x -1 !B settled x=1", "", UNSECURED),
    "without a secondary something is told": history("+1x -1 +2x -2 !B settled x=2", "1", UNSECURED),
    "all its servers die, and one starts": history(
        "+1x -1 settled !B !C settled +2x -2 settled ^B settled x=2 +3x -3 settled x=3", "1 | 3", UNSECURED
    ),
    "all its servers die, and another starts": history(
        "+1x -1 settled !B !C settled +2x -2 settled ^C settled x=2 +3x -3 settled x=3", "1 | 3", SECURED
    ),
    "whoever has a server stays there when its first one starts": history(
        "+1x -1 settled !B settled ^B settled +2x -2 settled !C settled x=2 +3x -3 settled",
        "1 2 | 3",
        SECURED,
    ),
    "without a secondary what comes after": history(
        "+1x -1 settled !B settled +2x -2 settled x=2", "1 | 2", UNSECURED
    ),
}

WRONG = {
    "told again": (history("+1x -1 +2x -2 settled !B settled", "1 2 | 1 2"), "keeps_tracks"),
    "the last told again": (history("+1x -1 +2x -2 settled !B settled", "1 2 | 2"), "is_repeated"),
    "told again though not idle for long": (
        history("hold +1x -1 settled >600 +2x -2 settled >600 !B settled", "1 2 | 2", FORGETTING),
        "forgets",
    ),
    "one is lost": (history("+1x -1 +2y -2 !B settled", "1"), "secondary_queues"),
    "a secondary waits for more": (history("+1x -1 !B settled +2y -2 settled", "||1 2"), "resumes_at_once"),
    "nobody takes over": (history("+1x -1 settled !B settled +2x -2 settled", "1"), "fails_over"),
    "it starts anew for nothing": (history("+1x -1 settled !B settled x=", "1"), None),
    "nothing is fetched": (history("+1x -1 settled !B settled x=", "1", UNSECURED), "fetches_anew"),
    "nobody looks for who starts": (
        history("+1x -1 settled !B !C settled +2x -2 settled ^B settled x=1", "1", UNSECURED),
        "keeps_looking",
    ),
    "it is told of what it fetched from who starts": (
        history("+1x -1 settled !B !C settled +2x -2 settled ^B settled x=2", "1 | 2", UNSECURED),
        "anew_tells",
    ),
    "fetching is told": (history("+1x -1 settled !B settled", "1 | 1", UNSECURED), "anew_tells"),
    "what both had comes late": (history("+1x -1 +2xU -2 settled !B settled x=2", "1 | 2"), None),
    "the thread's order is broken": (history("+1x -1 +2x -2 !B settled", "|2 1"), None),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_may_follow_a_killed_server_is_explained(name: str):
    assert told(RIGHT[name]) is Answer.EXPLAINED


@pytest.mark.parametrize("name", WRONG)
def test_what_may_not_is_refuted_and_explained_with_its_decision_left_open(name: str):
    asked, decision = WRONG[name]
    assert told(asked) is Answer.REFUTED
    if decision is not None:
        assert told(asked, Rulebook().with_free(decision)) is Answer.EXPLAINED
