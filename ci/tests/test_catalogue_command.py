"""`plumbline catalogue`, as it is called: what it prints, and how it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from plumbline.ci.commands.catalogue import command
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.catalogue.records import AREA_MEANING, Area
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.suites.machines.all_machines import MACHINES

FIELDS = [
    "id",
    "area",
    "level",
    "title",
    "source",
    "dialects",
    "decided_by",
    "tested_by",
    "faulty",
    "clauses",
    "trace_rule",
    "reason",
    "judged_by",
    "statement",
    "document",
    "paragraph",
    "derived",
    "capabilities",
    "controls",
    "observables",
    "break_it",
    "in_a_trace",
    "product_note",
    "against",
    "places",
]


def call(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), prog_name="plumbline catalogue")


def test_json_has_one_object_with_exactly_the_promised_fields_for_each_requirement() -> None:
    result = call("--json")
    rows = json.loads(result.output)["requirements"]
    assert result.exit_code == 0
    assert [row["id"] for row in rows] == list(catalogue())
    assert {tuple(row) for row in rows} == {tuple(FIELDS)}


def test_json_tells_what_the_code_does_about_a_requirement() -> None:
    (row,) = json.loads(call("VER-TIE-01", "--json").output)["requirements"]
    assert row["decided_by"] == [
        name for name, decision in DECISIONS.items() if "VER-TIE-01" in decision.requirements
    ]
    assert row["decided_by"]
    assert row["tested_by"]
    assert row["faulty"]


def test_json_tells_whether_a_rule_judges_traces() -> None:
    (ruled,) = json.loads(call("DISC-LSN-01", "--json").output)["requirements"]
    (unruled,) = json.loads(call("OVH-01", "--json").output)["requirements"]
    assert (ruled["trace_rule"], unruled["trace_rule"]) == (True, False)
    assert unruled["reason"]["kind"] == "informative"


def test_the_table_has_a_line_for_each_requirement_and_counts_them() -> None:
    result = call()
    assert result.exit_code == 0
    words = {line.split()[0] for line in result.output.splitlines() if line.strip()}
    assert set(catalogue()) <= words
    assert f"{len(catalogue())} requirements (" in result.output


def test_an_area_narrows_the_table() -> None:
    result = call("--area", "clear")
    shown = {entry.id for entry in catalogue().values() if entry.id in result.output}
    assert shown == {entry.id for entry in catalogue().values() if entry.area is Area.CLEAR}


def test_one_requirement_is_shown_with_everything_the_catalogue_says_of_it() -> None:
    entry = catalogue()["VER-TIE-01"]
    output = " ".join(call("ver-tie-01").output.split())
    for text in (entry.title, entry.statement, entry.paragraph, entry.controls, entry.observables):
        assert " ".join(text.split()) in output
    for text in (entry.break_it, entry.product_note, *entry.capabilities, *entry.dialects):
        assert " ".join(text.split()) in output
    ruled = catalogue()["CONS-RR-04"]
    assert ruled.trace_rule is not None
    assert " ".join(ruled.trace_rule.text.split()) in " ".join(call("CONS-RR-04").output.split())


def test_several_ids_and_areas_are_taken() -> None:
    output = call("VER-TIE-01", "CONS-RR-04").output
    assert catalogue()["VER-TIE-01"].title in output
    assert catalogue()["CONS-RR-04"].title in output
    for arguments in (("clear", "VER"), ("VER", "--area", "clear")):
        rows = json.loads(call(*arguments, "--json").output)["requirements"]
        wanted = [one.id for one in catalogue().values() if one.area is Area.CLEAR or one.family == "VER"]
        assert [row["id"] for row in rows] == wanted


def exists(place: str, name: str) -> bool:
    """Whether a file has that line, and names the thing in it or shortly behind: decorators come first.

    A variant of a table is written with a blank for what differs.
    """
    file, _, line = place.rpartition(":")
    lines = (Path(__file__).parents[2] / file).read_text().splitlines()
    near = lines[int(line) - 1 : int(line) + 40]
    blank = re.search(r'f"\{\w+\}(-[^"{]+)"', "".join(near[:2]))
    return any(name in one for one in near) or (blank is not None and name.endswith(blank[1]))


def test_every_place_that_is_told_holds_what_is_told_of_it() -> None:
    rows = json.loads(call("--json").output)["requirements"]
    for row in rows:
        places = row["places"]
        assert list(places["decisions"]) == row["decided_by"]
        assert list(places["tests"]) == row["tested_by"]
        assert list(places["faulty"]) == row["faulty"]
        assert bool(places["rule"]) == row["trace_rule"]
        for kind in ("faulty", "decisions", "tests"):
            for name, place in places[kind].items():
                said = MACHINES[name].draws.__name__ if name in MACHINES else name
                answers = getattr(Rulebook(), name).__name__ if kind == "decisions" else said
                assert exists(place, answers), (name, place)
        for place in places["rule"].values():
            assert (Path(__file__).parents[2] / place.partition(":")[0]).is_file()
    output = call("VER-TIE-01").output
    (row,) = (row for row in rows if row["id"] == "VER-TIE-01")
    for kind in ("decisions", "tests", "faulty"):
        for name, place in row["places"][kind].items():
            assert f"{place}  {name}\n" in output


def test_nothing_is_told_that_is_only_planned() -> None:
    untested = [row for row in json.loads(call("--json").output)["requirements"] if not row["tested_by"]]
    assert len(untested) > 10
    for row in untested:
        assert row["judged_by"] == (["rule"] if row["trace_rule"] else [])
        assert row["controls"] is None
    (planned, *_) = (row["id"] for row in untested if not row["trace_rule"])
    output = call(planned).output
    assert "Judged by        nothing yet" in output
    assert "Brought about" not in output
    assert "In a trace" not in output
    assert "Judged by        scenario, machine\n" in call("VER-STAMP-02").output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("VER-TIE-1",), "no requirement or area is named 'VER-TIE-1'; did you mean VER-TIE-01"),
        (("--area", "tombstone"), "There is no area 'tombstone'; did you mean tombstones?"),
        (("--area", "zzz"), "There is no area 'zzz'; there are: consistency, versions"),
    ],
)
def test_a_name_that_is_unknown_ends_with_2_and_what_may_have_been_meant(
    arguments: tuple[str, ...], message: str
) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_what_dialects_do_not_share_is_told_with_what_the_other_document_says() -> None:
    for line in call().output.splitlines():
        if line.startswith(("GWQ-ACK-05 ", "GWQ-ACK-06 ")):
            assert ("gemfire6" in line) == line.startswith("GWQ-ACK-05")
    output = " ".join(call("GWQ-ACK-05").output.split())
    assert "Owed in gemfire6 Said against it 002: Main Classes, L27" in output
    assert "Said against it" not in call("GWQ-ACK-06").output
    (row,) = json.loads(call("GWQ-ACK-05", "--json").output)["requirements"]
    assert row["dialects"] == ["gemfire6"]


def test_help_lists_every_area_with_its_meaning() -> None:
    output = call("--help").output
    for area in Area:
        assert f"{area} " in output
        assert AREA_MEANING[area] in output


def test_the_readme_says_how_many_requirements_are_done() -> None:
    rows = json.loads(call("--json").output)["requirements"]
    done = [row for row in rows if row["decided_by"] and row["tested_by"] and row["faulty"]]
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    assert f"{len(done)} of the {len(rows)} requirements are decided" in readme
