"""Weakenings of the reductions that are parted from the model: each condition dropped, one at a time."""

from __future__ import annotations

from plumbline.ci.selftest.soundness.weakening import DroppedCondition
from plumbline.reference.reduction.condition import Conditions
from plumbline.reference.reduction.local_changes import ChangeFixedByLog
from plumbline.reference.reduction.received_changes import LostForGood, NothingToDo, ReceiptFixedByLog

PARTED: tuple[type[Conditions], ...] = (ChangeFixedByLog, ReceiptFixedByLog, NothingToDo, LostForGood)
"""The reductions whose conditions stand apart."""

REDUCTIONS: dict[str, DroppedCondition] = {
    one.without: DroppedCondition(reduction.__module__, reduction.__name__, one.without)
    for reduction in PARTED
    for one in reduction.conditions
}
"""Each condition of these, by what is wrong without it."""
