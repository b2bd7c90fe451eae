"""Exploring small worlds whole: the ends do not depend on what is claimed, and mistakes are found."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.explore import findings
from plumbline.reference.explore.client_findings import (
    DISCARDED,
    INVALIDATED,
    LATE_ANSWER,
    OUTLIVED,
    OWN,
    PRECEDES,
    RECOGNISED,
    UNFILLED,
)
from plumbline.reference.explore.findings import (
    ANEW,
    CIRCLE,
    HELD_BACK,
    PREFERRED,
    SAME_STAMP,
    SENT_AGAIN,
    TOLD_ON,
    all_programs,
    explore,
)
from plumbline.reference.explore.invariants import Held, holdings
from plumbline.reference.explore.program_shape import ProgramShape
from plumbline.reference.explore.programs import Program, programs
from plumbline.reference.explore.scopes import SHAPES
from plumbline.reference.explore.topics import ExploreScope, Topic
from plumbline.reference.explore.walk import Walked, walk
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import HostPolicy, OperationKind, RegionAttributes, RegionPolicy
from plumbline.reference.model.setting import Propagation
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.tests.walks import reasons

PUT, DESTROY = OperationKind.PUT, OperationKind.DESTROY
TICK = (FaultKind.TIME_LEAP,)
BREAKING = (FaultKind.LINK_DOWN, FaultKind.REPLIES_LOST, FaultKind.RECEIVER_STOP)
RING = ProgramShape(
    sites=(("A",), ("B",), ("C",)),
    operations=2,
    kinds=(PUT,),
    ties=True,
    links=((1, 2), (2, 3), (3, 1)),
)
"""Three sites of one member, each sending to the next."""
LATE = "put by C, put by B, put by C"
"""Two puts of a site of one member, and one of a site of two in between."""
BROKEN = ProgramShape(sites=(("A",), ("B",)), operations=1, kinds=(PUT,), faults=(BREAKING,))


ALLOWED = {
    Topic.REPLICATED: {HELD_BACK},
    Topic.THREE_SITES: {TOLD_ON},
    Topic.TRANSACTIONS: {SAME_STAMP},
    Topic.RESOLVERS: {PREFERRED},
    Topic.REGISTRATIONS: {INVALIDATED, PRECEDES, LATE_ANSWER, OWN, RECOGNISED, DISCARDED},
    Topic.RECRUITS: {UNFILLED, OUTLIVED},
}
"""Why the documents allow what is found in CI."""


def circle() -> Program:
    """The lower member of site 1 writes last, its peer first, site 2 in between."""
    shape = ProgramShape(sites=(("A", "B"), ("C",)), operations=3, kinds=(PUT,))
    (found,) = [one for one in programs(shape) if [op.member for op in one.operations] == ["B", "C", "A"]]
    return found


def ends(walked: Walked) -> set[tuple[tuple[str, Held], ...]]:
    assert walked.whole
    return {tuple(holdings(walked.program, end.world).items()) for end in walked.ends}


@pytest.mark.parametrize("part", one_in(2, Topic))
def test_whatever_is_looked_at_in_ci_keeps_every_promise(part: Topic):
    found = [explore(program, Rulebook()) for program in all_programs(part, ExploreScope.SMALL)]
    findings = [finding for one in found for finding in one.findings]
    assert [finding for finding in findings if not finding.allowed] == []
    assert {finding.allowed for finding in findings} == ALLOWED.get(part, set())
    assert all(one.whole for one in found)
    assert max(one.ends for one in found) > 1


@pytest.mark.parametrize(
    "shape",
    one_in(
        2,
        [
            *SHAPES[Topic.REPLICATED, ExploreScope.SMALL][:3],
            SHAPES[Topic.REPLICATED, ExploreScope.SMALL][-1],
            *SHAPES[Topic.GATEWAYS, ExploreScope.SMALL][:2],
            *SHAPES[Topic.GATEWAYS, ExploreScope.SMALL][3:],
            RING,
            *SHAPES[Topic.TRANSACTIONS, ExploreScope.SMALL][1:3],
            SHAPES[Topic.BUCKETS, ExploreScope.SMALL][0],
            SHAPES[Topic.LESSER, ExploreScope.SMALL][0],
            SHAPES[Topic.CLEARS, ExploreScope.SMALL][0],
            SHAPES[Topic.TOMBSTONES, ExploreScope.SMALL][0],
            SHAPES[Topic.RESOLVERS, ExploreScope.SMALL][0],
            SHAPES[Topic.QUEUES, ExploreScope.SMALL][3],
            BROKEN,
        ],
    ),
    ids=str,
)
def test_what_is_claimed_takes_no_end_away(shape: ProgramShape):
    fewer = 0
    for program in list(programs(shape))[::5]:
        reduced, thorough = walk(program, Rulebook()), walk(program, Rulebook(), reduced=False)
        assert ends(reduced) == ends(thorough), str(program)
        fewer += thorough.states - reduced.states
    assert fewer > 0


def test_the_circle_of_three_updates_is_found_and_told_as_allowed():
    found = explore(circle(), Rulebook())
    (finding,) = found.findings
    assert finding.requirement == "CONS-RR-04"
    assert finding.held["A"] != finding.held["B"]
    assert finding.allowed == CIRCLE
    assert finding.run[0] == "B calls put 1"


def program(shape: ProgramShape, *calls: str, times: tuple[int, ...] = ()) -> Program:
    """The program of a shape with these calls, of members and kinds."""
    (found,) = [
        one
        for one in programs(shape)
        if [f"{op.member} {op.kind}" for op in one.operations] == list(calls) and one.times == times
    ]
    return found


def test_what_is_held_back_for_longer_than_tombstones_are_kept_parts_members():
    shape = ProgramShape(sites=(("A", "B"),), operations=2, kinds=(PUT, DESTROY), there=True, faults=(TICK,))
    assert reasons(walk(program(shape, "A put", "A destroy"), Rulebook())) == {HELD_BACK}
    # The same where the clock stands: the tombstone is there when the update comes.
    still = msgspec.structs.replace(shape, faults=())
    assert reasons(walk(program(still, "A put", "A destroy"), Rulebook())) == set()


def test_a_collection_heard_of_late_takes_what_was_destroyed_since():
    shape = ProgramShape(sites=(("A", "B"),), operations=3, kinds=(PUT, DESTROY), there=True, faults=(TICK,))
    found = reasons(walk(program(shape, "A put", "A destroy", "A destroy"), Rulebook()))
    assert found == {HELD_BACK, ANEW}


def test_who_has_written_anew_loses_that_to_anothers_collection_of_the_same_stamp():
    shape = ProgramShape(sites=(("A", "B"),), operations=4, kinds=(PUT, DESTROY), there=True, faults=(TICK,))
    found = reasons(walk(program(shape, "A put", "A destroy", "A destroy", "B put"), Rulebook()))
    assert found == {HELD_BACK, ANEW}


def test_who_has_only_heard_of_a_collection_writes_anew_as_one_that_has_collected_does():
    shape = ProgramShape(
        sites=(("A", "B", "C"),), operations=3, kinds=(PUT, DESTROY), there=True, faults=(TICK,)
    )
    anew = program(shape, "B put", "B destroy", "B destroy")
    # A has collected the tombstone of 2, and B has heard of that; C hears of it behind 3, of the same stamp.
    run = (
        "receives C 2",
        "collects tombstones A 1 ('B', 'C')",
        "hears of a collection B A",
        "applies B 1",
        "applies B 3",
        "receives C 3",
        "receives A 1",
        "receives A 3",
        "hears of a collection C A",
        "receives C 1",
    )
    assert findings._is_overtaken(anew, run)
    in_time = tuple(line for line in run if not line.startswith("receives C"))
    assert not findings._is_overtaken(anew, in_time)


COMMITTED = ProgramShape(
    sites=(("A", "B"),), operations=1, kinds=(PUT, DESTROY), there=True, committed=(PUT, DESTROY)
)


def test_a_commit_and_what_its_own_member_changes_meanwhile_part_members():
    parted = {str(one) for one in programs(COMMITTED) if explore(one, Rulebook()).findings}
    ways = [("put", "put"), ("put", "destroy"), ("destroy", "put")]
    assert parted == {f"{plain} by {m}, {kept} by {m} committed" for plain, kept in ways for m in "AB"}
    put = next(programs(COMMITTED))
    assert reasons(walk(put, Rulebook())) == {SAME_STAMP}


def test_a_commit_and_a_put_on_two_members_agree_unless_a_commit_never_yields():
    apart = [one for one in programs(COMMITTED) if len({op.member for op in one.operations}) > 1]
    assert str(apart[0]) == "put by A, put by B committed"
    assert [found for one in apart for found in explore(one, Rulebook()).findings] == []
    insisting = FAULTY["commit-never-yields"].rulebook(Rulebook())
    (found,) = explore(apart[0], insisting).findings
    assert (found.requirement, found.held, found.allowed) == ("CONS-RR-04", {"A": "v1", "B": "v3"}, "")


def test_ties_end_as_the_higher_site_has_it_and_only_between_sites():
    shape = ProgramShape(sites=(("A",), ("B",)), operations=2, kinds=(PUT,), ties=True)
    every = list(programs(shape))
    # The one and the other may be called first: sites are not exchanged where their ids decide.
    assert [str(one) for one in every] == [
        "put by A, put by B at the same time",
        "put by B, put by A at the same time",
    ]
    # Where A is called before, and does it behind what has come from B, it replaces that: there is no tie.
    assert ends(walk(every[0], Rulebook())) == {(("A", one), ("B", one)) for one in ("v1", "v2")}
    assert explore(every[0], Rulebook()).findings == ()
    lower = FAULTY["lower-site-applied"].rulebook(Rulebook())
    assert explore(every[0], lower).findings


def apart(
    shape: ProgramShape, onward: Propagation = Propagation.AS_OF_SENDER
) -> dict[str, set[tuple[Held, ...]]]:
    """How the sites of a shape's programs end apart: in words, and what each holds."""
    found = {}
    for one in programs(shape):
        every = ends(walk(one, Rulebook(), onward=onward))
        if parted := {tuple(held for _, held in end) for end in every if len(set(dict(end).values())) > 1}:
            found[str(one)] = parted
    return found


