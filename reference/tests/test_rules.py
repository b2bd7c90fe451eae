from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from plumbline.ci.selftest.histories.samples import CONFORMING, VIOLATING, conflict, sample_run
from plumbline.reference.history.history import History
from plumbline.reference.results.deviations import Deviation
from plumbline.reference.results.runs import read_record
from plumbline.reference.results.sealing import seal_run
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.rules import judging
from plumbline.reference.rules.judging import (
    WITNESSES_KEPT,
    Judgement,
    RuleFinding,
    as_owed,
    connect,
    findings,
    judge_run,
    judge_runs,
)
from plumbline.reference.rules.lint import lint
from plumbline.reference.rules.page import markdown
from plumbline.reference.rules.rule import Rule, RuleError, RuleView, load_rules, parse_rule
from plumbline.reference.trace.files import file_schema, seal
from plumbline.reference.trace.rows import rows
from plumbline.reference.trace.schema import TRACE_SCHEMA, TraceKind
from plumbline.reference.trace.writer import TraceWriter

RULES = load_rules()
ONE_SITE = set(VIOLATING)
"""The rules that judge what happens in one site; the others have their tests in test_sampled_rules.py."""
PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def table(*histories: History) -> pa.Table:
    events = [
        row for n, h in enumerate(histories) for row in rows("r1", f"e{n}", Source.MACHINE, Verdict.PASS, h)
    ]
    return pa.Table.from_pylist(events, schema=TRACE_SCHEMA)


def verdicts(judgement: Judgement) -> dict[str, Verdict]:
    """The verdicts of one site's rules; the other rules may have any verdict but a failure."""
    rest = {row.verdict for row in judgement.verdicts if row.requirement not in ONE_SITE}
    assert rest <= {Verdict.PASS, Verdict.NOT_EXERCISED, Verdict.UNKNOWN}
    return {row.requirement: row.verdict for row in judgement.verdicts if row.requirement in ONE_SITE}


def violated(*histories: History) -> set[str]:
    return {finding.requirement for finding in findings(table(*histories), ["r1"]) if finding.violations}


@pytest.mark.parametrize("requirement", sorted(VIOLATING))
def test_a_rule_finds_its_known_violation_and_no_other_rule_does(requirement: str):
    assert violated(VIOLATING[requirement]) == {requirement}


def test_every_rule_judges_the_conforming_history_and_finds_nothing():
    found = findings(table(CONFORMING), ["r1"])
    assert {f.requirement for f in found} == set(RULES)
    assert all(f.violations == 0 for f in found)
    assert {f.requirement for f in found if f.opportunities} == ONE_SITE


def test_without_checks_there_is_nothing_to_judge_but_whether_a_call_wrote_what_is_held():
    found = findings(table(conflict(checks=False)), ["r1"])
    assert {f.requirement for f in found if f.opportunities} == {"CFG-CHECKS-07"}


def test_checks_left_to_the_default_are_on():
    found = findings(table(conflict(checks=None)), ["r1"])
    assert {f.requirement for f in found if f.opportunities} == ONE_SITE


def test_examples_do_not_mix():
    assert violated(*[CONFORMING] * 3) == set()
    three = findings(table(*[CONFORMING] * 3), ["r1"])
    one = findings(table(CONFORMING), ["r1"])
    assert [f.opportunities for f in three] == [3 * f.opportunities for f in one]


def test_an_event_shown_twice_or_never_called_is_a_violation():
    log = CONFORMING.logs["B"]
    twice = msgspec.structs.replace(CONFORMING, logs={"B": (*log, log[-1])})
    event = msgspec.structs.replace(log[0].event, token="x")  # noqa: S106 - an operation's token
    stranger = msgspec.structs.replace(log[0], event=event)
    foreign = msgspec.structs.replace(CONFORMING, logs={"B": (stranger, log[1])})
    assert violated(twice) == {"DISC-LSN-01"}
    assert violated(foreign) == {"DISC-LSN-01"}


