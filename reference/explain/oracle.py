"""The oracle's findings: is a history right, and what does a wrong one break?

Puts together what the efforts of searching, naming and the dead ends say; knows nothing of candidates.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.explain.dead_ends import dead_ends_of
from plumbline.reference.explain.efforts import searched
from plumbline.reference.explain.engine import Answer, Budget
from plumbline.reference.explain.naming import NAMING_MS, name, requirements_of
from plumbline.reference.explain.question import ask
from plumbline.reference.history import History
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.runs import DeadEnd


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What the oracle says of one history.

    Attributes:
        answer: explained, refuted or unknown.
        states: states visited.
        requirements: ids broken, the most specific first; empty unless refuted.
        decisions: the decisions whose freeing explains the history.
        dead_ends: the furthest places where explaining ended.
    """

    answer: Answer
    states: int
    requirements: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    dead_ends: tuple[DeadEnd, ...] = ()


def find(
    history: History, book: Rulebook, budget: Budget | None = None, naming_ms: int = NAMING_MS
) -> Finding:
    """Judge a history; name what it breaks if it is wrong, within a time of its own (none: no naming)."""
    explanation, refuted = searched(history, book, budget or Budget())
    if explanation.answer is not Answer.REFUTED:
        return Finding(answer=explanation.answer, states=explanation.states)
    decisions = name(history, book, naming_ms) if naming_ms else ()
    return Finding(
        answer=Answer.REFUTED,
        states=explanation.states,
        requirements=requirements_of(history, decisions),
        decisions=decisions,
        dead_ends=tuple(dead_ends_of(ask(refuted, book), explanation.frontier)),
    )
