"""The rooms of the project import each other one way only, and no circle ties two of them."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

import grimp
import pytest

TOP = ("adapters", "ci", "reference", "reports", "spark", "suites")

LAYERS = {
    "reference": (
        {"judged", "recording"},
        {"rules"},
        {"explain", "explore", "trace"},
        {"reduction", "results"},
        {"model"},
        {"rulebook"},
        {"history"},
        {"catalogue", "search", "files", "distribution"},
    ),
    "suites": (
        {"pytest_plugin", "adapter_check"},
        {"run"},
        {"machines"},
        {"scenarios"},
        {"harness"},
    ),
    "ci": ({"selftest"}, {"commands"}, {"command", "places"}, {"terminal"}, {"doctor"}),
}
"""For each folder its rooms, the highest first. A room imports rooms below its own layer only."""

HIGHEST_FIRST = ("ci", "suites", "spark", "reports", "adapters", "reference")
"""The folders of the top level. A folder imports those behind it only."""


@cache
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*(f"plumbline.{folder}" for folder in TOP), cache_dir=None)


def upward(*layers: Collection[str]) -> set[tuple[str, str]]:
    """The imports that go up or sideways, each as what imports and what is imported."""
    found = graph().find_illegal_dependencies_for_layers([grimp.Layer(*layer) for layer in layers])
    return {(one.importer, one.imported) for one in found}


def test_the_folders_import_one_way():
    assert upward(*({f"plumbline.{folder}"} for folder in HIGHEST_FIRST)) == set()


@pytest.mark.parametrize("folder", LAYERS)
def test_the_rooms_of_a_folder_import_one_way(folder: str):
    assert upward(*({f"plumbline.{folder}.{room}" for room in layer} for layer in LAYERS[folder])) == set()


@pytest.mark.parametrize("folder", LAYERS)
def test_each_room_of_a_folder_has_a_layer(folder: str):
    below = {name.rpartition(".")[2] for name in graph().find_children(f"plumbline.{folder}")}
    packages = {name for name in below if graph().find_children(f"plumbline.{folder}.{name}")}
    assert packages - {"tests"} <= {room for layer in LAYERS[folder] for room in layer}


def test_only_tests_import_the_tests_of_plumbline_itself():
    importers = {
        importer
        for module in (
            "plumbline.ci.selftest",
            *graph().find_descendants("plumbline.ci.selftest"),
        )
        for importer in graph().find_modules_that_directly_import(module)
    }
    assert {name for name in importers if not name.startswith("plumbline.ci.selftest")} == set()
