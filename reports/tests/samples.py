"""Run directories and counterexamples for the tests of the reports."""

from __future__ import annotations

from pathlib import Path

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.records import (
    Area,
    Dialect,
    JudgedBy,
    Level,
    Reason,
    ReasonKind,
    Requirement,
    TraceRule,
)
from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.moments import (
    Armed,
    Called,
    ContentsAsked,
    ContentsRead,
    Gate,
    Moment,
    Parked,
    Released,
    Returned,
    Settled,
    StatisticAsked,
    StatisticRead,
)
from plumbline.reference.history.operations import (
    Content,
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
from plumbline.reference.results.runs import (
    Counterexample,
    DeadEnd,
    Difference,
    RunRecord,
    write_counterexample,
    write_record,
    write_verdicts,
)
from plumbline.reference.results.sealing import seal_run
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow

HOSTILE = (
    "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7*7 }}{% raw %}&lt;"
    "\x00\x1b[31m\x1b]0;title\x07\r\x08\x85\u202egnp.exe\u2066\u200f\ufffe\U000e0041]]>--><!-- [red]x[/red]"
)
"""What a hostile candidate would put into any of its texts."""


def operation(op_id: int, thread: str, member: str, **fields: object) -> Operation:
    given: dict[str, object] = {"region": "r", "kind": OperationKind.PUT, "key": "x", "token": f"v{op_id}"}
    return Operation(op_id=op_id, thread=thread, member=member, **{**given, **fields})  # type: ignore[arg-type]


def shown(member: str, token: str | None, after: int, before: int, **fields: object) -> Observation:
    given: dict[str, object] = {"region": "r", "key": "x", "kind": EventKind.UPDATE}
    return Observation(Event(member=member, token=token, **{**given, **fields}), after, before)  # type: ignore[arg-type]


def topology(*members: str) -> Topology:
    return Topology((Site(1, members),))


def worked_example() -> History:
    """Two members update x at one time; B keeps the update that should lose."""
    gate_a, gate_c = Gate("A", 2), Gate("C", 3)
    ok = Outcome(Status.OK)
    timeline: tuple[Moment, ...] = (
        Called(operation(1, "t1", "C", kind=OperationKind.CREATE)),
        Returned(1, ok),
        Settled(),
        Armed(gate_a),
        Armed(gate_c),
        Called(operation(2, "t1", "A")),
        Called(operation(3, "t2", "C")),
        Parked(gate_a),
        Parked(gate_c),
        Released(gate_c),
        Returned(3, ok),
        Released(gate_a),
        Returned(2, ok),
        Settled(),
        *(
            moment
            for number, member in enumerate("ABC")
            for moment in (
                ContentsAsked(number, member, "r"),
                ContentsRead(number, member, "r", (Content("x", "v2" if member == "B" else "v3"),)),
            )
        ),
        StatisticAsked(3, "C", "conflatedEvents"),
        StatisticRead(3, "C", "conflatedEvents", 1),
    )
    first = {member: shown(member, "v1", 0, 3, kind=EventKind.CREATE) for member in "ABC"}
    return History(
        topology=topology("A", "B", "C"),
        regions=(RegionAttributes(name="r"),),
        timeline=timeline,
        logs={
            "A": (first["A"], shown("A", "v2", 3, 8), shown("A", "v3", 8, 14)),
            "B": (first["B"], shown("B", "v3", 3, 14), shown("B", "v2", 11, 14)),
            "C": (first["C"], shown("C", "v3", 3, 9)),
        },
        member_order=("A", "B", "C"),
    )


def long_history(operations: int = 45) -> History:
    """Three members, three threads, calls that overlap, three events for each."""
    timeline: list[Moment] = []
    logs: dict[str, list[Observation]] = {"A": [], "B": [], "C": []}
    kinds = (OperationKind.PUT, OperationKind.PUT, OperationKind.DESTROY, OperationKind.CREATE)
    waiting: list[int] = []
    for number in range(1, operations + 1):
        kind = kinds[number % 4]
        key = "kxyz"[number % 3]
        timeline.append(Called(operation(number, f"t{number % 3}", "ABC"[number % 3], key=key, kind=kind)))
        waiting.append(number)
        while len(waiting) > number % 3:
            timeline.append(Returned(waiting.pop(0), Outcome(Status.OK)))
        event = EventKind.DESTROY if kind is OperationKind.DESTROY else EventKind.UPDATE
        for member, log in logs.items():
            log.append(shown(member, f"v{number}", 0, operations * 3, key=key, kind=event))
        if number % 15 == 0:
            timeline.append(Settled())
    timeline += [Returned(number, Outcome(Status.OK)) for number in waiting]
    return History(
        topology=topology("A", "B", "C"),
        regions=(RegionAttributes(name="r"),),
        timeline=tuple(timeline),
        logs={member: tuple(log) for member, log in logs.items()},
    )


def counterexample(history: History | None = None, **fields: object) -> Counterexample:
    given: dict[str, object] = {
        "requirements": ("VER-TIE-01", "CONS-RR-03"),
        "source": Source.MACHINE,
        "title": "ordering and conflict convergence",
        "candidate": "faulty:lowest-member-wins",
        "product_version": "0.1.0",
        "suite_version": "0.1.0",
        "seed": 20261121,
        "plan": (
            "t1 creates x on C",
            "settle",
            "park #2 at A's and #3 at C's listener",
            "t1 puts x on A",
            "t2 puts x on C",
            "open C's gate, then A's",
            "settle and read x everywhere",
        ),
        "history": history or worked_example(),
        "expected": ("Of two concurrent updates, A's and C's, all members keep C's: C has the higher id.",),
        "seen": ("B told its listener v3 and then v2, and holds v2.", "A and C hold v3."),
        "dead_ends": (
            DeadEnd(
                consumed=5,
                place="listener of B, r[x]",
                due="update r[x] v2",
                offered=("nothing more",),
                decision="VER-TIE-01",
            ),
            DeadEnd(
                consumed=4,
                place="listener of B, r[x]",
                due="update r[x] v3",
                offered=("update r[x] v2",),
                decision="concurrent_winner",
            ),
        ),
        "times_failed": 5,
        "times_tried": 5,
        "replay": "plumbline run --candidate faulty:lowest-member-wins --select VER-TIE-01 --seed 20261121",
    }
    return Counterexample(**{**given, **fields})  # type: ignore[arg-type]


def hostile_counterexample(text: str = HOSTILE) -> Counterexample:
    """Every text of it is the given one."""
    timeline: tuple[Moment, ...] = (
        Called(operation(1, text, text, region=text, key=text, token=text)),
        Returned(1, Outcome(Status.INDEFINITE, text, text)),
        Returned(99, Outcome(Status.OK)),
        Armed(Gate(text, 1)),
        Released(Gate(text, 7)),
        Settled(((text, text),)),
        ContentsRead(0, text, text, (Content(text, text),)),
        StatisticRead(1, text, text, -3),
    )
    history = History(
        topology=topology(text),
        regions=(RegionAttributes(name=text),),
        timeline=timeline,
        logs={text: (shown(text, text, -5, 10**9, key=text), shown(text, "foreign" + text, 50, 2, key=text))},
    )
    return Counterexample(
        requirements=(text,),
        source=Source.SCENARIO,
        title=text,
        candidate=text,
        product_version=text,
        suite_version=text,
        seed=-1,
        plan=(text,),
        history=history,
        expected=(text,),
        seen=(text,),
        dead_ends=(DeadEnd(consumed=0, place=text, due=text, offered=(text,), decision=text),),
        nearest=(
            Difference(place=text, right=text, seen=text, instead=text, member=text, position=0),
            Difference(place="", right="", seen="", instead=text, member=text, position=6, read=text),
            Difference(place="", right="", seen="", member=text, position=-(10**9)),
        ),
        right_runs=-1,
        replay=text,
    )


def requirement(identity: str = "VER-TIE-01", **fields: object) -> Requirement:
    given: dict[str, object] = {
        "title": "the higher member wins",
        "statement": "Of two updates with one version the one of the higher member MUST stay.",
        "level": Level.MUST,
        "area": Area.VERSIONS,
        "document": "004",
        "paragraph": "How Consistency Checking Works (L52)",
        "dialects": (Dialect.GEMFIRE8, Dialect.GEODE),
        "capabilities": (Capability.REPLICATED_REGIONS, Capability.LISTENER_GATES),
        "judged_by": (JudgedBy.SCENARIO, JudgedBy.MACHINE),
        "controls": "two members update one key at one time",
        "observables": "listener logs and contents of every member",
        "break_it": "the lower member wins",
        "trace_rule": TraceRule(text="no lower member overwrites", kinds=("apply",), columns=("member",)),
        "product_note": "as stated",
        "reason": None,
    }
    return Requirement(id=identity, **{**given, **fields})  # type: ignore[arg-type]


def catalogue(count: int = 3) -> dict[str, Requirement]:
    """`count` requirements, spread over the areas; the first is VER-TIE-01."""
    found = [requirement()]
    areas = list(Area)
    for number in range(1, count):
        internal = Reason(kind=ReasonKind.INTERNAL_VIEW, text="Only a member sees it.")
        found.append(
            requirement(
                f"SOME-TOPIC{number // 90}-{number % 90 + 1:02}",
                title=f"what must hold of subject number {number} in every case",
                area=areas[number % len(areas)],
                reason=internal if number % 20 == 9 else None,
            )
        )
    return {one.id: one for one in found}


def record(run_id: str = "run-1", **fields: object) -> RunRecord:
    given: dict[str, object] = {
        "suite_version": "0.1.0",
        "candidate": "reference",
        "product": "Plumbline reference",
        "product_version": "0.1.0",
        "dialect": "geode",
        "profile": "gate",
        "seed": 7,
        "started": "2026-11-21T06:40:00Z",
        "seconds": 12.5,
        "capabilities": ("replicated_regions", "listener_gates"),
        "complete": True,
    }
    return RunRecord(run_id=run_id, **{**given, **fields})  # type: ignore[arg-type]


def row(requirement_id: str = "VER-TIE-01", verdict: Verdict = Verdict.PASS, **fields: object) -> VerdictRow:
    given: dict[str, object] = {"run_id": "run-1", "source": Source.SCENARIO, "exercised": 4, "seconds": 0.25}
    return VerdictRow(requirement=requirement_id, verdict=verdict, **{**given, **fields})  # type: ignore[arg-type]


def write_run(
    directory: Path,
    rows: list[VerdictRow],
    examples: dict[str, Counterexample] | None = None,
    **fields: object,
) -> Path:
    """Write a run directory; the rows are given its run id."""
    run = record(**{"run_id": directory.name, **fields})  # type: ignore[arg-type]
    write_record(directory, run)
    write_verdicts(directory, rows)
    for name, one in (examples or {}).items():
        write_counterexample(directory, name, one)
    seal_run(directory)
    return directory
