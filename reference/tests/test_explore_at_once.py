"""What is taken at once in worlds of sites, and what other sites know already, changes nothing in the end."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.explore.program_shape import ProgramShape
from plumbline.reference.explore.programs import Program, programs
from plumbline.reference.explore.variant_check import sights
from plumbline.reference.explore.walk import Walked, _Walker, walk
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import OperationKind
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.tests.walks import (
    APART,
    BREAKING,
    NEARBY,
    between,
    broken,
    same_in_the_end,
)

CRASH, LOST = (FaultKind.CRASH,), (FaultKind.REPLIES_LOST,)
PAIRS = (("A", "B"), ("C", "D"))
THREE = (("A",), ("B",), ("C",))
DESTROYED = ProgramShape(
    sites=NEARBY, operations=1, kinds=(OperationKind.DESTROY,), there=True, faults=(BREAKING,)
)


def named(of: ProgramShape, name: str) -> Program:
    return next(one for one in programs(of) if str(one) == name)


def hurried(program: Program) -> Walked:
    return walk(program, Rulebook(), moments=False)


@pytest.mark.parametrize(
    ("of", "each"),
    one_in(
        2,
        [
            (between(NEARBY, 2), 1),
            (between(NEARBY, 2, BREAKING), 13),
            (between(NEARBY, 1, CRASH, LOST), 1),
            (between(NEARBY, 2, CRASH, LOST), 81),
            (between(NEARBY, 1, CRASH, CRASH), 1),
            (between(PAIRS, 1, BREAKING), 1),
            (between(THREE, 1, BREAKING), 2),
            (msgspec.structs.replace(between(APART, 2, BREAKING), batches=((2, 10),)), 3),
            (DESTROYED, 1),
        ],
    ),
    ids=str,
)
def test_whatever_is_held_in_the_end_is_held_where_much_is_taken_at_once(of: ProgramShape, each: int):
    few = all_ = 0
    for program in list(programs(of))[::each]:
        soon, late = hurried(program), walk(program, Rulebook())
        same_in_the_end(soon, late, moments=False)
        few, all_ = few + soon.states, all_ + late.states
    assert few * 1.2 < all_


@pytest.mark.parametrize(
    "name",
    [
        "put by C, put by C; replies lost 2 to 1; link up 2 to 1",
        "put by C, put by C; receiver stop B; receiver start B",
    ],
)
def test_what_one_of_two_receivers_knows_may_have_to_be_told_to_the_other(name: str):
    program = named(between(NEARBY, 2, BREAKING), name)
    same_in_the_end(hurried(program), walk(program, Rulebook()), moments=False)


@pytest.mark.parametrize(
    "of",
    [
        ProgramShape(sites=APART, operations=3, kinds=(OperationKind.PUT,), ties=True),
        ProgramShape(sites=NEARBY, operations=2, kinds=(OperationKind.PUT,), faults=(CRASH,), after=(1,)),
    ],
    ids=str,
)
def test_where_calls_have_their_time_none_is_made_before(of: ProgramShape):
    for program in programs(of):
        assert sights(hurried(program))["contents"] == sights(walk(program, Rulebook()))["contents"]


@pytest.mark.parametrize("caller", ["A", "B"])
def test_who_is_to_take_over_does_not_die_before_it_may_have_its_copy(caller: str):
    program = named(between(NEARBY, 1, CRASH, CRASH), f"put by {caller}; crash A; crash B")
    walker = _Walker(program, Rulebook(), reduced=True, moments=False)
    coming = 0
    for moment in hurried(program).moments:
        dead = moment.world.wan.dead
        if "A" in dead and "B" not in dead and any(of.target == "B" for of in moment.world.channels):
            coming += 1
            assert {told for _, told in walker.after(moment)} != {"crash B"}
    assert coming > 0


def test_what_is_unanswered_stays_in_its_queue_though_the_other_site_knows_it():
    walked = hurried(
        named(between(NEARBY, 1, CRASH, LOST), "put by A; replies lost 1 to 2; link up 1 to 2; crash B")
    )
    kept = 0
    for moment in walked.moments:
        for sender in moment.world.wan.senders.values():
            assert sender.sent <= len(sender.queue)
            kept += any(("C", one.op_id) in moment.world.wan.seen for one in sender.queue)
    assert kept > 0


def test_nobody_waits_for_a_copy_that_is_left_out():
    waits = 0
    for moment in hurried(named(between(NEARBY, 2, CRASH), "put by B, put by B; crash A")).moments:
        coming = {
            (one.op_id, one.queue, of.source, of.target)
            for of, messages in moment.world.channels.items()
            for one in messages
        }
        for op_id, call in moment.world.calls.items():
            copies = {(op_id, *one) for one in call.waiting if isinstance(one, tuple)}
            waits += len(copies)
            assert copies <= coming
    assert waits > 0


def test_how_far_a_batch_reaches_stays_while_some_of_it_is_unanswered():
    """The rest of the batch may be sent behind what was taken of it already."""
    of = msgspec.structs.replace(between(APART, 2, LOST), batches=((2, 10),))
    program = named(of, "put by A, put by A; replies lost 1 to 2; link up 1 to 2")
    walker = _Walker(program, Rulebook(), reduced=True, moments=False)
    reaches = 0
    for moment in walk(program, Rulebook()).moments:
        before, after = (
            world.wan.senders["A", "1 to 2"] for world in (moment.world, walker._faded(moment.world, moment))
        )
        if before.sent and len(before.queue) == len(after.queue):
            within = [sum(one.position <= of.horizon for one in of.queue) for of in (before, after)]
            assert within[0] == within[1]
            reaches += within[0] > before.sent
    assert reaches > 0


@pytest.mark.parametrize(
    ("variant", "of", "name"),
    [
        ("everybody-is-primary", between(NEARBY, 2), "put by A, put by A"),
        ("waits-for-site", between(NEARBY, 1, CRASH), "put by A; crash C"),
    ],
)
def test_nothing_is_taken_at_once_where_something_is_decided_otherwise(
    variant: str, of: ProgramShape, name: str
):
    book, program = FAULTY[variant].rulebook(Rulebook()), named(of, name)
    soon, late = walk(program, book, moments=False), walk(program, book)
    assert sights(soon)["contents"] == sights(late)["contents"]
    assert broken(soon) == broken(late)
