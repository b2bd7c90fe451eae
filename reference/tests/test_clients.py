"""Clients in the model: histories written by hand, each judged by the search and by its judge."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.moments import Called, ContentsAsked, ContentsRead, Moment, Returned, Settled
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

PUT, DESTROY = OperationKind.PUT, OperationKind.DESTROY
_KINDS = {"!": DESTROY, "+": OperationKind.CREATE}
UNCHECKED = Client(name="K", servers=("B",), checks=False)
CHECKED = Client(name="K", servers=("B",), checks=True)


def history(
    timeline: str,
    calls: str,
    *,
    client: Client = UNCHECKED,
    checks: bool | None = None,
    failed: int = 0,
    **logs: str,
) -> History:
    """A history on A, B and C, of key x, with one client.

    Args:
        timeline: +1 calls operation 1, -1 returns from it, "settled" settles, and "K=1" reads that the client
            holds what operation 1 wrote ("K=" that it holds nothing).
        calls: who calls the operations, from 1 on, what: "A B K! K+" are two puts, a destroy, a create.
        client: the client.
        checks: the region's attribute.
        failed: the operation that fails, if one does.
        logs: for each member and the client the numbers of the operations that its listener tells of.
    """
    operations = {
        number: Operation(
            op_id=number,
            thread=f"{who[0]}{number}",
            member=who[0],
            region="r",
            kind=_KINDS.get(who[1:], PUT),
            key="x",
            token=f"t{number}",
        )
        for number, who in enumerate(calls.split(), 1)
    }
    moments: list[Moment] = []
    for number, word in enumerate(timeline.split()):
        if word == "settled":
            moments.append(Settled())
        elif word[0] == "+":
            moments.append(Called(operations[int(word[1:])]))
        elif word[0] == "-":
            status = Status.FAILED if int(word[1:]) == failed else Status.OK
            moments.append(Returned(int(word[1:]), Outcome(status)))
        else:
            holder, _, value = word.partition("=")
            entries = (Content("x", f"t{value}"),) if value else ()
            moments += [ContentsAsked(number, holder, "r"), ContentsRead(number, holder, "r", entries)]
    end = len(moments) - 1
    return History(
        topology=Topology((Site(1, ("A", "B", "C")),)),
        regions=(RegionAttributes(name="r", checks=checks),),
        timeline=tuple(moments),
        logs={
            holder: tuple(
                Observation(_event(holder, operations[int(number)]), 0, end) for number in numbers.split()
            )
            for holder, numbers in logs.items()
        },
        member_order=("A", "B", "C"),
        clients=(client,),
    )


def _event(holder: str, operation: Operation) -> Event:
    kind = EventKind.DESTROY if operation.kind is DESTROY else EventKind.UPDATE
    return Event(member=holder, region="r", key="x", kind=kind, token=operation.token)


ONE_BY_ONE = "+1 -1 +2 -2 +3 -3 settled"
AT_ONCE = "+1 +2 +3 -1 -2 -3 settled"

RIGHT = {
    "its create is an update at its server": history(
        "+1 -1 settled +2 -2 settled B=2 K=2", "A K+", A="1 2", B="1 2", C="1 2", K="1 2"
    ),
    "all that the server applied, and its own": history(
        ONE_BY_ONE, "A K C", A="1 2 3", B="1 2 3", C="1 2 3", K="1 2 3"
    ),
    "its own before what reached its server earlier": history(
        ONE_BY_ONE, "A K C", A="1 2 3", B="1 2 3", C="1 2 3", K="2 1 3"
    ),
    "an event arrives long after its call has returned": history(
        "+1 -1 K= settled K=1 settled", "A", A="1", B="1", C="1", K="1"
    ),
    "events arrive long after everything has returned": history(
        "+1 +2 -1 -2 K= settled K=2 settled", "A C", A="1 2", B="1 2", C="1 2", K="1 2"
    ),
    # Where nothing is checked B finds nothing to destroy for 2, at either time.
    "what its server had nothing to do for, behind all else": history(
        "+1 -1 +2 +3 +4 +5 -2 -3 -4 -5 settled",
        "A A! B! A B!",
        checks=False,
        A="1 2 4 5",
        B="1 3 4 5",
        C="1 2 4 5",
        K="1 3 4 5 2",
    ),
    # B discards 1, which has lost against 2; clients may be sent it all the same.
    "what its server discarded, behind what it lost against": history(
        AT_ONCE, "A B B", A="1 2 3", B="2 3", C="1 2 3", K="2 1 3"
    ),
    "what its server discarded, behind a later change": history(
        AT_ONCE, "A B B", A="1 2 3", B="2 3", C="1 2 3", K="2 3 1"
    ),
    "what its server discarded, before a change from elsewhere": history(
        AT_ONCE, "A B C", A="1 2 3", B="2 3", C="2 3", K="2 1 3"
    ),
    "a client that checks discards what its server discarded": history(
        AT_ONCE, "A B B", client=CHECKED, A="1 2 3", B="2 3", C="1 2 3", K="2 3"
    ),
    # K's own 2 is answered when 3 has already arrived.
    "without checking the answer may overwrite a newer event": history(
        "+1 -1 +2 +3 -3 -2 settled K=2", "A K C", A="1 2 3", B="1 2 3", C="1 2 3", K="1 3 2"
    ),
    "with checking the answer gives way to a newer event": history(
        "+1 -1 +2 +3 -3 -2 settled K=3", "A K C", client=CHECKED, A="1 2 3", B="1 2 3", C="1 2 3", K="1 3"
    ),
    "a server that checks nothing sends no versions": history(
        ONE_BY_ONE, "A K C", client=CHECKED, checks=False, A="1 2 3", B="1 2 3", C="1 2 3", K="1 2 3"
    ),
    "nothing to destroy, and nothing done": history("+1 -1 settled", "K!", A="", B="", C="", K=""),
    "nothing to destroy at the server, and something at the client": history(
        "+1 -1 +2 +3 -3 -2 settled K=", "A K! B!", A="1 3", B="1 3", C="1 3", K="1 2 3"
    ),
    "nothing to destroy at the server, and something elsewhere": history(
        "+1 +2 -2 -1 settled A=", "A K!", client=CHECKED, A="1 2", B="", C="", K=""
    ),
}

WRONG = {
    "its create ends well and its server keeps what it held": history(
        "+1 -1 settled +2 -2 settled B=1", "A K+", A="1", B="1", C="1", K="1 2"
    ),
    "in another order than at its server": history(
        ONE_BY_ONE, "A C K", A="1 2 3", B="1 2 3", C="1 2 3", K="2 1 3"
    ),
    "its own only after it has returned": history(
        ONE_BY_ONE, "A K C", A="1 2 3", B="1 2 3", C="1 2 3", K="1 3 2"
    ),
    "an event is missing": history(ONE_BY_ONE, "A K C", A="1 2 3", B="1 2 3", C="1 2 3", K="2 3"),
    "the last event is missing when everything has settled": history(
        ONE_BY_ONE, "A K C", A="1 2 3", B="1 2 3", C="1 2 3", K="1 2"
    ),
    "the own operation is told twice": history(
        ONE_BY_ONE, "A K C", A="1 2 3", B="1 2 3", C="1 2 3", K="1 2 2 3"
    ),
    "a put never reaches the members": history(ONE_BY_ONE, "A K C", A="1 3", B="1 3", C="1 3", K="1 2 3"),
    "a put reaches the server only": history(ONE_BY_ONE, "A K C", A="1 3", B="1 2 3", C="1 3", K="1 2 3"),
    "a put fails": history(ONE_BY_ONE, "A K C", failed=2, A="1 3", B="1 3", C="1 3", K="1 3"),
    "a client that checks is shown a loser": history(
        AT_ONCE, "A B B", client=CHECKED, A="1 2 3", B="2 3", C="1 2 3", K="2 1 3"
    ),
    "a client that checks holds the older": history(
        "+1 -1 +2 +3 -3 -2 settled K=2", "A K C", client=CHECKED, A="1 2 3", B="1 2 3", C="1 2 3", K="1 3 2"
    ),
    "a client that does not check is not shown what its server discarded": history(
        AT_ONCE, "A B B", A="1 2 3", B="2 3", C="1 2 3", K="2 3"
    ),
    "nor where there was nothing to destroy at its server, and something elsewhere": history(
        "+1 +2 -2 -1 settled A=", "A K!", A="1 2", B="", C="", K=""
    ),
    "a client holds what nobody has put last": history(
        "+1 -1 +2 -2 settled K=1", "A K", A="1 2", B="1 2", C="1 2", K="1 2"
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_clients_may_show_is_explained(name: str):
    assert told(RIGHT[name]) is Answer.EXPLAINED


@pytest.mark.parametrize("name", WRONG)
def test_what_clients_may_not_show_is_refuted(name: str):
    assert told(WRONG[name]) is Answer.REFUTED


@pytest.mark.parametrize(
    ("decision", "name"),
    [
        ("client_takes", "an event is missing"),
        ("serves_client", "a put fails"),
        ("client_compares", "a client that checks is shown a loser"),
        ("client_compares", "a client that checks holds the older"),
        ("sends_discarded_unchecked", "a client that does not check is not shown what its server discarded"),
        ("keeps_sending", "the last event is missing when everything has settled"),
    ],
)
def test_what_clients_may_not_show_is_explained_with_its_decision_left_open(decision: str, name: str):
    assert told(WRONG[name], Rulebook().with_free(decision)) is Answer.EXPLAINED


def test_a_client_need_not_be_observed():
    asked = WRONG["an event is missing"]
    logs = {holder: log for holder, log in asked.logs.items() if holder != "K"}
    assert told(msgspec.structs.replace(asked, logs=logs)) is Answer.EXPLAINED
