"""Where events travel on, unknown timestamps may be equal, and sites then decide by their ids."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest
from msgspec.structs import replace

from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.conflict_resolution import contests
from plumbline.reference.model.sites.order_pairs import without_idle
from plumbline.reference.model.sites.timestamp_order import (
    NONE,
    Pairs,
    all_after,
    compared_in,
    is_strictly_ordered,
    strictly_after,
)
from plumbline.reference.model.world import World, empty_world
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.values import EntryState, Stamp

TOPOLOGY = Topology((Site(1, ("A",)), Site(2, ("B",)), Site(3, ("C",))))
RING = ((1, 2), (2, 3), (3, 1))
MESH = (*RING, (2, 1), (3, 2), (1, 3))
OF_B, OF_C = 1, 2
"""Operations of sites 2 and 3."""

C_LATER: Pairs = frozenset({(OF_C, OF_B)})
"""Chosen at site 3, where that of C has won: it is later, or of the same time and of the higher site."""


def setting(links: tuple[tuple[int, int], ...]) -> Setting:
    queues = tuple(QueueAttributes(id=f"{a} to {b}", site=a, remote_site=b) for a, b in links)
    region = RegionAttributes(name="r", senders=tuple(queue.id for queue in queues))
    found = Setting(Rulebook(), TOPOLOGY, (region,), TOPOLOGY.members, queues=queues)
    found.operations = {
        number: Operation(
            op_id=number,
            thread=member,
            member=member,
            region="r",
            kind=OperationKind.PUT,
            key="x",
            token=f"v{number}",
        )
        for number, member in ((OF_B, "B"), (OF_C, "C"))
    }
    found.send_on()
    return found


ONE_TICK = {OF_B: (0, 0), OF_C: (0, 0)}
"""How often all clocks had moved on when they were called, and when they had returned."""

HELD = {OF_B: (1, 0), OF_C: (1, 0)}
"""For both the clocks were held once and showed one time."""


def outcomes(
    links: tuple[tuple[int, int], ...],
    pairs: Pairs,
    sent_on_by: int,
    ticks: Mapping[int, tuple[int, int]] = MappingProxyType(ONE_TICK),
    readings: Mapping[int, tuple[int, int]] = MappingProxyType({}),
) -> set[bool]:
    """Whether B may apply what C wrote, sent on by a site, over what it has put itself."""
    stored = Stamp(1, "B", 2, frozenset({OF_B}))
    example = setting(links)
    example.ticks = ticks
    example.readings = dict(readings)
    found = contests(example, pairs, frozenset({OF_C}), sent_on_by, stored, 2)
    return {applies for applies, _ in found}


def test_who_won_at_one_site_may_lose_at_another_that_is_told_of_it_by_a_third():
    assert outcomes(RING, C_LATER, sent_on_by=1) == {True, False}


@pytest.mark.parametrize(
    "ticks",
    [{OF_B: (0, 0), OF_C: (1, 1)}, {OF_C: (0, 1), OF_B: (2, 3)}, {}],
    ids=["called behind it", "called before it", "not told"],
)
def test_calls_between_which_clocks_have_moved_on_are_of_different_times(ticks: dict[int, tuple[int, int]]):
    assert outcomes(RING, C_LATER, sent_on_by=1, ticks=ticks) == {True}


def test_a_call_that_is_under_way_while_clocks_move_on_may_be_of_one_time_with_the_next():
    assert outcomes(RING, C_LATER, sent_on_by=1, ticks={OF_B: (0, 1), OF_C: (1, 1)}) == {True, False}


@pytest.mark.parametrize(("shown", "applied"), [(0, {False}), (1, {True}), (-1, {False})])
def test_what_held_clocks_have_shown_decides(shown: int, applied: set[bool]):
    readings = HELD | {OF_C: (1, shown)}
    assert outcomes(RING, NONE, sent_on_by=1, readings=readings) == applied


def test_of_several_times_of_an_entry_any_may_be_the_one_that_ties():
    stored = Stamp(1, "B", 2, frozenset({OF_B, 3}))
    example = setting(RING)
    example.operations[3] = replace(example.operations[OF_B], op_id=3)
    example.ticks = {OF_B: (0, 0), OF_C: (1, 1), 3: (1, 1)}
    pairs = C_LATER | {(OF_C, 3)}
    found = contests(example, pairs, frozenset({OF_C}), 1, stored, 2)
    assert {applies for applies, _ in found} == {True, False}


def test_it_wins_where_its_own_site_has_sent_it():
    assert outcomes(RING, C_LATER, sent_on_by=3) == {True}


def test_it_wins_everywhere_where_each_site_is_linked_to_each():
    assert outcomes(MESH, C_LATER, sent_on_by=3) == {True}


def test_what_replaced_the_other_where_it_was_called_is_of_a_later_time():
    later = strictly_after(NONE, OF_C, frozenset({OF_B}))
    assert later is not None
    assert outcomes(RING, later, sent_on_by=1) == {True}


def test_what_was_before_that_is_of_an_earlier_time_too():
    first = all_after(NONE, 2, frozenset({1}))
    assert first is not None
    found = strictly_after(first, 3, frozenset({2}))
    assert found is not None
    assert is_strictly_ordered(found, 3, 1)
    assert is_strictly_ordered(found, 2, 3)
    assert not is_strictly_ordered(found, 2, 1)


def test_it_is_never_later_than_what_is_later_than_it():
    assert strictly_after(C_LATER, OF_B, frozenset({OF_C})) is None


@pytest.mark.parametrize(("left", "kept"), [((3, 2), {(3, 2)}), ((3,), set())])
def test_what_is_noted_is_forgotten_with_what_it_is_about(left: tuple[int, ...], kept: set[tuple[int, int]]):
    noted = strictly_after(strictly_after(NONE, 2, frozenset({1})) or NONE, 3, frozenset({2}))
    assert noted is not None
    world: World = empty_world()
    entries = world.entries
    for number in left:
        stamp = Stamp(1, "A", 1, frozenset({number}))
        entries = entries.set(("A", "r", f"k{number}"), Entry(EntryState.LIVE, "v", stamp))
    ranks = world.wan.ranks.set(("r", "x"), noted)
    after = without_idle(world.but(entries=entries, wan=replace(world.wan, ranks=ranks)))
    assert {compared_in(pair) for pair in after.wan.ranks.get(("r", "x"), NONE)} == kept
