"""The steps of a plan that register a client's interest: while nothing else happens, or beside all else.

Knows nothing of what a registration brings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.action import Action, Named
from plumbline.reference.history.operations import Interest
from plumbline.reference.history.words import interest_words


class _Registering(Action, frozen=True):
    """What registers for keys, or withdraws that."""

    interest: Interest

    def words(self, *, several: bool) -> str:  # noqa: ARG002 - a registration names its region
        """The registration."""
        return interest_words(self.interest)

    def names(self) -> Iterator[Named]:
        """Its client and region."""
        yield "client", self.interest.client
        yield "region", self.interest.region


class Register(_Registering, frozen=True, tag="register"):
    """Have a client register for keys of a region, or withdraw that, once everything has settled."""

    waits_for_rest: ClassVar[bool] = True


class BeginRegistration(_Registering, frozen=True, tag="begin_registration"):
    """Have a client begin to register, and go on; once its answer is held on its way, if that is asked for.

    `number` is that of no operation and of no other registration.
    """

    number: int
    held: bool = False

    spare: ClassVar[bool] = False

    def needs(self) -> tuple[Capability, ...]:
        """A hand on registrations under way."""
        return (Capability.HELD_REGISTRATIONS,)

    def words(self, *, several: bool) -> str:
        """The registration, and that it is under way."""
        held = ", until its answer is held on its way" if self.held else ", and go on"
        return f"registration {self.number}: {super().words(several=several)}{held}"

    def mistakes(self) -> Iterator[str]:
        """A withdrawal, which is not begun."""
        if not self.interest.register:
            yield "a withdrawal is not begun"


class _OfRegistration(Action, frozen=True):
    """What concerns a registration that was begun."""

    number: int
    client: str

    def names(self) -> Iterator[Named]:
        """Its client."""
        yield "client", self.client


class ReleaseAnswer(_OfRegistration, frozen=True, tag="release_answer"):
    """Let go the answer to a registration."""

    spare: ClassVar[bool] = False

    def words(self, *, several: bool) -> str:  # noqa: ARG002 - names no region
        """What is let go."""
        return f"let go the answer to registration {self.number} of {self.client}"


class EndRegistration(_OfRegistration, frozen=True, tag="end_registration"):
    """Wait until a registration has returned."""

    def words(self, *, several: bool) -> str:  # noqa: ARG002 - names no region
        """What is waited for."""
        return f"wait for registration {self.number} of {self.client}"
