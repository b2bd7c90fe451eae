"""Conflation: of a queue that conflates, an update may make way for a later update of its key.

No document knows it; products offer it. Such a queue keeps all that is no update, keeps the order of what is
left of a key, and never leaves out the last update. Products look at updates alone. So an update may make way
for one behind a destroy, too. Owns which event may go, and when nothing tells that it has.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.site_state import Queued, Sender
from plumbline.reference.model.world import World
from plumbline.reference.search.transition import Step, View


class Conflation:
    """The part of the model that shortens queues that conflate."""

    def __init__(self, setting: Setting, lookahead: Lookahead, replicates: Replicates) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._replicates = replicates

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """An update of the queue, or of a copy, makes way; one that is shown where it leads has not."""
        for (member, name), sender in world.wan.senders.in_order():
            if not self._setting.queues[name].conflate or member in world.wan.dead:
                continue
            anywhere = self._matters_where(world, view, member, name)
            for event in self._making_way(sender):
                next_ = sender.primary and event is sender.queue[sender.sent]
                if (anywhere or next_) and not self.is_shown(view, name, event):
                    left = tuple(one for one in sender.queue if one is not event)
                    yield Step(
                        ("conflates", member, name, event.op_id),
                        with_sender(world, member, name, replace(sender, queue=left)),
                    )

    def _matters_where(self, world: World, view: View, member: str, name: str) -> bool:
        """Whether it may show that an update made way which stands in a copy, or is not the next to be sent.

        A look shows it. So does a batch that waits for a lost answer, or that leaves once it is full.
        """
        return (
            not view.reduced
            or world.wan.stands
            or bool(world.wan.links)
            or self._lookahead.copy_is_looked_at_now(world, member, name)
        )

    def may_go(self, view: View, name: str, event: Queued) -> bool:
        """Whether an event of a queue may yet make way, so that it need not be sent at once."""
        return self._setting.queues[name].conflate and event.update and not self.is_shown(view, name, event)

    def is_shown(self, view: View, name: str, event: Queued) -> bool:
        """Whether a log is yet to show an event where its queue leads."""
        operation = self._setting.carried(event)
        shown = (self._replicates.shown(member, operation) for member in self._setting.led_to[name])
        return any(view.observed(place) and view.still(place, entry) for place, entry in shown)

    def _making_way(self, sender: Sender) -> Iterator[Queued]:
        """The unsent updates that stand before another update of their key."""
        updated: set[tuple[str, str]] = set()
        for event in reversed(sender.queue[sender.sent :]):
            operation = self._setting.operations[event.op_id]
            where = (operation.region, operation.key)
            if event.update and where in updated:
                yield event
            elif event.update:
                updated.add(where)
