"""A weakening: another piece of text in a module, or a reduction without one of its conditions."""

from __future__ import annotations

from typing import NamedTuple


class Weakening(NamedTuple):
    """A module below plumbline.reference, and what of its text is replaced by what."""

    module: str
    old: str
    new: str


class DroppedCondition(NamedTuple):
    """A module of `plumbline.reference.reduction`, a reduction in it, and the condition that is dropped."""

    module: str
    reduction: str
    without: str
