"""The catalogue as it stands: its structure, and what docs/catalogue.md says of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.loader import all_requirements, catalogue, extensions, read
from plumbline.reference.catalogue.records import (
    AREA_MEANING,
    AREA_OF_FAMILY,
    DIALECT_OF_DOCUMENT,
    DOCUMENTS,
    Area,
    Dialect,
    JudgedBy,
    Level,
    ReasonKind,
    Requirement,
    is_extension,
)
from plumbline.reference.rules.rule import load_rules
from plumbline.reference.trace.schema import COLUMNS, KINDS

MOST_WITH_A_REASON = 40
PAGE = Path(__file__).parents[2] / "docs" / "catalogue.md"


def offenders(broken: Callable[[Requirement], bool]) -> list[str]:
    return [entry.id for entry in all_requirements().values() if broken(entry)]


def test_there_are_341_requirements_by_file_as_the_page_says() -> None:
    sizes = {
        path.name: len(read(path.read_text(encoding="utf-8"), path.name))
        for path in (Path(__file__).parents[1] / "catalogue").glob("*.yaml")
    }
    assert sizes.pop("extensions.yaml") == len(extensions())
    assert sizes == {"client_durable.yaml": 127, "consistency.yaml": 106, "wan_async.yaml": 108}
    assert len(catalogue()) == 341
    assert len(all_requirements()) == 341 + len(extensions())
    for name, size in sizes.items():
        assert f"| `{name}` | {size} |" in PAGE.read_text(encoding="utf-8")


def test_a_statement_uses_the_word_of_its_level_and_neither_of_the_others() -> None:
    def broken(entry: Requirement) -> bool:
        said = Level.MUST if entry.level is Level.EXTENSION else entry.level
        return set(re.findall(r"\b(?:MUST|SHOULD|MAY)\b", entry.statement)) != {said}

    assert offenders(broken) == []


def test_every_requirement_names_document_and_paragraph() -> None:
    def broken(entry: Requirement) -> bool:
        return entry.document not in DOCUMENTS or not re.search(r"[A-Za-z]", entry.paragraph)

    assert offenders(broken) == []


def test_the_area_of_a_requirement_is_that_of_its_family() -> None:
    assert offenders(lambda entry: AREA_OF_FAMILY[entry.family] is not entry.area) == []


def test_every_area_has_families_requirements_and_a_meaning() -> None:
    assert set(AREA_OF_FAMILY.values()) == set(Area)
    assert set(AREA_MEANING) == set(Area)
    assert {entry.area for entry in all_requirements().values()} == set(Area)
    assert len(Area) <= 21


def test_a_requirement_is_owed_in_the_dialect_of_its_document_unless_it_is_about_one_product() -> None:
    def broken(entry: Requirement) -> bool:
        product_specific = entry.reason is not None and entry.reason.kind is ReasonKind.PRODUCT_SPECIFIC
        return DIALECT_OF_DOCUMENT[entry.document] not in entry.dialects and not product_specific

    assert offenders(broken) == []


def test_a_requirement_is_judged_by_rule_exactly_if_it_has_a_trace_rule() -> None:
    assert offenders(lambda entry: (entry.trace_rule is None) == (JudgedBy.RULE in entry.judged_by)) == []


def test_trace_rules_name_kinds_and_columns_that_the_trace_has() -> None:
    def names_more(entry: Requirement) -> bool:
        rule = entry.trace_rule
        return rule is not None and not (set(rule.kinds) <= set(KINDS) and set(rule.columns) <= set(COLUMNS))

    assert offenders(names_more) == []


def test_trace_rules_leave_out_the_columns_that_every_rule_reads() -> None:
    def broken(entry: Requirement) -> bool:
        return entry.trace_rule is not None and bool(
            {"run_id", "example", "kind"} & set(entry.trace_rule.columns)
        )

    assert offenders(broken) == []


def test_a_rule_in_sql_reads_the_columns_that_the_catalogue_says_it_reads() -> None:
    for required, rule in load_rules().items():
        stated = catalogue()[required].trace_rule
        assert stated is not None
        assert set(rule.columns) - {"run_id", "example", "kind"} == set(stated.columns), required


def test_no_field_says_the_same_thing_twice() -> None:
    def broken(entry: Requirement) -> bool:
        lists: list[tuple[str, ...]] = [entry.dialects, entry.capabilities, entry.judged_by]
        if entry.trace_rule is not None:
            lists += [entry.trace_rule.kinds, entry.trace_rule.columns]
        return any(len(set(names)) < len(names) for names in lists)

    assert offenders(broken) == []


@pytest.mark.parametrize("field", ["title", "statement"])
def test_no_two_requirements_share_a_title_or_a_statement(field: str) -> None:
    texts = Counter(getattr(entry, field).casefold() for entry in all_requirements().values())
    assert [text for text, times in texts.items() if times > 1] == []


def test_at_most_40_requirements_have_a_reason_and_every_reason_is_one_sentence() -> None:
    reasons = [entry.reason.text for entry in all_requirements().values() if entry.reason is not None]
    assert 0 < len(reasons) <= MOST_WITH_A_REASON
    assert [text for text in reasons if not text.endswith(".") or ". " in text] == []


def test_every_capability_is_needed_by_some_requirement() -> None:
    needed = {capability for entry in all_requirements().values() for capability in entry.capabilities}
    clauses = [clause for entry in all_requirements().values() for clause in entry.clauses]
    needed |= {need for clause in clauses for need in clause.needs}
    assert set(Capability) - needed == set()


def test_dialects_of_documents_that_contradict_each_other_part() -> None:
    invalidates_stay, all_go_to_a_server = catalogue()["C2S-OPS-06"], catalogue()["CONS-CL-02"]
    assert not set(invalidates_stay.dialects) & set(all_go_to_a_server.dialects)


def test_requirements_come_area_by_area() -> None:
    areas = list(Area)
    places = [areas.index(entry.area) for entry in all_requirements().values()]
    assert places == sorted(places)


def test_an_extension_is_told_by_its_family_level_area_and_document_alike() -> None:
    def broken(entry: Requirement) -> bool:
        told = (entry.level is Level.EXTENSION, entry.area is Area.EXTENSIONS, entry.document == "geode")
        return {*told} != {is_extension(entry.id)}

    assert offenders(broken) == []
    assert all(set(entry.dialects) == set(Dialect) for entry in extensions().values())


def test_levels_are_of_all_kinds() -> None:
    assert {entry.level for entry in all_requirements().values()} == set(Level)


def test_the_example_on_the_page_is_the_entry_itself() -> None:
    example = PAGE.read_text(encoding="utf-8").partition("```yaml\n")[2].partition("```")[0]
    (entry,) = read(example, PAGE.name)
    assert entry == catalogue()[entry.id]


def test_the_page_lists_all_areas_and_documents() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for area in Area:
        families = ", ".join(f"`{family}`" for family, its in AREA_OF_FAMILY.items() if its is area)
        assert f"| `{area}` | {families} | {AREA_MEANING[area]} |" in page
    for number, title in DOCUMENTS.items():
        assert f"| {number} | {title} | `{DIALECT_OF_DOCUMENT[number]}` |" in page
