"""Drawn plans: so many different ones of a state machine, played on a candidate, and what the search says.

A run stops at the first failure and makes it small; here all are counted, with what they took. Knows nothing
of verdicts, and no clock ends the search, so that the counts can be had again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import msgspec

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.errors import AdapterError
from plumbline.reference.explain.certificates import noting_runs
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.plans import Plan
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.replaying import play_plan

_Number = TypeVar("_Number", int, float)

BUDGET = Budget(states=60_000)
RULES = PROFILES["gate"].rules
AT_LEAST, AT_ONCE = 20, 500
"""So many are drawn from one seed: of few the first are the same every time, of many more are repeated."""
DRY_SEEDS = 20
"""A machine that draws nothing new from so many seeds in a row has no more plans to draw."""


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the plans of a machine on a candidate.

    Attributes:
        machine: its name.
        candidate: its name.
        seeds: the first and the last that plans were drawn from.
        examples: different plans that were played and count.
        idle: those that count for nothing, since no fault has bitten; they are judged all the same.
        refuted: seed and number among those that it drew, of each plan whose history was refuted.
        unknown: the same of those that were not decided.
        broken_runs: the same of those that were explained by a run that is none of the model's.
        unchecked_runs: runs that took too many states to check.
        states: visited for 99 of 100 examples at most, by all efforts of the search.
        most_states: visited for any.
        seconds: processor time of the search for 99 of 100 examples at most.
        longest: for any.
    """

    machine: str
    candidate: str
    seeds: tuple[int, int]
    examples: int
    idle: int
    refuted: tuple[tuple[int, int], ...]
    unknown: tuple[tuple[int, int], ...]
    broken_runs: tuple[tuple[int, int], ...]
    unchecked_runs: int
    states: int
    most_states: int
    seconds: float
    longest: float


def play_drawn(
    machine: str,
    candidate: str,
    cases: int,
    seed: int,
    advanced: Callable[[int, int], None] = lambda *_: None,
    *,
    checks_runs: bool = False,
) -> Drawn:
    """Play so many different plans of a machine on a candidate; fewer only if it has no more.

    Raises AdapterError if the candidate lacks what the machine needs or does not get through a plan, and
    UnknownCandidateError.

    Args:
        machine: its name.
        candidate: its name.
        cases: how many plans.
        seed: the first that they are drawn from; then one up.
        advanced: told how many of how many have been played.
        checks_runs: whether each run found is checked by the model alone.
    """
    known = MACHINES[machine]
    seen: set[Plan] = set()
    visited: list[int] = []
    took: list[float] = []
    wrong: dict[Answer, list[tuple[int, int]]] = {Answer.REFUTED: [], Answer.UNKNOWN: []}
    broken_runs: list[tuple[int, int]] = []
    idle, unchecked, at, dry = 0, 0, seed, 0
    with Session(find_candidate(candidate, seed=seed)) as session:
        if lacking := session.lacks(known.needs):
            raise AdapterError(f"{candidate} lacks what {machine} needs: {', '.join(lacking)}")
        offers, book = frozenset(session.introduction.capabilities), session.book

        def execute(plan: Plan) -> None:
            nonlocal idle, unchecked
            if plan in seen or len(visited) >= cases:
                return
            seen.add(plan)
            history = play_plan(plan, session).history
            began = time.process_time()
            with noting_runs() as runs:
                found = search(history, book, BUDGET)
            ended = time.process_time()
            taken = list(runs.checked()) if checks_runs else []
            unchecked += any(run.given_up for run in taken)
            if any(run.words for run in taken):
                broken_runs.append((at, len(visited) + 1))
            if found.answer is Answer.EXPLAINED and not known.counts(history):
                idle += 1
                return
            took.append(ended - began)
            visited.append(found.visited)
            if found.answer in wrong:
                wrong[found.answer].append((at, len(visited)))
            advanced(len(visited), cases)

        while len(visited) < cases and dry < DRY_SEEDS:
            before, most = len(seen), min(AT_ONCE, max(AT_LEAST, cases - len(visited)))
            drive(known, execute, offers=offers, examples=most, steps=RULES, draw_seed=at, shrink=False)
            at, dry = at + 1, 0 if len(seen) > before else dry + 1
    return Drawn(
        machine=machine,
        candidate=candidate,
        seeds=(seed, at - 1),
        examples=len(visited),
        idle=idle,
        refuted=tuple(wrong[Answer.REFUTED]),
        unknown=tuple(wrong[Answer.UNKNOWN]),
        broken_runs=tuple(broken_runs),
        unchecked_runs=unchecked,
        states=_most_of(visited),
        most_states=max(visited, default=0),
        seconds=_most_of(took),
        longest=max(took, default=0.0),
    )


def _most_of(numbers: list[_Number]) -> _Number:
    """What 99 of 100 of them are at most; of none, nothing."""
    return sorted(numbers or [0])[(99 * len(numbers)) // 100]
