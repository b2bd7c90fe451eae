from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plumbline.ci.selftest.histories.samples import CONFORMING, conflict
from plumbline.reference.history.moments import (
    Armed,
    Called,
    ContentsRead,
    Gate,
    Moment,
    NotParked,
    Parked,
    Released,
    Settled,
    Waited,
)
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.trace import files as trace_files
from plumbline.reference.trace import writer as writer_module
from plumbline.reference.trace.__main__ import main
from plumbline.reference.trace.files import TraceWriteError, recover, seal, verified_files, whole_batches
from plumbline.reference.trace.rows import Inside, rows
from plumbline.reference.trace.schema import TRACE_SCHEMA, TraceKind
from plumbline.reference.trace.writer import FLUSH_AFTER_S, TraceWriter

FULL_DISK = Path("/dev/full")


def written(run: Path, *examples: str, run_id: str = "run-1", name: str = "main") -> Path:
    with TraceWriter(run, run_id, name) as writer:
        for example in examples:
            writer.write(example, Source.MACHINE, Verdict.PASS, CONFORMING)
    return run / "trace" / f"{name}.parquet"


def test_what_was_written_is_read_back_row_by_row(tmp_path: Path):
    path = written(tmp_path, "e1", "e2")
    seal(tmp_path)
    assert verified_files(tmp_path, "run-1") == ([path], [])
    expected = [
        row
        for example in ("e1", "e2")
        for row in rows("run-1", example, Source.MACHINE, Verdict.PASS, CONFORMING)
    ]
    got = pq.read_table(path).to_pylist()
    assert [{k: v for k, v in row.items() if v is not None} for row in got[:-1]] == [
        {k: v for k, v in row.items() if v is not None} for row in expected
    ]
    assert got[-1]["kind"] == TraceKind.TRAILER
    assert got[-1]["amount"] == len(expected) + 1


def test_a_listener_row_tells_between_which_rows_it_happened():
    table = rows("r", "e", Source.MACHINE, Verdict.PASS, CONFORMING)
    heard = next(row for row in table if row["kind"] == TraceKind.LISTENER)
    assert table[heard["seen_after"]]["kind"] == TraceKind.OP_BEGIN
    assert table[heard["seen_before"]]["kind"] == TraceKind.CONTENTS_ASKED
    assert heard["seen_after"] < heard["seq"] < heard["seen_before"]
    assert [row["seq"] for row in table] == list(range(len(table)))


def test_contents_count_as_final_only_after_everything_settled_and_nothing_was_called_since():
    def kinds(timeline: tuple[Moment, ...]) -> set[str]:
        history = msgspec.structs.replace(CONFORMING, timeline=timeline, logs={})
        table = rows("r", "e", Source.MACHINE, Verdict.PASS, history)
        return {row["kind"] for row in table} & {TraceKind.CONTENT, TraceKind.FINAL_VALUE}

    moments = CONFORMING.timeline
    without_settling = tuple(m for m in moments if not isinstance(m, Settled))
    held_back = tuple(Settled((("A", "k"),)) if isinstance(m, Settled) else m for m in moments)
    called_again = (*moments, next(m for m in moments if isinstance(m, Called)))
    assert kinds(moments) == {TraceKind.FINAL_VALUE}
    assert kinds((*moments, Waited("nothing more"))) == {TraceKind.FINAL_VALUE}
    assert kinds(without_settling) == kinds(held_back) == kinds(called_again) == {TraceKind.CONTENT}


def test_a_key_that_a_member_lacks_is_written_as_absent():
    timeline = tuple(
        msgspec.structs.replace(m, entries=()) if isinstance(m, ContentsRead) else m
        for m in CONFORMING.timeline
    )
    history = msgspec.structs.replace(CONFORMING, timeline=timeline, logs={})
    table = rows("r", "e", Source.MACHINE, Verdict.PASS, history)
    finals = [(row["member"], row["state_after"]) for row in table if row["kind"] == TraceKind.FINAL_VALUE]
    assert finals == [("A", "absent"), ("B", "absent")]


