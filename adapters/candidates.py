"""Candidates by name: from what stands behind `--candidate` to something that opens adapters.

Knows the forms a name can have and where each kind's adapter lives, which it imports only when it is
asked for. Does not know how any of them works.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.container.image_name import image_name_of
from plumbline.adapters.container.system_file import system_of
from plumbline.adapters.errors import MissingToolError, UnknownCandidateError
from plumbline.adapters.geode.jars import KNOWN_VERSIONS, find_jars
from plumbline.adapters.process import python_here, python_server
from plumbline.adapters.process.client import ProcessAdapter, RemoteAdapter, ReplyLimits
from plumbline.adapters.process.exchange_log import ExchangeLog
from plumbline.adapters.process.messages import shorten
from plumbline.adapters.process.server import Loopback
from plumbline.adapters.process.service import ServiceAdapter, address_of
from plumbline.adapters.protocol import Introduction
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.distribution import how_to_install
from plumbline.reference.results.tables import TableError

if TYPE_CHECKING:
    from plumbline.adapters.container.container_candidate import ImageCandidate, SystemCandidate

FORMS = {
    "reference": "the reference of this suite, calm: every run goes the same way",
    "reference:chaotic": "the reference, taking its steps in every order that the documents allow",
    "reference:DIALECT": "the reference in another dialect than geode; `reference:chaotic:DIALECT` likewise",
    "faulty:NAME": "the reference with one decision wrong; in a clone `plumbline faulty list` names them",
    "python:MODULE:FACTORY": "what FACTORY() of a module returns: an Adapter, in a process of its own",
    "python-here:MODULE:FACTORY": "the same in the process of the suite itself, for a debugger",
    "process:COMMAND": "a command that speaks the protocol on its standard input and output",
    "tcp:HOST:PORT": "a service on this machine that speaks the protocol over TCP, a session a connection",
    "tls:HOST:PORT": "the same with TLS, on any machine; its certificate is verified",
    "docker:IMAGE": "an image that speaks the protocol, in a container; `docker:IMAGE?memory=2g COMMAND` too",
    "docker:FILE.toml": "an adapter in a container and each member in one of its own, as the file describes",
    "geode:VERSION": "Apache Geode of that version, got by Maven",
    "geode:DIR": "Apache Geode from the jars of an installation",
}
"""Every form of a candidate's name, with what it stands for."""


class CandidateKind(StrEnum):
    """What a candidate is driven through."""

    REFERENCE = "reference"
    FAULTY = "faulty"
    PYTHON = "python"
    PYTHON_HERE = "python-here"
    PROCESS = "process"
    TCP = "tcp"
    TLS = "tls"
    DOCKER = "docker"
    GEODE = "geode"


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """Something that can be tested.

    Attributes:
        name: as it was given.
        kind: what it is driven through.
        in_process: whether it lives in this process: examples cost microseconds, and nothing but the suite's
            own budget stops one that hangs.
        repeatable: whether each example goes the same way, independent of those played before it.
        open: makes a fresh adapter, any number of times; the caller closes it. Raises AdapterError, and
            MissingToolError when something that the candidate needs is not installed.
        introduced: what counts of how it introduces itself; raises AdapterError if that is not acceptable.
        surroundings: what it has run in, once it was opened, for people: an image's digest, say; "" for most.
    """

    name: str
    kind: CandidateKind
    in_process: bool
    repeatable: bool = False
    open: Callable[[], Adapter]
    introduced: Callable[[Introduction], Introduction] = lambda introduction: introduction
    surroundings: Callable[[], str] = lambda: ""


