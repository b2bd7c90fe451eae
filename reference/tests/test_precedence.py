"""Precedence: what only a queue can still bring to another site has to come in the queue's order."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from plumbline.reference.history.operations import (
    EventKind,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.model.lookahead import NoLookahead
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.places import listener_entry
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.precedence import Precedence
from plumbline.reference.model.sites.site_state import Queued
from plumbline.reference.model.world import World, empty_world
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.transition import Entry, Place, Unobserved

TOPOLOGY = Topology((Site(1, ("A", "B")), Site(2, ("C", "D"))))
QUEUE = QueueAttributes(id="to 2", site=1, remote_site=2)
PUT = Operation(op_id=1, thread="A1", member="A", region="r", kind=OperationKind.PUT, key="x", token="v1")  # noqa: S106
EVENT = Queued(1, OperationKind.PUT, "v1", 1, frozenset({1}), 1)


class ShownLater(Unobserved):
    """Each observation that is asked for comes in time."""

    def when(self, place: Place, entry: Entry) -> int | None:
        """See View."""
        del place, entry
        return 0


class Sees(NoLookahead):
    """A lookahead in which no member dies, and each shows an event once."""

    def dies(self, *_: object) -> bool:
        """No."""
        return False

    def comes_again(self, *_: object) -> bool:
        """No."""
        return False

    def place_of(self, *asked: object) -> tuple[Place, Entry]:
        """A log of its own for each member."""
        return asked[0], listener_entry("r", "x", EventKind.CREATE, PUT.token)


def precedence() -> Precedence:
    setting = Setting(Rulebook(), TOPOLOGY, (RegionAttributes(name="r"),), TOPOLOGY.members, queues=(QUEUE,))
    setting.operations, setting.shared = {1: PUT}, frozenset()
    return Precedence(setting, Sees())


def dead(member: str, *, sends: Message | None = None, seen: str = "") -> World:
    """A member has died, with a message on its way from C to D; and perhaps some member has the event."""
    nothing = empty_world()
    wan = replace(nothing.wan, dead=nothing.wan.dead.set(member, value=True))
    if seen:
        wan = replace(wan, seen=wan.seen.set((seen, 1), value=True))
    channels = nothing.channels if sends is None else nothing.channels.set(Channel("t", "C", "D"), (sends,))
    return nothing.but(wan=wan, channels=channels)


@pytest.mark.parametrize(
    ("now", "needed"),
    [
        (dead("A"), True),
        (dead("A", seen="D"), False),
        (dead("C", sends=Message(1, None, event=EVENT)), False),
        (dead("C", sends=Message(2, None, event=EVENT)), True),
    ],
    ids=["nobody has it", "somebody has it", "the dead have told of it", "the dead have told of another"],
)
def test_only_the_queue_brings_what_nobody_at_the_other_site_has_or_has_told_of(now: World, needed: bool):
    found = precedence().is_needed(now, ShownLater(reduced=True), "B", "to 2", EVENT)
    assert found is needed
