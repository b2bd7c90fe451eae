"""What each operation does to an entry of the member that it is called on.

The documents name the operations and leave their fine points to the reader; where they are silent, every
reading is an alternative, and the candidate's log decides which it took.
"""

from __future__ import annotations

from plumbline.reference.history.operations import (
    CONDITIONAL,
    LOCAL_ACTIONS,
    EventKind,
    OperationKind,
    Status,
)
from plumbline.reference.rulebook.values import Effect, EntryState

_GONE = (EntryState.ABSENT, EntryState.TOMBSTONE)


def effects(
    kind: OperationKind,
    state: EntryState,
    token: str | None,
    *,
    of_client: bool = False,
    expected: str | None = None,
) -> tuple[Effect, ...]:
    """The ways in which an operation may take effect.

    Args:
        kind: the operation.
        state: the entry on the calling member, or on the server of the client that calls.
        token: the value that the entry holds, None unless it is live.
        of_client: whether a client calls.
        expected: the value that a conditional operation expects.

    Raises:
        KeyError: if the operation does not work on single entries.
    """
    if kind in CONDITIONAL and (state is not EntryState.LIVE or token != expected):
        return (Effect(Status.OK, "false"),)
    found = _EFFECTS[kind](state, token)
    if of_client and kind in _LEFT and Effect(Status.ABSENT) in found:
        # Where the server has nothing to destroy or invalidate, no document says what the client receives.
        # Nor does one say whether the operation still changes the client's own copy, or all copies.
        everywhere = Effect(Status.OK, None, _LEFT[kind], distributed=True)
        silent = () if everywhere in found else (everywhere,)
        return (*found, Effect(Status.OK), Effect(Status.OK, at_client=True), *silent)
    if of_client and kind is OperationKind.INVALIDATE and state is EntryState.INVALID:
        # The server's entry is invalid already. The client's copy may have none, or a value.
        return (*found, Effect(Status.OK, at_client=True))
    if of_client and kind is OperationKind.CREATE and Effect(Status.EXISTS) in found:
        # A client's create is a creation or an update at its server (001, L19); which of the two is not said.
        return (*found, stored())
    return found


_LEFT = {OperationKind.DESTROY: EntryState.TOMBSTONE, OperationKind.INVALIDATE: EntryState.INVALID}
"""What is left of an entry that a client has destroyed or invalidated."""


def effects_at_client(kind: OperationKind, state: EntryState, token: str | None) -> tuple[Effect, ...]:
    """The ways in which what goes to no server takes effect in a client's own copy.

    Where nothing is there to destroy or invalidate, the call says so or ends well: no document tells which.
    """
    found = _EFFECTS[kind](state, token)
    return (*found, Effect(Status.OK)) if Effect(Status.ABSENT) in found else found


def stored(value: str | None = None) -> Effect:
    """A value is stored, and the caller gets back what stood there, where that is said."""
    return Effect(Status.OK, value, EntryState.LIVE, EventKind.UPDATE, distributed=True)


def _put(_state: EntryState, _token: str | None) -> tuple[Effect, ...]:
    return (stored(),)


def _create(state: EntryState, _token: str | None) -> tuple[Effect, ...]:
    return (stored(),) if state in _GONE else (Effect(Status.EXISTS),)


def _put_if_absent(state: EntryState, token: str | None) -> tuple[Effect, ...]:
    if state in _GONE:
        return (stored(),)
    if state is EntryState.LIVE:
        return (Effect(Status.OK, token),)
    # Whether a key without a value counts as absent is not said anywhere.
    return (Effect(Status.OK), stored())


def _replace(state: EntryState, token: str | None) -> tuple[Effect, ...]:
    if state in _GONE:
        return (Effect(Status.OK),)
    if state is EntryState.LIVE:
        return (stored(token),)
    return (stored(), Effect(Status.OK))


def _replace_if_equal(_state: EntryState, _token: str | None) -> tuple[Effect, ...]:
    return (stored("true"),)


def _remove_if_equal(_state: EntryState, _token: str | None) -> tuple[Effect, ...]:
    return (Effect(Status.OK, "true", EntryState.TOMBSTONE, EventKind.DESTROY, distributed=True),)


def _invalidate(state: EntryState, _token: str | None) -> tuple[Effect, ...]:
    change = Effect(Status.OK, None, EntryState.INVALID, EventKind.INVALIDATE, distributed=True)
    if state in _GONE:
        # Whether a key that was destroyed a moment ago can still be invalidated is not said.
        return (Effect(Status.ABSENT), change)
    if state is EntryState.LIVE:
        return (change,)
    # An invalid entry can hardly be made more so: nothing may happen, or all of it once more.
    return (Effect(Status.OK), change)


