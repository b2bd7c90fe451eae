import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from plumbline.adapters.errors import AdapterError, MissingToolError, UnknownCandidateError
from plumbline.ci import command, commands
from plumbline.ci.command import SUBCOMMANDS, group
from plumbline.reference.results.runs import UnreadableRunError

COMMANDS = Path(commands.__file__).parent


def subcommand_that_raises(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    @click.command
    def broken() -> None:
        raise error

    monkeypatch.setattr(command.Subcommands, "get_command", lambda *_: broken)


def test_every_command_module_is_in_the_table_and_every_name_of_the_table_has_its_module():
    rooms = (COMMANDS, COMMANDS.parent / "selftest" / "commands")
    modules = {path.stem for room in rooms for path in room.glob("[!_]*.py")} - {"faulty_mutate"}
    assert {name.replace("-", "_") for name in SUBCOMMANDS} == modules


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_subcommand_has_help(name: str):
    result = CliRunner().invoke(group, [name, "--help"])
    assert result.exit_code == 0, result.output
    assert f"Usage: group {name}" in result.output
    assert "\\b" not in result.output, "a line break for click that has become text"


def test_help_names_every_subcommand_and_imports_none_of_them():
    probe = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from plumbline.ci.command import group\n"
        "print(CliRunner().invoke(group, ['--help']).output)\n"
        "late = ('plumbline.ci.commands.', 'plumbline.ci.selftest', 'pyarrow')\n"
        "print([name for name in sys.modules if name.startswith(late)])\n"
    )
    result = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    for name in SUBCOMMANDS:
        assert f"  {name} " in result.stdout
    assert result.stdout.rstrip().endswith("[]")


def test_an_unknown_subcommand_is_answered_with_the_near_matches():
    result = CliRunner().invoke(group, ["catalog"])
    assert result.exit_code == 2
    assert "no subcommand 'catalog'; did you mean catalogue?" in result.output


def test_an_unknown_subcommand_like_no_other_is_answered_with_all_names():
    result = CliRunner().invoke(group, ["xyzzy"])
    assert result.exit_code == 2
    assert all(name in result.output for name in SUBCOMMANDS)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (AdapterError("the adapter died", "Segmentation fault\n"), "its last words: Segmentation fault"),
        (UnknownCandidateError("no candidate 'x'; did you mean 'y'?"), "no candidate 'x'"),
        (MissingToolError("Maven is missing"), "Maven is missing"),
        (UnreadableRunError("d: no run.json"), "d: no run.json"),
        (
            OSError(28, "No space left on device", "runs/trace.parquet"),
            "trace.parquet: No space left on device",
        ),
        (
            ModuleNotFoundError("No module named 'pyspark'", name="pyspark.sql"),
            "pip install 'pyspark",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_an_expected_error_is_one_line_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
):
    subcommand_that_raises(monkeypatch, error)
    result = CliRunner().invoke(group, ["run"])
    assert result.exit_code == 2
    assert result.output.startswith("plumbline: ")
    assert words in result.output
    assert result.output.count("\n") == 1


def test_the_traceback_of_an_expected_error_is_shown_on_demand(monkeypatch: pytest.MonkeyPatch):
    subcommand_that_raises(monkeypatch, MissingToolError("Maven is missing"))
    result = CliRunner().invoke(group, ["--traceback", "run"])
    assert result.exit_code == 2
    assert "Traceback" in result.output


@pytest.mark.parametrize(
    "error",
    [ValueError("a mistake"), ModuleNotFoundError("No module named 'plumbline.x'", name="plumbline.x")],
    ids=lambda error: type(error).__name__,
)
def test_a_mistake_of_our_own_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch, error: Exception):
    subcommand_that_raises(monkeypatch, error)
    assert CliRunner().invoke(group, ["run"]).exception is error


def test_a_mistake_of_our_own_is_not_told_as_a_failure_of_the_candidate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    subcommand_that_raises(monkeypatch, ValueError("a mistake"))
    monkeypatch.setattr(sys, "argv", ["plumbline", "run"])
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(SystemExit) as exit_info:
        command.main()
    assert exit_info.value.code == 2
    told = capsys.readouterr().err
    assert "ValueError: a mistake" in told
    assert "a mistake of Plumbline's own" in told


@pytest.mark.parametrize(
    ("arguments", "next_step"),
    [
        (["run", "--config", "none.toml"], "`plumbline init` writes one"),
        (["judge", "none"], "`plumbline run` leaves run directories"),
        (["judge", "."], "`plumbline run` leaves run directories"),
        (["report", "none"], "`plumbline run` leaves run directories"),
        (["replay", "broken.json"], "a run which fails leaves"),
        (["gate", "none"], "run again"),
    ],
    ids=" ".join,
)
def test_what_is_missing_or_unreadable_is_told_with_what_to_do_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], next_step: str
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.json").write_text("{")
    result = CliRunner().invoke(group, arguments)
    assert result.exit_code == 2
    assert next_step in " ".join(result.output.split())
    assert "Traceback" not in result.output
