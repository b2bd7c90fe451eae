"""Destroyed regions in the model: histories written by hand, each judged by the search and by its judge."""

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
    Registered,
    Returned,
    Settled,
)
from plumbline.reference.history.operations import (
    Client,
    Content,
    Interest,
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

_KINDS = {
    "!": OperationKind.DESTROY_REGION,
    "?": OperationKind.LOCAL_DESTROY_REGION,
}
_ENDS = {"-": Status.FAILED, "%": Status.INDEFINITE, "*": Status.INDEFINITE}


def history(timeline: str) -> History:
    """A history of A and B with the clients K and L of B, which begin without interest.

    Args:
        timeline: `A1` puts t1 under x at A and waits, `A!` destroys its region and waits, `K?` does so
            locally; `A1-` puts, reaches no gate at B and fails, `A1%` has no answer then, and `A1*` none
            without a gate; `@K` registers for the key y; `K=1` reads that K holds t1 under x, `K=` that it
            holds nothing, `K~` that it has no region any more.
    """
    moments: list[Moment] = []
    for number, word in enumerate(timeline.split(), 1):
        who, what = word[0], word[1:]
        if who == "@":
            interest = Interest(client=what, region="r", kind="key", specification="y")
            moments += [Settled(), Registered(interest)]
        elif what[0] in "=~":
            entries = (Content("x", f"t{what[1:]}"),) if what[1:] else ()
            read = ContentsRead(number, who, "r", entries, gone=what == "~")
            moments += [Settled(), ContentsAsked(number, who, "r"), read]
        else:
            kind = _KINDS.get(what, OperationKind.PUT)
            end = _ENDS.get(what[-1])
            what = what.rstrip("-%*")
            gates = (Gate("B", number),) if word[-1] in "-%" else ()
            token = f"t{what}" if kind is OperationKind.PUT else f"destroys{number}"
            key = "x" if kind is OperationKind.PUT else ""
            operation = Operation(
                op_id=number, thread=f"T{number}", member=who, region="r", kind=kind, key=key, token=token
            )
            moments += [Settled(), *map(Armed, gates), Called(operation), *map(NotParked, gates)]
            moments.append(Returned(number, Outcome(end or Status.OK)))
    return History(
        topology=Topology((Site(1, ("A", "B")),)),
        regions=(RegionAttributes(name="r"),),
        timeline=(*moments, Settled()),
        logs={},
        member_order=("A", "B"),
        clients=(Client(name="K", servers=("B",)), Client(name="L", servers=("B",))),
        registers=False,
    )


RIGHT = {
    "before a call that fails": history("A1 B! A2- A~ B~"),
    "before a call without an answer": history("A1 B! A2% A~ B~"),
    "locally before a call without an answer that stores": history("B1 K? K2* B=2"),
    "locally before a call of its client that fails": history("B1 K? K2- B=1"),
    "at all members": history("A1 A! A~ B~"),
    "at its own client and all members": history("A1 K! K~ B~ A~"),
    "at a client with an interest": history("A1 @K A! K~"),
    "at a client without any": history("A1 A! L~"),
    "not at a client without any": history("A1 A! L="),
    "locally at its client alone": history("A1 @L K? K~ A=1 B=1 L="),
}

WRONG = {
    "behind a call that failed": (history("A1- B! A~ B~"), None),
    "locally, and a call of another client fails": (history("B1 K? L2- B=1"), None),
    "before a call that fails and stores": (history("B1 K? K2- B=2"), None),
    "a region is gone that nobody destroyed": (history("A1 B~"), None),
    "a region is gone before it is destroyed": (history("B~ A!"), None),
    "a member keeps its region": (history("A1 A! B=1"), None),
    "a server keeps its region": (history("A1 K! K~ B=1 A=1"), "forwards_region_destroy"),
    "a client keeps what it has destroyed": (history("A1 K! K= B~ A~"), None),
    "a local destroy reaches the server": (history("A1 K? K~ B~ A~"), "forwards_local_region_destroy"),
    "a client with an interest keeps its region": (history("A1 @K A! K="), "sends_region_destroys"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_may_follow_the_destroy_of_a_region_is_explained(name: str):
    assert told(RIGHT[name]) is Answer.EXPLAINED


@pytest.mark.parametrize("name", WRONG)
def test_what_may_not_is_refuted_and_explained_with_its_decision_left_open(name: str):
    asked, decision = WRONG[name]
    assert told(asked) is Answer.REFUTED
    if decision is not None:
        assert told(asked, Rulebook().with_free(decision)) is Answer.EXPLAINED
