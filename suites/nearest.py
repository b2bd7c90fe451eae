"""Of right runs of a failing plan the one that is most like what was seen, and where the two differ.

The reference plays the plan, taking its steps in many orders; each of its runs is right. What is told is for
people: the verdict is the search's. Knows nothing of how a run is judged.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from itertools import zip_longest

import msgspec

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.errors import AdapterError
from plumbline.reference.history import ContentsRead, History, OrderStrength, QueueRead, Returned
from plumbline.reference.operations import Event, EventKind
from plumbline.reference.plans import Plan, by_rank
from plumbline.reference.runs import Difference
from plumbline.suites.replaying import play_plan
from plumbline.suites.session import Session

RUNS = 24
LIMIT_S = 2.0
"""No run of the reference is begun later than that."""

Outcome = dict[tuple[str, ...], tuple[str, ...]]
"""What there is to see of a history: for each place, which its words name, what was seen there in order."""


class _Seen(msgspec.Struct, frozen=True):
    """What listeners were told and calls ended with, and what was read last of each copy and queue."""

    told: Outcome
    read: dict[tuple[str, ...], Outcome]


class Nearest(msgspec.Struct, frozen=True):
    """The right run most like what was seen.

    Attributes:
        runs: of how many right runs it is the one.
        differences: where it differs; each names what is right there.
    """

    runs: int
    differences: tuple[Difference, ...]


def nearest(plan: Plan, seen: History, dialect: str, runs: int = RUNS) -> Nearest | None:
    """The right run of a plan most like a history of it; None if the reference cannot play it."""
    wanted = _outcome(seen, {}, seen)
    played = [_outcome(history, names, seen) for history, names in _right_runs(plan, seen, dialect, runs)]
    if not played:
        return None
    best = min(played, key=lambda right: sum(_distance(*pair) for pair in _pairs(right, wanted).values()))
    told = [
        _difference(place, *pair, seen) for place, pair in _pairs(best, wanted).items() if pair[0] != pair[1]
    ]
    return Nearest(len(played), tuple(told))


def _right_runs(
    plan: Plan, seen: History, dialect: str, runs: int
) -> Iterator[tuple[History, Mapping[str, str]]]:
    """Histories of the reference, each with the plan's names of the members that played the parts."""
    until = time.monotonic() + LIMIT_S
    with Session(find_candidate(f"reference:chaotic:{dialect}")) as session:
        for _ in range(runs):
            if time.monotonic() > until:
                return
            try:
                played = play_plan(plan, session, seen.member_order)
            except AdapterError:
                return
            history = played.history
            names = by_rank(plan.topology, history.member_order, seen.member_order)
            yield history, names


def _outcome(history: History, names: Mapping[str, str], as_told_by: History) -> _Seen:
    """What is seen of a history, in the names of the plan and in as many words as the other tells."""
    found: Outcome = {}
    for member, log in history.logs.items():
        name = names.get(member, member)
        for shown in log:
            place = ("listener", name, shown.event.region, shown.event.key)
            found[place] = (*found.get(place, ()), _told(shown.event, as_told_by))
    if OrderStrength.PER_KEY_AND_THREAD in {as_told_by.order_strength, as_told_by.client_order_strength}:
        found = {place: tuple(sorted(events)) for place, events in found.items()}
    read: dict[tuple[str, ...], Outcome] = {}
    for moment in history.timeline:
        match moment:
            case Returned(op_id, outcome):
                value = () if outcome.value is None else (outcome.value,)
                found["outcome", str(op_id)] = (outcome.status.value, *value)
            case ContentsRead(member=member, region=region, entries=entries):
                copy = "holds", names.get(member, member), region
                read[copy] = {(*copy, one.key): (one.token or "invalid",) for one in entries}
            case QueueRead(member=member, queue=queue, sight=sight) if sight.tokens is not None:
                copy = "queue", names.get(member, member), queue
                read[copy] = {copy: tuple(token or "?" for token in sight.tokens)}
    return _Seen(found, read)


def _told(event: Event, as_told_by: History) -> str:
    """An event in a word or two; creating and updating are one kind."""
    if event.kind in {EventKind.CREATE, EventKind.UPDATE}:
        return str(event.token)
    return (
        f"{event.kind} {event.token}" if as_told_by.callback_arguments and event.token else event.kind.value
    )


def _pairs(right: _Seen, seen: _Seen) -> dict[tuple[str, ...], tuple[tuple[str, ...], tuple[str, ...]]]:
    """What is right and what was seen at each place; of readings where both have one."""
    ours, theirs = dict(right.told), dict(seen.told)
    for copy in right.read.keys() & seen.read.keys():
        ours |= right.read[copy]
        theirs |= seen.read[copy]
    return {
        place: (ours.get(place, ()), theirs.get(place, ())) for place in sorted({**theirs, **ours}, key=_rank)
    }


def _rank(place: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    """Listeners first, for they tell most."""
    return ("listener", "queue", "holds", "outcome").index(place[0]), place


def _distance(right: tuple[str, ...], seen: tuple[str, ...]) -> int:
    alike = sum(
        block.size for block in SequenceMatcher(a=right, b=seen, autojunk=False).get_matching_blocks()
    )
    return len(right) + len(seen) - 2 * alike


def _difference(
    place: tuple[str, ...], right: tuple[str, ...], seen: tuple[str, ...], history: History
) -> Difference:
    kind, name, *rest = place
    told = Difference(place=f"operation {name} ends", right=_listed(right), seen=_listed(seen), member=name)
    change = msgspec.structs.replace
    match kind:
        case "listener":
            region, key = rest
            first = next(n for n, (one, other) in enumerate(zip_longest(right, seen)) if one != other)
            log = [shown.event for shown in history.logs.get(name, ())]
            positions = [n for n, event in enumerate(log) if (event.region, event.key) == (region, key)]
            return change(
                told,
                place=f"the listener of {name} is told, on {key}",
                instead=right[first] if first < len(right) else "nothing more",
                position=positions[first] if first < len(positions) else None,
            )
        case "holds":
            instead = f"{rest[1]} = {told.right}"
            return change(told, place=f"{name} holds, under {rest[1]}", instead=instead, read=rest[0])
        case "queue":
            place_words = f"{name} holds in queue {rest[0]}"
            return change(told, place=place_words, instead=told.right, read=rest[0])
        case _:
            return change(told, member="")


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(words) or "nothing"
