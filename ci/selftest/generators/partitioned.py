"""Random small examples of a partitioned region: the number of copies, the crashes and the clients.

Knows shapes only; `one_site` makes plans of them, and histories.
"""

from __future__ import annotations

import random

import msgspec

from plumbline.ci.selftest.generators import one_site
from plumbline.reference.history.operations import Client, OperationKind

_PALETTES = (
    (OperationKind.GET, OperationKind.CONTAINS_KEY),
    (OperationKind.GET, OperationKind.DESTROY, OperationKind.CREATE),
    (OperationKind.INVALIDATE, OperationKind.PUT_IF_ABSENT, OperationKind.REPLACE),
)
"""Kinds of operations besides puts; local operations are not carried out there."""


MOVES_BELOW, MOVES_ABOVE = 0.15, 0.8
"""Where primaries move: in some examples in which members die, and in some without faults."""


def draw_shape(draw: random.Random, most: int) -> one_site.OneSiteShape:
    """The shape of an example with at most so many operations."""
    members = draw.choice((2, 3, 3))
    copies = draw.randrange(members)
    shape = one_site.OneSiteShape(
        operations=draw.randrange(2, most + 1),
        keys=draw.choice((("x",), ("x", "y"))),
        members=members,
        redundancy=copies,
        mixed=draw.choice((0.0, 0.3, 0.6)),
        others=draw.choice(_PALETTES),
        started=draw.choice((0.3, 0.8)),
        parked=draw.choice((0.0, 0.2, 0.5)),
        settled=draw.choice((0.1, 0.3)),
        looks=draw.choice((0.0, 0.3)),
    )
    chance = draw.random()
    if chance < MOVES_BELOW or chance > MOVES_ABOVE:
        shape = msgspec.structs.replace(shape, moves=0.3)
    if chance < 0.4:
        dying = draw.sample("ABC"[:members], members - 1)
        # Who runs again holds nothing of the keys that others hold by then.
        restarts = draw.choice((0.0, 0.0, 0.5))
        return msgspec.structs.replace(
            shape, dying=tuple(dying if restarts else dying[:1]), restarts=restarts
        )
    if chance < 0.6:
        client = Client(name="K", servers=(draw.choice("AB"),), checks=draw.choice((None, False)))
        return msgspec.structs.replace(
            shape,
            operations=min(shape.operations, 4),
            clients=(client,),
            registers=draw.random() < 0.5,
            interests=draw.choice((0.0, 0.3)),
        )
    return shape
