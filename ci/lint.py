"""Formatting, style and types of the whole clone, as `make lint` and CI judge them.

The folders of the top level are one package `plumbline` by a mapping in pyproject.toml that no type checker
follows; so this makes a tree of links, `.types/plumbline/*`, and has that checked.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("adapters", "ci", "reference", "reports", "spark", "suites")
EXAMPLES = ROOT / "adapters" / "examples" / "python"


def link_tree(tree: Path) -> None:
    """Make `tree`/plumbline with one link to each folder of the clone; an existing link is left alone."""
    package = tree / "plumbline"
    package.mkdir(parents=True, exist_ok=True)
    for folder in FOLDERS:
        link = package / folder
        if not link.is_symlink():
            link.symlink_to(ROOT / folder, target_is_directory=True)


def check_types(package: str = "plumbline", tree: Path = ROOT / ".types") -> subprocess.CompletedProcess[str]:
    """Run mypy over a package of the link tree; its report names the files as they are in the clone."""
    link_tree(tree)
    command = [sys.executable, "-m", "mypy", "-p", package]
    command += [word for example in sorted(EXAMPLES.glob("*.py")) for word in ("-m", example.stem)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"MYPYPATH": f"{tree}{os.pathsep}{EXAMPLES}"},
        capture_output=True,
        text=True,
        check=False,
    )
    done.stdout = done.stdout.replace(".types/plumbline/", "")
    return done


def main() -> int:
    """Run every check, also after one has failed; 0 if none did, else 1."""
    failed = False
    for title, arguments in (
        ("style", ["-m", "ruff", "check", "."]),
        ("formatting", ["-m", "ruff", "format", "--check", "."]),
    ):
        print(f"==> {title}", flush=True)
        failed |= subprocess.run([sys.executable, *arguments], cwd=ROOT, check=False).returncode != 0
    print("==> types", flush=True)
    types = check_types()
    print(types.stdout + types.stderr, end="", flush=True)
    return int(failed or types.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
