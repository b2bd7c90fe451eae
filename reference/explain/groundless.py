"""Calls that end without an answer on a healthy system, and commits that fail though they met no other.

That a call may have happened or not is right to say of one that something kept from its end; that a commit
failed, of one that may have met others. Knows what may keep a call from its end, by the history alone; knows
nothing of runs of the model.
"""

from __future__ import annotations

from plumbline.reference.history.history import History
from plumbline.reference.history.join_moments import JoinBegun
from plumbline.reference.history.moments import (
    Armed,
    Called,
    FaultBegun,
    Gate,
    Hosted,
    Joined,
    Left,
    Moment,
    Redelivered,
    Released,
    Returned,
    Scripted,
    Settled,
)
from plumbline.reference.history.operations import (
    DESTROYS_REGION,
    EXPIRES,
    LOCAL_ACTIONS,
    Operation,
    OperationKind,
    Outcome,
    RegionPolicy,
    Scope,
    Status,
)

_MAY_FAIL = EXPIRES | LOCAL_ACTIONS | {OperationKind.TX_COMMIT}
"""Commits meet others; what a region does itself comes at a time of its own, and how late is unknown."""


def groundless(history: History) -> tuple[Operation, Returned] | None:
    """The first call whose caller was left without an answer, or else commit that failed, for no reason."""
    return _unanswered(history) or _failed(history)


def _failed(history: History) -> tuple[Operation, Returned] | None:
    """The first commit that failed though it met no other call, before anything breaks or refuses."""
    commits = _Commits(history)
    for what in history.timeline:
        breaks = isinstance(what, FaultBegun) or (isinstance(what, Scripted) and what.refuses)
        if breaks or (isinstance(what, Called) and what.operation.kind in DESTROYS_REGION):
            return None
        failed = commits.sees(what)
        if failed is not None and isinstance(what, Returned):
            return failed, what
    return None


def _unanswered(history: History) -> tuple[Operation, Returned] | None:
    """The first call whose caller was left without an answer, for no reason.

    Reasons are: a fault, at any time before; a gate armed since everything had settled; a writer that
    refuses; a region that was destroyed; a member that keeps less than a replicate and may find none.
    """
    lesser = {region.name for region in history.regions if _is_lesser(region.policies, region.policy)}
    calls: dict[int, Operation] = {}
    excused: set[int] = set()
    shut: set[Gate] = set()
    lately = False
    for what in history.timeline:
        match what:
            case FaultBegun():
                return None
            case Scripted(refuses=refuses) if refuses:
                return None
            case Called(operation) if operation.kind in DESTROYS_REGION:
                return None
            case Called(operation):
                calls[operation.op_id] = operation
                if lately or operation.kind in _MAY_FAIL or operation.region in lesser:
                    excused.add(operation.op_id)
            case Armed(gate):
                shut.add(gate)
                lately = True
                excused.update(calls)
            case Released(gate):
                shut.discard(gate)
            case Settled(held) if not held and not shut:
                lately = False
            case Returned(op_id, outcome):
                operation = calls.pop(op_id)
                if outcome.status is Status.INDEFINITE and op_id not in excused:
                    return operation, what
            case _:
                pass
    return None


class _Commits:
    """The transactions that may conflict: with other calls, delayed events, or events under way beside them.

    An operation that a member refuses in a transaction may also prevent its commit.
    """

    def __init__(self, history: History) -> None:
        self._loose = {region.name for region in history.regions if region.scope is not Scope.ACK}
        self._operations: dict[int, Operation] = {}
        self._under_way: set[int] = set()
        self._open: set[str] = set()
        self._met: set[str] = set()
        self._restless = False

    def sees(self, what: Moment) -> Operation | None:
        """Take in the next moment; a commit that has failed at it though it met no other."""
        match what:
            case Called(operation):
                self._called(operation)
            case Returned(op_id, outcome):
                return self._returned(op_id, outcome)
            case Settled(held) if not held:
                self._restless = False
            case Armed() | Redelivered() | Hosted() | Joined() | JoinBegun() | Left():
                self._restless = True
                self._met |= self._open
            case _:
                pass
        return None

    def _called(self, operation: Operation) -> None:
        thread = operation.thread
        self._met |= self._open - {thread}
        if operation.kind is OperationKind.TX_BEGIN:
            self._open.add(thread)
            self._met.discard(thread)
        if thread in self._open and (self._restless or self._under_way):
            self._met.add(thread)
        self._operations[operation.op_id] = operation
        self._under_way.add(operation.op_id)
        self._restless |= operation.region in self._loose

    def _returned(self, op_id: int, outcome: Outcome) -> Operation | None:
        operation = self._operations[op_id]
        thread = operation.thread
        self._under_way.discard(op_id)
        failed = outcome.status in (Status.FAILED, Status.REFUSED)
        if operation.kind is not OperationKind.TX_COMMIT:
            if outcome.status not in (Status.OK, Status.EXISTS, Status.ABSENT):
                self._met.add(thread)
            return None
        alone = thread in self._open and thread not in self._met
        self._open.discard(thread)
        return operation if failed and alone else None


def _is_lesser(policies: object, policy: RegionPolicy) -> bool:
    return bool(policies) or policy not in (RegionPolicy.REPLICATE, RegionPolicy.PARTITION)
