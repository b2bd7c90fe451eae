"""Conditions: a reduction is a conjunction of them, and each can be dropped for a test.

Knows no step and no model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

import msgspec

_Method = TypeVar("_Method", bound=Callable[..., bool])


class Condition(msgspec.Struct, frozen=True):
    """One condition of a reduction.

    Attributes:
        name: what it asks, from the name of the method.
        reason: why it is needed: the docstring of the method.
        without: what is wrong where it is dropped; the name of that soundness mutant.
        holds: asks it of a reduction and a step.
    """

    name: str
    reason: str
    without: str
    holds: Callable[[Any, Any], bool]


def condition(without: str) -> Callable[[_Method], _Method]:
    """Mark a method of a reduction as one of its conditions.

    Args:
        without: what is wrong where it is dropped.
    """

    def marked(method: _Method) -> _Method:
        method.__dict__["without"] = without
        return method

    return marked


class Conditions:
    """A reduction for one kind of step: it applies where all its conditions hold.

    Conditions are asked in the order in which they are written, the cheap and the rare ones first.
    """

    conditions: ClassVar[tuple[Condition, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = tuple(
            Condition(
                name=name.strip("_").replace("_", " "),
                reason=" ".join((method.__doc__ or "").split()),
                without=method.without,
                holds=method,
            )
            for name, method in vars(cls).items()
            if hasattr(method, "without")
        )
        cls.conditions = (*cls.conditions, *own)

    def hold(self, step: object) -> bool:
        """Whether all conditions hold for a step."""
        for one in self.conditions:  # noqa: SIM110 - asked of most steps, and a generator takes longer
            if not one.holds(self, step):
                return False
        return True


@contextmanager
def dropped(reduction: type[Conditions], without: str) -> Iterator[None]:
    """The reduction without one of its conditions, as long as the context lasts.

    Raises ValueError if it has no such condition.
    """
    before = reduction.conditions
    after = tuple(one for one in before if one.without != without)
    if len(after) != len(before) - 1:
        raise ValueError(f"{reduction.__name__} has no condition {without!r}")
    reduction.conditions = after
    try:
        yield
    finally:
        reduction.conditions = before
