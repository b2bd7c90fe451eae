"""`plumbline.toml`: how one candidate is started, tested and let through the gate, in its owners' words.

Options of a command line win over what stands there; the calling command sees to that. Times have their unit
in their name. Knows nothing of how runs are made.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.adapters.errors import AdapterError, UnknownCandidateError
from plumbline.adapters.process.client import ReplyLimits
from plumbline.adapters.protocol import Introduction
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.history.ranges import AnswerMs, ClockErrorMs, SettleMs
from plumbline.reference.results.gate_policy import GatePolicy, PolicyError, ProfileName, check
from plumbline.reference.results.tables import TableError, fields, read_table

FILE = "plumbline.toml"

Text = Annotated[str, Meta(min_length=1)]
_USUAL = ReplyLimits()


class ConfigurationError(Exception):
    """A configuration cannot be used; the message says where, why, and what to do."""


class CandidateTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is tested: a command, or anything else that can be named."""

    command: Annotated[
        str,
        Meta(
            description="speaks the protocol on its standard input and output; started in this folder",
            examples=['"./my-adapter"'],
        ),
    ] = ""
    name: Annotated[
        str,
        Meta(
            description="instead of a command: any other candidate, as for --candidate",
            examples=['"geode:1.15.1"'],
        ),
    ] = ""
    environment: Annotated[
        dict[str, str],
        Meta(
            description="variables put to those that the command is started with",
            examples=['{ LOG_LEVEL = "warn" }'],
        ),
    ] = {}
    capabilities: Annotated[
        tuple[Capability, ...],
        Meta(
            description="must be offered; if one is not, nothing is judged (exit code 2)",
            examples=['["clients", "gateways"]'],
        ),
    ] = ()
    dialect: Annotated[
        Dialect | None,
        Meta(description="judge by this dialect, not the declared one", examples=['"geode"']),
    ] = None


class TimeOuts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long a process may take before it is given up and ended."""

    answer_ms: Annotated[
        AnswerMs, Meta(description="for an answer that names no time of its own", examples=["30000"])
    ] = _USUAL.call_ms
    deploy_ms: Annotated[AnswerMs, Meta(description="for starting every member", examples=["300000"])] = (
        _USUAL.deploy_ms
    )
    longest_ms: Annotated[
        AnswerMs, Meta(description="most that one request may ask for", examples=["600000"])
    ] = _USUAL.longest_ms
    grace_ms: Annotated[
        AnswerMs,
        Meta(
            description="on top of a request's own time, and for each step of ending it",
            examples=["5000"],
        ),
    ] = _USUAL.grace_ms

    @property
    def limits(self) -> ReplyLimits:
        """The same as an adapter takes it."""
        return ReplyLimits(
            call_ms=self.answer_ms,
            deploy_ms=self.deploy_ms,
            longest_ms=self.longest_ms,
            grace_ms=self.grace_ms,
        )


class Durations(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Durations that the candidate declares of itself, and that hold here instead."""

    settle_limit_ms: Annotated[
        SettleMs | None,
        Meta(description="most that it takes until nothing more happens by itself", examples=["10000"]),
    ] = None
    clock_error_ms: Annotated[
        ClockErrorMs | None,
        Meta(description="how far the clocks of its sites differ at most", examples=["50"]),
    ] = None


class RunTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much is played, against what is on record."""

    profile: Annotated[
        ProfileName | None,
        Meta(description="how much: smoke, gate or full", examples=['"gate"']),
    ] = None
    seed: Annotated[int | None, Meta(description="what plans are drawn from", examples=["20250101"])] = None
    budget_s: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="no example is begun after so many seconds", examples=["300"]),
    ] = None
    select: Annotated[
        tuple[Text, ...],
        Meta(description="only these: ids, beginnings of ids, areas", examples=['["VER", "clear"]']),
    ] = ()
    deviations: Annotated[
        str,
        Meta(description="known differences, a TOML file", examples=['"deviations.toml"']),
    ] = ""
    out: Annotated[str, Meta(description="where run directories go", examples=['"runs"'])] = ""


class Configuration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file; every table, and every key in it, may be left out."""

    candidate: CandidateTable = CandidateTable()
    time_outs: TimeOuts = TimeOuts()
    durations: Durations = Durations()
    run: RunTable = RunTable()
    gate: GatePolicy = GatePolicy()


