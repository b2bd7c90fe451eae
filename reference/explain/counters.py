"""Counters: of each member when its statistics were asked for, and what the answers allow.

Knows answers and when each was asked for. What a counter means for a step, `recorded_lookahead` knows.
"""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.reference.model.gauges import is_gauge
from plumbline.reference.model.timeline import Answers


def counts(answers: Answers, asked: Mapping[int, int]) -> dict[str, list[int]]:
    """Of each member the moments at which one of its counters is asked for."""
    found: dict[str, list[int]] = {}
    for number in answers.statistics:
        found.setdefault(answers.members[number][0], []).append(asked[number])
    for moments in found.values():
        moments.sort()
    return found


def limits(answers: Answers, asked: Mapping[int, int]) -> dict[str, list[tuple[int, int]]]:
    """Of each member the questions after its conflatedEvents, and what they or later ones allow at most.

    A counter only grows, so these are right unless a member starts anew.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for number in sorted(answers.statistics, key=lambda number: asked[number], reverse=True):
        member, name = answers.members[number]
        if is_gauge(name):
            continue
        _, most = answers.statistics[number]
        later = found.setdefault(member, [])
        least = min(most, later[0][1]) if later else most
        later.insert(0, (asked[number], least))
    return found


def gauges(answers: Answers, asked: Mapping[int, int]) -> dict[str, list[tuple[int, int]]]:
    """Of each member the questions after its tombstones: their numbers, and when they were asked."""
    found: dict[str, list[tuple[int, int]]] = {}
    for number in answers.statistics:
        member, name = answers.members[number]
        if is_gauge(name):
            found.setdefault(member, []).append((number, asked[number]))
    return found