def _destroy(state: EntryState, _token: str | None) -> tuple[Effect, ...]:
    if state in _GONE:
        return (Effect(Status.ABSENT),)
    return (Effect(Status.OK, None, EntryState.TOMBSTONE, EventKind.DESTROY, distributed=True),)


def _local_invalidate(state: EntryState, _token: str | None) -> tuple[Effect, ...]:
    refused = Effect(Status.REFUSED)
    if state in _GONE:
        return (Effect(Status.ABSENT), refused)
    change = Effect(Status.OK, None, EntryState.INVALID, EventKind.INVALIDATE)
    return (change, refused) if state is EntryState.LIVE else (Effect(Status.OK), change, refused)


def _local_destroy(state: EntryState, _token: str | None) -> tuple[Effect, ...]:
    refused = Effect(Status.REFUSED)
    if state in _GONE:
        return (Effect(Status.ABSENT), refused)
    return (Effect(Status.OK, None, EntryState.TOMBSTONE, EventKind.DESTROY), refused)


def _by_itself(ways: tuple[Effect, ...]) -> tuple[Effect, ...]:
    """The ways of a local operation, as the region's own: unannounced as well, and none of them.

    No document says that listeners receive it, nor how soon the region acts.
    """
    silent = (way._replace(event=None) for way in ways if way.event is not None)
    return (*ways, *silent, Effect(Status.FAILED))


def _acts_as_destroy(state: EntryState, token: str | None) -> tuple[Effect, ...]:
    return _by_itself(_local_destroy(state, token))


def _acts_as_invalidate(state: EntryState, token: str | None) -> tuple[Effect, ...]:
    return _by_itself(_local_invalidate(state, token))


def _get(_state: EntryState, token: str | None) -> tuple[Effect, ...]:
    return (Effect(Status.OK, token),)


def _contains_key(state: EntryState, _token: str | None) -> tuple[Effect, ...]:
    return (Effect(Status.OK, "false" if state in _GONE else "true"),)


_EFFECTS = {
    OperationKind.PUT: _put,
    OperationKind.CREATE: _create,
    OperationKind.PUT_IF_ABSENT: _put_if_absent,
    OperationKind.REPLACE: _replace,
    OperationKind.REPLACE_IF_EQUAL: _replace_if_equal,
    OperationKind.REMOVE_IF_EQUAL: _remove_if_equal,
    OperationKind.INVALIDATE: _invalidate,
    OperationKind.DESTROY: _destroy,
    OperationKind.LOCAL_INVALIDATE: _local_invalidate,
    OperationKind.LOCAL_DESTROY: _local_destroy,
    OperationKind.EXPIRE_LOCAL_INVALIDATE: _acts_as_invalidate,
    OperationKind.EXPIRE_LOCAL_DESTROY: _acts_as_destroy,
    OperationKind.EVICT: _acts_as_destroy,
    OperationKind.GET: _get,
    OperationKind.CONTAINS_KEY: _contains_key,
}

SUPPORTED = frozenset(_EFFECTS)
"""The operations that the model knows."""

FROM_CLIENTS = SUPPORTED - CONDITIONAL - LOCAL_ACTIONS
"""Those that the model knows of clients, too."""

BECOMES = {
    OperationKind.PUT: (EntryState.LIVE, EventKind.UPDATE),
    OperationKind.CREATE: (EntryState.LIVE, EventKind.UPDATE),
    OperationKind.PUT_IF_ABSENT: (EntryState.LIVE, EventKind.UPDATE),
    OperationKind.REPLACE: (EntryState.LIVE, EventKind.UPDATE),
    OperationKind.REPLACE_IF_EQUAL: (EntryState.LIVE, EventKind.UPDATE),
    OperationKind.REMOVE_IF_EQUAL: (EntryState.TOMBSTONE, EventKind.DESTROY),
    OperationKind.INVALIDATE: (EntryState.INVALID, EventKind.INVALIDATE),
    OperationKind.DESTROY: (EntryState.TOMBSTONE, EventKind.DESTROY),
}
"""What a distributed operation makes of an entry where it arrives, and what listeners are told."""

DISTRIBUTED_AS = {
    OperationKind.LOCAL_INVALIDATE: OperationKind.INVALIDATE,
    OperationKind.EXPIRE_LOCAL_INVALIDATE: OperationKind.INVALIDATE,
    OperationKind.LOCAL_DESTROY: OperationKind.DESTROY,
    OperationKind.EXPIRE_LOCAL_DESTROY: OperationKind.DESTROY,
    OperationKind.EVICT: OperationKind.DESTROY,
}
"""What a local operation would be elsewhere, if it went there."""

ARRIVES = {**BECOMES, **{local: BECOMES[kind] for local, kind in DISTRIBUTED_AS.items()}}
"""The same, with what is local and should not arrive anywhere."""