def test_ties_in_a_ring_end_apart_and_that_is_told_as_allowed():
    # The put of site 3 comes to site 2 by way of site 1, and loses there as if site 1 had written it.
    assert apart(RING) == {
        "put by B, put by C at the same time": {("v2", "v1", "v2")},
        "put by C, put by B at the same time": {("v1", "v2", "v1")},
    }
    (finding,) = explore(program(RING, "B put", "C put", times=(1, 1)), Rulebook()).findings
    assert (finding.requirement, finding.allowed) == ("WANC-CHK-01", TOLD_ON)


def test_what_is_sent_again_to_another_member_may_part_a_site_and_that_is_told_as_allowed():
    # B has discarded C's first put when it comes to A, behind the second, over the connection that broke.
    lost = ProgramShape(
        sites=(("A", "B"), ("C",)), operations=3, kinds=(PUT,), faults=((FaultKind.REPLIES_LOST,),)
    )
    (again,) = [one for one in programs(lost) if str(one) == f"{LATE}; replies lost 2 to 1; link up 2 to 1"]
    found = explore(again, Rulebook()).findings
    assert [(one.requirement, one.allowed) for one in found] == [
        ("CONS-RR-04", SENT_AGAIN),
        ("WANC-CHK-01", SENT_AGAIN),
    ]
    # Answers that get lost on the other way are no excuse, and nothing is found there.
    (other,) = [one for one in programs(lost) if str(one) == f"{LATE}; replies lost 1 to 2; link up 1 to 2"]
    assert explore(other, Rulebook()).findings == ()