def test_a_silent_listener_is_a_violation_only_where_it_was_observed():
    silent = msgspec.structs.replace(CONFORMING, logs={"A": CONFORMING.logs["A"], "B": ()})
    unobserved = msgspec.structs.replace(CONFORMING, logs={"A": CONFORMING.logs["A"]})
    assert violated(silent) == {"DISC-LSN-01"}
    assert violated(unobserved) == set()


def test_all_violations_are_counted_and_the_first_are_kept():
    many = WITNESSES_KEPT + 5
    found = findings(table(*[VIOLATING["CONS-RR-04"]] * many), ["r1"])
    (finding,) = [f for f in found if f.requirement == "CONS-RR-04"]
    assert (finding.violations, len(finding.witnesses)) == (many, WITNESSES_KEPT)


def test_runs_judged_together_stay_apart(tmp_path: Path):
    good = sample_run(tmp_path / "good", CONFORMING)
    bad = sample_run(tmp_path / "bad", CONFORMING, VIOLATING["CONS-RR-04"])
    empty = sample_run(tmp_path / "empty")
    first, second, third = judge_runs([good, bad, empty])
    assert set(verdicts(first).values()) == {Verdict.PASS}
    assert verdicts(second) == verdicts(first) | {"CONS-RR-04": Verdict.FAIL}
    assert {w.example for w in second.witnesses} == {"e1"}
    assert set(verdicts(third).values()) == {Verdict.NOT_EXERCISED}
    assert [j.examples for j in (first, second, third)] == [1, 2, 0]


def test_a_run_without_violations_is_counted_with_its_size(tmp_path: Path):
    (judgement,) = judge_runs([sample_run(tmp_path / "run", CONFORMING)])
    assert (judgement.examples, judgement.flaws) == (1, ())
    assert judgement.events == len(rows("run", "e0", Source.MACHINE, Verdict.PASS, CONFORMING))
    assert {row.requirement for row in judgement.verdicts} == set(RULES)
    assert all(row.source is Source.RULE for row in judgement.verdicts)
    assert {row.requirement for row in judgement.verdicts if row.exercised} == ONE_SITE


def test_a_lost_file_turns_no_verdict_green(tmp_path: Path):
    run = sample_run(tmp_path / "run", CONFORMING)
    (run / "trace" / "main.parquet").unlink()
    (judgement,) = judge_runs([run])
    assert set(verdicts(judgement).values()) == {Verdict.UNKNOWN}
    assert "missing" in judgement.verdicts[0].reason


def test_a_damaged_file_beside_a_good_one_hides_no_violation_and_allows_no_pass(tmp_path: Path):
    run = sample_run(tmp_path / "run", VIOLATING["CONS-RR-04"])
    (run / "trace" / "junk.parquet").write_bytes(b"PAR1 and then nothing that makes sense PAR1")
    (judgement,) = judge_runs([run])
    assert verdicts(judgement)["CONS-RR-04"] is Verdict.FAIL
    assert set(verdicts(judgement).values()) == {Verdict.FAIL, Verdict.UNKNOWN}
    assert "junk.parquet" in judgement.flaws[0].path


def test_an_incomplete_run_is_never_green(tmp_path: Path):
    (judgement,) = judge_runs([sample_run(tmp_path / "run", CONFORMING, complete=False)])
    assert set(verdicts(judgement).values()) == {Verdict.UNKNOWN}


def test_a_directory_that_is_no_run_and_a_copied_run_are_named_and_the_others_judged(tmp_path: Path):
    run = sample_run(tmp_path / "run", CONFORMING)
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    judged, copied, missing = judge_runs([run, copy, nothing])
    assert set(verdicts(judged).values()) == {Verdict.PASS}
    assert copied.verdicts == ()
    assert "judged already" in copied.flaws[0].reason
    assert missing.verdicts == ()
    assert str(nothing) in missing.flaws[0].reason


