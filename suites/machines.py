"""State machines: Hypothesis draws a plan, the plan is carried out when it is complete, the search judges it.

Rules only extend the plan, against a planning state; nothing is executed while drawing, so what a
candidate does never changes what is drawn. The outcome of a plan is remembered, so Hypothesis always sees
a function of the plan.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any, ClassVar

import msgspec
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from plumbline.reference.capabilities import Capability
from plumbline.reference.operations import (
    READS,
    Operation,
    OperationKind,
    RegionAttributes,
    Scope,
    Site,
    Topology,
)
from plumbline.reference.plans import Do, Park, Plan, PlanStep, Release, Settle, Start

REGION = "region"
KEYS = ("x", "y", "z")

WRITES = (
    OperationKind.PUT,
    OperationKind.CREATE,
    OperationKind.PUT_IF_ABSENT,
    OperationKind.REPLACE,
    OperationKind.INVALIDATE,
    OperationKind.DESTROY,
)
ANNOUNCED = (OperationKind.PUT,)
"""Operations that always reach a listener, whatever is there."""

WRITES_MOST_PER_KEY = 6
"""So many concurrent writes of one key are drawn at most between two settle points: refuting wrong logs is
linear up to there."""

LOOSE_MOST_PER_KEY = 2
"""The same where logs carry no order between threads, so that every order has to be tried."""

Execute = Callable[[Plan], None]


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """A state machine of the suite.

    Attributes:
        name: what it is called.
        requirements: the ids whose violation it can show.
        needs: capabilities without which it cannot run at all.
        draws: the Hypothesis class.
    """

    name: str
    requirements: tuple[str, ...]
    needs: tuple[Capability, ...]
    draws: type[PlanMachine]


class PlanMachine(RuleBasedStateMachine):
    """What all machines share: the plan so far, and who is busy in it."""

    execute: ClassVar[Execute]
    loose_logs: ClassVar[Callable[[RegionAttributes], bool]]
    offers: ClassVar[frozenset[Capability]]

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[PlanStep] = []
        self.parked: dict[int, tuple[str, str]] = {}
        self.busy: set[str] = set()
        self.writes: dict[str, int] = {}
        self.members: tuple[str, ...] = ("A", "B", "C")
        self.region = RegionAttributes(name=REGION)
        self._count = 0

    def operation(self, member: str, kind: OperationKind, key: str) -> Operation:
        """The next operation, on a thread of the member that is not busy."""
        self._count += 1
        thread = next(name for n in range(99) if (name := f"{member}{n}") not in self.busy)
        token = None if kind in READS else f"v{self._count}"
        if kind not in READS:
            self.writes[key] = self.writes.get(key, 0) + 1
        return Operation(
            op_id=self._count, thread=thread, member=member, region=REGION, kind=kind, key=key, token=token
        )

    def settle_now(self) -> None:
        """Plan to release, finish and look at everything."""
        for op_id, (member, _) in self.parked.items():
            self.steps.append(Release(op_id, member))
        self.parked.clear()
        self.busy.clear()
        self.writes.clear()
        self.steps.append(Settle())

    def crowded(self, key: str) -> bool:
        """Whether enough writes of the key are under way between two settle points."""
        return self.writes.get(key, 0) >= (LOOSE_MOST_PER_KEY if self.loose else WRITES_MOST_PER_KEY)

    @property
    def loose(self) -> bool:
        """Whether the logs of this plan will carry no order between threads."""
        return type(self).loose_logs(self.region)

    def plan(self) -> Plan:
        """The plan so far."""
        return Plan(Topology((Site(1, self.members),)), (self.region,), tuple(self.steps))

    def teardown(self) -> None:
        """The plan is complete: carry it out and judge it."""
        if self.steps:
            type(self).execute(self.plan())


class ReplicatedRegionMachine(PlanMachine):
    """Ordering and conflict convergence: concurrent writers of few keys on two to four members."""

    @rule(
        members=st.sampled_from((("A", "B"), ("A", "B", "C"), ("A", "B", "C"), ("A", "B", "C", "D"))),
        checks=st.sampled_from((None, None, None, True, False)),
        scope=st.sampled_from((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
    )
    @precondition(lambda self: not self.steps)
    def begin(self, members: tuple[str, ...], checks: bool | None, scope: Scope) -> None:
        """Choose the topology before anything is called."""
        if Capability.CHECKS_SETTING not in self.offers:
            checks = None
        self.members = members if not self.fixed_members else self.fixed_members
        self.region = RegionAttributes(name=REGION, checks=checks, scope=scope)

    fixed_members: ClassVar[tuple[str, ...]] = ()

    @rule(
        who=st.integers(0, 3),
        kind=st.sampled_from((OperationKind.PUT, *WRITES, OperationKind.GET, OperationKind.CONTAINS_KEY)),
        key=st.sampled_from(KEYS),
    )
    def call(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation, waited for."""
        key = self.one_key(key)
        if self.crowded(key) and kind not in READS:
            self.settle_now()
        operation = self.operation(self.members[who % len(self.members)], kind, key)
        self.steps.append(Do(operation))
        if self.parked:
            # A parked listener may keep it from returning, so its thread may still be busy.
            self.busy.add(operation.thread)

    @rule(
        whos=st.lists(st.integers(0, 3), min_size=2, max_size=4),
        kinds=st.lists(st.sampled_from((OperationKind.PUT, *WRITES)), min_size=4, max_size=4),
        key=st.sampled_from(KEYS),
    )
    def burst(self, whos: list[int], kinds: list[OperationKind], key: str) -> None:
        """Several operations of one key, each on a thread of its own, none waited for."""
        key = self.one_key(key)
        if self.crowded(key):
            self.settle_now()
        for who, kind in zip(whos[:LOOSE_MOST_PER_KEY] if self.loose else whos, kinds, strict=False):
            operation = self.operation(self.members[who % len(self.members)], kind, key)
            self.busy.add(operation.thread)
            self.steps.append(Start(operation))

    @rule(
        whos=st.lists(st.integers(0, 3), min_size=2, max_size=3, unique=True),
        kinds=st.lists(st.sampled_from(WRITES), min_size=3, max_size=3),
        key=st.sampled_from(KEYS),
        order=st.permutations((0, 1, 2)),
    )
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers)
    def collide(self, whos: list[int], kinds: list[OperationKind], key: str, order: list[int]) -> None:
        """Several members change a key at the same time, provably, and are let go in any order."""
        self.settle_now()
        base = self.operation(self.members[whos[0] % len(self.members)], OperationKind.PUT, key)
        self.steps += [Do(base), Settle()]
        chosen = dict.fromkeys(self.members[who % len(self.members)] for who in whos)
        parked: list[Operation] = []
        for member, kind in zip(chosen, kinds, strict=False):
            # Held at the member that calls, after it has applied the operation and before it sends it.
            operation = self.operation(
                member, kind if kind in _CHANGES_A_PRESENT_KEY else OperationKind.PUT, key
            )
            self.busy.add(operation.thread)
            self.steps.append(Park(operation, member))
            parked.append(operation)
        for index in order:
            if index < len(parked):
                self.steps.append(Release(parked[index].op_id, parked[index].member))

    def one_key(self, key: str) -> str:
        """The key drawn; always the same one where every order has to be tried."""
        return KEYS[0] if self.loose else key

    @rule(who=st.integers(0, 3), at=st.integers(0, 3), key=st.sampled_from(KEYS))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked)
    def hold(self, who: int, at: int, key: str) -> None:
        """One operation is held in a listener until the next settle point; others go on beside it."""
        key = self.one_key(key)
        if self.crowded(key):
            self.settle_now()
        member, holder = (self.members[index % len(self.members)] for index in (who, at))
        operation = self.operation(member, OperationKind.PUT, key)
        self.busy.add(operation.thread)
        self.parked[operation.op_id] = (holder, key)
        self.steps.append(Park(operation, holder))

    @rule()
    @precondition(lambda self: bool(self.steps))
    def settle(self) -> None:
        """Everything comes to rest and is looked at."""
        self.settle_now()


