"""Orders: which of several choices the search tries first.

The order changes how soon the search ends, and never its answer. Knows the names of steps and how likely each
is to be right; knows nothing of states.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from plumbline.reference.search.hashed_map import HashedMap
from plumbline.reference.search.transition import Place

Name = tuple[Any, ...]
"""What a step is called; the number of the operation that it is about, if it is about one, comes last."""

Timetable = Mapping[Name, tuple[int, int]]
"""When steps are to be taken: how far the clock has come by then, and which is first of those of one time."""


class Choice(NamedTuple):
    """A step that may be taken, as far as orders look at it.

    Attributes:
        likelihood: the larger, the more of the logs it shows; below none for what is tried behind all else.
        name: of the step.
        used: how far each log is used up behind it.
        leads_to: where to go on from there.
    """

    likelihood: int
    name: Name
    used: HashedMap[Place, int]
    leads_to: Any


Order = Callable[[list[Choice], int], None]
"""Puts choices in order, the best last, by where the clock stands."""


def by_age(choices: list[Choice], now: int) -> None:
    """What is about the operation that was called first, and of one operation what shows most.

    A wrong reordering is detected late, so the oldest operation comes first.
    """
    del now
    choices.sort(key=_age)


def _age(choice: Choice) -> tuple[int, int, int]:
    number = choice.name[-1]
    age = -number if isinstance(number, int) else 0
    return min(choice.likelihood, 0), age, choice.likelihood


def by_what_shows(choices: list[Choice], now: int) -> None:
    """What shows most of what was observed."""
    del now
    choices.sort(key=_likelihood)


def _likelihood(choice: Choice) -> int:
    return choice.likelihood


class RandomOrder:
    """Any order, drawn from a seed; from an odd one that by age, but for a few of the choices."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - repeatable, and no secret
        self._nearly_by_age = seed % 2 == 1

    def __call__(self, choices: list[Choice], now: int) -> None:
        """See Order."""
        if not self._nearly_by_age:
            self._dice.shuffle(choices)
            return
        by_age(choices, now)
        if self._dice.random() < EXCEPTIONS:
            choices.append(choices.pop(self._dice.randrange(len(choices))))


EXCEPTIONS = 0.3
"""Of so many choices another than the likeliest is tried first."""


class GuidedOrder:
    """The order of a timetable: that of a run that is probably near. A step that is not in it comes last."""

    def __init__(self, timetable: Timetable, clock: Place | None) -> None:
        self._timetable = timetable
        self._clock = clock

    def __call__(self, choices: list[Choice], now: int) -> None:
        """See Order."""
        choices.sort(key=lambda choice: self._rank(choice, now), reverse=True)

    def _rank(self, choice: Choice, now: int) -> tuple[int, ...]:
        if choice.used.get(self._clock, 0) > now:
            return (now, _END, -choice.likelihood)  # the clock moves behind all that is to happen by now
        return (*self._timetable.get(choice.name, _NEVER), -choice.likelihood)


_END = 1 << 60
_NEVER = (_END, 0)
