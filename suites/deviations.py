"""Deviations: what a product is known to do against a document, on record with a reason and an end.

A deviation names the faulty variant whose decision the product makes. The search applies it and goes on
behind it; what needed it is reported as a deviation, never as a pass. Knows nothing of how it was found.
"""

from __future__ import annotations

import dataclasses
import tomllib
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from plumbline.reference.catalogue.loader import catalogue, did_you_mean
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty import FAULTY


class DeviationError(Exception):
    """A file of deviations cannot be used; the message says where and why."""


class Deviation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One known difference.

    Attributes:
        requirement: the id that it breaks.
        replaces: the faulty variant whose decision the product makes; "" for a difference that the model
            cannot follow, which then only excuses scenarios.
        versions: product versions it applies to, as patterns such as `1.15.*`.
        reason: why it is accepted.
        counterexample: a file or address that shows it.
        owner: who answers for it.
        expires: the last day on which it is accepted.
    """

    requirement: str
    reason: str
    owner: str
    expires: date
    versions: tuple[str, ...] = ("*",)
    replaces: str = ""
    counterexample: str = ""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    deviation: list[Deviation] = []


def read_deviations(path: Path) -> tuple[Deviation, ...]:
    """The deviations of a TOML file with one `[[deviation]]` table each; raises DeviationError."""
    try:
        found = msgspec.convert(tomllib.loads(path.read_text()), _File)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise DeviationError(f"{path}: {error}") from error
    for deviation in found.deviation:
        if deviation.requirement not in catalogue():
            meant = did_you_mean(deviation.requirement)
            raise DeviationError(f"{path}: there is no requirement {deviation.requirement!r}{meant}")
        if deviation.replaces and deviation.replaces not in FAULTY:
            raise DeviationError(
                f"{path}: {deviation.requirement}: no faulty variant is named {deviation.replaces!r}; "
                "`plumbline faulty list` names them"
            )
    return tuple(found.deviation)


def in_force(deviations: tuple[Deviation, ...], version: str, today: date) -> tuple[Deviation, ...]:
    """Those that apply to a product version and have not expired."""
    return tuple(
        deviation
        for deviation in deviations
        if today <= deviation.expires and any(fnmatchcase(version, pattern) for pattern in deviation.versions)
    )


def deviating(book: Rulebook, deviations: tuple[Deviation, ...]) -> Rulebook:
    """The rulebook in which the decisions of the deviations are made as the product makes them."""
    for deviation in deviations:
        if deviation.replaces:
            book = dataclasses.replace(book, **FAULTY[deviation.replaces].replaces)
    return book
