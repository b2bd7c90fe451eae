"""Where the model shows what: the names of places and the form of their entries.

Knows how much order a listener log carries; knows no state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import EventKind, Outcome
from plumbline.reference.rulebook.conflict_resolvers import Told
from plumbline.reference.search.transition import Entry, Place

TIMELINE = "timeline"
"""The clock: what the harness sent and received."""


def listener_place(
    strength: OrderStrength, member: str, region: str, key: str, thread: str | None, kind: EventKind
) -> Place:
    """The log in which the listener of `member` tells of an event.

    Args:
        strength: how much order the candidate's logs carry.
        member: whose listener it is.
        region: the region.
        key: the key.
        thread: the thread whose operation it was; None if the event does not tell.
        kind: what the listener was told; events that tell no thread are in order only with their like.
    """
    if strength is OrderStrength.TOTAL:
        return ("listener", member)
    if strength is OrderStrength.PER_KEY:
        return ("listener", member, region, key)
    told_by = f"any thread: {_FAMILY.get(kind, kind)}" if thread is None else thread
    return ("listener", member, region, key, told_by)


def own_place(member: str, op_id: int) -> Place:
    """The place of an entry of an operation on many keys in the log of the member that has called it.

    When that listener is told of each entry is not said: before the entry is sent, or when the call ends.
    """
    return ("listener", member, "entry", op_id)


_FAMILY = {EventKind.CREATE: EventKind.UPDATE}


def listener_entry(
    region: str, key: str, kind: EventKind, token: str | None, marked: bool | None = None
) -> Entry:
    """One entry of a listener log. Creates and updates are one: no document tells them apart.

    Of an event that a queue's listener receives it may also tell whether that is marked as a possible
    duplicate.
    """
    entry = (region, key, _FAMILY.get(kind, kind), token)
    return entry if marked is None else (*entry, marked)


def with_mark(entry: Entry, marked: bool) -> Entry:
    """The entry of an event that is marked as a possible duplicate, or is not."""
    parts: tuple[Any, ...] = entry  # type: ignore[assignment]
    return (*parts, marked)


def without_mark(entry: Entry) -> tuple[Entry, bool | None]:
    """The entry of an event without its mark, and the mark; None where it has none."""
    parts: tuple[Any, ...] = entry  # type: ignore[assignment]
    return parts[:_PARTS], parts[_PARTS] if len(parts) > _PARTS else None


_PARTS = 4
"""What the entry of an event has without its mark: region, key, kind and token."""


def resolver_entry(region: str, key: str, told: Told, answer: str) -> Entry:
    """What a conflict resolver shows of one event, in the log of its member's listener."""
    return (region, key, EventKind.RESOLVE, told._replace(kind=_FAMILY.get(told.kind, told.kind)), answer)


def call_place(member: str, queue: str) -> Place:
    """Where the listener of an asynchronous queue shows its calls: one queue calls it one time at a time."""
    return ("queue", member, queue)


def calls_at(member: object) -> Hashable:
    """Whose the calls of a member's queue listeners are: none is lost when it dies, as others may be."""
    return ("calls", member)


def call_entry(events: Iterable[Entry], answer: str) -> Entry:
    """One call: each event as a listener log would show it, and the answer."""
    return (tuple(events), answer)


def outcome_place(op_id: int) -> Place:
    """Where the calling thread sees how its call ended."""
    return ("outcome", op_id)


def outcome_entry(outcome: Outcome) -> Entry:
    """What it sees; the candidate's own words are not compared."""
    return (outcome.status, outcome.value)
