"""The steps of a plan that take a copy of a region beside all else.

The copy begins, may be held on its way, and ends. A member that was killed starts again to take it. Knows
nothing of what it brings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.action import Action, Named


class _OfJoin(Action, frozen=True):
    """What concerns a copy that a member takes of a region."""

    member: str
    region: str

    spare: ClassVar[bool] = False

    def needs(self) -> tuple[Capability, ...]:
        """A hand on copies under way."""
        return (Capability.HELD_JOINS,)

    def names(self) -> Iterator[Named]:
        """Its member and region."""
        yield "member", self.member
        yield "region", self.region


class BeginJoin(_OfJoin, frozen=True, tag="begin_join", omit_defaults=True):
    """Have a member begin to take a copy of a region, and go on; once it is held on its way, if asked for.

    Attributes:
        held: whether the copy is to be held on its way.
        again: whether the member was killed. It starts again then, and takes copies of all its regions.
    """

    held: bool = False
    again: bool = False

    def needs(self) -> tuple[Capability, ...]:
        """A hand on copies under way, and perhaps on members that start again."""
        again = (Capability.CONCURRENT_RESTARTS,) if self.again else ()
        return (*super().needs(), *again)

    def words(self, *, several: bool) -> str:  # noqa: ARG002 - a copy names its region
        """Who takes what, and that all else goes on."""
        held = ", until the copy is held on its way" if self.held else ", and go on"
        starts = "starts again, and " if self.again else ""
        return f"{self.member} {starts}begins to take a copy of {self.region}{held}"


class ReleaseCopy(_OfJoin, frozen=True, tag="release_copy"):
    """Let go a copy that is held on its way."""

    def words(self, *, several: bool) -> str:  # noqa: ARG002 - a copy names its region
        """What is let go."""
        return f"let go the copy of {self.region} on its way to {self.member}"


class EndJoin(_OfJoin, frozen=True, tag="end_join"):
    """Wait until a member has its copy."""

    def words(self, *, several: bool) -> str:  # noqa: ARG002 - a copy names its region
        """What is waited for."""
        return f"wait until {self.member} has its copy of {self.region}"
