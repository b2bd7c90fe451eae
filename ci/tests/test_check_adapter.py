"""`plumbline check-adapter`: adapters in order, adapters that lie about one method each, and hostile ones."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from plumbline import suites
from plumbline.adapters.adapter import Adapter
from plumbline.adapters.candidates import Candidate, CandidateKind, find_candidate
from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.protocol import METHODS, Deployed, Introduction, SettleResult
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.command import group
from plumbline.ci.lint import ROOT
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.history.log_lines import LogLine
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    Content,
    Operation,
    OperationKind,
    Outcome,
    QueueRole,
    Status,
)
from plumbline.suites.adapter_check.examiner import CALLED, MOST_OPENED, Examination, Standing
from plumbline.suites.adapter_check.methods import PLAIN, examine
from plumbline.suites.run.tested import ids_with_tests

SMALL = ROOT / "adapters" / "tests" / "small_adapter.py"


def check(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["check-adapter", *arguments])


def lying(**methods: Callable[..., Any]) -> Candidate:
    """The reference with some methods replaced."""
    liar = type("Liar", (ReferenceAdapter,), methods)
    return Candidate(
        name="liar", kind=CandidateKind.PYTHON, in_process=True, open=lambda: liar(chaotic=False, seed=0)
    )


def standings(examination: Examination) -> dict[str, Standing]:
    return {answer.method: answer.standing for answer in examination.answers}


@pytest.mark.parametrize("name", ["reference", "reference:chaotic"])
def test_the_reference_is_in_order_and_every_method_is_asked(name: str):
    examination = examine(find_candidate(name))
    found = standings(examination)
    assert list(found) == list(METHODS)
    assert {name for name, standing in found.items() if standing is Standing.WORKS} >= CALLED
    assert set(found.values()) == {Standing.WORKS, Standing.UNSUPPORTED}
    assert not examination.broken
    assert not any(answer.sent for answer in examination.answers)


def test_what_is_not_declared_is_told_with_the_requirements_that_stay_unsupported():
    examination = examine(find_candidate("reference"))
    assert examination.introduction is not None
    assert set(examination.lost) == set(Capability) - set(examination.introduction.capabilities)
    untested = Capability.VISIBLE_VERSIONS
    assert any(untested in one.capabilities for one in catalogue().values())
    assert examination.lost[untested] == (), "no test needs it yet"


def test_what_is_lost_counts_requirements_that_have_a_test():
    def hello(self: ReferenceAdapter) -> Introduction:
        told = ReferenceAdapter.hello(self)
        less = tuple(one for one in told.capabilities if one is not Capability.CLIENTS)
        return msgspec.structs.replace(told, capabilities=less)

    lost = examine(lying(hello=hello)).lost[Capability.CLIENTS]
    assert lost
    for identity in lost:
        assert Capability.CLIENTS in catalogue()[identity].capabilities
        assert identity in ids_with_tests()
    assert "OVH-01" not in ids_with_tests()


def test_the_methods_that_count_as_called_are_those_that_the_suite_calls():
    text = "".join(
        (Path(suites.__path__[0]) / "harness" / name).read_text()
        for name in ("driver.py", "injecting.py", "joining.py", "registering.py", "restless.py", "session.py")
    )
    called = set(re.findall(r"adapter(?:\(\))?\.([a-z_]+)\(", text))
    assert called & METHODS.keys() == CALLED, (
        "ask for the new one in suites/adapter_check/methods.py, and name it in CALLED"
    )
    core = {method.name for method in METHODS.values() if method.capability is None}
    assert PLAIN.keys() | core == METHODS.keys()


def doing_nothing(*_: object) -> None:
    """Say yes, and do nothing."""


def dropping(name: str) -> Callable[..., Any]:
    """The method of the reference, with the last of what it lists left out."""

    def dropped(self: Adapter, *arguments: Any) -> Any:
        told = getattr(super(type(self), self), name)(*arguments)
        return (
            told[:-1] if isinstance(told, tuple) else msgspec.structs.replace(told, events=told.events[:-1])
        )

    return dropped


def refusing(*_: object) -> None:
    raise UnsupportedError("not here")


def _first(self: Any, regions: Any) -> None:
    self.ran = True
    ReferenceAdapter.reset(self, regions)


def _unchecked(self: Any, member: str, region: str) -> Any:
    return msgspec.structs.replace(ReferenceAdapter.attributes(self, member, region), checks=None)


def _primary(self: Any, member: str, queue: str) -> Any:
    return msgspec.structs.replace(
        ReferenceAdapter.look_at_queue(self, member, queue), role=QueueRole.PRIMARY
    )


def _failing(*_: object) -> None:
    raise AdapterError("it does not end")


def _telling_twice(self: Any, since: int) -> Any:
    told = ReferenceAdapter.observe(self, since)
    return msgspec.structs.replace(told, events=(*told.events, *told.events))


def _remembering(self: Any, since: int) -> Any:
    told = ReferenceAdapter.observe(self, since)
    self.all = (*getattr(self, "all", ()), *told.events)
    if since:
        return told
    return msgspec.structs.replace(told, events=self.all, position=max(told.position, len(self.all)))


def _not_resuming(self: Any, member: str, queue: str, action: str) -> None:
    if action != "resume":
        ReferenceAdapter.queue_action(self, member, queue, action)


def _not_healing(self: Any, source: str, target: str, state: str) -> None:
    if state != "up":
        ReferenceAdapter.link(self, source, target, state)


def _empty_clients(self: Any, member: str, region: str) -> Any:
    return () if member == "client" else ReferenceAdapter.contents(self, member, region)


def _deaf_clients(self: Any, since: int) -> Any:
    told = ReferenceAdapter.observe(self, since)
    return msgspec.structs.replace(told, events=tuple(one for one in told.events if one.member != "client"))


def _forgetting_the_dead(self: Any, since: int) -> Any:
    told = ReferenceAdapter.observe(self, since)
    return msgspec.structs.replace(
        told, events=tuple(one for one in told.events if one.member not in getattr(self, "dead", ()))
    )


def _crashing(self: Any, member: str) -> None:
    self.dead = (member,)
    ReferenceAdapter.crash(self, member)


def _reading_nothing(self: Any, op_id: int, timeout_ms: int) -> Any:
    outcome = ReferenceAdapter.finish(self, op_id, timeout_ms)
    return outcome and msgspec.structs.replace(outcome, value=None)


def _swallowing_of_clients(self: Any, operation: Operation) -> None:
    if operation.member == "client" and operation.kind is OperationKind.PUT:
        self.swallowed = (*getattr(self, "swallowed", ()), operation.op_id)
        return
    ReferenceAdapter.begin(self, operation)


def _pretending_of_clients(self: Any, op_id: int, timeout_ms: int) -> Any:
    if op_id in getattr(self, "swallowed", ()):
        return Outcome(Status.OK)
    return ReferenceAdapter.finish(self, op_id, timeout_ms)


def _not_arming(what: str) -> Callable[..., None]:
    """Gates at that member, or in that callback, are not armed."""

    def arm(self: Any, gate: Gate) -> None:
        if what not in (gate.member, gate.callback):
            ReferenceAdapter.arm(self, gate)

    return arm


def _not_parked_at(what: str) -> Callable[..., bool]:
    def await_parked(self: Any, gate: Gate, timeout_ms: int) -> bool:
        there = what not in (gate.member, gate.callback)
        return there and ReferenceAdapter.await_parked(self, gate, timeout_ms)

    return await_parked


def _alerting_for_ever(self: ReferenceAdapter, member: str) -> tuple[LogLine, ...]:
    found: dict[str, tuple[LogLine, ...]] = self.__dict__.setdefault("logged", {})
    found[member] = (*found.get(member, ()), *ReferenceAdapter.server_log(self, member))
    return found[member]


MORE_LIES: list[tuple[str, dict[str, Callable[..., Any]]]] = [
    ("observe", {"observe": _telling_twice}),
    ("reset", {"observe": _remembering}),
    ("server_log", {"server_log": _alerting_for_ever}),
    ("finish", {"finish": _reading_nothing}),
    ("queue_action", {"queue_action": _not_resuming}),
    ("link", {"link": _not_healing}),
    ("interest", {"contents": _empty_clients}),
    ("interest", {"observe": _deaf_clients}),
    ("crash", {"crash": _crashing, "observe": _forgetting_the_dead}),
    ("begin", {"begin": _swallowing_of_clients, "finish": _pretending_of_clients}),
    ("await_parked", {"arm": _not_arming("client"), "await_parked": _not_parked_at("client")}),
    ("await_parked", {"arm": _not_arming("writer"), "await_parked": _not_parked_at("writer")}),
]

LIES: dict[str, dict[str, Callable[..., Any]]] = {
    "hello": {"hello": lambda self: msgspec.structs.replace(ReferenceAdapter.hello(self), dialect="klingon")},
    "deploy": {"deploy": lambda *_: Deployed(member_order=("A", "A"))},
    "reset": {"reset": lambda self, regions: None if self.__dict__.get("ran") else _first(self, regions)},
    "begin": {"begin": refusing},
    "finish": {"finish": lambda *_: Outcome(Status.REFUSED)},
    "observe": {"observe": dropping("observe")},
    "settle": {"settle": lambda *_: SettleResult(settled=False)},
    "contents": {"contents": lambda *_: (Content("k", "foreign"),)},
    "await_parked": {"await_parked": lambda *_: True},
    "arm": {"arm": doing_nothing, "await_parked": lambda *_: False},
    "script": {"script": doing_nothing},
    "statistic": {"statistic": lambda *_: 3},
    "server_log": {"server_log": lambda *_: ()},
    "attributes": {"attributes": _unchecked},
    "join": {"join": doing_nothing},
    "await_copy": {"await_copy": lambda *_: False},
    "finish_join": {"finish_join": lambda *_: False},
    "create_queue": {"create_queue": doing_nothing},
    "queue_action": {"queue_action": doing_nothing},
    "look_at_queue": {"look_at_queue": _primary},
    "interest": {"interest": refusing},
    "await_answer": {"await_answer": lambda *_: False},
    "finish_interest": {"finish_interest": lambda *_: Status.FAILED},
    "crash": {"crash": refusing},
    "restart": {"restart": doing_nothing},
    "link": {"link": refusing},
    "clock": {"clock": doing_nothing, "advance": doing_nothing},
    "advance": {"advance": doing_nothing},
    "keep_tombstones": {"keep_tombstones": doing_nothing},
    "close": {"close": _failing},
}


@pytest.mark.parametrize("method", LIES)
def test_an_adapter_that_says_yes_and_does_something_else_is_found_out(method: str):
    examination = examine(lying(**LIES[method]))
    assert examination.broken
    broken = [answer for answer in examination.answers if answer.standing is Standing.BROKEN]
    found = {answer.method for answer in broken}
    # What is armed and not come to shows when it is waited for.
    assert found == {"await_parked" if method == "arm" else method}
    assert all(answer.told for answer in broken)
    if method != "deploy":
        assert broken[0].sent.startswith('{"jsonrpc":"2.0"')


@pytest.mark.parametrize(("method", "lie"), MORE_LIES)
def test_a_lie_is_blamed_on_the_method_that_should_have_done_it(
    method: str, lie: dict[str, Callable[..., Any]]
):
    examination = examine(lying(**lie))
    assert [one.method for one in examination.answers if one.standing is Standing.BROKEN] == [method]


def test_the_whole_exchange_of_a_broken_method_is_told():
    examination = examine(lying(begin=_swallowing_of_clients, finish=_pretending_of_clients))
    (broken,) = (one for one in examination.answers if one.standing is Standing.BROKEN)
    sent = [json.loads(line[2:]) for line in broken.exchange if line.startswith("> ")]
    methods = [one["method"] for one in sent]
    assert methods[:4] == ["reset", "start_client", "interest", "begin"], "from its beginning"
    assert methods[-1] in ("observe", "contents")
    assert any(one["params"].get("operation", {}).get("member") == "client" for one in sent)
    answers = [json.loads(line[2:]) for line in broken.exchange if line.startswith("< ")]
    assert [one["id"] for one in answers] == [one["id"] for one in sent]
    assert broken.exchange[-2:] == (f"> {broken.sent}", f"< {broken.answered}")
    assert not any(one.exchange for one in examination.answers if one is not broken)


def test_time_is_asked_for_also_where_there_are_no_gateways():
    def hello(self: Any) -> Introduction:
        told = ReferenceAdapter.hello(self)
        kept = tuple(one for one in told.capabilities if one is not Capability.GATEWAYS)
        return msgspec.structs.replace(told, capabilities=kept)

    found = standings(examine(lying(hello=hello)))
    assert {found[name] for name in ("keep_tombstones", "clock", "advance")} == {Standing.WORKS}


def test_an_error_where_nothing_was_declared_is_told_and_breaks_nothing():
    def call(self: Any, method: str, params: Any) -> Any:
        if method == "stamp":
            raise AdapterError("oops")
        return ReferenceAdapter.call(self, method, params)

    examination = examine(lying(call=call))
    (answer,) = (answer for answer in examination.answers if answer.method == "stamp")
    assert answer.standing is Standing.UNSUPPORTED
    assert "where `unsupported` is due" in answer.told
    assert not examination.broken


def test_an_error_of_what_the_suite_never_calls_is_no_reproach_to_who_declares_it():
    def call(self: Any, method: str, params: Any) -> Any:
        if method == "stamp":
            raise AdapterError("no such entry")
        return ReferenceAdapter.call(self, method, params)

    def hello(self: Any) -> Any:
        told = ReferenceAdapter.hello(self)
        return msgspec.structs.replace(told, capabilities=(*told.capabilities, Capability.VISIBLE_VERSIONS))

    examination = examine(lying(call=call, hello=hello))
    (answer,) = (answer for answer in examination.answers if answer.method == "stamp")
    assert answer.standing is Standing.UNSUPPORTED
    assert answer.told.startswith("the suite does not call it yet; it answers with an error")
    assert "no such entry" in answer.told


def test_the_page_names_what_the_suite_does_not_call_yet():
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    (named,) = re.findall(r"The suite does not call these yet: ([^.]*)\.", page)
    assert sorted(re.findall(r"`(\w+)`", named)) == sorted(set(METHODS) - CALLED)


def test_what_is_lost_is_what_the_dialect_of_the_candidate_owes():
    def hello(self: Any) -> Any:
        return msgspec.structs.replace(ReferenceAdapter.hello(self), dialect="gemfire6")

    for capability, ids in examine(lying(hello=hello)).lost.items():
        owed = [one.id for one in catalogue().values() if Dialect.GEMFIRE6 in one.dialects]
        assert list(ids) == [
            one for one in owed if capability in catalogue()[one].capabilities and one in ids_with_tests()
        ]


def test_an_adapter_that_fails_all_the_time_is_opened_again_a_few_times_only():
    names = ("arm", "statistic", "attributes", "redeliver", "create_queue", "start_client", "crash")
    candidate = lying(**dict.fromkeys(names, _failing))
    opened = []

    def counted() -> Adapter:
        opened.append(1)
        return candidate.open()

    examination = examine(msgspec.structs.replace(candidate, open=counted))
    assert len(opened) == MOST_OPENED
    assert {name for name, standing in standings(examination).items() if standing is Standing.BROKEN} < {
        *names
    }


def test_a_method_that_works_though_its_capability_is_not_declared_is_told():
    def hello(self: Any) -> Any:
        told = ReferenceAdapter.hello(self)
        fewer = tuple(one for one in told.capabilities if one is not Capability.STATISTICS)
        return msgspec.structs.replace(told, capabilities=fewer)

    examination = examine(lying(hello=hello))
    (answer,) = (answer for answer in examination.answers if answer.method == "statistic")
    assert answer.standing is Standing.WORKS
    assert "statistics is not declared" in answer.told
    assert not examination.broken


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("import sys; sys.exit('no licence')", "no licence"),
        ("print('hello world', flush=True); input()", "hello world"),
        ("import time; time.sleep(60)", "did not answer within its time limit"),
        ('input(); print(\'{"jsonrpc":"2.0","id":1,"result":{"name":3}}\', flush=True); input()', "name"),
    ],
)
def test_a_hostile_adapter_is_told_with_the_exchange_and_nothing_waits_for_it(script: str, said: str):
    command = f"process:{shlex.join([sys.executable, '-c', script])}"
    # Time is given where it is not the matter: the machine may be busy.
    result = check("--candidate", command, "--timeout", "700ms" if "sleep" in script else "30s")
    assert result.exit_code == 1, result.output
    assert "✗ hello           broken: " in result.stdout
    assert said in result.stdout
    assert '    > {"jsonrpc":"2.0","id":1,"method":"hello"' in result.stdout
    assert "· deploy          not reached" in result.stdout
    assert "\x1b" not in result.stdout


def test_an_adapter_that_dies_in_the_middle_is_opened_again_for_the_other_methods(tmp_path: Path):
    adapter = tmp_path / "dying.py"
    adapter.write_text(
        "import os, sys\n"
        "from plumbline.adapters.process.server import serve_stdio\n"
        "from plumbline.adapters.reference.reference_adapter import ReferenceAdapter\n"
        "class Dying(ReferenceAdapter):\n"
        "    def statistic(self, member, name):\n"
        "        sys.stderr.write('out of \\x1b[31mhandles')\n"
        "        sys.stderr.flush()\n"
        "        os._exit(9)\n"
        "serve_stdio(lambda: Dying(chaotic=False, seed=0))\n"
    )
    result = check("--candidate", f"process:{sys.executable} {adapter}")
    assert result.exit_code == 1
    assert re.findall(r"✗ (\w+)", result.stdout) == ["statistic"]
    assert "✓ crash" in result.stdout
    assert "\x1b" not in result.stdout
    assert "handles" in result.stdout


def test_an_adapter_that_cannot_be_opened_is_tried_a_few_times_only():
    tries = []

    def cannot() -> Adapter:
        tries.append(1)
        raise AdapterError("no licence")

    examination = examine(Candidate(name="c", kind=CandidateKind.PYTHON, in_process=True, open=cannot))
    assert len(tries) <= MOST_OPENED
    assert standings(examination)["hello"] is Standing.BROKEN
    assert examination.broken


def test_json_has_every_method_and_what_is_lost(tmp_path: Path):
    del tmp_path
    result = check("--candidate", f"process:{shlex.join([sys.executable, str(SMALL)])}", "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["broken"]) == (1, True)
    assert [answer["method"] for answer in told["answers"]] == list(METHODS)
    (settle,) = (answer for answer in told["answers"] if answer["method"] == "settle")
    assert '"held":[["a","k"]]' in settle["answered"]
    assert "VER-TIE-01" in told["lost"]["listener_gates"]


def test_without_a_candidate_the_settings_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    result = check()
    assert result.exit_code == 2
    assert "name a candidate" in result.output
    (tmp_path / "plumbline.toml").write_text("[candidate]\nname = 'reference'\n")
    result = check()
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].endswith("; next: plumbline run --profile smoke")
