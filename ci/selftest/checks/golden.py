"""Golden answers: one hash for each table of what Plumbline decides, to see that a rebuild changes nothing.

`python -m plumbline.ci.selftest.checks.golden` prints the hashes. `--out FILE` keeps the tables.
`--against FILE` prints the first rows that differ from kept ones. Seconds and visited states are no part of
a table, since a faster search is welcome. Knows nothing of whether an answer is right.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.checks.kills import kill
from plumbline.ci.selftest.generators.random_trials import draw_trial
from plumbline.ci.selftest.histories import (
    bucket_samples,
    checking_samples,
    client_right,
    client_wrong,
    gateway_right,
    gateway_wrong,
    region_samples,
    replicate_samples,
    transaction_samples,
    version_samples,
)
from plumbline.ci.selftest.histories.history_builder import Sample
from plumbline.ci.selftest.soundness.comparison import searched
from plumbline.ci.selftest.soundness.witnesses import read_witnesses
from plumbline.ci.terminal.progress import Advanced, patiently
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.plans import Plan
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.rules.judging import findings
from plumbline.reference.trace.files import verified_files
from plumbline.reference.trace.schema import TRACE_SCHEMA
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.running import Options, run_suite

Row = tuple[str, str]
"""What was asked, and the answer."""

Table = Callable[[int, Advanced], Iterator[Row]]
"""Gives the rows of a table, for so many cases where it has a size; reports how far it is."""

TRIALS: dict[str, dict[str, bool | int]] = {
    "one site": {},
    "clients": {"clients": True},
    "policies": {"policies": True},
    "tombstones": {"tombstones": True},
    "buckets": {"buckets": True},
    "transactions": {"transactions": True},
    "two sites": {"sites": 2},
    "dispatchers": {"sites": 2, "dispatchers": True},
    "resolvers": {"sites": 2, "resolvers": True},
    "three sites": {"sites": 3},
}
"""The kinds of trials, and what each asks of `draw_trial`."""

SAMPLES: dict[str, dict[str, Sample]] = {
    "buckets, right": bucket_samples.RIGHT,
    "buckets, wrong": bucket_samples.WRONG,
    "checking, right": checking_samples.RIGHT,
    "checking, wrong": checking_samples.WRONG,
    "clients, right": client_right.RIGHT,
    "clients, wrong": client_wrong.WRONG,
    "gateways, right": gateway_right.RIGHT,
    "gateways, wrong": gateway_wrong.WRONG,
    "regions, right": region_samples.RIGHT,
    "regions, wrong": region_samples.WRONG,
    "replicates, right": replicate_samples.RIGHT,
    "replicates, wrong": replicate_samples.WRONG,
    "versions, right": version_samples.RIGHT,
    "versions, wrong": version_samples.WRONG,
    "transactions, right": transaction_samples.RIGHT,
    "transactions, wrong": transaction_samples.WRONG,
}
"""The small histories that rules are tried on."""

MOST_SHOWN = 10
"""So many differing rows of a table are printed."""

SEED = 1


def _digest(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()[:16]


def _trials(kind: str) -> Table:
    def rows(cases: int, advanced: Advanced) -> Iterator[Row]:
        for seed in range(cases):
            trial = draw_trial(seed, **TRIALS[kind])  # type: ignore[arg-type] # a mapping of its own options
            yield f"{seed} {_digest(trial.history)} {trial.rulebook}", searched(trial.history, trial.rulebook)
            advanced(seed + 1, cases)

    return rows


def _witnesses(_: int, advanced: Advanced) -> Iterator[Row]:
    kept = read_witnesses()
    for done, (name, witnesses) in enumerate(sorted(kept.items())):
        for number, witness in enumerate(witnesses):
            yield f"{name} {number}", searched(witness.history, witness.rulebook)
        advanced(done + 1, len(kept))


def _kills(_: int, advanced: Advanced) -> Iterator[Row]:
    for done, (name, variant) in enumerate(sorted(FAULTY.items())):
        for row in kill(variant, find_candidate(f"faulty:{name}"), PROFILES["smoke"], SEED):
            yield f"{name} {row.requirement}", f"killed {row.killed}, named {row.named}"
        advanced(done + 1, len(FAULTY))


def _rules(_: int, advanced: Advanced) -> Iterator[Row]:
    """What each rule finds in each sample: opportunities and violations."""
    samples = {
        f"{family} {name}": sample for family, of_it in SAMPLES.items() for name, sample in of_it.items()
    }
    events = [row for name, sample in samples.items() for row in sample.rows(name, "e")]
    found = findings(pa.Table.from_pylist(events, schema=TRACE_SCHEMA), list(samples))
    for one in found:
        yield (
            f"{one.run_id} {one.requirement}",
            f"{one.opportunities} opportunities, {one.violations} violations",
        )
    advanced(1, 1)


def _plans(_: int, advanced: Advanced) -> Iterator[Row]:
    for done, machine in enumerate(MACHINES.values()):
        plans: list[Plan] = []
        drive(
            machine,
            plans.append,
            offers=frozenset(Capability),
            examples=PROFILES["smoke"].examples,
            steps=PROFILES["smoke"].rules,
            draw_seed=SEED,
            shrink=False,
        )
        yield from ((f"{machine.name} {number}", _digest(plan)) for number, plan in enumerate(plans))
        advanced(done + 1, len(MACHINES))


def _run(candidate: str, profile: str) -> Table:
    """The verdict table of a run, and its trace without clock times."""

    def rows(__: int, advanced: Advanced) -> Iterator[Row]:
        with TemporaryDirectory() as folder:
            options = Options(profile=PROFILES[profile], seed=SEED, jobs=2)
            outcome = run_suite(
                find_candidate(candidate), options, Path(folder), lambda _, done, of: advanced(done, of)
            )
            for row in sorted(outcome.rows, key=lambda row: (row.requirement, row.source)):
                yield f"{row.requirement} {row.source}", f"{row.verdict}, exercised {row.exercised}"
            files, _ = verified_files(outcome.directory, outcome.record.run_id)
            yield "rows of the trace", str(sum(pq.read_metadata(file).num_rows for file in files))

    return rows


TABLES: dict[str, Table] = {
    **{f"trials of {kind}": _trials(kind) for kind in TRIALS},
    "witnesses": _witnesses,
    "rules on samples": _rules,
    "faulty variants": _kills,
    "drawn plans": _plans,
    "gate run of the reference": _run("reference", "gate"),
    "smoke run of the random reference": _run("reference:chaotic", "smoke"),
}
"""Every table by name."""


def differences(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    """One line for each row that only one table has, or that the two answer differently."""
    for asked in sorted(before.keys() | after.keys()):
        old, new = before.get(asked, "no such row"), after.get(asked, "no such row")
        if old != new:
            yield f"{asked}: {old}, now {new}"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--cases", type=click.IntRange(min=1), default=200, show_default=True, help="Trials of each kind."
)
@click.option("--table", "names", multiple=True, type=click.Choice(list(TABLES)), help="Only this table.")
@click.option("--out", type=click.Path(path_type=Path), help="Keep the tables in this file.")
@click.option(
    "--against",
    type=click.Path(path_type=Path, exists=True),
    help="Compare with the tables kept in this file.",
)
def main(cases: int, names: tuple[str, ...], out: Path | None, against: Path | None) -> None:
    """Print a hash for each table of golden answers.

    Exit code 1 where a row differs from the tables of --against.
    """
    kept: dict[str, dict[str, str]] = {}
    if against is not None:
        kept = msgspec.json.decode(against.read_bytes(), type=dict[str, dict[str, str]])
    console = Console()
    tables: dict[str, dict[str, str]] = {}
    differing = 0
    with patiently() as part:
        for name in names or TABLES:
            began = time.monotonic()
            tables[name] = dict(TABLES[name](cases, part(name)))
            told = f"{name}: {len(tables[name])} rows, {_digest(sorted(tables[name].items()))}"
            console.print(f"{told}  ({time.monotonic() - began:.0f} s)", highlight=False, markup=False)
            if name in kept:
                found = list(differences(kept[name], tables[name]))
                differing += len(found)
                for line in islice(found, MOST_SHOWN):
                    console.print(f"  {line}", highlight=False, markup=False, soft_wrap=True)
                if len(found) > MOST_SHOWN:
                    console.print(f"  and {len(found) - MOST_SHOWN} more rows differ", highlight=False)
            if out is not None:
                # After each table, so that an interrupted command has kept those before.
                out.write_bytes(msgspec.json.encode(tables, order="deterministic") + b"\n")
    if against is not None:
        console.print(f"{differing} rows differ" if differing else "every row is the same", highlight=False)
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
