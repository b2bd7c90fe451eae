"""Carrying out: what a member makes of a call, and where a server treats a client's otherwise.

Knows the call and the entry; knows nothing of queues.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.operations import (
    CONDITIONAL,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    Status,
)
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Call, CallStage, World
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.effects import effects, stored
from plumbline.reference.rulebook.values import Effect, EntryState, each

BY_STATE = frozenset({OperationKind.CREATE, OperationKind.PUT_IF_ABSENT, OperationKind.REPLACE})
"""What depends on whether the key is there."""

TOLD = Effect(Status.OK, None, EntryState.TOMBSTONE, EventKind.DESTROY, distributed=True)
"""A destroy of what is not there that is announced all the same."""

_GONE = (EntryState.ABSENT, EntryState.TOMBSTONE)


def effects_of(
    setting: Setting, operation: Operation, state: EntryState, token: str | None, *, of_client: bool = False
) -> Iterator[Effect]:
    """The ways in which an operation may take effect on an entry in this state, with this value.

    One of many entries may be left out, and a key be removed that is not there, as they should not.
    """
    book, share = setting.book, setting.shares.get(operation.op_id)
    if share is None:
        yield from _of_single(book, operation, state, token, of_client=of_client)
        return
    lacks = operation.kind is OperationKind.DESTROY and state in _GONE and not of_client
    for carries in each(book.carries_out_entry(operation.kind, share.place == share.of)):
        for tells in each(book.removes_lacking()) if carries and lacks else (False,):
            if tells:
                yield TOLD
            elif carries:
                yield from _of_single(book, operation, state, token, of_client=of_client)
            else:
                yield Effect(Status.OK)


def _of_single(
    book: Rulebook, operation: Operation, state: EntryState, token: str | None, *, of_client: bool
) -> Iterator[Effect]:
    """The ways of an operation on one entry; no document decides what finds an entry without a value."""
    kind, live = operation.kind, state is EntryState.LIVE
    if kind in CONDITIONAL and live:
        for changes in each(book.changes_expected(kind, token == operation.expected)):
            yield from effects(kind, state if changes else EntryState.ABSENT, token, expected=token)
    elif kind is OperationKind.CONTAINS_KEY and state is EntryState.INVALID:
        for present in each(book.invalid_is_present()):
            yield from effects(kind, state if present else EntryState.ABSENT, token)
    elif kind not in BY_STATE or state is EntryState.INVALID or (kind is OperationKind.CREATE and of_client):
        yield from effects(kind, state, token, of_client=of_client, expected=operation.expected)
    elif kind is OperationKind.CREATE:
        for changes in each(book.create_stores(live)):
            yield stored() if changes else Effect(Status.EXISTS)
    else:
        is_replace = kind is OperationKind.REPLACE
        stores = each(book.replace_stores(live) if is_replace else book.put_if_absent_stores(live))
        for changes, returns in product(stores, each(book.returns_previous(kind)) if live else (True,)):
            previous = token if live and returns else None
            yield stored(previous) if changes else Effect(Status.OK, previous)


def ways_of(
    setting: Setting, world: World, operation: Operation, state: EntryState, token: str | None
) -> Iterator[Effect]:
    """The ways in which an operation may take effect at the member that carries it out."""
    client = setting.originators.get(operation.op_id)
    if client is None:
        yield from effects_of(setting, operation, state, token)
        return
    own = world.entry(client, operation.region, operation.key).state
    decide = each(setting.book.decides_by_own_copy()) if operation.kind in BY_STATE else (False,)
    for there in dict.fromkeys(own if mistakes else state for mistakes in decide):
        found = tuple(effects_of(setting, operation, there, token, of_client=True))
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
