"""Refuting: which faulty variants show in small worlds, by a promise or by an end that is never right.

Knows variants and walks; knows nothing of candidates, nor of how a suite finds variants out.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from plumbline.reference.explore.findings import broken_by
from plumbline.reference.explore.programs import Program
from plumbline.reference.explore.promises import Held, holdings
from plumbline.reference.explore.walk import Walked, walk
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.variant import FaultyVariant

MOST = 20_000
"""So many states of a program are looked at: a variant that shows later shows sooner in another one."""

Ends = frozenset[tuple[tuple[str, Held], ...]]
"""What members hold in the end, in every way in which runs of a program end."""


class Refuted(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one variant.

    Attributes:
        variant: its name.
        by: the promise that it breaks, or "ends" if members hold in the end what they never do rightly;
            empty if it was not refuted.
        program: in which program, in words.
        programs: how many were looked at.
    """

    variant: str
    by: str = ""
    program: str = ""
    programs: int = 0


class Right:
    """What comes of programs where all is right, each looked at once."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        self._known: dict[Program, tuple[Ends, bool]] = {}

    def ends(self, program: Program) -> tuple[Ends, bool]:
        """How a program may end, and whether that is all."""
        if program not in self._known:
            walked = walk(program, self.book, most=MOST)
            self._known[program] = _ends(walked), walked.whole
        return self._known[program]

    def asked(self, worlds: Iterable[Program]) -> frozenset[str]:
        """The decisions that somebody asks: who makes others otherwise does nothing else in these worlds."""
        asked: set[str] = set()

        def overheard(decision: str, answer: Callable[..., Any]) -> Callable[..., Any]:
            def told(*arguments: Any) -> Any:
                asked.add(decision)
                return answer(*arguments)

            return told

        names = [field.name for field in dataclasses.fields(self.book)]
        overhearing = dataclasses.replace(
            self.book, **{name: overheard(name, getattr(self.book, name)) for name in names}
        )
        for program in worlds:
            walk(program, overhearing, most=MOST)
        return frozenset(asked)


def refute(
    variant: FaultyVariant, worlds: Iterable[Program], right: Right, *, ends: float = math.inf
) -> Refuted:
    """Look for a program in which a variant shows, until one does or the monotonic clock shows `ends`."""
    book = variant.rulebook(right.book)
    count = 0
    for program in worlds:
        if time.monotonic() > ends:
            break
        count += 1
        walked = walk(program, book, most=MOST)
        by = next(broken_by(walked), "") or _wrong_end(walked, right)
        if by:
            return Refuted(variant=variant.name, by=by, program=str(program), programs=count)
    return Refuted(variant=variant.name, programs=count)


def _wrong_end(walked: Walked, right: Right) -> str:
    """Say "ends" if members end with what they never do rightly."""
    ends, whole = right.ends(walked.program)
    return "ends" if whole and not _ends(walked) <= ends else ""


def _ends(walked: Walked) -> Ends:
    return frozenset(tuple(holdings(walked.program, end.world).items()) for end in walked.ends)
