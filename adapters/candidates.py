"""Candidates by name: from what stands behind `--candidate` to something that opens adapters.

Knows the forms a name can have and where each kind's adapter lives, which it imports only when it is
asked for. Does not know how any of them works.
"""

from __future__ import annotations

import importlib
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError, MissingToolError, UnknownCandidateError
from plumbline.adapters.geode.jars import KNOWN_VERSIONS, find_jars
from plumbline.adapters.process.client import Limits, ProcessAdapter, RemoteAdapter
from plumbline.adapters.process.messages import shorten
from plumbline.adapters.process.server import Loopback
from plumbline.adapters.protocol import Introduction
from plumbline.reference.catalogue.records import Dialect

FORMS = {
    "reference": "the reference of this suite, calm: every run goes the same way",
    "reference:chaotic": "the reference, taking its steps in every order that the documents allow",
    "reference:DIALECT": "the reference in another dialect than geode; `reference:chaotic:DIALECT` likewise",
    "faulty:NAME": "the reference with one decision made wrong; `plumbline faulty list` names them",
    "python:MODULE:FACTORY": "what FACTORY() of an importable module returns: an Adapter in this process",
    "process:COMMAND": "a command that speaks the protocol on its standard input and output",
    "geode:VERSION": "Apache Geode of that version, got by Maven",
    "geode:DIR": "Apache Geode from the jars of an installation",
}
"""Every form of a candidate's name, with what it stands for."""

_ANNOUNCED = ("tcp", "docker")


class Kind(StrEnum):
    """What a candidate is driven through."""

    REFERENCE = "reference"
    FAULTY = "faulty"
    PYTHON = "python"
    PROCESS = "process"
    GEODE = "geode"


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """Something that can be tested.

    Attributes:
        name: as it was given.
        kind: what it is driven through.
        in_process: whether it lives in this process: examples cost microseconds, and nothing but the
            suite's own budget stops one that hangs.
        repeatable: whether each example goes the same way, whatever was played before it.
        open: makes a fresh adapter, any number of times; the caller closes it. Raises AdapterError, and
            MissingToolError when something that the candidate needs is not installed.
        introduced: what counts of how it introduces itself; raises AdapterError if that is not acceptable.
    """

    name: str
    kind: Kind
    in_process: bool
    repeatable: bool = False
    open: Callable[[], Adapter]
    introduced: Callable[[Introduction], Introduction] = lambda introduction: introduction