def test_rows_of_the_inside_stand_where_the_candidate_placed_them():
    inside = [Inside(3, {"kind": TraceKind.APPLY, "member": "B", "ver": 2})]
    table = rows("r", "e", Source.MACHINE, Verdict.PASS, CONFORMING, inside)
    place = next(row["seq"] for row in table if row["kind"] == TraceKind.APPLY)
    begun = [row["seq"] for row in table if row["kind"] == TraceKind.OP_BEGIN]
    assert begun[1] < place < begun[2]


@pytest.mark.parametrize("bytes_lost", [1, 8, 500])
def test_a_truncated_file_is_set_aside_and_named(tmp_path: Path, bytes_lost: int):
    path = written(tmp_path, "e1")
    data = path.read_bytes()
    seal(tmp_path)
    path.write_bytes(data[:-bytes_lost])
    good, flaws = verified_files(tmp_path, "run-1")
    assert good == []
    assert [flaw.path for flaw in flaws] == [str(path)]


def test_a_file_that_lost_rows_does_not_match_its_trailer(tmp_path: Path):
    path = written(tmp_path, "e1")
    table = pq.read_table(path)
    with pq.ParquetWriter(path, table.schema) as parquet:
        parquet.write_table(table.slice(1, len(table) - 2))
        parquet.write_table(table.slice(len(table) - 1))
    seal(tmp_path)
    good, flaws = verified_files(tmp_path, "run-1")
    assert good == []
    assert "its trailer counts" in flaws[0].reason


def test_a_file_without_trailer_is_truncated(tmp_path: Path):
    path = written(tmp_path, "e1")
    table = pq.read_table(path)
    pq.write_table(table.slice(0, len(table) - 1), path)
    seal(tmp_path)
    assert "no trailer" in verified_files(tmp_path, "run-1")[1][0].reason


