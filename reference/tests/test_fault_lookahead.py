"""What is yet to break in a history, before or after everything has come to rest."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from plumbline.reference.explain.fault_lookahead import FaultLookahead
from plumbline.reference.explain.index import Index
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import FaultBegun, Moment, Settled, SettledBut
from plumbline.reference.history.operations import QueueAttributes, RegionAttributes, Site, Topology
from plumbline.reference.model.world import empty_world

STOP = Fault(kind=FaultKind.RECEIVER_STOP, member="C")
START = Fault(kind=FaultKind.RECEIVER_START, member="C")
LOST = Fault(kind=FaultKind.REPLIES_LOST, site=2, remote_site=1)
RESTART = Fault(kind=FaultKind.RESTART, member="A")
REST = Settled()
SOME_HELD = Settled((("B", "x"),))


def fault_lookahead(*timeline: Moment | Fault) -> FaultLookahead:
    """Of a history of two sites in which this happens."""
    moments = [FaultBegun(n, one) if isinstance(one, Fault) else one for n, one in enumerate(timeline, 1)]
    history = History(
        topology=Topology((Site(1, ("A", "B")), Site(2, ("C", "D")))),
        regions=(RegionAttributes(name="r"),),
        timeline=tuple(moments),
        logs={},
        queues=(
            QueueAttributes(id="to 2", site=1, remote_site=2),
            QueueAttributes(id="to 1", site=2, remote_site=1),
        ),
    )
    return FaultLookahead(Index(history))


@pytest.mark.parametrize(
    ("timeline", "before"),
    [
        ((REST, STOP), False),
        ((STOP, REST), True),
        ((STOP,), True),
        ((REST,), False),
        ((SOME_HELD, STOP), True),
        ((LOST, REST, STOP), True),
        ((REST, STOP, RESTART), True),
    ],
    ids=[
        "at rest before it",
        "at rest behind it",
        "never at rest",
        "nothing binds",
        "something held back",
        "at rest but for another link",
        "who has died runs again",
    ],
)
def test_what_binds_a_queue_binds_it_before_all_has_come_to_rest(
    timeline: tuple[Moment | Fault, ...], before: bool
):
    found = fault_lookahead(*timeline)
    assert found.binds_before_rest(0, "to 2") is before
    assert found.binds_to_come(0, "to 2") is (STOP in timeline)


def test_what_has_happened_binds_no_more():
    assert not fault_lookahead(STOP, REST).binds_before_rest(1, "to 2")
    stopped_twice = fault_lookahead(STOP, START, REST, STOP)
    assert stopped_twice.binds_before_rest(0, "to 2")
    assert not stopped_twice.binds_before_rest(2, "to 2")


def test_a_receiver_of_one_queue_binds_no_other():
    assert not fault_lookahead(STOP).binds_before_rest(0, "to 1")


MENDED = Fault(kind=FaultKind.LINK_UP, site=1, remote_site=2)
ANSWERS = Fault(kind=FaultKind.REPLIES_LOST, site=1, remote_site=2)
SOME_WAITS = SettledBut((), ("to 2",))


@pytest.mark.parametrize(
    ("timeline", "tells"),
    [
        ((ANSWERS, MENDED, REST), False),
        ((ANSWERS, REST, MENDED), True),
        ((ANSWERS, SOME_WAITS, MENDED), False),
        ((ANSWERS, SettledBut((), ("to 1", "to 2")), MENDED), True),
        ((STOP, START), True),
    ],
    ids=["nobody says so", "at rest meanwhile", "but for its queue", "and for another", "of a receiver"],
)
def test_answers_that_are_lost_hold_up_tellingly_only_if_somebody_says_that_nothing_more_happens(
    timeline: tuple[Moment | Fault, ...], tells: bool
):
    found, nothing = fault_lookahead(*timeline), empty_world()
    assert found.binds_to_come(0, "to 2")
    assert found.binds_tellingly(nothing, 0, "to 2") is tells
    (first, *_) = timeline
    assert isinstance(first, Fault)
    begun = nothing.but(wan=replace(nothing.wan, faults=nothing.wan.faults.set(1, first)))
    assert found.binds_tellingly(begun, len(timeline), "to 2") is tells
