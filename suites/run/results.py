"""What playing one example gave: a verdict on each requirement it speaks of, and why.

Knows nothing of how examples are made, nor of how results are shown.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.explain.oracle import Finding
from plumbline.reference.history.history import History
from plumbline.reference.history.plans import Plan
from plumbline.reference.results.own_errors import OwnError
from plumbline.reference.results.runs import Reduction
from plumbline.reference.results.verdicts import Verdict


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One example, played and judged.

    Attributes:
        title: the scenario's or machine's name.
        verdict: what it says of the example as a whole.
        requirements: the ids that the verdict is about.
        reason: one sentence.
        expected: what is allowed, in sentences.
        seen: what was seen instead.
        plan: what was asked, one line a step.
        played: the same as a plan that can be played again.
        reduction: how the plan was made small; None if it was not.
        history: what was asked and seen; None if nothing was played.
        finding: what the oracle says of the history; None if it was not asked.
        blamed: the decision that explains a failure, if one does.
        seconds: how long it took.
        own_error: Plumbline's own error, which kept it from being judged; None if it made none.
    """

    title: str
    verdict: Verdict
    requirements: tuple[str, ...]
    reason: str = ""
    expected: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    played: Plan | None = None
    reduction: Reduction | None = None
    history: History | None = None
    finding: Finding | None = None
    blamed: str | None = None
    seconds: float = 0.0
    own_error: OwnError | None = None
