"""Late entries: an event enters the queues of its member one after the other, and others come in between.

A member changes its copy, and then hands the event to each queue in turn (002, Introduction, L11). Another
thread may do the same with another key at that time. So two events may stand in a different order in two
queues. An event that has yet to enter a queue holds up its call, its own thread and its key.

Knows which events may be late; knows nothing of what happens to an event in a queue. Events of other sites
enter all queues at once here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from plumbline.reference.history.operations import Operation, QueueAttributes
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.lanes import sender_of
from plumbline.reference.model.sites.site_state import Queued, Sender
from plumbline.reference.model.world import World
from plumbline.reference.search.transition import Step

Enters = Callable[[World, str, str, Queued], Iterator[World]]
"""The worlds in which an event has entered a queue of a member."""

LATE_IN = 3
"""In a simulation one of so many events may be late."""

ENTERS_LATE = "enters queue late"
"""An event enters a queue after others: the name of that step."""


class LateEntries:
    """The part of the model that has events enter some of their queues later."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._waited_for = {
            name: frozenset().union(*order.values()) for name, order in setting.entry_order.items()
        }

    def ways(self, member: str, name: str, sender: Sender, event: Queued) -> tuple[bool, ...]:
        """Whether an event enters a queue late; the first way is what a calm system does."""
        setting = self._setting
        if not has_late(setting) or event.op_id not in setting.operations:
            return (False,)
        operation = setting.operations[event.op_id]
        if setting.home(operation.member) != setting.site_of[member]:
            return (False,)
        if any(setting.operations[one.op_id].thread == operation.thread for one in sender.entering):
            return (True,)
        if not sender.primary and not setting.has_heirs:
            return (False,)  # nothing will show in which order it has recorded events
        if setting.enters_late is not None:
            return (False, True) if setting.enters_late(name, operation) else (False,)
        if not self._is_early(name, sender, event):
            return (False,)
        return (True,) if sender.primary else (False, True)

    def entered(self, name: str, sender: Sender, event: Queued) -> frozenset[int]:
        """What is remembered to have entered a queue once an event has."""
        waited_for = event.op_id in self._waited_for.get(name, ())
        return sender.entered | {event.op_id} if waited_for else sender.entered

    def hinders(self, world: World, member: str, operation: Operation) -> bool:
        """Whether a member still holds the key of an operation for an event that has yet to enter a queue."""
        if not has_late(self._setting):
            return False
        where = (operation.region, operation.key)
        return any(
            (other.region, other.key) == where and other.op_id != operation.op_id
            for other in self._entering(world, member)
        )

    def steps(self, world: World, member: str, name: str, sender: Sender, enters: Enters) -> Iterator[Step]:
        """An event enters its queue; those of one thread do so in their order."""
        threads = set()
        for at, event in enumerate(sender.entering):
            thread = self._setting.operations[event.op_id].thread
            if thread in threads or self._is_early(name, sender, event):
                continue
            threads.add(thread)
            rest = (*sender.entering[:at], *sender.entering[at + 1 :])
            before = with_sender(world, member, name, replace(sender, entering=rest))
            for after in enters(before, member, name, event):
                yield Step((ENTERS_LATE, member, name, event.op_id), after)

    def _is_early(self, name: str, sender: Sender, event: Queued) -> bool:
        """Whether something is known to enter a queue before an event, and has not done so."""
        ahead = self._setting.entry_order.get(name, {}).get(event.op_id, frozenset())
        return not ahead <= sender.entered

    def _entering(self, world: World, member: str) -> Iterator[Operation]:
        for (at, _), sender in world.wan.senders.items():
            if at == member:
                for event in sender.entering:
                    yield self._setting.operations[event.op_id]


def has_late(setting: Setting) -> bool:
    """Whether some event may enter a queue late."""
    return setting.enters_late is not None or bool(setting.entry_order)


def enters_another_first(setting: Setting, name: str, operation: Operation) -> bool:
    """Whether an operation's event enters another queue of its site before this one, and may be late here.

    The first queue has its events in the order in which they were applied, as logs may show that order. In
    other asynchronous queues a part of all events may be late. So a search has to look at few of them. What
    another site receives it may discard unseen: no log tells where that stood in its queue.
    """
    queue = setting.queues[name]
    if operation.op_id % LATE_IN != 0 or queue.remote_site is not None:
        return False
    of_site = (one for one in setting.serial if one.site == queue.site)
    fed = (
        one for one in of_site if setting.feeds(operation.region, one)[0] and not is_unseen(one, operation)
    )
    return sender_of(next(fed, queue)) != sender_of(queue)


def is_unseen(queue: QueueAttributes, operation: Operation) -> bool:
    """Whether a filter keeps an operation's event out of a queue, or lets it leave unseen."""
    return operation.key in queue.refused_keys or operation.key in queue.withheld_keys


def is_entering(world: World, setting: Setting, op_id: int) -> bool:
    """Whether some member has yet to hand an operation's event to a queue."""
    return has_late(setting) and any(
        event.op_id == op_id
        for (member, _), sender in world.wan.senders.items()
        if sender.entering and member not in world.wan.dead
        for event in sender.entering
    )


def without_entering(world: World, member: str) -> World:
    """The world in which a member that has died hands nothing more to its queues."""
    for (at, name), sender in world.wan.senders.items():
        if at == member and sender.entering:
            world = with_sender(world, member, name, replace(sender, entering=()))
    return world
