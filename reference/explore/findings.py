"""Findings: promises that some run of a program breaks, and whether the documents allow that.

Knows walks and promises; knows nothing of candidates.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.explore.programs import Program, programs
from plumbline.reference.explore.promises import AGREEMENT, PROMISES, Held, Promise, holdings
from plumbline.reference.explore.scopes import SHAPES, Part, Scope
from plumbline.reference.explore.walk import Moment, Walked, walk
from plumbline.reference.rulebook.book import Rulebook

CIRCLE = (
    "Within a site versions decide, between sites timestamps do: of three updates, two of them by members of "
    "one site at the same time, each may beat the next. The documents do not say how that is to end."
)


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A promise that a run breaks.

    Attributes:
        requirement: the promise's id.
        says: the promise.
        program: what was called and what broke, in words.
        held: what each member that lives holds at the end.
        run: the shortest run that ends so, one thing after the other.
        allowed: why the documents allow it; empty if they do not.
    """

    requirement: str
    says: str
    program: str
    held: dict[str, Held]
    run: tuple[str, ...]
    allowed: str = ""


class Explored(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one program.

    Attributes:
        program: in words.
        states: how many moments its runs go through.
        whole: whether all were looked at.
        ends: in how many ways its runs end, by what members hold.
        findings: one for each promise that is broken.
    """

    program: str
    states: int
    whole: bool
    ends: int
    findings: tuple[Finding, ...]


def all_programs(part: Part, scope: Scope) -> list[Program]:
    """Every program of a part and scope."""
    return [program for shape in SHAPES[part, scope] for program in programs(shape)]


def explore(program: Program, book: Rulebook, *, reduced: bool = True) -> Explored:
    """Walk through every run of a program and look at each end."""
    walked = walk(program, book, reduced=reduced)
    first = {
        promise: next((end for end in walked.ends if not promise.kept(program, end.world)), None)
        for promise in PROMISES
    }
    return Explored(
        program=str(program),
        states=walked.states,
        whole=walked.whole,
        ends=len({tuple(holdings(program, end.world).items()) for end in walked.ends}),
        findings=tuple(_finding(walked, promise, end) for promise, end in first.items() if end is not None),
    )


def _finding(walked: Walked, promise: Promise, end: Moment) -> Finding:
    program = walked.program
    return Finding(
        requirement=promise.requirement,
        says=promise.says,
        program=str(program),
        held=holdings(program, end.world),
        run=walked.run_to(end),
        allowed=CIRCLE if _is_circle(program) and promise.requirement in AGREEMENT else "",
    )


def _is_circle(program: Program) -> bool:
    """Whether two members of a site and one of another write the key."""
    writers = [
        {one.member for one in program.operations if one.member in site} for site in program.shape.sites
    ]
    return sum(map(bool, writers)) > 1 and max(map(len, writers)) > 1
