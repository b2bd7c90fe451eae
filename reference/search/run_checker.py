"""Checking a run: do a model's steps of these names, one after the other, show exactly the logs?

Uses of a step only its name, its state and what it shows, as the exhaustive search does. It believes no
claim, postpones nothing and has no order of its own. It forgets only where the run says so. Knows no system.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from plumbline.reference.search.hashed_map import HashedMap
from plumbline.reference.search.ordering import Name
from plumbline.reference.search.search import FORGETS, Cursor
from plumbline.reference.search.transition import Logs, Place, Step, System

MOST_AT_ONCE = 64
"""Several steps may have one name. So many places that the run may have reached are followed at most."""

MOST_BETWEEN = 1_000
"""Steps that show nothing may be missing in a run. So many places are looked at for them at most."""

STATES_A_STEP, LEAST_STATES = 16, 2_000
"""A run is given up that takes more states for each of its steps, and more than the second number."""

_Where = tuple[Any, HashedMap[Place, int]]


class CheckedRun(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a run.

    Attributes:
        steps: how many of its steps the model could take.
        stuck: the name of the first that it could not take; None if it could take all.
        left: entries of the logs that the run has not shown.
        given_up: whether it took too many states to follow the run, so that nothing is known of it.
    """

    steps: int
    stuck: Name | None
    left: int
    given_up: bool = False

    @property
    def holds(self) -> bool:
        """Whether the model can take the run, and the run shows exactly the logs."""
        return self.stuck is None and self.left == 0

    @property
    def words(self) -> str:
        """Why the run does not hold; "" if it does, or if that is not known."""
        if self.given_up:
            return ""
        if self.stuck is not None:
            return f"step {self.steps + 1} of the run, {self.stuck}, cannot be taken"
        return f"the run leaves {self.left} entries of the logs" if self.left else ""


def check_run(system: System, logs: Logs, run: Sequence[Name]) -> CheckedRun:
    """Whether a system can take a run that shows exactly these logs.

    The number of states is in proportion to the run; what would take more is given up.

    Args:
        system: the model with the example's commands.
        logs: what was observed.
        run: names of steps, and `FORGETS` wherever the state may be reduced to what can still matter.
    """
    follower = _Follower(system, logs, LEAST_STATES + STATES_A_STEP * len(run))
    for number, name in enumerate(run):
        if name == FORGETS:
            follower.forget()
        elif not follower.take(name):
            given_up = follower.is_over()
            return CheckedRun(steps=number, stuck=name, left=follower.left, given_up=given_up)
    return CheckedRun(steps=len(run), stuck=None, left=follower.left)


class _Follower:
    """Every place that a run may have reached, each with how many entries of the logs are left there."""

    def __init__(self, system: System, logs: Logs, most_states: int) -> None:
        self._states_left = most_states
        self._system = system
        self._clock = logs.clock
        self._cursor = Cursor(logs, reduced=False)
        self._at: dict[_Where, int] = {(system.initial(), HashedMap()): logs.total}

    @property
    def left(self) -> int:
        """How many entries are left where fewest are."""
        return min(self._at.values())

    def is_over(self) -> bool:
        """Whether more states were looked at than are allowed."""
        return self._states_left <= 0

    def forget(self) -> None:
        """Keep of each state what can still matter."""
        kept: dict[_Where, int] = {}
        for (state, used), left in self._at.items():
            now = 0 if self._clock is None else used.get(self._clock, 0)
            kept[self._system.canonical(state, now), used] = left
        self._at = kept

    def take(self, name: Name) -> bool:
        """Take the step of this name wherever it can be taken; whether that is anywhere.

        Where it is nowhere, steps that show nothing are taken before it: the search passes over some of them.
        """
        seen, reached = set(self._at), self._at
        while True:
            after = self._after(reached, lambda step: step.name == name)
            if after or len(seen) > MOST_BETWEEN:
                break
            silent = self._after(reached, lambda step: not step.shows)
            reached = {where: left for where, left in silent.items() if where not in seen}
            if not reached:
                break
            seen.update(reached)
        self._at = after or self._at
        return bool(after)

    def _after(self, places: dict[_Where, int], is_due: Callable[[Step], bool]) -> dict[_Where, int]:
        """Where steps lead from these places, MOST_AT_ONCE at most."""
        after: dict[_Where, int] = {}
        for (state, used), left in places.items():
            if self.is_over():
                return {}
            self._states_left -= 1
            self._cursor.move(used)
            for step in self._system.steps(state, self._cursor):
                taken = self._cursor.take(step) if is_due(step) else None
                if taken is not None and len(after) < MOST_AT_ONCE:
                    after[step.state, taken[0]] = left - taken[1]
        return after
