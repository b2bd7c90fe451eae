"""Candidates that never come to an end: each is a failure, with the requirement that it breaks."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.process.client import ReplyLimits
from plumbline.adapters.protocol import Deployed, Observed, SettleResult
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.history.actions import Do
from plumbline.reference.history.history import Observation
from plumbline.reference.history.moments import Unsettled
from plumbline.reference.history.operations import (
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.results.runs import read_counterexample
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.suites.harness import restless
from plumbline.suites.harness.restless import EndlessError, endless
from plumbline.suites.harness.session import Session
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.replaying import Judge, Played, play_plan, replay
from plumbline.suites.run.running import Options, run_suite
from plumbline.suites.run.running import RunOutcome as Ended


class Repeating(ReferenceAdapter):
    """Never comes to rest once there is something to repeat, and has listeners told of it again and again."""

    sites = Topology(())

    def deploy(self, topology: Topology) -> Deployed:
        self.sites = topology
        return super().deploy(topology)

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        super().reset(regions)
        self._again: list[Event] = []

    def repeats(self, event: Event) -> bool:
        raise NotImplementedError

    def settle(self, timeout_ms: int) -> SettleResult:
        super().settle(timeout_ms)
        told = [event for event in super().observe(0).events if event.token and self.repeats(event)]
        if not told:
            return SettleResult(settled=True)
        self._again.append(told[-1])
        return SettleResult(settled=False)

    def observe(self, since: int) -> Observed:
        events = (*super().observe(0).events, *self._again)
        return Observed(events=events[since:], position=len(events))


class Ring(Repeating):
    """An event that has crossed to another site goes round for ever."""

    def repeats(self, event: Event) -> bool:
        return len(self.sites.sites) > 2 and event.member in self.sites.sites[-1].members


class Echo(Repeating):
    """A message of one member to another is repeated for ever, within a site."""

    def repeats(self, event: Event) -> bool:
        return len(self.sites.sites) == 1 and event.member == self.sites.members[-1]


class Hangs(ReferenceAdapter):
    """The second destroy of an example never returns."""

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        super().reset(regions)
        self._destroys: list[int] = []

    def begin(self, operation: Operation) -> None:
        if operation.kind is OperationKind.DESTROY:
            self._destroys.append(operation.op_id)
        super().begin(operation)

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        return None if op_id in self._destroys[1:2] else super().finish(op_id, timeout_ms)


class Throws(ReferenceAdapter):
    """The third put of an example throws at its caller, after it has done its work."""

    STATUS = Status.INDEFINITE

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        super().reset(regions)
        self._puts: list[int] = []

    def begin(self, operation: Operation) -> None:
        if operation.kind is OperationKind.PUT:
            self._puts.append(operation.op_id)
        super().begin(operation)

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        outcome = super().finish(op_id, timeout_ms)
        if outcome is not None and op_id in self._puts[2:3]:
            return Outcome(self.STATUS, detail="NullPointerException")
        return outcome


class Fails(Throws):
    """The same, and says that nothing has happened."""

    STATUS = Status.FAILED


@pytest.fixture(autouse=True)
def _watched_shortly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restless, "WATCHED_S", 0.5)


def candidate(kind: type[Adapter]) -> Candidate:
    return msgspec.structs.replace(find_candidate("reference"), name=f"python:{kind.__name__}", open=kind)


def run(out: Path, kind: type[Adapter], *selected: str, replays: int = 1) -> Ended:
    profile = msgspec.structs.replace(PROFILES["smoke"], examples=12, replays=replays)
    return run_suite(
        candidate(kind), Options(selected=selected, profile=profile, seed=3), out, lambda *_: None
    )


@pytest.mark.parametrize(
    ("kind", "selected", "named", "words"),
    one_in(
        2,
        [
            (
                Ring,
                ("SER-ENQ-01", "WANC-MULTI-01"),
                "SER-ENQ-01",
                "again and again, and nothing came to rest",
            ),
            (Echo, ("CONS-RR-04",), "DISC-LSN-01", "again and again, and nothing came to rest"),
            (Hangs, ("CONS-RR-04",), "CONS-RR-02", "did not return"),
            (Throws, ("CONS-RR-04",), "CONS-RR-02", "ended without an answer"),
            (Fails, ("CONS-RR-04",), "CONS-RR-02", "failed, though nothing kept it from its end"),
        ],
    ),
)
def test_a_candidate_that_comes_to_no_end_fails_with_its_requirement_in_run_and_replay(
    tmp_path: Path, kind: type[Adapter], selected: tuple[str, ...], named: str, words: str
):
    ended = run(tmp_path, kind, *selected)
    machines = [kept for kept in ended.counterexamples if kept.source is Source.MACHINE]
    assert machines
    assert all(kept.requirements[0] == named for kept in machines)
    failed = {row.requirement: row.reason for row in ended.rows if row.verdict is Verdict.FAIL}
    assert words in failed[named]
    for kept in machines[:1]:
        example = read_counterexample(ended.directory / "counterexamples" / f"machine-{kept.title}.json")
        with Session(candidate(kind)) as session:
            again = replay(example, session, Judge(session.book), 2)
        assert [result.verdict for result in again] == [Verdict.FAIL] * 2, again[0].reason
        with Session(find_candidate("reference")) as session:
            (right,) = replay(example, session, Judge(session.book), 1)
        assert right.verdict is Verdict.PASS


class NeverSettles(ReferenceAdapter):
    """Never says that it has settled, though nothing happens any more."""

    def settle(self, timeout_ms: int) -> SettleResult:
        super().settle(timeout_ms)
        return SettleResult(settled=False)


class SettlesLate(ReferenceAdapter):
    """Settles in the second time that it is given."""

    asked = 0

    def settle(self, timeout_ms: int) -> SettleResult:
        self.asked += 1
        super().settle(timeout_ms)
        return SettleResult(settled=self.asked % 2 == 0)


class ReturnsLate(ReferenceAdapter):
    """A call returns in the second time that it is given."""

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        super().reset(regions)
        self._asked: set[int] = set()

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        if op_id not in self._asked:
            self._asked.add(op_id)
            return None
        return super().finish(op_id, timeout_ms)


PLAN = Plan(
    Topology((Site(1, ("A", "B")),)),
    (RegionAttributes(name="r"),),
    tuple(
        Do(
            Operation(
                op_id=at, thread="A0", member="A", region="r", kind=OperationKind.PUT, key="x", token=f"t{at}"
            )
        )
        for at in (1, 2)
    ),
)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (NeverSettles, "has not settled within"),
        (SettlesLate, "has settled, but not within"),
        (ReturnsLate, "it returned when as much time again was given"),
    ],
)
def test_where_nothing_is_seen_to_be_wrong_it_stays_an_adapter_error(kind: type[Adapter], words: str):
    with Session(candidate(kind)) as session, pytest.raises(AdapterError, match=words) as raised:
        play_plan(PLAN, session)
    assert not isinstance(raised.value, EndlessError)


SILENT = """
import signal

