"""What a walk leaves out changes nothing that is seen: what has faded, and orders of members apart."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from plumbline.reference.explore.findings import broken_by
from plumbline.reference.explore.program_shape import KEY, REGION, ProgramShape
from plumbline.reference.explore.programs import Program, programs
from plumbline.reference.explore.reduction_of_members import member_of
from plumbline.reference.explore.variant_check import is_of_safety, sights
from plumbline.reference.explore.walk import Moment, Walked, _Walker, walk
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import OperationKind
from plumbline.reference.model.sites.site_state import Sender
from plumbline.reference.model.world import Collected
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.rulebook.values import Stamp
from plumbline.reference.search.transition import Step
from plumbline.reference.tests.walks import APART, BREAKING, NEARBY, between, same_in_the_end

PUT, DESTROY = OperationKind.PUT, OperationKind.DESTROY
TICK, CRASH = (FaultKind.TIME_LEAP,), (FaultKind.CRASH,)
TWO, THREE = ("A", "B"), ("A", "B", "C")


def shape(members: tuple[str, ...], operations: int, *faults: tuple[FaultKind, ...]) -> ProgramShape:
    return ProgramShape(
        sites=(members,), operations=operations, kinds=(PUT, DESTROY), there=True, faults=faults
    )


def both(program: Program, book: Rulebook) -> tuple[Walked, Walked]:
    return walk(program, book), walk(program, book, reduced=False)


@pytest.mark.parametrize(
    ("of", "each", "less"),
    [
        (shape(THREE, 2), 1, 1.4),
        (shape(TWO, 2, TICK), 1, 1.7),
        (shape(TWO, 3, TICK), 1, 2.0),
        (shape(THREE, 2, TICK), 5, 4.0),
        (shape(THREE, 2, CRASH), 4, 1.1),
    ],
    ids=str,
)
def test_whatever_is_seen_in_the_end_is_seen_in_fewer_states(of: ProgramShape, each: int, less: float):
    states = thorough = 0
    for program in list(programs(of))[::each]:
        few, every = both(program, Rulebook())
        same_in_the_end(few, every)
        states, thorough = states + few.states, thorough + every.states
    assert states * less < thorough


@pytest.mark.parametrize(
    ("of", "each"),
    [
        (between(NEARBY, 2), 3),
        (between(NEARBY, 1, BREAKING), 1),
        (between(NEARBY, 1, CRASH, (FaultKind.REPLIES_LOST,)), 3),
        (between(APART, 2, BREAKING), 5),
        (between(APART, 1, BREAKING, BREAKING), 9),
    ],
    ids=str,
)
def test_what_has_left_queues_and_what_the_dead_called_changes_nothing_in_the_end(
    of: ProgramShape, each: int
):
    counted = emptied = 0
    for program in list(programs(of))[::each]:
        few, every = walk(program, Rulebook(), moments=False), walk(program, Rulebook(), reduced=False)
        same_in_the_end(few, every, moments=False)
        counted, emptied = counted + walk(program, Rulebook()).states, emptied + few.states
    assert emptied < counted


def positions(sender: Sender) -> tuple[int, int, int]:
    return sender.last, sender.mark, sender.told


def test_positions_of_a_queue_stay_as_long_as_somebody_else_may_take_it_over():
    one = next(one for one in programs(between(NEARBY, 1, CRASH)) if str(one) == "put by A; crash A")
    walker = _Walker(one, Rulebook(), reduced=True, moments=False)
    queue, kept, counted = ("A", "1 to 2"), 0, 0
    for moment in walk(one, Rulebook(), reduced=False).moments:
        senders = moment.world.wan.senders
        if queue in senders and senders[queue].told:
            left = [walker._faded(moment.world, moment._replace(broken=n)).wan.senders[queue] for n in (0, 1)]
            kept += positions(left[0]) == positions(senders[queue])
            counted += left[1].told == left[1].mark == 0
    # B has a copy, or is told of what has left it, until no further crash is to come.
    assert kept > 10
    assert counted > 10


class Looking:
    """A look at what may come next in a program, in any order."""

    def __init__(self, program: Program) -> None:
        self._walker = _Walker(program, Rulebook(), reduced=True)

    def steps(self, moment: Moment) -> list[Step]:
        return list(self._walker._model.internal_steps(moment.world, self._walker._view))

    def first(self, moment: Moment) -> list[Step]:
        """What is looked at first, if nothing returns."""
        return [] if self._walker._returned(moment) else self._walker._first(moment, self.steps(moment))

    def behind(self, moment: Moment, step: Step) -> Moment:
        """What comes of a step, when all has returned that can."""
        moment = moment._replace(world=self._walker._faded(step.state, moment))
        while returned := self._walker._returned(moment):
            ((moment, _),) = returned
        return moment

    def at(self, member: str, moment: Moment) -> dict[str, Step]:
        return {str(step.name): step for step in self.steps(moment) if member_of(step) == member}


@pytest.mark.parametrize("of", [shape(TWO, 3, TICK), shape(THREE, 2, TICK), shape(THREE, 2, CRASH)], ids=str)
def test_who_is_looked_at_first_is_told_nothing_new_and_changes_places_with_all_others(of: ProgramShape):
    several = 0
    for program in list(programs(of))[::7]:
        look = Looking(program)
        for moment in walk(program, Rulebook()).moments:
            first = look.first(moment)
            for other in look.steps(moment) if first else ():
                member = member_of(first[0])
                if member_of(other) == member:
                    continue
                several += 1
                later = look.at(member, look.behind(moment, other))
                assert later.keys() == {str(step.name) for step in first}, f"{other.name} in {program}"
                for step in first:
                    before = look.behind(moment, step)
                    same = look.at(member_of(other), before)[str(other.name)]
                    assert look.behind(before, same) == look.behind(
                        look.behind(moment, other), later[str(step.name)]
                    )
    assert several > 50


def test_who_may_add_to_its_own_news_of_collections_is_not_looked_at_first():
    """Others would hear of both at one go, as if they could not have heard of the first before."""
    late = 0
    for program in list(programs(shape(TWO, 2, TICK))):
        look = Looking(program)
        for moment in walk(program, Rulebook()).moments:
            first = look.first(moment)
            if not first or first[0].name[0] != "collects tombstones":
                continue
            member, other = (str(first[0].name[1]), *(one for one in TWO if one != first[0].name[1]))
            tombs = moment.world.tombs
            if (member, other) in tombs.told:
                continue
            late += 1
            news = (Collected(REGION, KEY, Stamp(1, member)),)
            told = replace(tombs, told=tombs.told.set((member, other), news))
            untold = moment._replace(world=moment.world.but(tombs=told))
            assert [step for step in look.first(untold) if member_of(step) == member] == []
    assert late > 0


def test_connections_that_are_numbered_anew_are_so_in_what_came_over_them():
    """Else the event of another connection would count as dealt with, or wait behind this one's."""
    told = "put by C, put by C; replies lost 2 to 1; link up 2 to 1"
    one = next(one for one in programs(between(NEARBY, 2, (FaultKind.REPLIES_LOST,))) if str(one) == told)
    came = 0
    for moment in walk(one, Rulebook(), moments=False).moments:
        for channel, messages in moment.world.channels.items():
            for wire in (message.wire for message in messages if message.wire is not None):
                came += 1
                assert channel.thread == f"{wire.queue}/{wire.source}/{wire.number}"
                assert wire in moment.world.wan.wires
    assert came > 0


@pytest.mark.thorough
def test_the_same_variants_break_the_same_promises():
    refuted = set()
    for variant in filter(is_of_safety, FAULTY.values()):
        book = variant.rulebook(Rulebook())
        for program in list(programs(shape(TWO, 2, TICK)))[::5]:
            few, every = both(program, book)
            assert set(broken_by(few)) == set(broken_by(every)), f"{variant.name} in {program}"
            assert sights(few)["contents"] == sights(every)["contents"], f"{variant.name} in {program}"
            if set(broken_by(few)):
                refuted.add(variant.name)
    assert {"late-wins", "collects-by-key", "tombstone-wins-ties", "stores-then-checks"} <= refuted
