"""Carries plans out on a candidate, through its driver.

Knows what each kind of step asks of the driver; knows nothing of what the outcome should be.
"""

from __future__ import annotations

from plumbline.adapters.errors import AdapterError
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.explain.active_faults import still_down
from plumbline.reference.history.actions import (
    Await,
    Count,
    Do,
    Finish,
    Host,
    Inject,
    Inquire,
    Join,
    Leave,
    Look,
    Park,
    PlanStep,
    Read,
    Redeliver,
    Release,
    Script,
    ScriptQueue,
    Settle,
    Start,
)
from plumbline.reference.history.bulk import singly
from plumbline.reference.history.fault_kinds import CLIENT_GOES, CLIENT_LIVES, STARTS_AGAIN, Fault, FaultKind
from plumbline.reference.history.join_actions import BeginJoin, EndJoin, ReleaseCopy
from plumbline.reference.history.listener_calls import QUEUE
from plumbline.reference.history.log_lines import is_of_alerts
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    EXPIRES,
    LOCAL,
    READS,
    WHOLE_REGION,
    Operation,
    OperationKind,
    Outcome,
    RegionPolicy,
    Status,
    travels_on,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.history.registration_actions import (
    BeginRegistration,
    EndRegistration,
    Register,
    ReleaseAnswer,
)
from plumbline.reference.history.views import view_of
from plumbline.reference.model.faults import mends
from plumbline.suites.harness.destroyed_regions import DestroyedRegions
from plumbline.suites.harness.driver import Driver
from plumbline.suites.harness.restless import EndlessError

PARK_LIMIT_MS = 2_000
"""An operation that takes effect at all reaches its gate within this time; many never do, rightly."""


def run_plan(plan: Plan, driver: Driver) -> None:
    """Carry out a plan; in the end everything is released, finished, settled and looked at.

    Raises AdapterError if the adapter fails, and EndlessError if an operation never returns or the candidate
    never comes to rest: then its history may show why.
    """
    playing = _Playing(plan, driver)
    for step in plan.steps:
        playing.take(step)
    playing.wind_up()


WRITER = "writer"


def takes_lock(plan: Plan, operation: Operation) -> bool:
    """Whether an operation is a clear that may be called while others are under way."""
    if operation.kind is not OperationKind.CLEAR or plan.clients or plan.queues:
        return False
    return all(
        region.checks is not False and not region.policies and region.policy is RegionPolicy.REPLICATE
        for region in plan.regions
    )


