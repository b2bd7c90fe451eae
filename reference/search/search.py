"""The search: depth first, a step only if what it shows is what the logs show next.

Knows no system. Reductions come from what each step declares: a step with an active claim is taken as the
only successor; everything else is a choice. States are remembered only where there was a choice.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Hashable
from enum import StrEnum
from typing import Any

import msgspec

from plumbline.reference.search.garbage import uncollected
from plumbline.reference.search.hashed_map import HashedMap
from plumbline.reference.search.ordering import Choice, Name, Order, by_age
from plumbline.reference.search.transition import Claim, Entry, Logs, Place, Step, System

MEETING_POINTS = 8
"""Wherever so many more entries are used up it is looked whether another choice has led to the same place:
mostly the same steps were only taken in another order, and all that follows would be walked twice. Entries
are counted and not steps, so that each way of getting there looks at the same places."""

LOOKED_FOR = 256
"""So many steps behind a choice it is no longer looked for another that has led there."""

FORGETS: Name = ("forgets",)
"""Stands in a run where the search has forgotten what can no longer matter."""

FRONTIER = 3
"""How many of the furthest dead ends are kept."""


class Answer(StrEnum):
    """Whether some run of the model shows exactly what was observed."""

    EXPLAINED = "explained"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


class Budget(msgspec.Struct, frozen=True):
    """How long to search.

    Attributes:
        states: so many are visited at most.
        time_ms: milliseconds of processor time, if not None; of the thread that searches, so that what is
            decided does not depend on what else the machine does.
        patience: so many are visited at most without getting further than ever before, if not None: a run is
            mostly found on a straight way, or not at all behind an unlucky choice.
    """

    states: int = 200_000
    time_ms: int | None = None
    patience: int | None = None


class Position(msgspec.Struct):
    """A place in the search: state, how far each log is used up, entries left, steps taken to get here.

    The trail has the last step's name and where the clock stood before it, behind the trail up to there.
    """

    state: Any
    used: HashedMap[Place, int]
    left: int
    trail: tuple[Any, Name, int] | None = None

    def forget(self, system: System, now: int) -> None:
        """Keep of the state what can still matter, and note in the trail that the rest is gone."""
        self.state = system.canonical(self.state, now)
        self.trail = (self.trail, FORGETS, now)

    def path(self) -> list[tuple[Name, int]]:
        """Names of the steps taken, first to last, each with where the clock stood."""
        return _steps(self.run())

    def run(self) -> list[tuple[Name, int]]:
        """The same with each place at which something was forgotten (`FORGETS`)."""
        steps = []
        trail = self.trail
        while trail is not None:
            trail, name, now = trail
            steps.append((name, now))
        steps.reverse()
        return steps


def _steps(run: list[tuple[Name, int]]) -> list[tuple[Name, int]]:
    return [one for one in run if one[0] != FORGETS]


class Explanation(msgspec.Struct):
    """The answer and what it took.

    Attributes:
        answer: explained, refuted or unknown.
        states: states visited by the search that gave the answer.
        before: states visited by other searches of the same history before it, which gave none.
        branches: states at which there was more than one successor.
        run: the run found, if one was: names of its steps, each with where the clock stood, and `FORGETS`
            wherever the search forgot what could no longer matter.
        frontier: the furthest dead ends, furthest first, if none was.
    """

    answer: Answer
    states: int
    branches: int = 0
    run: list[tuple[Name, int]] = []
    frontier: list[Position] = []
    before: int = 0

    @property
    def visited(self) -> int:
        """All states that were visited for the answer."""
        return self.before + self.states

    @property
    def path(self) -> list[tuple[Name, int]]:
        """The steps of the run found alone."""
        return _steps(self.run)


class Cursor:
    """The search's view of the logs at one position; one object is moved along."""

    def __init__(self, logs: Logs, *, reduced: bool) -> None:
        self.logs = logs
        self.reduced = reduced
        self.now = 0
        self.used: HashedMap[Place, int] = HashedMap()

    def move(self, used: HashedMap[Place, int]) -> None:
        """Stand where these many entries of each place are used up."""
        self.used = used
        self.now = used.get(self.logs.clock, 0) if self.logs.clock is not None else 0

    def due(self, place: Place) -> Entry | None:
        """See View."""
        shown = self.logs.entries.get(place)
        if shown is None:
            return None
        index = self.used.get(place, 0)
        return shown[index] if index < len(shown) else None

    def fits(self, place: Place, entry: Entry) -> bool:
        """See View."""
        shown = self.logs.entries.get(place)
        if shown is None:
            return True
        index = self.used.get(place, 0)
        return index < len(shown) and shown[index] == entry and self._in_time(place, index)

    def still(self, place: Place, entry: Entry) -> bool:
        """See View."""
        last = self.logs.last.get(place)
        return last is not None and last.get(entry, -1) >= self.used.get(place, 0)

    def when(self, place: Place, entry: Entry) -> int | None:
        """See View."""
        last = self.logs.last.get(place)
        index = -1 if last is None else last.get(entry, -1)
        return index if index >= self.used.get(place, 0) else None

    def observed(self, place: Place) -> bool:
        """See View."""
        return place in self.logs.entries

    def complete(self, owner: Hashable) -> bool:
        """See View."""
        return not any(self._could_be_due(place) for place in self.logs.owned.get(owner, ()))

    def _could_be_due(self, place: Place) -> bool:
        """Whether the place has an entry left that may have been shown by now."""
        index = self.used.get(place, 0)
        if index == len(self.logs.entries[place]):
            return False
        spans = self.logs.windows.get(place)
        return spans is None or spans[index][0] <= self.now

    def _in_time(self, place: Place, index: int) -> bool:
        spans = self.logs.windows.get(place)
        if spans is None:
            return True
        after, before = spans[index]
        return after <= self.now <= before

    def _clock_may_move(self) -> bool:
        return all(self.used.get(place, 0) >= count for place, count in self.logs.deadlines.get(self.now, ()))

    def take(self, step: Step) -> tuple[HashedMap[Place, int], int] | None:
        """What is used up after the step and how many entries that took; None if it does not match."""
        used = self.used
        if not step.shows:
            return used, 0  # as most that may be taken at once
        taken = 0
        for place, entry in step.shows:
            shown = self.logs.entries.get(place)
            if shown is None:
                continue
            index = used.get(place, 0)
            if index >= len(shown) or shown[index] != entry or not self._in_time(place, index):
                return None
            if place == self.logs.clock and not self._clock_may_move():
                return None
            used = used.set(place, index + 1)
            taken += 1
        return used, taken


