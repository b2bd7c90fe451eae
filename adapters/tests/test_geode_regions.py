"""Replicated regions on three real members: the documents' worked example, late messages, outcomes.

What is expected here was seen on every version named below; docs/geode.md tells it in words.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.ci.tests.further_cases import further
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    READS,
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Site,
    Status,
    Topology,
)

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.geode import listener
from plumbline.adapters.geode.geode_adapter import GeodeAdapter
from plumbline.adapters.geode.listener import GeodeExample
from plumbline.adapters.geode.worker import Worker

pytestmark = pytest.mark.java

THREE = Topology((Site(1, ("A", "B", "C")),))
LIMIT_MS = 15_000

PUT, CREATE, DESTROY = OperationKind.PUT, OperationKind.CREATE, OperationKind.DESTROY
INVALIDATE, REPLACE = OperationKind.INVALIDATE, OperationKind.REPLACE
PUT_IF_ABSENT, GET, CONTAINS_KEY = OperationKind.PUT_IF_ABSENT, OperationKind.GET, OperationKind.CONTAINS_KEY


class Play:
    """An example on a running cluster, in few words."""

    def __init__(self, adapter: GeodeAdapter) -> None:
        self.adapter = adapter
        self.last = 0

    def begin(
        self, member: str, kind: OperationKind, token: str = "", key: str = "k", thread: str = ""
    ) -> int:
        self.last += 1
        operation = Operation(
            op_id=self.last,
            thread=thread or f"of {member}",
            member=member,
            region="r",
            kind=kind,
            key=key,
            token=None if kind in READS else token or f"t{self.last}",
        )
        self.adapter.begin(operation)
        return self.last

    def call(self, member: str, kind: OperationKind, token: str = "", key: str = "k") -> Outcome:
        outcome = self.adapter.finish(self.begin(member, kind, token, key), LIMIT_MS)
        assert outcome is not None, "the call did not return"
        return outcome

    def park(self, gate: Gate) -> None:
        """Wait until the operation stands at the gate."""
        assert self.adapter.await_parked(gate, LIMIT_MS)

    def settle(self) -> None:
        assert self.adapter.settle(LIMIT_MS).settled

    def told(self, member: str, key: str = "k") -> list[str]:
        """What a member's listener was told about a key."""
        events = self.adapter.observe(0).events
        return [f"{e.kind} {e.token}" for e in events if e.member == member and e.key == key]

    def held(self) -> list[dict[str, str | None]]:
        """What A, B and C hold."""
        return [{c.key: c.token for c in self.adapter.contents(member, "r") or ()} for member in "ABC"]

    def discards(self) -> list[int]:
        return [self.adapter.statistic(member, "conflatedEvents") for member in "ABC"]

    def at_once(self, first: OperationKind, second: OperationKind, released: str) -> None:
        """A and C each apply an operation before either has heard of the other's; then one goes first."""
        gates = {"A": Gate("A", self.last + 1), "C": Gate("C", self.last + 2)}
        for gate in gates.values():
            self.adapter.arm(gate)
        self.begin("A", first, "of A", thread="one")
        self.begin("C", second, "of C", thread="two")
        for gate in gates.values():
            self.park(gate)
        for member in (released, "C" if released == "A" else "A"):
            self.adapter.release(gates[member])
            self.adapter.settle(LIMIT_MS)
        self.settle()


@pytest.fixture(scope="module", params=["1.15.1", further("1.2.1")])
def cluster(request: pytest.FixtureRequest) -> Iterator[GeodeAdapter]:
    with GeodeAdapter(request.param) as adapter:
        assert adapter.deploy(THREE).member_order == ("A", "B", "C")
        assert adapter.hello().version == request.param
        yield adapter


@pytest.fixture
def play(cluster: GeodeAdapter) -> Play:
    cluster.reset((RegionAttributes(name="r"),))
    return Play(cluster)


