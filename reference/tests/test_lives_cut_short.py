"""Durable clients that die while events are sent to them, or regions become live (003, L15, L41)."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History, Observation, OrderStrength
from plumbline.reference.history.moments import FaultBegun, FaultDone, Moment, Registered, Settled
from plumbline.reference.history.operations import (
    Client,
    Event,
    EventKind,
    Interest,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.rulebook.book import Rulebook, rulebook_of
from plumbline.reference.search.search import Answer

FOUND = Path(__file__).with_name("a_client_goes_with_an_event_in_its_queue.json")
"""A drawn history: a client is killed behind the first of two events. A reduction took the other first."""

REGIONS = ("r", "s")


def killed(*told: str, rests: bool) -> History:
    """A client becomes ready and is killed; the listeners of these regions were told that they are live."""
    interests = [Interest(client="K", region=region, durable=True) for region in REGIONS]
    ready = Fault(kind=FaultKind.CLIENT_READY, client="K")
    crash = Fault(kind=FaultKind.CLIENT_CRASH, client="K", meanwhile=not rests)
    timeline: list[Moment] = [
        *(Registered(interest) for interest in interests),
        FaultBegun(1, ready),
        FaultDone(1, ready),
        *[Settled()] * rests,
        FaultBegun(2, crash),
        FaultDone(2, crash),
        Settled(),
    ]
    events = [Event(member="K", region=region, key="", kind=EventKind.LIVE, token=None) for region in told]
    begun = timeline.index(FaultBegun(1, ready))
    return History(
        topology=Topology((Site(1, ("A", "B")),)),
        regions=tuple(RegionAttributes(name=region) for region in REGIONS),
        timeline=tuple(timeline),
        logs={"A": (), "B": (), "K": tuple(Observation(event, begun, len(timeline) - 1) for event in events)},
        order_strength=OrderStrength.TOTAL,
        client_order_strength=OrderStrength.TOTAL,
        member_order=("A", "B"),
        clients=(Client(name="K", servers=("B",), durable_id="k"),),
        registers=False,
    )


@pytest.mark.parametrize("told", [(), ("r",), ("s",), ("r", "s"), ("s", "r")])
def test_a_client_that_is_killed_has_told_some_of_its_listeners(told: tuple[str, ...]):
    assert search(killed(*told, rests=False), rulebook_of(Dialect.GEODE)).answer is Answer.EXPLAINED


@pytest.mark.parametrize("told", [(), ("r",), ("s",)])
def test_a_client_that_has_come_to_rest_has_told_all_of_them(told: tuple[str, ...]):
    assert search(killed(*told, rests=True), rulebook_of(Dialect.GEODE)).answer is Answer.REFUTED


@pytest.mark.parametrize("rests", [False, True])
def test_no_listener_is_told_twice_in_a_life(rests: bool):
    assert search(killed("r", "s", "r", rests=rests), rulebook_of(Dialect.GEODE)).answer is Answer.REFUTED


def test_the_order_of_a_queue_counts_until_its_client_goes():
    history = msgspec.json.decode(FOUND.read_bytes(), type=History)
    assert search(history, Rulebook()).answer is Answer.EXPLAINED
