"""Deviations on record: what a product is known to do against a document, with a reason and an end.

The one schema of such records, wherever they are read: by a run, by pytest, by the gate, in a run directory.
Knows nothing of how the search follows a deviation, nor of what the gate makes of one.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from plumbline.reference.catalogue.loader import all_requirements, did_you_mean
from plumbline.reference.results.tables import TableError, read_table
from plumbline.reference.rulebook.faulty_variants import FAULTY


class DeviationError(Exception):
    """A file of deviations cannot be used; the message says which entry, why, and what to do."""


Pattern = Annotated[str, Meta(min_length=1)]


class Deviation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One known difference.

    Attributes:
        requirement: the id that it breaks.
        replaces: the faulty variant whose decision the product makes; "" for a difference that the model
            cannot follow, which then only excuses scenarios.
        versions: product versions it applies to, as patterns such as `1.15.*`.
        reason: why it is accepted.
        counterexample: a file that shows it, relative to the file of deviations, or an address.
        owner: who answers for it.
        expires: the last day on which it is accepted.
    """

    requirement: Annotated[str, Meta(description="the id that it breaks", examples=['"VER-TIE-01"'])]
    reason: Annotated[
        str,
        Meta(min_length=1, description="why it is accepted", examples=['"ties go to the first update"']),
    ]
    owner: Annotated[str, Meta(min_length=1, description="who answers for it", examples=['"cache team"'])]
    expires: Annotated[date, Meta(description="the last day on which it counts", examples=["2027-06-30"])]
    versions: Annotated[
        tuple[Pattern, ...],
        Meta(
            min_length=1,
            description="product versions, as patterns; all of them if left out",
            examples=['["1.15.*"]'],
        ),
    ] = ("*",)
    replaces: Annotated[
        str,
        Meta(description="the faulty variant that decides as the product does", examples=['"tie-keeps-own"']),
    ] = ""
    counterexample: Annotated[
        str,
        Meta(
            description="a file that shows it, relative to this one, or an address",
            examples=['"counterexamples/scenario-ties.json"'],
        ),
    ] = ""

    def applies_to(self, version: str) -> bool:
        """Whether it is about this version of the product."""
        return any(fnmatchcase(version, pattern) for pattern in self.versions)

    @property
    def words(self) -> str:
        """The reason, the owner and the expiry date of a deviation."""
        return f"{self.reason} ({self.owner}, until {self.expires})"


class _File(msgspec.Struct, forbid_unknown_fields=True):
    deviation: Annotated[list[Deviation], Meta(examples=["[[deviation]] tables"])] = []


def read_deviations(path: Path) -> tuple[Deviation, ...]:
    """The deviations of a TOML file with one `[[deviation]]` table each; raises DeviationError."""
    try:
        found = read_table(path, _File, identity="requirement")
    except TableError as error:
        raise DeviationError(str(error)) from error
    for number, deviation in enumerate(found.deviation, 1):
        where = f"{path}: deviation {number} ({deviation.requirement:.80})"
        if deviation.requirement not in all_requirements():
            meant = did_you_mean(deviation.requirement) or "; `plumbline catalogue` lists them"
            raise DeviationError(f"{where}: there is no requirement {deviation.requirement!r:.80}{meant}")
        if deviation.replaces and deviation.replaces not in FAULTY:
            meant = did_you_mean(deviation.replaces, FAULTY)
            raise DeviationError(
                f"{where}: replaces: no faulty variant is named {deviation.replaces!r:.80}{meant or ';'} "
                "`plumbline faulty list` names them"
            )
        if deviation in found.deviation[: number - 1]:
            raise DeviationError(f"{where}: it is there twice; remove one")
    return tuple(found.deviation)


def in_force(deviations: tuple[Deviation, ...], version: str, today: date) -> tuple[Deviation, ...]:
    """Those that apply to a product version and have not expired."""
    return tuple(known for known in deviations if today <= known.expires and known.applies_to(version))


def words(deviations: Iterable[Deviation]) -> str:
    """For the reason of a verdict: which are on record for what."""
    return "; ".join(f"on record for {known.requirement}: {known.words}" for known in deviations)