_CHANGES_A_PRESENT_KEY = (
    OperationKind.PUT,
    OperationKind.REPLACE,
    OperationKind.INVALIDATE,
    OperationKind.DESTROY,
)

MACHINES: dict[str, Machine] = {
    "replicated_regions": Machine(
        name="replicated_regions",
        requirements=(
            "CONS-RR-01",
            "CONS-RR-02",
            "CONS-RR-03",
            "CONS-RR-04",
            "CONS-RR-05",
            "VER-STAMP-01",
            "VER-STAMP-02",
            "VER-STAMP-03",
            "VER-CMP-01",
            "VER-CMP-02",
            "VER-TIE-01",
            "VER-TIE-02",
            "VER-TIE-03",
            "VER-ID-01",
            "VER-OPS-01",
            "DISC-LSN-01",
            "DISC-APPLIED-01",
            "STAT-CONFLATED-01",
            "STAT-CONFLATED-02",
            "CFG-CHECKS-01",
            "CFG-CHECKS-07",
        ),
        needs=(Capability.REPLICATED_REGIONS,),
        draws=ReplicatedRegionMachine,
    ),
}
"""Every machine by name."""


def drive(
    machine: Machine,
    execute: Execute,
    *,
    offers: frozenset[Capability],
    examples: int,
    steps: int,
    draw_seed: int,
    shrink: bool,
    members: tuple[str, ...] = (),
    loose_logs: Callable[[RegionAttributes], bool] = lambda _: False,
) -> None:
    """Have Hypothesis draw plans and hand each to `execute`, until one raises or there were enough.

    Args:
        machine: which machine.
        execute: carries a plan out; raises what a failing plan should fail with. Called once per plan.
        offers: the candidate's capabilities.
        examples: how many plans.
        steps: how many rules a plan has at most.
        draw_seed: the same seed draws the same plans.
        shrink: whether a failing plan is made smaller by trying smaller ones on the candidate.
        members: always these members, where starting others is slow; empty to draw them.
        loose_logs: whether the logs of such a region carry no order between threads.
    """
    remembered: dict[Plan, BaseException | None] = {}

    def once(plan: Plan) -> None:
        if plan not in remembered:
            remembered[plan] = None
            try:
                execute(plan)
            except Exception as error:  # noqa: BLE001 - raised again below, now and every time
                remembered[plan] = error
        outcome = remembered[plan]
        if outcome is not None:
            raise outcome.with_traceback(None)

    attributes: dict[str, Any] = {
        "execute": staticmethod(once),
        "offers": offers,
        "loose_logs": staticmethod(loose_logs),
    }
    if members:
        attributes["fixed_members"] = members
    bound = seed(draw_seed)(type(machine.draws.__name__, (machine.draws,), attributes))
    phases = [Phase.generate, *([Phase.shrink] if shrink else [])]
    with contextlib.redirect_stdout(io.StringIO()):
        run_state_machine_as_test(
            bound,
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                database=None,
                phases=phases,
                print_blob=False,
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
            ),
        )


__all__ = ["MACHINES", "Machine", "PlanMachine", "drive"]
