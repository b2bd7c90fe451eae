"""What this project is called where packages are installed from, its version, and what it needs.

The import and the command are `plumbline`. On public package indexes that name belongs to another project, so
the distribution has a name of its own. Remedies name the packages that are missing, and never this project:
it is installed from its repository or from a wheel. Knows nothing of what the packages are for.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from importlib import metadata
from pathlib import Path

NAME = "plumbline-conformance"
VERSION = "0.1.0"
"""The version of the suite. pyproject.toml reads it from here without running this module."""

_PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def requirements(extra: str = "") -> tuple[str, ...]:
    """What pip is asked for by the core (""), or by an extra: `pandas>=2.2,<3`."""
    found = []
    for line in _declared():
        requirement, _, marker = line.partition(";")
        of = re.search(r"extra == ['\"]([\w-]+)['\"]", marker)
        if (of[1] if of else "") == extra:
            found.append(requirement.strip())
    return tuple(found)


def packages(extra: str = "") -> tuple[str, ...]:
    """The names of the packages that the core or an extra asks for."""
    return tuple(re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0] for line in requirements(extra))


def how_to_install(extra: str = "") -> str:
    """The command that installs what the core or an extra asks for."""
    return f"pip install {shlex.join(requirements(extra))}"


def _declared() -> list[str]:
    """Every requirement, in the form of package metadata."""
    try:
        return metadata.requires(NAME) or []
    except metadata.PackageNotFoundError:
        return _in_the_clone()


def _in_the_clone() -> list[str]:
    """The same, of a clone that is imported without being installed."""
    if not _PYPROJECT.is_file():
        return []
    project = tomllib.loads(_PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].items()
    of_extras = [f'{line}; extra == "{extra}"' for extra, lines in extras for line in lines]
    return [*project["dependencies"], *of_extras]
