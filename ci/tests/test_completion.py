"""What the shell offers: candidates, ids and areas, also where bash takes a colon for the end of a word."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.rulebook.faulty_variants import FAULTY

LIMIT_S = 60


def offered(shell: str, *words: str) -> list[str]:
    """What is offered for the last of the words, which bash has split as it does."""
    environment = {
        **os.environ,
        "_PLUMBLINE_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": " ".join(("plumbline", *words)),
        "COMP_CWORD": str(len(words)),
    }
    command = [sys.executable, "-c", "from plumbline.ci.command import main; main()"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT_S
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def values(lines: list[str]) -> list[str]:
    """The values of what bash is offered."""
    return [line.partition(",")[2] for line in lines]


def test_candidates_are_offered_by_their_beginnings():
    found = values(offered("bash", "run", "--candidate", "re"))
    assert {"reference", "reference:chaotic", "reference:gemfire6"} <= set(found)
    assert all(name.startswith("re") for name in found)
    assert "geode:1.15.1" in offered("zsh", "check-adapter", "--candidate", "ge")


@pytest.mark.parametrize("words", [("faulty", ":", "tie-k"), ("faulty:tie-k",)])
def test_bash_is_offered_what_comes_behind_the_colon(words: tuple[str, ...]):
    wanted = sorted(name for name in FAULTY if name.startswith("tie-k"))
    assert sorted(values(offered("bash", "run", "--candidate", *words))) == wanted
    everything = values(offered("bash", "replay", "--candidate", "faulty", ":"))
    assert sorted(everything) == sorted(FAULTY)


def test_ids_their_beginnings_and_areas_are_offered():
    found = values(offered("bash", "run", "--select", "VER-T"))
    assert found[0] == "VER-TIE"
    assert {one for one in catalogue() if one.startswith("VER-T")} <= set(found)
    assert "tombstones" in values(offered("bash", "catalogue", "tomb"))
    assert "VER-TIE-01" in values(offered("bash", "catalogue", "CONS-RR-04", "ver-tie"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_is_given_a_script(shell: str):
    environment = {**os.environ, "_PLUMBLINE_COMPLETE": f"{shell}_source"}
    command = [sys.executable, "-c", "from plumbline.ci.command import main; main()"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT_S
    )
    assert "_PLUMBLINE_COMPLETE" in done.stdout


def test_bash_itself_completes_a_faulty_variant():
    bash, here = shutil.which("bash"), Path(sys.executable).parent
    if bash is None or not (here / "plumbline").exists():
        pytest.skip("there is no bash, or the command is not installed")
    script = """
        eval "$(_PLUMBLINE_COMPLETE=bash_source plumbline)"
        COMP_WORDS=(plumbline run --candidate faulty : tie-keeps)
        COMP_CWORD=5
        _plumbline_completion plumbline tie-keeps :
        echo "${COMPREPLY[@]}"
    """
    environment = {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [bash, "-c", script], env=environment, capture_output=True, text=True, check=False, timeout=LIMIT_S
    )
    assert done.stdout.split() == ["tie-keeps-own"], done.stderr
