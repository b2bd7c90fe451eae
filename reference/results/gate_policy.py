"""The policy of a gate: what must hold before a release may go, as its owners write it down in TOML.

Knows nothing of runs, nor of how it is applied to them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from plumbline.reference.catalogue.loader import all_requirements, did_you_mean
from plumbline.reference.catalogue.records import Area, Dialect, Level
from plumbline.reference.results.tables import TableError, read_table

PROFILE_ORDER = ("smoke", "gate", "full")
"""The profiles of a run, the one that plays least first."""

ProfileName = Literal["smoke", "gate", "full"]
Limit = Annotated[int, Meta(ge=0)] | Literal["any"]
Ids = tuple[Annotated[str, Meta(min_length=1)], ...]


class PolicyError(Exception):
    """A policy cannot be used; the message says where, why, and what to do."""


class Tolerated(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many of the requirements that must pass may be left unjudged; "any" for no limit.

    None of them ever counts as passed.
    """

    unknown: Annotated[Limit, Meta(description="could not be judged within the budget", examples=["0"])] = 0
    adapter_error: Annotated[Limit, Meta(description="the adapter broke", examples=["0"])] = 0
    not_exercised: Annotated[
        Limit, Meta(description="no test reached a situation that checks it", examples=["20", '"any"'])
    ] = "any"
    unsupported: Annotated[
        Limit,
        Meta(
            description="the candidate does not offer a feature that the test needs", examples=["20", '"any"']
        ),
    ] = "any"


class Required(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the runs have to be about."""

    candidates: Annotated[
        Ids, Meta(description="a run of each, as patterns of names", examples=['["process:*"]'])
    ] = ()
    dialects: Annotated[
        tuple[Dialect, ...], Meta(description="a run judged by each", examples=['["geode"]'])
    ] = ()
    requirements: Annotated[
        Ids,
        Meta(
            description="each passes or is a deviation on record; a new one, too, and where others may fail",
            examples=['["VER-TIE-01"]'],
        ),
    ] = ()


class GatePolicy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must hold. The defaults are a policy that can be used as it is."""

    levels: Annotated[
        tuple[Level, ...],
        Meta(
            min_length=1,
            description="requirements of these levels must pass; others only advise",
            examples=['["MUST", "SHOULD"]'],
        ),
    ] = (Level.MUST,)
    areas: Annotated[
        tuple[Area, ...],
        Meta(description="only those of these areas; all areas if empty", examples=['["versions"]']),
    ] = ()
    not_required: Annotated[
        Ids,
        Meta(description="ids, or beginnings of ids, that only advise", examples=['["STAT", "VER-TIE-01"]']),
    ] = ()
    regressions_accepted: Annotated[
        Ids,
        Meta(
            description="ids that passed in the baseline and need not any more", examples=['["VER-TIE-01"]']
        ),
    ] = ()
    passes_at_least: Annotated[
        int, Meta(ge=1, description="so many requirements pass, of each candidate", examples=["90"])
    ] = 1
    minimum_profile: Annotated[
        ProfileName, Meta(description="passes of runs that play less do not count", examples=['"gate"'])
    ] = "gate"
    whole_suite: Annotated[
        bool, Meta(description="each requirement that must pass was asked for", examples=["true"])
    ] = True
    tolerated: Tolerated = Tolerated()
    required: Required = Required()


def read_policy(path: Path) -> GatePolicy:
    """The policy that a TOML file holds; raises PolicyError."""
    try:
        policy = read_table(path, GatePolicy)
    except TableError as error:
        raise PolicyError(str(error)) from error
    check(policy, str(path))
    return policy


def check(policy: GatePolicy, file: str) -> None:
    """Raises PolicyError where the policy names what the catalogue does not have."""
    beginnings = {part for identity in all_requirements() for part in _beginnings(identity)}
    lists: tuple[tuple[str, Iterable[str], Iterable[str]], ...] = (
        ("not_required", policy.not_required, beginnings),
        ("regressions_accepted", policy.regressions_accepted, all_requirements()),
        ("required, requirements", policy.required.requirements, all_requirements()),
    )
    for key, given, known in lists:
        for name in given:
            if name not in known:
                meant = did_you_mean(name, known) or "; `plumbline catalogue` lists them"
                raise PolicyError(f"{file}: {key}: there is no requirement {name!r:.80}{meant}")


def is_named(identity: str, names: Iterable[str]) -> bool:
    """Whether an id, or the beginning of it up to a dash, is among names."""
    return not _beginnings(identity).isdisjoint(names)


def _beginnings(identity: str) -> frozenset[str]:
    parts = identity.split("-")
    return frozenset("-".join(parts[:count]) for count in range(1, len(parts) + 1))