@pytest.fixture
def unchecked(cluster: GeodeAdapter) -> Play:
    cluster.reset((RegionAttributes(name="r", checks=False),))
    return Play(cluster)


@pytest.fixture
def unacknowledged(cluster: GeodeAdapter) -> Play:
    cluster.reset((RegionAttributes(name="r", scope=Scope.NO_ACK),))
    return Play(cluster)


def test_a_put_is_shown_once_on_every_member_with_its_token(play: Play):
    play.call("B", PUT, "v")
    play.settle()
    events = play.adapter.observe(0)
    assert sorted(events.events, key=lambda event: event.member) == [
        Event(member=member, region="r", key="k", kind=EventKind.CREATE, token="v", remote=member != "B")  # noqa: S106
        for member in "ABC"
    ]
    assert play.held() == [{"k": "v"}] * 3
    assert play.adapter.observe(events.position).events == ()


def test_of_two_concurrent_updates_the_higher_member_wins_when_the_lower_is_sent_first(play: Play):
    play.call("B", PUT, "base")
    play.at_once(PUT, PUT, released="A")
    assert play.told("A") == ["create base", "update of A", "update of C"]
    assert play.told("B") == ["create base", "update of A", "update of C"]
    assert play.told("C") == ["create base", "update of C"]
    assert play.held() == [{"k": "of C"}] * 3
    a, b, c = play.discards()
    assert (a, b) == (0, 0)
    assert c in (1, 2)


def test_of_two_concurrent_updates_the_higher_member_wins_when_it_is_sent_first(play: Play):
    play.call("B", PUT, "base")
    play.at_once(PUT, PUT, released="C")
    assert play.told("A") == ["create base", "update of A", "update of C"]
    assert play.told("B") == ["create base", "update of C"]
    assert play.told("C") == ["create base", "update of C"]
    assert play.held() == [{"k": "of C"}] * 3
    a, b, c = play.discards()
    assert a == 0
    assert b in (1, 2)
    assert c in (1, 2)


def test_without_checks_concurrent_updates_swap_and_nothing_is_counted(unchecked: Play):
    unchecked.call("B", PUT, "base")
    unchecked.at_once(PUT, PUT, released="A")
    assert unchecked.held() == [{"k": "of C"}, {"k": "of C"}, {"k": "of A"}]
    assert unchecked.discards() == [0, 0, 0]


def late(play: Play, late_kind: OperationKind, *newer: OperationKind) -> None:
    """A thread of A changes `g`, at which C's listener parks, then `k`; B changes `k`; then C goes on."""
    gate = Gate("C", play.last + 1)
    play.adapter.arm(gate)
    play.call("A", PUT, "gate", key="g")
    play.park(gate)
    play.call("A", late_kind, "late")
    play.adapter.settle(LIMIT_MS)
    for number, kind in enumerate(newer):
        play.call("B", kind, f"newer {number}")
        play.adapter.settle(LIMIT_MS)
    play.adapter.release(gate)
    play.settle()


def test_an_update_that_comes_late_is_discarded(unacknowledged: Play):
    unacknowledged.call("B", PUT, "base")
    unacknowledged.settle()
    late(unacknowledged, PUT, PUT)
    assert unacknowledged.told("A") == ["create base", "update late", "update newer 0"]
    assert unacknowledged.told("C") == ["create base", "update newer 0"]
    assert [held["k"] for held in unacknowledged.held()] == ["newer 0"] * 3
    assert unacknowledged.discards()[2] in (1, 2)


def test_a_destroy_that_comes_before_the_create_is_not_shown_but_remembered(unacknowledged: Play):
    late(unacknowledged, CREATE, DESTROY)
    assert unacknowledged.told("A") == ["create late", "destroy newer 0"]
    assert unacknowledged.told("C") == []
    assert unacknowledged.held() == [{"g": "gate"}] * 3
    assert unacknowledged.discards()[2] in (1, 2)


