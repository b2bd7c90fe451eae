"""One decision: its answer, which requirements it carries, and the ways in which it could be answered at all.

`decision` marks a function as the answer of the documents. Knows nothing of which decisions there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, ParamSpec

import msgspec

from plumbline.reference.rulebook.values import Free


class Decision(msgspec.Struct, frozen=True):
    """What is known of one decision.

    Attributes:
        answer: what the documents say.
        requirements: the ids that it carries, the most specific first.
        free: the decision answered in every way at once.
    """

    answer: Callable[..., Any]
    requirements: tuple[str, ...]
    free: Callable[..., Free]


class Subject:
    """The decisions about one subject: static methods that are marked by `decision`.

    Attributes:
        decisions: the class's own by name, in the order in which they are blamed.
    """

    decisions: ClassVar[dict[str, Decision]] = {}

    def __init_subclass__(cls) -> None:
        functions = {name: one.__func__ for name, one in vars(cls).items() if isinstance(one, staticmethod)}
        cls.decisions = {name: _MARKED[one] for name, one in functions.items() if one in _MARKED}


_P = ParamSpec("_P")
_MARKED: dict[Callable[..., Any], Decision] = {}
"""Each function that is marked, and what is known of its decision."""


def merged(*tables: Mapping[str, Decision]) -> dict[str, Decision]:
    """The decisions of all tables by name, in their order.

    Raises ValueError where two tables have one name: the second would take the place of the first in silence.
    """
    named: dict[str, Decision] = {}
    for table in tables:
        for name, decision in table.items():
            if name in named:
                raise ValueError(f"two decisions are called {name}")
            named[name] = decision
    return named


_YES_OR_NO = Free((True, False))


def yes_or_no(*_: object) -> Free:
    """Yes, or no."""
    return _YES_OR_NO


def decision(
    *requirements: str, free: Callable[..., Free] = yes_or_no
) -> Callable[[Callable[_P, object]], Callable[_P, Any]]:
    """Mark a function as what the documents say about a decision.

    Args:
        requirements: the ids that it carries, the most specific first.
        free: the decision answered in every way at once.
    """

    def marked(answer: Callable[_P, object]) -> Callable[_P, Any]:
        _MARKED[answer] = Decision(answer, requirements, free)
        return answer

    return marked


def any_times(*_: object) -> Free:
    """Once, not at all, or twice."""
    return Free((1, 0, 2))


def any_recipients(others: tuple[str, ...], *_: object) -> Free:
    """All, all but one, or none."""
    without_one = tuple(tuple(m for m in others if m != left_out) for left_out in others)
    return Free((others, *without_one, ()))


def any_value(incoming: str | None, stored: str | None) -> Free:
    """What comes, what stood there, or nothing."""
    return Free((incoming, stored, None))
