"""Connections of gateway senders: between which sites they run, and what is left when one breaks.

Knows what was sent and answered, not who sends it again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.grouping import apart
from plumbline.reference.model.sites.site_state import Queued, Sender, WireName
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each


def link_of(queue: QueueAttributes) -> tuple[int, int]:
    """From which site to which the queue sends; to 0, which is none, if it has a listener in its own site."""
    return queue.site, queue.remote_site or 0


def broken(world: World, name: WireName, setting: Setting, *, receiver_lives: bool) -> Iterator[World]:
    """The worlds in which a connection has broken.

    Events that have arrived may still be applied where the receiver lives. Unanswered events will be sent
    again.
    """
    wan = world.wan
    wire = wan.wires[name]
    if wire.broken:
        gone = wan.wires if receiver_lives else wan.wires.delete(name)
        yield world.but(wan=replace(wan, wires=gone))
        return
    if receiver_lives and (wire.events or wire.busy is not None):
        wires = wan.wires.set(name, replace(wire, broken=True, replies=0, done=0))
    else:
        wires = wan.wires.delete(name)
    after = world.but(wan=replace(wan, wires=wires))
    sender = wan.senders.get((name.source, name.queue))
    if sender is None or sender.wire != name.number:
        yield after
        return
    disconnected = replace(sender, wire=0, sent=sender.heard, horizon=0)
    waits = {event.op_id for event in wire.events} if not receiver_lives else None
    for queue, mark in _kept(sender, setting, wan.passed, waits):
        kept = apart(sender, queue) if setting.grouping else queue
        renewed = replace(disconnected, queue=kept, mark=mark)
        yield with_sender(after, name.source, name.queue, renewed)


def _kept(
    sender: Sender, setting: Setting, passed_ms: int, waits: Collection[int] | None
) -> Iterator[tuple[tuple[Queued, ...], int]]:
    """What may become of a queue whose connection breaks, and up to where it counts as emptied.

    Args:
        sender: whose connection it is.
        setting: the example.
        passed_ms: for how long time was let pass.
        waits: what its receiver has died with before it had applied it; None where the receiver lives.
    """
    book = setting.book
    heard, unanswered = sender.queue[: sender.heard], sender.queue[sender.heard : sender.sent]
    unsent = sender.queue[sender.sent :]
    if not unanswered:
        yield sender.queue, sender.mark
        return
    answers = product(
        each(book.resends_unanswered(waits is not None)), each(book.keeps_trying(sender.wires, passed_ms))
    )
    for keeps in {again and trying: None for again, trying in answers}:
        if not keeps:
            yield (*heard, *unsent), max((sender.mark, *(event.position for event in unanswered)))
            continue
        ways = product(
            each(book.resends_applied()), each(book.repeats_in_order()), each(book.resends_first())
        )
        for whole, in_order, first in ways:
            again = tuple(event for event in unanswered if whole or waits is None or event.op_id in waits)
            again = again if in_order else again[::-1]
            yield (*heard, *again, *unsent) if first else (*heard, *unsent, *again), sender.mark
