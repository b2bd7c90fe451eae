"""What was chosen of timestamps is forgotten once nothing is left that they could be compared with."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from plumbline.reference.history.operations import OperationKind
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.sites.order_pairs import without_idle
from plumbline.reference.model.sites.site_state import Connection, Queued, Sender, WireName
from plumbline.reference.model.world import Call, CallStage, World, empty_world
from plumbline.reference.rulebook.values import EntryState, Stamp

KEY = ("r", "x")
PAIRS = frozenset({(2, 1), (3, 2), (3, 1)})
"""Operation 3 is later than 2, and that later than 1."""


def stamp(*times: int) -> Stamp:
    return Stamp(1, "A", 1, frozenset(times))


def event(op_id: int) -> Queued:
    return Queued(op_id, OperationKind.PUT, f"v{op_id}", 1, frozenset({op_id}))


def ranked() -> World:
    """A world in which an entry has the time of operation 3."""
    world = empty_world()
    entries = world.entries.set(("A", *KEY), Entry(EntryState.LIVE, "v3", stamp(3)))
    return world.but(entries=entries, wan=replace(world.wan, ranks=world.wan.ranks.set(KEY, PAIRS)))


def sending(sender: Sender) -> World:
    world = ranked()
    return world.but(wan=replace(world.wan, senders=world.wan.senders.set(("A", "to 2"), sender)))


def wired(wire: Connection) -> World:
    world = ranked()
    return world.but(wan=replace(world.wan, wires=world.wan.wires.set(WireName("to 2", "A", 1), wire)))


def sent(message: Message) -> World:
    world = ranked()
    return world.but(channels=world.channels.set(Channel("A1", "A", "B"), (message,)))


def called(op_id: int, call: Call) -> World:
    world = ranked()
    return world.but(calls=world.calls.set(op_id, call))


def held() -> World:
    world = ranked()
    return world.but(entries=world.entries.set(("C", *KEY), Entry(EntryState.LIVE, "v1", stamp(1))))


LEFT = {
    "an entry": held(),
    "a call that takes effect": called(1, Call(CallStage.CALLED)),
    "a call that is yet to be sent": called(9, Call(CallStage.APPLIED, stamp=stamp(1))),
    "a message": sent(Message(1, None)),
    "what a message leaves behind": sent(Message(9, stamp(1))),
    "what a message tells of another site": sent(Message(9, None, event=event(1))),
    "a queue": sending(Sender(queue=(event(1),))),
    "a record": sending(Sender(records=(event(1),))),
    "what a listener is yet to be told of": sending(Sender(callbacks=(event(1),))),
    "a connection": wired(Connection("C", events=(event(1),))),
    "what a receiver distributes": wired(Connection("C", busy=event(1))),
    "what that left behind": wired(Connection("C", busy=event(9), stamp=stamp(1))),
}


@pytest.mark.parametrize("by", LEFT)
def test_what_is_left_of_an_operation_can_still_be_compared(by: str):
    assert without_idle(LEFT[by]).wan.ranks.get(KEY) == {(3, 1)}


@pytest.mark.parametrize(
    "world",
    [
        ranked(),
        called(1, Call(CallStage.SENT, stamp=stamp(1))),
        called(1, Call(CallStage.DONE, stamp=stamp(1))),
    ],
    ids=["nothing", "a call that was sent", "a call that is over"],
)
def test_nothing_is_known_of_timestamps_of_which_nothing_is_left(world: World):
    assert len(without_idle(world).wan.ranks) == 0


def test_a_world_that_knows_nothing_idle_stays_as_it_is():
    world = sending(Sender(queue=(event(1), event(2))))
    assert without_idle(world) is world
