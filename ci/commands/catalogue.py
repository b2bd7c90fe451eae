"""`plumbline catalogue`: the requirements, and what the code does about each.

Knows where the code's registries lie, and how a requirement is shown; what it shows is computed elsewhere.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from itertools import groupby

import click
import msgspec
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbline.reference.catalogue.coverage import Coverage, Serves, coverage
from plumbline.reference.catalogue.loader import catalogue, did_you_mean
from plumbline.reference.catalogue.records import AREA_MEANING, DOCUMENTS, Area, Dialect, Level, Requirement
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
  plumbline catalogue --area tombstones
  plumbline catalogue VER-TIE-01
  plumbline catalogue --json | jq -r '.[] | select(.tested_by == []) | .id'

\b
Exit codes:
  0  shown    2  no such requirement or area
"""
)

_PIPED_WIDTH = 160


@click.command("catalogue", epilog=_EPILOG)
@click.argument("identity", metavar="[ID]", required=False)
@click.option("--area", metavar="AREA", help="Only the requirements of one area (listed below).")
@click.option("--json", "as_json", is_flag=True, help="A JSON list with one object for each requirement.")
def command(identity: str | None, area: str | None, as_json: bool) -> None:
    """Show the requirements: what each says, where it stands, what decides, tests and breaks it.

    Without ID, a table of all, or of one area. With an ID such as VER-TIE-01, everything about that one: its
    statement, the paragraph of the document behind it, what a candidate must offer to be judged on it, how a
    faulty system would break it, and how Apache Geode reads it.
    """
    if identity is not None and area is not None:
        raise click.UsageError("ID and --area exclude each other.")
    wanted = _wanted(identity, area)
    rows = [row for row in covered() if row.id in wanted]
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
    elif identity is not None:
        click.echo(_page(wanted[rows[0].id], rows[0]))
    else:
        _show_table(rows)


def _wanted(identity: str | None, area: str | None) -> dict[str, Requirement]:
    known = dict(catalogue())
    if identity is not None:
        if identity.upper() not in known:
            raise click.UsageError(f"There is no requirement '{identity}'{did_you_mean(identity)}")
        return {identity.upper(): known[identity.upper()]}
    if area is not None:
        if area not in set(Area):
            names = did_you_mean(area, [str(name) for name in Area]) or f"; there are: {', '.join(Area)}."
            raise click.UsageError(f"There is no area '{area}'{names}")
        return {entry.id: entry for entry in known.values() if entry.area == area}
    return known


def covered() -> tuple[Coverage, ...]:
    """What the code says of every requirement.

    Imported here: the suites bring pytest and Hypothesis along, which `--help` does not need.
    """
    from plumbline.reference.rulebook.decisions import DECISIONS  # noqa: PLC0415
    from plumbline.reference.rulebook.faulty import FAULTY  # noqa: PLC0415
    from plumbline.reference.rules.rule import load_rules  # noqa: PLC0415
    from plumbline.suites.machines.registry import MACHINES  # noqa: PLC0415
    from plumbline.suites.scenarios.registry import SCENARIOS  # noqa: PLC0415

    tests: dict[str, Serves] = {**SCENARIOS, **MACHINES}
    return coverage(decisions=DECISIONS, tests=tests, faulty=FAULTY, rules=load_rules().keys())


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
    console.print(_summary(rows))


def _summary(rows: list[Coverage]) -> str:
    levels = Counter(row.level for row in rows)
    counted = ", ".join(f"{levels[level]} {level}" for level in Level)
    return (
        f"{len(rows)} requirements ({counted}): "
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


def _page(entry: Requirement, row: Coverage) -> str:
    """Everything about one requirement, for reading."""
    rule = entry.trace_rule
    parts = [
        ("Demands", entry.statement),
        ("Document", f"{entry.document}, {DOCUMENTS[entry.document]}: {entry.paragraph}"),
        ("Derived", "yes: a consequence that we draw, not said outright" if entry.derived else "no"),
        ("Owed in", ", ".join(entry.dialects)),
        ("Said against it", _against(entry.id)),
        ("Needs", ", ".join(entry.capabilities)),
        ("Judged by", ", ".join(entry.judged_by)),
        ("Brought about", entry.controls),
        ("Looked at", entry.observables),
        ("Broken if", entry.break_it),
        ("In a trace", "a trace cannot tell" if rule is None else rule.text),
        ("", "" if rule is None else f"kinds: {', '.join(rule.kinds)}; columns: {', '.join(rule.columns)}"),
        ("Apache Geode", entry.product_note),
        ("Decided by", ", ".join(row.decided_by) or "nothing yet"),
        ("Tested by", ", ".join(row.tested_by) or "nothing yet"),
        ("Faulty variants", ", ".join(row.faulty) or "none yet"),
        ("Trace rule", f"reference/rules/{entry.id}.sql" if row.trace_rule else "none yet"),
        ("Reason", "" if entry.reason is None else f"{entry.reason.kind}: {entry.reason.text}"),
    ]
    lines = [f"{entry.id}  {entry.title}", f"{entry.level}, {entry.area}: {AREA_MEANING[entry.area]}", ""]
    for name, text in parts:
        if text:
            lines += textwrap.wrap(text, 100, initial_indent=f"{name:<17}", subsequent_indent=" " * 17)
    return "\n".join(lines)
