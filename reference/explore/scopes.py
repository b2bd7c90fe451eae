"""Scopes: how large the worlds are that are looked at whole. Knows numbers only."""

from __future__ import annotations

from enum import StrEnum

from plumbline.reference.explore.programs import Shape
from plumbline.reference.history import FaultKind
from plumbline.reference.operations import OperationKind


class Part(StrEnum):
    """What of the documents a world is about."""

    REPLICATED = "replicated"
    GATEWAYS = "gateways"
    TRANSACTIONS = "transactions"


class Scope(StrEnum):
    """How large worlds are."""

    SMALL = "small"
    MEDIUM = "medium"


_PUT, _DESTROY = OperationKind.PUT, OperationKind.DESTROY
_EVERYWHERE = (_PUT, OperationKind.CREATE, OperationKind.INVALIDATE, _DESTROY)
_PUTS = (_PUT, _DESTROY)
_CRASH = (FaultKind.CRASH,)
_TICK = (FaultKind.TIME_LEAP,)
_LOST = (FaultKind.REPLIES_LOST,)
_BETWEEN_SITES = (*_CRASH, FaultKind.LINK_DOWN, *_LOST, FaultKind.RECEIVER_STOP)
_TWO, _THREE = ("A", "B"), ("A", "B", "C")

SHAPES: dict[tuple[Part, Scope], tuple[Shape, ...]] = {
    (Part.REPLICATED, Scope.SMALL): (
        Shape(sites=(_TWO,), operations=2, kinds=_EVERYWHERE),
        Shape(sites=(_TWO,), operations=2, kinds=_EVERYWHERE, there=True),
        Shape(sites=(_TWO,), operations=2, kinds=_EVERYWHERE, there=True, faults=(_CRASH,)),
        Shape(sites=(_THREE,), operations=2, kinds=_EVERYWHERE, there=True),
        Shape(sites=(_TWO,), operations=2, kinds=_PUTS, there=True, faults=(_TICK,)),
    ),
    (Part.REPLICATED, Scope.MEDIUM): (
        Shape(sites=(_THREE,), operations=3, kinds=_EVERYWHERE, there=True),
        Shape(sites=(_THREE,), operations=3, kinds=_PUTS, there=True, faults=(_CRASH,)),
        Shape(sites=(_THREE,), operations=4, kinds=_PUTS),
        Shape(sites=(_TWO,), operations=4, kinds=_PUTS, there=True, faults=(_TICK,)),
        Shape(sites=(_THREE,), operations=3, kinds=_PUTS, there=True, faults=(_TICK,)),
    ),
    (Part.GATEWAYS, Scope.SMALL): (
        Shape(sites=(("A",), ("B",)), operations=2, kinds=_PUTS),
        Shape(sites=(("A",), ("B",)), operations=2, kinds=_PUTS, ties=True),
        Shape(sites=(_TWO, ("C",)), operations=2, kinds=(_PUT,)),
    ),
    (Part.GATEWAYS, Scope.MEDIUM): (
        Shape(sites=(_TWO, ("C",)), operations=2, kinds=_PUTS, there=True),
        Shape(sites=(_TWO, ("C",)), operations=3, kinds=(_PUT,)),
        Shape(sites=(_TWO, ("C",)), operations=2, kinds=_PUTS, ties=True),
        Shape(sites=(("A",), ("B",)), operations=4, kinds=(_PUT,)),
        Shape(sites=(_TWO, ("C",)), operations=2, kinds=(_PUT,), faults=(_BETWEEN_SITES,)),
        Shape(sites=(_TWO, ("C",)), operations=3, kinds=(_PUT,), faults=(_CRASH, _LOST)),
        Shape(sites=(_TWO, ("C",)), operations=4, kinds=(_PUT,)),
    ),
    (Part.TRANSACTIONS, Scope.SMALL): (
        Shape(sites=(_TWO,), operations=1, kinds=_PUTS, committed=_PUTS),
        Shape(sites=(_TWO,), operations=1, kinds=_PUTS, there=True, committed=_PUTS),
        Shape(sites=(_TWO,), operations=1, kinds=_PUTS, there=True, faults=(_CRASH,), committed=_PUTS),
        Shape(sites=(_THREE,), operations=1, kinds=_PUTS, there=True, committed=_PUTS),
    ),
    (Part.TRANSACTIONS, Scope.MEDIUM): (
        Shape(sites=(_THREE,), operations=2, kinds=_PUTS, there=True, committed=_PUTS),
        Shape(sites=(_TWO,), operations=3, kinds=_PUTS, committed=_PUTS),
        Shape(sites=(_THREE,), operations=1, kinds=_PUTS, there=True, faults=(_CRASH,), committed=_PUTS),
    ),
}
"""The shapes of each part and scope, the small ones first."""
