"""A document that nothing reads any more: the command ends cleanly, with the exit code of the verdicts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BOOT = "import sys; from plumbline.ci.command import main; sys.argv[0] = 'plumbline'; main()"


@pytest.mark.parametrize(
    ("candidate", "requirement", "code"),
    [("reference", "VER-TIE-01", 0), ("faulty:tie-keeps-own", "VER-TIE-01", 1)],
)
def test_the_exit_code_is_that_of_the_verdicts(tmp_path: Path, candidate: str, requirement: str, code: int):
    reading, writing = os.pipe()
    os.close(reading)
    arguments = ["run", "--json", "--profile", "smoke", "--select", requirement, "--candidate", candidate]
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "-c", BOOT, *arguments, "--out", str(tmp_path)],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == code, done.stderr
    assert "nothing reads the standard output any more" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