def test_a_resolver_that_prefers_a_site_parts_them_where_the_other_writes_on_top():
    preferring = ProgramShape(
        sites=(("A",), ("B",)), operations=2, kinds=(PUT,), ties=True, resolver="prefer 1 within 1000 ms"
    )
    both = program(preferring, "A put", "B put", times=(1, 1))
    # As long as neither has seen the other's, both sites end with that of the preferred one.
    assert ends(walk(both, Rulebook())) == {(("A", "v1"), ("B", "v1")), (("A", "v1"), ("B", "v2"))}
    (finding,) = explore(both, Rulebook()).findings
    assert (finding.requirement, finding.allowed) == ("WANC-CHK-01", PREFERRED)


def tied(one: str, other: str) -> set[str]:
    """In words, two puts at one time, called in either order."""
    return {f"put by {x}, put by {y} at the same time" for x, y in ((one, other), (other, one))}


def test_ties_in_a_chain_end_apart_unless_ids_grow_along_it():
    chains = {middle: ((a, middle), (middle, a), (middle, b), (b, middle)) for a, middle, b in MIDDLES}
    parted = {m: set(apart(msgspec.structs.replace(RING, links=links))) for m, links in chains.items()}
    assert parted == {1: tied("B", "C"), 2: set(), 3: tied("A", "B")}


MIDDLES = ((2, 1, 3), (1, 2, 3), (1, 3, 2))
"""For each chain its sites, in order."""


def test_sites_of_a_ring_agree_where_events_keep_the_id_of_who_wrote_them_or_times_differ():
    assert apart(RING, Propagation.AS_OF_WRITER) == {}
    skewed = msgspec.structs.replace(RING, ties=False, skewed=True)
    assert apart(skewed) == {}


