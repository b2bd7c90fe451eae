"""Gates and logs of an example, and the start of a JVM, without a real one."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.errors import AdapterError, MissingToolError
from plumbline.adapters.geode import listener
from plumbline.adapters.geode.calls import tells
from plumbline.adapters.geode.folder import Folder, sweep
from plumbline.adapters.geode.geode_adapter import GeodeAdapter
from plumbline.adapters.geode.handles import FIELD, NULL
from plumbline.adapters.geode.listener import ABSENT, GeodeExample, Holding, RegionListener, Unplaced
from plumbline.adapters.geode.telling import UNREAD, Telling
from plumbline.adapters.waiting import wait_until
from plumbline.reference.history.listener_calls import QueuedChange
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    Content,
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    Site,
    Status,
    Topology,
)

LIMIT_S = 5.0
GATE = Gate("A", 7)


def event(member: str = "A", token: str = "t7") -> Event:  # noqa: S107 - tokens are no passwords here
    return Event(member=member, region="r", key="k", kind=EventKind.UPDATE, token=token)


def finds(token: str) -> Callable[[Holding], bool]:
    """A read that found a token."""
    return lambda holding: holding.token == token


@pytest.fixture
def stage() -> GeodeExample:
    stage = GeodeExample()
    stage.expect(
        Operation(op_id=7, thread="x", member="A", region="r", kind=OperationKind.PUT, key="k", token="t7")  # noqa: S106
    )
    return stage


def told_elsewhere(stage: GeodeExample, what: Event) -> threading.Thread:
    thread = threading.Thread(target=stage.tell, args=(what,))
    thread.start()
    return thread


def test_clients_are_told_of_what_lies_anywhere_and_members_of_what_they_hold():
    stage = GeodeExample({"A": 1, "B": 1})
    stage.placed["r", "k"] = ("A",)
    for who in ("A", "B", "K"):
        stage.tell(event(member=who))
    assert [one.member for one in stage.events] == ["A", "K"]


def test_who_holds_the_key_of_a_dead_member_is_asked_once_its_event_has_come():
    stage = GeodeExample({"A": 1, "B": 1})
    stage.placed["r", "k"] = ("A",)
    stage.tell(event(member="B"))
    assert stage.shown == []
    stage.dead.add("A")
    stage.tell(event(member="B"))
    assert stage.shown == [Unplaced(event(member="B"))]


def test_a_listener_parks_at_its_gate_until_it_is_released(stage: GeodeExample):
    stage.arm(GATE)
    thread = told_elsewhere(stage, event())
    assert stage.await_parked(GATE, LIMIT_S)
    assert stage.events == [event()]
    assert stage.held() == (("A", "k"),)
    stage.release(GATE)
    assert stage.held() == ()
    thread.join(LIMIT_S)
    assert not thread.is_alive()


@pytest.mark.parametrize("other", [event(member="B"), event(token="t8")])  # noqa: S106
def test_another_member_or_operation_does_not_park(stage: GeodeExample, other: Event):
    stage.arm(GATE)
    thread = told_elsewhere(stage, other)
    thread.join(LIMIT_S)
    assert not thread.is_alive()
    assert not stage.await_parked(GATE, 0)


def test_arming_a_released_gate_again_does_not_shut_it(stage: GeodeExample):
    stage.release(GATE)
    stage.arm(GATE)
    thread = told_elsewhere(stage, event())
    thread.join(LIMIT_S)
    assert not thread.is_alive()
    assert stage.held() == ()


def test_a_gate_that_nobody_releases_is_opened_and_reported(
    stage: GeodeExample, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(listener, "GATE_LIMIT_S", 0.05)
    stage.arm(GATE)
    stage.tell(event())
    assert stage.held() == ()
    assert [member for member, _ in stage.troubles] == ["A"]
    assert "not released" in stage.troubles[0][1]


def test_waiting_for_calm_ends_when_nothing_happens_and_at_the_deadline_when_much_does(stage: GeodeExample):
    began = time.monotonic()
    stage.wait_quiet(0.01, began + LIMIT_S)
    assert time.monotonic() - began < LIMIT_S / 2
    ended = threading.Event()

    def disturb() -> None:
        while not ended.wait(0.01):
            stage.note()

    thread = threading.Thread(target=disturb)
    thread.start()
    began = time.monotonic()
    # Long enough for a thread that waits for the processor meanwhile.
    stage.wait_quiet(1.0, began + 1.5)
    took = time.monotonic() - began
    ended.set()
    thread.join(LIMIT_S)
    assert took >= 1.5


PLACE = ("A", "r", "k")


def test_a_read_of_what_was_loaded_waits_for_no_event(stage: GeodeExample, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listener, "LATE_LIMIT_S", 10 * LIMIT_S)
    for contents, fits in (([Content("k", "t5")], finds("t5")), ([], lambda holding: not holding.present)):
        stage.learn("A", "r", contents)
        thread = threading.Thread(
            target=stage.await_told, args=({PLACE: stage.told(PLACE)}, fits), daemon=True
        )
        thread.start()
        thread.join(LIMIT_S)
        assert not thread.is_alive()
    assert stage.events == []


def test_a_read_waits_for_the_event_of_what_it_found(stage: GeodeExample):
    thread = threading.Thread(target=stage.await_told, args=({PLACE: stage.told(PLACE)}, finds("t7")))
    thread.start()
    thread.join(0.1)
    assert thread.is_alive()
    stage.tell(event(member="B"))
    thread.join(0.1)
    assert thread.is_alive()
    stage.tell(event())
    thread.join(LIMIT_S)
    assert not thread.is_alive()


def test_a_read_may_have_found_what_is_no_longer_there(stage: GeodeExample, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listener, "LATE_LIMIT_S", 10 * LIMIT_S)
    before = stage.told(PLACE)
    stage.tell(event())
    stage.tell(event(token="t8"))  # noqa: S106
    began = time.monotonic()
    stage.await_told({PLACE: before}, finds("t7"))
    stage.await_told({PLACE: before}, lambda holding: not holding.present)
    assert time.monotonic() - began < listener.LATE_LIMIT_S


def test_a_read_that_began_later_cannot_have_found_what_was_gone(
    stage: GeodeExample, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(listener, "LATE_LIMIT_S", 0.1)
    stage.tell(event())
    stage.tell(event(token="t8"))  # noqa: S106
    began = time.monotonic()
    stage.await_told({PLACE: stage.told(PLACE)}, finds("t7"))
    assert time.monotonic() - began >= 0.1


@pytest.mark.parametrize(
    ("kind", "left"),
    [
        (EventKind.CREATE, Holding(present=True, token="t7")),  # noqa: S106
        (EventKind.INVALIDATE, Holding(present=True, token=None)),
        (EventKind.DESTROY, ABSENT),
    ],
)
def test_an_event_tells_what_the_member_holds_after_it(
    stage: GeodeExample, kind: EventKind, left: Holding, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(listener, "LATE_LIMIT_S", 10 * LIMIT_S)
    stage.tell(Event(member="A", region="r", key="k", kind=kind, token="t7"))  # noqa: S106
    began = time.monotonic()
    stage.await_told({PLACE: stage.told(PLACE)}, lambda holding: holding == left)
    assert time.monotonic() - began < listener.LATE_LIMIT_S


@pytest.mark.parametrize(
    ("kind", "outcome", "from_absent", "from_invalid", "from_valid"),
    [
        (OperationKind.GET, Outcome(Status.OK, "t7"), False, False, True),
        (OperationKind.GET, Outcome(Status.OK), True, True, False),
        (OperationKind.CONTAINS_KEY, Outcome(Status.OK, "true"), False, True, True),
        (OperationKind.CONTAINS_KEY, Outcome(Status.OK, "false"), True, False, False),
        (OperationKind.CREATE, Outcome(Status.EXISTS), False, True, True),
        (OperationKind.DESTROY, Outcome(Status.ABSENT), True, False, False),
        (OperationKind.PUT_IF_ABSENT, Outcome(Status.OK, "t7"), False, False, True),
    ],
)
def test_an_outcome_tells_what_it_can_come_from(
    kind: OperationKind, outcome: Outcome, *, from_absent: bool, from_invalid: bool, from_valid: bool
):
    fits = tells(Operation(op_id=1, thread="x", member="A", region="r", kind=kind, key="k"), outcome)
    assert fits is not None
    assert fits(ABSENT) == from_absent
    assert fits(Holding(present=True, token=None)) == from_invalid
    assert fits(Holding(present=True, token="t7")) == from_valid  # noqa: S106


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (OperationKind.PUT, Status.OK),
        (OperationKind.DESTROY, Status.OK),
        (OperationKind.PUT_IF_ABSENT, Status.OK),
        (OperationKind.PUT, Status.INDEFINITE),
        (OperationKind.LOCAL_DESTROY, Status.REFUSED),
    ],
)
def test_an_outcome_of_a_change_tells_no_more_than_its_event(kind: OperationKind, status: Status):
    operation = Operation(op_id=1, thread="x", member="A", region="r", kind=kind, key="k")
    assert tells(operation, Outcome(status)) is None


def test_an_event_that_cannot_be_read_is_reported_and_not_shown(stage: GeodeExample):
    telling = Telling.__new__(Telling)  # no JVM: only what it calls
    telling.listeners = {"example1_0": RegionListener(stage, "A", "r")}
    telling.tell(UNREAD)
    assert stage.events == []
    assert stage.troubles == [("A", "the listener could not read its event")]


def test_an_event_is_told_by_its_parts_and_one_of_a_dropped_region_not_at_all(stage: GeodeExample):
    telling = Telling.__new__(Telling)
    telling.listeners = {"example2_0": RegionListener(stage, "A", "r")}
    for region in ("example1_0", "example2_0"):
        telling.tell(FIELD.join(("afterDestroy", region, "true", "k", NULL)))
    assert [(each.kind, each.key, each.token, each.remote) for each in stage.events] == [
        (EventKind.DESTROY, "k", None, True)
    ]


def test_only_folders_of_the_dead_are_swept():
    mine, other = Folder(), Folder()
    other._lock.close()  # as the system does when a process dies
    sweep()
    assert mine.path.exists()
    assert wait_until(
        lambda: not other.path.exists(), 5
    )  # another worker's sweep may be the one that deletes
    mine.remove()
    assert not mine.path.exists()


def test_a_folder_that_cannot_be_deleted_stays_for_the_next_sweep(monkeypatch: pytest.MonkeyPatch):
    folder = Folder()
    (folder.path / "member").mkdir()
    monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: None)
    folder.remove()
    assert (folder.path / "lock").exists()
    monkeypatch.undo()
    sweep()
    assert wait_until(lambda: not folder.path.exists(), 5)


@pytest.fixture
def jars(tmp_path: Path) -> Path:
    (tmp_path / "geode-core-1.15.1.jar").touch()
    return tmp_path


def test_without_java_the_remedy_is_named(jars: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(jars))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with (
        GeodeAdapter(str(jars)) as adapter,
        pytest.raises(MissingToolError, match="apt-get install openjdk"),
    ):
        adapter.deploy(Topology((Site(1, ("A",)),)))


def test_a_java_that_ends_at_once_is_an_adapter_error_with_its_last_words(
    jars: Path, monkeypatch: pytest.MonkeyPatch
):
    java = jars / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'too old for this' >&2\nexit 3\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(jars))
    with GeodeAdapter(str(jars)) as adapter:
        assert adapter.hello().version == "1.15.1"
        with pytest.raises(AdapterError, match="code 3") as caught:
            adapter.deploy(Topology((Site(1, ("A",)),)))
    assert caught.value.last_words == "too old for this"


@pytest.mark.parametrize(
    ("key", "kind", "token", "seen"),
    [
        ("k", EventKind.DESTROY, None, "t8"),
        ("k", EventKind.DESTROY, "t9", "t9"),
        ("k", EventKind.INVALIDATE, None, None),
        ("other", EventKind.DESTROY, None, None),
    ],
)
def test_events_of_a_conditional_removal_have_its_token(
    stage: GeodeExample, key: str, kind: EventKind, token: str | None, seen: str | None
):
    """Geode's `remove` of an expected value takes no callback argument."""
    kind_called = OperationKind.REMOVE_IF_EQUAL
    stage.expect(
        Operation(op_id=8, member="A", thread="A0", kind=kind_called, region="r", key="k", token="t8")  # noqa: S106
    )
    assert stage.with_token(Event(member="A", region="r", key=key, kind=kind, token=token)).token == seen
    assert stage.with_token(QueuedChange(region="r", key=key, kind=kind, token=token)).token == seen
