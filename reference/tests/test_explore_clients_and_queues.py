"""Exploring registrations, replays, recruits, listeners, buckets and restarts: which mistakes are refuted."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from plumbline.reference.explore.client_findings import (
    INVALIDATED,
    LATE_ANSWER,
    REASONS_OF_CLIENTS,
    UNFILLED,
    UNTOLD,
)
from plumbline.reference.explore.findings import broken_by, explore
from plumbline.reference.explore.programs import Program, programs
from plumbline.reference.explore.scopes import SHAPES
from plumbline.reference.explore.topics import ExploreScope, Topic
from plumbline.reference.explore.walk import walk
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.tests.walks import reasons, same_in_the_end

COPIED = "B gives up its copy of r; B begins to take a copy of r; B has its copy of r"
LISTENING = "put by A on x, put by A on y"


def named(part: Topic, at: int, name: str) -> Program:
    """The program of a small shape that is told so."""
    return next(one for one in programs(SHAPES[part, ExploreScope.SMALL][at]) if str(one) == name)


@pytest.mark.parametrize(
    ("variant", "part", "at", "name", "requirement"),
    [
        ("loads-before-listing", Topic.REGISTRATIONS, 0, "put by A; c registers", "INT-MON-01"),
        ("deaf-while-registering", Topic.REGISTRATIONS, 0, "put by A; c registers", "INT-MON-01"),
        ("answer-replaces-events", Topic.REGISTRATIONS, 0, "put by A; c registers", "INT-MON-01"),
        ("answer-revives-after-events", Topic.REGISTRATIONS, 0, "destroy by A; c registers", "INT-MON-01"),
        ("deaf-while-it-joins", Topic.COPIES, 0, f"put by A; {COPIED}", "CONS-RR-04"),
        ("a-copy-replaces-the-newer", Topic.COPIES, 0, f"put by A; {COPIED}", "CONS-RR-04"),
        ("a-copy-revives-the-destroyed", Topic.COPIES, 0, f"destroy by A; {COPIED}", "CONS-RR-04"),
        ("replays-silently", Topic.REPLAYS, 0, "put by A; client ready c", "FO-HA-01"),
        ("sends-before-ready", Topic.REPLAYS, 0, "put by A; client ready c", "DUR-READY-01"),
        ("live-is-told-twice", Topic.REPLAYS, 0, "put by A; client ready c", "DUR-REPLAY-07"),
        ("replay-ends-with-primary", Topic.REPLAYS, 1, "put by A; client ready c; crash A", "FO-HA-01"),
        ("replay-ends-early", Topic.REPLAYS, 1, "put by A; client ready c; crash A", "FO-HA-01"),
        ("marker-dies-with-primary", Topic.REPLAYS, 1, "put by A; client ready c; crash A", "DUR-REPLAY-07"),
        ("secondary-begins-empty", Topic.RECRUITS, 0, "put by A; crash A", "FO-HA-01"),
        ("resumes-with-the-next", Topic.RECRUITS, 0, "put by A; crash A", "FO-HA-01"),
        ("recruits-no-other", Topic.RECRUITS, 0, "put by A; crash A", "FO-RED-01"),
        ("recruits-behind-failovers", Topic.RECRUITS, 0, "put by A; crash B", "FO-RED-01"),
        ("recruit-without-interest", Topic.RECRUITS, 0, "put by A; crash A", "FO-RED-01"),
        ("recruit-without-queue", Topic.RECRUITS, 0, "put by A; crash A", "FO-RED-01"),
        ("failure-is-success", Topic.LISTENERS, 0, LISTENING, "GWQ-ACK-03"),
        ("removes-when-offered", Topic.LISTENERS, 0, LISTENING, "GWQ-ACK-03"),
        ("repeats-one-by-one", Topic.LISTENERS, 0, LISTENING, "AEQ-RETRY-02"),
        ("repeats-the-wrong-way-round", Topic.LISTENERS, 0, LISTENING, "AEQ-RETRY-02"),
        ("goes-to-the-next-batch", Topic.LISTENERS, 0, LISTENING, "AEQ-RETRY-02"),
        ("gives-up-a-batch", Topic.LISTENERS, 1, LISTENING, "GWQ-ACK-03"),
        ("exception-ends-processor", Topic.LISTENERS, 1, LISTENING, "GWQ-ACK-03"),
        ("removes-what-was-processed", Topic.LISTENERS, 2, LISTENING, "AEQ-RETRY-02"),
        ("copies-dispatch-too", Topic.BUCKETS, 0, "put by A, put by A", "AEQ-RETRY-03"),
        ("promoted-queue-is-empty", Topic.BUCKETS, 1, "put by A; crash A", "GWQ-ACK-03"),
        ("parallel-queue-without-redundancy", Topic.BUCKETS, 1, "put by A; crash A", "GWQ-ACK-03"),
        ("removes-copies-of-what-is-offered", Topic.BUCKETS, 1, "put by A; crash A", "GWQ-ACK-03"),
        ("removes-copies-of-what-failed", Topic.BUCKETS, 1, "put by A; crash A", "GWQ-ACK-03"),
        *(
            (variant, Topic.RESTARTS, 0, f"{LISTENING}; crash A; recover A", "GWQ-PERSIST-01")
            for variant in ("never-on-disk", "resumes-behind-the-oldest", "written-late")
        ),
    ],
)
def test_a_mistake_is_found_by_what_it_breaks(
    variant: str, part: Topic, at: int, name: str, requirement: str
):
    book = FAULTY[variant].rulebook(Rulebook())
    assert requirement in set(broken_by(walk(named(part, at, name), book, moments=False)))


@pytest.mark.parametrize(
    ("part", "at", "each"),
    [(Topic.REPLAYS, 1, 2), (Topic.RECRUITS, 1, 1), (Topic.LISTENERS, 3, 4), (Topic.BUCKETS, 1, 3)],
)
def test_what_logs_have_shown_is_the_same_with_every_transition_tried(part: Topic, at: int, each: int):
    for one in list(programs(SHAPES[part, ExploreScope.SMALL][at]))[::each]:
        few, every = walk(one, Rulebook()), walk(one, Rulebook(), reduced=False)
        same_in_the_end(few, every)
        assert {end.logs for end in few.ends} == {end.logs for end in every.ends}, str(one)


def test_a_client_that_goes_comes_back_once_all_has_settled():
    shape = SHAPES[Topic.REPLAYS, ExploreScope.SMALL][2]
    lives = {tuple(fault.kind for fault in one.broken) for one in programs(shape)}
    ready, start = FaultKind.CLIENT_READY, FaultKind.CLIENT_START
    parting = (FaultKind.CLIENT_DETACH, FaultKind.CLIENT_CRASH)
    assert lives == {(ready, parts, start, ready) for parts in parting}
    walked = walk(next(programs(shape)), Rulebook())
    away = [moment for moment in walked.moments if not moment.world.served.durable["c"].connected]
    assert away
    assert {moment.broken for moment in away} == {2}
    assert all(end.broken == len(walked.program.faults) for end in walked.ends)


def test_a_listener_that_fails_has_the_whole_batch_again_from_who_takes_over():
    (one, *_) = programs(SHAPES[Topic.LISTENERS, ExploreScope.SMALL][3])
    assert str(one) == "put by A; crash A"
    logs = [dict(end.logs) for end in walk(one, Rulebook()).ends]
    calls = {tuple(answer for _, answer in one.get(("queue", "A", "q"), ())) for one in logs}
    assert calls == {(), ("false",), ("false", "true")}
    assert any(one.get(("queue", "A", "q")) and one.get(("queue", "B", "q")) for one in logs)


def test_what_the_documents_allow_is_told_with_its_reason():
    found = explore(named(Topic.REGISTRATIONS, 0, "invalidate by A; c registers"), Rulebook()).findings
    assert [(one.requirement, one.held, one.allowed) for one in found] == [
        ("INT-MON-01", {"A": "", "B": "", "c": "v0"}, INVALIDATED)
    ]
    (filling,) = explore(named(Topic.RECRUITS, 1, "put by C; crash B; crash A"), Rulebook()).findings
    assert (filling.held, filling.allowed) == ({"C": "v1", "c": None}, UNFILLED)


def recruits(name: str) -> Program:
    """A medium program in which a client's first server dies, and it recruits another one."""
    (shape,) = SHAPES[Topic.RECRUITS, ExploreScope.MEDIUM]
    return next(one for one in programs(shape) if str(one) == name)


