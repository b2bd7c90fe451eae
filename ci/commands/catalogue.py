"""`plumbline catalogue`: the requirements, and what the code does about each.

Knows where the code's registries lie, and how a requirement is shown; what it shows is computed elsewhere.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from itertools import groupby
from typing import Literal

import click
import msgspec
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbline.ci.terminal import completion
from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.selection import selected
from plumbline.reference.catalogue.clauses import full_name, unbroken
from plumbline.reference.catalogue.coverage import Coverage, Serves, coverage
from plumbline.reference.catalogue.loader import CatalogueError, all_requirements, did_you_mean
from plumbline.reference.catalogue.owed import OWED
from plumbline.reference.catalogue.records import (
    AREA_MEANING,
    DOCUMENTS,
    Area,
    Dialect,
    JudgedBy,
    Level,
    Requirement,
    is_extension,
)
from plumbline.reference.rulebook.dialects import CONTRADICTIONS

_EPILOG = (
    "\b\nAreas:\n"
    + "\n".join(f"  {area:<17} {AREA_MEANING[area]}" for area in Area)
    + """

\b
The columns of the table:
  decided   decisions of the rulebook that carry the id
  tested    scenarios and state machines that judge it
  faulty    faulty variants of the reference that break it
  rule      whether a rule judges it in recorded traces
  only in   the dialects that owe it, where not all do
  reason    why it cannot be decided, tested or broken, where that is so

\b
Examples:
  plumbline catalogue tombstones clear
  plumbline catalogue VER-TIE-01 CONS-RR-04
  plumbline catalogue extensions
  plumbline catalogue --json | jq -r '.requirements[] | select(.tested_by == []) | .id'

\b
Exit codes:
  0  shown    2  no such requirement or area
