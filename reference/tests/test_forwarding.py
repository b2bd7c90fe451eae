"""Members that keep less than a replicate: histories written by hand, for the search and for its judge."""

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
    Waited,
)
from plumbline.reference.history.operations import (
    Content,
    Event,
    EventKind,
    HostPolicy,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    RegionPolicy,
    Site,
    Status,
    Topology,
)
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer
from plumbline.reference.tests.agreement import told

POLICIES = (HostPolicy("C", RegionPolicy.NORMAL), HostPolicy("D", RegionPolicy.EMPTY))
_KINDS = {
    "!": OperationKind.DESTROY,
    "?": OperationKind.GET,
    "r": OperationKind.REPLACE,
    "c": OperationKind.CLEAR,
    "l": OperationKind.LOCAL_CLEAR,
}
_ENDS = {"": Status.OK, "-": Status.REFUSED, "~": Status.ABSENT}


def history(timeline: str, *, checks: bool | None = None, **logs: str) -> History:
    """A history of the replicates A and B, of C, which is normal, and of D, which is empty.

    Args:
        timeline: `A1` puts t1 under x at A and waits, `C2-` is refused, `C!` destroys x, `C?1` gets t1, `Cc`
            clears the region and `Cl` only its own copy, `Cr-` replaces and is refused; `+A` kills A; `A=1`
            reads that A holds t1, `A=` nothing; `C3..` puts t3, which never returns though all the time was
            given.
        checks: the region's attribute.
        logs: of members whose listeners were observed, the puts that they were told of, parted by blanks.
    """
    moments: list[Moment] = []
    for number, word in enumerate(timeline.split(), 1):
        who, what = word[0], word[1:]
        if who == "+":
            fault = Fault(kind=FaultKind.CRASH, member=what)
            moments += [FaultBegun(number, fault), FaultDone(number, fault)]
            continue
        moments.append(Settled())
        if what[0] == "=":
            entries = (Content("x", f"t{what[1:]}"),) if what[1:] else ()
            moments += [ContentsAsked(number, who, "r"), ContentsRead(number, who, "r", entries)]
            continue
        kind = _KINDS.get(what[0], OperationKind.PUT)
        value = f"t{what[1:]}" if kind is OperationKind.GET and what[1:] else None
        token = f"t{what[0]}" if kind is OperationKind.PUT else None if what[0] == "?" else f"call{number}"
        operation = Operation(
            op_id=number,
            thread=f"T{number}",
            member=who,
            region="r",
            kind=kind,
            key="" if what[0] in "cl" else "x",
            token=token,
        )
        end = "" if kind is OperationKind.GET else what[1:]
        moments.append(Called(operation))
        moments.append(Waited("it", number) if end == ".." else Returned(number, Outcome(_ENDS[end], value)))
    last = len(moments) + 1
    shown = {
        member: tuple(
            Observation(
                Event(member=member, region="r", key="x", kind=EventKind.UPDATE, token=f"t{put}"), 0, last
            )
            for put in puts.split()
        )
        for member, puts in logs.items()
    }
    return History(
        topology=Topology((Site(1, tuple("ABCD")),)),
        regions=(RegionAttributes(name="r", policies=POLICIES, checks=checks),),
        timeline=(*moments, Settled()) if ".." not in timeline else tuple(moments),
        logs=shown,
        member_order=tuple("ABCD"),
    )


RIGHT = {
    "what it puts is at the replicates and with itself": history("A1 A2 A3 C4 A=4 B=4 C=4"),
    "an empty member keeps nothing": history("A1 D2 A=2 B=2 D=", D="2"),
    "an empty member hears nothing": history("A1 D2 A=2", D=""),
    "it hears nothing of what it lacks": history("A1 C= A2 C= B=2", C=""),
    "it takes what it lacks": history("A1 C=1 A2 C=2 B=2", C="1 2"),
    "it hears of what it holds": history("C1 A2 C=2", C="1 2"),
    "it fetches and keeps": history("A1 C?1 C=1 A2 C=2"),
    "it fetches and does not keep": history("A1 C?1 C="),
    "it does not fetch": history("A1 C? C="),
    "an empty member fetches": history("A1 D?1 D="),
    "it destroys what it lacks": history("A1 C! A= B="),
    "nobody has what it destroys": history("C!~"),
    "it is refused without a replicate": history("A1 +A +B C2- C="),
    "it does without a replicate": history("+A +B C2 C=2"),
    "another replicate does it": history("+A C2 B=2 C=2"),
    "its clear is for all": history("A1 C2 Cc A= B= C="),
    "its local clear is for itself": history("A1 C2 Cl A=2 B=2 C="),
    "its replace is refused": history("C1 Cr- A=1 C=1"),
    "nobody had what it destroyed, but a replicate": history("A1 C!~ A= B="),
    "its local clear is refused": history("A1 C2 Cl- A=2 B=2 C=2"),
    "without checks it is the same": history("A1 A2 C3 A=3 B=3 C=3", checks=False),
}

WRONG = {
    "its put of what it lacks is lost": (history("A1 A2 A3 C4 A=3 B=3 C=4"), "absent_goes_to_replicate"),
    "it does not hold what it has put": (history("A1 C2 C="), None),
    "an empty member keeps something": (history("A1 D2 D=2"), None),
    "a normal member misses an update of what it holds": (history("C1 A2 C=1"), "recipients"),
    "it fetches what was there before": (history("A1 A2 C?1"), None),
    "it waits for a replicate": (history("+A +B C1.."), "ends_without_replicate"),
    "it waits though there is a replicate": (history("+A C1.."), None),
    "it does without a replicate though there is one": (history("C1-"), None),
    "a replicate refuses to replace": (history("A1 Ar-"), None),
    "a replicate refuses what it has not": (history("A1-"), None),
    "its clear is for itself": (history("A1 C2 Cc A=2 B=2 C="), "clear_goes_to_replicate"),
    "its local clear is for all": (history("A1 C2 Cl A= B= C="), None),
    "it is told twice": (history("A1 C2 C=2", C="2 2"), None),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_members_with_less_may_show_is_explained(name: str):
    assert told(RIGHT[name]) is Answer.EXPLAINED


@pytest.mark.parametrize("name", WRONG)
def test_what_they_may_not_is_refuted_and_explained_with_its_decision_left_open(name: str):
    asked, decision = WRONG[name]
    assert told(asked) is Answer.REFUTED
    if decision is not None:
        assert told(asked, Rulebook().with_free(decision)) is Answer.EXPLAINED