def find_candidate(
    name: str,
    *,
    seed: int = 0,
    limits: Limits | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Candidate:
    """The candidate of a name; nothing of it is started yet.

    Args:
        name: one of FORMS.
        seed: what a chaotic reference draws its orders from.
        limits: how long a process may take for an answer.
        environment: variables put to those that a process is started with.
        folder: where a process is started; where this one is if left out.

    Raises:
        UnknownCandidateError: nothing is named so; the message says what is.
    """
    kind, _, rest = name.partition(":")
    match kind:
        case Kind.REFERENCE:
            return _reference(name, rest, seed)
        case Kind.FAULTY:
            return _faulty(name, rest, seed)
        case Kind.PYTHON:
            return _python(name, rest)
        case Kind.PROCESS:
            return _process(name, rest, limits, environment or {}, folder)
        case Kind.GEODE:
            return _geode(name, rest)
        case _ if kind in _ANNOUNCED:
            raise _unknown(name, f"candidates of the form `{kind}:` are planned, but not there yet")
        case _:
            raise _unknown(name, _meant(name, FORMS) or _meant(kind, Kind))


def _reference(name: str, variant: str, seed: int) -> Candidate:
    chaotic, _, dialect = variant.rpartition(":")
    if variant in ("", "chaotic"):
        chaotic, dialect = variant, Dialect.GEODE
    if chaotic not in ("", "chaotic") or dialect not in set(Dialect) or name.endswith(":"):
        raise _unknown(name, _meant(name, FORMS))

    def open_adapter() -> Adapter:
        from plumbline.adapters.reference.adapter import ReferenceAdapter  # noqa: PLC0415 - slow to import

        spoken = Dialect(dialect)
        return ReferenceAdapter(chaotic=bool(chaotic), seed=seed, dialect=spoken)

    return Candidate(
        name=name, kind=Kind.REFERENCE, in_process=True, repeatable=not chaotic, open=open_adapter
    )


def _faulty(name: str, variant: str, seed: int) -> Candidate:
    from plumbline.reference.rulebook.faulty import FAULTY  # noqa: PLC0415 - slow to import

    if variant not in FAULTY:
        raise _unknown(name, _meant(variant, FAULTY) or f"`plumbline faulty list` names all {len(FAULTY)}")

    def open_adapter() -> Adapter:
        from plumbline.adapters.reference.adapter import ReferenceAdapter  # noqa: PLC0415 - slow to import

        return ReferenceAdapter(
            rulebook=FAULTY[variant].rulebook(),
            chaotic=FAULTY[variant].chaotic,
            seed=seed,
            dialect=FAULTY[variant].dialect,
        )

    return Candidate(
        name=name,
        kind=Kind.FAULTY,
        in_process=True,
        repeatable=not FAULTY[variant].chaotic,
        open=open_adapter,
    )


def _python(name: str, rest: str) -> Candidate:
    module_name, _, factory_name = rest.rpartition(":")
    if not module_name or not factory_name:
        raise _unknown(name, "a module and a factory are needed: `python:MODULE:FACTORY`")
    folder = os.getcwd()  # noqa: PTH109 - an entry of sys.path is text
    if folder not in sys.path:
        # An installed command does not see the folder in which it is called, though everybody expects it to.
        sys.path.append(folder)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        wanted = f"it needs module {error.name}, which" if error.name not in _parents(module_name) else "it"
        raise _unknown(name, f"{wanted} is neither installed nor below {folder}") from None
    except Exception as error:  # a module may raise anything
        reason = f"importing {module_name} raised {type(error).__name__}: {error}"
        raise _unknown(name, reason) from error
    factory = getattr(module, factory_name, None)
    if not callable(factory):
        has = [each for each in vars(module) if not each.startswith("_") and callable(getattr(module, each))]
        what = "is no function or class" if factory is not None else "is not there"
        near = _meant(factory_name, has)
        raise _unknown(name, f"{factory_name} {what} in {module_name}" + (f"; {near}" if near else ""))

    def open_adapter() -> Adapter:
        try:
            adapter = factory()
        except Exception as error:
            raise AdapterError(shorten(f"{name} raised {type(error).__name__}: {error}")) from error
        if not isinstance(adapter, Adapter):
            raise AdapterError(shorten(f"{name} returned {type(adapter).__name__}, which is no Adapter"))
        # Foreign code: what it returns is read as strictly as if it had come over a wire.
        return RemoteAdapter(Loopback(adapter))

    return Candidate(name=name, kind=Kind.PYTHON, in_process=True, open=open_adapter)


def _process(
    name: str, command: str, limits: Limits | None, environment: Mapping[str, str], folder: Path | None
) -> Candidate:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise _unknown(name, f"the command cannot be split into words: {error}") from None
    if not words:
        raise _unknown(name, "a command is needed: `process:COMMAND`")
    beside = folder is not None and os.sep in words[0]
    program = str(Path(folder or "").absolute() / words[0]) if beside else words[0]
    if shutil.which(program, path=environment.get("PATH")) is None:
        raise _unknown(name, f"there is no program {words[0]!r}, or it may not be executed")
    return Candidate(
        name=name,
        kind=Kind.PROCESS,
        in_process=False,
        open=lambda: ProcessAdapter(command, limits, environment, folder),
    )


def _geode(name: str, source: str) -> Candidate:
    if not source:
        raise _unknown(name, "a version or a folder is needed: `geode:VERSION` or `geode:DIR`")
    if source not in KNOWN_VERSIONS:
        find_jars(source)  # it says so if this is no folder with jars

    def open_adapter() -> Adapter:
        try:
            from plumbline.adapters.geode.adapter import GeodeAdapter  # noqa: PLC0415 - needs the extra [geode]
        except ModuleNotFoundError as error:
            remedy = "install it with: pip install 'plumbline[geode]'"
            raise MissingToolError(f"{name} needs {error.name}, which is not installed; {remedy}") from None

        return GeodeAdapter(source)

    return Candidate(name=name, kind=Kind.GEODE, in_process=False, open=open_adapter)


def _parents(module_name: str) -> set[str]:
    """A module's name and those of the packages it lies in."""
    parts = module_name.split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts) + 1)}


def _meant(given: str, names: Iterable[str]) -> str:
    """A question naming what is spelled alike, or ""."""
    near = get_close_matches(given, list(names), n=3, cutoff=0.5)
    return f"did you mean {' or '.join(near)}?" if near else ""


def _unknown(name: str, reason: str) -> UnknownCandidateError:
    forms = ", ".join(FORMS)
    because = f": {shorten(reason, 1000)}" if reason else ""
    return UnknownCandidateError(f"unknown candidate `{shorten(name)}`{because} (candidates are: {forms})")