def test_an_example_written_twice_is_a_flaw(tmp_path: Path):
    run = tmp_path / "run"
    for name in ("one", "two"):
        with TraceWriter(run, "run", name) as writer:
            writer.write("e", Source.MACHINE, Verdict.PASS, CONFORMING)
    sample_run(run)
    (judgement,) = judge_runs([run])
    assert set(verdicts(judgement).values()) == {Verdict.UNKNOWN}
    assert "not there once and whole" in judgement.flaws[0].reason
    assert (judgement.examples, judgement.witnesses) == (0, ())


def some_rows_twice(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table, table.slice(0, 3)])


def rows_lost(table: pa.Table) -> pa.Table:
    """All rows of listeners, so that a rule would miss what members were told."""
    return table.filter(pc.not_equal(table["kind"], "listener"))


def numbered_anew(table: pa.Table) -> pa.Table:
    place = table.schema.get_field_index("seq")
    return table.set_column(place, table.schema.field(place), pc.add(table["seq"], 1))


@pytest.mark.parametrize("damage", [some_rows_twice, rows_lost, numbered_anew])
@pytest.mark.parametrize("in_memory", [True, False])
def test_an_example_that_is_not_whole_accuses_nobody_and_hides_no_violation_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[pa.Table], pa.Table], in_memory: bool
):
    if not in_memory:
        monkeypatch.setattr(judging, "ROWS_IN_MEMORY", 0)
    run = sample_run(tmp_path / "run", VIOLATING["CONS-RR-04"])
    schema = file_schema("run", "other")
    told = [
        row | {"example": "torn"} for row in rows("run", "torn", Source.MACHINE, Verdict.PASS, CONFORMING)
    ]
    whole = pa.Table.from_pylist(told, schema=schema)
    with pq.ParquetWriter(run / "trace" / "other.parquet", schema) as parquet:
        parquet.write_table(damage(whole))
        trailer = {"run_id": "run", "example": "", "source": "", "seq": 0, "kind": TraceKind.TRAILER}
        count = damage(whole).num_rows + 1
        parquet.write_table(pa.Table.from_pylist([trailer | {"amount": count}], schema))
    seal(run)
    seal_run(run)
    (judgement,) = judge_runs([run])
    found = verdicts(judgement)
    assert {name for name, verdict in found.items() if verdict is Verdict.FAIL} == {"CONS-RR-04"}
    assert set(found.values()) == {Verdict.FAIL, Verdict.UNKNOWN}
    assert {witness.example for witness in judgement.witnesses} == {"e0"}
    (flaw,) = judgement.flaws
    assert flaw.reason == "the example torn is not there once and whole, so it is unread"


def test_a_page_broken_after_sealing_spoils_only_its_own_run(tmp_path: Path):
    good = sample_run(tmp_path / "good", CONFORMING)
    bad = sample_run(tmp_path / "bad", CONFORMING)
    path = bad / "trace" / "main.parquet"
    data = bytearray(path.read_bytes())
    data[40:200] = bytes(160)
    path.write_bytes(data)
    seal(bad)
    seal_run(bad)
    first, second = judge_runs([good, bad])
    assert set(verdicts(first).values()) == {Verdict.PASS}
    assert set(verdicts(second).values()) == {Verdict.UNKNOWN}
    assert "cannot be read through" in second.flaws[0].reason


