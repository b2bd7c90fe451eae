"""Where in the sources what serves a requirement stands: decisions, tests, faulty variants, rules.

Knows how each is written down, not what it does. Places are `folder/file.py:line`, from the folder that holds
the rooms: the clone, or the installed package.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import FunctionType

from plumbline.reference.catalogue.coverage import Coverage
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

ROOT = Path(__file__).resolve().parent.parent

Places = dict[str, str]
"""For each name where it stands."""


def places(row: Coverage) -> dict[str, Places]:
    """Where everything that serves a requirement stands, by what it is."""
    return {
        "decisions": {name: decision(name) for name in row.decided_by},
        "tests": {name: test(name) for name in row.tested_by},
        "faulty": {name: faulty(name) for name in row.faulty},
        "rule": {row.id: rule(row.id)} if row.trace_rule else {},
    }


@cache
def decision(name: str) -> str:
    """Where a decision of the rulebook is answered as the documents do."""
    return _function(getattr(Rulebook(), name))


@cache
def test(name: str) -> str:
    """Where a scenario or a state machine is written."""
    if name in SCENARIOS:
        return _function(SCENARIOS[name].play)
    draws = MACHINES[name].draws
    return _place(inspect.getsourcefile(draws), inspect.getsourcelines(draws)[1])


@cache
def faulty(name: str) -> str:
    """Where a faulty variant is written."""
    return _variants()[name]


def rule(requirement: str) -> str:
    """Where the rule of a requirement is written."""
    return _place(str(ROOT / "reference" / "rules" / f"{requirement}.sql"), 1)


@cache
def _variants() -> Places:
    """The faulty variants: each is a call that begins with its name, on a line of its own.

    Those of a table share one call, whose name has a blank for what differs (`f"{what}-always-win"`).
    """
    found = {}
    for path in sorted((ROOT / "reference" / "rulebook").glob("*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, (before, line) in enumerate(pairwise(lines), 1):
            named = re.fullmatch(r'\s*f?"([^"]+)",', line)
            if named and re.search(r"\bvariant\($", before):
                shape = re.compile(re.sub(r"\\\{.*?\\\}", ".+", re.escape(named[1])))
                for name in filter(shape.fullmatch, FAULTY):
                    found[name] = _place(str(path), number)
    return found


def _function(function: Callable[..., object]) -> str:
    written = inspect.unwrap(function)
    if not isinstance(written, FunctionType):
        raise TypeError(f"{written!r} is written nowhere")
    return _place(written.__code__.co_filename, written.__code__.co_firstlineno)


def _place(file: str | None, line: int) -> str:
    path = Path(file or "").resolve()
    return f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}:{line}"
