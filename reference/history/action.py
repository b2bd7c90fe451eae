"""A step of a plan: what holds of most of them.

Each step is a record of its own, see `actions`. Knows none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import ClassVar, Self

import msgspec
from msgspec.structs import replace

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation

Named = tuple[str, str]
"""What a step names: a kind (member, caller, client, region or queue) and a name."""


class Action(msgspec.Struct, frozen=True):
    """One step of a plan; what holds of most steps stands here."""

    waits_for_rest: ClassVar[bool] = False
    """Whether every call has returned once it is done, where nothing is parked."""

    spare: ClassVar[bool] = True
    """Whether a plan keeps its meaning without it, so that it may be left out to make the plan small."""

    @property
    def operation_called(self) -> Operation | None:
        """The operation that it calls, if it calls one."""
        return None

    @property
    def about(self) -> int | None:
        """The number of the operation that an earlier step must have called, if there is one."""
        return None

    def needs(self) -> tuple[Capability, ...]:
        """What a candidate must offer for it."""
        return ()

    def words(self, *, several: bool) -> str:
        """It in words; where there are several regions, operations name theirs."""
        raise NotImplementedError  # each step has words of its own, see reference/tests/test_actions.py

    def names(self) -> Iterator[Named]:
        """What it names, as kind and name; blank names mean none."""
        for kind, attribute in (("caller", "member"), ("region", "region"), ("queue", "queue")):
            yield kind, getattr(self, attribute, "")

    def mistakes(self) -> Iterator[str]:
        """What is wrong with it by itself."""
        yield from ()

    def concerns(self, kept: Collection[int]) -> bool:
        """Whether it says something where these operations alone are called."""
        return self.about is None or self.about in kept

    def renamed(self, name: Callable[[str], str]) -> Self:
        """It with other members in the parts that they play."""
        member = getattr(self, "member", "")
        return replace(self, member=name(member)) if member else self