def test_an_invalidate_that_comes_before_the_create_is_shown(unacknowledged: Play):
    late(unacknowledged, CREATE, INVALIDATE)
    assert unacknowledged.told("C") == ["invalidate newer 0"]
    assert [held["k"] for held in unacknowledged.held()] == [None] * 3


def test_a_destroy_that_comes_late_to_a_tombstone_is_not_shown(unacknowledged: Play):
    unacknowledged.call("B", PUT, "base")
    unacknowledged.settle()
    late(unacknowledged, DESTROY, CREATE, DESTROY)
    assert unacknowledged.told("C") == ["create base", "update newer 0", "destroy newer 1"]
    assert unacknowledged.discards()[2] == 1


def test_concurrent_destroys_are_both_shown_where_the_winner_comes_second(play: Play):
    play.call("B", PUT, "base")
    play.at_once(DESTROY, DESTROY, released="A")
    assert play.told("A") == ["create base", "destroy of A", "destroy of C"]
    assert play.told("B") == ["create base", "destroy of A", "destroy of C"]
    assert play.told("C") == ["create base", "destroy of C"]
    assert play.held() == [{}] * 3


def test_a_concurrent_invalidate_of_the_higher_member_revives_a_destroyed_key_as_invalid(play: Play):
    play.call("B", PUT, "base")
    play.at_once(DESTROY, INVALIDATE, released="C")
    assert play.told("A") == ["create base", "destroy of A", "invalidate of C"]
    assert play.held() == [{"k": None}] * 3


def test_an_invalidate_that_wins_over_another_is_silent(play: Play):
    play.call("B", PUT, "base")
    play.at_once(INVALIDATE, INVALIDATE, released="A")
    assert play.told("A") == ["create base", "invalidate of A"]
    assert play.told("B") == ["create base", "invalidate of A"]
    assert play.told("C") == ["create base", "invalidate of C"]


def test_calls_on_an_absent_key_answer_so(play: Play):
    assert play.call("A", DESTROY).status is Status.ABSENT
    assert play.call("A", INVALIDATE).status is Status.ABSENT
    assert play.call("A", REPLACE) == Outcome(Status.OK)
    assert play.call("A", GET) == Outcome(Status.OK)
    assert play.call("A", CONTAINS_KEY) == Outcome(Status.OK, value="false")
    play.settle()
    assert play.adapter.observe(0).events == ()


def test_calls_on_a_present_key_answer_so(play: Play):
    assert play.call("A", CREATE, "one") == Outcome(Status.OK)
    play.settle()
    assert play.call("B", CREATE, "two").status is Status.EXISTS
    assert play.call("C", PUT_IF_ABSENT, "three") == Outcome(Status.OK, value="one")
    assert play.call("B", GET) == Outcome(Status.OK, value="one")
    assert play.call("B", REPLACE, "four") == Outcome(Status.OK, value="one")
    assert play.call("B", PUT, "five") == Outcome(Status.OK)
    play.settle()
    assert play.told("A") == ["create one", "update four", "update five"]


def test_calls_on_an_invalid_key_answer_so(play: Play):
    play.call("A", PUT, "base")
    play.call("A", INVALIDATE, "gone")
    assert play.call("B", GET) == Outcome(Status.OK)
    assert play.call("B", CONTAINS_KEY) == Outcome(Status.OK, value="true")
    assert play.call("B", INVALIDATE, "again") == Outcome(Status.OK)
    assert play.call("B", CREATE, "two").status is Status.EXISTS
    assert play.call("B", PUT_IF_ABSENT, "three") == Outcome(Status.OK)
    assert play.held() == [{"k": None}] * 3
    assert play.call("B", REPLACE, "four") == Outcome(Status.OK)
    play.settle()
    assert play.told("C") == ["create base", "invalidate gone", "update four"]
    assert play.held() == [{"k": "four"}] * 3


