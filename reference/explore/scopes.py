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
    THREE_SITES = "three-sites"
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
_CUT = (FaultKind.LINK_DOWN,)
_BETWEEN_SITES = (*_CRASH, FaultKind.LINK_DOWN, *_LOST, FaultKind.RECEIVER_STOP)
_TWO, _THREE = ("A", "B"), ("A", "B", "C")
_APART, _IN_THREES = (("A",), ("B",)), (("A",), ("B",), ("C",))
_RING = ((1, 2), (2, 3), (3, 1))
_CHAIN = ((1, 2), (2, 1), (2, 3), (3, 2))
_LOWEST_BETWEEN = ((1, 2), (2, 1), (1, 3), (3, 1))
_HIGHEST_BETWEEN = ((1, 3), (3, 1), (2, 3), (3, 2))

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
        Shape(sites=_APART, operations=2, kinds=_PUTS, behind=True),
        Shape(sites=_APART, operations=2, kinds=_PUTS, skewed=True),
        Shape(sites=_APART, operations=2, kinds=(*_EVERYWHERE, OperationKind.GET), there=True),
        Shape(sites=(_TWO, ("C",)), operations=1, kinds=(_PUT,), faults=(_BETWEEN_SITES,)),
        Shape(sites=(_TWO, ("C",)), operations=1, kinds=(_PUT,), faults=(_CRASH, _LOST)),
    ),
    (Part.GATEWAYS, Scope.MEDIUM): (
        Shape(sites=(_TWO, ("C",)), operations=2, kinds=_PUTS, there=True),
        Shape(sites=(_TWO, ("C",)), operations=3, kinds=(_PUT,)),
        Shape(sites=(_TWO, ("C",)), operations=2, kinds=_PUTS, ties=True),
        Shape(sites=(("A",), ("B",)), operations=4, kinds=(_PUT,)),
        Shape(sites=_APART, operations=3, kinds=(_PUT,), ties=True),
        Shape(sites=(_TWO, ("C",)), operations=2, kinds=(_PUT,), faults=(_BETWEEN_SITES,)),
        Shape(sites=(_TWO, ("C",)), operations=3, kinds=(_PUT,), faults=(_CRASH, _LOST)),
        Shape(sites=(_TWO, ("C",)), operations=4, kinds=(_PUT,)),
        Shape(sites=(_TWO, ("C",)), operations=3, kinds=(_PUT,), skewed=True),
        Shape(sites=(_TWO, ("C",)), operations=3, kinds=(_PUT,), ties=True),
    ),
    (Part.THREE_SITES, Scope.SMALL): (
        Shape(sites=_IN_THREES, operations=2, kinds=_PUTS),
        Shape(sites=_IN_THREES, operations=2, kinds=(_PUT,), ties=True),
        Shape(sites=_IN_THREES, operations=2, kinds=(_PUT,), ties=True, links=_RING),
        Shape(sites=_IN_THREES, operations=2, kinds=(_PUT,), ties=True, links=_CHAIN),
        Shape(sites=_IN_THREES, operations=2, kinds=(_PUT,), ties=True, links=_LOWEST_BETWEEN),
        Shape(sites=_IN_THREES, operations=2, kinds=_PUTS, skewed=True, links=_RING),
    ),
    (Part.THREE_SITES, Scope.MEDIUM): (
        Shape(sites=_IN_THREES, operations=2, kinds=_PUTS, there=True, skewed=True),
        Shape(sites=_IN_THREES, operations=3, kinds=(_PUT,)),
        Shape(sites=_IN_THREES, operations=3, kinds=(_PUT,), ties=True),
        Shape(sites=_IN_THREES, operations=3, kinds=(_PUT,), skewed=True),
        Shape(sites=_IN_THREES, operations=2, kinds=(_PUT,), faults=(_CUT,)),
        Shape(sites=_IN_THREES, operations=2, kinds=_PUTS, there=True, skewed=True, links=_RING),
        Shape(sites=_IN_THREES, operations=3, kinds=(_PUT,), ties=True, links=_RING),
        Shape(sites=_IN_THREES, operations=3, kinds=(_PUT,), skewed=True, links=_RING),
        Shape(sites=_IN_THREES, operations=3, kinds=(_PUT,), ties=True, links=_CHAIN),
        Shape(sites=_IN_THREES, operations=3, kinds=(_PUT,), ties=True, links=_LOWEST_BETWEEN),
        Shape(sites=_IN_THREES, operations=3, kinds=(_PUT,), ties=True, links=_HIGHEST_BETWEEN),
        Shape(sites=_IN_THREES, operations=3, kinds=(_PUT,), skewed=True, links=_CHAIN),
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