class _Believed:
    """Which claims are believed: those that rely on no replaced decision."""

    def __init__(self, switched_off: Collection[str]) -> None:
        self._off = frozenset(switched_off)
        self._known: dict[Claim, bool] = {}

    def __call__(self, claim: Claim | None) -> bool:
        if claim is None:
            return False
        holds = self._known.get(claim)
        if holds is None:
            holds = self._known[claim] = self._off.isdisjoint(claim.relies_on)
        return holds


def _successors(
    system: System, cursor: Cursor, here: Position, believed: _Believed, order: Order
) -> list[Position]:
    """Where to go from here: one place if a step may be taken at once, else every choice, best last."""
    choices: list[Choice] = []
    opened: frozenset[str] | None = None
    for step in system.steps(here.state, cursor):
        if opened is None and (step.undone_by or step.clashes):
            opened = system.open(here.state, cursor)
        if opened and not step.undone_by.isdisjoint(opened) and not step.wanted():
            continue
        taken = cursor.take(step)
        if taken is None:
            continue
        if step.loses and any(cursor.still(place, entry) for place, entry in step.loses):
            if step.fault:
                continue
            return []
        after = Position(step.state, taken[0], here.left - taken[1], (here.trail, step.name, cursor.now))
        if believed(step.claim) and not (opened and not step.clashes.isdisjoint(opened)):
            return [after]
        likelihood = step.prefer + (taken[1] << 8) - (_FAULTS_LAST if step.fault else 0)
        choices.append(Choice(likelihood, step.name, after.used, after))
    if len(choices) > 1:
        order(choices, cursor.now)
    return [choice.leads_to for choice in choices]