def test_a_signal_that_comes_while_a_statement_runs_ends_the_judging(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def endless(connection: duckdb.DuckDBPyConnection, *_: object) -> None:
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
        connection.execute("SELECT count(*) FROM range(1_000_000_000_000)").fetchall()

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(judging, "_ask", endless)
    before = signal.signal(signal.SIGUSR1, stop)
    try:
        with pytest.raises(KeyboardInterrupt):
            judge_runs([sample_run(tmp_path / "run", CONFORMING)])
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_the_page_tells_of_the_rules_as_they_are():
    assert PAGE.read_text(encoding="utf-8") == markdown()


@pytest.mark.parametrize("requirement", sorted(RULES))
def test_the_lint_accepts_the_rule(requirement: str):
    assert lint(RULES[requirement]) == []


STATEMENT = (
    "SELECT run_id, example, seq, region AS subject, key AS witness, value = 'x' AS violated "
    "FROM ev WHERE kind = 'listener'"
)
PLAIN = Rule(
    requirement="CONS-RR-04",
    view=RuleView.BLACK_BOX,
    empty_start=False,
    columns=("run_id", "example", "seq", "kind", "region", "key", "value"),
    opportunity="a row",
    violation="always",
    text=STATEMENT,
    own=STATEMENT,
)


def with_condition(condition: str) -> Rule:
    return msgspec.structs.replace(PLAIN, text=f"{PLAIN.text} AND {condition}")


def test_the_plain_rule_is_accepted():
    assert lint(PLAIN) == []


@pytest.mark.parametrize(
    ("condition", "complaint"),
    [
        ('"value" = key', "double quote"),
        ("`value` = key", "back quote"),
        ("value[1] = key", "subscript"),
        ("seq / 2 = 1", "division"),
        ("concat(value, key) = key", "concat"),
        ("value = 'a\\tb'", "backslash"),
        ("value LIKE 'a%'", "patterns"),
        ("value <=> key", "one engine only"),
        ("(seq, key) > (seq, value)", "comparison of rows"),
        ("EXISTS (SELECT 1 FROM ev)", "ANTI or SEMI JOIN"),
        ("max_by(value, seq) = key", "max_by"),
        ("arg_max(value, seq) = key", "max_by"),
        ("row(seq) = key", "row and struct"),
        ("every(value = key)", "aggregate of one engine"),
        ("lag(value) IGNORE NULLS = key", "IGNORE NULLS"),
        ("md5(value) = key", "hashes"),
        ("row_number() OVER (PARTITION BY run_id, example ORDER BY seq) = 1", "NULLS FIRST or NULLS LAST"),
        ("row_number() OVER (PARTITION BY key ORDER BY seq NULLS LAST) = 1", "PARTITION BY has to begin"),
        ("kind = 'no_such_kind'", "no kind no_such_kind"),
        ("kind IN ('listener', 'apply')", "seen inside only"),
        ("member = 'A'", "header does not name"),
        ("key = 'x' LIMIT 3", "chance"),
        ("key = 'x'; SELECT 1", "more than one statement"),
    ],
)
def test_the_lint_refuses(condition: str, complaint: str):
    faults = lint(with_condition(condition))
    assert any(complaint in fault for fault in faults), faults


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("SELECT * FROM ev WHERE kind = 'listener'", "star"),
        (PLAIN.text.replace("FROM ev", "FROM ev LEFT ANTI JOIN ev x ON x.run_id = run_id"), "LEFT ANTI"),
        (
            PLAIN.text.replace("FROM ev", "FROM ev JOIN ev x ON x.run_id = ev.run_id"),
            "join by run_id and example",
        ),
        (PLAIN.text.replace("FROM ev", "FROM other"), "it reads other"),
        (PLAIN.text.replace("AS violated", "AS bad"), "its answer has no violated"),
        (PLAIN.text + " GROUP BY key", "GROUP BY has to begin"),
        (PLAIN.text.replace(" WHERE kind = 'listener'", ""), "names no kind"),
    ],
)
def test_the_lint_refuses_the_text(text: str, complaint: str):
    faults = lint(msgspec.structs.replace(PLAIN, text=text))
    assert any(complaint in fault for fault in faults), faults


def test_the_lint_reads_no_fault_into_texts_and_comments():
    assert lint(with_condition("value = 'a [b] / c; \"d\" LIMIT' -- a / comment with LIMIT\n")) == []


def test_a_column_named_in_the_header_must_be_read():
    assert any(
        "does not read" in fault
        for fault in lint(msgspec.structs.replace(PLAIN, columns=(*PLAIN.columns, "ver")))
    )


