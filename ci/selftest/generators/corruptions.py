"""Corruptions: histories changed after the fact, spoilt or merely showing less.

A corrupted history need not have become impossible; a history that shows less stays possible. Knows the
records of a history; knows neither how it was made nor what is right.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Callable, Sequence

import msgspec

from plumbline.reference.history.history import History, Observation, OrderStrength
from plumbline.reference.history.moments import Called, ContentsRead, Moment, Returned, Settled, StatisticRead
from plumbline.reference.history.operations import (
    CONDITIONAL,
    READS,
    Content,
    EventKind,
    OperationKind,
    Outcome,
    Status,
)


def _pick_log(history: History, draw: random.Random, least: int) -> str | None:
    members = [member for member, log in sorted(history.logs.items()) if len(log) >= least]
    return draw.choice(members) if members else None


def _with_log(history: History, member: str, log: list[Observation]) -> History:
    return msgspec.structs.replace(history, logs={**history.logs, member: tuple(log)})


def _swapped(history: History, draw: random.Random) -> History | None:
    member = _pick_log(history, draw, 2)
    if member is None:
        return None
    log = list(history.logs[member])
    at = draw.randrange(len(log) - 1)
    one, two = log[at], log[at + 1]
    log[at] = msgspec.structs.replace(one, event=two.event)
    log[at + 1] = msgspec.structs.replace(two, event=one.event)
    return _with_log(history, member, log)


def _dropped(history: History, draw: random.Random) -> History | None:
    member = _pick_log(history, draw, 1)
    if member is None:
        return None
    log = list(history.logs[member])
    del log[draw.randrange(len(log))]
    return _with_log(history, member, log)


def _doubled(history: History, draw: random.Random) -> History | None:
    member = _pick_log(history, draw, 1)
    if member is None:
        return None
    log = list(history.logs[member])
    at = draw.randrange(len(log))
    log.insert(at, log[at])
    return _with_log(history, member, log)


def _with_event(history: History, draw: random.Random, **changes: str) -> History | None:
    member = _pick_log(history, draw, 1)
    if member is None:
        return None
    log = list(history.logs[member])
    at = draw.randrange(len(log))
    log[at] = msgspec.structs.replace(log[at], event=msgspec.structs.replace(log[at].event, **changes))
    return _with_log(history, member, log)


def _foreign_value(history: History, draw: random.Random) -> History | None:
    return _with_event(history, draw, token="nobody's")  # noqa: S106 - a token of this suite, no secret


def _other_key(history: History, draw: random.Random) -> History | None:
    keys = sorted({what.operation.key for what in history.timeline if isinstance(what, Called)})
    return _with_event(history, draw, key=draw.choice([*keys, "elsewhere"]))


def _past_a_settle(history: History, draw: random.Random) -> History | None:
    settled = [moment for moment, what in enumerate(history.timeline) if isinstance(what, Settled)]
    candidates = [
        (member, at, barrier)
        for member, log in sorted(history.logs.items())
        for at, shown in enumerate(log)
        for barrier in settled[:-1]
        if shown.before <= barrier and (at + 1 == len(log) or log[at + 1].before > barrier)
    ]
    if not candidates:
        return None
    member, at, barrier = draw.choice(candidates)
    log = list(history.logs[member])
    log[at] = msgspec.structs.replace(log[at], after=barrier + 1, before=len(history.timeline))
    return _with_log(history, member, log)


def _with_moment(
    history: History, draw: random.Random, change: Callable[[Moment], Moment | None]
) -> History | None:
    """The history with one moment changed by a function that returns None for those it cannot change."""
    changes = [(at, new) for at, what in enumerate(history.timeline) if (new := change(what)) is not None]
    if not changes:
        return None
    at, new = draw.choice(changes)
    timeline = (*history.timeline[:at], new, *history.timeline[at + 1 :])
    return msgspec.structs.replace(history, timeline=timeline)


def _wrong_contents(history: History, draw: random.Random) -> History | None:
    tokens = sorted(
        what.operation.token for what in history.timeline if isinstance(what, Called) and what.operation.token
    )

    def change(what: Moment) -> Moment | None:
        if not isinstance(what, ContentsRead) or not tokens:
            return None
        entries = {entry.key: entry for entry in what.entries}
        key = draw.choice(sorted(entries) or ["x"])
        other = draw.choice([*tokens, None, ""])
        if other == "":
            entries.pop(key, None)
        else:
            entries[key] = Content(key, other)
        return msgspec.structs.replace(what, entries=tuple(entries.values()))

    return _with_moment(history, draw, change)


def _wrong_statistic(history: History, draw: random.Random) -> History | None:
    by = draw.choice((-1, 1, 2))

    def change(what: Moment) -> Moment | None:
        if isinstance(what, StatisticRead) and what.delta + by >= 0:
            return msgspec.structs.replace(what, delta=what.delta + by)
        return None

    return _with_moment(history, draw, change)


def _wrong_result(history: History, draw: random.Random) -> History | None:
    reads = {
        what.operation.op_id: what.operation.kind
        for what in history.timeline
        if isinstance(what, Called)
        and what.operation.kind
        in (*READS, *CONDITIONAL, OperationKind.PUT_IF_ABSENT, OperationKind.REPLACE, OperationKind.CREATE)
    }
    tokens = [
        what.operation.token for what in history.timeline if isinstance(what, Called) and what.operation.token
    ]

    def change(what: Moment) -> Moment | None:
        if not isinstance(what, Returned) or what.op_id not in reads:
            return None
        value = draw.choice([None, "true", "false", *tokens])
        return Returned(what.op_id, Outcome(what.outcome.status, value))

    return _with_moment(history, draw, change)


CORRUPTIONS: dict[str, Callable[[History, random.Random], History | None]] = {
    "swapped": _swapped,
    "dropped": _dropped,
    "doubled": _doubled,
    "foreign value": _foreign_value,
    "tag on another key": _other_key,
    "moved past a settle": _past_a_settle,
    "wrong contents": _wrong_contents,
    "wrong statistic": _wrong_statistic,
    "wrong result": _wrong_result,
}
"""Ways to spoil a history; each gives None where it does not apply."""


def showing_less(history: History, draw: random.Random) -> History:
    """The same history as a candidate shows it that reveals less; a conforming one still conforms."""
    if draw.random() < 0.2:
        unobserved = draw.choice(tuple(history.logs))
        logs = {member: log for member, log in history.logs.items() if member != unobserved}
        history = msgspec.structs.replace(history, logs=logs)
    if draw.random() < 0.5:
        history = _seen_late(history)
    strength = draw.choice((OrderStrength.TOTAL, OrderStrength.PER_KEY, OrderStrength.PER_KEY_AND_THREAD))
    history = msgspec.structs.replace(history, order_strength=strength, client_order_strength=None)
    if draw.random() < 0.3:
        history = msgspec.structs.replace(history, member_order=None)
    if draw.random() < 0.1:
        history = _answer_lost(history, draw)
    if draw.random() < 0.1:
        history = _unsettled(history, draw)
    if draw.random() < 0.1 and not history.queues:  # no listener holds back the copies of a queue
        history = _settled_but_for_what_is_held(history, draw)
    if draw.random() < 0.2:
        anonymous = {
            member: tuple(
                shown
                if shown.event.kind in (EventKind.CREATE, EventKind.UPDATE)
                else msgspec.structs.replace(shown, event=msgspec.structs.replace(shown.event, token=None))
                for shown in log
            )
            for member, log in history.logs.items()
        }
        history = msgspec.structs.replace(history, logs=anonymous, callback_arguments=False)
    return history


def _answer_lost(history: History, draw: random.Random) -> History:
    """The same history, had the harness at some time given up waiting for one operation."""
    called = {
        what.operation.op_id: at for at, what in enumerate(history.timeline) if isinstance(what, Called)
    }
    answers = [(at, what) for at, what in enumerate(history.timeline) if isinstance(what, Returned)]
    if not answers:
        return history
    at, answer = draw.choice(answers)
    without = _with_bounds(
        history,
        (*history.timeline[:at], *history.timeline[at + 1 :]),
        lambda passed: passed - (passed > at),
    )
    lost = Returned(answer.op_id, Outcome(Status.INDEFINITE))
    return _inserted(without, draw.randint(called[answer.op_id] + 1, at), lost)


def _settled_but_for_what_is_held(history: History, draw: random.Random) -> History:
    """The same history, had it settled once more while listeners might hold back everything."""
    keys = sorted({what.operation.key for what in history.timeline if isinstance(what, Called)})
    held = tuple((member, key) for member in history.topology.members for key in keys)
    return _inserted(history, draw.randint(0, len(history.timeline)), Settled(held))


def _inserted(history: History, at: int, moment: Moment) -> History:
    """The history with one more moment, before which nothing new was seen."""
    timeline = (*history.timeline[:at], moment, *history.timeline[at:])
    return _with_bounds(history, timeline, lambda passed: passed + (passed > at))


def _with_bounds(history: History, timeline: tuple[Moment, ...], moved: Callable[[int], int]) -> History:
    """The history with another timeline; each bound of a window is moved as the moments before it are."""
    logs = {
        member: tuple(
            msgspec.structs.replace(shown, after=moved(shown.after), before=moved(shown.before))
            for shown in log
        )
        for member, log in history.logs.items()
    }
    return msgspec.structs.replace(history, timeline=timeline, logs=logs)


def _unsettled(history: History, draw: random.Random) -> History:
    """The same history, had a member told each time that its listener may hold back operations on a key."""
    keys = sorted({what.operation.key for what in history.timeline if isinstance(what, Called)})
    held = ((draw.choice(history.topology.members), draw.choice(keys)),)
    timeline = tuple(Settled(held) if isinstance(what, Settled) else what for what in history.timeline)
    return msgspec.structs.replace(history, timeline=timeline)


def _seen_late(history: History) -> History:
    """The same history, had the harness looked at the logs only when everything had settled."""
    settled = [moment for moment, what in enumerate(history.timeline) if isinstance(what, Settled)]
    settled.append(len(history.timeline))
    logs = {
        member: tuple(
            msgspec.structs.replace(shown, before=settled[bisect_left(settled, shown.before)])
            for shown in log
        )
        for member, log in history.logs.items()
    }
    return msgspec.structs.replace(history, logs=logs)


def spoil(history: History, draw: random.Random, names: Sequence[str]) -> History:
    """The history spoilt once, in a drawn one of the named ways that it offers; itself if it offers none."""
    for name in draw.sample(names, len(names)):
        changed = CORRUPTIONS[name](history, draw)
        if changed is not None and changed != history:
            return changed
    return history
