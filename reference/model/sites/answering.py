"""Answering: a receiver tells a sender what it has dealt with, all of it or a part.

Knows connections and what is to come; knows nothing of how an event is dealt with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from plumbline.reference.model import claims
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.sites import dependences
from plumbline.reference.model.sites.wires import with_wire
from plumbline.reference.model.world import Connection, WireName, World
from plumbline.reference.search.transition import Step, View


class Answering:
    """The part of a receiver that answers."""

    def __init__(self, lookahead: Lookahead) -> None:
        self._lookahead = lookahead

    def steps(self, world: World, view: View, name: WireName, wire: Connection) -> Iterator[Step]:
        """The ways in which what was dealt with on a connection may be answered now."""
        if wire.done and not wire.broken:
            for count in self._answerable(world, view, name, wire):
                yield self._answered(world, view, name, wire, count)

    def _answerable(self, world: World, view: View, name: WireName, wire: Connection) -> Iterable[int]:
        """Yields how many of the processed events may be answered now.

        A reading of a queue after its connection broke shows how many were answered by then. The first may
        have been answered before the next was processed, even if both steps come at once.
        """
        if view.reduced and dependences.look_behind_fault(name.queue) in self._lookahead.open(world, view):
            return range(wire.done, 0, -1)
        return (wire.done,)

    def _answered(self, world: World, view: View, name: WireName, wire: Connection, count: int) -> Step:
        after = replace(wire, done=wire.done - count, replies=wire.replies + count)
        # While more of a batch is to come, an answer may still wait.
        return Step(
            ("answers", wire.receiver, name, count),
            with_wire(world, name, after),
            claim=None if self._come_again(world, view, name) else claims.ANSWER,
            clashes=claims.LOOKED_AT | claims.TIME_PASSES | {dependences.look_behind_fault(name.queue)},
        )

    def _come_again(self, world: World, view: View, name: WireName) -> bool:
        """Whether one of the unanswered events is told of once more: then it may never be answered."""
        sender = world.wan.senders.get((name.source, name.queue))
        unanswered = () if sender is None else sender.queue[: sender.sent]
        return any(
            self._lookahead.comes_again(event.op_id) for event in unanswered
        ) and self._lookahead.may_break(world, view.now, name.queue)
