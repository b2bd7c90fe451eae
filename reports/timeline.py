"""A history in one order, for people: the moments as they came, and the listener events among them.

An event is known only to lie in a window of the timeline; it is put at the earliest place that its log and
its own operation allow. Histories are shown as they are, wrong ones too: an event of an operation that was
never called, or a return without a call, has its place as well. Knows nothing of pictures or pages.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import assert_never

import msgspec

from plumbline.reference.history.history import (
    Armed,
    AttributesRead,
    Called,
    ClocksPassed,
    ContentsAsked,
    ContentsRead,
    FaultBegun,
    FaultDone,
    History,
    Hosted,
    Joined,
    Left,
    Located,
    Moment,
    NotParked,
    Observation,
    Parked,
    QueueAsked,
    QueueRead,
    Redelivered,
    Registered,
    Released,
    Returned,
    Scripted,
    Settled,
    StatisticAsked,
    StatisticRead,
    Unsettled,
    Waited,
    fault_words,
    host_words,
    interest_words,
    script_words,
)
from plumbline.reference.history.operations import (
    OF_TRANSACTIONS,
    STORES_VALUE,
    Content,
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    QueueSight,
)
from plumbline.reference.results.runs import DeadEnd, Difference
from plumbline.reports.fates import DeliveryOutcome, missing

HARNESS = ""
"""Where a moment belongs that concerns no single thread or member."""


MOST_IDLE = 10
"""So many readings of statistics that did not move are drawn in any case."""

TIMELINE = "timeline"
"""What explain calls the log of moments, as the place of a dead end."""

GATE_WORDS: dict[type[Moment], str] = {
    Armed: "gate armed for #{}",
    Parked: "#{} parked at the gate",
    NotParked: "#{} did not reach the gate",
    Released: "gate opened for #{}",
}


class TimelineRow(msgspec.Struct, frozen=True):
    """One line of the arranged history: a moment, or one listener event.

    Attributes:
        place: the thread or member it belongs to, or HARNESS.
        words: what happened, short.
        number: of a moment: its position, counted from 1; of an event: how many moments came before it.
        op_id: the operation it is about, or None.
        moment: the moment, or None for an event.
        shown: the event with its window, or None for a moment.
        due: whether this is where it departs from the right run that is most like it; where none is known,
            whether the furthest attempts to explain the history ended because this came next.
        allowed: if so, what the right run shows, or a correct system could show, instead.
        fate: what became of the operation where the member never received it; None for all else.
    """

    place: str
    words: str
    number: int
    op_id: int | None
    moment: Moment | None = None
    shown: Observation | None = None
    due: bool = False
    allowed: tuple[str, ...] = ()
    fate: DeliveryOutcome | None = None

    @property
    def numbered(self) -> str:
        """The words with the number of the operation in front, unless they name it themselves."""
        of_operation = self.shown is not None or isinstance(self.moment, Called | Returned)
        return f"#{self.op_id} {self.words}" if of_operation and self.op_id is not None else self.words


def arrange(
    history: History, dead_ends: tuple[DeadEnd, ...] = (), nearest: tuple[Difference, ...] = ()
) -> tuple[TimelineRow, ...]:
    """All moments and all listener events of a history in one order, what is wrong marked.

    Args:
        history: what was seen.
        dead_ends: where explaining it ended; marked only where no right run is known to differ.
        nearest: where it differs from the right run that is most like it.
    """
    operations = operations_of(history)
    several = len(history.regions) > 1
    calls = {
        moment.operation.token: (index + 1, moment.operation.op_id)
        for index, moment in enumerate(history.timeline)
        if isinstance(moment, Called) and moment.operation.token is not None
    }
    in_gap: dict[int, dict[str, list[TimelineRow]]] = {}
    for member, log in history.logs.items():
        earliest = 0
        for shown in log:
            # An event without a token may be of any operation, one with a foreign token is of none.
            called, op_id = calls.get(shown.event.token or "", (0, None))
            gap = max(shown.after, called) if called <= shown.before else shown.after
            earliest = max(earliest, gap)
            entry = TimelineRow(
                member, event_words(shown.event, several=several), earliest, op_id, shown=shown
            )
            in_gap.setdefault(earliest, {}).setdefault(member, []).append(entry)
    entries: list[TimelineRow] = []
    for index, moment in enumerate(history.timeline):
        entries += _in_turn(in_gap.pop(index, {}))
        place, words, op_id = _told(moment, operations, several=several)
        entries.append(TimelineRow(place, words, index + 1, op_id, moment=moment))
    # A damaged history may name windows behind its end.
    for gap in sorted(in_gap):
        entries += _in_turn(in_gap[gap])
    differing = _differing(entries, history, nearest)
    return _with_marks(entries, differing or _at_dead_ends(entries, dead_ends))


Marks = dict[int, tuple[str, ...]]
"""What is wrong, by its place among the entries, and what would have been right there."""


def _with_marks(entries: list[TimelineRow], marks: Marks) -> tuple[TimelineRow, ...]:
    return tuple(
        msgspec.structs.replace(entry, due=index in marks, allowed=marks.get(index, ()))
        for index, entry in enumerate(entries)
    )


def _differing(entries: list[TimelineRow], history: History, nearest: tuple[Difference, ...]) -> Marks:
    """The first event of each log, and the readings, that are not as in the right run."""
    marks: Marks = {}
    for one in nearest:
        within = history.timeline if one.read else history.logs.get(one.member, ())
        if one.position is None or not 0 <= one.position < len(within):
            continue
        meant = within[one.position]
        for index, entry in enumerate(entries):
            if (entry.moment if one.read else entry.shown) is meant:
                marks[index] = (*marks.get(index, ()), one.instead)
    return marks


def _at_dead_ends(entries: list[TimelineRow], dead_ends: tuple[DeadEnd, ...]) -> Marks:
    """What the furthest dead ends speak of; not where they may mean any of several moments."""
    furthest = max((end.consumed for end in dead_ends), default=0)
    due: dict[int, tuple[str, ...]] = {}
    for end in dead_ends:
        if end.consumed == furthest:
            meant = {index for index, entry in enumerate(entries) if _is_due(entry, end)}
            if len(meant) == 1 or end.place != TIMELINE:
                due |= dict.fromkeys(meant, end.offered or ("nothing more",))
    return due


def with_fates(entries: tuple[TimelineRow, ...], history: History) -> tuple[TimelineRow, ...]:
    """Put behind the last settle point what members never received."""
    settled = [index for index, entry in enumerate(entries) if isinstance(entry.moment, Settled)]
    if not settled:
        return entries
    at, number = settled[-1] + 1, entries[settled[-1]].number
    fates: dict[str, list[TimelineRow]] = {}
    for one in missing(history):
        words = f"{one.fate}: {call_words(one.operation, several=len(history.regions) > 1)}"
        entry = TimelineRow(one.member, words, number, one.operation.op_id, fate=one.fate)
        fates.setdefault(one.member, []).append(entry)
    return (*entries[:at], *_in_turn(fates), *entries[at:])


def due_words(entries: tuple[TimelineRow, ...], end: DeadEnd) -> str:
    """What was due at a dead end, in the words of the one entry that it means, or else in its own.

    Of the timeline it is told where that was, as nothing else says it.
    """
    meant = {
        f"{entry.place}: {entry.words}" if end.place == TIMELINE and entry.place else entry.words
        for entry in entries
        if _is_due(entry, end)
    }
    return meant.pop() if len(meant) == 1 else end.due


def _is_due(entry: TimelineRow, end: DeadEnd) -> bool:
    """Whether a dead end speaks of this entry, by the words in which explain names places and what was due.

    An event of another name is left unmarked: the list of dead ends still tells it.
    """
    if entry.shown is not None:
        event = entry.shown.event
        here = end.place == f"listener of {event.member}"
        here = here or end.place.startswith(f"listener of {event.member}, ")
        due = end.due.split()
        return here and due[:1] == [event.kind.value] and due[-1:] == [str(event.token)]
    if isinstance(entry.moment, Returned) and end.place == f"outcome of operation {entry.op_id}":
        return True
    if end.place != TIMELINE:
        return False
    fields = msgspec.to_builtins(entry.moment)
    told = " ".join([fields.pop("type"), *(f"{name}={value}" for name, value in fields.items())])
    return end.due.rstrip() == told


def _in_turn(logs: dict[str, list[TimelineRow]]) -> list[TimelineRow]:
    """Events between two moments: the first of each member, then the second of each, and so on."""
    return [entry for events in zip_longest(*logs.values()) for entry in events if entry is not None]


def without_questions(entries: tuple[TimelineRow, ...]) -> tuple[TimelineRow, ...]:
    """Leave out each question that is answered by the very next moment: the answer says it all."""
    kept: list[TimelineRow] = []
    for entry, following in zip_longest(entries, entries[1:]):
        if entry.due:
            kept.append(entry)
            continue
        match entry.moment, following.moment if following else None:
            case (ContentsAsked(number=asked), ContentsRead(number=read)) if asked == read:
                continue
            case (StatisticAsked(number=asked), StatisticRead(number=read)) if asked == read:
                continue
            case (QueueAsked(number=asked), QueueRead(number=read)) if asked == read:
                continue
            case (FaultBegun(number=asked), FaultDone(number=read)) if asked == read:
                continue
        kept.append(entry)
    return tuple(kept)


def without_the_idle(entries: tuple[TimelineRow, ...]) -> tuple[TimelineRow, ...]:
    """Where something else is marked as wrong, leave out many statistics that did not move: they hide it."""
    idle = {
        id(entry)
        for entry in entries
        if isinstance(entry.moment, StatisticRead) and not entry.moment.delta and not entry.due
    }
    if len(idle) <= MOST_IDLE or not any(entry.due for entry in entries):
        return entries
    return tuple(entry for entry in entries if id(entry) not in idle)


def operations_of(history: History) -> dict[int, Operation]:
    """The called operations by id."""
    return {
        moment.operation.op_id: moment.operation for moment in history.timeline if isinstance(moment, Called)
    }


def call_words(operation: Operation, *, several: bool = False) -> str:
    """An operation in a few words: `put x = v3 on A`, `destroy x (v4) on B`; of several regions, which."""
    words = [operation.kind.value]
    if operation.key:
        words.append(operation.key)
    if several and operation.kind not in OF_TRANSACTIONS:
        words.append(f"of {operation.region}")
    if operation.token is not None:
        stored = operation.kind in STORES_VALUE
        words.append(f"= {operation.token}" if stored else f"({operation.token})")
    if operation.expected is not None:
        words.append(f"where it holds {operation.expected}")
    return f"{' '.join(words)} on {operation.member}"


def outcome_words(outcome: Outcome, kind: OperationKind | None) -> str:
    """How a call ended: `→ ok`, `→ ok: v2`, `→ failed (connection lost)`; a get of nothing says so."""
    words = f"→ {outcome.status.value}"
    if outcome.value is not None:
        words += f": {outcome.value}"
    elif kind is OperationKind.GET:
        words += ": nothing"
    return f"{words} ({outcome.detail})" if outcome.detail else words


def event_words(event: Event, *, several: bool = False) -> str:
    """A listener event in a few words: `update x = v3`, `destroy x (v4)`, `resolve x (v3 over v2: allow)`.

    Of several regions also which.
    """
    words = f"{event.kind.value} {event.key}".rstrip()
    if several:
        words += f" of {event.region}"
    if event.conflict is not None:
        new, old = event.token or "no value", event.conflict.old or "no value"
        return f"{words} ({new} over {old}: {event.conflict.answer})"
    if event.token is None:
        return words
    if event.kind in {EventKind.CREATE, EventKind.UPDATE}:
        return f"{words} = {event.token}"
    return f"{words} ({event.token})"


def entry_words(entry: Content) -> str:
    """What a member holds for a key: `x = v3`, `x = invalid`."""
    return f"{entry.key} = {'invalid' if entry.token is None else entry.token}"


def _queued(sight: QueueSight) -> str:
    """What a copy of a queue holds."""
    if not sight.depth and not sight.tokens:
        return "empty"
    if sight.tokens is None:
        return f"{sight.depth} events"
    return ", ".join("?" if token is None else token for token in sight.tokens)


def _told(  # noqa: PLR0912, PLR0915 - a case for each kind of moment
    moment: Moment, operations: dict[int, Operation], *, several: bool
) -> tuple[str, str, int | None]:
    """Where a moment belongs, its words, and the operation it is about."""
    place = HARNESS
    op_id: int | None = None
    match moment:
        case Called(operation=operation):
            place, op_id, words = operation.thread, operation.op_id, call_words(operation, several=several)
        case Returned(op_id=number, outcome=outcome):
            op_id, called = number, operations.get(number)
            place = called.thread if called else HARNESS
            words = outcome_words(outcome, called.kind if called else None)
        case Armed(gate=gate) | Parked(gate=gate) | NotParked(gate=gate) | Released(gate=gate):
            place, op_id = gate.member, gate.op_id
            words = GATE_WORDS[type(moment)].format(op_id)
            words += f" in the {gate.callback}" * (gate.callback != "listener")
        case Settled(held=held):
            behind = ", ".join(f"{key} on {member}" for member, key in held)
            words = f"settled, held back: {behind}" if behind else "settled"
        case Waited(awaited=awaited):
            words = f"timed out waiting for {awaited}"
        case Unsettled(repeated=repeated):
            words = f"did not settle: {repeated}" if repeated else "did not settle"
        case ClocksPassed():
            words = "clocks of all sites have moved on"
        case ContentsAsked(member=place, region=region):
            words = f"asked what {region} holds"
        case ContentsRead(member=place, region=region, gone=True):
            words = f"{region} is destroyed"
        case ContentsRead(member=place, region=region, entries=entries):
            words = f"{region} holds {', '.join(entry_words(entry) for entry in entries) or 'nothing'}"
        case StatisticAsked(member=place, name=name):
            words = f"asked for {name}"
        case StatisticRead(member=place, name=name, delta=delta):
            words = f"{name} moved by {delta:+d}" if delta else f"{name} did not move"
        case Left(member=place, region=region) | Joined(member=place, region=region):
            words = f"{'gives up' if isinstance(moment, Left) else 'takes'} its copy of {region}"
        case Hosted(member=place):
            asked = host_words(place, moment.region, checks=moment.asked, persistent=moment.persistent)
            came = {None: "refused", True: "checking is on", False: "checking is off"}[moment.in_force]
            words = f"{asked}: {came}"
        case AttributesRead(member=place, region=region, checks=checks):
            words = f"{region} is said to check" if checks else f"{region} is said not to check"
        case Registered(interest=interest, refused=refused):
            place, words = interest.client, interest_words(interest) + (": refused" if refused else "")
        case Scripted(member=place, region=region, refuses=keys):
            words = script_words(place, region, keys)
        case Redelivered(op_id=op_id, member=place):
            words = f"message of #{op_id} sent again"
        case FaultBegun(fault=fault) | FaultDone(fault=fault):
            place = fault.member or HARNESS
            words = fault_words(fault) + (": asked for" if isinstance(moment, FaultBegun) else "")
        case Located(region=region, key=key, primary=place, redundant=redundant):
            copies = f", copies on {', '.join(redundant)}" if redundant else ""
            words = f"primary for {key} of {region}{copies}"
        case QueueAsked(member=place, queue=queue):
            words = f"asked to see queue {queue}"
        case QueueRead(member=place, queue=queue, sight=sight):
            words = f"queue {queue}: {sight.role}, {_queued(sight)}"
        case _:
            assert_never(moment)
    return place, words, op_id
