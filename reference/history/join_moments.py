"""The moments of a copy that a member takes beside all else: begun, held and let go, ended.

Knows nothing of what the copy brings.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.history.moment_words import MomentContext, MomentWords


class JoinBegun(msgspec.Struct, frozen=True, tag="join_begun", omit_defaults=True):
    """A member begins to take a copy of a region; `held` where the copy is to be held on its way."""

    member: str
    region: str
    held: bool = False

    def told(self, _: MomentContext) -> MomentWords:
        """The moment for people."""
        held = ", to be held on its way" if self.held else ""
        return MomentWords(self.member, f"begins to take a copy of {self.region}{held}")


class CopyHeld(msgspec.Struct, frozen=True, tag="copy_held"):
    """The candidate has reported that the copy is held on its way; the member has taken in none of it."""

    member: str
    region: str

    def told(self, _: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.member, f"the copy of {self.region} is held on its way")


class CopyReleased(msgspec.Struct, frozen=True, tag="copy_released"):
    """The copy is held no more."""

    member: str
    region: str

    def told(self, _: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.member, f"the copy of {self.region} is let go")


class JoinEnded(msgspec.Struct, frozen=True, tag="join_ended"):
    """The member has its copy, and may be called."""

    member: str
    region: str

    def told(self, _: MomentContext) -> MomentWords:
        """The moment for people."""
        return MomentWords(self.member, f"has its copy of {self.region}")


JoinMoment = JoinBegun | CopyHeld | CopyReleased | JoinEnded
"""All of them."""
