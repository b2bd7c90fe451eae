"""Alerts: what members log of events that fail at another site (000, L39), and of time-outs (003, L18).

Knows which failures an answer reports; knows nothing of how an event fails, or when a client times out.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.history.log_lines import ALERTS, REFUSALS, named_by
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.site_state import Alert, Connection, Queued
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each


def with_failed(setting: Setting, wire: Connection, event: Queued) -> Connection:
    """The connection whose next answer reports that an event has failed."""
    return replace(wire, failed=(*wire.failed, event.op_id)) if setting.logs_read else wire


def without_heard(wire: Connection, answered: tuple[Queued, ...]) -> Connection:
    """The connection of which the sender has heard these answers."""
    if not wire.failed:
        return wire
    heard = {event.op_id for event in answered}
    return replace(wire, failed=tuple(op_id for op_id in wire.failed if op_id not in heard))


def logged(
    world: World, setting: Setting, member: str, wire: Connection, answered: tuple[Queued, ...]
) -> Iterator[World]:
    """The worlds in which a sender has logged the failures among the events that were answered."""
    worlds, book = [world], setting.book
    for place, event in enumerate(answered):
        if event.op_id not in wire.failed:
            continue
        worlds = [
            after
            for before in worlds
            for logs in each(book.logs_failure())
            for after in (_alerts(before, setting, member, place, answered) if logs else (before,))
        ]
    yield from worlds


def _alerts(
    world: World, setting: Setting, member: str, place: int, answered: tuple[Queued, ...]
) -> Iterator[World]:
    book = setting.book
    for at in each(book.event_named(place, len(answered))):
        names = setting.operations[answered[at].op_id].key if 0 <= at < len(answered) else ""
        for refusal in each(book.carries_exception()):
            alerts = world.wan.alerts | {Alert(member, names, refusal)}
            yield world.but(wan=replace(world.wan, alerts=alerts))


def time_outs_logged(
    world: World, setting: Setting, client: str, servers: tuple[str, ...], first: str
) -> Iterator[World]:
    """The worlds in which servers have logged that a durable client has timed out, the first one in front."""
    worlds = [world]
    for server in servers if setting.logs_read else ():
        alert = Alert(server, client, timed_out=True)
        worlds = [
            before.but(wan=replace(before.wan, alerts=before.wan.alerts | {alert})) if logs else before
            for before in worlds
            for logs in each(setting.book.logs_time_out(server != first))
        ]
    yield from worlds


def without(world: World, member: str) -> World:
    """The world in which the log of a member is gone with it."""
    kept = frozenset(alert for alert in world.wan.alerts if alert.member != member)
    return world.but(wan=replace(world.wan, alerts=kept))


def is_logged(world: World, member: str, name: str) -> bool:
    """Whether a member has surely logged an alert of the kind that a name stands for."""
    return any(
        alert.member == member
        and (name == ALERTS or (alert.refusal if name == REFUSALS else _names(alert) == named_by(name)))
        for alert in world.wan.alerts
    )


def _names(alert: Alert) -> str:
    """The key that an alert has to name; "" for a time-out, of which no document says what it names."""
    return "" if alert.timed_out else alert.names
