"""Answering: a receiver tells a sender what it has dealt with, all of it or a part.

Knows connections; knows nothing of how an event is dealt with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from plumbline.reference.model.described_steps import AnsweredBatch
from plumbline.reference.model.independence import Independence
from plumbline.reference.model.sites.site_state import Connection, WireName
from plumbline.reference.model.sites.wires import with_wire
from plumbline.reference.model.world import World
from plumbline.reference.search.transition import Step, View


class Answering:
    """The part of a receiver that answers."""

    def __init__(self, independence: Independence) -> None:
        self._independence = independence

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
        if not view.reduced or self._independence.is_looked_behind(AnsweredBatch(world, view, name)):
            return range(wire.done, 0, -1)
        return (wire.done,)

    def _answered(self, world: World, view: View, name: WireName, wire: Connection, count: int) -> Step:
        after = replace(wire, done=wire.done - count, replies=wire.replies + count)
        answer = AnsweredBatch(world, view, name)
        return Step(
            ("answers", wire.receiver, name, count),
            with_wire(world, name, after),
            claim=self._independence.answering(answer),
            clashes=self._independence.answer_dependences(answer),
        )
