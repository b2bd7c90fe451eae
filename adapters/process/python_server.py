"""A Python adapter served by a process of its own: what `python:MODULE:FACTORY` stands for.

An end of the foreign code, even by `os._exit`, ends this process and not the harness. Knows how a factory is
found and reported; not what the adapter does.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.process.messages import shorten
from plumbline.adapters.process.server import serve_stdio

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from plumbline.adapters.process.python_server import main; main()"
)
LOOK, SERVE = "look", "serve"

IMPORT_S = 60.0
"""A module is imported within this time."""


class NoFactoryError(Exception):
    """There is no such factory; the message says why."""


def command(task: str, module: str, factory: str) -> list[str]:
    """The command that looks for a factory, or serves what it makes, with this interpreter and its path."""
    return [sys.executable, "-c", _BOOT, task, json.dumps([*sys.path, os.getcwd()]), module, factory]  # noqa: PTH109


def require(module: str, factory: str, environment: Mapping[str, str]) -> None:
    """Look for a factory in a process of its own; raises NoFactoryError."""
    try:
        looked = subprocess.run(
            command(LOOK, module, factory),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=IMPORT_S,
            check=False,
            start_new_session=True,
            env={**os.environ, **environment},
        )
    except subprocess.TimeoutExpired:
        raise NoFactoryError(f"importing {module} has not ended within {IMPORT_S:.0f} s") from None
    except OSError as error:
        raise NoFactoryError(f"no process can be started for it: {error}") from None
    try:
        reason = json.loads(looked.stdout)
    except ValueError:
        reason = f"importing {module} ended the process with status {looked.returncode}"
    if reason:
        raise NoFactoryError(str(reason))


def find(module_name: str, factory_name: str) -> Callable[[], Any]:
    """The factory of a module; raises NoFactoryError."""
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        wanted = f"it needs module {error.name}, which" if error.name not in _parents(module_name) else "it"
        raise NoFactoryError(f"{wanted} is neither installed nor below {os.getcwd()}") from None  # noqa: PTH109
    except BaseException as error:  # a module may raise anything
        reason = f"importing {module_name} raised {type(error).__name__}: {error}"
        raise NoFactoryError(reason) from error
    factory = getattr(module, factory_name, None)
    if callable(factory):
        made: Callable[[], Any] = factory
        return made
    has = [each for each in vars(module) if not each.startswith("_") and callable(getattr(module, each))]
    what = "is no function or class" if factory is not None else "is not there"
    near = get_close_matches(factory_name, has, n=3, cutoff=0.5)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    raise NoFactoryError(f"{factory_name} {what} in {module_name}{meant}")


def _parents(module_name: str) -> set[str]:
    """A module's name and those of the packages it lies in."""
    parts = module_name.split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts) + 1)}


def make(module: str, factory: str) -> Adapter:
    """What the factory makes; raises AdapterError where that is no adapter."""
    try:
        adapter = find(module, factory)()
    except NoFactoryError as error:
        raise AdapterError(shorten(str(error))) from error
    if not isinstance(adapter, Adapter):
        raise AdapterError(shorten(f"{factory} returned {type(adapter).__name__}, which is no Adapter"))
    return adapter


def _look(module: str, factory: str) -> None:
    """Say on standard output why there is no factory, or nothing; output of the import is no part of it."""
    said = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    reason = ""
    try:
        find(module, factory)
    except NoFactoryError as error:
        reason = str(error)
    with said:
        json.dump(reason, said)
    os._exit(0)  # threads that the import has begun are not waited for


def main() -> None:
    """Do what the command line says: see `command`."""
    task, _, module, factory = sys.argv[1:]
    if task == LOOK:
        _look(module, factory)
    serve_stdio(lambda: make(module, factory))
