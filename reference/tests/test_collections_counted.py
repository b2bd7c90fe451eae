"""The model drops the count of collections where the harness will not read it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from plumbline.reference.explain.question import ask
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Settled, StatisticAsked, StatisticRead
from plumbline.reference.history.operations import RegionAttributes, Site, TombstoneSettings, Topology
from plumbline.reference.model.world import World, empty_world
from plumbline.reference.rulebook.book import Rulebook

COLLECTED = (1, 1)


def counted(world: World) -> World:
    """The world in which A and B have each collected once."""
    collections = world.tombs.collections.set("A", COLLECTED).set("B", COLLECTED)
    return world.but(tombs=replace(world.tombs, collections=collections))


def left(name: str, now: int, *, asked: bool = False) -> dict[str, tuple[int, int]]:
    """What is known of collections once so much has happened: A is asked for the statistic at 1."""
    history = History(
        topology=Topology((Site(1, ("A", "B")),)),
        regions=(RegionAttributes(name="r"),),
        timeline=(Settled(), StatisticAsked(1, "A", name), StatisticRead(1, "A", name, 1), Settled()),
        logs={},
        tombstones=TombstoneSettings(),
    )
    world = counted(empty_world())
    if asked:
        world = world.but(asked=world.asked.set(1, None))
    return dict(ask(history, Rulebook()).system.canonical(world, now).tombs.collections.items())


def test_what_somebody_asks_for_later_is_known_until_then():
    assert left("tombstoneGCCount", now=1) == {"A": COLLECTED}


def test_what_somebody_is_asking_for_is_known():
    assert left("tombstoneGCCount", now=2, asked=True) == {"A": COLLECTED}


def test_what_somebody_has_asked_for_is_forgotten():
    assert left("tombstoneGCCount", now=3) == {}


@pytest.mark.parametrize("name", ["tombstoneCount", "conflatedEvents", "replicatedTombstonesSize"])
def test_who_asks_for_something_else_needs_no_count_of_collections(name: str):
    assert left(name, now=1) == {}
