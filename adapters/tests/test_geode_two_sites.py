"""Two sites of two real members, serial gateway senders both ways, and faults.

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
    EventKind,
    Operation,
    OperationKind,
    QueueAttributes,
    QueueRole,
    QueueSight,
    RegionAttributes,
    Scope,
    Site,
    Status,
    Topology,
)

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.geode.geode_adapter import GeodeAdapter
from plumbline.adapters.waiting import wait_until

pytestmark = pytest.mark.java

SITES = Topology((Site(1, ("a1", "a2")), Site(2, ("b1", "b2"))))
EAST = QueueAttributes(id="east", site=1, remote_site=2)
WEST = QueueAttributes(id="west", site=2, remote_site=1)
REGION = RegionAttributes(name="r", senders=("east", "west"))
LIMIT_MS = 15_000
APART_MS = 4
"""So far the clocks of two members on one machine may be apart, as Geode keeps them."""

PUT, CREATE, DESTROY = OperationKind.PUT, OperationKind.CREATE, OperationKind.DESTROY
INVALIDATE = OperationKind.INVALIDATE


def seen(depth: int, role: QueueRole, tokens: tuple[str | None, ...] = ()) -> QueueSight:
    """A queue of which nothing is remembered and nothing is on disk."""
    return QueueSight(depth=depth, role=role, tokens=tokens, unprocessed=0, overflowed=0)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Play:
    """An example on two running sites, in few words."""

    def __init__(self, adapter: GeodeAdapter) -> None:
        self.adapter = adapter
        self.last = 0
        adapter.create_queue(EAST)
        adapter.create_queue(WEST)
        adapter.reset((REGION,))

    def begin(self, member: str, kind: OperationKind = PUT, key: str = "k", thread: str = "") -> int:
        self.last += 1
        self.adapter.begin(
            Operation(
                op_id=self.last,
                thread=f"of {member}{thread}",
                member=member,
                region="r",
                kind=kind,
                key=key,
                token=f"t{self.last}",
            )
        )
        return self.last

    def call(self, member: str, kind: OperationKind = PUT, key: str = "k") -> str:
        """Call an operation, wait for its end, and tell its token."""
        outcome = self.adapter.finish(self.begin(member, kind, key), LIMIT_MS)
        assert outcome is not None, "the call did not return"
        assert outcome.status is Status.OK
        return f"t{self.last}"

    def settle(self) -> None:
        assert self.adapter.settle(LIMIT_MS).settled

    def told(self, member: str) -> list[str | None]:
        """The tokens that the listener of a member was told, in order."""
        return [event.token for event in self.adapter.observe(0).events if event.member == member]

    def held(self, member: str) -> dict[str, str | None]:
        return {content.key: content.token for content in self.adapter.contents(member, "r") or ()}

    def look(self, member: str) -> QueueSight:
        return self.adapter.look_at_queue(member, "east" if member in ("a1", "a2") else "west")

    def await_depth(self, member: str, depth: int) -> QueueSight:
        """The copy of a secondary follows about once a second."""
        deadline = time.monotonic() + LIMIT_MS / 1000
        while (sight := self.look(member)).depth != depth:
            assert time.monotonic() < deadline, f"{member} holds {sight.depth}, not {depth} events"
            self.adapter.settle(20)
        return sight


@pytest.fixture(
    scope="module",
    params=["1.15.1", further("1.2.1"), further("1.9.2")],
)
def sites(request: pytest.FixtureRequest) -> Iterator[GeodeAdapter]:
    with GeodeAdapter(request.param) as adapter:
        assert adapter.deploy(SITES).member_order == ("a1", "a2", "b1", "b2")
        yield adapter


@pytest.fixture
def play(sites: GeodeAdapter) -> Play:
    return Play(sites)


def test_operations_of_either_site_reach_every_member_of_the_other(play: Play):
    from_a, from_b = play.call("a2", key="x"), play.call("b2", key="y")
    play.settle()
    for member in SITES.members:
        assert play.held(member) == {"x": from_a, "y": from_b}
        assert sorted(map(str, play.told(member))) == sorted([from_a, from_b])


def test_a_settled_queue_has_been_emptied(play: Play):
    for round_ in range(10):
        tokens = {
            f"k{number % 5}": play.call(f"a{number % 2 + 1}", key=f"k{number % 5}") for number in range(10)
        }
        play.settle()
        assert play.held("b2") == tokens, f"in round {round_}"
        assert play.look("a1").depth == 0


def test_destroys_travel_with_their_token_and_invalidates_do_not_travel(play: Play):
    play.call("a1", key="x")
    play.call("a1", key="y")
    play.settle()
    destroyed = play.call("a2", DESTROY, "x")
    play.call("a2", INVALIDATE, "y")
    play.settle()
    for member in ("b1", "b2"):
        events = [event for event in play.adapter.observe(0).events if event.member == member][2:]
        assert [(event.key, event.kind, event.token) for event in events] == [
            ("x", EventKind.DESTROY, destroyed)
        ]
    assert play.held("a1") == {"y": None}
    assert play.held("b1") == {"y": "t2"}


def test_no_listener_is_told_that_an_operation_of_the_other_site_was_called_on_its_member(play: Play):
    token = play.call("a1")
    play.settle()
    remote = {event.member: event.remote for event in play.adapter.observe(0).events if event.token == token}
    assert remote["a1"] is False
    assert remote["a2"] is True
    assert False not in (remote["b1"], remote["b2"])


def test_the_first_member_dispatches_and_the_others_stand_by(play: Play):
    assert play.look("a1").role is QueueRole.PRIMARY
    assert play.look("a2").role is QueueRole.SECONDARY
    assert play.look("b1").role is QueueRole.PRIMARY
    assert play.look("b2").role is QueueRole.SECONDARY
    assert play.adapter.look_at_queue("b1", "east") == QueueSight(depth=0, role=QueueRole.NONE)


def test_a_region_is_attached_to_the_queues_of_the_members_own_site(play: Play):
    assert play.adapter.attributes("a1", "r").senders == ("east",)
    assert play.adapter.attributes("b2", "r").senders == ("west",)


def test_a_paused_queue_keeps_its_events_in_order_on_both_members_until_it_is_resumed(play: Play):
    play.adapter.queue_action("a1", "east", "pause")
    tokens = (play.call("a1", key="x"), play.call("a2", key="y"), play.call("a1", DESTROY, "x"))
    play.settle()
    assert play.look("a1") == QueueSight(
        depth=3, role=QueueRole.PRIMARY, tokens=tokens, unprocessed=0, overflowed=0
    )
    assert play.look("a2") == QueueSight(
        depth=3, role=QueueRole.SECONDARY, tokens=tokens, unprocessed=0, overflowed=0
    )
    assert play.told("b1") == []
    back = play.call("b1", key="z")
    play.settle()
    assert play.held("a2") == {"y": tokens[1], "z": back}
    play.adapter.queue_action("a1", "east", "resume")
    play.settle()
    assert play.told("b2") == [back, *tokens]
    assert play.await_depth("a1", 0).tokens == ()
    assert play.await_depth("a2", 0).tokens == ()


def test_a_paused_primary_builds_no_further_batch(play: Play):
    for _ in range(5):
        play.adapter.queue_action("a1", "east", "pause")
        token = play.call("a1")
        play.settle()
        assert token not in play.told("b1")
        play.adapter.queue_action("a1", "east", "resume")
        play.settle()
        assert token in play.told("b1")


def test_a_cut_link_holds_events_back_one_way_until_it_is_up(play: Play):
    before = play.call("a1")
    play.settle()
    play.adapter.link("1", "2", "down")
    east = [play.call("a1", key="x"), play.call("a2", key="y")]
    west = play.call("b1", key="z")
    play.settle()
    assert play.told("b1") == [before, west]
    assert play.held("a2")["z"] == west
    assert play.look("a1").tokens == tuple(east)
    play.adapter.link("1", "2", "up")
    play.settle()
    assert play.told("b1") == [before, west, *east]
    assert play.look("a1").depth == 0


@pytest.mark.parametrize("connected", [True, False])
def test_events_whose_answers_are_lost_stay_queued_and_are_shown_once(play: Play, connected: bool):
    if connected:
        play.call("a1")
        play.settle()
    else:
        play.adapter.link("1", "2", "down")
    play.adapter.link("1", "2", "drop_acks")
    first = play.told("b1")
    tokens = [play.call(f"a{number % 2 + 1}", key=f"k{number}") for number in range(5)]
    play.settle()
    assert play.told("b1") == [*first, *tokens]
    assert play.look("a1").tokens == tuple(tokens)
    play.adapter.link("1", "2", "up")
    play.settle()
    assert play.look("a1").depth == 0
    assert play.told("b1") == [*first, *tokens]
    assert play.told("b2") == [*first, *tokens]


@pytest.mark.parametrize("fault", ["link", "pause", "receivers"])
def test_nothing_moves_behind_a_fault_though_a_new_connection_is_read_late(play: Play, fault: str):
    play.adapter.link("1", "2", "down")
    token = play.call("a1")
    play.settle()
    play.adapter.link("1", "2", "up")
    deadline = time.monotonic() + LIMIT_MS / 1000
    while token not in play.told("b1"):
        assert time.monotonic() < deadline, "the event does not arrive"
    if fault == "link":
        play.adapter.link("1", "2", "down")
    elif fault == "pause":
        play.adapter.queue_action("a1", "east", "pause")
    else:
        play.adapter.queue_action("b1", "receiver", "stop")
        play.adapter.queue_action("b2", "receiver", "stop")
    play.settle()
    seen = play.look("a1")
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        assert play.look("a1") == seen


def test_one_receiver_is_enough_and_without_any_events_wait(play: Play):
    play.adapter.queue_action("b1", "receiver", "stop")
    served = play.call("a1", key="x")
    play.settle()
    assert play.told("b1") == [served]
    play.adapter.queue_action("b2", "receiver", "stop")
    kept = play.call("a2", key="y")
    play.settle()
    assert play.told("b1") == [served]
    assert play.look("a1").tokens == (kept,)
    play.adapter.queue_action("b1", "receiver", "start")
    play.settle()
    assert play.told("b2") == [served, kept]


def test_a_parked_receiver_holds_back_what_was_queued_behind(play: Play):
    for member in ("b1", "b2"):
        gate = Gate(member, play.last + 1)
        play.adapter.arm(gate)
        tokens = [play.call("a1", key=f"of {member}"), play.call("a1", key=f"behind {member}")]
        assert play.adapter.await_parked(gate, LIMIT_MS)
        resting = play.adapter.settle(LIMIT_MS)
        assert not resting.settled
        assert resting.held == ((member, f"of {member}"),)
        assert play.look("a1").tokens == tuple(tokens)
        assert tokens[1] not in play.told("b1") + play.told("b2")
        play.adapter.release(gate)
        play.settle()
        assert play.told("b1")[-2:] == play.told("b2")[-2:] == tokens


def test_a_receiver_is_stopped_though_one_of_its_threads_stands_in_a_listener(play: Play):
    play.call("a1")
    play.settle()
    gate = Gate("b1", play.last + 1)
    play.adapter.arm(gate)
    parked = play.call("a1")
    assert play.adapter.await_parked(gate, LIMIT_MS)
    for member in ("b1", "b2"):
        play.adapter.queue_action(member, "receiver", "stop")
    kept = play.call("a2", key="x")
    assert not play.adapter.settle(LIMIT_MS).settled
    play.adapter.release(gate)
    play.settle()
    assert kept not in play.told("b1")
    play.adapter.queue_action("b1", "receiver", "start")
    play.adapter.queue_action("b1", "receiver", "start")
    play.settle()
    assert play.told("b1")[-2:] == play.told("b2")[-2:] == [parked, kept]


def test_a_stopped_queue_is_taken_over_and_the_next_reset_starts_it_as_primary(play: Play):
    play.adapter.queue_action("a1", "east", "stop")
    token = play.call("a1")
    play.settle()
    assert play.told("b1") == [token]
    assert play.look("a1") == QueueSight(depth=0, role=QueueRole.NONE)
    assert play.look("a2").role is QueueRole.PRIMARY
    test_the_first_member_dispatches_and_the_others_stand_by(Play(play.adapter))


def test_queued_events_outlive_the_primary_and_the_next_reset_brings_it_back(play: Play):
    before = play.call("a1")
    play.settle()
    play.adapter.queue_action("a1", "east", "pause")
    tokens = [play.call(f"a{number % 2 + 1}", key=f"k{number % 3}") for number in range(6)]
    play.adapter.crash("a1")
    play.settle()
    assert play.told("b1") == [before, *tokens]
    assert play.told("b2") == [before, *tokens]
    assert play.told("a1") == [before, *tokens]
    assert play.look("a2").role is QueueRole.PRIMARY
    assert play.held("a2") == play.held("b1") == play.held("b2")
    with pytest.raises(AdapterError, match="a1 was crashed"):
        play.look("a1")
    after = Play(play.adapter)
    assert after.told("b1") == []
    test_operations_of_either_site_reach_every_member_of_the_other(after)
    test_the_first_member_dispatches_and_the_others_stand_by(after)


def test_another_queue_is_created_though_a_member_was_crashed(play: Play):
    play.adapter.crash("a2")
    play.settle()
    play.adapter.create_queue(QueueAttributes(id="another", site=1, remote_site=2, batch_size=1))
    assert play.adapter.look_at_queue("a2", "another").role is QueueRole.SECONDARY


def test_an_event_filter_keeps_events_out_of_the_queue_or_from_being_sent(play: Play):
    filtering = QueueAttributes(
        id="filtering", site=1, remote_site=2, refused_keys=("r",), withheld_keys=("w",)
    )
    play.adapter.create_queue(filtering)
    play.adapter.reset((RegionAttributes(name="r", senders=("filtering", "west")),))
    for member in ("a1", "a2"):
        play.adapter.queue_action(member, "filtering", "pause")
    refused, withheld, sent = (play.call("a1", key=key) for key in ("r", "w", "k"))
    assert play.adapter.look_at_queue("a1", "filtering").tokens == (withheld, sent)
    for member in ("a1", "a2"):
        play.adapter.queue_action(member, "filtering", "resume")
    play.settle()
    assert play.held("b1") == play.held("b2") == {"k": sent}
    assert play.held("a2") == {"r": refused, "w": withheld, "k": sent}
    assert play.adapter.look_at_queue("a1", "filtering").depth == 0


def test_an_update_that_loses_at_the_primary_keeps_nothing_from_settling(play: Play):
    play.call("a1")
    gate = Gate("a2", 2)
    play.adapter.arm(gate)
    lost = play.begin("a2")
    assert play.adapter.await_parked(gate, LIMIT_MS)
    won = [play.begin("a1", thread="1"), play.begin("a1", thread="2")]  # the second has a higher version
    while len(play.told("a1")) < 3:
        play.adapter.settle(20)
    play.adapter.release(gate)
    for op_id in (lost, *won):
        assert play.adapter.finish(op_id, LIMIT_MS)
    play.settle()
    assert f"t{lost}" not in play.told("a1") + play.told("b1")
    assert Play(play.adapter).look("a2").unprocessed == 0


def test_the_later_time_of_an_update_that_a_secondary_discards_is_no_event(play: Play):
    play.call("a1")
    play.settle()
    play.await_depth("a2", 0)
    play.adapter.queue_action("a1", "east", "pause")
    gate = Gate("a2", 2)
    play.adapter.arm(gate)
    won = play.begin("a2")
    assert play.adapter.await_parked(gate, LIMIT_MS)
    # The members' clocks, which may be apart by a little, must show different milliseconds for the two.
    parked_at_ms = now_ms()
    assert wait_until(lambda: now_ms() > parked_at_ms + APART_MS, LIMIT_MS / 1000)
    lost = play.begin("a1")
    while f"t{lost}" not in play.told("a1"):
        play.adapter.settle(20)
    play.adapter.release(gate)
    for op_id in (lost, won):
        assert play.adapter.finish(op_id, LIMIT_MS)
    assert f"t{lost}" not in play.told("a2")
    # 1.9.2 tells a secondary twice of what it discards: it strikes the event off, then puts it on again.
    twice = play.adapter.hello().version.startswith("1.9.")
    assert wait_until(lambda: play.look("a2").unprocessed == int(twice), LIMIT_MS / 1000)
    assert play.look("a1").tokens == (f"t{lost}", f"t{won}")


def test_a_secondary_that_was_stopped_with_something_in_mind_comes_to_rest_when_it_takes_over(play: Play):
    test_an_update_that_loses_at_the_primary_keeps_nothing_from_settling(play)
    after = Play(play.adapter)  # has stopped and started it
    gate = Gate("a2", 1)
    after.adapter.arm(gate)
    put = after.begin("a2")
    assert after.adapter.await_parked(gate, LIMIT_MS)
    assert after.look("a2").unprocessed == 1
    after.adapter.crash("a1")
    after.adapter.release(gate)
    assert after.adapter.finish(put, LIMIT_MS)
    after.settle()
    assert after.told("b1") == after.told("b2") == [f"t{put}"]
    assert after.look("a2") == QueueSight(
        depth=0, role=QueueRole.PRIMARY, tokens=(), unprocessed=0, overflowed=0
    )


def test_the_receiving_member_may_be_killed_with_a_batch_half_applied(play: Play):
    served = play.call("a1")
    play.settle()
    by = next(
        event.member
        for event in play.adapter.observe(0).events
        if event.member[0] == "b" and not event.remote
    )
    other = "b2" if by == "b1" else "b1"
    play.adapter.queue_action("a1", "east", "pause")
    gate = Gate(by, play.last + 2)
    play.adapter.arm(gate)
    tokens = [play.call("a1", key=f"k{number}") for number in range(4)]
    play.adapter.queue_action("a1", "east", "resume")
    assert play.adapter.await_parked(gate, LIMIT_MS)
    play.adapter.crash(by)
    play.settle()
    assert play.held(other) == play.held("a2")
    assert [token for token in play.told(other) if token != served] == tokens
    assert play.look("a1").depth == 0
    after = Play(play.adapter)
    test_operations_of_either_site_reach_every_member_of_the_other(after)


def test_a_reset_undoes_every_fault_and_forgets_what_was_queued(play: Play):
    play.adapter.queue_action("b1", "west", "pause")
    play.adapter.queue_action("b2", "receiver", "stop")
    play.adapter.link("1", "2", "down")
    play.call("a1")
    play.call("b1", key="x")
    after = Play(play.adapter)
    assert [after.look(member).depth for member in SITES.members] == [0, 0, 0, 0]
    assert [after.held(member) for member in SITES.members] == [{}, {}, {}, {}]
    test_operations_of_either_site_reach_every_member_of_the_other(after)
    after.adapter.queue_action("b1", "receiver", "stop")
    served = after.call("a1", key="z")
    after.settle()
    assert served in after.told("b2")


def test_what_is_not_driven_is_said_in_words(play: Play):
    adapter = play.adapter
    with pytest.raises(UnsupportedError, match="in memory"):
        adapter.create_queue(QueueAttributes(id="p", site=1, remote_site=2, parallel=True, persistent=True))
    with pytest.raises(UnsupportedError, match="asynchronous"):
        adapter.create_queue(QueueAttributes(id="q", site=1, dispatchers=2))
    with pytest.raises(AdapterError, match="other attributes: deploy another topology"):
        adapter.create_queue(QueueAttributes(id="east", site=1, remote_site=2, batch_size=7))
    with pytest.raises(AdapterError, match="create_queue comes before reset"):
        adapter.reset((RegionAttributes(name="r", senders=("nowhere",)),))
    with pytest.raises(UnsupportedError, match="with acknowledgement"):
        adapter.reset((RegionAttributes(name="r", senders=("east",), scope=Scope.NO_ACK),))
    with pytest.raises(AdapterError, match="a1 does not run west"):
        adapter.queue_action("a1", "west", "pause")
    with pytest.raises(UnsupportedError, match="explode"):
        adapter.queue_action("a1", "east", "explode")
    with pytest.raises(AdapterError, match="no link from 1 to 3"):
        adapter.link("1", "3", "down")
    with pytest.raises(UnsupportedError, match="hold"):
        adapter.link("1", "2", "hold")


def test_closing_two_sites_behind_a_cut_link_leaves_no_thread():
    threads = set(threading.enumerate())
    with GeodeAdapter("1.15.1") as adapter:
        adapter.deploy(Topology((Site(1, ("a1",)), Site(2, ("b1",)))))
        play = Play(adapter)
        play.call("a1")
        play.settle()
        adapter.link("1", "2", "down")
        play.call("a1")
        adapter.crash("b1")
    assert wait_until(lambda: set(threading.enumerate()) <= threads, 5), set(threading.enumerate()) - threads
