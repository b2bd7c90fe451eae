"""What Allure is told of the suite's items: whom they are about, how grave they are, and how they failed.

Through allure-pytest, and only where pytest was given `--alluredir`. Knows what verdicts are about, not how
they come about.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec
import pytest

from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.catalogue.records import DOCUMENTS, Level, Requirement
from plumbline.reference.results.runs import Counterexample
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

SEVERITY = {Level.MUST: "critical", Level.SHOULD: "normal", Level.MAY: "minor", Level.EXTENSION: "trivial"}

EXAMPLES = "scenarios and machines"
"""What is beside the requirements themselves."""

_NO_CALL = SimpleNamespace(params={})


Failure = tuple[tuple[str, ...], Counterexample]
"""The requirements that a failing example was about, and the example."""


class _Subject(NamedTuple):
    """What an item is about: a candidate, and a requirement, a scenario or a machine."""

    candidate: str
    requirement: str
    example: str

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """All that the item speaks of, the gravest first."""
        known = all_requirements()
        if self.requirement:
            return (known[self.requirement],)
        example = SCENARIOS.get(self.example) or MACHINES[self.example]
        return tuple(
            sorted(map(known.__getitem__, example.requirements), key=lambda one: _GRAVEST[one.level])
        )


_GRAVEST = {level: place for place, level in enumerate(Level)}


class AllureResults:
    """A pytest plugin beside allure-pytest's.

    Args:
        allure: the module of that name.
        linked: whether `--allure-link-pattern` says where links of a requirement's id lead to.
        failures: the counterexamples that this run has of a candidate so far.
    """

    def __init__(
        self, allure: Any, failures: Callable[[str], Iterable[Failure]], *, linked: bool = False
    ) -> None:
        self._allure = allure
        self._failures = failures
        self._linked = linked

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Label the items."""
        for item in items:
            subject = _subject(item)
            if subject is not None:
                for marker in self._markers(subject):
                    item.add_marker(marker)

    def _markers(self, subject: _Subject) -> list[Any]:
        allure, about = self._allure, subject.requirements
        markers = [
            allure.epic(subject.candidate),
            *map(allure.feature, dict.fromkeys(one.area.value for one in about)),
            *(allure.label("requirement", one.id) for one in about),
            allure.severity(SEVERITY[about[0].level]),
            allure.parent_suite(subject.candidate),
            allure.suite(about[0].area.value if subject.requirement else EXAMPLES),
            *(allure.testcase(one.id, name=one.id) for one in about if self._linked),
        ]
        if subject.requirement:
            (one,) = about
            where = f"Document {one.document}, {DOCUMENTS[one.document]}: {one.paragraph}"
            return [*markers, allure.description(f"{one.statement}\n\n{one.level}. {where}")]
        return [*markers, allure.story(EXAMPLES)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Give an item its title; attach to it the counterexamples that are about it."""
        subject = _subject(item)
        if subject is None:
            return (yield)
        title = subject.example.replace("_", " ")
        if subject.requirement:
            title = f"{subject.requirement} {all_requirements()[subject.requirement].title}"
        self._allure.dynamic.title(title)
        try:
            return (yield)
        finally:
            failures = self._failures(subject.candidate)
            about = {
                found.title: found
                for blamed, found in failures
                if subject.requirement in blamed or subject.example == found.title
            }
            for found in about.values():
                self._attach(found)

    def _attach(self, found: Counterexample) -> None:
        kind, name = self._allure.attachment_type, f"{found.source}-{found.title}"
        parts = (("what was done", found.plan), ("expected", found.expected), ("seen", found.seen))
        told = "\n\n".join("\n  ".join((heading, *lines)) for heading, lines in parts)
        self._allure.attach(told, f"{name}: what was done, expected, seen", kind.TEXT)
        self._allure.attach(
            msgspec.json.format(msgspec.json.encode(found)).decode(),
            f"{name}.json, for plumbline replay",
            kind.JSON,
        )


def _subject(item: pytest.Item) -> _Subject | None:
    """What an item is about; None if it is none of the suite."""
    params = getattr(item, "callspec", _NO_CALL).params
    if "candidate_name" not in params:
        return None
    return _Subject(params["candidate_name"], params.get("requirement_id", ""), params.get("name", ""))
