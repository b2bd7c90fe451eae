"""An event that all members have is left out of queues where nothing depends on a repetition."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.model.lookahead import NoLookahead
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.dead_state import DeadState
from plumbline.reference.model.sites.dependences import binds
from plumbline.reference.model.sites.senders import REMOVALS
from plumbline.reference.model.sites.site_state import Queued, Sender
from plumbline.reference.model.world import World, empty_world
from plumbline.reference.rulebook.book import Rulebook

TO_2 = QueueAttributes(id="to 2", site=1, remote_site=2, batch_size=2)
TO_1 = QueueAttributes(id="to 1", site=2, remote_site=1, batch_size=2)
TOPOLOGY = Topology((Site(1, ("A", "B")), Site(2, ("C", "D"))))
KNOWN, KNOWN_TOO = 9, 8
"""The operations that both members of site 2 have."""


class Sees(NoLookahead):
    """By this nothing more is looked at, counted or told of again, and only some queues are bound."""

    def __init__(self, *bound: str, rests_before: bool = False, tellingly: bool = True) -> None:
        self._bound = bound
        self._rests_before = rests_before
        self._tellingly = tellingly

    def binds_to_come(self, *arguments: object) -> bool:
        """Only those."""
        return arguments[-1] in self._bound

    def binds_before_rest(self, *arguments: object) -> bool:
        """Those, too, unless everything comes to rest before."""
        return not self._rests_before and self.binds_to_come(*arguments)

    def binds_tellingly(self, *arguments: object) -> bool:
        """Those, too, if an observation can show what is held up."""
        return self._tellingly and self.binds_to_come(*arguments)

    def copies_are_looked_at(self, *_: object) -> bool:
        """No."""
        return False

    def copy_is_looked_at_now(self, *_: object) -> bool:
        """No."""
        return False

    def comes_again(self, *_: object) -> bool:
        """No."""
        return False

    def tells_again(self) -> bool:
        """No."""
        return False


def event(op_id: int, position: int = 0) -> Queued:
    return Queued(op_id, OperationKind.PUT, f"v{op_id}", 1, frozenset({op_id}), position)


def dead_state(*bound: str, rests_before: bool = False, tellingly: bool = True) -> DeadState:
    setting = Setting(
        Rulebook(), TOPOLOGY, (RegionAttributes(name="r"),), TOPOLOGY.members, queues=(TO_2, TO_1)
    )
    setting.operations = {
        op_id: Operation(
            op_id=op_id,
            thread=f"A{op_id}",
            member="A",
            region="r",
            kind=OperationKind.PUT,
            key="x",
            token=f"v{op_id}",
        )
        for op_id in range(1, 10)
    }
    return DeadState(setting, Sees(*bound, rests_before=rests_before, tellingly=tellingly))


def world(link: tuple[int, int] | None, **senders: Sender) -> World:
    """Both members of site 2 have two operations; a link whose answers are lost; senders to site 2."""
    nothing = empty_world()
    wan = nothing.wan
    seen = wan.seen
    for member in TOPOLOGY.sites[1].members:
        seen = seen.set((member, KNOWN), value=True).set((member, KNOWN_TOO), value=True)
    kept = wan.senders
    for member, sender in senders.items():
        kept = kept.set((member, "to 2"), sender)
    links = wan.links if link is None else wan.links.set(link, FaultKind.REPLIES_LOST)
    return nothing.but(wan=replace(wan, seen=seen, senders=kept, links=links))


def recorded(after: World, member: str = "B") -> bool:
    """Whether the member still has a record of an event that all members have."""
    return KNOWN in {one.op_id for one in after.wan.senders[member, "to 2"].records}


def queued(after: World, member: str) -> list[int]:
    return [one.op_id for one in after.wan.senders[member, "to 2"].queue]


HEIR = Sender(queue=(event(1, 1), event(2, 2)), records=(event(KNOWN),), last=2)
"""Whose primary is dead: two events fill its first batch, and one it has only a record of."""


def test_a_record_is_forgotten_where_nothing_holds_the_queue_up():
    assert not recorded(dead_state().forgotten(world(None, B=HEIR), 0))


def test_a_record_is_forgotten_behind_a_batch_whose_answers_are_lost():
    assert not recorded(dead_state().forgotten(world((1, 2), B=HEIR), 0))


def test_a_record_that_would_be_of_that_batch_is_kept():
    assert recorded(dead_state().forgotten(world((1, 2), B=replace(HEIR, queue=(event(1, 1),))), 0))


def test_what_the_dead_have_told_of_as_removed_does_not_stand_in_front():
    told = Message(0, None, queue="to 2", mark=1)
    lost = world((1, 2), B=HEIR)
    told_of = lost.but(channels=lost.channels.set(Channel(REMOVALS, "A", "B"), (told,)))
    assert recorded(dead_state().forgotten(told_of, 0))


def test_of_a_copy_only_what_its_primary_has_to_send_stands_in_front():
    leads = Sender(primary=True, queue=(event(1, 1), event(2, 2)), last=2, sent=2)
    assert not recorded(dead_state().forgotten(world((1, 2), A=leads, B=HEIR), 0))
    heard = replace(leads, heard=1)
    assert recorded(dead_state().forgotten(world((1, 2), A=heard, B=HEIR), 0))


@pytest.mark.parametrize(("heard", "left"), [(0, [1, 2, 3]), (1, [1, 2, 3]), (2, [1, 2, 3, KNOWN])])
def test_what_was_answered_is_of_no_batch_to_come(heard: int, left: list[int]):
    queue = (event(1, 1), event(2, 2), event(3, 3), event(KNOWN, 4))
    leads = Sender(primary=True, queue=queue, last=4, sent=heard, heard=heard)
    assert queued(dead_state().forgotten(world((1, 2), A=leads), 0), "A") == left


def test_answers_lost_on_another_link_hold_nothing_up():
    assert not recorded(dead_state().forgotten(world((2, 1), B=replace(HEIR, queue=())), 0))


@pytest.mark.parametrize(("queue", "kept"), [("to 2", True), ("to 1", False)])
def test_what_is_to_come_of_one_queue_binds_no_other(queue: str, kept: bool):
    assert recorded(dead_state(queue).forgotten(world(None, B=HEIR), 0)) is kept


def test_what_binds_only_once_all_has_come_to_rest_keeps_no_record_of_who_is_left_alone():
    assert not recorded(dead_state("to 2", rests_before=True).forgotten(world(None, B=HEIR), 0))


def test_where_two_keep_a_queue_it_is_kept_for_what_binds_at_any_time():
    # At rest the one may not have been told yet what has left the queue of the other.
    leads = Sender(primary=True, queue=(event(1, 1), event(2, 2)), last=2)
    knows = dead_state("to 2", rests_before=True)
    assert recorded(knows.forgotten(world(None, A=leads, B=HEIR), 0))


def test_the_dead_keep_no_queue():
    both = world(None, A=Sender(primary=True), B=HEIR)
    dead = both.but(wan=replace(both.wan, dead=both.wan.dead.set("A", value=True)))
    assert not recorded(dead_state("to 2", rests_before=True).forgotten(dead, 0))


@pytest.mark.parametrize(
    ("position", "may"), [(1, False), (3, False), (4, True)], ids=["in front", "within a batch", "behind it"]
)
def test_a_copy_may_come_or_be_lost_where_it_would_stand_behind_a_batch(position: int, may: bool):
    heir = replace(HEIR, queue=(event(1, 2), event(2, 3)), records=())
    knows = dead_state()
    assert knows.may_forget(world((1, 2), B=heir), 0, "B", "to 2", event(KNOWN, position)) is may


def test_a_copy_of_what_has_left_the_queue_may_come_or_be_lost():
    heir = replace(HEIR, queue=(event(1, 2), event(2, 3)), mark=1)
    assert dead_state().may_forget(world((1, 2), B=heir), 0, "B", "to 2", event(KNOWN, 1))


def test_a_copy_of_what_has_left_a_short_queue_may_matter():
    # Lost, it leaves a record behind, which is sent once more in the first batch.
    heir = replace(HEIR, queue=(event(1, 2),), mark=1)
    assert not dead_state().may_forget(world((1, 2), B=heir), 0, "B", "to 2", event(KNOWN, 1))


IN_FRONT = Sender(primary=True, queue=(event(KNOWN, 4), event(1, 5), event(KNOWN_TOO, 7)), last=8)
"""Two events that all members have: one in front of the queue, one behind an event that has yet to pass."""


def test_what_stands_in_front_has_left_before_a_fault_that_nobody_can_tell_of():
    untold = dead_state("to 2", tellingly=False)
    assert queued(untold.forgotten(world(None, A=IN_FRONT), 0), "A") == [1, KNOWN_TOO]


def test_what_stands_in_front_is_kept_where_somebody_can_tell_what_the_fault_holds_up():
    assert queued(dead_state("to 2").forgotten(world(None, A=IN_FRONT), 0), "A") == [KNOWN, 1, KNOWN_TOO]


def test_what_stands_in_front_is_kept_once_answers_are_lost():
    # The link's answers are lost already: what is in the batch now is not heard of until it is mended.
    untold = dead_state("to 2", tellingly=False)
    assert queued(untold.forgotten(world((1, 2), A=IN_FRONT), 0), "A") == [KNOWN, 1, KNOWN_TOO]


def test_what_was_sent_already_is_answered_before_it_leaves():
    untold = dead_state("to 2", tellingly=False)
    sent = replace(IN_FRONT, sent=1)
    assert queued(untold.forgotten(world(None, A=sent), 0), "A") == [KNOWN, 1, KNOWN_TOO]


@pytest.mark.parametrize(("position", "may"), [(3, True), (6, False)], ids=["in front", "behind another"])
def test_a_copy_may_come_or_be_lost_in_front_before_a_fault_that_nobody_can_tell_of(position: int, may: bool):
    heir = replace(HEIR, queue=(event(KNOWN, 4), event(1, 5)), records=())
    untold = dead_state("to 2", tellingly=False)
    assert untold.may_forget(world(None, B=heir), 0, "B", "to 2", event(KNOWN, position)) is may


def test_who_keeps_a_queue_alone_counts_from_one_whatever_is_to_come():
    both = world(None, A=Sender(primary=True), B=replace(IN_FRONT, mark=3, told=2, horizon=6))
    dead = both.but(wan=replace(both.wan, dead=both.wan.dead.set("A", value=True)))
    anew = dead_state("to 2").forgotten(dead, 0).wan.senders["B", "to 2"]
    assert [one.position for one in anew.queue] == [1, 2, 3]
    assert (anew.last, anew.mark, anew.told, anew.horizon) == (3, 0, 0, 2)
    assert dead_state("to 2").forgotten(both, 0).wan.senders["B", "to 2"].queue == IN_FRONT.queue


def test_who_keeps_a_queue_alone_counts_as_before_while_copies_are_under_way():
    both = world(None, A=Sender(primary=True), B=IN_FRONT)
    dead = both.but(wan=replace(both.wan, dead=both.wan.dead.set("A", value=True)))
    copy = Message(2, None, event=event(2, 6), queue="to 2")
    under_way = dead.but(channels=dead.channels.set(Channel("A2", "A", "B"), (copy,)))
    anew = dead_state("to 2").forgotten(under_way, 0).wan.senders["B", "to 2"]
    assert [one.position for one in anew.queue] == [4, 5, 7]


@pytest.mark.parametrize(
    ("fault", "queues"),
    [
        (Fault(kind=FaultKind.REPLIES_LOST, site=1, remote_site=2), ["to 2"]),
        (Fault(kind=FaultKind.PAUSE, member="A", queue="to 2"), ["to 2"]),
        (Fault(kind=FaultKind.RESUME, member="A", queue="to 2"), ["to 2"]),
        (Fault(kind=FaultKind.RECEIVER_STOP, member="C"), ["to 2"]),
        (Fault(kind=FaultKind.RECEIVER_START, member="A"), ["to 1"]),
        (Fault(kind=FaultKind.HOLD_TIME), ["to 2", "to 1"]),
        (Fault(kind=FaultKind.CRASH, member="C"), []),
        (Fault(kind=FaultKind.LINK_UP, site=1, remote_site=2), []),
    ],
    ids=lambda case: case.kind if isinstance(case, Fault) else " and ".join(case) or "none",
)
def test_a_fault_binds_the_queues_that_it_holds_up_or_leads_elsewhere(fault: Fault, queues: list[str]):
    receivers = {"to 2": TOPOLOGY.sites[1].members, "to 1": TOPOLOGY.sites[0].members}
    assert [q.id for q in (TO_2, TO_1) if binds(fault, q, receivers[q.id])] == queues