def test_sites_that_are_each_connected_to_each_agree_on_ties():
    assert apart(msgspec.structs.replace(RING, links=())) == {}


def test_calls_of_a_site_whose_clock_is_known_come_one_after_the_other():
    mesh = ProgramShape(sites=RING.sites, operations=3, kinds=(PUT,), ties=True)
    twice = program(mesh, "A put", "A put", "B put", times=(1, 2, 2))
    run_through = walk(twice, Rulebook())
    assert all(len(moment.world.calls) < 2 for moment in run_through.moments if moment.called < 3)
    # Else the first might take effect behind the third, dated by a clock that shows what is long over.
    assert explore(twice, Rulebook()).findings == ()


def test_sites_change_places_only_where_that_changes_nothing():
    three = (("A",), ("B",), ("C",))
    mesh = ProgramShape(sites=three, operations=2, kinds=(PUT,))
    assert [str(one) for one in programs(mesh)] == ["put by A, put by A", "put by A, put by B"]
    # In a ring it counts who sends to whom, and in a chain who stands between.
    ring = msgspec.structs.replace(mesh, links=RING.links)
    assert len(list(programs(ring))) == 3
    chain = msgspec.structs.replace(mesh, links=((1, 2), (2, 1), (2, 3), (3, 2)))
    assert len(list(programs(chain))) == 5
    # Where clocks are skewed the order of the calls tells nothing.
    assert len(list(programs(msgspec.structs.replace(ring, skewed=True)))) == 2


def test_clocks_that_disagree_part_no_sites_and_decide_either_way():
    shape = ProgramShape(sites=(("A",), ("B",)), operations=2, kinds=(PUT,), skewed=True)
    both = program(shape, "A put", "B put")
    assert ends(walk(both, Rulebook())) == {(("A", one), ("B", one)) for one in ("v1", "v2")}


def test_who_writes_on_top_of_anothers_update_is_later_however_far_the_clock_is_behind():
    shape = ProgramShape(sites=(("A",), ("B",)), operations=2, kinds=(PUT,), behind=True)
    first, *_ = programs(shape)
    assert (str(first), first.times) == ("put by A, put by B by a clock that is behind", (2, 1))
    # As long as neither has seen the other's, the clocks decide.
    assert ends(walk(first, Rulebook())) == {(("A", one), ("B", one)) for one in ("v1", "v2")}
    assert explore(first, Rulebook()).findings == ()
    believed = FAULTY["clock-taken-as-it-is"].rulebook(Rulebook())
    assert {found.requirement for found in explore(first, believed).findings} == {"WANC-CHK-01"}


def test_members_that_write_nothing_are_told_apart_by_nothing():
    shape = ProgramShape(sites=(("A", "B", "C"),), operations=2, kinds=(PUT, DESTROY))
    callers = {tuple(sorted({op.member for op in one.operations})) for one in programs(shape)}
    assert callers == {("A",), ("A", "B")}
    # The ends of one that is left out are those of one that is kept, with two members exchanged.
    kept = program(shape, "A put", "B put")
    left_out = msgspec.structs.replace(
        kept, operations=(kept.operations[0], msgspec.structs.replace(kept.operations[1], member="C"))
    )
    exchange = {"A": "A", "B": "C", "C": "B"}
    renamed = {
        tuple(sorted((exchange[member], held) for member, held in end))
        for end in ends(walk(kept, Rulebook()))
    }
    assert ends(walk(left_out, Rulebook())) == renamed


def test_several_faults_happen_in_every_order_and_are_mended_behind_themselves():
    shape = ProgramShape(
        sites=(("A",), ("B",)),
        operations=1,
        kinds=(PUT,),
        faults=((FaultKind.CRASH,), (FaultKind.REPLIES_LOST,)),
    )
    orders = {tuple(fault.kind for fault in one.broken) for one in programs(shape)}
    crash, lost, up = FaultKind.CRASH, FaultKind.REPLIES_LOST, FaultKind.LINK_UP
    assert orders == {(crash, lost, up), (lost, crash, up), (lost, up, crash)}


