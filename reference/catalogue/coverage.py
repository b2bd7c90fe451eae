"""The coverage record: for each requirement, what decides it, tests it, breaks it and judges its traces.

Computed from the registries of the code, which name the requirements they serve; the registries are handed
in, since some of them lie in rooms that this one may not know.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

import msgspec

from plumbline.reference.catalogue.clauses import clauses_of
from plumbline.reference.catalogue.loader import all_requirements, did_you_mean
from plumbline.reference.catalogue.records import Area, Clause, Dialect, Level, Reason, Requirement


class Serves(Protocol):
    """Anything that names the requirements it decides, tests or breaks."""

    @property
    def requirements(self) -> tuple[str, ...]:
        """Their ids."""
        ...


class UnknownRequirementError(ValueError):
    """Code names a requirement that the catalogue does not have."""


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """What the code does about one requirement.

    Attributes:
        id: of the requirement, as are area, level, title, source, dialects and reason.
        decided_by: names of the rulebook's decisions that carry the id.
        tested_by: names of the scenarios and state machines that judge it.
        faulty: names of the faulty variants that break it.
        clauses: the single demands of its statement, each with the variants that break it.
        trace_rule: whether a rule's text judges it in traces.
    """

    id: str
    area: Area
    level: Level
    title: str
    source: str
    dialects: tuple[Dialect, ...]
    decided_by: tuple[str, ...]
    tested_by: tuple[str, ...]
    faulty: tuple[str, ...]
    clauses: tuple[Clause, ...] = ()
    trace_rule: bool
    reason: Reason | None


def coverage(
    *,
    decisions: Mapping[str, Serves],
    tests: Mapping[str, Serves],
    faulty: Mapping[str, Serves],
    rules: Collection[str],
    requirements: Mapping[str, Requirement] | None = None,
) -> tuple[Coverage, ...]:
    """One record for each requirement, in the order of the catalogue.

    Args:
        decisions: the rulebook's decisions by name.
        tests: scenarios and state machines by name.
        faulty: faulty variants by name.
        rules: ids of the requirements that have a rule's text.
        requirements: the catalogue; the real one if it is left out.

    Raises:
        UnknownRequirementError: one of them names an id that the catalogue does not have.
    """
    known = all_requirements() if requirements is None else requirements
    for required in rules:
        _must_be_known(required, "a rule", known)
    decided_by = _by_requirement(decisions, "decision", known)
    tested_by = _by_requirement(tests, "test", known)
    broken_by = _by_requirement(faulty, "faulty variant", known)
    return tuple(
        Coverage(
            id=entry.id,
            area=entry.area,
            level=entry.level,
            title=entry.title,
            source=entry.source,
            dialects=entry.dialects,
            decided_by=tuple(decided_by[entry.id]),
            tested_by=tuple(tested_by[entry.id]),
            faulty=tuple(broken_by[entry.id]),
            clauses=clauses_of(entry, tuple(broken_by[entry.id])),
            trace_rule=entry.id in rules,
            reason=entry.reason,
        )
        for entry in known.values()
    )


def _by_requirement(
    registry: Mapping[str, Serves], what: str, known: Mapping[str, Requirement]
) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {required: [] for required in known}
    for name, entry in registry.items():
        for required in entry.requirements:
            _must_be_known(required, f"{what} {name}", known)
            found[required].append(name)
    return found


def _must_be_known(required: str, who: str, known: Iterable[str]) -> None:
    if required not in set(known):
        raise UnknownRequirementError(
            f"{who} names {required}, which the catalogue does not have{did_you_mean(required, known)}"
        )
