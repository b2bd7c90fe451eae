"""Decisions about operations that depend on what they find: free, they allow what is right, and more."""

from __future__ import annotations

from itertools import product

import pytest

from plumbline.reference.history.bulk import Share
from plumbline.reference.history.operations import (
    LOCAL_ACTIONS,
    Operation,
    OperationKind,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.model.clients.carrying_out import effects_of
from plumbline.reference.model.setting import Setting
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.decisions import ENTRY_OPERATIONS
from plumbline.reference.rulebook.effects import SUPPORTED, effects
from plumbline.reference.rulebook.values import Effect, EntryState

STATES = ((EntryState.ABSENT, None), (EntryState.TOMBSTONE, None), (EntryState.INVALID, None))
FOUND = (*STATES, (EntryState.LIVE, "held"))
NEW = "new"
CALLS = tuple(product(sorted(SUPPORTED - LOCAL_ACTIONS), FOUND, ("held", "other"), (False, True)))


def ways(book: Rulebook, share: Share | None = None) -> list[frozenset[Effect]]:
    """What each call may do to each entry that it may find."""
    setting = Setting(book, Topology((Site(1, ("A",)),)), (RegionAttributes(name="region"),), None)
    if share is not None:
        setting.shares[1] = share
    return [
        frozenset(effects_of(setting, called(kind, expected), state, token, of_client=of_client))
        for kind, (state, token), expected, of_client in CALLS
    ]


def called(kind: OperationKind, expected: str) -> Operation:
    return Operation(
        op_id=1, thread="A1", member="A", region="region", kind=kind, key="x", token=NEW, expected=expected
    )


def test_as_decided_operations_do_what_the_interface_says():
    assert ways(Rulebook()) == [
        frozenset(effects(kind, state, token, of_client=of_client, expected=expected))
        for kind, (state, token), expected, of_client in CALLS
    ]


@pytest.mark.parametrize("decision", sorted(ENTRY_OPERATIONS))
def test_a_decision_that_is_free_allows_all_that_is_right_and_more(decision: str):
    share = Share(1, 2, 2) if decision in ("carries_out_entry", "removes_lacking") else None
    right, free = (ways(book, share) for book in (Rulebook(), Rulebook().with_free(decision)))
    assert all(some <= others for some, others in zip(right, free, strict=True))
    assert (right != free) is (decision != "finds_own_change")