def test_a_world_is_told_with_what_it_has():
    small = [
        (part, str(shape))
        for (part, scope), of in SHAPES.items()
        if scope is ExploreScope.SMALL
        for shape in of
    ]
    told = {words for _, words in small}
    assert {
        "AB: 2 any, r partition with 1 copies, key there",
        "AB: 2 any, r replicate but normal on B",
        "AB: 1 destroy, key there, ticks 2 times, tombstones 90000 ms 1 at a time",
        "A | B: 2 put, ticks, batches of 2/3",
        "AB + c: 2 put/destroy, key there",
        "AB: 1 put/destroy, key there, B joins again",
        "AB: 1 put/destroy, key there, delivered again",
        "AB: 1 put/destroy, key there, a rollback",
    } <= told
    assert len(set(small)) == len(small)


def test_what_takes_effect_everywhere_at_once_is_called_while_nothing_else_is_under_way():
    clear = ProgramShape(sites=(("A",), ("B",)), operations=2, kinds=(OperationKind.CLEAR,), there=True)
    calm = walk(program(clear, "A clear", "B clear"), Rulebook())
    assert all(len(moment.world.calls) < 2 for moment in calm.moments)
    # Within one site a clear has a lock, and may be called at any time.
    locked = ProgramShape(sites=(("A", "B"),), operations=2, kinds=(PUT, OperationKind.CLEAR), there=True)
    meeting = walk(program(locked, "A put", "B clear"), Rulebook())
    assert any(len(moment.world.calls) == 2 for moment in meeting.moments)
    assert ends(meeting) == {(("A", None), ("B", None)), (("A", "v1"), ("B", "v1"))}


def test_who_dies_with_what_it_has_done_for_another_leaves_nobody_waiting():
    lesser = RegionAttributes(name="r", policies=(HostPolicy("C", RegionPolicy.NORMAL),))
    crash = (FaultKind.CRASH,)
    shape = ProgramShape(
        sites=(("A", "B", "C"),), operations=1, kinds=(PUT,), there=True, regions=(lesser,), faults=(crash,)
    )
    one = next(one for one in programs(shape) if str(one) == "put by C; crash A")
    run_through = walk(one, Rulebook())
    # C was answered before B was told, and what A had sent to B is lost.
    assert (("B", "v0"), ("C", "v1")) in ends(run_through)
    assert explore(one, Rulebook()).findings == ()


@pytest.mark.parametrize(
    ("variant", "part", "requirement"),
    [
        ("skips-a-copy", Topic.PARTITIONED, "CONS-PR-04"),
        ("batch-of-one-more", Topic.GATEWAYS, "GWQ-BATCH-01"),
        ("clears-itself-only", Topic.CLEARS, "CONS-RR-04"),
        ("later-refused", Topic.GATEWAYS, "WANC-CHK-01"),
        ("destroys-stay", Topic.GATEWAYS, "WANC-CHK-01"),
        ("late-wins", Topic.REPLICATED, "CONS-RR-04"),
        ("tie-keeps-own", Topic.REPLICATED, "CONS-RR-04"),
        ("own-is-highest", Topic.REPLICATED, "CONS-RR-04"),
    ],
)
def test_a_mistake_is_found(variant: str, part: Topic, requirement: str):
    book = FAULTY[variant].rulebook(Rulebook())
    # One shape is enough: each of these mistakes shows where two members write, or one writes twice.
    found = {
        finding.requirement
        for program in programs(SHAPES[part, ExploreScope.SMALL][0])
        for finding in explore(program, book).findings
    }
    assert requirement in found


def test_a_queue_without_a_primary_is_told_where_somebody_could_take_over():
    (shape,) = SHAPES[Topic.QUEUES, ExploreScope.MEDIUM]
    one = next(one for one in programs(shape) if str(one) == "put by A; crash A; crash B")
    gives_up = FAULTY["nobody-takes-over"].rulebook(Rulebook())
    assert explore(one, Rulebook()).findings == ()
    assert "SER-PRIMARY-04" in {found.requirement for found in explore(one, gives_up).findings}


def test_too_many_states_are_told():
    assert not walk(circle(), Rulebook(), most=50).whole


def test_what_waits_for_a_site_that_is_dead_stays_and_for_one_that_lives_does_not():
    shape = ProgramShape(sites=(("A", "B"), ("C",)), operations=1, kinds=(PUT,), faults=((FaultKind.CRASH,),))
    dead, lives = (
        next(
            one
            for one in programs(shape)
            if one.operations[0].member == "A" and one.broken[0].member == member
        )
        for member in ("C", "B")
    )
    assert explore(dead, Rulebook()).findings == ()
    assert explore(lives, Rulebook()).findings == ()
    keeps = Rulebook(removed_by_reply=lambda answered: answered - 1)
    assert "GWQ-ACK-03" in {finding.requirement for finding in explore(lives, keeps).findings}
