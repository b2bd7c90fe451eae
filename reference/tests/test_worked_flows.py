"""The worked flows of document 002, step by step: the model takes them in this order, through these states.

Every step of the model is made to show itself, and what queues and records hold after it, in a log of its
own. So a flow is a history that tells everything, and the judge says whether some run of the model is just
that one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explain.question import ask
from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.moments import Called, Moment, Returned, Settled
from plumbline.reference.history.operations import (
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    QueueAttributes,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.reference.model.system import Model
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.book import Rulebook, rulebook_of
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.search import Answer, explain
from plumbline.reference.search.transition import Logs, Step, System, View

TOPOLOGY = Topology((Site(1, ("A", "B")), Site(2, ("C", "D"))))
QUEUE = QueueAttributes(id="to 2", site=1, remote_site=2, batch_size=10)
PRIMARY, SECONDARY = "A", "B"

FLOW = "flow"
"""Where steps show themselves."""

UNTOLD = ("harness", "senders start")
"""Steps that show elsewhere, or come before everything."""


class Row(NamedTuple):
    """One step, and what is there after it.

    Attributes:
        step: who, and what.
        queue: the events in the primary's queue.
        copy: those in the secondary's copy.
        unprocessed: what the secondary has recorded and not seen in the queue.
        ahead: what it has seen in the queue and not met yet.
    """

    step: str
    queue: tuple[int, ...] = ()
    copy: tuple[int, ...] = ()
    unprocessed: tuple[int, ...] = ()
    ahead: tuple[int, ...] = ()


class Told(System):
    """The model, its every step shown together with the state behind it."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def initial(self) -> Any:
        """As the model's."""
        return self._model.initial()

    def steps(self, state: World, view: View) -> Iterator[Step]:
        """The model's, each with an entry more."""
        for step in self._model.steps(state, view):
            if step.name[0] not in UNTOLD:
                step.shows = (*step.shows, (FLOW, _row(step)))
            yield step

    def canonical(self, state: Any, now: int) -> Any:
        """As it is."""
        del now
        return state


def _row(step: Step) -> Row:
    what, who, *_ = step.name
    senders = step.state.wan.senders
    here, there = senders[PRIMARY, QUEUE.id], senders[SECONDARY, QUEUE.id]
    return Row(
        "call returns" if what == "return" else f"{who} {what}",
        tuple(event.op_id for event in here.queue),
        tuple(event.op_id for event in there.queue),
        tuple(event.op_id for event in there.records),
        tuple(sorted(there.notes)),
    )


def seen_from_outside(*callers: str) -> History:
    """What the puts of these callers show, each returned before the next: listeners everywhere, all once."""
    timeline: list[Moment] = []
    shown: list[tuple[Operation, int]] = []
    for number, caller in enumerate(callers, 1):
        operation = Operation(
            op_id=number,
            thread=f"{caller}{number}",
            member=caller,
            region="r",
            kind=OperationKind.PUT,
            key=f"k{number}",
            token=f"v{number}",
        )
        shown.append((operation, len(timeline)))
        timeline += [Called(operation), Returned(number, Outcome(Status.OK))]
    timeline.append(Settled())
    logs = {
        member: tuple(
            Observation(
                Event(member=member, region="r", key=put.key, kind=EventKind.UPDATE, token=put.token),
                since,
                len(timeline) - 1,
            )
            for put, since in shown
        )
        for member in TOPOLOGY.members
    }
    return History(
        topology=TOPOLOGY,
        regions=(RegionAttributes(name="r", senders=(QUEUE.id,)),),
        timeline=tuple(timeline),
        logs=logs,
        member_order=TOPOLOGY.members,
        queues=(QUEUE,),
    )


def produced(history: History, rows: tuple[Row, ...], book: Rulebook) -> Answer:
    """Whether some run of the model shows the history and takes just these steps, in this order."""
    question = ask(history, book)
    logs = question.logs
    told = Logs(
        {**logs.entries, FLOW: rows},
        clock=logs.clock,
        windows=logs.windows,
        owners={place: owner for owner, places in logs.owned.items() for place in places},
    )
    return judge(Told(question.system), told).answer


