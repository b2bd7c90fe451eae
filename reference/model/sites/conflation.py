"""Conflation: of a queue that conflates, an update may make way for a later update of its key.

No document knows it; products offer it. Such a queue keeps all that is no update, keeps the order of what is
left of a key, and never leaves out the last update. Products look at updates alone. So an update may make way
for one behind a destroy, too. Owns which event may go, and when nothing tells that it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from plumbline.reference.history.operations import DESTROYS, STORES_VALUE
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.site_state import Queued, Sender
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.queue_conflation import CREATE, DESTROY, UPDATE
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Step, View


class Conflation:
    """The part of the model that shortens queues that conflate."""

    def __init__(self, setting: Setting, lookahead: Lookahead, replicates: Replicates) -> None:
        book = setting.book
        self._goes, self._comes = (
            {does: any(each(asked(does))) for does in (CREATE, UPDATE, DESTROY)}
            for asked in (book.makes_way, book.makes_others_go)
        )
        self._first_stays = not all(each(book.later_stays()))
        self._setting = setting
        self._lookahead = lookahead
        self._replicates = replicates

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """An update of the queue, or of a copy, makes way; one that is shown where it leads has not."""
        for (member, name), sender in world.wan.senders.in_order():
            if name not in self._setting.conflating or member in world.wan.dead:
                continue
            anywhere = self._matters_where(world, view, member, name)
            for first, gone, queue in self._shortened(sender):
                next_ = sender.primary and first == sender.sent
                if (anywhere or next_) and not self._is_to_be_shown(view, name, sender, gone):
                    yield Step(
                        ("conflates", member, name, gone.op_id),
                        with_sender(world, member, name, replace(sender, queue=queue)),
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

    def may_go(self, view: View, name: str, sender: Sender, event: Queued) -> bool:
        """Whether a queue may yet change at this event, so that it need not be sent at once."""
        if name not in self._setting.conflating or not self._may(self._goes, event):
            return False
        return self._first_stays or not self._is_to_be_shown(view, name, sender, event)

    def _is_to_be_shown(self, view: View, name: str, sender: Sender, event: Queued) -> bool:
        """Whether a log is yet to show an event where its queue leads, and this sender has to send it first.

        What it has sent on an earlier connection may show without that, and so may what its copy holds.
        """
        first_wire = not sender.wires or sender.wire == sender.wires == 1
        if not sender.primary or sender.heir or not first_wire:
            return False
        operation = self._setting.carried(event)
        shown = (self._replicates.shown(member, operation) for member in self._setting.led_to[name])
        return any(view.observed(place) and view.still(place, entry) for place, entry in shown)

    def _shortened(self, sender: Sender) -> Iterator[tuple[int, Queued, tuple[Queued, ...]]]:
        """Where two unsent events stand of which one goes: the first place, what goes, and what is left."""
        book, queue = self._setting.book, sender.queue
        for place, event in enumerate(queue[sender.sent :], sender.sent):
            if not self._may(self._goes, event):
                continue
            later = (
                (there, other)
                for there, other in enumerate(queue[place + 1 :], place + 1)
                if self._may(self._comes, other) and self._of_one_entry(event, other)
            )
            for there, other in later:
                behind = queue[there + 1 :]
                between = queue[place + 1 : there]
                for stays in each(book.later_stays()):
                    if not stays:
                        yield place, other, (*queue[:place], event, *between, *behind)
                        continue
                    for moved in dict.fromkeys(each(book.place_of_later(place, there))):
                        rest = (*between, other) if moved == there else (other, *between)
                        yield place, event, (*queue[:place], *rest, *behind)
                break

    @staticmethod
    def _may(answers: Mapping[str, bool], event: Queued) -> bool:
        if event.kind in DESTROYS:
            return answers[DESTROY]
        return event.kind in STORES_VALUE and answers[UPDATE if event.update else CREATE]

    def _of_one_entry(self, one: Queued, other: Queued) -> bool:
        first, then = (self._setting.operations[event.op_id] for event in (one, other))
        same = self._setting.book.is_same_entry(first.region == then.region, first.key == then.key)
        return any(each(same))
