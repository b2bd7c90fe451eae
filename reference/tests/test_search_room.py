"""The search's room imports nothing of the project but itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import plumbline.reference.search as room

FILES = sorted(Path(room.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_search_knows_no_system(file: Path):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    ours = {name for name in imported if name.startswith("plumbline")}
    assert {name for name in ours if not name.startswith("plumbline.reference.search")} == set()


def test_the_api_fits_on_a_screen():
    assert set(room.__all__) <= vars(room).keys()
    assert len(Path(room.__file__).read_text(encoding="utf-8").splitlines()) <= 40
