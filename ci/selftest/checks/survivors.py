"""Survivors: mutants of the rulebook that the suite does not find out, each with the reason why.

Knows the file that explains them; does not know whether it is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from importlib.resources import files

import msgspec


class Why(StrEnum):
    """The kinds of reasons.

    EQUIVALENT: no observation differs from those of the right one.
    ALLOWED: the documents leave open what it does otherwise.
    NARROW: it differs, by less than the suite looks at; the text gives the cost of a closer look.
    """

    EQUIVALENT = "equivalent"
    ALLOWED = "allowed"
    NARROW = "narrow"


class Explained(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Survivors for one reason.

    Attributes:
        mutants: their names.
        why: the kind of reason.
        because: the reason, in a sentence.
    """

    mutants: tuple[str, ...]
    why: Why
    because: str


class _File(msgspec.Struct, forbid_unknown_fields=True):
    survivors: tuple[Explained, ...]


@cache
def explained() -> dict[str, Explained]:
    """Every survivor that is explained, by its name; raises msgspec.ValidationError if the file is wrong."""
    text = files("plumbline.ci").joinpath("survivors.toml").read_bytes()
    return dict(_by_name(msgspec.toml.decode(text, type=_File).survivors))


def _by_name(known: tuple[Explained, ...]) -> Iterator[tuple[str, Explained]]:
    seen: set[str] = set()
    for one in known:
        for name in one.mutants:
            if name in seen:
                raise msgspec.ValidationError(f"survivors.toml explains {name!r} twice")
            seen.add(name)
            yield name, one
