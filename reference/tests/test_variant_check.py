"""Refuting: variants show by a promise, by what listeners are told, or by an end that is never right."""

from __future__ import annotations

import time

import pytest

from plumbline.reference.explore.findings import all_programs
from plumbline.reference.explore.program_shape import ProgramShape
from plumbline.reference.explore.programs import Program, programs
from plumbline.reference.explore.scopes import SHAPES
from plumbline.reference.explore.topics import ExploreScope, Topic
from plumbline.reference.explore.variant_check import Right, is_of_safety, refute
from plumbline.reference.explore.walk import walk
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import OperationKind
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.rulebook.variant import FaultyVariant

PUT = OperationKind.PUT


@pytest.fixture(scope="module")
def right() -> Right:
    return Right(Rulebook())


def first_of(part: Topic) -> list[Program]:
    return list(programs(SHAPES[part, ExploreScope.SMALL][0]))


@pytest.mark.parametrize(
    ("variant", "part", "by"),
    [
        ("late-wins", Topic.REPLICATED, "CONS-RR-04"),
        ("announces-twice", Topic.REPLICATED, "DISC-LSN-01"),
        ("announces-losers", Topic.REPLICATED, "DISC-LSN-01"),
        ("silent-winner", Topic.REPLICATED, "DISC-APPLIED-01"),
        ("later-refused", Topic.GATEWAYS, "WANC-CHK-01"),
    ],
)
def test_a_variant_is_refuted_by_what_it_breaks(variant: str, part: Topic, by: str, right: Right):
    found = refute(FAULTY[variant], all_programs(part, ExploreScope.SMALL), right)
    assert found.by == by
    assert found.program


def test_an_end_that_is_never_right_refutes_where_no_promise_is_asked_for(right: Right):
    # Whether sites agree is not asked after a crash, since what one member had queued alone dies with it.
    stays = FaultyVariant(
        name="stays",
        description="",
        requirements=(),
        replaces={"create_crosses": lambda: False, "put_crosses": lambda: False},
    )
    shape = ProgramShape(sites=(("A", "B"), ("C",)), operations=1, kinds=(PUT,), faults=((FaultKind.CRASH,),))
    assert refute(stays, programs(shape), right).by == "contents"


def test_what_is_right_is_not_refuted_and_what_nobody_asks_is_not_asked():
    right = Right(Rulebook())
    worlds = first_of(Topic.REPLICATED)
    same = FaultyVariant(
        name="same", description="", requirements=(), replaces={"applies_older": lambda: False}
    )
    found = refute(same, worlds, right)
    assert (found.by, found.programs) == ("", len(worlds))
    assert {"applies_older", "is_higher", "value_stored"} <= right.asked
    assert right.asked.isdisjoint({"batch_of", "sends_to_caller", "has_expired"})
    assert not right.differs(same)
    assert right.differs(FAULTY["late-wins"])


@pytest.mark.parametrize(
    "shape",
    [
        SHAPES[Topic.REPLICATED, ExploreScope.SMALL][2],
        SHAPES[Topic.REPLICATED, ExploreScope.SMALL][4],
        SHAPES[Topic.GATEWAYS, ExploreScope.SMALL][1],
        SHAPES[Topic.GATEWAYS, ExploreScope.SMALL][-2],
        SHAPES[Topic.TRANSACTIONS, ExploreScope.SMALL][1],
        SHAPES[Topic.PARTITIONED, ExploreScope.SMALL][2],
        SHAPES[Topic.CLEARS, ExploreScope.SMALL][1],
        SHAPES[Topic.TOMBSTONES, ExploreScope.SMALL][1],
        SHAPES[Topic.QUEUES, ExploreScope.SMALL][4],
        SHAPES[Topic.QUEUES, ExploreScope.SMALL][-2],
    ],
    ids=str,
)
def test_a_walk_that_believes_claims_shows_nothing_that_is_not_right(shape: ProgramShape, right: Right):
    # Else a variant might be refuted by what is only left out where all is right.
    for program in list(programs(shape))[::3]:
        assert right.unseen(walk(program, right.book)) == ""


@pytest.mark.parametrize(
    ("variant", "part", "by"),
    [
        ("loser-is-told", Topic.REPLICATED, "returns"),
        ("keeps-old-signature", Topic.REPLICATED, "versions"),
        ("tombstones-show", Topic.REPLICATED, "told"),
        ("queue-without-copies", Topic.GATEWAYS, "moment"),
        ("unlocks-before-copies", Topic.PARTITIONED, "moment"),
        ("signs-for-the-replicate", Topic.LESSER, "versions"),
        ("clear-told-twice", Topic.CLEARS, "told"),
        ("regions-count-apart", Topic.TOMBSTONES, "contents"),
        ("disallowed-applied-if-later", Topic.RESOLVERS, "contents"),
        ("full-waits", Topic.QUEUES, "contents"),
        ("leaves-at-once", Topic.QUEUES, "moment"),
        ("collects-what-has-not-expired", Topic.TOMBSTONES, "contents"),
        ("late-news-win", Topic.CLIENTS, "versions"),
    ],
)
def test_a_variant_is_refuted_by_what_is_never_seen_rightly(variant: str, part: Topic, by: str, right: Right):
    assert refute(FAULTY[variant], all_programs(part, ExploreScope.SMALL), right).by == by


def test_variants_of_clients_settings_and_counters_are_not_of_safety():
    assert is_of_safety(FAULTY["late-wins"])
    assert is_of_safety(FAULTY["removes-when-sent"])
    for other in ("nobody-counts", "interest-dies-with-entry", "unchecked-by-default"):
        assert not is_of_safety(FAULTY[other])


def test_nothing_is_begun_once_the_time_is_over(right: Right):
    found = refute(FAULTY["late-wins"], first_of(Topic.REPLICATED), right, ends=time.monotonic() - 1)
    assert (found.by, found.programs) == ("", 0)