class Settings(msgspec.Struct, frozen=True):
    """A configuration, and the file it was read from; None where there was none, and nothing is set."""

    said: Configuration = Configuration()
    file: Path | None = None

    @property
    def folder(self) -> Path:
        """What its relative paths start from."""
        return self.file.parent if self.file is not None else Path()

    @property
    def candidate_name(self) -> str:
        """The candidate it is about, as for --candidate; "" if it names none."""
        table = self.said.candidate
        return f"process:{table.command}" if table.command else table.name

    @property
    def deviations(self) -> Path | None:
        """The file of known differences, if one is named."""
        return self.folder / self.said.run.deviations if self.said.run.deviations else None

    @property
    def out(self) -> Path:
        """Where run directories go."""
        return self.folder / (self.said.run.out or "runs")

    def find(self, name: str, *, seed: int = 0, limits: ReplyLimits | None = None) -> Candidate:
        """The candidate of a name; with all that is set for it here, if it is the one that this is about.

        Raises UnknownCandidateError.
        """
        limits = limits or self.said.time_outs.limits
        if not name or name != self.candidate_name:
            return find_candidate(name, seed=seed, limits=limits)
        try:
            found = find_candidate(
                name,
                seed=seed,
                limits=limits,
                environment=self.said.candidate.environment,
                folder=None if self.file is None else self.folder,
            )
        except UnknownCandidateError as error:
            raise UnknownCandidateError(f"{self.file}: {error}") from None
        return msgspec.structs.replace(found, introduced=self._introduced)

    def _introduced(self, introduction: Introduction) -> Introduction:
        """What counts of how the candidate introduces itself; raises AdapterError if it may not."""
        missing = [one for one in self.said.candidate.capabilities if one not in introduction.capabilities]
        if missing:
            raise AdapterError(
                f"hello: the candidate does not offer {', '.join(missing)}, which {self.file} expects; "
                "mend the adapter, or take it out of `capabilities` there"
            )
        given = {
            name: value
            for name, value in msgspec.structs.asdict(self.said.durations).items()
            if value is not None
        }
        return msgspec.structs.replace(introduction, **given)


NO_SETTINGS = Settings()


def find_settings(given: Path | None, folder: Path = Path()) -> Settings:
    """What the file given sets, else the one in the folder, else nothing; raises ConfigurationError."""
    file = folder / FILE if given is None else given
    if given is None and not file.is_file():
        return NO_SETTINGS
    try:
        said = read_table(file, Configuration)
        check(said.gate, f"{file}: gate")
    except (TableError, PolicyError) as error:
        raise ConfigurationError(str(error)) from error
    table = said.candidate
    if table.command and table.name:
        raise ConfigurationError(f"{file}: candidate: it has both a command and a name; leave one out")
    if table != CandidateTable() and not table.command and not table.name:
        raise ConfigurationError(
            f"{file}: candidate: it has neither a command nor a name, so it says nothing of any; add one"
        )
    if table.environment and not table.command:
        raise ConfigurationError(f"{file}: candidate, environment: only a command has one; add command")
    try:
        shlex.split(table.command)
    except ValueError as error:
        raise ConfigurationError(
            f"{file}: candidate, command: it cannot be split into words: {error}; quote it as for a shell"
        ) from error
    return Settings(said, file)


def template(command: str = "./my-adapter") -> str:
    """The text of a file for a command, with every key, what it is good for, and an example."""
    lines = [
        f"# {FILE}: how this candidate is tested. `plumbline run`, pytest and `plumbline gate` read it from",
        "# the folder in which they are called, or where --config says; what a command line says wins. Every",
        "# key may be left out; one that is not known is an error. Relative paths start from this file.",
    ]
    shown = {"command": msgspec.json.encode(command).decode()}
    for table, _, _ in fields(Configuration):
        record = type(getattr(Configuration(), table.name))
        lines += list(_table(table.name, record, shown if table.name == "candidate" else {}))
    return "\n".join(lines) + "\n"


def _table(name: str, record: type[msgspec.Struct], shown: Mapping[str, str]) -> Iterator[str]:
    """A table of the template; keys that are not shown are commented out."""
    inner: list[tuple[str, type[msgspec.Struct]]] = []
    yield ""
    yield f"# {(record.__doc__ or '').splitlines()[0]}"
    yield f"[{name}]"
    for field, good_for, example in fields(record):
        value = getattr(record(), field.name)
        if isinstance(value, msgspec.Struct):
            inner.append((f"{name}.{field.name}", type(value)))
            continue
        set_to = (
            f"{field.name} = {shown[field.name]}" if field.name in shown else f"# {field.name} = {example}"
        )
        yield f"{set_to:<44} # {good_for}"
    for below, table in inner:
        yield from _table(below, table, {})