import msgspec

from plumbline.adapters.protocol import Observed, SettleResult
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter


class Silent(ReferenceAdapter):
    # `settle` is never answered once the last member has been told of something.

    again = ()

    def hello(self):
        return msgspec.structs.replace(super().hello(), settle_limit_ms=300)

    def deploy(self, topology):
        self.last = topology.members[-1]
        return super().deploy(topology)

    def reset(self, regions):
        self.again = ()
        super().reset(regions)

    def settle(self, timeout_ms):
        told = super().settle(timeout_ms)
        while any(event.member == self.last for event in super().observe(0).events):
            signal.pause()
        return told


class Echo(Silent):
    # Meanwhile the last event is told again and again.

    def observe(self, since):
        events = super().observe(0).events
        told = [event for event in events if event.member == self.last and event.token]
        self.again += tuple(told[-1:])
        events = (*events, *self.again)
        return Observed(events=events[since:], position=len(events))


class Late(Silent):
    # Nothing is told again, and then nothing is answered any more.

    def observe(self, since):
        told = super().observe(since)
        while self.again and self.again[-1].token == "t2":
            signal.pause()
        self.again = told.events or self.again
        return told
"""
"""Adapters with one thread each: one that stands in `settle` answers nothing else."""


@pytest.fixture
def silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Candidate]:
    """Gives one of these adapters, in a process of its own."""
    (tmp_path / "silent.py").write_text(SILENT)
    monkeypatch.syspath_prepend(str(tmp_path))
    limits = ReplyLimits(grace_ms=400, call_ms=2_000)
    return lambda name: find_candidate(f"python:silent:{name}", limits=limits)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Silent", "settle: never answered, though the adapter answers otherwise.* no listener received"),
        ("Late", "observe: the adapter did not answer within its time limit"),
    ],
)
def test_a_settle_that_never_answers_is_an_adapter_error_where_nothing_comes_again(
    silent: Callable[[str], Candidate], name: str, words: str
):
    with Session(silent(name)) as session, pytest.raises(AdapterError, match=words) as raised:
        play_plan(PLAN, session)
    assert not isinstance(raised.value, EndlessError)


def test_a_settle_that_never_answers_while_an_event_comes_again_is_a_failure_that_is_named(
    tmp_path: Path, silent: Callable[[str], Candidate]
):
    with Session(silent("Echo")) as session:
        played = play_plan(PLAN, session)
        assert "the listener of B received update r[x] t2" in played.endless
        assert Judge(session.book).of(played)[0] is Verdict.FAIL
        began = time.monotonic()
        assert play_plan(PLAN, session).endless
        assert time.monotonic() - began < 5, "the listeners are watched before the question is asked again"
    profile = msgspec.structs.replace(PROFILES["smoke"], examples=3, replays=0)
    options = Options(selected=("DISC-LSN-01",), profile=profile, seed=3)
    ended = run_suite(silent("Echo"), options, tmp_path / "runs", lambda *_: None)
    failed = [(row.requirement, row.reason) for row in ended.rows if row.verdict is Verdict.FAIL]
    assert {requirement for requirement, _ in failed} == {"DISC-LSN-01"}
    assert any("again and again, and nothing came to rest" in reason for _, reason in failed)


def test_a_call_that_hangs_while_the_history_is_right_is_an_adapter_error():
    with Session(find_candidate("reference")) as session:
        history = play_plan(PLAN, session).history
        with pytest.raises(EndlessError, match="hangs"):
            Judge(session.book).of(Played(PLAN, history, "it hangs"))


def test_what_comes_again_without_end_is_kept_as_far_as_it_takes_and_claims_nothing():
    with Session(candidate(Echo)) as session:
        played = play_plan(PLAN, session)
    assert isinstance(played.history.timeline[-1], Unsettled)
    assert "the listener of B received update r[x] t2" in played.history.timeline[-1].repeated
    assert [shown.event.token for shown in played.history.logs["B"]] == ["t1", "t2", "t2", "t2"]
    assert played.endless


@pytest.mark.parametrize("causes", [0, 3])
def test_an_event_may_come_again_for_each_cause_and_no_more(causes: int):
    event = Event(member="B", region="r", key="x", kind=EventKind.UPDATE, token="t1", remote=None)  # noqa: S106
    for times, refused in ((3 + 2 * causes, False), (4 + 2 * causes, True)):
        assert bool(endless({"B": [Observation(event, 0, 0)] * times}, causes)) == refused