@pytest.mark.parametrize("name", ["put by A, destroy by A; crash A", "put by A, destroy by C; crash A"])
def test_a_destroy_that_finds_nothing_at_the_only_server_left_may_stay_untold(name: str):
    found = reasons(walk(recruits(name), Rulebook()), "INT-MON-01")
    assert UNTOLD in found
    assert "" not in found


@pytest.mark.parametrize(
    "name",
    [
        "put by B, destroy by B; crash A",
        "put by B, destroy by C; crash A",
        "destroy by B, put by C; crash A",
    ],
)
def test_a_secondary_keeps_a_destroy_of_which_its_client_was_not_told(name: str):
    assert explore(recruits(name), Rulebook()).findings == ()


def test_no_reason_holds_of_a_run_in_which_all_comes_in_time():
    one = named(Topic.REGISTRATIONS, 2, "put by B; c registers; crash A")
    calm = (
        "B calls put 1",
        "applies B 1",
        "receives A 1",
        "1 returns ok",
        "c registers",
        "reads what there is c 100",
        "applies the answer c 100 x",
        "registration of c returns ok",
        "crash A",
        "takes over B c",
    )
    assert [why for why, holds in REASONS_OF_CLIENTS.items() if holds(one, calm)] == []
    late = (*calm[:6], *calm[8:], *calm[6:8])
    assert [why for why, holds in REASONS_OF_CLIENTS.items() if holds(one, late)] == [LATE_ANSWER]


def test_a_world_is_told_with_its_clients_listeners_and_restarts():
    told = {
        str(shape) for (_, scope), some in SHAPES.items() if scope is ExploreScope.SMALL for shape in some
    }
    assert {
        "AB + c: 2 put/destroy, registering",
        "AB + durable c of A/B with 1 copies: 1 put by A/B, 2 fault",
        "AB: 2 put, 2 keys, serial listeners of 2 answering throw/false",
        "AB | C: 1 put by A/B, 1 fault, by 1>2, recover",
    } <= told
    alike = replace(SHAPES[Topic.LISTENERS, ExploreScope.SMALL][0], listens=(), answers=())
    assert alike.alike
    assert not SHAPES[Topic.LISTENERS, ExploreScope.SMALL][0].alike