def find_candidate(
    name: str,
    *,
    seed: int = 0,
    limits: ReplyLimits | None = None,
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
        case CandidateKind.REFERENCE:
            return _reference(name, rest, seed)
        case CandidateKind.FAULTY:
            return _faulty(name, rest, seed)
        case CandidateKind.PYTHON:
            return _python(name, rest, limits, environment or {})
        case CandidateKind.PYTHON_HERE:
            return _python_here(name, rest)
        case CandidateKind.PROCESS:
            return _process(name, rest, limits, environment or {}, folder)
        case CandidateKind.TCP | CandidateKind.TLS:
            return _service(name, CandidateKind(kind), rest, limits)
        case CandidateKind.GEODE:
            return _geode(name, rest)
        case CandidateKind.DOCKER:
            return _docker(name, rest, limits, environment or {}, folder)
        case _:
            raise _unknown(name, _meant(name, FORMS) or _meant(kind, CandidateKind))


def logged(candidate: Candidate, log: ExchangeLog) -> Candidate:
    """The same candidate with all that is asked of it, and what it answers, in a log.

    One that lives in this process is asked by lines of the protocol, too.
    """

    def open_adapter() -> Adapter:
        adapter = candidate.open()
        remote = adapter if isinstance(adapter, RemoteAdapter) else RemoteAdapter(Loopback(adapter))
        remote.log_to(log)
        return remote

    return msgspec.structs.replace(candidate, open=open_adapter)


def _reference(name: str, variant: str, seed: int) -> Candidate:
    chaotic, _, dialect = variant.rpartition(":")
    if variant in ("", "chaotic"):
        chaotic, dialect = variant, Dialect.GEODE
    if chaotic not in ("", "chaotic") or dialect not in set(Dialect) or name.endswith(":"):
        raise _unknown(name, _meant(name, FORMS))

    def open_adapter() -> Adapter:
        from plumbline.adapters.reference.reference_adapter import ReferenceAdapter  # noqa: PLC0415 - slow to import

        spoken = Dialect(dialect)
        return ReferenceAdapter(chaotic=bool(chaotic), seed=seed, dialect=spoken)

    return Candidate(
        name=name, kind=CandidateKind.REFERENCE, in_process=True, repeatable=not chaotic, open=open_adapter
    )


def _faulty(name: str, variant: str, seed: int) -> Candidate:
    from plumbline.reference.rulebook.book import rulebook_of  # noqa: PLC0415 - slow to import
    from plumbline.reference.rulebook.faulty_variants import FAULTY  # noqa: PLC0415 - slow to import

    if variant not in FAULTY:
        raise _unknown(name, _meant(variant, FAULTY) or f"`plumbline faulty list` names all {len(FAULTY)}")

    def open_adapter() -> Adapter:
        from plumbline.adapters.reference.reference_adapter import ReferenceAdapter  # noqa: PLC0415 - slow to import

        return ReferenceAdapter(
            # All else is right in its dialect, so that what is found is the one decision.
            rulebook=FAULTY[variant].rulebook(rulebook_of(FAULTY[variant].dialect)),
            chaotic=FAULTY[variant].chaotic,
            seed=seed,
            dialect=FAULTY[variant].dialect,
        )

    return Candidate(
        name=name,
        kind=CandidateKind.FAULTY,
        in_process=True,
        repeatable=not FAULTY[variant].chaotic,
        open=open_adapter,
    )


def _python(name: str, rest: str, limits: ReplyLimits | None, environment: Mapping[str, str]) -> Candidate:
    module, factory = _module_and_factory(name, rest)
    try:
        python_server.require(module, factory, environment)
    except python_server.NoFactoryError as error:
        raise _unknown(name, str(error)) from error
    # Foreign code may end its process, hang or print: so it gets one of its own.
    words = shlex.join(python_server.command(python_server.SERVE, module, factory))
    return Candidate(
        name=name,
        kind=CandidateKind.PYTHON,
        in_process=False,
        open=lambda: ProcessAdapter(words, limits, environment),
    )


def _python_here(name: str, rest: str) -> Candidate:
    module, factory = _module_and_factory(name, rest)
    try:
        python_here.require(module, factory)
    except python_server.NoFactoryError as error:
        raise _unknown(name, str(error)) from error
    return Candidate(
        name=name,
        kind=CandidateKind.PYTHON_HERE,
        in_process=True,
        open=lambda: python_here.opened(module, factory),
    )


def _module_and_factory(name: str, rest: str) -> tuple[str, str]:
    module, _, factory = rest.rpartition(":")
    if not module or not factory:
        form = f"{name.partition(':')[0]}:MODULE:FACTORY"
        raise _unknown(name, f"a module and a factory are needed: `{form}`")
    return module, factory


def _process(
    name: str, command: str, limits: ReplyLimits | None, environment: Mapping[str, str], folder: Path | None
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
        kind=CandidateKind.PROCESS,
        in_process=False,
        open=lambda: ProcessAdapter(command, limits, environment, folder),
    )


def _service(name: str, kind: CandidateKind, address: str, limits: ReplyLimits | None) -> Candidate:
    try:
        found = address_of(address, tls=kind is CandidateKind.TLS)
    except ValueError as error:
        raise _unknown(name, str(error)) from None
    return Candidate(name=name, kind=kind, in_process=False, open=lambda: ServiceAdapter(found, limits))


def _geode(name: str, source: str) -> Candidate:
    if not source:
        raise _unknown(name, "a version or a folder is needed: `geode:VERSION` or `geode:DIR`")
    if source not in KNOWN_VERSIONS:
        find_jars(source)  # it says so if this is no folder with jars

    def open_adapter() -> Adapter:
        try:
            from plumbline.adapters.geode.geode_adapter import GeodeAdapter  # noqa: PLC0415 - needs the extra [geode]
        except ModuleNotFoundError as error:
            raise _lacking(name, error, "geode") from None

        return GeodeAdapter(source)

    return Candidate(name=name, kind=CandidateKind.GEODE, in_process=False, open=open_adapter)


def _docker(
    name: str, rest: str, limits: ReplyLimits | None, environment: Mapping[str, str], folder: Path | None
) -> Candidate:
    try:
        described = system_of(Path(folder or "") / rest) if rest.endswith(".toml") else None
        wanted = image_name_of(rest) if described is None else described.adapter
    except (ValueError, TableError) as error:
        raise _unknown(name, str(error)) from None

    @cache
    def found() -> ImageCandidate | SystemCandidate:
        try:
            from plumbline.adapters.container import container_candidate as made  # noqa: PLC0415 - the extra [docker]
        except ModuleNotFoundError as error:
            raise _lacking(name, error, "docker") from None

        if described is not None:
            return made.SystemCandidate(described, limits, environment)
        return made.ImageCandidate(wanted, limits, environment)

    return Candidate(
        name=name,
        kind=CandidateKind.DOCKER,
        in_process=False,
        open=lambda: found().open(),
        surroundings=lambda: found().description,
    )


def _lacking(name: str, error: ModuleNotFoundError, extra: str) -> MissingToolError:
    remedy = f"install it with: {how_to_install(extra)}"
    return MissingToolError(f"{name} needs {error.name}, which is not installed; {remedy}")


def _meant(given: str, names: Iterable[str]) -> str:
    """A question naming what is spelled alike, or ""."""
    near = get_close_matches(given, list(names), n=3, cutoff=0.5)
    return f"did you mean {' or '.join(near)}?" if near else ""


def _unknown(name: str, reason: str) -> UnknownCandidateError:
    forms = ", ".join(FORMS)
    because = f": {shorten(reason, 1000)}" if reason else ""
    return UnknownCandidateError(f"unknown candidate `{shorten(name)}`{because} (candidates are: {forms})")
