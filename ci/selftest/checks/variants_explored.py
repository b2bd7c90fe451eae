"""Which faulty variants small worlds refute by themselves: how they are chosen, and what is printed of them.

Knows no promise.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.progress import track

from plumbline.ci.terminal.row_by_row import LineTable, TableColumn, names
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.explore.program_shape import ProgramShape
from plumbline.reference.explore.programs import Program, programs
from plumbline.reference.explore.scopes import shapes_of
from plumbline.reference.explore.topics import ExploreScope, Topic
from plumbline.reference.explore.variant_check import Refuted, Right, is_of_safety, refute
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY

EVERY = 25
"""Of larger worlds only each so manieth is searched for the decisions that it asks."""

LISTENING = 0.25
"""That takes no more than such a part of the time."""


class VariantRow(Refuted, frozen=True, kw_only=True):
    """What came of one variant.

    Attributes:
        safety: whether it breaks what a state of a small world may go against.
    """

    safety: bool


def refuted(
    console: Console, parts: Iterable[Topic], scope: ExploreScope, book: Rulebook, within: float | None
) -> Iterator[VariantRow]:
    """What came of every variant that these worlds ask about, each as soon as it is known.

    Args:
        console: where progress is shown.
        parts: of the documents.
        scope: how large the worlds are; small ones are looked at first in any case.
        book: what is right.
        within: seconds for all of them, an equal part each; None for as long as it takes.
    """
    parts = list(parts)
    small, others = _worlds(parts, scope)
    right = Right(book)
    began = time.monotonic()
    ends = math.inf if within is None else began + within
    right.listen(small)
    right.listen(
        track(others[::EVERY], "worlds", console=console, transient=True, disable=not console.is_terminal),
        ends=began + LISTENING * (ends - began),
    )
    variants = [variant for variant in FAULTY.values() if right.differs(variant)]
    shown = track(variants, "variants", console=console, transient=True, disable=not console.is_terminal)
    for at, variant in enumerate(shown):
        share = (ends - time.monotonic()) / (len(variants) - at)
        one = refute(variant, chain(small, others), right, ends=time.monotonic() + share)
        yield VariantRow(**msgspec.structs.asdict(one), safety=is_of_safety(variant))


def lines() -> LineTable:
    """The table of variants, a line for each as it has been looked at."""
    asked = [names("variant", FAULTY), TableColumn("of safety"), names("refuted by", all_requirements())]
    return LineTable([*asked, TableColumn("programs", right=True), TableColumn("in")])


def cells(one: VariantRow) -> tuple[str, ...]:
    """What the table says of a variant."""
    safety = "yes" if one.safety else "no"
    return one.variant, safety, one.by or "[bold]no[/]", str(one.programs), escape(one.program)


def tell(found: list[VariantRow]) -> None:
    """Print how many were refuted."""
    of_safety = [one for one in found if one.safety]
    every = sum(map(is_of_safety, FAULTY.values()))
    Console(stderr=True).print(
        f"{len(FAULTY)} variants, {len(found)} decide otherwise what these worlds ask, {_refuted(found)}\n"
        f"{every} variants of safety, {len(of_safety)} decide otherwise what these worlds ask, "
        f"{_refuted(of_safety)}",
        highlight=False,
        soft_wrap=True,
    )


def _refuted(found: list[VariantRow]) -> str:
    refuted = sum(bool(one.by) for one in found)
    return f"{refuted} of them refuted ({refuted / max(1, len(found)):.0%})"


def _worlds(parts: list[Topic], scope: ExploreScope) -> tuple[list[Program], list[Program]]:
    """The small worlds, and the larger ones: of each shape one after the other, in an order of their own."""
    small = [
        program
        for part in parts
        for shape in shapes_of(part, ExploreScope.SMALL)
        for program in programs(shape)
    ]
    if scope is ExploreScope.SMALL:
        return small, []
    shuffled = (_shuffled(shape) for part in parts for shape in shapes_of(part, scope))
    return small, [program for row in zip_longest(*shuffled) for program in row if program is not None]


def _shuffled(shape: ProgramShape) -> Iterator[Program]:
    every = list(programs(shape))
    random.Random(0).shuffle(every)  # noqa: S311 - no secret
    return iter(every)
