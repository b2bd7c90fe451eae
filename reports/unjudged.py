"""How much of the catalogue was left unjudged, in words, and how loudly that has to be said.

A release may go though most was never judged: most requirements may be unsupported by policy.
A person that reads the answer has to see that. Knows nothing of policies.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from plumbline.reference.results.totals import Totals

AMBER_FROM = 0.1
"""A tenth of the catalogue may be left unjudged before it is said in amber."""

RED_FROM = 0.5
"""Where more than half was not judged, the answer is about the smaller part."""


class Loudness(StrEnum):
    """How loudly it is said."""

    CALM = "calm"
    AMBER = "amber"
    RED = "red"


class Unjudged(msgspec.Struct, frozen=True):
    """How many requirements of how many were not judged."""

    count: int
    of: int

    @property
    def level(self) -> Loudness:
        """Amber or red where it is much."""
        share = self.count / self.of if self.of else 1.0
        return Loudness.RED if share > RED_FROM else Loudness.AMBER if share > AMBER_FROM else Loudness.CALM

    @property
    def words(self) -> str:
        """One clause."""
        return f"{self.count} of {self.of} were not judged"


def unjudged(totals: Totals) -> Unjudged:
    """Returns what these totals leave open, with each reason."""
    return Unjudged(totals.requirements - totals.judged, totals.requirements)
