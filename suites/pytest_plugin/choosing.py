"""Which of the suite's items pytest plays: what `-k ID` finds, what `--wide` adds, and in which order.

Knows the names of items; knows nothing of what they find.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

_NO_CALL = SimpleNamespace(params={})


def params(item: Any) -> dict[str, Any]:
    """What an item was given; nothing where it takes nothing."""
    given: dict[str, Any] = getattr(item, "callspec", _NO_CALL).params
    return given


def example_of(item: Any) -> tuple[str, str] | None:
    """The candidate and the scenario or machine of an item; None if it is no item that plays one."""
    given = params(item)
    plays = "candidate_name" in given and (given.get("name") in SCENARIOS or given.get("name") in MACHINES)
    return (given["candidate_name"], given["name"]) if plays else None


def judges(item: Any) -> bool:
    """Whether an item is that of a requirement."""
    return "requirement_id" in getattr(item, "fixturenames", ())


def prepare(items: list[pytest.Item]) -> None:
    """Let `-k ID` find all items of a requirement; put requirement items last, since they need the others."""
    for item in items:
        name = params(item).get("name", "")
        if name in SCENARIOS:
            item.extra_keyword_matches.update(SCENARIOS[name].requirements)
        elif name in MACHINES:
            item.extra_keyword_matches.update(MACHINES[name].requirements)
    items.sort(key=judges)


def set_aside(items: list[pytest.Item]) -> list[pytest.Item]:
    """Take all items that play an example out of pytest's selection; returns these items."""
    examples = [item for item in items if example_of(item) is not None]
    items[:] = [item for item in items if example_of(item) is None]
    return examples


def put_back(items: list[pytest.Item], examples: list[pytest.Item]) -> None:
    """Have every example played on each candidate of which some requirement was selected."""
    candidates = {params(item)["candidate_name"] for item in items if judges(item)}
    items[:] = [*(item for item in examples if params(item)["candidate_name"] in candidates), *items]
    items.sort(key=judges)


def scenarios_left_out(items: list[pytest.Item], candidate: str, session: Session) -> int:
    """How many scenarios about requirements that are owed no item plays on a candidate."""
    played = {one for one in map(example_of, items) if one is not None}
    owed = (one for one in SCENARIOS.values() if any(map(session.owes, one.requirements)))
    return sum((candidate, one.name) not in played for one in owed)
