"""Versions are counted from one again, and calls that only have to return forget what they wrote."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    RegionAttributes,
    RegionPolicy,
    Site,
    TombstoneSettings,
    Topology,
)
from plumbline.reference.model.ambiguous_keys import AmbiguousKeys, while_used
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.version_normalization import VersionNormalization, without_stamps
from plumbline.reference.model.world import Call, CallStage, World, empty_world
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.values import EntryState, Stamp

TOPOLOGY = Topology((Site(1, ("A", "B")),))
KEY = ("r", "x")


def version_normalization(
    *regions: RegionAttributes, tombstones: TombstoneSettings | None = None
) -> VersionNormalization:
    """Of a region whose key may have been changed in silence."""
    setting = Setting(
        Rulebook(),
        TOPOLOGY,
        regions or (RegionAttributes(name="r"),),
        TOPOLOGY.members,
        tombstones=tombstones,
    )
    setting.ambiguous = AmbiguousKeys(periods=(frozenset({KEY}),))
    setting.operations = {
        op_id: Operation(
            op_id=op_id,
            thread="A1",
            member="A",
            region="r",
            kind=OperationKind.PUT,
            key="x",
            token=f"v{op_id}",
        )
        for op_id in (1, 2)
    }
    return VersionNormalization(setting)


def stored(version: int) -> World:
    """A world in which both members have this version."""
    world = empty_world()
    entries = world.entries
    for member in TOPOLOGY.members:
        entries = entries.set((member, *KEY), Entry(EntryState.LIVE, "v2", Stamp(version, "A")))
    return world.but(entries=entries)


def called(world: World, call: Call) -> World:
    return world.but(calls=world.calls.set(1, call))


def versions(world: World) -> list[int]:
    found = [world.entry(member, *KEY).stamp for member in TOPOLOGY.members]
    return [stamp.version for stamp in found if stamp is not None]


OVER = Call(CallStage.SENT, stamp=Stamp(1, "A"), update=True)
"""A call that all members have, and whose caller has yet to receive its end."""


def test_versions_that_everybody_has_gone_on_from_are_counted_from_one():
    assert versions(version_normalization().counted_anew(stored(5))) == [1, 1]


def test_a_call_that_only_has_to_return_keeps_no_version_from_being_counted_anew():
    assert versions(version_normalization().counted_anew(called(stored(5), OVER))) == [1, 1]


@pytest.mark.parametrize(
    "call",
    [
        replace(OVER, waiting=frozenset({"B"})),
        replace(OVER, stage=CallStage.APPLIED),
    ],
    ids=["waits for others", "has yet to be sent"],
)
def test_a_call_that_others_have_yet_to_hear_of_keeps_its_version(call: Call):
    after = version_normalization().counted_anew(called(stored(5), call))
    assert after.calls[1] == call
    assert versions(after) == [5, 5]


def test_a_message_on_its_way_keeps_its_version():
    world = stored(5)
    sent = world.but(channels=world.channels.set(Channel("A1", "A", "B"), (Message(2, Stamp(3, "A")),)))
    after = version_normalization().counted_anew(sent)
    assert versions(after) == [3, 3]
    assert after.channels[Channel("A1", "A", "B")] == (Message(2, Stamp(1, "A")),)


def test_who_only_has_to_return_forgets_nothing_else():
    done = Call(CallStage.DONE, stamp=Stamp(1, "A"), update=True, discarded=True)
    assert without_stamps(called(stored(5), done)).calls[1] == Call(CallStage.DONE, discarded=True)


@pytest.mark.parametrize(
    "kept",
    [
        version_normalization(RegionAttributes(name="r", policy=RegionPolicy.PARTITION)),
        version_normalization(tombstones=TombstoneSettings(timeout_ms=1_000)),
    ],
    ids=["a primary looks calls up", "a destroy may expire"],
)
def test_where_calls_are_asked_what_they_wrote_they_know_it(kept: VersionNormalization):
    assert kept.counted_anew(called(stored(5), OVER)).calls[1] == OVER


def test_a_key_is_asked_only_from_its_first_operation_until_a_settle_point_behind_its_last():
    x, y = ("r", "x"), ("r", "y")
    keys = while_used({x, y}, (10, 20, 30), [(1, x), (5, x), (21, y)])
    assert [keys.at(now) for now in (0, 10, 11, 20, 21, 31)] == [{x}, {x}, {x}, {x}, {y}, {y}]
    normalization = version_normalization()
    normalization._setting.ambiguous = AmbiguousKeys((10,), (frozenset({KEY}), frozenset()))
    assert versions(normalization.counted_anew(stored(5), 10)) == [1, 1]
    assert versions(normalization.counted_anew(stored(5), 11)) == [5, 5]
