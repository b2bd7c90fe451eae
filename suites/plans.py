"""Plans: what to ask of a candidate, step by step, decided before any of it is done.

A plan is a value: it can be shown, shrunk, saved and run again on another candidate. Knows nothing of
what the outcome should be.
"""

from __future__ import annotations

import msgspec

from plumbline.adapters.errors import AdapterError
from plumbline.reference.capabilities import Capability
from plumbline.reference.history import Fault, FaultKind, Gate
from plumbline.reference.operations import Client, Operation, QueueAttributes, RegionAttributes, Topology
from plumbline.suites.driving import Driver


class Do(msgspec.Struct, frozen=True, tag="do"):
    """Call an operation and wait for its outcome."""

    operation: Operation


class Start(msgspec.Struct, frozen=True, tag="start"):
    """Call an operation and go on."""

    operation: Operation


class Park(msgspec.Struct, frozen=True, tag="park"):
    """Call an operation and go on once it stands in the listener of a member."""

    operation: Operation
    member: str


class Release(msgspec.Struct, frozen=True, tag="release"):
    """Let go an operation that was parked."""

    op_id: int
    member: str


class Finish(msgspec.Struct, frozen=True, tag="finish"):
    """Wait for the outcome of an operation that was started."""

    op_id: int


class Settle(msgspec.Struct, frozen=True, tag="settle"):
    """Wait until nothing more happens, and look at what every member holds."""


class Inject(msgspec.Struct, frozen=True, tag="inject"):
    """Do something to the system: crash a member, cut a link, mend it."""

    fault: Fault


class Look(msgspec.Struct, frozen=True, tag="look"):
    """Look at the copies of a queue, as they are at the moment, on every member that lives."""

    queue: str


PlanStep = Do | Start | Park | Release | Finish | Settle | Inject | Look


class Plan(msgspec.Struct, frozen=True):
    """Topology, regions, queues, clients and steps of one example."""

    topology: Topology
    regions: tuple[RegionAttributes, ...]
    steps: tuple[PlanStep, ...]
    queues: tuple[QueueAttributes, ...] = ()
    clients: tuple[Client, ...] = ()

    @property
    def members(self) -> tuple[str, ...]:
        """All members of all sites."""
        return self.topology.members


def operation_of(step: PlanStep) -> Operation | None:
    """The operation that a step calls, if it calls one."""
    return step.operation if isinstance(step, Do | Start | Park) else None


def run_plan(plan: Plan, driver: Driver) -> None:  # noqa: PLR0912 - a case for each kind of step
    """Carry out a plan; in the end everything is released, finished, settled and looked at.

    Raises AdapterError if the adapter fails or an operation never returns.
    """
    parked: dict[Gate, None] = {}
    for step in plan.steps:
        match step:
            case Do() | Start() | Park():
                _call(step, driver, parked)
            case Release(op_id, member):
                gate = Gate(member, op_id)
                if gate in parked:
                    del parked[gate]
                    driver.release(gate)
            case Finish(op_id):
                if any(operation.op_id == op_id for operation in driver.under_way) and not parked:
                    _finished(driver, op_id)
            case Settle():
                driver.settle()
                _look(plan, driver)
            case Inject(fault):
                driver.inject(fault)
                if fault.kind is FaultKind.CRASH:
                    # What stood at a listener there is gone with it.
                    for gate in [gate for gate in parked if gate.member == fault.member]:
                        del parked[gate]
            case Look(queue):
                _look_at_queue(plan, driver, queue)
    for gate in parked:
        driver.release(gate)
    for operation in driver.under_way:
        _finished(driver, operation.op_id)
    driver.settle()
    _look(plan, driver)


def _call(step: Do | Start | Park, driver: Driver, parked: dict[Gate, None]) -> None:
    """Call an operation as the step says; waiting for it only while nothing may hold it back."""
    operation = step.operation
    if isinstance(step, Park):
        gate = Gate(step.member, operation.op_id)
        driver.arm(gate)
        parked[gate] = None
        driver.call(operation)
        driver.await_parked(gate, PARK_LIMIT_MS)
        return
    driver.call(operation)
    if isinstance(step, Do) and (not parked or not _may_be_held(operation, parked, driver)):
        _finished(driver, operation.op_id)


PARK_LIMIT_MS = 2_000
"""An operation that takes effect at all reaches its gate within this time; many never do, rightly."""


def _may_be_held(operation: Operation, parked: dict[Gate, None], driver: Driver) -> bool:
    """Whether a parked listener may keep the operation from returning."""
    del operation
    return bool(parked) and bool(driver.under_way)


def _finished(driver: Driver, op_id: int) -> None:
    if driver.finish(op_id) is None:
        raise AdapterError(f"operation {op_id} has not returned in time, though nothing holds it back")


def _look(plan: Plan, driver: Driver) -> None:
    for client in plan.clients:
        for region in plan.regions:
            driver.contents(client.name, region.name)
    for member in plan.members:
        if member in driver.crashed:
            continue
        for region in plan.regions:
            driver.contents(member, region.name)
        if Capability.STATISTICS in driver.introduction.capabilities:
            driver.statistic(member, "conflatedEvents")


def _look_at_queue(plan: Plan, driver: Driver, queue: str) -> None:
    site = next(queued.site for queued in plan.queues if queued.id == queue)
    for member in plan.members:
        if member not in driver.crashed and plan.topology.site_of(member).number == site:
            driver.look_at_queue(member, queue)
