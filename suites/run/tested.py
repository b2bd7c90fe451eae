"""Which requirements a test exists for: a scenario, a state machine or a rule.

Knows the registries, not what a test finds.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.loader import all_requirements, catalogue
from plumbline.reference.rules.rule import load_rules
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.scenarios.all_scenarios import SCENARIOS


@cache
def ids_with_tests() -> frozenset[str]:
    """The ids of those requirements; of the others no run can say anything."""
    written = (scenario.requirements for scenario in SCENARIOS.values())
    drawn = (machine.requirements for machine in MACHINES.values())
    return frozenset(load_rules()).union(*written, *drawn)


@cache
def ids_without_tests() -> frozenset[str]:
    """The ids of the others."""
    return frozenset(all_requirements()) - ids_with_tests()


def lost_without(
    offered: Collection[Capability], dialect: str, among: Collection[str] = ()
) -> dict[Capability, tuple[str, ...]]:
    """For each capability that is not offered the requirements that have a test and cannot be judged for it.

    Args:
        offered: the capabilities that a candidate declares.
        dialect: the dialect whose requirements it owes.
        among: only these requirements; all if empty.
    """
    owed = [
        one
        for one in catalogue().values()
        if dialect in {str(owing) for owing in one.dialects}
        and one.id in ids_with_tests()
        and (not among or one.id in among)
    ]
    return {
        capability: tuple(one.id for one in owed if capability in one.capabilities)
        for capability in Capability
        if capability not in offered
    }
