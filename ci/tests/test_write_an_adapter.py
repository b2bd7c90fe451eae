"""The page docs/write-an-adapter.md, followed to the letter in an empty folder that holds the wheel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from plumbline.ci.lint import EXAMPLES, ROOT
from plumbline.ci.tests.further_cases import further

PAGE = ROOT / "docs" / "write-an-adapter.md"
LIMIT_S = 300
LEFT_OUT = "…"
WHOLE_SUITE = "--out runs/whole"
END = "__end_of_command__"

PROGRESS = re.compile(r"^.* so far, .*\n\n?", re.MULTILINE)
"""What a run tells every half minute: only a slow machine shows it here."""

CHANGING = (
    (PROGRESS, ""),
    (re.compile(r"\b\d+\.\d s\b"), "N s"),
    (re.compile(r"\d{8}-\d{6}-(\S+?)-[0-9a-f]{6}"), r"TIME-\1-ID"),
    (re.compile(r"^ *\d+  (?=[✓○⊘] \w)", re.MULTILINE), "N  "),
    (re.compile(r"^ *\d+    (?=without a test|not asked for)", re.MULTILINE), "N    "),
    (re.compile(r"^(  \w+ +)\d+  (?=\w)", re.MULTILINE), r"\1N  "),
    (re.compile(r"\b\d+ unsupported;"), "N unsupported;"),
)
"""What is not the same every time (seconds, names of runs), and numbers that grow with the suite."""


class Step(NamedTuple):
    """A command of the page, and the lines that it printed."""

    command: str
    printed: tuple[str, ...]


def steps(page: str) -> list[Step]:
    """Every command in the page's console blocks."""
    found: list[Step] = []
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *printed = part.rstrip("\n").split("\n")
            found.append(Step(command, tuple(printed)))
    return found


def play(commands: list[str], folder: Path) -> list[list[str]]:
    """What each command prints, all in one shell that begins in a folder."""
    script = "".join(f"{command}\n(code=$?; echo; echo {END}; exit $code)\n" for command in commands)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_COMPILE": "0",  # of all that is installed; what is imported is compiled then
        "COLUMNS": "80",
    }
    done = subprocess.run(
        ["bash"],
        input=script,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    return [lines(part) for part in done.stdout.split(f"{END}\n")[:-1]]


def lines(text: str) -> list[str]:
    """Lines without what is never the same twice, and without blanks at their ends."""
    for pattern, word in CHANGING:
        text = pattern.sub(word, text)
    return [line.rstrip() for line in text.strip("\n").split("\n")] if text.strip() else []


def differs(told: list[str], printed: list[str]) -> str:
    """The first line of the page that was not printed where it should have been; or ""."""
    at, anywhere = 0, False
    for line in told:
        if line == LEFT_OUT:
            anywhere = True
            continue
        places = [n for n in range(at, len(printed)) if printed[n] == line]
        if not places or not (anywhere or places[0] == at):
            return line
        at, anywhere = places[0] + 1, False
    return "" if anywhere or at == len(printed) else f"nothing after line {at}"


PAGE_OF_ONE = """
```console
$ show
a
…
c 1.5 s
$ next
```
"""


@pytest.mark.parametrize(
    ("printed", "wrong"),
    [
        ("a\nc 2.5 s", ""),
        ("a\nb\nb\nc 0.1 s", ""),
        ("x: 0:30 so far, runs 17 of 20, no failures so far\n\na\nc 1.5 s", ""),
        ("b\na\nc 1.5 s", "a"),
        ("a\nb", "c N s"),
        ("a\nc 1.5 s\nd", "nothing after line 2"),
        ("", "a"),
    ],
)
def test_a_page_that_tells_other_lines_is_found_out(printed: str, wrong: str):
    first, second = steps(PAGE_OF_ONE)
    assert (first.command, second) == ("show", Step("next", ()))
    assert differs(lines("\n".join(first.printed)), lines(printed)) == wrong


def test_all_commands_share_one_shell(tmp_path: Path):
    told = play(["mkdir inside", "cd inside", "word=here", "false", "echo $? $word; pwd"], tmp_path)
    assert told == [[], [], [], [], ["1 here", str(tmp_path / "inside")]]


@pytest.mark.slow
@pytest.mark.parametrize("left_out", [WHOLE_SUITE, further(None)])
def test_the_page_prints_what_it_says(wheel: Path, tmp_path: Path, left_out: str | None):
    shutil.copy(wheel, tmp_path)
    told = [step for step in steps(PAGE.read_text()) if not left_out or left_out not in step.command]
    printed = play([step.command for step in told], tmp_path)
    assert len(printed) == len(told)
    for step, shown in zip(told, printed, strict=True):
        wrong = differs(lines("\n".join(step.printed)), shown)
        assert not wrong, f"$ {step.command}\nnot as the page says, from {wrong!r}:\n" + "\n".join(shown)


def test_the_page_names_every_file_of_the_example():
    page = PAGE.read_text()
    assert [file.name for file in EXAMPLES.glob("*.py") if f"`{file.name}`" not in page] == []
