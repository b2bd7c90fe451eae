"""Findings and plans in words that a person can read on a terminal or a page.

Knows no verdict.
"""

from __future__ import annotations

from plumbline.reference.explain.oracle import Finding
from plumbline.reference.history import fault_words
from plumbline.suites.plans import Do, Finish, Inject, Look, Park, Plan, PlanStep, Release, Settle, Start

Sentences = tuple[str, ...]


def finding_words(finding: Finding) -> tuple[Sentences, Sentences]:
    """What was expected and what was seen, at the furthest points where explaining ended."""
    expected, seen = [], []
    for dead_end in finding.dead_ends:
        offered = " or ".join(dead_end.offered) or "nothing more"
        expected.append(f"{dead_end.place}: {offered}")
        seen.append(f"{dead_end.place}: {dead_end.due}")
    return tuple(dict.fromkeys(expected)), tuple(dict.fromkeys(seen))


def plan_words(plan: Plan) -> Sentences:
    """A plan, one line a step."""
    return tuple(_step_words(step) for step in plan.steps)


def _step_words(step: PlanStep) -> str:
    match step:
        case Do(operation) | Start(operation) | Park(operation):
            call = f"{operation.member} ({operation.thread}): {operation.kind} {operation.key}"
            if operation.token:
                call += f" {operation.token}"
            if isinstance(step, Park):
                return f"{call}, parked in the listener of {step.member}"
            return f"{call}, and wait for it" if isinstance(step, Do) else call
        case Release(op_id, member):
            return f"release operation {op_id} at {member}"
        case Finish(op_id):
            return f"wait for operation {op_id}"
        case Settle():
            return "let everything settle, and look"
        case Inject(fault):
            return fault_words(fault)
        case Look(queue):
            return f"look at the copies of {queue}"
