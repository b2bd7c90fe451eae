"""Wandering: a sender that hands its next batch to another receiver than the one before.

No document keeps a sender at the receiver that it has found first. The model does, unless a question asks for
more, since each choice multiplies the runs. Owns when a sender may change; knows nothing of what is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.site_state import Connection, Sender, WireName
from plumbline.reference.model.world import World

GOES_ELSEWHERE = "sends event elsewhere"
"""The step by which a batch begins at another receiver."""


def is_free(setting: Setting, sender: Sender) -> bool:
    """Whether a sender may leave its receiver: it sends, and nothing is unanswered."""
    return setting.wanders and not sender.sent and not sender.paused


def elsewhere(
    world: World,
    member: str,
    queue: QueueAttributes,
    sender: Sender,
    wire: Connection,
    receivers: Iterable[str],
) -> Iterator[tuple[World, Sender, Connection]]:
    """The worlds in which a sender has left its receiver for another one, all before being answered."""
    if wire != Connection(wire.receiver):
        return  # something is on it
    number = sender.wires + 1
    left = world.wan.wires.delete(WireName(queue.id, member, sender.wire))
    for receiver in receivers:
        if receiver != wire.receiver:
            found = Connection(receiver)
            wires = left.set(WireName(queue.id, member, number), found)
            moved = replace(sender, wire=number, wires=number)
            yield world.but(wan=replace(world.wan, wires=wires)), moved, found
