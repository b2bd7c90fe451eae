"""An event that is sent again may be applied again, by its receiver and by that one's peers (000, L34)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.moments import Called, FaultBegun, FaultDone, Moment, Returned, Settled
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
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer
from plumbline.reference.tests.agreement import told

Told = tuple[str, int, tuple[int, int]]
"""Who was told of which operation, and in which window."""

BEFORE, BEHIND = (2, 4), (6, 7)
"""Windows: before everything has settled while answers are lost, and behind the new connection."""


def sent_again(*seen: Told, kinds: str = "p", checks: bool | None = None) -> History:
    """A changes a key while answers are lost; behind that, what was not answered is sent again.

    Args:
        seen: which member was told of which operation, in which window.
        kinds: what A calls: p to put, d to destroy.
        checks: the region's setting.
    """
    calls = [
        Operation(
            op_id=number,
            thread="A1",
            member="A",
            region="r",
            kind=OperationKind.PUT if kind == "p" else OperationKind.DESTROY,
            key="x",
            token=f"v{number}",
        )
        for number, kind in enumerate(kinds, 1)
    ]
    lost = Fault(kind=FaultKind.REPLIES_LOST, site=1, remote_site=2)
    mended = Fault(kind=FaultKind.LINK_UP, site=1, remote_site=2)
    done = Outcome(Status.OK)
    timeline: tuple[Moment, ...] = (
        FaultBegun(1, lost),
        FaultDone(1, lost),
        *(moment for one in calls for moment in (Called(one), Returned(one.op_id, done))),
        Settled(),
        FaultBegun(2, mended),
        FaultDone(2, mended),
        Settled(),
    )
    later = 2 * (len(calls) - 1)
    here = tuple(("A", one.op_id, (2 * one.op_id, 2 * one.op_id + 1)) for one in calls)
    logs: dict[str, tuple[Observation, ...]] = {"A": (), "C": (), "D": ()}
    for member, number, (after, before) in (*here, *seen):
        one = calls[number - 1]
        kind = EventKind.UPDATE if one.kind is OperationKind.PUT else EventKind.DESTROY
        event = Event(member=member, region="r", key="x", kind=kind, token=one.token)
        shift = 0 if member == "A" else later
        logs[member] += (Observation(event, after if after <= 2 else after + shift, before + shift),)
    queue = QueueAttributes(id="to 2", site=1, remote_site=2)
    return History(
        topology=Topology((Site(1, ("A",)), Site(2, ("C", "D")))),
        regions=(RegionAttributes(name="r", senders=("to 2",), checks=checks),),
        timeline=timeline,
        logs=logs,
        queues=(queue,),
        member_order=("A", "C", "D"),
    )


ONCE = (("C", 1, BEFORE), ("D", 1, BEFORE))
C_AGAIN, D_AGAIN = ("C", 1, BEHIND), ("D", 1, BEHIND)
GONE = (("C", 2, BEFORE), ("D", 2, BEFORE))
GONE_AGAIN = (("C", 2, BEHIND), ("D", 2, BEHIND))


@pytest.mark.parametrize("checks", [None, False])
@pytest.mark.parametrize(
    "again",
    [(), (C_AGAIN,), (D_AGAIN,), (C_AGAIN, D_AGAIN)],
    ids=["by nobody", "by one member", "by the other", "by both"],
)
def test_what_comes_again_may_be_told_again_by_any_member(again: tuple[Told, ...], checks: bool | None):
    assert told(sent_again(*ONCE, *again, checks=checks)) is Answer.EXPLAINED


@pytest.mark.parametrize("checks", [None, False])
@pytest.mark.parametrize(
    "again",
    [("C",), ("C", "C"), ("D",), ("C", "D")],
    ids=["by one member", "by one member, twice", "by the other", "by both"],
)
def test_a_sender_may_try_again_while_answers_are_lost(again: tuple[str, ...], checks: bool | None):
    """It keeps trying for as long as there is no acknowledgement (002, L105)."""
    told_of = tuple((member, 1, BEFORE) for member in again)
    seen = sent_again(*ONCE, *told_of, checks=checks)
    assert told(seen, tries_again=True) is Answer.EXPLAINED
    assert told(seen) is Answer.REFUTED
    assert search(seen, Rulebook()).answer is Answer.EXPLAINED


def test_a_sender_tries_again_only_where_answers_are_lost():
    seen = sent_again(*ONCE, ("C", 1, BEFORE))
    healthy = tuple(what for what in seen.timeline if not isinstance(what, FaultBegun | FaultDone))
    logs = {
        member: tuple(replace(shown, after=shown.after - 2, before=shown.before - 2) for shown in log)
        for member, log in seen.logs.items()
    }
    assert told(replace(seen, timeline=healthy, logs=logs), tries_again=True) is Answer.REFUTED


@pytest.mark.parametrize("checks", [None, False])
def test_it_is_told_no_more_often_than_it_was_sent(checks: bool | None):
    """Tried again just before answers are heard again, it is on its way twice, by two connections."""
    twice, often = (sent_again(*ONCE, *[C_AGAIN] * times, D_AGAIN, checks=checks) for times in (2, 3))
    assert told(twice, tries_again=True) is Answer.EXPLAINED
    assert told(often, tries_again=True) is Answer.REFUTED


@pytest.mark.parametrize("checks", [None, False])
@pytest.mark.parametrize("again", [GONE_AGAIN, GONE_AGAIN[1:]], ids=["by both", "by one member"])
def test_a_destroy_that_comes_again_may_be_told_again(again: tuple[Told, ...], checks: bool | None):
    assert told(sent_again(*ONCE, *GONE, *again, kinds="pd", checks=checks)) is Answer.EXPLAINED


@pytest.mark.parametrize("checks", [None, False])
@pytest.mark.parametrize(
    "again", [(C_AGAIN,), (C_AGAIN, D_AGAIN, *GONE_AGAIN)], ids=["at last", "for a while"]
)
def test_a_put_that_comes_again_never_revives_what_was_destroyed_behind_it(
    again: tuple[Told, ...], checks: bool | None
):
    assert told(sent_again(*ONCE, *GONE, *again, kinds="pd", checks=checks)) is Answer.REFUTED


def test_a_destroy_without_a_token_may_come_again_too():
    seen = sent_again(*ONCE, *GONE, *GONE_AGAIN, kinds="pd")
    logs = {
        member: tuple(
            replace(shown, event=replace(shown.event, token=None))
            if shown.event.kind is EventKind.DESTROY
            else shown
            for shown in log
        )
        for member, log in seen.logs.items()
    }
    assert told(replace(seen, logs=logs, callback_arguments=False)) is Answer.EXPLAINED
