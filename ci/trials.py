"""Trials: random small examples, conforming and spoilt, on which the search is judged.

The unreduced search decides each trial by looking at everything; the reduced one must agree. What examples
look like is known by a module for each topology, so far `one_site` alone; what spoils them, by
`corruptions`. Knows which of both to combine; knows nothing of either search.
"""

from __future__ import annotations

import random

import msgspec

from plumbline.ci.corruptions import CORRUPTIONS, showing_less
from plumbline.ci.one_site import MIXED, Shape, draw_plan, run_on_reference
from plumbline.reference.history import Called, History, Returned
from plumbline.reference.operations import Client, OperationKind, Scope
from plumbline.reference.rulebook.book import DECISIONS, Rulebook
from plumbline.reference.rulebook.faulty import FAULTY


def named_book(name: str) -> Rulebook:
    """The rulebook called "" (what the documents say), "faulty VARIANT" or "free DECISION"."""
    kind, _, which = name.partition(" ")
    match kind:
        case "faulty":
            return FAULTY[which].rulebook()
        case "free":
            return Rulebook().with_free(which)
        case _:
            return Rulebook()


def _draw_books(draw: random.Random) -> tuple[str, Rulebook]:
    """The name of the rulebook by which the trial is judged, and the rulebook that makes its history."""
    right = Rulebook()
    chance = draw.random()
    if chance < 0.7:
        return "", right
    if chance < 0.85:
        variant = draw.choice(sorted(FAULTY))
        return f"faulty {variant}", draw.choice((right, FAULTY[variant].rulebook()))
    decision = draw.choice(sorted(DECISIONS))
    variants = [variant.rulebook() for variant in FAULTY.values() if decision in variant.replaces]
    return f"free {decision}", draw.choice((right, *variants))


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One case.

    Attributes:
        seed: what it was drawn from.
        history: what was seen.
        rulebook: the name of what it is judged by, see `named_book`.
        corruption: how the history was spoilt, "" if it was not.
        operations: how many operations were called.
        overlapping: whether some of them were under way at one time.
    """

    seed: int
    history: History
    rulebook: str
    corruption: str
    operations: int
    overlapping: bool


PALETTES = (
    MIXED,
    MIXED,
    (OperationKind.GET, OperationKind.CONTAINS_KEY),
    (OperationKind.INVALIDATE,),
    (OperationKind.DESTROY, OperationKind.GET),
)
"""Kinds of operations besides puts. Some mistakes show only where a few of one kind meet."""


def draw_trial(seed: int) -> Trial:
    """The trial of this seed: a small chaotic example, a third of them spoilt once.

    Most are judged by what the documents say; some by a faulty variant or with a decision left open, since
    the oracle asks such questions, too.
    """
    draw = random.Random(seed)  # noqa: S311 - reproducible trials, not secrets
    shape = Shape(
        operations=draw.randrange(3, 9),
        keys=draw.choice((("x",), ("x",), ("x", "y"))),
        members=draw.choice((2, 3, 3)),
        checks=draw.choice((None, None, True, False)),
        scope=draw.choice((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
        mixed=draw.choice((0.3, 0.7)),
        others=draw.choice(PALETTES),
        started=draw.choice((0.3, 0.8)),
        parked=draw.choice((0.2, 0.2, 0.5)),
        settled=draw.choice((0.1, 0.1, 0.3)),
        looks=draw.choice((0.0, 0.3)),
        redelivered=draw.choice((0.0, 0.0, 0.0, 0.3)),
    )
    rulebook, made_by = _draw_books(draw)
    if draw.random() < 0.25:
        client = Client(name="K", servers=(draw.choice("AB"),), checks=draw.choice((None, False)))
        shape = msgspec.structs.replace(shape, operations=min(shape.operations, 5), clients=(client,))
    plan = draw_plan(draw, shape)
    history = run_on_reference(plan, shape, book=made_by, seed=seed)
    overlapping = _overlaps(history)
    history = showing_less(history, draw)
    corruption = ""
    if seed % 3 == 0:
        names = sorted(CORRUPTIONS)
        draw.shuffle(names)
        for name in names:
            spoilt = CORRUPTIONS[name](history, draw)
            if spoilt is not None and spoilt != history:
                history, corruption = spoilt, name
                break
    return Trial(
        seed=seed,
        history=history,
        rulebook=rulebook,
        corruption=corruption,
        operations=shape.operations,
        overlapping=overlapping,
    )


def _overlaps(history: History) -> bool:
    """Whether two operations were under way at one time."""
    under_way = 0
    for what in history.timeline:
        under_way += isinstance(what, Called) - isinstance(what, Returned)
        if under_way > 1:
            return True
    return False
