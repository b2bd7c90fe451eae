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
        budget_s: after so many seconds machines draw no more plans, where nothing else is said; None for no
            end. Candidates in this process, which no start of members holds up, play them all.
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

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds(duration: str) -> float:
    """Seconds of a duration such as 500ms, 90s, 5m or 1h; raises ValueError for anything else."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", duration.strip())
    if match is None:
        raise ValueError(f"{duration!r} is no duration; write 500ms, 90s, 5m or 1h")
    return float(match[1]) * _UNITS[match[2]]
