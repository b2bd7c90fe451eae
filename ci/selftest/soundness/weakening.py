"""A weakening: a piece of a module's text, and what stands there instead."""

from __future__ import annotations

from typing import NamedTuple


class Weakening(NamedTuple):
    """A module below plumbline.reference, and what of its text is replaced by what."""

    module: str
    old: str
    new: str
