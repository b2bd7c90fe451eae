"""What a faulty variant is: a rulebook with decisions made wrong, and the requirements that break by it.

Knows none of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import msgspec

from plumbline.reference.rulebook.book import Rulebook


class FaultyVariant(msgspec.Struct, frozen=True, kw_only=True):
    """One wrong way to build the system.

    Attributes:
        name: what it is called; `faulty:NAME` is the candidate.
        description: what it does wrong.
        requirements: the ids that it breaks; the test of each must fail.
        replaces: decision → its wrong answer.
        chaotic: whether the fault shows only when things happen in unusual order.
    """

    name: str
    description: str
    requirements: tuple[str, ...]
    replaces: dict[str, Callable[..., Any]]
    chaotic: bool = False

    def rulebook(self) -> Rulebook:
        """The rulebook with the wrong decisions."""
        return dataclasses.replace(Rulebook(), **self.replaces)


def variant(
    name: str, requirements: str, description: str, *, chaotic: bool = False, **replaces: Callable[..., Any]
) -> FaultyVariant:
    """A variant; `requirements` are ids with blanks between them."""
    return FaultyVariant(
        name=name,
        description=description,
        requirements=tuple(requirements.split()),
        replaces=replaces,
        chaotic=chaotic,
    )
