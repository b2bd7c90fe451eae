"""What runs send to candidates, compared with what docs/protocol.md says that the suite sends.

Knows requests and the scene that each is asked in; knows no verdict. `python -m
plumbline.ci.selftest.checks.requests --profile gate` plays a whole run and tells what differs.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import click
import msgspec
from rich.console import Console

from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.adapters.checked import CheckedAdapter
from plumbline.adapters.errors import UnknownCandidateError
from plumbline.adapters.scene import Scene
from plumbline.adapters.sent import PARKED, VALUES, Form, forms
from plumbline.reference.history.operations import RegionPolicy
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.running import Options, run_suite

Record = TypeVar("Record", bound=msgspec.Struct)

_PARTIES = frozenset({"member", "source", "target"})
_CLOSED = frozenset({"action", "callback", "kind", "order_policy", "policy", "scope", "state"})
_COUNTED = frozenset({"op_id", "since"})
_NUMBERS = re.compile(r"(-?\d+)(?: to (-?\d+))?( of them)?")
_TEXTS = (
    ("nothing", re.compile(r"")),
    ("", re.compile(r"[\w-]+", re.ASCII)),
    ("spaces", re.compile(r"[\w -]+", re.ASCII)),
    ("lines", re.compile(r"[\w\n-]+", re.ASCII)),
    ("signs", re.compile(r"[ -~]+")),
)
"""What a text holds besides letters, digits, - and _; the first one that matches."""


class Requests:
    """All that was sent.

    Attributes:
        forms: methods, each with what was given.
        values: words and numbers by parameter; the length of a list is a number with " of them".
    """

    def __init__(self) -> None:
        self.forms: set[Form] = set()
        self.values: dict[str, set[str]] = defaultdict(set)
        self._gates: dict[int, set[str]] = defaultdict(set)

    def add(self, method: str, params: Any, scene: Scene) -> None:
        """Take in one request, asked in a scene."""
        if method == "reset":
            self._gates.clear()
        elif method == "arm":
            self._gates[params.gate.op_id].add(f"{params.gate.callback} {_party(params.gate.member, scene)}")
        given = self._read(method, method, params, scene)
        if method == "begin":
            given |= self._where(params.operation, scene)
        self.forms.add((method, frozenset(given)))

    def beyond_the_page(self, stated: frozenset[Form], values: dict[str, str] = VALUES) -> list[str]:
        """What was sent and is not stated."""
        return [
            *_words(self.forms - stated),
            *(
                f"{parameter}: {value}"
                for parameter, seen in sorted(self.values.items())
                for value in sorted(seen)
                if not any(_covers(one, value) for one in values.get(parameter, "").split("; "))
            ),
        ]

    def never_sent(self, stated: frozenset[Form], values: dict[str, str] = VALUES) -> list[str]:
        """What is stated and was not sent: forms, words, and both ends of each range."""
        return [
            *_words(stated - self.forms),
            *(
                f"{parameter}: {end}"
                for parameter, said in values.items()
                for one in said.split("; ")
                for end in _ends(one)
                if end not in self.values[parameter]
            ),
        ]

    def _where(self, operation: Any, scene: Scene) -> set[str]:
        """Where an operation is called; notes the gates that wait for it."""
        region = scene.regions.get(operation.region)
        where = {"transaction"} if operation.thread in scene.transacting else set()
        for gate in self._gates[operation.op_id]:
            callback, at = gate.split()
            called = {f"kind={operation.kind}", f"member={_party(operation.member, scene)}"}
            self.forms.add((PARKED, frozenset({*called, *where, f"callback={callback}", f"at={at}"})))
        partitioned = region is not None and region.policy is RegionPolicy.PARTITION
        return where | ({"partitioned"} if partitioned else set())

    def _read(self, record: str, method: str, params: Any, scene: Scene) -> set[str]:
        """What a record gives; notes its values."""
        given: set[str] = set()
        for field in msgspec.structs.fields(params):
            value = getattr(params, field.name)
            if isinstance(value, msgspec.Struct):
                given |= self._read(record, method, value, scene)
            elif field.required or value != field.default:
                word = self._word(record, method, field.name, value, scene)
                if word or not field.required:
                    given.add(f"{field.name}={word}" if word else field.name)
        return given

    def _word(self, record: str, method: str, name: str, value: Any, scene: Scene) -> str:
        """What is stated of a value by itself; "" where only its range or kind is."""
        if name in _PARTIES:
            return _party(value, scene)
        closed = name in _CLOSED or record == "statistic" or (name == "queue" and value == "receiver")
        if closed or isinstance(value, bool):
            return str(value).lower() if isinstance(value, bool) else str(value)
        if name not in _COUNTED and (name != "number" or record == "deploy.sites"):
            self.values[f"{record} {name}"].update(self._kinds(method, name, value, scene))
        return ""

    def _kinds(self, method: str, name: str, value: Any, scene: Scene) -> Iterator[str]:
        if isinstance(value, tuple):
            yield f"{len(value)} of them"
            for each in value:
                if isinstance(each, msgspec.Struct):
                    part = f"{method}.{name}"
                    self.forms.add((part, frozenset(self._read(part, method, each, scene))))
                else:
                    for one in each if isinstance(each, tuple) else (each,):
                        yield from self._kinds(method, name, one, scene)
        elif isinstance(value, str):
            kind = next((kind for kind, text in _TEXTS if text.fullmatch(value)), "letters beyond ASCII")
            yield from [kind] if kind else []
        elif value is not None:
            limit = scene.introduction.settle_limit_ms if scene.introduction else None
            yield "`settle_limit_ms`" if name == "timeout_ms" and value == limit else str(value)


def _party(name: str, scene: Scene) -> str:
    # A region may name a client before that is started.
    return "site" if name.isdecimal() else "member" if name in scene.topology.members else "client"


def _words(unlike: set[Form] | frozenset[Form]) -> list[str]:
    return sorted(f"{record}: {' '.join(sorted(given)) or 'nothing more'}" for record, given in unlike)


def _ends(said: str) -> list[str]:
    """Both ends of a range, or the word that it is."""
    match = _NUMBERS.fullmatch(said)
    return [said] if match is None else [f"{end}{match[3] or ''}" for end in (match[1], match[2]) if end]


def _covers(said: str, value: str) -> bool:
    """Whether a value is the word that is said, or in the range."""
    stated, seen = _NUMBERS.fullmatch(said), _NUMBERS.fullmatch(value)
    if stated is None or seen is None:
        return said == value
    return stated[3] == seen[3] and int(stated[1]) <= int(seen[1]) <= int(stated[2] or stated[1])


class _Recording(CheckedAdapter):
    """Notes each request before it is passed on."""

    def __init__(self, candidate: Candidate, requests: Requests) -> None:
        super().__init__(candidate.open())
        self._requests = requests

    def _ask(self, method: str, params: msgspec.Struct, result: type[Record]) -> Record:
        self._requests.add(method, params, self._scene)
        return super()._ask(method, params, result)


def recorded(candidate: Candidate, requests: Requests) -> Candidate:
    """A candidate all of whose requests are noted."""
    return msgspec.structs.replace(candidate, open=lambda: _Recording(candidate, requests))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--profile", type=click.Choice(list(PROFILES)), default="gate", show_default=True)
@click.option("--candidate", "names", multiple=True, default=("reference",), show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def main(profile: str, names: tuple[str, ...], seed: int) -> None:
    """Play whole runs, and tell what they sent and docs/protocol.md does not state, or the other way round.

    Exit code 1 where something was sent that is not stated.
    """
    console, requests = Console(soft_wrap=True, highlight=False, markup=False), Requests()
    for name in names:
        try:
            candidate = recorded(find_candidate(name, seed=seed), requests)
        except UnknownCandidateError as error:
            raise click.UsageError(str(error)) from error
        with TemporaryDirectory() as out:
            run_suite(candidate, Options(profile=PROFILES[profile], seed=seed), Path(out), lambda *_: None)
    beyond, never = requests.beyond_the_page(forms()), requests.never_sent(forms())
    for line in beyond:
        console.print(f"sent, not stated: {line}")
    for line in never:
        console.print(f"stated, not sent: {line}")
    console.print(
        f"{len(requests.forms)} combinations sent, {len(forms())} stated; "
        f"{len(beyond)} not stated, {len(never)} not sent"
    )
    sys.exit(bool(beyond))


if __name__ == "__main__":
    main()
