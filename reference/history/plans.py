"""Plans: what to ask of a candidate, step by step, decided before any of it is done.

A plan is a value: it can be shown, shrunk, saved and run again on another candidate. Knows nothing of
what the outcome should be, nor of how a plan is carried out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from plumbline.reference.history.bulk import singly
from plumbline.reference.history.history import Fault, fault_words, host_words, interest_words, script_words
from plumbline.reference.history.operations import (
    OF_TRANSACTIONS,
    Client,
    HostPolicy,
    Interest,
    Operation,
    QueueAttributes,
    RegionAttributes,
    TombstoneSettings,
    Topology,
    with_whole_transactions,
)


class Do(msgspec.Struct, frozen=True, tag="do"):
    """Call an operation and wait for its outcome."""

    operation: Operation


class Start(msgspec.Struct, frozen=True, tag="start"):
    """Call an operation and go on."""

    operation: Operation


class Park(msgspec.Struct, frozen=True, tag="park"):
    """Call an operation and go on once it stands in the listener, or the cache writer, of a member."""

    operation: Operation
    member: str
    callback: str = "listener"


class Release(msgspec.Struct, frozen=True, tag="release"):
    """Let go an operation that was parked."""

    op_id: int
    member: str
    callback: str = "listener"


class Finish(msgspec.Struct, frozen=True, tag="finish"):
    """Wait for the outcome of an operation that was started."""

    op_id: int


class Settle(msgspec.Struct, frozen=True, tag="settle"):
    """Wait until nothing more happens, and look at what every member holds."""


class Inject(msgspec.Struct, frozen=True, tag="inject"):
    """Do something to the system: crash a member, cut a link, mend it."""

    fault: Fault


class Look(msgspec.Struct, frozen=True, tag="look"):
    """Look at the copies of a queue, as they are at the moment, on every member that lives.

    If a depth is named: wait until the copy of that member is as deep, or has had all the time for it.
    """

    queue: str
    member: str = ""
    depth: int | None = None


class Await(msgspec.Struct, frozen=True, tag="await"):
    """Wait until the listener of a member receives an operation, or its time is over."""

    op_id: int
    member: str


class Read(msgspec.Struct, frozen=True, tag="read"):
    """Read what a member holds of a region, as it is at the moment."""

    member: str
    region: str


class Count(msgspec.Struct, frozen=True, tag="count"):
    """Read a statistic of a member, as it is at the moment."""

    member: str
    name: str


class Redeliver(msgspec.Struct, frozen=True, tag="redeliver"):
    """Deliver the message of an operation to a member once more."""

    op_id: int
    member: str


class Leave(msgspec.Struct, frozen=True, tag="leave"):
    """Have a member give up its copy of a region, once everything has settled."""

    member: str
    region: str


class Join(msgspec.Struct, frozen=True, tag="join"):
    """Have a member take a copy of a region again, once everything has settled."""

    member: str
    region: str


class Host(msgspec.Struct, frozen=True, tag="host"):
    """Have a member take a copy again that checks or not, on disk or not, once everything has settled."""

    member: str
    region: str
    checks: bool
    persistent: bool = False


class Inquire(msgspec.Struct, frozen=True, tag="inquire"):
    """Read whether a member checks consistency of a region."""

    member: str
    region: str


class Register(msgspec.Struct, frozen=True, tag="register"):
    """Have a client register for keys of a region, or withdraw that, once everything has settled."""

    interest: Interest


class Script(msgspec.Struct, frozen=True, tag="script"):
    """Have a member's or client's cache writer refuse changes of these keys, once everything has settled."""

    member: str
    region: str
    refuses: tuple[str, ...]


PlanStep = (
    Do
    | Start
    | Park
    | Release
    | Finish
    | Settle
    | Inject
    | Look
    | Await
    | Read
    | Count
    | Redeliver
    | Leave
    | Join
    | Host
    | Inquire
    | Register
    | Script
)


class Plan(msgspec.Struct, frozen=True):
    """Topology, regions, queues, clients and steps of one example; how tombstones are kept, if that matters.

    Where a resolver is named, by its policy, it is installed on every member from the beginning. The clients
    register for all keys of all regions when they start, unless `registers` says otherwise.
    """

    topology: Topology
    regions: tuple[RegionAttributes, ...]
    steps: tuple[PlanStep, ...]
    queues: tuple[QueueAttributes, ...] = ()
    clients: tuple[Client, ...] = ()
    registers: bool = True
    tombstones: TombstoneSettings | None = None
    resolver: str = ""

    @property
    def members(self) -> tuple[str, ...]:
        """All members of all sites."""
        return self.topology.members


def operation_of(step: PlanStep) -> Operation | None:
    """The operation that a step calls, if it calls one."""
    return step.operation if isinstance(step, Do | Start | Park) else None


def operations_of(plan: Plan) -> tuple[Operation, ...]:
    """The operations that a plan calls, in the order in which it calls them; of many keys that of each."""
    called = (operation for step in plan.steps if (operation := operation_of(step)) is not None)
    return tuple(single for operation in called for single in singly(operation))


def restricted(plan: Plan, kept: Collection[int]) -> Plan:
    """The plan with these operations only; what concerns the others goes with them."""
    whole = with_whole_transactions(operations_of(plan), kept)
    steps = [_with_entries(step, whole) for step in plan.steps]
    whole |= {op.op_id for step in steps if (op := operation_of(step)) is not None and op.entries}
    return with_steps(plan, [step for step in steps if _concerns(step, whole)])


def _with_entries(step: PlanStep, kept: Collection[int]) -> PlanStep:
    """The step with these entries only, where it calls an operation on many keys."""
    if not isinstance(step, Do | Start) or not step.operation.entries:
        return step
    entries = tuple(entry for entry in step.operation.entries if entry.op_id in kept)
    return msgspec.structs.replace(step, operation=msgspec.structs.replace(step.operation, entries=entries))


def _concerns(step: PlanStep, kept: Collection[int]) -> bool:
    match step:
        case Do(operation) | Start(operation) | Park(operation):
            return operation.op_id in kept
        case Release(op_id) | Finish(op_id) | Await(op_id) | Redeliver(op_id):
            return op_id in kept
        case _:
            return True


def with_steps(plan: Plan, steps: Collection[PlanStep]) -> Plan:
    """The plan with other steps, without those of them that say nothing.

    Settling twice is settling once; in the beginning everything is at rest, and in the end everything is
    settled and looked at in any case.
    """
    kept: list[PlanStep] = []
    for step in steps:
        if not isinstance(step, Settle) or (kept and not isinstance(kept[-1], Settle)):
            kept.append(step)
    while kept and isinstance(kept[-1], Settle):
        kept.pop()
    return msgspec.structs.replace(plan, steps=tuple(kept))


def doubly_busy(plan: Plan) -> bool:
    """Whether a thread is to call an operation while an earlier one of it may be under way.

    Threads call one operation after the other; what a plan shows that asks for more is unknown.
    """
    busy: dict[str, int] = {}
    parked: set[tuple[int, str]] = set()
    for step in plan.steps:
        operation = operation_of(step)
        if operation is not None and operation.thread in busy:
            return True
        match step:
            case Park(called, member):
                busy[called.thread] = called.op_id
                parked.add((called.op_id, member))
            case Start(called):
                busy[called.thread] = called.op_id
            case Do(called) if parked:
                busy[called.thread] = called.op_id
            case Release(op_id, member):
                parked.discard((op_id, member))
            case Finish(op_id) if not parked:
                busy = {thread: other for thread, other in busy.items() if other != op_id}
            case Settle() | Leave() | Join() | Host() | Register() | Script() if not parked:
                busy.clear()
    return False


def renamed(plan: Plan, names: Mapping[str, str]) -> Plan:
    """The plan with other members in the parts that members play; the topology stays, and who is a client."""

    def name(member: str) -> str:
        return names.get(member, member)

    def changed(step: PlanStep) -> PlanStep:
        match step:
            case Do(operation) | Start(operation) | Park(operation):
                moved = msgspec.structs.replace(operation, member=name(operation.member))
                step = msgspec.structs.replace(step, operation=moved)
            case Inject(fault) if fault.member:
                return Inject(msgspec.structs.replace(fault, member=name(fault.member)))
        named = Park | Release | Await | Read | Count | Redeliver | Leave | Join | Host | Inquire | Script
        if isinstance(step, named):
            return msgspec.structs.replace(step, member=name(step.member))
        return step

    clients = tuple(
        msgspec.structs.replace(client, servers=tuple(map(name, client.servers))) for client in plan.clients
    )
    regions = tuple(
        msgspec.structs.replace(
            region, policies=tuple(HostPolicy(name(host.member), host.policy) for host in region.policies)
        )
        for region in plan.regions
    )
    steps = tuple(changed(step) for step in plan.steps)
    return msgspec.structs.replace(plan, steps=steps, clients=clients, regions=regions)


def by_rank(
    topology: Topology, before: tuple[str, ...] | None, now: tuple[str, ...] | None
) -> dict[str, str]:
    """For members of the ids ordered as `before`, the members of the same rank in their site as `now`.

    Empty where one of the orders is not known.
    """
    if before is None or now is None:
        return {}
    names: dict[str, str] = {}
    for site in topology.sites:
        old, new = ([member for member in order if member in site.members] for order in (before, now))
        names.update(zip(old, new, strict=False))
    return names


def plan_words(plan: Plan) -> tuple[str, ...]:
    """A plan, one line a step, for people; `setups` has the words of what is configured before.

    Operations name their region where there are several.
    """
    several = len(plan.regions) > 1
    return tuple(_step_words(step, several=several) for step in plan.steps)


def _call_words(operation: Operation, *, several: bool) -> str:
    keys = ", ".join(f"{entry.key} {entry.token}" for entry in operation.entries) or operation.key
    words = f"{operation.member} ({operation.thread}): {operation.kind} {keys}".rstrip()
    if several and operation.kind not in OF_TRANSACTIONS:
        words += f" of {operation.region}"
    if operation.entries:
        return f"{words} (operation {operation.op_id})"
    if operation.expected is not None:
        return f"{words} {operation.token} where it holds {operation.expected}"
    # A later step names an operation without a token by its number.
    return f"{words} {operation.token}" if operation.token else f"{words} (operation {operation.op_id})"


def _step_words(step: PlanStep, *, several: bool) -> str:  # noqa: PLR0912 - one for each kind of step
    match step:
        case Do(operation) | Start(operation) | Park(operation):
            call = _call_words(operation, several=several)
            if isinstance(step, Park):
                return f"{call}, parked in the {step.callback} of {step.member}"
            return f"{call}, and wait for it" if isinstance(step, Do) else call
        case Release(op_id, member):
            return f"release operation {op_id} at {member}"
        case Finish(op_id):
            return f"wait for operation {op_id}"
        case Settle():
            return "wait until everything is quiet, then read it"
        case Inject(fault):
            return fault_words(fault)
        case Look(queue, member, depth) if depth is not None:
            return f"wait until the copy of queue {queue} on {member} holds {depth} events"
        case Look(queue):
            return f"look at the copies of queue {queue}"
        case Await(op_id, member):
            return f"wait until the listener of {member} receives operation {op_id}"
        case Read(member, region):
            return f"read what {member} holds of {region}"
        case Count(member, name):
            return f"read {name} of {member}"
        case Redeliver(op_id, member):
            return f"deliver operation {op_id} to {member} once more"
        case Leave(member, region):
            return f"{member} gives up its copy of {region}"
        case Join(member, region):
            return f"{member} takes a copy of {region} again"
        case Host(member, region, checks, persistent):
            return host_words(member, region, checks=checks, persistent=persistent)
        case Inquire(member, region):
            return f"ask {member} whether it checks {region}"
        case Register(interest):
            return interest_words(interest)
        case Script(member, region, refuses):
            return script_words(member, region, refuses)