"""
)

_PIPED_WIDTH = 160


class Described(Coverage, frozen=True, kw_only=True):
    """A requirement: what the code does about it, its texts, and where what serves it is written."""

    judged_by: tuple[str, ...]
    statement: str
    document: str
    paragraph: str
    derived: bool
    capabilities: tuple[str, ...]
    controls: str | None
    observables: str | None
    break_it: str
    in_a_trace: str | None
    product_note: str
    against: str | None
    places: dict[str, dict[str, str]]


class CatalogueDocument(Document, frozen=True, kw_only=True, tag="plumbline.catalogue"):
    """The requirements that were asked for, in the order of the catalogue, and the extensions apart."""

    schema_version: Literal[1] = 1
    requirements: tuple[Described, ...]
    extensions: tuple[Described, ...] = ()


@click.command("catalogue", epilog=_EPILOG)
@click.argument("words", metavar="[ID|AREA]...", nargs=-1, shell_complete=completion.requirements)
@click.option("--area", "areas", multiple=True, metavar="AREA", help="Also those of an area (listed below).")
@click.option("--json", "as_json", is_flag=True, help="A JSON document with one object for each requirement.")
def command(words: tuple[str, ...], areas: tuple[str, ...], as_json: bool) -> None:
    """Show the requirements: what each says, where it stands, what decides, tests and breaks it.

    Without arguments it is a table of all; with areas, or beginnings of ids such as VER, a table of those.

    With ids such as VER-TIE-01 it is everything about each: its statement, the paragraph of the document
    behind it, what a candidate must offer to be judged on it, what decides, tests and breaks it and the
    lines where that is written, and how Apache Geode reads it.
    """
    known = all_requirements()
    wanted = {identity: known[identity] for identity in selected(_named(words, areas)) or known}
    rows = [row for row in covered() if row.id in wanted]
    if as_json:
        told = [_described(wanted[row.id], row) for row in rows]
        apart = tuple(one for one in told if is_extension(one.id))
        counted = tuple(one for one in told if not is_extension(one.id))
        show(CatalogueDocument(requirements=counted, extensions=apart))
    elif words and not areas and all(word.upper() in known for word in words):
        click.echo("\n\n".join(_page(wanted[row.id], row) for row in rows))
    else:
        _show_table(rows)


def _named(words: tuple[str, ...], areas: tuple[str, ...]) -> tuple[str, ...]:
    """What is asked for: ids may be written small, areas must be there."""
    for area in areas:
        if area not in set(Area):
            names = did_you_mean(area, [str(name) for name in Area]) or f"; there are: {', '.join(Area)}."
            raise click.UsageError(f"There is no area '{area}'{names}")
    return (*(word if word in set(Area) else word.upper() for word in words), *areas)


def covered() -> tuple[Coverage, ...]:
    """What the code says of every requirement.

    Imported here: the suites bring pytest and Hypothesis along, which `--help` does not need.
    """
    from plumbline.reference.rulebook.decisions import DECISIONS  # noqa: PLC0415
    from plumbline.reference.rulebook.faulty_variants import FAULTY  # noqa: PLC0415
    from plumbline.reference.rules.rule import load_rules  # noqa: PLC0415
    from plumbline.suites.machines.all_machines import MACHINES  # noqa: PLC0415
    from plumbline.suites.scenarios.all_scenarios import SCENARIOS  # noqa: PLC0415

    tests: dict[str, Serves] = {**SCENARIOS, **MACHINES}
    rows = coverage(decisions=DECISIONS, tests=tests, faulty=FAULTY, rules=load_rules().keys())
    tested = {row.id: row.tested_by for row in rows if row.tested_by}
    faulty = {name: variant.requirements for name, variant in FAULTY.items()}
    if wrong := list(unbroken(all_requirements(), tested, faulty)):
        raise CatalogueError("; ".join(wrong))
    return rows


def _show_table(rows: list[Coverage]) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        # A pipe has no width; one line for each requirement is what grep and people want.
        console = Console(highlight=False, width=_PIPED_WIDTH)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("requirement", no_wrap=True)
    table.add_column("level", no_wrap=True)
    table.add_column("title", overflow="fold")
    for name in ("decided", "tested", "faulty"):
        table.add_column(name, justify="right")
    table.add_column("rule")
    table.add_column("only in")
    table.add_column("reason", overflow="fold")
    for area, members in groupby(rows, key=lambda row: row.area):
        table.add_section()
        table.add_row(Text(area, style="bold"))
        for row in members:
            table.add_row(
                row.id,
                row.level,
                Text(row.title),
                *(str(len(names) or "") for names in (row.decided_by, row.tested_by, row.faulty)),
                "yes" if row.trace_rule else "",
                "" if set(row.dialects) == set(Dialect) else ", ".join(row.dialects),
                row.reason.kind.replace("_", " ") if row.reason else "",
            )
    console.print(table)
    counted = [row for row in rows if not is_extension(row.id)]
    levels = Counter(row.level for row in counted)
    kinds = ", ".join(f"{levels[level]} {level}" for level in Level if level is not Level.EXTENSION)
    if counted or not rows:
        console.print(_summary(counted, f"{len(counted)} requirements ({kinds})"))
    if apart := [row for row in rows if is_extension(row.id)]:
        console.print(_summary(apart, f"{len(apart)} extensions, counted apart"))


def _summary(rows: list[Coverage], what: str) -> str:
    return (
        f"{what}: "
        f"{sum(bool(row.decided_by) for row in rows)} decided, "
        f"{sum(bool(row.tested_by) for row in rows)} tested, "
        f"{sum(bool(row.faulty) for row in rows)} broken by a faulty variant, "
        f"{sum(row.trace_rule for row in rows)} with a trace rule, "
        f"{sum(row.reason is not None for row in rows)} with a reason why not."
    )


def _against(identity: str) -> str:
    """What another document says instead, where it is not owed."""
    for point in CONTRADICTIONS:
        for saying, other in ((point.earlier, point.later), (point.later, point.earlier)):
            if identity in saying.requirements:
                return f"{other.document}: {other.paragraph}: {point.about}: {other.words}"
    return ""


def _needs(entry: Requirement) -> str:
    """Every capability that it takes to be judged on all of a requirement."""
    some = [f"{clause.id} {', '.join(clause.needs)}" for clause in entry.clauses if clause.needs]
    return "; and for clauses ".join((", ".join(entry.capabilities), *some))


def _clauses(row: Coverage) -> list[str]:
    """The clauses of a statement that has several: what each demands, and what breaks it."""
    lines = []
    for number, clause in enumerate(row.clauses):
        broken = ", ".join(clause.variants)
        if not broken:
            owed = full_name(row.id, clause.id) in OWED
            broken = clause.reason.text if clause.reason else "no faulty variant" + (" yet" if owed else "")
        needs = f"; needs {', '.join(clause.needs)}" if clause.needs else ""
        lines += textwrap.wrap(
            f"{clause.id}: {clause.says} [{broken}{needs}]",
            100,
            initial_indent=f"{'' if number else 'Clauses':<17}",
            subsequent_indent=" " * 19,
            break_on_hyphens=False,
        )
    return lines


_HEADS = {"decisions": "Decided by", "tests": "Tested by", "faulty": "Faulty variants", "rule": "Trace rule"}


def _judges(row: Coverage) -> tuple[str, ...]:
    """What judges a requirement today."""
    from plumbline.suites.machines.all_machines import MACHINES  # noqa: PLC0415 - as for `covered`

    drawn = any(name in MACHINES for name in row.tested_by)
    written = any(name not in MACHINES for name in row.tested_by)
    judges = {JudgedBy.SCENARIO: written, JudgedBy.MACHINE: drawn, JudgedBy.RULE: row.trace_rule}
    return tuple(judge.value for judge, there in judges.items() if there)


def _described(entry: Requirement, row: Coverage) -> Described:
    """What the code does about a requirement, where that is written, and its texts; nothing planned."""
    from plumbline.ci.places import places  # noqa: PLC0415 - as for `covered`

    rule = entry.trace_rule if row.trace_rule else None
    return Described(
        **msgspec.structs.asdict(row),
        judged_by=_judges(row),
        statement=entry.statement,
        document=entry.document,
        paragraph=entry.paragraph,
        derived=entry.derived,
        capabilities=entry.capabilities,
        controls=entry.controls if row.tested_by else None,
        observables=entry.observables if row.tested_by else None,
        break_it=entry.break_it,
        in_a_trace=rule.text if rule else None,
        product_note=entry.product_note,
        against=_against(entry.id) or None,
        places=places(row),
    )


def _page(entry: Requirement, row: Coverage) -> str:
    """Everything about one requirement that is so today, for reading."""
    from plumbline.ci.places import places  # noqa: PLC0415 - as for `covered`

    where = places(row)
    rule = entry.trace_rule if row.trace_rule else None
    tested = bool(row.tested_by)
    parts = [
        ("Demands", entry.statement),
        ("Document", f"{entry.document}, {DOCUMENTS[entry.document]}: {entry.paragraph}"),
        ("Derived", "yes: a consequence that we draw, not said outright" if entry.derived else "no"),
        ("Owed in", ", ".join(entry.dialects)),
        ("Said against it", _against(entry.id)),
        ("Needs", _needs(entry)),
        ("Judged by", ", ".join(_judges(row)) or "nothing yet"),
        ("Brought about", entry.controls if tested else ""),
        ("Looked at", entry.observables if tested else ""),
        ("Broken if", entry.break_it),
        ("In a trace", rule.text if rule else ""),
        ("", f"kinds: {', '.join(rule.kinds)}; columns: {', '.join(rule.columns)}" if rule else ""),
        ("Apache Geode", entry.product_note),
        ("Reason", "" if entry.reason is None else f"{entry.reason.kind}: {entry.reason.text}"),
    ]
    lines = [f"{entry.id}  {entry.title}", f"{entry.level}, {entry.area}: {AREA_MEANING[entry.area]}", ""]
    for name, text in parts:
        if text:
            lines += textwrap.wrap(
                text,
                100,
                initial_indent=f"{name:<17}",
                subsequent_indent=" " * 17,
                break_on_hyphens=False,
            )
    heads = {
        "decisions": "Decided by",
        "tests": "Tested by",
        "faulty": "Faulty variants",
        "rule": "Trace rule",
    }
    for kind, head in heads.items():
        # One a line and never broken, so that an editor finds the place.
        told = [f"{place}  {name}" for name, place in where[kind].items()] or ["nothing yet"]
        lines += [f"{head if not number else '':<17}{words}" for number, words in enumerate(told)]
    if entry.clauses:
        lines += _clauses(row)
    return "\n".join(lines)