_FAULTS_LAST = 1 << 16


def explain(
    system: System,
    logs: Logs,
    budget: Budget | None = None,
    switched_off: Collection[str] = (),
    *,
    order: Order = by_age,
) -> Explanation:
    """Search for a run of the system that shows exactly the logs.

    The first choice decides how soon a run is found, if there is one. A wrong choice that shows only much
    later may use up the budget. The caller may then search again in another order.

    Args:
        system: the model with the example's commands.
        logs: what was observed.
        budget: where to give up; then the answer is unknown.
        switched_off: names of replaced decisions; claims that rely on one of them are not believed.
        order: of the choices; the one that finds most runs soon, unless another is said.
    """
    return Search(system, logs, switched_off, order=order).go_on(budget or Budget())


class Search:
    """A search that is gone on with where it was given up, so that nothing is looked at twice."""

    def __init__(
        self,
        system: System,
        logs: Logs,
        switched_off: Collection[str] = (),
        *,
        order: Order = by_age,
    ) -> None:
        """Stand where nothing has happened yet; see `explain` for the arguments."""
        self._system = system
        self._believed = _Believed(switched_off)
        self._order = order
        self._cursor = Cursor(logs, reduced=True)
        self._given_up: Position | None = None
        self._stack = [Position(system.initial(), HashedMap(), logs.total)]
        self._seen: set[tuple[Any, HashedMap[Place, int]]] = set()
        self._frontier: list[Position] = []
        self._states = self._branches = 0
        self._nearest = logs.total

    def go_on(self, budget: Budget) -> Explanation:
        """Search until it is known, or the budget is spent, to which all states count that were visited."""
        with uncollected():
            return self._searched(budget)

    def _searched(self, budget: Budget) -> Explanation:
        deadline = None if budget.time_ms is None else time.thread_time() + budget.time_ms / 1000
        patience = budget.states if budget.patience is None else budget.patience
        system, cursor, seen, stack = self._system, self._cursor, self._seen, self._stack
        states, lost = self._states, self._states + patience
        met = False
        clock = cursor.logs.clock
        resumed = self._given_up
        while stack or self._given_up:
            here, self._given_up = self._given_up or stack.pop(), None
            if here is not resumed:
                here.forget(system, here.used.get(clock, 0))
                known = (here.state, here.used)
                if known in seen:
                    continue
                seen.add(known)
            since, left = 0, here.left
            while True:
                if here.left == 0:
                    return Explanation(Answer.EXPLAINED, states, self._branches, run=here.run())
                states += 1
                if here.left < self._nearest:
                    self._nearest, lost = here.left, states + patience
                late = deadline is not None and not states % 256 and time.thread_time() > deadline
                if late or states > lost or states > budget.states:
                    self._given_up = here
                    self._states = states - 1  # this one is still to be looked at
                    return Explanation(
                        Answer.UNKNOWN, states, self._branches, frontier=_furthest(self._frontier, here)
                    )
                cursor.move(here.used)
                successors = _successors(system, cursor, here, self._believed, self._order)
                if len(successors) != 1:
                    break
                here = successors[0]
                since += 1
                if (
                    here.left != left
                    and not here.left % MEETING_POINTS
                    and self._branches
                    and since <= LOOKED_FOR
                ):
                    left = here.left
                    here.forget(system, cursor.now)
                    known = (here.state, here.used)
                    if known in seen:
                        met = True
                        break
                    seen.add(known)
            if met:
                met = False
                continue
            if not successors:
                self._frontier = _furthest(self._frontier, here)
                continue
            self._branches += 1
            stack.extend(successors)
        return Explanation(Answer.REFUTED, states, self._branches, frontier=self._frontier)


def _furthest(frontier: list[Position], here: Position) -> list[Position]:
    """The dead ends worth keeping, furthest (fewest entries left) first."""
    if len(frontier) == FRONTIER and here.left >= frontier[-1].left:
        return frontier
    return sorted([*frontier, here], key=lambda position: position.left)[:FRONTIER]
