"""The coverage record is computed from registries that name requirements."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from plumbline.reference.catalogue.coverage import UnknownRequirementError, coverage
from plumbline.reference.catalogue.loader import all_requirements, catalogue


class Entry(NamedTuple):
    requirements: tuple[str, ...]


SOME = {required: catalogue()[required] for required in ("VER-TIE-01", "VER-TIE-02", "OVH-01")}


def test_coverage_names_what_decides_tests_and_breaks_each_requirement() -> None:
    first, second, third = coverage(
        decisions={"applies_tie": Entry(("VER-TIE-01", "VER-TIE-02"))},
        tests={"scenario one": Entry(("VER-TIE-01",)), "ordering": Entry(("VER-TIE-01", "OVH-01"))},
        faulty={"lower_wins": Entry(("VER-TIE-02",))},
        rules={"VER-TIE-02"},
        requirements=SOME,
    )
    assert (first.decided_by, first.tested_by, first.faulty, first.trace_rule) == (
        ("applies_tie",),
        ("scenario one", "ordering"),
        (),
        False,
    )
    assert (second.decided_by, second.tested_by, second.faulty, second.trace_rule) == (
        ("applies_tie",),
        (),
        ("lower_wins",),
        True,
    )
    assert (third.decided_by, third.tested_by) == ((), ("ordering",))
    assert third.reason is not None
    assert first.source == catalogue()["VER-TIE-01"].source


def test_coverage_covers_the_whole_catalogue_in_its_order() -> None:
    rows = coverage(decisions={}, tests={}, faulty={}, rules=())
    assert [row.id for row in rows] == list(all_requirements())


@pytest.mark.parametrize(
    ("registry", "who"),
    [("decisions", "decision here"), ("tests", "test here"), ("faulty", "faulty variant here")],
)
def test_code_that_names_an_unknown_requirement_is_refused(registry: str, who: str) -> None:
    registries = {"decisions": {}, "tests": {}, "faulty": {}, registry: {"here": Entry(("VER-TIE-07",))}}
    with pytest.raises(UnknownRequirementError, match=f"{who} names VER-TIE-07.*did you mean VER-TIE-0"):
        coverage(rules=(), requirements=SOME, **registries)


def test_a_rule_for_an_unknown_requirement_is_refused() -> None:
    with pytest.raises(UnknownRequirementError, match="a rule names VER-TIE-7"):
        coverage(decisions={}, tests={}, faulty={}, rules={"VER-TIE-7"}, requirements=SOME)
