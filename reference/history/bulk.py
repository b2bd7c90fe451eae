"""Operations on many keys, and as what each of their entries is judged: an operation of its own.

Knows nothing of what an entry does, nor of who carries it out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.reference.history.ranges import OpId

BULK = {OperationKind.PUT_ALL: OperationKind.PUT, OperationKind.REMOVE_ALL: OperationKind.DESTROY}
"""Operations on many keys, and as what each of their entries is carried out."""


class Share(msgspec.Struct, frozen=True):
    """Which entry of an operation on many keys something is: the operation, and the entry's place, from 1."""

    op_id: OpId
    place: int
    of: int


def singly(operation: Operation) -> tuple[Operation, ...]:
    """As what an operation is judged: one on many keys as an operation on each, another as it is.

    Each is of a thread of its own: in which order the entries are applied, no document says.
    """
    if operation.kind not in BULK:
        return (operation,)
    return tuple(
        Operation(
            op_id=entry.op_id,
            thread=f"{operation.thread}.{place}",
            member=operation.member,
            region=operation.region,
            kind=BULK[operation.kind],
            key=entry.key,
            token=entry.token,
        )
        for place, entry in enumerate(operation.entries, 1)
    )


def with_shares(operation: Operation) -> tuple[tuple[Operation, Share | None], ...]:
    """The same, each with which entry it is, if it is one."""
    entries = singly(operation)
    if operation.kind not in BULK:
        return ((operation, None),)
    return tuple(
        (entry, Share(operation.op_id, place, len(entries))) for place, entry in enumerate(entries, 1)
    )


Held = frozenset[tuple[str, str]]
"""Holders and keys at which a parked listener may hold other operations back."""


def with_tied(held: Held, bulks: Iterable[Collection[str]], holders: Collection[str]) -> Held:
    """What is held back besides: an entry of an operation on many keys may hold up its others, anywhere.

    Args:
        held: what listeners hold back by themselves.
        bulks: the keys of each operation on many keys that is under way.
        holders: the members and clients.
    """
    keys = {key for _, key in held}
    tied = {key for bulk in bulks if not keys.isdisjoint(bulk) for key in bulk}
    return held.union((holder, key) for holder in holders for key in tied)
