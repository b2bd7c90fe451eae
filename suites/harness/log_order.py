"""What a log says, as declared: in which order it tells, and which operation an event is about."""

from __future__ import annotations

from plumbline.adapters.protocol import Introduction
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import (
    DESTROYS,
    LOCAL_ACTIONS,
    STORES_VALUE,
    Client,
    Event,
    EventKind,
    Operation,
    OperationKind,
    RegionAttributes,
)

_ANNOUNCED_AS = {
    OperationKind.INVALIDATE: EventKind.INVALIDATE,
    OperationKind.LOCAL_INVALIDATE: EventKind.INVALIDATE,
    **dict.fromkeys(DESTROYS, EventKind.DESTROY),
    OperationKind.LOCAL_DESTROY: EventKind.DESTROY,
    OperationKind.EXPIRE_LOCAL_INVALIDATE: EventKind.INVALIDATE,
    OperationKind.EXPIRE_LOCAL_DESTROY: EventKind.DESTROY,
    OperationKind.EVICT: EventKind.DESTROY,
    OperationKind.CLEAR: EventKind.CLEAR,
}
"""How listeners receive operations without a value that identifies them."""


def order_strength(
    introduction: Introduction,
    regions: tuple[RegionAttributes, ...],
    clients: tuple[Client, ...] = (),
) -> OrderStrength:
    """How much order logs of copies of these regions, or of these at clients, carry, as declared."""
    unchecked = introduction.order_strength_unchecked
    if unchecked is not None and False in (
        *(region.checks for region in regions),
        *(client.checks for client in clients),
    ):
        return unchecked
    return introduction.order_strength


def tells(event: Event, operation: Operation, *, named: bool, valueless: bool) -> bool:
    """Whether an event may be about an operation.

    Args:
        event: what a listener was told.
        operation: the operation.
        named: whether listeners are given callback arguments.
        valueless: whether the listener's client may receive values without them.
    """
    if event.kind is EventKind.RESOLVE:
        return False
    if event.token is not None or (named and operation.kind not in LOCAL_ACTIONS):
        return event.token == operation.token
    nameless = _ANNOUNCED_AS.get(operation.kind)
    if valueless and operation.kind in STORES_VALUE:
        nameless = EventKind.INVALIDATE
    return event.kind is nameless and event.key == operation.key
