"""How large a site of many candidates is, how long it takes to write, and how long its pages take to open.

The runs are made up: each candidate has verdicts on every requirement, drawn from a seed, and what failed has
one of the counterexamples that are shipped. Knows what is measured, not how a browser is asked.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import msgspec

from plumbline.ci.commands.catalogue import covered
from plumbline.ci.lint import ROOT
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.distribution import VERSION
from plumbline.reference.results.runs import (
    Counterexample,
    RunRecord,
    read_counterexample,
    write_counterexample,
    write_record,
    write_verdicts,
)
from plumbline.reference.results.sealing import seal_run
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow
from plumbline.reports.collection import collect
from plumbline.reports.opening import opened
from plumbline.reports.site import build

SHIPPED = ROOT / "ci" / "counterexamples"

CANDIDATES = 10
TIMES = 5
FAILING = 0.1
"""Share of the requirements that fail at a candidate, each with a counterexample."""

SEED = 1
REASON = "no correct run shows what was observed; explained if a decision is answered otherwise: "


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One page of the site.

    Attributes:
        name: what it is.
        file: its path in the site.
        bytes: its size; nothing else is loaded for it.
        seconds: until it was loaded and drawn, for each time that it was opened, the first of them first.
    """

    name: str
    file: str
    bytes: int
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Seconds, the median."""
        return median(self.seconds)


class MeasuredSite(msgspec.Struct, frozen=True, kw_only=True):
    """A site: what it is about, all its files, seconds to read the runs and write it, and its pages."""

    requirements: int
    candidates: int
    files: int
    bytes: int
    seconds: float
    pages: tuple[Page, ...]


def measure(
    candidates: int = CANDIDATES,
    times: int = TIMES,
    advanced: Callable[[int, int], None] = lambda _done, _all: None,
) -> MeasuredSite:
    """Make up runs, write their site, and open its pages; raises CannotTakeError where there is no browser.

    Args:
        candidates: how many.
        times: how often each page is opened.
        advanced: told how many pages of how many are written.
    """
    with tempfile.TemporaryDirectory(prefix="plumbline-site-") as folder, opened() as browser:
        home = Path(folder)
        make_up(home / "runs", candidates)
        site = home / "site"
        began = time.monotonic()
        built = build(collect([home / "runs"]), catalogue(), site, coverage=covered(), advanced=advanced)
        seconds = time.monotonic() - began
        sizes = [path.stat().st_size for path in site.rglob("*") if path.is_file()]
        pages = [
            Page(
                name=name,
                file=path.relative_to(site).as_posix(),
                bytes=path.stat().st_size,
                seconds=tuple(browser.seconds_to_open(path) for _ in range(times)),
            )
            for name, path in {
                "overview": built.index,
                "matrix": site / "matrix.html",
                "requirement": _largest(site / "requirements"),
                "counterexample": _largest(site / "counterexamples"),
            }.items()
        ]
    return MeasuredSite(
        requirements=built.requirements,
        candidates=candidates,
        files=len(sizes),
        bytes=sum(sizes),
        seconds=seconds,
        pages=tuple(pages),
    )


def make_up(runs: Path, candidates: int) -> None:
    """Write a run directory for each candidate, with a verdict table and counterexamples but no trace."""
    draw = random.Random(SEED)  # noqa: S311 - a sample, not secrets
    shipped = [read_counterexample(path) for path in sorted(SHIPPED.glob("*.json"))]
    for number in range(1, candidates + 1):
        directory = runs / f"run-{number}"
        rows = [row for identity in catalogue() for row in _rows(directory, identity, shipped, draw)]
        record = RunRecord(
            run_id=directory.name,
            suite_version=VERSION,
            candidate=f"process:./adapter-{number} --stdio",
            product=f"Product {number}",
            product_version=f"{number}.0",
            dialect=Dialect.GEODE,
            profile="gate",
            seed=SEED,
            started="2026-01-01T00:00:00Z",
            capabilities=tuple(Capability),
            complete=True,
        )
        write_record(directory, record)
        write_verdicts(directory, rows)
        seal_run(directory)


def _rows(
    directory: Path, identity: str, shipped: list[Counterexample], draw: random.Random
) -> list[VerdictRow]:
    """What scenario, machine and rule say of one requirement; a failure has its counterexample written."""
    fails = draw.random() < FAILING
    rows = []
    for source in Source:
        verdict = Verdict.FAIL if fails else draw.choice((Verdict.PASS, Verdict.NOT_EXERCISED))
        file = ""
        if fails and source is Source.SCENARIO:
            example = msgspec.structs.replace(draw.choice(shipped), requirements=(identity,))
            file = write_counterexample(directory, f"scenario-{identity}", example)
        rows.append(
            VerdictRow(
                run_id=directory.name,
                requirement=identity,
                source=source,
                verdict=verdict,
                exercised=int(verdict is not Verdict.NOT_EXERCISED),
                failures=int(fails),
                reason=f"{REASON}{identity.lower()}, seen by {source}" if fails else "",
                counterexample=file,
                seconds=draw.random(),
            )
        )
    return rows


def _largest(folder: Path) -> Path:
    return max(folder.glob("*.html"), key=lambda path: path.stat().st_size)
