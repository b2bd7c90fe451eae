"""The oracle's findings: is a history right, and what does a wrong one break?

Puts together what the efforts of searching, naming and the dead ends say; knows nothing of candidates.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.explain.fault_localization import NAMING_MS, name, requirements_of
from plumbline.reference.explain.furthest_attempts import dead_ends_of
from plumbline.reference.explain.question import ask
from plumbline.reference.explain.search_stages import searched
from plumbline.reference.explain.sight import sight
from plumbline.reference.history.history import History
from plumbline.reference.results.runs import DeadEnd
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer, Budget


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What the oracle says of one history.

    Attributes:
        answer: explained, refuted or unknown.
        states: states visited.
        requirements: ids broken, the most specific first; empty unless refuted.
        decisions: the decisions whose freeing explains the history.
        dead_ends: the furthest places where explaining ended.
        sight: what was seen, where something plain was that fits what is named; else "".
    """

    answer: Answer
    states: int
    requirements: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    dead_ends: tuple[DeadEnd, ...] = ()
    sight: str = ""


def find(
    history: History, book: Rulebook, budget: Budget | None = None, naming_ms: int = NAMING_MS
) -> Finding:
    """Judge a history; name what it breaks if it is wrong, within a time of its own (none: no naming)."""
    explanation, refuted = searched(history, book, budget or Budget())
    if explanation.answer is not Answer.REFUTED:
        return Finding(answer=explanation.answer, states=explanation.visited)
    decisions = name(history, book, naming_ms) if naming_ms else ()
    named = requirements_of(history, decisions)
    seen = sight(history)
    if seen is not None and decisions and seen.requirement not in named:
        seen = None  # decisions explain something else
    first = () if seen is None else (seen.requirement,)
    return Finding(
        answer=Answer.REFUTED,
        states=explanation.visited,
        requirements=tuple(dict.fromkeys((*first, *named))),
        decisions=decisions,
        sight="" if seen is None else seen.words,
        dead_ends=tuple(dead_ends_of(ask(refuted, book), explanation.frontier)),
    )
