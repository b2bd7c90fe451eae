"""Profiles: how much of the suite a run plays, and how long it may take.

Knows numbers only.
"""

from __future__ import annotations

import re

import msgspec


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """How much is played.

    Attributes:
        name: smoke, gate or full.
        examples: plans that each machine draws.
        rules: rules that a plan has at most; a rule plans one to nine steps.
        replays: how often a failing example is played again to see whether it fails every time.
        proofs: how many examples are sought that would have shown a requirement violated; one is enough.
        budget_s: no example is begun after so many seconds, where nothing else is said; None for no end.
            Candidates in this process, which no start of members holds up, play them all.
    """

    name: str
    examples: int
    rules: int
    replays: int
    proofs: int = 3
    budget_s: float | None = None


PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(name="smoke", examples=20, rules=10, replays=2, proofs=1),
        Profile(name="gate", examples=150, rules=20, replays=4, proofs=3, budget_s=540.0),
        Profile(name="full", examples=2_000, rules=30, replays=4, proofs=3),
    )
}
"""Every profile by name."""

_NUMBER = r"(\d+(?:\.\d+)?)"
_DURATION = re.compile(rf"(?:{_NUMBER}h)?(?:{_NUMBER}m(?!s))?(?:{_NUMBER}s)?(?:{_NUMBER}ms)?")
_UNITS_S = (3600.0, 60.0, 1.0, 0.001)

LONGEST_S = 366 * 86_400.0
"""No duration is longer than a year: beyond that it is a slip, and clocks have an end."""


def seconds(duration: str) -> float:
    """Seconds of a duration: 500ms, 90s, 5m, 1h30m, or 5, which are seconds. Raises ValueError for others."""
    text = duration.strip()
    alone = re.fullmatch(_NUMBER, text)
    match = _DURATION.fullmatch(text)
    if alone is not None:
        total = float(alone[1])
    elif match is not None and any(match.groups()):
        total = sum(float(part or 0) * unit for part, unit in zip(match.groups(), _UNITS_S, strict=True))
    else:
        raise ValueError(f"{duration!r:.80} is no duration; write 500ms, 90s, 5m, 1h30m, or 5 for 5 seconds")
    if total > LONGEST_S:
        raise ValueError(f"{duration!r:.80} is too long a duration; the longest is 366 days, 8784h")
    return total
