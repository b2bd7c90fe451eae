"""Clients that reach no server, and calls of durable clients while stored events come (003, L17, L22).

Knows how a call ends that goes nowhere; knows nothing of how a client finds a server again.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.history.operations import Operation, Outcome, Status
from plumbline.reference.model.clients.queue_holders import is_marker
from plumbline.reference.model.messages import Message
from plumbline.reference.model.places import outcome_entry, outcome_place
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.tombstones import changed
from plumbline.reference.model.world import Call, CallStage, World
from plumbline.reference.model.writers import ASKS
from plumbline.reference.rulebook.effects import BECOMES
from plumbline.reference.rulebook.offline import Offline
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, Step


def is_alone(world: World, setting: Setting, client: str) -> bool:
    """Whether no server of a client lives."""
    dead = world.wan.dead
    return bool(dead) and all(server in dead for server in setting.clients[client].servers)


def goes_nowhere(setting: Setting, world: World, op_id: int) -> bool:
    """Whether a client has called an operation while no server of it lives: it ends at the client."""
    client = setting.originators.get(op_id)
    started = world.calls[op_id].stage in (CallStage.ASKED, CallStage.DONE)
    return client is not None and started and is_alone(world, setting, client)


def held_up(world: World, setting: Setting, client: str, operation: Operation) -> tuple[bool, ...]:
    """Whether a call waits for stored events; several answers only where that is free."""
    state = world.served.durable.get(client)
    line = world.served.lines.get(client)
    if state is None or line is None or not state.ready or state.live:
        return (False,)
    queue: tuple[Message, ...] = world.served.kept.get((line.primary, client), ())
    # What its listener stands in has been read.
    rest = [setting.operations[one.op_id] for one in queue[max(state.read - 1, 0) :] if not is_marker(one)]
    stored = any((one.region, one.key) == (operation.region, operation.key) for one in rest)
    return each(setting.book.waits_for_replay(operation.kind, stored))


def read_alone(
    world: World, setting: Setting, client: str, operation: Operation, call: Call
) -> Iterator[Step]:
    """A get that reaches no server ends, with what the client holds or without anything."""
    entry = world.entry(client, operation.region, operation.key)
    held = entry.state is EntryState.LIVE
    for way in each(setting.book.read_offline(held)):
        value = entry.token if held and way is Offline.SERVED else None
        outcome = Outcome(Status.FAILED) if way is Offline.FAILS else Outcome(Status.OK, value)
        yield _ended(("gets alone", client, operation.op_id), world, operation, call, outcome)


def updated_alone(
    world: World,
    setting: Setting,
    client: str,
    operation: Operation,
    call: Call,
    told: tuple[Place, Observation],
) -> Iterator[Step]:
    """An update that reaches no server ends; it fails, and changes nothing."""
    name = ("updates alone", client, operation.op_id)
    failed = Outcome(Status.FAILED)
    for way in each(setting.book.update_offline()):
        if way is Offline.FAILS or operation.kind not in ASKS:
            yield _ended(name, world, operation, call, failed)
            continue
        where, becomes = (client, operation.region, operation.key), BECOMES[operation.kind][0]
        after = world.but(entries=changed(world, where, becomes, operation.token, None, checks=False))
        if way is Offline.STAYS_CHANGED:
            yield _ended(name, after, operation, call, failed)
        else:
            yield _ended(name, after, operation, call, Outcome(Status.OK), (told,))


def _ended(
    name: tuple[object, ...],
    world: World,
    operation: Operation,
    call: Call,
    outcome: Outcome,
    told: tuple[tuple[Place, Observation], ...] = (),
) -> Step:
    done = replace(call, stage=CallStage.DONE, outcome=outcome)
    shows = (*told, (outcome_place(operation.op_id), outcome_entry(outcome)))
    return Step(name, world.but(calls=world.calls.set(operation.op_id, done)), shows)
