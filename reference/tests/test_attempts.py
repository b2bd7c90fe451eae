"""What clients try again in the model: histories written by hand, each judged by the search and its judge."""

from __future__ import annotations

import pytest

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.moments import Called, FaultBegun, FaultDone, Moment, Returned, Settled
from plumbline.reference.history.operations import (
    Client,
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
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.search.search import Answer
from plumbline.reference.tests.agreement import told

HOLDERS = "ABL"
ONE_WAY, ANOTHER_WAY = ("B",), ("B", "A")


def history(timeline: str, servers: tuple[str, ...] = ONE_WAY, **logs: str) -> History:
    """A history of A and B, with the client K of these servers, and L of A that only listens.

    Args:
        timeline: `+1` calls put 1 of key x at K, `-1` returns from it and `?1` ends it as indefinite; `lost`
            loses what B answers to K, `back` mends that; `settled`.
        servers: of K.
        logs: the numbers of the puts that each of A, B and L is told of, if not 1.
    """
    moments: list[Moment] = []
    puts: dict[str, Operation] = {}
    for number, word in enumerate(timeline.split()):
        if word == "settled":
            moments.append(Settled())
        elif word in ("lost", "back"):
            kind = FaultKind.ANSWERS_LOST if word == "lost" else FaultKind.ANSWERS_BACK
            fault = Fault(kind=kind, client="K", member="B")
            moments += [FaultBegun(number, fault), FaultDone(number, fault)]
        elif word[0] == "+":
            puts[word[1]] = operation = Operation(
                op_id=int(word[1]),
                thread="T",
                member="K",
                region="r",
                kind=OperationKind.PUT,
                key="x",
                token=f"t{word[1]}",
            )
            moments.append(Called(operation))
        else:
            status = Status.OK if word[0] == "-" else Status.INDEFINITE
            moments.append(Returned(int(word[1]), Outcome(status)))
    end = len(moments) - 1
    return History(
        topology=Topology((Site(1, ("A", "B")),)),
        regions=(RegionAttributes(name="r"),),
        timeline=tuple(moments),
        logs={
            holder: tuple(
                Observation(
                    Event(member=holder, region="r", key="x", kind=EventKind.UPDATE, token=f"t{number}"),
                    0,
                    end,
                )
                for number in logs.get(holder, "1")
            )
            for holder in HOLDERS
        },
        member_order=("A", "B"),
        clients=(Client(name="K", servers=servers), Client(name="L", servers=("A",))),
    )


TWICE = dict.fromkeys(HOLDERS, "11")
MENDED = "settled lost +1 settled back -1 settled"
TURNED = "settled lost +1 -1 settled"


@pytest.mark.parametrize(
    ("timeline", "servers", "logs", "answer"),
    [
        (MENDED, ONE_WAY, {}, Answer.EXPLAINED),
        (TURNED, ANOTHER_WAY, {}, Answer.EXPLAINED),
        # A client without an answer knows nothing, unless another server answers.
        (TURNED, ONE_WAY, {}, Answer.REFUTED),
        ("settled lost +1 ?1 settled", ONE_WAY, {}, Answer.EXPLAINED),
        # What is called afterwards is one above what came again.
        (
            "settled lost +1 settled back -1 +2 -2 settled",
            ONE_WAY,
            dict.fromkeys(HOLDERS, "12"),
            Answer.EXPLAINED,
        ),
        (MENDED, ONE_WAY, TWICE, Answer.REFUTED),
        (MENDED, ONE_WAY, {"L": "11"}, Answer.REFUTED),
        (MENDED, ONE_WAY, {"B": ""}, Answer.REFUTED),
        (TURNED, ANOTHER_WAY, TWICE, Answer.REFUTED),
        # What had been answered before is not lost.
        ("+1 lost settled -1 settled", ONE_WAY, {}, Answer.EXPLAINED),
    ],
)
def test_what_is_tried_again_is_carried_out_once(
    timeline: str, servers: tuple[str, ...], logs: dict[str, str], answer: Answer
):
    assert told(history(timeline, servers, **logs)) is answer


@pytest.mark.parametrize(
    ("variant", "timeline", "servers", "once", "twice"),
    [
        ("servers-forget", MENDED, ONE_WAY, Answer.REFUTED, Answer.EXPLAINED),
        ("servers-forget", TURNED, ANOTHER_WAY, Answer.REFUTED, Answer.EXPLAINED),
        ("asks-anew", MENDED, ONE_WAY, Answer.REFUTED, Answer.EXPLAINED),
        ("remembers-its-own", MENDED, ONE_WAY, Answer.EXPLAINED, Answer.REFUTED),
        ("remembers-its-own", TURNED, ANOTHER_WAY, Answer.REFUTED, Answer.REFUTED),
    ],
)
def test_whoever_forgets_carries_it_out_twice(
    variant: str, timeline: str, servers: tuple[str, ...], once: Answer, twice: Answer
):
    book: Rulebook = FAULTY[variant].rulebook(Rulebook())
    assert told(history(timeline, servers), book) is once
    assert told(history(timeline, servers, **TWICE), book) is twice
