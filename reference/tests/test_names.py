"""Each public class has a name of its own, and no module sees two modules of one name.

A reader looks for a class by its name. Two of one name cost a second look each time.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("adapters", "ci", "reference", "reports", "spark", "suites")
COPIED = ROOT / "adapters" / "examples"
"""Programs to be copied: they stand alone, and their names are those of their reader's project."""


def modules() -> list[Path]:
    return [
        path
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "tests" not in path.parts and COPIED not in path.parents
    ]


def name(path: Path) -> str:
    return ".".join(("plumbline", *path.relative_to(ROOT).with_suffix("").parts))


TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in modules()}
NAMES = {name(path): path for path in TREES}


def seen_from(path: Path) -> set[Path]:
    """The modules of the project that one imports, and itself."""
    found = {path}
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.ImportFrom) and node.module:
            asked = (node.module, *(f"{node.module}.{one.name}" for one in node.names))
            found.update(NAMES[module] for module in asked if module in NAMES)
    return found


def test_no_two_public_classes_have_one_name():
    homes = defaultdict(list)
    for path, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(ROOT)))
    assert {known: where for known, where in homes.items() if len(where) > 1} == {}


def test_no_module_sees_two_modules_of_one_name():
    twice: dict[tuple[str, str], set[str]] = {}
    for path in TREES:
        seen = defaultdict(set)
        for module in seen_from(path) - {path.with_name("__init__.py")}:
            seen[module.stem].add(str(module.relative_to(ROOT)))
        twice |= {(name(path), stem): where for stem, where in seen.items() if len(where) > 1}
    assert {at: where for at, where in twice.items() if at[1] != "__init__"} == {}