ONE = (1,)

FIRED_AT_SECONDARY = (
    Row("B applies", unprocessed=ONE),  # 1 and 2 of the first flow (L51 to L52)
    Row("B sends", unprocessed=ONE),
    Row("A receives", queue=ONE, unprocessed=ONE),  # 3 and 4 (L53 to L54)
    Row("B stores queue entry", queue=ONE, copy=ONE, unprocessed=ONE),  # 5 (L55)
    Row("B is told of queue entry", queue=ONE, copy=ONE),  # 6 and 7 (L56 to L57)
    Row("call returns", queue=ONE, copy=ONE),
)

FIRED_AT_PRIMARY = (
    Row("A applies", queue=ONE),  # 1 and 2 of the second flow (L59 to L60)
    Row("B stores queue entry", queue=ONE, copy=ONE),  # 3 (L61)
    Row("B is told of queue entry", queue=ONE, copy=ONE, ahead=ONE),  # 4 and 5 (L62 to L63)
    Row("A sends", queue=ONE, copy=ONE, ahead=ONE),
    Row("B receives", queue=ONE, copy=ONE),  # 6 and 7 (L64 to L65)
    Row("call returns", queue=ONE, copy=ONE),
)

DISPATCHED = (
    Row("A connects", queue=ONE, copy=ONE),
    Row("A sends event", queue=ONE, copy=ONE),  # the batch is read, made and sent (000, L29 to L31)
    Row("C applies from another site", queue=ONE, copy=ONE),
    Row("D receives", queue=ONE, copy=ONE),
    Row("C answers", queue=ONE, copy=ONE),
    Row("A hears the answer", queue=ONE, copy=ONE),  # the thread that reads acknowledgements (L27)
    Row("A removes", copy=ONE),  # from its own queue alone (L119)
    Row("A tells of removal", copy=ONE),  # the message of the thread that removes batches (L121 s1)
    Row("B removes from its copy"),  # from the last destroyed to the last dispatched one (L121 s2)
)


LISTENER_TOLD = "B is told of queue entry"

BEFORE_LISTENER = tuple(row for row in FIRED_AT_SECONDARY if row.step != LISTENER_TOLD)
"""The first flow, but for the secondary's listener, which runs on a thread of its own (L49)."""

LISTENER_LATE = (
    *(row._replace(unprocessed=ONE) if row.copy else row for row in BEFORE_LISTENER),
    *(row._replace(unprocessed=ONE) for row in DISPATCHED),
    Row(LISTENER_TOLD),
)
"""The listener is told only when the event has left all queues."""


def operation_late(*rows: Row) -> tuple[Row, ...]:
    """The second flow, its operation arriving at the secondary only when the event has left all queues."""
    at = next(n for n, row in enumerate(FIRED_AT_PRIMARY) if row.step == "B receives")
    before = FIRED_AT_PRIMARY[:at]
    return (*before, *(row._replace(ahead=ONE) for row in rows), Row("B receives"), Row("call returns"))


FLOWS: dict[str, tuple[str, tuple[Row, ...]]] = {
    "fired where the secondary runs": ("B", FIRED_AT_SECONDARY + DISPATCHED),
    "fired where the primary runs": ("A", FIRED_AT_PRIMARY + DISPATCHED),
    "fired where the secondary runs, its listener told after the removal": ("B", LISTENER_LATE),
    "fired where the primary runs, met after its removal": ("A", operation_late(*DISPATCHED)),
}
"""Who calls, and the steps."""


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("name", FLOWS)
def test_the_model_takes_the_steps_of_the_document_through_its_states(name: str, dialect: Dialect):
    caller, rows = FLOWS[name]
    history, book = seen_from_outside(caller), rulebook_of(dialect)
    question = ask(history, book)
    assert explain(question.system, question.logs).answer is Answer.EXPLAINED
    assert produced(history, rows, book) is Answer.EXPLAINED


