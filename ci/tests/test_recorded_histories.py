"""Recorded histories of a register, judged by a command."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from plumbline.ci.selftest.checks.linearizability import main

START = "INFO  jepsen.util - 0\t:invoke\t:write\t1\nINFO  jepsen.util - 0\t:ok\t:write\t1\n"
READ = "INFO  jepsen.util - 0\t:invoke\t:read\tnil\nINFO  jepsen.util - 0\t:ok\t:read\t{}\n"


def test_each_file_gets_a_verdict(tmp_path: Path):
    (tmp_path / "right.log").write_text(START + READ.format(1))
    (tmp_path / "wrong.log").write_text(START + READ.format("nil"))
    result = CliRunner().invoke(main, [str(tmp_path)])
    assert result.exit_code == 0
    right, wrong, total = result.stdout.splitlines()
    assert right.startswith("right.log: linearizable, ")
    assert wrong.startswith("wrong.log: not linearizable, ")
    assert total.startswith("2 histories, 0 without a verdict, ")


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_judged(tmp_path: Path):
    (tmp_path / "other.log").write_text("nothing of the kind\n")
    (tmp_path / "right.log").write_text(START)
    result = CliRunner().invoke(main, [str(tmp_path)])
    assert result.exit_code == 2
    assert "other.log: cannot be read" in result.stdout
    assert "right.log: linearizable" in result.stdout
