"""Displacing: in the queue of a client that conflates, an update may make way for a later one of its entry.

It is decided when the update is the next to be taken. By then the later one waits behind it, or has left the
queue of a secondary that still holds the update. So nothing tells when it has made way, nor whether it was
sent before. An extension. Owns which event may go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from plumbline.reference.history.operations import Operation
from plumbline.reference.model.clients.queue_holders import is_marker
from plumbline.reference.model.lookahead import Ternary
from plumbline.reference.model.messages import Message
from plumbline.reference.model.setting import Setting
from plumbline.reference.rulebook.effects import ARRIVES
from plumbline.reference.rulebook.queue_conflation import CREATE, DESTROY, UPDATE
from plumbline.reference.rulebook.subscription_conflation import INVALIDATE
from plumbline.reference.rulebook.values import EntryState, each

CONFLATES = "conflates"
"""The step by which the next event of a queue has made way for another, or another for it."""


class Displacing:
    """The part of the model that shortens the queues of clients."""

    def __init__(self, setting: Setting) -> None:
        book = setting.book
        self._goes, self._comes = (
            {does: any(each(asked(does))) for does in (CREATE, UPDATE, DESTROY, INVALIDATE)}
            for asked in (book.may_be_left_out, book.takes_place_of)
        )
        self._stored_go = any(each(book.stored_makes_way()))
        self._setting = setting

    def shortened(self, client: str, queue: tuple[Message, ...]) -> Iterator[tuple[Message, ...]]:
        """The queues in which the first event, or one behind it, has made way."""
        if client not in self._setting.displacing:
            return
        first, book = queue[0], self._setting.book
        if is_marker(first) or not self._may(self._goes, first):
            return
        if first.overtaken:
            yield queue[1:]
        later = next((at for at, one in enumerate(queue) if at and self._displaces(one, first)), None)
        if later is None:
            return
        between, other, behind = queue[1:later], queue[later], queue[later + 1 :]
        for stays in each(book.latest_is_sent()):
            if not stays:
                yield (first, *between, *behind)
                continue
            for place in dict.fromkeys(each(book.latest_stands_at(0, later))):
                yield (*between, other, *behind) if place else (other, *between, *behind)

    def _displaces(self, later: Message, earlier: Message) -> bool:
        """Whether one event of a queue may displace an earlier one: not where it may never have been sent."""
        return (
            not is_marker(later)
            and later.sure
            and later.op_id != earlier.op_id
            and self._may(self._comes, later)
            and (self._stored_go or not (earlier.waits and later.waits))
            and is_of_one_entry(self._setting, later, earlier)
        )

    def _may(self, answers: Mapping[str, bool], event: Message) -> bool:
        does = _does(self._setting.operations[event.op_id], event)
        return does is not None and answers[does]


def _does(operation: Operation, event: Message) -> str | None:
    """What an event does to its entry."""
    becomes, _ = ARRIVES.get(operation.kind, (None, None))
    if becomes is EntryState.LIVE:
        return UPDATE if event.update else CREATE
    return None if becomes is None else INVALIDATE if becomes is EntryState.INVALID else DESTROY


def is_of_one_entry(setting: Setting, one: Message, other: Message) -> bool:
    """Whether an event may make way for another by the entries of the two."""
    first, then = (setting.operations[event.op_id] for event in (one, other))
    return any(each(setting.book.conflates_within(first.region == then.region, first.key == then.key)))


def told_updates(
    setting: Setting, client: str, messages: tuple[Message, ...], update: Ternary
) -> tuple[Message, ...]:
    """The messages for a client, which say that they may count as updates where its queue conflates."""
    if update is Ternary.NO or client not in setting.displacing:
        return messages
    return tuple(replace(one, update=True) for one in messages)


def stored(
    setting: Setting, client: str, queue: tuple[Message, ...], new: tuple[Message, ...], update: Ternary
) -> Iterator[tuple[tuple[Message, ...], tuple[Message, ...]]]:
    """The queue of an absent client, and what enters it, with what it has stored before of the same entry.

    An update that is certainly one, and was stored while its client was away, has to make way.
    """
    sure = update is Ternary.YES and all(one.sure and not one.bare for one in new)
    if client not in setting.displacing or not (sure and new):
        yield queue, new
        return
    entering = tuple(replace(one, waits=True) for one in new)
    for goes in dict.fromkeys(each(setting.book.stored_makes_way())):
        left = tuple(one for one in queue if not (goes and one.waits and _same(setting, one, new[0])))
        yield left, entering


def taken_by_copy(
    setting: Setting, client: str, queue: tuple[Message, ...], new: tuple[Message, ...]
) -> Iterator[tuple[Message, ...]]:
    """What of new messages enters the copy of a secondary: all of them, as it should."""
    if client not in setting.displacing or not new or not new[0].update:
        yield new
        return
    waits = any(not is_marker(one) and one.update and _same(setting, one, new[0]) for one in queue)
    for takes in dict.fromkeys(each(setting.book.copy_takes_latest())) if waits else (True,):
        yield new if takes else ()


def without(setting: Setting, client: str, queue: tuple[Message, ...], gone: set[int]) -> tuple[Message, ...]:
    """A queue without what its client has processed; updates in front of that may have made way for it."""
    left = tuple(one for one in queue if one.op_id not in gone)
    if client not in setting.displacing or len(left) == len(queue):
        return left
    overtaken = {
        at
        for at, one in enumerate(queue)
        if not is_marker(one)
        and one.update
        and any(
            other.op_id in gone and other.update and other.sure and is_of_one_entry(setting, one, other)
            for other in queue[at + 1 :]
        )
    }
    return tuple(
        replace(one, overtaken=True) if at in overtaken else one
        for at, one in enumerate(queue)
        if one.op_id not in gone
    )


def _same(setting: Setting, one: Message, other: Message) -> bool:
    """Whether two messages are of one entry."""
    if is_marker(one):
        return False
    first, then = (setting.operations[event.op_id] for event in (one, other))
    return (first.region, first.key) == (then.region, then.key)
