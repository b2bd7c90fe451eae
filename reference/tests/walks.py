"""What is seen of walks in the end, and that two of them through one program see the same."""

from __future__ import annotations

from typing import Any

from plumbline.reference.explore import findings
from plumbline.reference.explore.invariants import PROMISES
from plumbline.reference.explore.program_shape import ProgramShape
from plumbline.reference.explore.variant_check import sights
from plumbline.reference.explore.walk import Walked
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import OperationKind

APART = (("A",), ("B",))
NEARBY = (("A", "B"), ("C",))
BREAKING = (FaultKind.CRASH, FaultKind.LINK_DOWN, FaultKind.REPLIES_LOST, FaultKind.RECEIVER_STOP)


def between(
    sites: tuple[tuple[str, ...], ...], operations: int, *faults: tuple[FaultKind, ...]
) -> ProgramShape:
    """Worlds of puts."""
    return ProgramShape(sites=sites, operations=operations, kinds=(OperationKind.PUT,), faults=faults)


IN_THE_END = ("contents", "versions", "told", "returns")
"""What is seen of runs, but for moments between."""


def reasons(walked: Walked, requirement: str = "CONS-RR-04") -> set[str]:
    """Why the documents allow the runs that end with an invariant broken, "" where they do not.

    Without a requirement, it is that members hold the same.
    """
    (promise,) = [promise for promise in PROMISES if promise.requirement == requirement]
    ends = (end for end in walked.ends if not promise.kept(walked.program, end.world))
    return {findings._finding(walked, promise, end).allowed for end in ends}


def broken(walked: Walked) -> set[str]:
    """The promises that some run breaks, allowed or not, at its end or at a step."""
    ends = {
        one.requirement for one in PROMISES for end in walked.ends if not one.kept(walked.program, end.world)
    }
    return ends | {manner.requirement for manner in walked.astray}


def of_survivors(walked: Walked, about: str) -> set[Any]:
    """What those who live through a program were told, or how their calls have returned."""
    doomed = {fault.member for fault in walked.program.broken if fault.kind is FaultKind.CRASH}
    if about == "told":
        logs = {("listener", member) for member in doomed}
        return {one for one in walked.shown if one[0][0] not in logs}
    members = {one.op_id: one.member for one in walked.program.operations}
    return {one for one in walked.returned if members[one[0]] not in doomed}


def same_in_the_end(few: Walked, every: Walked, *, moments: bool = True) -> None:
    """Assert that two walks through a program, one of which leaves something out, see the same in the end."""
    assert few.whole
    assert every.whole
    seen, known = sights(few), sights(every)
    for about in IN_THE_END:
        if moments or about not in ("told", "returns"):
            assert seen[about] == known[about], f"{about} of {few.program}"
        else:
            # How far a dying member has come by then does not count.
            assert seen[about] <= known[about], f"{about} of {few.program}"
            assert of_survivors(few, about) == of_survivors(every, about), f"{about} of {few.program}"
    assert seen["moment"] <= known["moment"] or not moments
    assert broken(few) == broken(every), str(few.program)