FIRST, SECOND, LATE, MET = FLOWS

BROKEN = (
    ("secondary-forgets", FIRST),
    ("records-never-cleared", FIRST),
    ("queues-own-only", FIRST),
    ("queues-others-twice", FIRST),
    ("queue-without-copies", FIRST),
    ("queue-of-nothing", FIRST),
    ("queues-late", FIRST),
    ("queues-late", SECOND),
    ("queue-without-copies", SECOND),
    ("queued-first-is-forgotten", SECOND),
    ("queued-first-is-forgotten", MET),
    ("tells-no-removals", FIRST),
    ("removes-when-sent", FIRST),
    ("answers-first", SECOND),
    ("records-survive-removal", LATE),
)
"""Variants, and flows that they cannot take."""


@pytest.mark.parametrize(("name", "flow"), BROKEN)
def test_a_variant_that_breaks_a_step_cannot_take_the_flow(name: str, flow: str):
    caller, rows = FLOWS[flow]
    assert produced(seen_from_outside(caller), rows, FAULTY[name].rulebook(Rulebook())) is Answer.REFUTED


HELD = {"queue": ONE, "copy": ONE}
LEFT = {"copy": ONE}

SWAPPED: dict[str, tuple[str, tuple[Row, ...]]] = {
    # The call returns before the secondary has its copy (L115): before the fifth step.
    "queue-unacknowledged": (
        "B",
        (
            *FIRED_AT_SECONDARY[:3],
            Row("call returns", queue=ONE, unprocessed=ONE),
            *FIRED_AT_SECONDARY[3:5],
            *DISPATCHED,
        ),
    ),
    # The call returns before the primary has queued its event: before the fourth step.
    "queues-late": (
        "B",
        (
            *FIRED_AT_SECONDARY[:2],
            Row("A receives", unprocessed=ONE),
            Row("call returns", unprocessed=ONE),
            Row("A queues late", queue=ONE, unprocessed=ONE),
            *FIRED_AT_SECONDARY[3:5],
            *DISPATCHED,
        ),
    ),
    # The event leaves the queue when it is sent, not when it was answered (000, L32).
    "removes-when-sent": (
        "A",
        (
            *FIRED_AT_PRIMARY,
            Row("A connects", **HELD),
            Row("A sends event", **LEFT),
            Row("C applies from another site", **LEFT),
            Row("D receives", **LEFT),
            Row("C answers", **LEFT),
            Row("A hears the answer", **LEFT),
            *DISPATCHED[-2:],
        ),
    ),
    # The receiver answers before it has applied (000, L31 and L32).
    "answers-first": (
        "A",
        (
            *FIRED_AT_PRIMARY,
            Row("A connects", **HELD),
            Row("A sends event", **HELD),
            Row("A hears the answer", **HELD),
            Row("A removes", **LEFT),
            Row("C applies from another site", **LEFT),
            Row("D receives", **LEFT),
            *DISPATCHED[-2:],
        ),
    ),
    # The secondary is told of the removal before the primary has removed (L119 before L121).
    "tells-removal-when-sent": (
        "A",
        (
            *FIRED_AT_PRIMARY,
            Row("A connects", **HELD),
            Row("A sends event", **HELD),
            Row("B removes from its copy", queue=ONE),
            Row("C applies from another site", queue=ONE),
            Row("D receives", queue=ONE),
            Row("C answers", queue=ONE),
            Row("A hears the answer", queue=ONE),
            Row("A removes"),
        ),
    ),
}
"""Flows with two steps in the other order, and the variant that takes them so."""


@pytest.mark.parametrize("name", SWAPPED)
def test_two_steps_in_the_other_order_are_taken_by_the_variant_that_swaps_them_alone(name: str):
    caller, rows = SWAPPED[name]
    history = seen_from_outside(caller)
    assert produced(history, rows, FAULTY[name].rulebook(Rulebook())) is Answer.EXPLAINED
    assert produced(history, rows, Rulebook()) is Answer.REFUTED
