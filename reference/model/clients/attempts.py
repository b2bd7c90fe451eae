"""Attempts: what a client tries again whose answer was lost, and how servers recognise it.

A server knows the highest number of each thread (001, L44). The number matters only to repeated calls, so the
model counts from the first lost answer on. A client tries again where it can be answered. An attempt whose
answer is lost as well adds nothing to the one before.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import Operation
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Call, CallStage, World
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Step


def counted(world: World) -> bool:
    """Whether servers count what they have seen."""
    return bool(world.served.lost or world.served.highest)


def lost(world: World, fault: Fault) -> World:
    """The world in which a server's answers to a client are lost from here on, or no more."""
    where = (fault.client, fault.member)
    begins = fault.kind is FaultKind.ANSWERS_LOST
    links = world.served.lost.set(where, value=True) if begins else world.served.lost.delete(where)
    return world.but(served=replace(world.served, lost=links))


def carried_out(operation: Operation, call: Call) -> Operation:
    """An operation as it is carried out now: by the server that its client has turned to last."""
    return msgspec.structs.replace(operation, member=call.at) if call.at else operation


def seen(world: World, setting: Setting, server: str, op_id: int) -> World:
    """The world in which a server has seen an operation."""
    where = (server, setting.operations[op_id].thread)
    highest = world.served.highest
    number = max(setting.number_of(op_id), highest.get(where, 0))
    return world.but(served=replace(world.served, highest=highest.set(where, number)))


def recognised(world: World, setting: Setting, server: str, op_id: int, *, renamed: bool) -> tuple[bool, ...]:
    """Whether a server knows an operation as one that it has seen; several answers only where it is free."""
    where = (server, setting.operations[op_id].thread)
    highest = 0 if renamed else world.served.highest.get(where, 0)
    return each(setting.book.server_recognises(setting.number_of(op_id), highest))


def unanswered(world: World, client: str, operation: Operation, call: Call) -> Step:
    """What a server answers is lost: its client knows only that it was not answered."""
    waits = replace(call, stage=CallStage.ASKED, again=True, waiting=frozenset())
    after = world.but(calls=world.calls.set(operation.op_id, waits))
    return Step(("is not answered", client, operation.op_id), after)


def reachable(world: World, setting: Setting, client: str) -> tuple[str, ...]:
    """The servers that a client can be answered by."""
    return tuple(
        server
        for server in setting.clients[client].servers
        if server not in world.wan.dead and (client, server) not in world.served.lost
    )


def tried_again(
    world: World, setting: Setting, client: str, operation: Operation, call: Call
) -> Iterator[Step]:
    """A client tries again at the same server or another; who has seen the operation only answers."""
    op_id = operation.op_id
    for server in reachable(world, setting, client):
        for same in each(setting.book.retries_keep_identity()):
            for known in recognised(world, setting, server, op_id, renamed=not same):
                if known:
                    asked = replace(
                        call, stage=CallStage.SENT, again=False, at=server, waiting=frozenset((client,))
                    )
                else:
                    asked = Call(at=server, renamed=not same)
                name = ("tries again", client, op_id, server)
                yield Step(name, world.but(calls=world.calls.set(op_id, asked)))
