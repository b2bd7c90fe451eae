"""Carrying out: what a server makes of a client's call, where it treats it otherwise than a member's.

Knows the call and the entry; knows nothing of queues.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.history.operations import EventKind, Operation, OperationKind, Outcome, Status
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Call, CallStage, World
from plumbline.reference.rulebook.effects import effects
from plumbline.reference.rulebook.values import Effect, EntryState, each

BY_STATE = frozenset({OperationKind.CREATE, OperationKind.PUT_IF_ABSENT, OperationKind.REPLACE})
"""What depends on whether the key is there."""

TOLD = Effect(Status.OK, None, EntryState.TOMBSTONE, EventKind.DESTROY, distributed=True)
"""A destroy of what is not there that is announced all the same."""


def ways_of(
    setting: Setting, world: World, operation: Operation, state: EntryState, token: str | None
) -> Iterator[Effect]:
    """The ways in which an operation may take effect at the member that carries it out."""
    client = setting.originators.get(operation.op_id)
    if client is None:
        yield from effects(operation.kind, state, token, expected=operation.expected)
        return
    own = world.entry(client, operation.region, operation.key).state
    decide = each(setting.book.decides_by_own_copy()) if operation.kind in BY_STATE else (False,)
    for there in dict.fromkeys(own if mistakes else state for mistakes in decide):
        found = effects(operation.kind, there, token, of_client=True)
        nothing = operation.kind is OperationKind.DESTROY and Effect(Status.ABSENT) in found
        for tells in each(setting.book.tells_of_nothing_destroyed()) if nothing else (False,):
            yield from (TOLD,) if tells else found


def recipients(setting: Setting, operation: Operation, others: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The members that an operation is sent to, the same for each caller."""
    of_client = operation.op_id in setting.originators
    for sends in each(setting.book.distributes_of_clients()) if of_client else (True,):
        yield from each(setting.book.recipients(others)) if sends else ((),)


def refused(setting: Setting, operation: Operation, call: Call) -> Iterator[Call]:
    """The call after a member's writer has refused it; a client has yet to be answered."""
    waiting = setting.caller(operation.op_id)
    if not waiting:
        yield replace(call, stage=CallStage.DONE, outcome=Outcome(Status.FAILED))
        return
    sent = replace(call, stage=CallStage.SENT, waiting=waiting)
    for fails in each(setting.book.veto_fails()):
        # Where the call is said to have succeeded the answer still changes nothing.
        outcome = Outcome(Status.FAILED if fails else Status.OK)
        yield replace(sent, outcome=outcome, early=call.early or not fails)
