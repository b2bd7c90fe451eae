"""Events of the wrong kind, where creates and updates are told apart, with a wrong argument or value.

The search counts creates and updates as one kind, since candidates may tell them so. One that tells them
apart has to go by what was there. Knows logs, and no runs of the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from plumbline.reference.explain.callback_arguments import misargued
from plumbline.reference.explain.entries import entries_of
from plumbline.reference.explain.event_substitution import missubstituted
from plumbline.reference.history.history import History, OrderStrength
from plumbline.reference.history.join_moments import JoinBegun
from plumbline.reference.history.listener_calls import QueuedChange
from plumbline.reference.history.moments import (
    Called,
    FaultBegun,
    Hosted,
    Joined,
    Left,
    Redelivered,
    Registered,
    Returned,
)
from plumbline.reference.history.operations import (
    READS,
    Client,
    Event,
    EventKind,
    Operation,
    RegionPolicy,
    Status,
)
from plumbline.reference.history.registration_moments import RegistrationBegun
from plumbline.reference.history.substitutes import ShownValue

_CREATED, _UPDATED, _RECREATED = "created", "updated", "recreated"
_VALUES = (EventKind.CREATE, EventKind.UPDATE)


class Mistold(msgspec.Struct, frozen=True):
    """An event of the wrong kind, the requirement that it breaks, and what is wrong in words."""

    event: Event | QueuedChange | ShownValue
    requirement: str
    words: str


def mistold(history: History) -> Mistold | None:
    """The first event of the wrong kind; None where there is none, or where the logs do not tell."""
    event = _at_members(history)
    if event is not None:
        words = f"{event.member} tells the creation of {event.key} behind a destroy as an update"
        return Mistold(event, "TOMB-INVIS-01", words)
    event = _at_clients(history)
    if event is None:
        return _misargued(history)
    lacked = event.kind is EventKind.UPDATE
    words = f"client {event.member} receives a value of {event.key} as {event.kind}, though it {{}} the key"
    return Mistold(event, "S2C-RECV-01", words.format("lacked" if lacked else "held"))


def _misargued(history: History) -> Mistold | None:
    """The event that shows best that it lacks its callback argument or its value, or has another one."""
    wrong = misargued(history) or missubstituted(history)
    return None if wrong is None else Mistold(*wrong)


def _at_members(history: History) -> Event | None:
    """The first creation behind a destroy that its member tells as an update.

    No document says that members distinguish creates from updates. So only a member is judged that shows each
    first value of a key as a create, and some later one as an update. Its region is a replicate that checks,
    nothing fails, and no member takes a copy. Its log has to show the order of a key's events. It does not
    where the member has called an operation on many keys.
    """
    if history.order_strength is OrderStrength.PER_KEY_AND_THREAD or any(
        isinstance(what, FaultBegun | Hosted | Joined | JoinBegun) for what in history.timeline
    ):
        return None
    judged = {
        region.name
        for region in history.regions
        if region.policy is RegionPolicy.REPLICATE and not region.policies and region.checks is not False
    }
    own = entries_of(history).own
    for member in (member for site in history.topology.sites for member in site.members):
        log = [
            event
            for event in (shown.event for shown in history.logs.get(member, ()))
            if event.region in judged and (member, event.region, event.key) not in own
        ]
        told: dict[str, list[Event]] = {}
        for place, event in _placed(log):
            told.setdefault(place, []).append(event)
        created, updated = told.get(_CREATED, []), told.get(_UPDATED, [])
        apart = updated and {event.kind for event in created} == {EventKind.CREATE}
        if not apart or {event.kind for event in updated} != {EventKind.UPDATE}:
            continue
        wrong = (event for event in told.get(_RECREATED, ()) if event.kind is EventKind.UPDATE)
        if (found := next(wrong, None)) is not None:
            return found
    return None


def _at_clients(history: History) -> Event | None:
    """The first value of a server that a client's listener receives as the wrong kind of event (001, L31).

    A client is asked that tells some values as creates and some as updates. A key is asked of which its log
    shows all that the client has held: the client calls nothing on it and registers before it is used, once
    for values, and never withdraws. Nothing fails, is delivered twice or concerns the whole region.
    """
    strength = history.client_order_strength or history.order_strength
    if strength is OrderStrength.PER_KEY_AND_THREAD or any(
        isinstance(what, FaultBegun | Hosted | Joined | JoinBegun | Left | Redelivered)
        for what in history.timeline
    ):
        return None
    for client in history.clients:
        log = [shown.event for shown in history.logs.get(client.name, ())]
        if {event.kind for event in log}.issuperset(_VALUES):
            open_keys = _followed(history, client, log)
            wrong = (event for event in _of_wrong_kind(log) if (event.region, event.key) in open_keys)
            if (found := next(wrong, None)) is not None:
                return found
    return None


def _followed(history: History, client: Client, log: list[Event]) -> set[tuple[str, str]]:
    """The regions and keys of which a client's log shows all that the client has held.

    Each change of the key has to be in the log: where one is missing, another requirement is broken.
    """
    changes = Counter[tuple[str, str]]()
    calls: dict[int, Operation] = {}
    lost: set[tuple[str, str]] = set()
    whole: set[str] = set()
    for what in history.timeline:
        match what:
            case Called(operation):
                calls[operation.op_id] = operation
                if operation.member == client.name:
                    lost.add((operation.region, operation.key))
                if not operation.key:
                    whole.add(operation.region)
            case Returned(op_id, outcome) if (of := calls[op_id]).kind not in READS:
                changes[of.region, of.key] += outcome.status is Status.OK
            case Registered(interest=interest) | RegistrationBegun(interest=interest) if (
                interest.client == client.name
            ):
                lost |= {(one.region, one.key) for one in calls.values() if one.region == interest.region}
                if not (interest.register and interest.receive_values):
                    whole.add(interest.region)
            case _:
                pass
    told = Counter((event.region, event.key) for event in log)
    return {
        where
        for where in changes
        if changes[where] == told[where] and not (where in lost or where[0] in whole)
    }


def _of_wrong_kind(log: list[Event]) -> Iterator[Event]:
    """The values that are told as creates of what is there, or as updates of what is not."""
    there: dict[tuple[str, str], bool | None] = {}
    for event in log:
        where = event.region, event.key
        held = there.get(where, False)
        if event.kind in _VALUES:
            if held is not None and held is (event.kind is EventKind.CREATE):
                yield event
            there[where] = True
        elif event.kind is EventKind.DESTROY:
            there[where] = False
        elif not held:
            there[where] = None  # whether an entry without a value is made here no log tells


def _placed(log: list[Event]) -> Iterator[tuple[str, Event]]:
    """The events that tell a value, each by what its member told of the key just before."""
    last: dict[tuple[str, str], EventKind] = {}
    emptied: set[str] = set()
    for event in log:
        where = event.region, event.key
        if event.kind in _VALUES:
            before = last.get(where)
            if before is EventKind.DESTROY:
                yield _RECREATED, event
            elif before in _VALUES:
                yield _UPDATED, event
            elif before is None and event.region not in emptied:
                yield _CREATED, event
        elif not event.key:
            emptied.add(event.region)
            last = {one: kind for one, kind in last.items() if one[0] != event.region}
        last[where] = event.kind
