"""Cache writers in the model: histories written by hand, each judged by the search and by its judge."""

from __future__ import annotations

import pytest

from plumbline.reference.history.history import History
from plumbline.reference.history.moments import (
    Armed,
    Called,
    ContentsAsked,
    ContentsRead,
    Gate,
    Moment,
    NotParked,
    Parked,
    Released,
    Returned,
    Scripted,
    Settled,
)
from plumbline.reference.history.operations import (
    Client,
    Content,
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

_OF_GATES: dict[str, type[Armed | Parked | NotParked | Released]] = {
    "^": Armed,
    "|": Parked,
    "/": NotParked,
    "v": Released,
}

CLIENTS = (Client(name="K", servers=("B",)), Client(name="L", servers=("A",)))


def history(timeline: str) -> History:
    """A history of A and B with the clients K of B and L of A, of key x; no listener is observed.

    Args:
        timeline: `B!` has B's writer refuse changes of x, `B?` nothing; `+1K` calls put 1 at K, `-1` returns
            from it, `-1!` fails; `^1B` arms B's writer for 1, `|1B` finds 1 standing there, `/1B` not, `v1B`
            lets it go; `K=1` reads that K holds what put 1 wrote, `K=` that it holds nothing; `settled`.
    """
    moments: list[Moment] = []
    for number, word in enumerate(timeline.split()):
        gate = Gate(word[-1], int(word[1]), "writer") if word[0] in "^|/v" else None
        if word == "settled":
            moments.append(Settled())
        elif gate is not None:
            moments.append(_OF_GATES[word[0]](gate))
        elif word[0] == "+":
            moments.append(Called(_put(int(word[1]), word[2])))
        elif word[0] == "-":
            status = Status.FAILED if word.endswith("!") else Status.OK
            moments.append(Returned(int(word[1]), Outcome(status)))
        elif word[1] == "=":
            entries = (Content("x", f"t{word[2]}"),) if word[2:] else ()
            moments += [ContentsAsked(number, word[0], "r"), ContentsRead(number, word[0], "r", entries)]
        else:
            moments += [Settled(), Scripted(word[0], "r", ("x",) if word[1] == "!" else ())]
    return History(
        topology=Topology((Site(1, ("A", "B")),)),
        regions=(RegionAttributes(name="r"),),
        timeline=(*moments, Settled()),
        logs={},
        member_order=("A", "B"),
        clients=CLIENTS,
    )


def _put(number: int, member: str) -> Operation:
    return Operation(
        op_id=number,
        thread=f"T{number}",
        member=member,
        region="r",
        kind=OperationKind.PUT,
        key="x",
        token=f"t{number}",
    )


RIGHT = {
    "a server's writer refuses": history("B! +1K -1! settled K= B= A="),
    "a client's writer refuses": history("K! +1K -1! settled K= B= A="),
    "a member's own writer refuses": history("B! +1B -1! settled B= A="),
    "it refuses no more": history("B! +1K -1! B? +2K -2 settled K=2 B=2"),
    "others go on": history("K! +1L -1 settled K=1 L=1 B=1"),
    "another member's writer may be asked": history("B! +1L -1! settled L= A="),
    "another member's writer need not be asked": history("B! +1L -1 settled L=1 B=1 K=1"),
    "held at the client": history("^1K +1K |1K B= K= v1K -1 settled B=1 K=1"),
    "held at the server": history("^1B +1K |1B B= K= v1B -1 settled B=1 K=1"),
    "held, and then refused": history("B! ^1B +1K |1B v1B -1! settled B= K="),
    "a refusal at the client comes before the server's writer": history("K! ^1B +1K /1B -1! settled"),
    "held at the server, and another call goes on or waits": history("^1B +1K |1B +2L v1B -1 -2 settled"),
}

WRONG = {
    "a server's writer is not heeded": (history("B! +1K -1 settled"), "server_writer_aborts"),
    "a client's writer is not heeded": (history("K! +1K -1 settled"), "client_writer_aborts"),
    "a call fails that nobody refuses": (history("B! B? +1K -1! settled"), "serves_client"),
    "what was refused is kept": (history("B! +1K -1! settled K=1 B="), "keeps_vetoed"),
    "the client has it first": (history("^1B +1K |1B K=1 v1B -1 settled"), "client_applies_first"),
    "the server has it first": (history("^1K +1K |1K B=1 v1K -1 settled"), "writer_runs_first"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_writers_may_do_is_explained(name: str):
    assert told(RIGHT[name]) is Answer.EXPLAINED


@pytest.mark.parametrize("name", WRONG)
def test_what_they_may_not_do_is_refuted_and_explained_with_its_decision_left_open(name: str):
    asked, decision = WRONG[name]
    assert told(asked) is Answer.REFUTED
    assert told(asked, Rulebook().with_free(decision)) is Answer.EXPLAINED
