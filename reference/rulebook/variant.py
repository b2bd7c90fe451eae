"""What a faulty variant is: a rulebook with decisions made wrong, and the requirements that break by it.

Knows none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, Self, TypeVar

import msgspec

from plumbline.reference.catalogue.records import Dialect


class _Answering(Protocol):
    """A rulebook, as far as a variant needs it."""

    def with_answers(self, **answers: Callable[..., Any]) -> Self:
        """The same with other answers."""


_Book = TypeVar("_Book", bound=_Answering)


class FaultyVariant(msgspec.Struct, frozen=True, kw_only=True):
    """One wrong way to build the system.

    Attributes:
        name: what it is called; `faulty:NAME` is the candidate.
        description: what it does wrong.
        requirements: the ids that it breaks; the test of each must fail.
        replaces: decision → its wrong answer.
        chaotic: whether the fault shows only when things happen in unusual order.
        dialect: in which dialect it is wrong; in others that may be right.
    """

    name: str
    description: str
    requirements: tuple[str, ...]
    replaces: dict[str, Callable[..., Any]]
    chaotic: bool = False
    dialect: Dialect = Dialect.GEODE

    def rulebook(self, right: _Book) -> _Book:
        """The rulebook with the wrong decisions; the others are those of `right`."""
        return right.with_answers(**self.replaces)


def variant(
    name: str,
    requirements: str,
    description: str,
    *,
    chaotic: bool = False,
    dialect: Dialect = Dialect.GEODE,
    **replaces: Callable[..., Any],
) -> FaultyVariant:
    """A variant; `requirements` are ids with blanks between them."""
    return FaultyVariant(
        name=name,
        description=description,
        requirements=tuple(requirements.split()),
        replaces=replaces,
        chaotic=chaotic,
        dialect=dialect,
    )


def by_name(variants: Iterable[FaultyVariant]) -> dict[str, FaultyVariant]:
    """The variants by name.

    Raises ValueError where two have one name: the second would take the place of the first in silence.
    """
    named: dict[str, FaultyVariant] = {}
    for known in variants:
        if known.name in named:
            raise ValueError(f"two faulty variants are called {known.name}")
        named[known.name] = known
    return named
