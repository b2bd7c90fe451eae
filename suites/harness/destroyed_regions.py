"""Destroyed regions of a plan: what is asked of a region that is there no more is left out.

No document says how a call of such a region ends, or what becomes of an event that arrives at it. Knows
steps; asks no candidate.
"""

from __future__ import annotations

from plumbline.reference.history.actions import Do, Host, Join, Leave, Park, PlanStep, Redeliver, Start
from plumbline.reference.history.join_actions import BeginJoin
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.reference.history.registration_actions import BeginRegistration, Register


class DestroyedRegions:
    """The regions that were destroyed, everywhere or in the copy of one client."""

    def __init__(self) -> None:
        self._everywhere: set[str] = set()
        self._at: set[tuple[str, str]] = set()
        self._of_calls: dict[int, str] = {}

    def note(self, operation: Operation) -> None:
        """Take in an operation that is called; one that destroys its region does so from here on."""
        if operation.kind is OperationKind.DESTROY_REGION:
            self._everywhere.add(operation.region)
        elif operation.kind is OperationKind.LOCAL_DESTROY_REGION:
            self._at.add((operation.member, operation.region))

    def meet(self, step: PlanStep) -> bool:
        """Whether a step is about a region that its member or client has no more."""
        match step:
            case Do(operation) | Start(operation) | Park(operation):
                self._of_calls[operation.op_id] = operation.region
                return self._lacks(operation.member, operation.region)
            case Register(interest) | BeginRegistration(interest=interest):
                return self._lacks(interest.client, interest.region)
            case Redeliver(op_id, member):
                return self._lacks(member, self._of_calls.get(op_id, ""))
            case Leave(member, region) | Join(member, region) | Host(member, region):
                return self._lacks(member, region)
            case BeginJoin():
                return self._lacks(step.member, step.region)
            case _:
                return False

    def _lacks(self, who: str, region: str) -> bool:
        return region in self._everywhere or (who, region) in self._at
