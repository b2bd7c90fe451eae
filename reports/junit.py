"""JUnit XML out of verdict rows, for build servers.

One test suite a run, one case a requirement with its merged verdict. Knows no build server in particular:
it keeps to elements and attributes that all of them read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree import ElementTree as ET

from plumbline.reference.catalogue.records import is_extension
from plumbline.reference.results.runs import RunRecord
from plumbline.reference.results.totals import merged, reasons
from plumbline.reference.results.verdicts import MEANING, UNTESTED, VerdictRow
from plumbline.reports.signs import JUNIT_ELEMENT
from plumbline.reports.text import one_line, visible


def junit_xml(
    record: RunRecord, rows: Iterable[VerdictRow], titles: Mapping[str, str] | None = None
) -> bytes:
    """The verdict table of one run as a JUnit document in UTF-8, valid for all characters in the texts.

    Args:
        record: the run; one that did not end in order gets a case of its own that is an error, and one
            that its time budget has ended gets one that is skipped.
        rows: its verdict table.
        titles: of requirements by id, put behind the id in the name of the case.
    """
    whole = not record.trouble
    by_requirement: dict[str, list[VerdictRow]] = {}
    for row in rows:
        by_requirement.setdefault(row.requirement, []).append(row)
    root = ET.Element("testsuites", name="plumbline")
    suite = ET.SubElement(
        root,
        "testsuite",
        name=one_line(record.candidate),
        timestamp=one_line(record.started.removesuffix("Z")),
        time=f"{record.seconds:.3f}",
    )
    properties = ET.SubElement(suite, "properties")
    for name in ("run_id", "suite_version", "product", "product_version", "dialect", "profile", "seed"):
        ET.SubElement(properties, "property", name=name, value=one_line(str(getattr(record, name))))
    if record.ended_early:
        early = ET.SubElement(
            suite, "testcase", classname=_class_name(record.candidate), name="the run itself: time budget"
        )
        ET.SubElement(early, "skipped", type="ended early", message=one_line(record.ended_early, 1_000))
    for requirement, found in by_requirement.items():
        _case(suite, record.candidate, requirement, found, titles or {}, whole=whole)
    verdicts = merged((row for found in by_requirement.values() for row in found), whole=whole).values()
    nothing = "" if set(verdicts) - UNTESTED else "nothing at all could be judged"
    if record.trouble or nothing:
        name = _class_name(record.candidate)
        case = ET.SubElement(suite, "testcase", classname=name, name="the run itself")
        kind = "incomplete" if record.trouble else "unjudged"
        ET.SubElement(case, "error", type=kind, message=record.trouble or nothing)
    suite.set("tests", str(len(suite.findall("testcase"))))
    for status, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(status, str(len(suite.findall(f"testcase/{element}"))))
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document


def _case(
    suite: ET.Element,
    candidate: str,
    requirement: str,
    rows: list[VerdictRow],
    titles: Mapping[str, str],
    *,
    whole: bool,
) -> None:
    (verdict,) = merged(rows, whole=whole).values()
    title = titles.get(requirement, "")
    case = ET.SubElement(
        suite,
        "testcase",
        classname=_class_name(candidate),
        name=one_line(f"{requirement} {title}".rstrip(), 300),
        time=f"{sum(row.seconds for row in rows):.3f}",
    )
    element = JUNIT_ELEMENT.get(MEANING[verdict].junit)
    if element is not None and is_extension(requirement):
        element = "skipped"  # it fails no build; the gate weighs it by its policy
    if element is not None:
        why = reasons(rows, verdict, whole=whole)
        message = one_line("; ".join([verdict.value, *why]), 1_000)
        told = ET.SubElement(case, element, type=verdict.value, message=message)
        told.text = "\n".join(_line(row) for row in rows)
    elif why := reasons(rows, verdict, whole=whole):
        # A pass may leave something open: clauses that were not reached, examples that were not decided.
        ET.SubElement(case, "system-out").text = visible("\n".join(why))


def _line(row: VerdictRow) -> str:
    line = f"{row.source.value}: {row.verdict.value}, exercised {row.exercised}, failures {row.failures}"
    if row.counterexample:
        line += f", counterexamples/{one_line(row.counterexample, 300)}"
    return f"{line}: {visible(row.reason)}" if row.reason else line


def _class_name(candidate: str) -> str:
    """Build servers split class names at dots; a candidate's name has to stay in one piece."""
    return "plumbline." + one_line(candidate, 200).replace(".", "_")
