"""Subscriptions: what changes a server's copy of a region is queued for the clients that it serves.

Knows which queue an event goes into; knows nothing of what clients do with it.
"""

from __future__ import annotations

from plumbline.reference.history import OrderStrength
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Channel, Message, World
from plumbline.reference.operations import Operation
from plumbline.reference.rulebook.values import Stamp


def queued(
    world: World,
    setting: Setting,
    strength: OrderStrength,
    server: str,
    operation: Operation,
    stamp: Stamp | None,
    *,
    sure: bool = True,
) -> World:
    """The world in which an operation waits in the queues of the server's clients, but not of its caller's.

    Queued in the same moment in which it changes the server's copy. The caller is not sent its own operation
    (001, L5).

    Args:
        world: the world in which the operation has reached the server.
        setting: tells the clients.
        strength: how much order logs carry; where keys have none between them, each has a queue of its own.
        server: the member.
        operation: the operation.
        stamp: the stamp that it came with or was given.
        sure: False for what the server has discarded or found nothing to do for: whether clients are sent
            that is not said.
    """
    region, key = operation.region, operation.key
    caller = setting.originators.get(operation.op_id)
    for client in setting.subscribers(server, region):
        if client == caller:
            continue
        name = "queue" if strength is OrderStrength.TOTAL else f"queue of {region}[{key}]"
        channel = Channel(name, server, client)
        message = Message(operation.op_id, stamp, sure=sure)
        world = world.but(channels=world.channels.set(channel, (*world.channels.get(channel, ()), message)))
    return world