@pytest.mark.parametrize("kind", [OperationKind.LOCAL_DESTROY, OperationKind.LOCAL_INVALIDATE])
def test_local_operations_are_refused_on_replicated_regions(play: Play, kind: OperationKind):
    play.call("A", PUT, "v")
    outcome = play.call("A", kind)
    assert outcome.status is Status.REFUSED
    assert "replicated region" in outcome.detail
    assert play.held() == [{"k": "v"}] * 3


def test_a_parked_operation_does_not_return_and_is_not_yet_sent(play: Play):
    gate = Gate("A", 1)
    play.adapter.arm(gate)
    op_id = play.begin("A", PUT, "v")
    play.park(gate)
    assert play.adapter.finish(op_id, 50) is None
    result = play.adapter.settle(LIMIT_MS)
    assert not result.settled
    assert result.held == (("A", "k"),)
    assert play.held() == [{"k": "v"}, {}, {}]
    play.adapter.release(gate)
    play.settle()
    assert play.adapter.finish(op_id, LIMIT_MS) == Outcome(Status.OK)
    assert play.held() == [{"k": "v"}] * 3


def test_a_gate_released_before_it_is_reached_holds_nothing(play: Play):
    play.adapter.arm(Gate("A", 1))
    play.adapter.release(Gate("A", 1))
    play.call("A", PUT)
    assert not play.adapter.await_parked(Gate("A", 1), 0)


def test_settle_waits_for_messages_that_nobody_acknowledges(unacknowledged: Play):
    for number in range(60):
        play_member = "ABC"[number % 3]
        unacknowledged.begin(play_member, PUT, key=f"k{number}")
    unacknowledged.settle()
    assert len(unacknowledged.adapter.observe(0).events) == 180


def test_settle_is_not_done_while_a_message_that_nobody_acknowledges_is_held_back(unacknowledged: Play):
    gate = Gate("C", 1)
    unacknowledged.adapter.arm(gate)
    unacknowledged.call("A", PUT, key="g")
    unacknowledged.park(gate)
    unacknowledged.call("A", PUT, "v")
    assert not unacknowledged.adapter.settle(LIMIT_MS).settled
    # The flush itself must be held back by the gate: else a settle without gates would prove nothing.
    assert unacknowledged.adapter._underway._flush()
    with pytest.raises(TimeoutError):
        unacknowledged.adapter._underway._callers["of A"].last.result(0.3)
    assert unacknowledged.told("C") == []
    unacknowledged.adapter.release(gate)
    unacknowledged.settle()
    assert unacknowledged.told("C") == ["create v"]


@pytest.mark.parametrize("checks", [None, True, False])
@pytest.mark.parametrize("scope", list(Scope))
def test_attributes_are_those_asked_for_and_checks_are_on_by_default(
    cluster: GeodeAdapter, checks: bool | None, scope: Scope
):
    cluster.reset((RegionAttributes(name="r", checks=checks, scope=scope),))
    for member in "ABC":
        assert cluster.attributes(member, "r") == RegionAttributes(
            name="r", scope=scope, checks=checks is not False
        )


def test_a_reset_shows_nothing_of_the_last_example_even_of_one_left_parked(play: Play):
    play.call("B", PUT, "base")
    play.at_once(PUT, PUT, released="A")
    play.adapter.arm(Gate("A", play.last + 1))
    play.begin("A", PUT, key="other")
    play.park(Gate("A", play.last))
    play.adapter.reset((RegionAttributes(name="r"), RegionAttributes(name="s")))
    play.settle()
    assert play.adapter.observe(0).events == ()
    assert play.held() == [{}] * 3
    assert play.discards() == [0, 0, 0]


