"""Dead queues: what a durable client that stays has processed no server's queue needs to hold any more.

It recognises such events for the rest of its life. Knows states, and whether a life is to end; knows no step.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.model.clients.failover import Failover
from plumbline.reference.model.clients.queue_holders import is_marker, with_durable, with_kept
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import World


def without_processed(
    world: World, setting: Setting, failover: Failover, lookahead: Lookahead, now: int
) -> World:
    """The world without what durable clients recognise whenever it comes, and without markers behind them.

    So it is where decisions are as documented, and no life is to end: in another one they would show it.
    """
    if not (setting.clients_as_documented and setting.durable_as_documented):
        return world
    for client, state in world.served.durable.items():
        if not state.live or lookahead.clients.ends_life(world, now, client):
            continue
        line = world.served.lines.get(client)
        if line is None:
            continue
        for holder in (line.primary, *line.secondaries):
            queue = world.served.kept.get((holder, client), ())
            read = state.read if holder == line.primary else 0
            left = tuple(
                one
                for one in queue[read:]
                if not is_marker(one) and not all(failover.processed(world, client, one))
            )
            if len(left) < len(queue):
                world = with_kept(world, holder, client, left)
        if state.read:
            world = with_durable(world, client, replace(state, read=0))
    return world
