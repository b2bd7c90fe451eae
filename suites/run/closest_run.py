"""Of right runs of a failing plan the one that is most like what was seen, and where the two differ.

The reference plays the plan, taking its steps in many orders; each of its runs is right. The output is for
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
from plumbline.reference.history.history import History, OrderStrength
from plumbline.reference.history.join_moments import CopyReleased, JoinBegun, JoinEnded
from plumbline.reference.history.moments import (
    Called,
    ContentsRead,
    FaultDone,
    Joined,
    Left,
    Moment,
    QueueRead,
    QueueScripted,
    Redelivered,
    Registered,
    Released,
    Returned,
    Scripted,
    Settled,
)
from plumbline.reference.history.operations import Event, EventKind
from plumbline.reference.history.plans import Plan, by_rank
from plumbline.reference.history.registration_moments import AnswerReleased, RegistrationBegun
from plumbline.reference.results.runs import Difference
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan

RUNS = 24
MOST_EVENTS = 2_000
"""Of a candidate that says more than that no right run is looked for: comparing takes the square of it."""

LIMIT_S = 2.0
"""No run of the reference is begun later than that."""

Outcome = dict[tuple[str, ...], tuple[str, ...]]
"""What there is to see of a history: for each place, which its words name, what was seen there in order."""


_STEPS = (
    Called,
    Released,
    Settled,
    FaultDone,
    Redelivered,
    Left,
    Joined,
    JoinBegun,
    CopyReleased,
    JoinEnded,
    Registered,
    RegistrationBegun,
    AnswerReleased,
    Scripted,
    QueueScripted,
)

_Stage = tuple[int, ...]
"""How many steps of each kind came before a reading: only what was read at one stage can be compared."""


class _Reading(msgspec.Struct, frozen=True):
    """What was read last of a copy or queue at a stage, and in which moment."""

    moment: int
    found: Outcome


class _Pair(msgspec.Struct, frozen=True):
    """What is right at a place, what was seen there, and in which moment, if it was read."""

    place: tuple[str, ...]
    right: tuple[str, ...]
    seen: tuple[str, ...]
    moment: int | None


class _Seen(msgspec.Struct, frozen=True):
    """What listeners were told, what calls ended with, and what was read of each copy and queue when."""

    told: Outcome
    read: dict[tuple[str, ...], dict[_Stage, _Reading]]


class Nearest(msgspec.Struct, frozen=True):
    """The right run most like what was seen.

    Attributes:
        runs: of how many right runs it is the one.
        differences: where it differs; each names what is right there.
    """

    runs: int
    differences: tuple[Difference, ...]


def nearest(plan: Plan, seen: History, dialect: str, runs: int = RUNS) -> Nearest | None:
    """The right run of a plan most like a history of it; None if none is known."""
    if sum(map(len, seen.logs.values())) > MOST_EVENTS:
        return None
    wanted = _outcome(seen, {}, seen)
    played = [_outcome(history, names, seen) for history, names in _right_runs(plan, seen, dialect, runs)]
    if not played:
        return None
    pairs = min((_pairs(right, wanted) for right in played), key=lambda pairs: sum(map(_distance, pairs)))
    return Nearest(len(played), tuple(_difference(pair, seen) for pair in pairs if pair.right != pair.seen))


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
    if _without_order(as_told_by):
        found = {place: tuple(sorted(events)) for place, events in found.items()}
    read: dict[tuple[str, ...], dict[_Stage, _Reading]] = {}
    stage: dict[type[Moment], int] = dict.fromkeys(_STEPS, 0)
    for number, moment in enumerate(history.timeline):
        if type(moment) in stage:
            stage[type(moment)] += 1
        reached = tuple(stage.values())
        match moment:
            case Returned(op_id, outcome):
                value = () if outcome.value is None else (outcome.value,)
                found["outcome", str(op_id)] = (outcome.status.value, *value)
            case ContentsRead(member=member, region=region, entries=entries):
                copy = "holds", names.get(member, member), region
                found_there: Outcome = {(*copy, one.key): (one.token or "invalid",) for one in entries}
                read.setdefault(copy, {})[reached] = _Reading(number, found_there)
            case QueueRead(member=member, queue=queue, sight=sight) if sight.tokens is not None:
                copy = "queue", names.get(member, member), queue
                tokens = tuple(token or "?" for token in sight.tokens)
                read.setdefault(copy, {})[reached] = _Reading(number, {copy: tokens})
    return _Seen(found, read)


def _without_order(history: History) -> bool:
    """Whether some of its logs carry no order between threads."""
    return OrderStrength.PER_KEY_AND_THREAD in {history.order_strength, history.client_order_strength}


def _told(event: Event, as_told_by: History) -> str:
    """An event in a word or two; creating and updating are one kind."""
    if event.kind in {EventKind.CREATE, EventKind.UPDATE}:
        return str(event.token)
    return (
        f"{event.kind} {event.token}" if as_told_by.callback_arguments and event.token else event.kind.value
    )


def _pairs(right: _Seen, seen: _Seen) -> list[_Pair]:
    """What is right and what was seen at each place; of readings the last that both have of one stage."""
    ours, theirs = dict(right.told), dict(seen.told)
    moments: dict[tuple[str, ...], int] = {}
    for copy in right.read.keys() & seen.read.keys():
        if common := right.read[copy].keys() & seen.read[copy].keys():
            at, there = right.read[copy][max(common)], seen.read[copy][max(common)]
            ours |= at.found
            theirs |= there.found
            moments |= dict.fromkeys({**at.found, **there.found}, there.moment)
    places = sorted({**theirs, **ours}, key=_rank)
    return [_Pair(place, ours.get(place, ()), theirs.get(place, ()), moments.get(place)) for place in places]


def _rank(place: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    """Listeners first, for they tell most."""
    return ("listener", "queue", "holds", "outcome").index(place[0]), place


def _distance(pair: _Pair) -> int:
    blocks = SequenceMatcher(a=pair.right, b=pair.seen, autojunk=False).get_matching_blocks()
    return len(pair.right) + len(pair.seen) - 2 * sum(block.size for block in blocks)


def _difference(pair: _Pair, history: History) -> Difference:
    right, seen = pair.right, pair.seen
    kind, name, *rest = pair.place
    told = Difference(
        place=f"operation {name} returned", right=_listed(right), seen=_listed(seen), member=name
    )
    change = msgspec.structs.replace
    match kind:
        case "listener":
            region, key = rest
            first = next(n for n, (one, other) in enumerate(zip_longest(right, seen)) if one != other)
            log = [shown.event for shown in history.logs.get(name, ())]
            positions = [n for n, event in enumerate(log) if (event.region, event.key) == (region, key)]
            return change(
                told,
                place=f"the listener of {name}, key {key}",
                instead=right[first] if first < len(right) else "nothing more",
                position=positions[first] if first < len(positions) and not _without_order(history) else None,
            )
        case "holds":
            instead = f"{rest[1]} = {told.right}"
            words = f"{name} holds under {rest[1]}"
            return change(told, place=words, instead=instead, read=rest[0], position=pair.moment)
        case "queue":
            words = f"queue {rest[0]} on {name} holds"
            return change(told, place=words, instead=told.right, read=rest[0], position=pair.moment)
        case _:
            return change(told, member="")


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(words) or "nothing"
