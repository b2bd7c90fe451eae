"""Drawing: a seed draws the same plans, independent of the loaded modules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis.internal.conjecture import providers

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.all_machines import MACHINES, drive

MACHINE = MACHINES["replicated_regions"]


def drawn() -> list[Plan]:
    plans: list[Plan] = []
    drive(
        MACHINE, plans.append, offers=frozenset(Capability), examples=40, steps=20, draw_seed=3, shrink=False
    )
    return plans


def load_a_local_module(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Import a module of numbers and texts that Hypothesis takes for one of the tree."""
    path = folder / "of_the_tree.py"
    path.write_text("\n".join(f"K{n} = {n * 7}\nS{n} = 'text {n}'" for n in range(2, 400)))
    spec = importlib.util.spec_from_file_location("of_the_tree", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "of_the_tree", module)


def test_a_seed_draws_the_same_plans_when_one_more_module_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    before = drawn()
    load_a_local_module(tmp_path, monkeypatch)
    assert drawn() == before


def test_constants_are_back_for_tests_of_others():
    collect = providers._get_local_constants
    within: list[object] = []
    drive(
        MACHINE,
        lambda _: within.append(providers._get_local_constants),
        offers=frozenset(Capability),
        examples=2,
        steps=3,
        draw_seed=3,
        shrink=False,
    )
    assert within
    assert collect not in within
    assert providers._get_local_constants is collect