class _Playing:
    """One plan being carried out: what is parked, what was called, who has given up a copy."""

    def __init__(self, plan: Plan, driver: Driver) -> None:
        self._plan = plan
        self._driver = driver
        self._parked: dict[Gate, None] = {}
        self._called: dict[int, Operation] = {}
        self._done: set[int] = set()
        self._away: set[tuple[str, str]] = set()
        self._destroyed = DestroyedRegions()
        self._down: set[Fault] = set()
        self._lost: dict[tuple[str, str], None] = {}
        self._restarted: set[str] = set()
        self._settled_dead: frozenset[str] = frozenset()
        self._starting: set[str] = set()
        self._ready: set[str] = set()
        self._travels_on = travels_on([site.number for site in plan.topology.sites], plan.queues)
        self._wrote: dict[str, int] = {}
        self._begun: set[int] = set()

    def take(self, step: PlanStep) -> None:  # noqa: PLR0912, PLR0915 - a case for each kind of step
        driver = self._driver
        if self._destroyed.meet(step):
            return
        match step:
            case Do() | Start() | Park():
                self._call(step)
            case Release(op_id, member, callback):
                gate = Gate(member, op_id, callback)
                if gate in self._parked:
                    del self._parked[gate]
                    driver.release(gate)
            case Finish(op_id):
                self._finish(op_id)
            case Settle():
                self._settle()
            case Inject(fault):
                self._inject(fault)
            case Look(queue, member, depth) if depth is not None:
                if member not in driver.crashed:
                    driver.await_depth(member, queue, depth)
            case Look(queue):
                self._look_at_queue(queue)
            case Await(op_id, member):
                if op_id in self._called:
                    driver.await_shown(member, self._called[op_id])
            case Read(member, region):
                self._read(member, region)
            case Count(member, name) if view_of(name) is not None or is_of_alerts(name):
                self._view(member, name)
            case Count(member, name):
                if member not in driver.crashed:
                    driver.statistic(member, name)
            case Redeliver(op_id, member):
                if self._was_sent(op_id, member):
                    driver.redeliver(op_id, member)
            case Register(interest):
                if not (self._stands() or self._busy() or interest.client in driver.crashed):
                    driver.register(interest)
            case BeginJoin() | ReleaseCopy() | EndJoin():
                self._join_meanwhile(step)
            case BeginRegistration() | ReleaseAnswer() | EndRegistration():
                self._register_meanwhile(step)
            case Script(member, region, refuses):
                if not self._parked and not self._busy():
                    driver.script(member, region, refuses)
            case ScriptQueue(member, queue, answers):
                if not self._holds_back() and not self._busy() and member not in driver.crashed:
                    driver.script_queue(member, queue, answers)
            case Host(member, region, checks, persistent):
                if not self._parked and not self._busy() and (member, region) in self._away:
                    accepted = driver.host(member, region, checks=checks, persistent=persistent)
                    self._away -= set() if accepted is None else {(member, region)}
            case Inquire(member, region):
                if member not in driver.crashed and (member, region) not in self._away:
                    driver.attributes(member, region)
            case Leave(member, region) | Join(member, region):
                self._move(step, member, region)

    def _busy(self) -> bool:
        """Whether calls, registrations or copies are under way."""
        driver = self._driver
        return bool(driver.under_way or driver.registrations.under_way or driver.joins.under_way)

    def _join_meanwhile(self, step: BeginJoin | ReleaseCopy | EndJoin) -> None:
        """Begin a copy, let it go, or wait for its end; of what is not under way, nothing."""
        joins, where = self._driver.joins, (step.member, step.region)
        match step:
            case BeginJoin(held=held, again=True):
                if self._may_start_again(step.member):
                    self._restarted.add(step.member)
                    self._starting.add(step.member)
                    self._driver.begin_restart(*where, held=held and not self._holds_back())
            case BeginJoin(held=held):
                if where in self._away and where not in joins.under_way and step.member in self._living:
                    # What is parked may hold up the copy itself: then none comes to be held.
                    joins.begin(where, held=held and not self._holds_back())
            case ReleaseCopy():
                if where in joins.held:
                    joins.release(where)
            case EndJoin():
                if where in joins.under_way and where not in joins.held:
                    self._joined(where)

    def _joined(self, where: tuple[str, str]) -> None:
        """Wait until a member has its copy, which only what is parked may hold up."""
        if self._driver.joins.finish(where):
            self._away.discard(where)
        elif not self._parked:
            raise EndlessError(f"{where[0]} has no copy of {where[1]}, though nothing holds it back")

    def _may_start_again(self, member: str) -> bool:
        """Whether a member is dead, all has settled since, and another one of its site lives to copy from."""
        living = self._living
        site = self._plan.topology.site_of(member)
        starting = {one for one, _ in self._driver.joins.under_way}
        return (
            member in self._settled_dead
            and member in self._driver.crashed
            and member not in starting
            and all(operation.member != member for operation in self._driver.under_way)
            and any(other in living for other in site.members)
        )

    def _settle(self) -> None:
        """Wait until all has come to rest, and look; then what has died is out of the way."""
        if self._driver.settle():
            self._settled_dead = self._driver.crashed
            self._starting = {one for one, _ in self._driver.joins.under_way}
        self._look()

    @property
    def _living(self) -> set[str]:
        return set(self._plan.members) - self._driver.crashed

    def _register_meanwhile(self, step: BeginRegistration | ReleaseAnswer | EndRegistration) -> None:
        """Begin a registration, let go its answer, or wait for its end; of what is not under way, nothing."""
        registrations = self._driver.registrations
        match step:
            case BeginRegistration(number=number, interest=interest, held=held):
                if number not in self._begun and interest.client not in self._driver.crashed:
                    self._begun.add(number)
                    self._driver.begin_registration(number, interest, held=held)
            case ReleaseAnswer(number):
                if number in registrations.held:
                    registrations.release(number)
            case EndRegistration(number):
                if number in registrations.under_way and number not in registrations.held:
                    self._ended(number)

    def _ended(self, number: int) -> None:
        """Wait for the end of a registration, which only what is parked may hold up."""
        if self._driver.registrations.finish(number) is None and not self._parked:
            raise EndlessError(f"registration {number} has not returned, though nothing holds it back")

    def wind_up(self) -> None:
        for gate in self._parked:
            self._driver.release(gate)
        self._parked = {}
        for number in sorted(self._driver.registrations.held):
            self._driver.registrations.release(number)
        for where in list(self._driver.joins.held):
            self._driver.joins.release(where)
        for client, member in list(self._lost):
            self._inject(Fault(kind=FaultKind.ANSWERS_BACK, client=client, member=member))
        for operation in self._driver.under_way:
            self._finished(operation.op_id)
        for number in list(self._driver.registrations.under_way):
            self._ended(number)
        for where in list(self._driver.joins.under_way):
            self._joined(where)
        self._driver.settle()
        self._look()

    def _call(self, step: Do | Start | Park) -> None:
        """Call an operation as the step says; waiting for it only while nothing may hold it back."""
        driver, operation = self._driver, step.operation
        if operation.member in driver.crashed and operation.member not in self._plan.members:
            return  # a client that is away
        if (operation.member, operation.region) in self._driver.joins.under_way:
            return  # no document says what is called of a copy that is on its way
        if operation.kind in WHOLE_REGION | EXPIRES and not takes_lock(self._plan, operation):
            # No document says how these meet other operations under way.
            if self._parked or self._busy() or not driver.settle():
                return
            if operation.kind is OperationKind.DESTROY_REGION and self._down:
                return  # nor what becomes of an event that comes behind it
            self._destroyed.note(operation)
            in_writer = isinstance(step, Park) and step.callback == WRITER
            if operation.kind is not OperationKind.CLEAR or not in_writer:
                step = Do(operation)
        for single in singly(operation):
            self._let_clocks_pass(single)
            self._called[single.op_id] = single
        if isinstance(step, Park):
            gate = Gate(step.member, operation.op_id, step.callback)
            driver.arm(gate)
            self._parked[gate] = None
            driver.call(operation)
            driver.await_parked(gate, PARK_LIMIT_MS)
            return
        driver.call(operation)
        if isinstance(step, Do) and not self._lost and not self._holds_back():
            # Otherwise a parked listener or a missing answer may keep it from returning.
            self._finished(operation.op_id)

    def _holds_back(self) -> bool:
        """Whether what is parked may keep a call from returning; the listener of a queue does not."""
        return any(gate.callback != QUEUE for gate in self._parked)

    def _let_clocks_pass(self, operation: Operation) -> None:
        """Where events travel on, give calls of a key at two sites that follow each other different times.

        Of equal times sites may rightly end apart (docs/findings.md), which shows less of what is wrong.
        """
        if not self._travels_on or self._driver.introduction.clock_error_ms is None:
            return
        site = self._plan.topology.site_of(operation.member).number
        if self._wrote.get(operation.key, site) != site and not self._driver.under_way:
            self._driver.let_clocks_pass()
        self._wrote[operation.key] = site

    def _finish(self, op_id: int) -> None:
        if all(operation.op_id != op_id for operation in self._driver.under_way):
            return
        if self._parked or self._lost or self._driver.crashed:
            # It may be held back rightly, or by a dead member. That it does not return is judged as well.
            self._outcome(op_id)
        else:
            self._finished(op_id)

    def _finished(self, op_id: int) -> None:
        if self._outcome(op_id) is not None:
            return
        what = f"operation {op_id} has not returned in time, though nothing holds it back"
        if self._driver.returns_late(op_id):
            raise AdapterError(f"{what}; it returned when as much time again was given")
        raise EndlessError(what)

    def _outcome(self, op_id: int) -> Outcome | None:
        outcome = self._driver.finish(op_id)
        if outcome is not None and outcome.status is Status.OK:
            self._done.add(op_id)
        return outcome

    def _was_sent(self, op_id: int, member: str) -> bool:
        """Whether a message of the operation went to the member.

        An operation that changed nothing sends none.
        """
        operation = self._called.get(op_id)
        return (
            operation is not None
            and op_id in self._done
            and operation.kind not in READS | LOCAL | WHOLE_REGION
            and operation.member != member
        )

    def _inject(self, fault: Fault) -> None:
        if not self._may_inject(fault):
            return
        if fault.kind is FaultKind.ANSWERS_LOST:
            self._lost[fault.client, fault.member] = None
        if fault.kind in STARTS_AGAIN:
            self._restarted.add(fault.member)
        if fault.kind is FaultKind.CLIENT_READY:
            self._ready.add(fault.client)
        elif fault.kind in CLIENT_LIVES:
            self._ready.discard(fault.client)
        if fault.kind is FaultKind.ANSWERS_BACK:
            self._lost.pop((fault.client, fault.member), None)
        self._down = still_down(self._down, fault)
        self._driver.inject(fault)
        if fault.kind is FaultKind.CRASH or fault.kind in CLIENT_GOES:
            # What is parked at a listener there is gone with it.
            for gate in [gate for gate in self._parked if gate.member in {fault.member, fault.client}]:
                del self._parked[gate]
                if fault.client:
                    self._driver.release(gate)  # the event may come to the next life

    def _may_inject(self, fault: Fault) -> bool:
        """Whether documents say what a fault does now."""
        if self._starting and not mends(fault) and (self._plan.queues or fault.member in self._starting):
            return False  # not what a member that has just started again has by then
        if fault.kind is FaultKind.ANSWERS_LOST:
            return not (self._parked or self._busy())
        if fault.kind in STARTS_AGAIN:
            return not (self._parked or self._busy()) and fault.member in self._driver.crashed
        if fault.kind is FaultKind.MOVE_PRIMARY:
            return fault.member not in self._driver.crashed and not self._holds_back()
        return fault.kind not in CLIENT_LIVES or self._may_live(fault)

    def _may_live(self, fault: Fault) -> bool:
        """Whether a durable client may go or come now: it runs or is away, and has a server to come to."""
        away = fault.client in self._driver.crashed
        if fault.kind is FaultKind.CLIENT_READY:
            return not away
        if away is not (fault.kind is FaultKind.CLIENT_START) or not self._lets_live(fault):
            return False
        registering = {interest.client for interest in self._driver.registrations.under_way.values()}
        if registering - {fault.client} or (registering and fault.kind is not FaultKind.CLIENT_CRASH):
            return False
        (client,) = (one for one in self._plan.clients if one.name == fault.client)
        if registering and client.redundancy:
            return False  # no document says at which of its servers it has registered first
        return not away or not self._driver.crashed.issuperset(client.servers)

    def _lets_live(self, fault: Fault) -> bool:
        """Whether what is under way leaves a durable client to go or come."""
        if not fault.meanwhile:
            return not self._stands() and not self._driver.under_way
        if any(operation.member == fault.client for operation in self._driver.under_way):
            return False  # no document says what becomes of a call of a client that goes
        at = {gate.member for gate in self._parked}
        if not at.isdisjoint(self._plan.members):
            return False  # what stands at a server may hold up a client that goes or comes
        # Only a kill ends a process whose listener has not returned.
        return fault.kind is FaultKind.CLIENT_CRASH or fault.client not in at

    def _stands(self) -> bool:
        """Whether anything may stand at a gate: nothing does of a durable client that is not ready yet."""
        unready = {
            client.name for client in self._plan.clients if client.durable_id is not None
        } - self._ready
        return any(gate.member not in unready for gate in self._parked)

    def _view(self, member: str, name: str) -> None:
        """Read the size of a view, or a log, which is asked for only when everything has come to rest."""
        if self._parked or self._busy() or member in self._driver.crashed:
            return
        if not any(held == member for held, _ in self._away) and self._driver.settle():
            self._driver.statistic(member, name)

    def _move(self, step: Leave | Join, member: str, region: str) -> None:
        """Give up a copy or take it again, which is asked for only when everything has come to rest."""
        leaving = isinstance(step, Leave)
        if self._parked or self._busy() or leaving is ((member, region) in self._away):
            return
        if leaving:
            self._driver.leave(member, region)
            self._away.add((member, region))
        else:
            self._driver.join(member, region)
            self._away.remove((member, region))

    def _look(self) -> None:
        for client in self._plan.clients:
            for region in self._plan.regions:
                self._read(client.name, region.name)
        for member in self._plan.members:
            if member in self._driver.crashed:
                continue
            for region in self._plan.regions:
                self._read(member, region.name)
            # A restarted member has begun to count anew.
            counts = member not in self._restarted
            if counts and Capability.STATISTICS in self._driver.introduction.capabilities:
                self._driver.statistic(member, "conflatedEvents")
                if self._plan.tombstones is not None:
                    self._driver.statistic(member, "tombstoneCount")

    def _read(self, member: str, region: str) -> None:
        if member not in self._driver.crashed and (member, region) not in self._away:
            self._driver.contents(member, region)

    def _look_at_queue(self, queue: str) -> None:
        site = next(queued.site for queued in self._plan.queues if queued.id == queue)
        for member in self._plan.members:
            of_site = self._plan.topology.site_of(member).number == site
            if of_site and member not in self._driver.crashed:
                self._driver.look_at_queue(member, queue)
