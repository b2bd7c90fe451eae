"""What a member of the reference shows: the size of a region and its sets, and what it has logged.

Knows the world as it is; does not know who asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import astuple

from plumbline.reference.history.listener_calls import QueueCall, QueuedChange
from plumbline.reference.history.log_lines import REFUSAL, LogLevel, LogLine
from plumbline.reference.history.operations import Content
from plumbline.reference.history.views import VIEWS, RegionViews
from plumbline.reference.model.sites.site_state import Alert
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.values import EntryState, each


def views(
    world: World, book: Rulebook, member: str, region: str, names: tuple[str, ...] = VIEWS
) -> RegionViews:
    """The views of a region on a member, or what queries find; a tombstone, where one shows, has no value."""
    held = sorted(
        (key, entry)
        for (holder, name, key), entry in world.entries.items()
        if (holder, name) == (member, region)
    )
    shown: dict[str, list[Content]] = {}
    for name, view in zip(VIEWS, names, strict=True):
        (tombstones, *_) = each(book.view_shows_tombstones(view))
        hidden = {EntryState.ABSENT} if tombstones else {EntryState.ABSENT, EntryState.TOMBSTONE}
        shown[name] = [
            Content(key, entry.token if entry.state is EntryState.LIVE else None)
            for key, entry in held
            if entry.state not in hidden
        ]
    return RegionViews(
        size=len(shown["size"]),
        keys=tuple(one.key for one in shown["keys"]),
        values=tuple(one.token for one in shown["values"]),
        entries=tuple(shown["entries"]),
    )


def queue_call(member: str, queue: str, changes: Iterable[tuple[Any, ...]], answer: str) -> QueueCall:
    """A call of the listener of an asynchronous queue, as the model shows it."""
    return QueueCall(
        member=member,
        queue=queue,
        events=tuple(
            QueuedChange(region=region, key=key, kind=kind, token=token, marked=next(iter(mark), None))
            for region, key, kind, token, *mark in changes
        ),
        answer=answer,
    )


def logged(world: World, member: str) -> tuple[LogLine, ...]:
    """The alerts of a member, in its words."""
    return tuple(
        LogLine(level=LogLevel.WARN, text=_words(alert))
        for alert in sorted(world.wan.alerts, key=astuple)
        if alert.member == member
    )


def _words(alert: Alert) -> str:
    if alert.timed_out:
        return f"the durable client {alert.names} has timed out"
    which = f"the event of {alert.names}" if alert.names else "an event"
    return f"{which} failed at the other site{f': {REFUSAL}' if alert.refusal else ''}"
