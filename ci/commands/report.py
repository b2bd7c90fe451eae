"""`plumbline report`: run directories in, a static HTML site out.

Knows the command line only; reading, rendering and writing lie in `plumbline.reports`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click
import msgspec

from plumbline.ci.commands.catalogue import covered
from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.error_messages import CommandError
from plumbline.ci.terminal.progress import patiently
from plumbline.ci.terminal.run_directories import all_runs, older_words, run_directories
from plumbline.ci.terminal.settings import config_option
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.file_record import UnreadableRunError
from plumbline.reference.judged.store import is_judged, read_tables
from plumbline.reports.collection import Collection, collect, newest
from plumbline.reports.judged_site import build_judged
from plumbline.reports.pair_page import pair_page
from plumbline.reports.site import Built, build
from plumbline.reports.text import one_line
from plumbline.suites.run.configuration import Settings


class ReportDocument(Document, frozen=True, kw_only=True, tag="plumbline.report"):
    """What was written; `index` is null if there was nothing to write a site about."""

    schema_version: Literal[1] = 1
    index: str | None
    candidates: int
    requirements: int
    set_aside: tuple[Unreadable, ...]
    older_runs: tuple[str, ...]


class Unreadable(msgspec.Struct, frozen=True, kw_only=True):
    """A path that was left out, and why."""

    path: str
    reason: str


_EPILOG = """\
\b
Examples:
  plumbline report                          open site/index.html
  plumbline report runs judged --out site   with what plumbline judge found
  plumbline report judged                   of any number of runs, from what plumbline judge wrote
  plumbline report runs --json | jq -r .index

\b
Exit codes:
  0  a site was written, with any verdicts    2  nothing could be read
"""


@click.command("report", epilog=_EPILOG)
@run_directories
@all_runs
@click.option(
    "--out",
    default=Path("site"),
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write the site into.",
)
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
@click.pass_context
def command(
    context: click.Context,
    directories: tuple[Path, ...],
    every: bool,
    out: Path,
    settings: Settings,
    as_json: bool,
) -> None:
    """Write a static HTML site about any number of run directories.

    DIR is a run directory, a folder with such at any depth, or what `plumbline judge` has written about
    them. Without any, the folder of runs is read (`out` in plumbline.toml, else runs). Of each candidate and
    requirement the newest run counts that asked for it and plays at least as much.

    Where DIR is alone and holds what `plumbline judge` has written, the site is made of its tables: all runs
    and versions, with as many pages for ten runs as for a million.

    The site needs no server and asks for nothing from the network. What cannot be read is set aside, named
    here and on the first page, and makes nothing green.
    """
    places = directories or (settings.out,)
    if len(places) == 1 and is_judged(places[0]):
        _of_tables(context, places[0], out, as_json=as_json)
        return
    with patiently() as advanced:
        collection = collect(places, advanced("Reading runs"))
        if not every:
            collection = newest(collection)
        built = None
        if collection.candidates:
            built = build(
                collection,
                all_requirements(),
                out,
                coverage=covered(),
                pairs=pair_page(collection),
                advanced=advanced("Writing pages"),
            )
    if as_json:
        show(_summary(collection, built), compact=True)
    else:
        _tell(collection, built)
    context.exit(0 if built else 2)


def _of_tables(context: click.Context, judged: Path, out: Path, *, as_json: bool) -> None:
    """The site of judged tables alone."""
    try:
        tables = read_tables(judged)
    except UnreadableRunError as error:
        raise CommandError(one_line(str(error))) from error
    with patiently() as advanced:
        known, writing = all_requirements(), advanced("Writing pages")
        built = build_judged(tables, known, out, coverage=covered(), advanced=writing)
    aside = tables["set_aside"]
    candidates = {row["candidate"] for row in tables["runs"]}
    runs = sum(row["runs"] for row in tables["runs"])
    if as_json:
        named = tuple(Unreadable(path=row["path"], reason=row["reason"]) for row in aside)
        show(
            ReportDocument(
                index=str(built.index),
                candidates=len(candidates),
                requirements=built.requirements,
                set_aside=named,
                older_runs=(),
            ),
            compact=True,
        )
    else:
        click.echo(str(built.index))
        flaws = aside[0]["flaws"] if aside else 0
        click.echo(f"{_count(len(candidates), 'candidate')}, {_count(runs, 'run')}; {flaws} set aside")
    context.exit(0)


def _summary(collection: Collection, built: Built | None) -> ReportDocument:
    return ReportDocument(
        index=str(built.index) if built else None,
        candidates=len(collection.candidates),
        requirements=built.requirements if built else 0,
        set_aside=tuple(Unreadable(path=item.path, reason=item.reason) for item in collection.set_aside),
        older_runs=collection.older,
    )


def _tell(collection: Collection, built: Built | None) -> None:
    for item in collection.set_aside:
        click.echo(f"set aside: {one_line(item.path)}: {one_line(item.reason)}", err=True)
    for candidate in collection.candidates:
        for trouble in candidate.troubles:
            click.echo(f"incomplete: {one_line(candidate.name)}: {one_line(trouble)}", err=True)
    if built is None:
        click.echo(
            "nothing could be read, so no site was written; `plumbline run` leaves run directories below the "
            "folder `runs`",
            err=True,
        )
        return
    click.echo(str(built.index))
    failing = sum(candidate.exit_code != 0 for candidate in collection.candidates)
    click.echo(
        f"{_count(len(collection.candidates), 'candidate')}, {failing} of them not green; "
        f"{_count(built.requirements, 'requirement')}; {len(collection.set_aside)} set aside"
    )
    if collection.older:
        click.echo(older_words(len(collection.older)))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
