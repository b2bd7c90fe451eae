"""Dead ends: where explaining went furthest, what was due there, and what the model would have shown instead.

Knows how both are told to people; knows nothing of why the search came that way.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from plumbline.reference.explain.question import Question
from plumbline.reference.model.places import TIMELINE
from plumbline.reference.results.runs import DeadEnd
from plumbline.reference.rulebook.conflict_resolvers import Told
from plumbline.reference.search.search import Position
from plumbline.reference.search.transition import Entry, Place, Unobserved


class _Offers(Unobserved):
    """A view that fits everything, for asking what the model would have shown at a dead end."""

    def __init__(self, question: Question, position: Position) -> None:
        super().__init__(reduced=False)
        self._entries = question.logs.entries
        self._used = position.used
        self.now = position.used.get(TIMELINE, 0)

    def due(self, place: Place) -> Entry | None:
        """What stands next in the log."""
        shown = self._entries.get(place, ())
        index = self._used.get(place, 0)
        return shown[index] if index < len(shown) else None

    def observed(self, place: Place) -> bool:
        """Whether there is such a log."""
        return place in self._entries


def dead_ends_of(question: Question, frontier: list[Position]) -> Iterable[DeadEnd]:
    """For each dead end, at each log with something due: what was due, and what was on offer instead."""
    total = question.logs.total
    for position in frontier:
        offers = _Offers(question, position)
        offered: dict[Place, list[str]] = {}
        for step in question.system.steps(position.state, offers):
            for place, entry in step.shows:
                offered.setdefault(place, []).append(_words(entry))
        places: list[Place] = [TIMELINE, *(p for p in question.logs.entries if p != TIMELINE)]
        stuck = []
        for place in places:
            due = offers.due(place)
            choices = tuple(dict.fromkeys(offered.get(place, ())))
            if due is not None and _words(due) not in choices:
                stuck.append((place, _words(due), choices))
        # A log that was offered something else tells more than one that was offered nothing, if there is any.
        telling = [end for end in stuck if end[0] == TIMELINE or end[2]] or stuck
        for place, words, choices in telling:
            yield DeadEnd(consumed=total - position.left, place=_where(place), due=words, offered=choices)


def _where(place: Place) -> str:
    match place:
        case ("listener", member):
            return f"listener of {member}"
        case ("listener", member, "entry", int(op_id)):
            return f"listener of {member}, operation {op_id}"
        case ("listener", member, region, key, *_):
            return f"listener of {member}, {region}[{key}]"
        case ("outcome", op_id):
            return f"outcome of operation {op_id}"
        case _:
            return "timeline"


def _words(entry: Entry) -> str:
    match entry:
        case (str(region), str(key), kind, token):
            return f"{kind} {region}[{key}] {token}"
        case (str(region), str(key), kind, Told() as told, answer):
            when = "later" if told.later else "earlier"
            sites = f"of site {told.site}, {when}, over {told.old} of site {told.stored_site}"
            return f"{kind} {region}[{key}] {told.kind} {told.new} {sites}: {answer}"
        case (status, value):
            return f"{status}" if value is None else f"{status} {value}"
        case _:
            return _moment_words(entry)


def _moment_words(moment: object) -> str:
    data = msgspec.to_builtins(moment)
    if not isinstance(data, dict):
        return str(moment)
    kind = data.pop("type", "")
    return f"{kind} " + " ".join(f"{key}={value}" for key, value in data.items())