HEADER = """-- requirement: X-01
-- view: black-box
-- empty-start: no
-- columns: run_id
-- opportunity: one
--   and more of it
-- violation: two
SELECT 1;
"""


def test_a_header_is_read_with_its_continued_lines():
    rule = parse_rule("X-01.sql", HEADER)
    assert rule.opportunity == "one and more of it"
    assert rule.text == "SELECT 1"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("X-02.sql", "", ""),
        ("X-01.sql", "black-box", "glass"),
        ("X-01.sql", "empty-start: no", "empty-start: perhaps"),
        ("X-01.sql", "-- violation: two\n", ""),
        ("X-01.sql", "-- violation", "--violation"),
    ],
)
def test_a_wrong_header_is_refused_with_the_file_name(name: str, old: str, new: str):
    with pytest.raises(RuleError, match=re.escape(name)):
        parse_rule(name, HEADER.replace(old, new))


def test_a_run_that_is_ending_is_judged_before_its_record_says_so(tmp_path: Path):
    run = sample_run(tmp_path / "run", VIOLATING["CONS-RR-04"], complete=False)
    record = msgspec.structs.replace(read_record(run), complete=True)
    judgement = judge_run(run, record)
    assert judgement.flaws == ()
    assert verdicts(judgement)["CONS-RR-04"] is Verdict.FAIL
    assert set(verdicts(judgement).values()) == {Verdict.FAIL, Verdict.PASS}


def test_the_rules_of_named_requirements_alone_say_the_same_of_them(tmp_path: Path):
    run = sample_run(tmp_path / "run", *VIOLATING.values())
    record = read_record(run)
    every = verdicts(judge_run(run, record))
    only = {"CONS-RR-04", "DISC-LSN-01", "VER-TIE-01"} & every.keys()
    assert verdicts(judge_run(run, record, only)) == {name: every[name] for name in only}


def test_what_is_on_record_in_the_run_is_a_deviation_and_nothing_else_is(tmp_path: Path):
    run = sample_run(tmp_path / "run", *VIOLATING.values())
    known = Deviation(
        requirement="CONS-RR-04", reason="copies part", owner="us", expires=datetime.now(UTC).date()
    )
    record = msgspec.structs.replace(read_record(run), deviations=(known,))
    found = {row.requirement: row for row in judge_run(run, record).verdicts}
    assert found["CONS-RR-04"].verdict is Verdict.DEVIATION
    assert found["CONS-RR-04"].failures
    assert "copies part" in found["CONS-RR-04"].reason
    assert found["DISC-LSN-01"].verdict is Verdict.FAIL


def test_duckdb_reaches_no_file_and_overflows_into_no_working_directory(tmp_path: Path):
    table_file = tmp_path / "secret.csv"
    table_file.write_text("a\n1\n")
    with connect() as connection:
        with pytest.raises(duckdb.PermissionException):
            connection.execute(f"SELECT * FROM '{table_file}'")  # noqa: S608 - must be refused
        (place,) = connection.execute("SELECT current_setting('temp_directory')").fetchall()
    assert Path(place[0]).parent == Path(tempfile.gettempdir())


def test_large_traces_are_judged_from_their_files_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    runs = [sample_run(tmp_path / "a", CONFORMING), sample_run(tmp_path / "b", *VIOLATING.values())]
    small = [verdicts(judgement) for judgement in judge_runs(runs)]
    monkeypatch.setattr(judging, "ROWS_IN_MEMORY", 0)
    assert [verdicts(judgement) for judgement in judge_runs(runs)] == small


def test_a_rule_finds_nothing_that_the_dialect_of_the_run_does_not_owe():
    # Document 001 has a client's invalidation stay there, 004 has it go to its server.
    found = RuleFinding(run_id="run", requirement="C2S-OPS-06", opportunities=2, violations=1)
    assert as_owed(found, "gemfire6") == found
    assert as_owed(found, "of a record from elsewhere") == found
    assert as_owed(found, "geode") == RuleFinding(run_id="run", requirement="C2S-OPS-06")
