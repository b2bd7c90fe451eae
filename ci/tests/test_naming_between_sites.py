"""Two sites: an event put into another region, and one that a second takeover loses, are named as such."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.adapters.protocol import Observed
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.explain.fault_localization import NAMING_MS
from plumbline.reference.explain.oracle import Finding, find
from plumbline.reference.explain.sight import sight
from plumbline.reference.history.actions import Do, Inject, Look, PlanStep, Settle
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.moments import ContentsRead
from plumbline.reference.history.operations import Content, Operation, OperationKind, RegionAttributes, Scope
from plumbline.reference.history.plans import Plan
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.run.known_deviations import NOTHING
from plumbline.suites.run.plan_outcomes import play_plans
from plumbline.suites.run.playing import play
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.replaying import play_plan
from plumbline.suites.run.results import Result
from plumbline.suites.scenarios.all_scenarios import SCENARIOS
from plumbline.suites.scenarios.course import REGION
from plumbline.suites.scenarios.sites import APART, SECOND, queues, regions, topology

BRIEF_MS = 300
"""So long decisions are looked for where none is to be found."""

THERE = ("C", "D")
SENDERS = queues(100)
QUEUE = SENDERS[0].id
FED = regions(SENDERS, Scope.ACK, None, also=(SECOND,))


class Misplaces(ReferenceAdapter):
    """Puts the second event that comes from the other site into another region."""

    into = SECOND
    tells = True
    """Whether listeners receive it, in that region."""

    def _wrong(self) -> str | None:
        events = (event for event in super().observe(0).events if event.member in THERE)
        tokens = dict.fromkeys(event.token for event in events if event.region == REGION and event.token)
        return next(iter(list(tokens)[1:2]), None)

    def observe(self, since: int) -> Observed:
        wrong, told = self._wrong(), super().observe(since)
        events = (
            msgspec.structs.replace(event, region=self.into)
            if self.tells and event.member in THERE and event.token == wrong is not None
            else event
            for event in told.events
        )
        return msgspec.structs.replace(told, events=tuple(events))

    def contents(self, member: str, region: str) -> tuple[Content, ...] | None:
        wrong, held = self._wrong(), super().contents(member, region)
        if member not in THERE or wrong is None or held is None:
            return held
        if region == REGION:
            return tuple(one for one in held if one.token != wrong)
        moved = [one for one in super().contents(member, REGION) or () if one.token == wrong]
        return (*held, *(moved if region == self.into else ()))


class MisplacesApart(Misplaces):
    """The same, into a region that no sender is attached to."""

    into = APART


class MisplacesSilently(Misplaces):
    """The same, and listeners receive it where it belongs."""

    tells = False


class LosesAtSecond(ReferenceAdapter):
    """When a second member dies, the queues of those that live are emptied."""

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        super().reset(regions)
        self.crashes = 0

    def crash(self, member: str) -> None:
        self.crashes += 1
        if self.crashes == 2:
            simulation = self._ready()
            wan = simulation.world.wan
            senders = wan.senders
            for name, sender in tuple(senders.items()):
                senders = senders.set(name, msgspec.structs.replace(sender, queue=()))
            simulation.world = simulation.world.but(wan=msgspec.structs.replace(wan, senders=senders))
        super().crash(member)


class TakesOverOnce(ReferenceAdapter):
    """No sender is primary once two members have died: the last keeps what it has, paused for good."""

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        super().reset(regions)
        self.crashes = 0

    def crash(self, member: str) -> None:
        self.crashes += 1
        super().crash(member)

    def queue_action(self, member: str, queue: str, action: str) -> None:
        if self.crashes < 2 or action != "resume":
            super().queue_action(member, queue, action)


def candidate(kind: type[ReferenceAdapter]) -> Candidate:
    return msgspec.structs.replace(find_candidate("reference"), name="python:wrong", open=kind)


def put(number: int, member: str, key: str = "x", region: str = REGION) -> Do:
    return Do(
        Operation(
            op_id=number,
            thread=f"{member}0",
            member=member,
            region=region,
            kind=OperationKind.PUT,
            key=key,
            token=f"t{number}",
        )
    )


def each(kind: FaultKind, *members: str) -> list[PlanStep]:
    queue = QUEUE if kind in (FaultKind.PAUSE, FaultKind.RESUME) else ""
    return [Inject(Fault(kind=kind, member=member, queue=queue)) for member in members]


def found(kind: type[ReferenceAdapter], plan: Plan, naming_ms: int = 20 * NAMING_MS) -> Finding:
    with Session(candidate(kind)) as session:
        history = play_plan(plan, session).history
        return find(history, session.book, naming_ms=naming_ms)


def scenario(kind: type[ReferenceAdapter], name: str) -> Result:
    with Session(candidate(kind)) as session:
        return play(SCENARIOS[name], session, session.book, BRIEF_MS)


@pytest.mark.parametrize("kind", [Misplaces, MisplacesApart])
def test_an_event_in_another_region_is_named_first_in_a_scenario(kind: type[Misplaces]):
    result = scenario(kind, "only_attached_regions_cross")
    assert result.requirements == ("RCV-APPLY-01", "WAN-CFG-01")
    assert result.finding is not None
    assert "which was written to region[" in result.finding.sight


def test_an_event_in_another_region_is_named_first_in_a_drawn_plan():
    with Session(candidate(MisplacesApart)) as session:
        failure = play_plans(
            MACHINES["gateway_order"],
            session,
            session.book,
            profile=PROFILES["smoke"],
            draw_seed=7,
            deadline=None,
            on_record=NOTHING,
            saw=lambda *_: None,
            progress=lambda _: None,
        ).failure
    assert failure is not None
    assert failure.requirements[0] == "RCV-APPLY-01"


@pytest.mark.parametrize("kind", [Misplaces, MisplacesSilently])
@pytest.mark.parametrize("settles", [True, False], ids=["apart", "together"])
def test_an_event_in_another_region_is_named_alone_where_both_are_attached(
    kind: type[Misplaces], *, settles: bool
):
    calls = [put(1, "A", "y"), put(2, "A"), put(3, "B", "z", SECOND)]
    steps = [step for call in calls for step in ((call, Settle()) if settles else (call,))]
    plan = Plan(topology(2), FED, (*steps, Settle()), SENDERS)
    finding = found(kind, plan, BRIEF_MS)
    assert finding.answer is Answer.REFUTED
    assert finding.requirements == ("RCV-APPLY-01",)
    assert "second[x] t2, which was written to region[x]" in finding.sight


PAUSED = each(FaultKind.PAUSE, "A", "B", "E")
FIRST, SECOND_CRASH = each(FaultKind.CRASH, "A"), each(FaultKind.CRASH, "B")
GOES_ON: list[PlanStep] = [*each(FaultKind.RESUME, "E"), Settle()]
LOOK: list[PlanStep] = [Settle(), Look(QUEUE)]


@pytest.mark.parametrize(
    "steps",
    one_in(
        2,
        [
            [*PAUSED, put(1, "B"), *FIRST, *SECOND_CRASH, *GOES_ON],
            [*PAUSED, put(1, "B"), *LOOK, *FIRST, *LOOK, *SECOND_CRASH, *LOOK, *GOES_ON],
            [*PAUSED, put(1, "B"), *FIRST, Settle(), *SECOND_CRASH, put(2, "E", "y"), *GOES_ON],
            [*PAUSED, put(1, "B"), put(2, "B"), *FIRST, *SECOND_CRASH, put(3, "E"), *GOES_ON],
            [
                *each(FaultKind.RECEIVER_STOP, *THERE),
                put(1, "B"),
                *FIRST,
                Settle(),
                *SECOND_CRASH,
                *each(FaultKind.RECEIVER_START, *THERE),
                Settle(),
            ],
        ],
    ),
    ids=["at once", "looked at", "later put", "same key", "no receiver"],
)
def test_what_a_second_takeover_loses_is_named_as_lost(steps: Sequence[PlanStep]):
    plan = Plan(topology(3), FED[:1], tuple(steps), SENDERS)
    finding = found(LosesAtSecond, plan)
    assert finding.requirements[0] == "GWQ-ACK-03"
    assert "SER-FAILOVER-01" in finding.requirements
    words = "the listener of C never received region[x] t1, which B put, though E lives and received it"
    assert finding.sight == words


def test_queues_that_were_seen_at_each_takeover_leave_only_what_loses_events():
    steps: list[PlanStep] = [*PAUSED, put(1, "B"), *LOOK, *FIRST, *LOOK, *SECOND_CRASH, *LOOK, *GOES_ON]
    finding = found(LosesAtSecond, Plan(topology(3), FED[:1], tuple(steps), SENDERS))
    assert finding.decisions == ("keeps_inherited", "skipped_at_takeover")
    assert finding.requirements == ("GWQ-ACK-03", "SER-FAILOVER-01", "REM-SERIAL-04")


def test_a_scenario_tells_a_loss_from_a_takeover_that_does_not_come():
    name = "the_surviving_secondary_takes_over"
    assert scenario(LosesAtSecond, name).requirements == ("SER-FAILOVER-01", "GWQ-ACK-03")
    assert scenario(TakesOverOnce, name).requirements == ("SER-PRIMARY-05",)
    with Session(find_candidate("faulty:nobody-takes-over")) as session:
        assert play(SCENARIOS[name], session, session.book).requirements == ("SER-PRIMARY-05",)


@pytest.mark.parametrize("cause", ["a queue still paused", "all that had it dead", "written there as well"])
def test_what_has_a_reason_not_to_arrive_is_not_called_lost(cause: str):
    end: dict[str, list[PlanStep]] = {
        "a queue still paused": [Settle()],
        "all that had it dead": each(FaultKind.CRASH, "E"),
    }
    there = [put(2, "C")] if cause == "written there as well" else []
    steps = [*PAUSED, put(1, "B"), *there, *FIRST, *SECOND_CRASH, *end.get(cause, GOES_ON), Settle()]
    with Session(candidate(LosesAtSecond)) as session:
        plan = Plan(topology(3), FED[:1], tuple(steps), SENDERS)
        history = play_plan(plan, session).history
    assert any(isinstance(what, ContentsRead) for what in history.timeline)
    assert sight(history) is None
