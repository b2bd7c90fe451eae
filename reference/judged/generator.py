"""Generated runs, made from recorded ones, to try reports of many runs on.

    python -m plumbline.reference.judged.generator RIGHT OUT [--wrong WRONG] [--runs 100] [--days 20]

A generated run holds some examples of a recorded run, and its verdicts. Its times are drawn. Its candidate is
named `generated:…`, which sets it apart from a run. Three versions follow each other. In the second of
them some runs are made from WRONG, a run of a faulty variant. The same arguments make the same runs.
"""

from __future__ import annotations

import random
import shutil
from datetime import UTC, datetime, time, timedelta
from itertools import accumulate, pairwise
from pathlib import Path

import click
import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from plumbline.reference.judged.subject import NO_DAY, day_of
from plumbline.reference.results.runs import (
    RunRecord,
    UnreadableRunError,
    read_record,
    read_verdicts,
    write_record,
    write_verdicts,
)
from plumbline.reference.results.sealing import EXAMPLES, seal_run
from plumbline.reference.results.verdicts import Source, VerdictRow
from plumbline.reference.rules.survey import find_runs
from plumbline.reference.trace.files import file_schema, seal, verified_files
from plumbline.reference.trace.schema import TRACE_SCHEMA, TraceKind

VERSIONS = ("1.0", "1.1", "1.2")
WRONG_SHARE = 0.3
"""Of the runs of the second version, so many are made from the wrong run."""

EXAMPLES_A_RUN, POOL = 15, 240
"""Examples of a generated run, and of how many they are drawn."""

MEAN_US = 300.0
"""Mean time between two rows of an example."""


class Recorded(msgspec.Struct, frozen=True):
    """A recorded run that others are made from: its record, its verdicts, and the rows of some examples."""

    directory: Path
    record: RunRecord
    verdicts: tuple[VerdictRow, ...]
    examples: tuple[pa.Table, ...]


def recorded_run(directory: Path, draw: random.Random) -> Recorded:
    """Read a run, or the newest below a folder; raises UnreadableRunError."""
    place = max(find_runs([directory]), key=lambda found: read_record(found).started)
    record = read_record(place)
    files, flaws = verified_files(place, record.run_id)
    if flaws or not files:
        raise UnreadableRunError(f"{place}: {flaws[0].reason if flaws else 'it has no trace'}")
    import pyarrow.dataset as ds  # noqa: PLC0415 - it brings pandas along where that is installed

    trace = ds.dataset([str(file) for file in files], schema=TRACE_SCHEMA, format="parquet")
    begun = pc.equal(pc.field("kind"), TraceKind.EXAMPLE_BEGIN)
    names = sorted(set(trace.to_table(columns=["example"], filter=begun)["example"].to_pylist()))
    pool = draw.sample(names, min(POOL, len(names)))
    kept = trace.to_table(filter=pc.field("example").isin(pool))
    rows = kept.sort_by([("example", "ascending"), ("seq", "ascending")])
    starts = [place for place, seq in enumerate(rows["seq"].to_pylist()) if seq == 0] + [rows.num_rows]
    examples = (rows.slice(at, until - at) for at, until in pairwise(starts))
    own = (row for row in read_verdicts(place) if row.source is not Source.RULE)
    return Recorded(place, record, tuple(own), tuple(examples))


def generate(
    out: Path, right: Recorded, wrong: Recorded | None, *, runs: int, days: int, seed: int = 1
) -> list[Path]:
    """Write the runs below a folder; those that are there stay as they are.

    Args:
        out: the folder.
        right: what most runs are made from.
        wrong: what some runs of the second version are made from; none if left out.
        runs: so many.
        days: they are spread evenly over so many days, which end with that of the recorded run.
        seed: what is drawn.
    """
    made = []
    for number in range(runs):
        draw = random.Random(f"{seed}/{number}")  # noqa: S311 - examples, not secrets
        day = number * days // runs
        version = VERSIONS[day * len(VERSIONS) // days]
        broken = wrong is not None and version == VERSIONS[1] and draw.random() < WRONG_SHARE
        source = wrong if broken and wrong is not None else right
        directory = out / f"generated-{seed}-{number:06}"
        if not (directory / "seal.json").is_file():
            shutil.rmtree(directory, ignore_errors=True)
            began = _start(right.record, days - day) + timedelta(minutes=number % 1_000)
            _write(directory, source, right.record.candidate, version, began, draw)
        made.append(directory)
    return made


def _start(record: RunRecord, days_ago: int) -> datetime:
    day = day_of(record.started)
    known = datetime.now(UTC) if day == NO_DAY else datetime.fromisoformat(record.started)
    return datetime.combine(known.date(), time(), UTC) - timedelta(days=days_ago)


def _write(
    directory: Path, source: Recorded, candidate: str, version: str, began: datetime, draw: random.Random
) -> None:
    run_id = directory.name
    chosen = draw.sample(source.examples, min(EXAMPLES_A_RUN, len(source.examples)))
    _write_trace(directory, run_id, pa.concat_tables(chosen), draw)
    named = {row.counterexample for row in source.verdicts if row.counterexample}
    (directory / EXAMPLES).mkdir()
    for name in sorted(named):
        shutil.copyfile(source.directory / EXAMPLES / name, directory / EXAMPLES / name)
    rows = [msgspec.structs.replace(row, run_id=run_id) for row in source.verdicts]
    write_verdicts(directory, rows)
    record = msgspec.structs.replace(
        source.record,
        run_id=run_id,
        candidate=f"generated:{candidate}",
        product_version=version,
        surroundings=f"generated from the run {source.record.run_id}",
        started=began.isoformat(timespec="milliseconds"),
        seed=draw.randrange(1_000_000),
    )
    write_record(directory, record)
    seal_run(directory)


def _write_trace(directory: Path, run_id: str, rows: pa.Table, draw: random.Random) -> None:
    schema = file_schema(run_id, "main")
    count = rows.num_rows
    times = accumulate(draw.expovariate(1 / MEAN_US) for _ in range(count))
    columns = {
        "run_id": pa.repeat(run_id, count),
        "clock": pa.repeat("harness", count),
        "t_us": pa.array([int(time) for time in times], pa.int64()),
    }
    for name, column in columns.items():
        rows = rows.set_column(schema.get_field_index(name), schema.field(name), column)
    trailer = {"run_id": run_id, "example": "", "source": "", "seq": 0, "kind": str(TraceKind.TRAILER)}
    end = pa.Table.from_pylist([{**trailer, "amount": rows.num_rows + 1}], schema)
    (directory / "trace").mkdir(parents=True)
    path = directory / "trace" / "main.parquet"
    with pq.ParquetWriter(path, schema, compression="zstd", write_page_checksum=True) as parquet:
        parquet.write_table(rows.cast(schema))
        parquet.write_table(end)
    seal(directory)


@click.command()
@click.argument("right", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--wrong", type=click.Path(path_type=Path), help="A run of a faulty variant.")
@click.option("--runs", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--days", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def main(right: Path, out: Path, wrong: Path | None, runs: int, days: int, seed: int) -> None:
    """Make runs from the newest run at or below RIGHT, and write them below OUT."""
    draw = random.Random(seed)  # noqa: S311 - examples, not secrets
    try:
        sources = recorded_run(right, draw), recorded_run(wrong, draw) if wrong else None
        made = generate(out, *sources, runs=runs, days=days, seed=seed)
    except (UnreadableRunError, OSError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{len(made)} runs in {out}")


if __name__ == "__main__":
    main(prog_name="python -m plumbline.reference.judged.generator")