def test_examples_leave_no_java_objects_behind(cluster: GeodeAdapter):
    sizes = []
    for _ in range(3):
        cluster.reset((RegionAttributes(name="r"),))
        sizes.append([int(member._bindings.size()) for member in cluster._cluster.members.values()])
        play = Play(cluster)
        for _ in range(50):
            play.begin("A", PUT)
        play.settle()
    assert sizes[1] == sizes[2]


def test_contents_can_be_read_while_entries_come_and_go(play: Play):
    for _ in range(100):
        for kind in (PUT, INVALIDATE, DESTROY):
            last = play.begin("A", kind)
    seen = set()
    while play.adapter.finish(last, 0) is None:
        seen |= {len(held) for held in play.held()}
    assert seen <= {0, 1}


@pytest.mark.parametrize("kind", [GET, CONTAINS_KEY, CREATE, None])
def test_nothing_read_is_newer_than_what_the_listener_was_told(
    unacknowledged: Play, kind: OperationKind | None, monkeypatch: pytest.MonkeyPatch
):
    """The event of a put stays on its way while the put can be read already; `None` reads the contents."""
    adapter, stored, arrives = unacknowledged.adapter, threading.Event(), threading.Event()
    tell = GeodeExample.tell

    def tell_late(stage: GeodeExample, event: Event) -> None:
        if event.member == "C":
            stored.set()
            assert arrives.wait(LIMIT_MS / 1000)
        tell(stage, event)

    monkeypatch.setattr(GeodeExample, "tell", tell_late)
    unacknowledged.call("A", PUT, "v")
    assert stored.wait(LIMIT_MS / 1000)
    if kind is None:
        reader = Worker("reader")
        reading = reader.submit(lambda: adapter.contents("C", "r"))
        reader.stop()
    else:
        reading = adapter._underway._running[unacknowledged.begin("C", kind)]  # type: ignore[assignment]
    with pytest.raises(TimeoutError):
        reading.result(0.2)
    arrives.set()
    reading.result(LIMIT_MS / 1000)
    assert unacknowledged.told("C") == ["create v"]


def test_contents_of_a_settled_example_wait_for_no_event(play: Play, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(GeodeExample, "tell", lambda *_: None)
    play.call("A", PUT, "v")
    play.settle()
    monkeypatch.setattr(listener, "LATE_LIMIT_S", 60.0)
    began = time.monotonic()
    assert play.held() == [{"k": "v"}] * 3
    assert time.monotonic() - began < listener.LATE_LIMIT_S


def test_a_destroyed_region_is_gone_everywhere_and_comes_back_with_the_next_example(
    play: Play, cluster: GeodeAdapter
):
    play.call("A", OperationKind.PUT)
    play.call("B", OperationKind.DESTROY_REGION, "gone", key="")
    play.settle()
    for member in "ABC":
        assert cluster.contents(member, "r") is None
        assert play.told(member, key="") == ["region_destroy gone"]
    cluster.reset((RegionAttributes(name="r"),))
    assert cluster.contents("A", "r") == ()
    assert cluster.observe(0).events == ()


def test_what_is_not_driven_yet_is_unsupported(cluster: GeodeAdapter):
    with pytest.raises(UnsupportedError, match="local"):
        cluster.reset((RegionAttributes(name="r", policy=RegionPolicy.LOCAL),))
    with pytest.raises(AdapterError, match="create_queue comes before reset"):
        cluster.reset((RegionAttributes(name="r", senders=("s",)),))
    cluster.reset((RegionAttributes(name="r"),))
    with pytest.raises(UnsupportedError, match="tombstones"):
        cluster.statistic("A", "tombstones")


def test_names_that_were_not_deployed_are_the_harness_s_mistake(play: Play):
    with pytest.raises(AdapterError, match="no member is named D"):
        play.begin("D", PUT)
    with pytest.raises(AdapterError, match="operation 99 was not begun"):
        play.adapter.finish(99, 0)
    with pytest.raises(AdapterError, match="no region is named nowhere"):
        play.adapter.contents("A", "nowhere")
