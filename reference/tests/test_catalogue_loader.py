"""What the catalogue's loader refuses, and what it says then."""

from __future__ import annotations

import pytest

from plumbline.reference.catalogue.loader import (
    CatalogueError,
    all_requirements,
    catalogue,
    did_you_mean,
    near,
    read,
)
from plumbline.reference.catalogue.records import Level

GOOD = """\
- id: VER-TIE-01
  title: a title
  statement: It MUST hold.
  level: MUST
  area: versions
  document: "004"
  paragraph: How Consistency Checking Works, L69
  dialects: [gemfire8]
  capabilities: [replicated_regions]
  judged_by: [scenario, rule]
  controls: c
  observables: o
  break_it: b
  trace_rule:
    text: t
    kinds: [apply]
    columns: [member, ver]
  product_note: p
"""


def test_a_well_formed_entry_becomes_a_record() -> None:
    (entry,) = read(GOOD, "some.yaml")
    assert (entry.id, entry.level, entry.derived, entry.reason) == ("VER-TIE-01", Level.MUST, False, None)
    assert entry.source == "004 How Consistency Checking Works, L69"


def test_a_derived_requirement_says_so_in_its_source() -> None:
    (entry,) = read(GOOD + "  derived: true\n", "some.yaml")
    assert entry.source == "004 How Consistency Checking Works, L69 (derived)"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("  title: a title\n", "", "title"),
        ("  title: a title\n", '  title: ""\n', "title"),
        ("  product_note: p\n", "  product_note: p\n  weight: 3\n", "weight"),
        ("level: MUST", "level: WILL", "WILL"),
        ("area: versions", "area: verions", "verions"),
        ('document: "004"', "document: 004", "document"),
        ('document: "004"', 'document: "005"', "005"),
        ("[replicated_regions]", "[replicated_region]", "replicated_region"),
        ("[replicated_regions]", "[]", "capabilities"),
        ("[gemfire8]", "[gemfire9]", "gemfire9"),
        ("id: VER-TIE-01", "id: ver-tie-1", "id"),
        ("product_note: p", "product_note: p\n  reason: {kind: no_test_found, text: t}", "no_test_found"),
    ],
)
def test_a_malformed_entry_is_refused_with_file_and_id(old: str, new: str, complaint: str) -> None:
    assert old in GOOD
    with pytest.raises(CatalogueError, match=r"some\.yaml, entry 1, (VER-TIE-01|ver-tie-1): ") as refused:
        read(GOOD.replace(old, new), "some.yaml")
    assert complaint in str(refused.value)


def test_a_field_given_twice_is_refused() -> None:
    with pytest.raises(CatalogueError, match=r"some\.yaml: title is given twice"):
        read(GOOD + "  title: another\n", "some.yaml")


@pytest.mark.parametrize("text", ["", "a: b", "- just text", "- [unclosed"])
def test_what_is_no_list_of_entries_is_refused(text: str) -> None:
    with pytest.raises(CatalogueError, match=r"some\.yaml"):
        read(text, "some.yaml")


def test_an_id_stated_in_two_places_is_refused(tmp_path, monkeypatch) -> None:  # noqa: ANN001
    (tmp_path / "one.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "two.yaml").write_text(GOOD, encoding="utf-8")
    monkeypatch.setattr("plumbline.reference.catalogue.loader.__file__", str(tmp_path / "loader.py"))
    with pytest.raises(CatalogueError, match=r"two\.yaml: VER-TIE-01 is already stated in one\.yaml"):
        all_requirements.__wrapped__()


def test_the_catalogue_is_read_once() -> None:
    assert catalogue() is catalogue()


def test_near_finds_first_what_begins_so_and_then_what_is_spelled_alike() -> None:
    known = ("VER-TIE-01", "VER-TIE-02", "VER-CMP-01", "TOMB-GC-01")
    assert near("ver-tie", known)[:2] == ("VER-TIE-01", "VER-TIE-02")
    assert near("VER-CPM-01", known)[0] == "VER-CMP-01"
    assert near("zzz", known) == ()
    assert near("", known) == ()


def test_near_looks_into_the_catalogue_by_default() -> None:
    assert near("VER-TIE-1")[0] == "VER-TIE-01"


def test_did_you_mean_ends_a_message() -> None:
    assert did_you_mean("VER-TIE", ("VER-TIE-01", "VER-TIE-02")) == "; did you mean VER-TIE-01 or VER-TIE-02?"
    assert did_you_mean("zzz", ("VER-TIE-01",)) == ""
