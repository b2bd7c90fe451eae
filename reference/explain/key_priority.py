"""Suspects: which keys are likely wrong, alone or two together, by where explaining got furthest.

Knows logs and dead ends of the model; knows nothing of how parts of a history are searched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from plumbline.reference.explain.key_decomposition import Where
from plumbline.reference.explain.question import Question
from plumbline.reference.history.moments import Called, ContentsAsked
from plumbline.reference.model.places import TIMELINE
from plumbline.reference.search.search import Position
from plumbline.reference.search.transition import Entry

Pair = frozenset[Where]


class Suspects(NamedTuple):
    """Keys that may be wrong alone, and pairs that may be so together; to be asked before all others."""

    keys: frozenset[Where]
    pairs: frozenset[Pair]


def suspects(question: Question, frontier: Iterable[Position]) -> Suspects:
    """What is to be asked first.

    Where a member shows of a key what it cannot hold, what is wrong has to do with that key. Else logs are to
    tell of one key what may have to come behind something of another: if it is told of too early, or too
    late, only both together refute it.

    Args:
        question: the model and all logs.
        frontier: the furthest dead ends, furthest first.
    """
    furthest = tuple(frontier)
    misread = {where for position in furthest[:1] for where in _misread(question, position)}
    if misread:
        others = _keys(question)
        pairs = {frozenset((one, other)) for one in misread for other in others if other != one}
        return Suspects(frozenset(misread), frozenset(pairs))
    told = {keys for position in furthest for keys in _told_together(question, position)}
    return Suspects(frozenset(chain(*told)), frozenset(keys for keys in told if len(keys) > 1))


def _misread(question: Question, position: Position) -> set[Where]:
    """The keys that a member was asked for and has not shown, where it has shown others."""
    asked = (what for what in question.logs.entries[TIMELINE] if isinstance(what, ContentsAsked))
    regions = {what.number: what.region for what in asked}
    keys = _keys(question)
    found: set[Where] = set()
    for number, unread in position.state.asked.items():
        if number in regions:
            left = {(regions[number], key) for key in unread}
            found |= left if not left >= {where for where in keys if where[0] == regions[number]} else set()
    return found


def _keys(question: Question) -> set[Where]:
    called = (what.operation for what in question.logs.entries[TIMELINE] if isinstance(what, Called))
    return {(operation.region, operation.key) for operation in called}


def _told_together(question: Question, position: Position) -> Iterator[Pair]:
    """Of what key, or two, some log tells one after the other there."""
    for place, shown in question.logs.entries.items():
        match place:
            case ("listener", *_):
                at = position.used.get(place, 0)
                yield frozenset(where for entry in shown[at : at + 2] for where in _key_of(entry))
            case _:
                pass


def _key_of(entry: Entry) -> tuple[Where, ...]:
    """The region and key of which a listener is told, if it receives one."""
    match entry:
        case (str(region), str(key), *_):
            return ((region, key),)
        case _:
            return ()
