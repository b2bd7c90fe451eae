"""Random small examples in which some members keep less than a replicate: the shapes of their plans.

Knows nothing of trials, nor of how plans are drawn.
"""

from __future__ import annotations

import random

from plumbline.ci.selftest.generators import one_site
from plumbline.reference.history.operations import Client, HostPolicy, OperationKind, RegionPolicy, Scope

_LESS = (RegionPolicy.NORMAL, RegionPolicy.NORMAL, RegionPolicy.PRELOADED, RegionPolicy.EMPTY)


def shape(
    draw: random.Random, most: int, palettes: tuple[tuple[OperationKind, ...], ...]
) -> one_site.OneSiteShape:
    """A shape of at most so many operations; a client or a member that dies in some, and no replicate in few.

    Args:
        draw: what it is drawn from.
        most: how many operations at most.
        palettes: kinds of operations besides puts.
    """
    members = draw.choice((2, 3, 3))
    names = list("ABC"[:members])
    draw.shuffle(names)
    less = names[: draw.choice((1, 1, 1, members - 1, members - 1, members))]
    with_client = draw.random() < 0.25
    clients = (Client(name="K", servers=(draw.choice("AB"),), checks=draw.choice((None, False))),)
    dying = draw.choice(((), (draw.choice(names),)))
    return one_site.OneSiteShape(
        operations=draw.randrange(2, most + 1 if not with_client else max(3, most - 1)),
        keys=draw.choice((("x",), ("x",), ("x", "y"))),
        members=members,
        checks=draw.choice((None, None, True, False)),
        scope=draw.choice((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
        mixed=draw.choice((0.3, 0.7)),
        others=draw.choice(palettes),
        started=draw.choice((0.3, 0.8)),
        parked=draw.choice((0.0, 0.2, 0.4)),
        settled=draw.choice((0.1, 0.1, 0.3)),
        looks=draw.choice((0.0, 0.0, 0.3)),
        policies=tuple(HostPolicy(member, draw.choice(_LESS)) for member in sorted(less)),
        clients=clients if with_client else (),
        registers=draw.random() < 0.5,
        interests=draw.choice((0.0, 0.3)) if with_client else 0.0,
        dying=() if with_client else dying,
    )
