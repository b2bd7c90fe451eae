"""Connections between sites: by which of several ways an event may come first."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from plumbline.reference.history.operations import OperationKind
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.sites.site_state import Connection, Queued, WireName
from plumbline.reference.model.sites.wires import in_front
from plumbline.reference.model.world import World, empty_world

OLD, NEW = WireName("to 2", "A", 1), WireName("to 2", "B", 1)
EVENT = Queued(1, OperationKind.PUT, "v1", 1, frozenset({1}))
EARLIER = Queued(2, OperationKind.PUT, "v2", 1, frozenset({2}))


def world(*messages: Message, new: Connection | None = None) -> World:
    """The event is on a connection to C that has broken, and on one to D unless that is another."""
    nothing = empty_world()
    wires = nothing.wan.wires.set(OLD, Connection("C", (EVENT,), broken=True)).set(
        NEW, new or Connection("D", (EVENT,))
    )
    channels = nothing.channels.set(Channel("to 2", "C", "D"), messages) if messages else nothing.channels
    return nothing.but(wan=replace(nothing.wan, wires=wires), channels=channels)


def told(event: Queued, wire: WireName) -> Message:
    """What a receiver has sent a peer of an event that has come over a connection."""
    return Message(event.op_id, None, event=event, wire=wire)


@pytest.mark.parametrize(
    ("now", "may"),
    [
        (world(), True),
        (world(new=Connection("D", (EARLIER, EVENT))), True),
        (world(new=Connection("D", busy=EVENT)), False),
        (world(new=Connection("D", (EVENT,), busy=EARLIER)), True),
        (world(told(EVENT, OLD)), True),
        (world(told(EVENT, NEW)), False),
        (world(told(EARLIER, OLD)), False),
        (world(told(EARLIER, NEW)), True),
        (world(Message(1, None)), True),
    ],
    ids=[
        "on both",
        "behind another there",
        "applied by another receiver",
        "in front there of what is next",
        "sent on by who has it",
        "sent on by another receiver",
        "behind what was sent on",
        "another sends on what came before",
        "of its own site",
    ],
)
def test_an_event_may_come_over_a_connection_first_unless_another_receiver_has_it_or_more_comes_before(
    now: World, may: bool
):
    assert in_front(now, OLD, EVENT.op_id) is may


def test_over_a_connection_that_is_gone_nothing_comes():
    assert not in_front(empty_world(), OLD, EVENT.op_id)
