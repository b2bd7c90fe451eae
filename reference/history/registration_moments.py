"""The moments of a registration that is under way: it is called, its answer is held and let go, it returns.

Knows nothing of what the answer brings.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.history.moment_words import MomentContext, MomentWords
from plumbline.reference.history.operations import Interest, Status
from plumbline.reference.history.words import interest_words


class RegistrationBegun(msgspec.Struct, frozen=True, tag="registration_begun", omit_defaults=True):
    """The harness has called a registration and goes on; `held` where its answer is to be held back.

    Its number is that of no operation and no other registration.
    """

    number: int
    interest: Interest
    held: bool = False

    def told(self, _: MomentContext) -> MomentWords:
        """The moment for people."""
        words = f"{interest_words(self.interest)}{', its answer to be held' if self.held else ''}"
        return MomentWords(self.interest.client, words)


class AnswerHeld(msgspec.Struct, frozen=True, tag="answer_held"):
    """The candidate has reported that the answer to a registration is on its way, and held back."""

    number: int
    client: str

    def told(self, _: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.client, f"the answer to registration {self.number} is held")


class AnswerReleased(msgspec.Struct, frozen=True, tag="answer_released"):
    """The answer to a registration is held back no more."""

    number: int
    client: str

    def told(self, _: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.client, f"the answer to registration {self.number} is let go")


class RegistrationEnded(msgspec.Struct, frozen=True, tag="registration_ended"):
    """A registration that was begun has returned: accepted (`ok`), `refused`, or `failed`."""

    number: int
    client: str
    status: Status

    def told(self, _: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.client, f"registration {self.number} has returned: {self.status}")
