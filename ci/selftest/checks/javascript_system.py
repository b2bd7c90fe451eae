"""The system in JavaScript (adapters/examples/node): where it is, and whether this machine can run it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3] / "adapters" / "examples" / "node" / "store.mjs"

OLDEST = 18


def missing() -> str:
    """Why the system cannot run on this machine; "" if it can."""
    node = shutil.which("node")
    if node is None:
        return f"Node.js {OLDEST} or newer is not installed (Debian: nodejs)"
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    major = told.removeprefix("v").split(".")[0]
    if not major.isdigit() or int(major) < OLDEST:
        return f"Node.js {OLDEST} or newer is needed; {node} is {told or 'of an unknown version'}"
    return ""


def candidate(source: Path = SOURCE) -> str:
    """The candidate's name of the system, or of a copy of it."""
    return f"process:{shlex.join(['node', str(source)])}"