def test_a_changed_byte_is_noticed(tmp_path: Path):
    path = written(tmp_path, "e1")
    seal(tmp_path)
    data = bytearray(path.read_bytes())
    data[len(data) // 8] ^= 1
    path.write_bytes(data)
    good, flaws = verified_files(tmp_path, "run-1")
    assert good == []
    assert str(path) in {flaw.path for flaw in flaws}


def test_files_of_other_runs_other_programs_and_copies_are_set_aside(tmp_path: Path):
    mine = written(tmp_path / "run", "e1")
    other = written(tmp_path / "other", "e1", run_id="run-2", name="theirs")
    seal(tmp_path / "run")
    folder = mine.parent
    shutil.copy(other, folder / "theirs.parquet")
    shutil.copy(mine, folder / "copy.parquet")
    pq.write_table(pa.table({"kind": ["x"]}), folder / "foreign.parquet")
    (folder / "text.parquet").write_text("no parquet at all, but long enough to be looked at")
    good, flaws = verified_files(tmp_path / "run", "run-1")
    reasons = {Path(flaw.path).name: flaw.reason for flaw in flaws}
    assert good == [mine]
    assert reasons["theirs.parquet"] == "foreign: it belongs to the run run-2"
    assert reasons["copy.parquet"] == "a copy of main.parquet"
    assert reasons["foreign.parquet"].startswith("foreign: it does not say")
    assert reasons["text.parquet"].startswith("truncated, or no Parquet file")


def test_files_that_came_or_went_after_the_end_are_named(tmp_path: Path):
    kept = written(tmp_path, "e1", name="kept")
    lost = written(tmp_path, "e2", name="lost")
    seal(tmp_path)
    lost.unlink()
    late = written(tmp_path, "e3", name="late")
    good, flaws = verified_files(tmp_path, "run-1")
    assert good == [kept]
    assert {flaw.path: flaw.reason for flaw in flaws} == {
        str(late): "not in the manifest: it came from elsewhere",
        str(lost): "in the manifest, but missing",
    }


def test_a_run_that_was_never_sealed_has_a_flaw(tmp_path: Path):
    written(tmp_path, "e1")
    assert [Path(flaw.path).name for flaw in verified_files(tmp_path, "run-1")[1]] == ["manifest.json"]


def test_a_file_with_rows_of_another_run_is_set_aside(tmp_path: Path):
    path = written(tmp_path, "e1")
    table = pq.read_table(path)
    ids = pa.array(["run-2", *table["run_id"].to_pylist()[1:]])
    mixed = table.set_column(0, table.schema.field(0), ids)
    with pq.ParquetWriter(path, table.schema) as parquet:
        parquet.write_table(mixed.slice(0, len(table) - 1))
        parquet.write_table(mixed.slice(len(table) - 1))
    seal(tmp_path)
    good, flaws = verified_files(tmp_path, "run-1")
    assert good == []
    assert flaws[0].reason == "foreign: not all of its rows belong to the run run-1"


def test_an_older_file_without_a_later_column_is_good(tmp_path: Path):
    path = written(tmp_path, "e1")
    table = pq.read_table(path).drop_columns(["question"])
    with pq.ParquetWriter(path, table.schema) as parquet:
        parquet.write_table(table.slice(0, len(table) - 1))
        parquet.write_table(table.slice(len(table) - 1))
    seal(tmp_path)
    assert verified_files(tmp_path, "run-1") == ([path], [])


KILLED = """
import os, sys
from pathlib import Path
from plumbline.ci.selftest.histories.samples import CONFORMING
from plumbline.reference.trace import writer as writing
from plumbline.reference.trace.writer import TraceWriter
from plumbline.reference.results.verdicts import Source, Verdict
writing.FLUSH_AFTER_S = 600
writer = TraceWriter(Path(sys.argv[1]), "run-1")
writer.write("e1", Source.MACHINE, Verdict.PASS, CONFORMING)
writer.write("e2", Source.MACHINE, Verdict.PASS, CONFORMING)
writer.flush()
writer.write("e3", Source.MACHINE, Verdict.PASS, CONFORMING)
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_kill_costs_at_most_what_was_not_flushed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.kill(process.pid, signal.SIGKILL)
    good, flaws = verified_files(tmp_path, "run-1")
    assert good == []
    assert any("was killed" in flaw.reason and "recover" in flaw.reason for flaw in flaws)

    assert main(["recover", str(tmp_path)]) == 0
    path = tmp_path / "trace" / "main.parquet"
    assert str(path) in capsys.readouterr().out
    examples = set(pq.read_table(path, columns=["example"])["example"].to_pylist()) - {""}
    assert examples == {"e1", "e2"}
    good, flaws = verified_files(tmp_path, "run-1")
    assert good == [path]
    assert [Path(flaw.path).name for flaw in flaws] == ["manifest.json"]


HANGS = KILLED.replace("writing.FLUSH_AFTER_S = 600\n", "").replace("writer.flush()\n", "")
PATIENCE_S = 30.0
"""Long beyond the second that is promised, on a machine that is busy with much else."""


def test_finished_examples_are_on_disk_within_a_second_also_while_the_next_one_hangs(tmp_path: Path):
    assert FLUSH_AFTER_S < 1
    with subprocess.Popen(
        [sys.executable, "-c", HANGS, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        journal = tmp_path / "trace" / "main.arrows"
        until = time.monotonic() + PATIENCE_S
        found: set[str] = set()
        # Nothing more is written: only time passes.
        while len(found) < 3 and time.monotonic() < until:
            found = {name for batch in whole_batches(journal) for name in batch["example"].to_pylist()}
        os.kill(process.pid, signal.SIGKILL)
    assert found == {"e1", "e2", "e3"}
    (path,) = recover(tmp_path)
    assert trace_files._damage(path, "run-1", None) == ""


def test_a_file_that_is_closed_while_its_thread_begins_to_write_is_closed(tmp_path: Path):
    class ClosedMeanwhile(threading.Event):
        """Says that nothing was closed, and is set just behind that, as `close` does on another thread."""

        def wait(self, timeout: float | None = None) -> bool:
            del timeout
            before = self.is_set()
            self.set()
            writer._something_waits.set()
            return before

    writer = TraceWriter(tmp_path, "run-1")
    writer._closed = ClosedMeanwhile()
    writer.write("one", Source.SCENARIO, Verdict.PASS, CONFORMING)  # written at once
    writer.write("two", Source.SCENARIO, Verdict.PASS, CONFORMING)
    writer._flusher.join(10)
    assert not writer._flusher.is_alive()
    writer.close()


def test_what_a_signal_cuts_short_is_taken_back_and_written_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    class Interrupted:
        """A file whose writes are interrupted after some bytes, once."""

        def __init__(self, file: Any) -> None:
            self._file = file
            self._once = True

        def write(self, data: memoryview) -> int:
            if self._once:
                self._once = False
                self._file.write(data[:100])
                raise KeyboardInterrupt
            return int(self._file.write(data))

        def __getattr__(self, name: str) -> Any:
            return getattr(self._file, name)

    monkeypatch.setattr(writer_module, "FLUSH_AFTER_S", 600)
    writer = TraceWriter(tmp_path, "run-1")
    monkeypatch.setattr(writer, "_file", Interrupted(writer._file))
    with pytest.raises(KeyboardInterrupt):
        writer.write("e1", Source.MACHINE, Verdict.PASS, CONFORMING)
    writer.write("e2", Source.MACHINE, Verdict.PASS, CONFORMING)
    path = writer.close()
    assert set(pq.read_table(path)["example"].to_pylist()) == {"e1", "e2", ""}


def test_nothing_is_written_through_a_link(tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    run = tmp_path / "run"
    run.mkdir()
    (run / "trace").symlink_to(elsewhere)
    with pytest.raises(TraceWriteError, match="link"):
        TraceWriter(run, "run-1")
    assert list(elsewhere.iterdir()) == []
    (run / "trace").unlink()
    (run / "trace").mkdir()
    (run / "trace" / "main.arrows").symlink_to(elsewhere / "file")
    with pytest.raises(TraceWriteError):
        TraceWriter(run, "run-1")
    assert list(elsewhere.iterdir()) == []
    (run / "trace" / "main.arrows").unlink()
    with TraceWriter(run, "run-1") as writer:
        writer.write("e1", Source.MACHINE, Verdict.PASS, CONFORMING)
        (run / "trace" / "main.parquet.part").symlink_to(elsewhere / "file")
    assert list(elsewhere.iterdir()) == []
    assert not (run / "trace" / "main.parquet").is_symlink()


@pytest.mark.parametrize("name", ["main.parquet", "manifest.json", "main.arrows"])
def test_a_pipe_a_device_or_a_link_to_nothing_in_a_trace_is_named_at_once(tmp_path: Path, name: str):
    for kind, put in (("pipe", os.mkfifo), ("device", lambda path: path.symlink_to("/dev/zero"))):
        run = tmp_path / kind
        written(run, "e1")
        seal(run)
        (run / "trace" / name).unlink(missing_ok=True)
        put(run / "trace" / name)
        _, flaws = verified_files(run, "run-1")
        assert [flaw.path for flaw in flaws if kind in flaw.reason or "arrows" in name] == [
            str(run / "trace" / name)
        ]
    run = tmp_path / "dangling"
    written(run, "e1")
    seal(run)
    (run / "trace" / name).unlink(missing_ok=True)
    (run / "trace" / name).symlink_to(run / "nothing")
    _, flaws = verified_files(run, "run-1")
    assert [Path(flaw.path).name for flaw in flaws] == [name]
    assert recover(run) == []


def test_a_torn_batch_ends_the_journal_and_spoils_nothing_before_it(tmp_path: Path):
    writer = TraceWriter(tmp_path, "run-1")
    journal = tmp_path / "trace" / "main.arrows"
    for example in ("e1", "e2"):
        writer.write(example, Source.MACHINE, Verdict.PASS, CONFORMING)
        writer.flush()
    assert writer._file is not None
    writer._file.close()
    with journal.open("r+b") as file:
        file.truncate(journal.stat().st_size - 100)
    assert [set(batch["example"].to_pylist()) for batch in whole_batches(journal)] == [{"e1"}]
    (path,) = recover(tmp_path)
    assert trace_files._damage(path, "run-1", None) == ""


def test_the_journal_of_a_writer_at_work_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with TraceWriter(tmp_path, "run-1") as writer:
        writer.write("e1", Source.MACHINE, Verdict.PASS, CONFORMING)
        assert main(["recover", str(tmp_path)]) == 2
        assert "no journal of a killed run" in capsys.readouterr().err
        writer.write("e2", Source.MACHINE, Verdict.PASS, CONFORMING)
    assert set(pq.read_table(tmp_path / "trace" / "main.parquet")["example"].to_pylist()) == {"e1", "e2", ""}


@pytest.mark.skipif(not FULL_DISK.exists(), reason="needs a device that is always full")
def test_a_full_disk_stops_the_writer_with_a_clear_error_and_keeps_what_was_written(tmp_path: Path):
    writer = TraceWriter(tmp_path, "run-1")
    writer.write("e1", Source.MACHINE, Verdict.PASS, CONFORMING)
    writer.flush()
    assert writer._file is not None
    full = os.open(FULL_DISK, os.O_WRONLY)
    try:
        os.dup2(full, writer._file.fileno())
    finally:
        os.close(full)
    writer.write("e2", Source.MACHINE, Verdict.PASS, conflict(checks=False))
    with pytest.raises(TraceWriteError, match=r"main\.arrows.*stays readable"):
        writer.flush()
    with pytest.raises(TraceWriteError, match="takes no more"):
        writer.write("e3", Source.MACHINE, Verdict.PASS, CONFORMING)
    (path,) = recover(tmp_path)
    assert set(pq.read_table(path)["example"].to_pylist()) == {"e1", ""}


def test_a_failed_conversion_leaves_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    writer = TraceWriter(tmp_path, "run-1")
    writer.write("e1", Source.MACHINE, Verdict.PASS, CONFORMING)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    with pytest.raises(TraceWriteError, match="No space left"):
        writer.close()
    assert [path.name for path in (tmp_path / "trace").iterdir()] == ["main.arrows"]


def test_a_trace_is_never_written_over(tmp_path: Path):
    written(tmp_path, "e1")
    with pytest.raises(TraceWriteError, match="never changed"):
        TraceWriter(tmp_path, "run-1")


def test_every_row_fits_the_schema_with_nothing_left_over():
    for row in rows("r", "e", Source.MACHINE, Verdict.PASS, CONFORMING):
        assert set(row) <= set(TRACE_SCHEMA.names)


def test_gates_become_rows_about_the_parked_operation():
    gate = Gate("B", 2)
    moments = (*CONFORMING.timeline, Armed(gate), Parked(gate), NotParked(gate), Released(gate))
    history = msgspec.structs.replace(CONFORMING, timeline=moments)
    table = rows("r", "e", Source.MACHINE, Verdict.PASS, history)
    gates = [(row["kind"], row["member"], row["token"]) for row in table if row["kind"].startswith("gate")]
    kinds = [TraceKind.GATE_ARM, TraceKind.GATE_PARK, TraceKind.GATE_MISS, TraceKind.GATE_RELEASE]
    assert gates == [(kind, "B", "a") for kind in kinds]
