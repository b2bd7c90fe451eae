"""Trials: random small examples, conforming and corrupted, on which the search is judged.

The unreduced search decides each trial by looking at everything; the reduced one must agree. Knows how to
draw and spoil histories; knows nothing of either search.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Callable
from contextlib import suppress

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.reference.adapter import ReferenceAdapter
from plumbline.reference.history import (
    Called,
    ContentsRead,
    History,
    Moment,
    OrderStrength,
    Returned,
    Settled,
    Shown,
    StatisticRead,
)
from plumbline.reference.operations import (
    READS,
    Content,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Scope,
    Site,
    Status,
    Topology,
)
from plumbline.reference.rulebook.book import DECISIONS, Rulebook
from plumbline.reference.rulebook.faulty import FAULTY
from plumbline.suites.driving import Driver
from plumbline.suites.plans import Do, Finish, Park, Plan, PlanStep, Release, Settle, Start, run_plan

REGION = "r"

_WRITES = (OperationKind.PUT,) * 6 + (OperationKind.GET,)
_MIXED = (
    OperationKind.CREATE,
    OperationKind.PUT_IF_ABSENT,
    OperationKind.REPLACE,
    OperationKind.INVALIDATE,
    OperationKind.DESTROY,
    OperationKind.DESTROY,
    OperationKind.LOCAL_INVALIDATE,
    OperationKind.LOCAL_DESTROY,
    OperationKind.CONTAINS_KEY,
    OperationKind.GET,
)


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What kind of plan to draw.

    Attributes:
        operations: how many operations.
        keys: the keys; empty for a fresh key per put, while other operations take one of the latest keys.
        members: how many members.
        checks: the region's attribute.
        scope: the region's scope.
        mixed: share of operations other than put and get.
        parked: share of operations parked at a gate.
        started: share of operations that are called and finished later.
        settled: share of plan steps that settle in between.
        looks: share of calls behind which something is read while others are under way.
        redelivered: share of calls behind which an earlier message is delivered once more.
    """

    operations: int
    keys: tuple[str, ...] = ("x",)
    members: int = 3
    checks: bool | None = None
    scope: Scope = Scope.ACK
    mixed: float = 0.4
    parked: float = 0.2
    started: float = 0.5
    settled: float = 0.03
    looks: float = 0.0
    redelivered: float = 0.0


def draw_plan(draw: random.Random, shape: Shape) -> Plan:
    """A plan of this shape; each member has two threads."""
    members = tuple("ABCD"[: shape.members])
    steps: list[PlanStep] = []
    under_way: dict[str, int] = {}
    parked: list[tuple[int, str]] = []

    def release_one() -> None:
        op_id, member = parked.pop(draw.randrange(len(parked)))
        steps.append(Release(op_id, member))

    op_id = 0
    while op_id < shape.operations:
        if parked and draw.random() < 0.3:
            release_one()
        if not parked and under_way and draw.random() < 0.15:
            steps.append(Finish(under_way.pop(draw.choice(sorted(under_way)))))
        if draw.random() < shape.settled:
            steps.append(Settle())
        member = draw.choice(members)
        thread = f"{member}{draw.randrange(2)}"
        if thread in under_way:
            while parked:
                release_one()
            steps.append(Finish(under_way.pop(thread)))
        op_id += 1
        kind = draw.choice(_MIXED if draw.random() < shape.mixed else _WRITES)
        operation = Operation(
            op_id=op_id,
            thread=thread,
            member=member,
            region=REGION,
            kind=kind,
            key=draw.choice(shape.keys) if shape.keys else _fresh_key(draw, kind, op_id),
            token=None if kind in READS else f"t{op_id}",
        )
        chance = draw.random()
        if kind not in READS and chance < shape.parked:
            gate_member = member if draw.random() < 0.7 else draw.choice(members)
            steps.append(Park(operation, gate_member))
            parked.append((op_id, gate_member))
            under_way[thread] = op_id
        elif parked or chance < shape.parked + shape.started:
            steps.append(Start(operation))
            under_way[thread] = op_id
        else:
            steps.append(Do(operation))
    return Plan(
        members, (RegionAttributes(name=REGION, checks=shape.checks, scope=shape.scope),), tuple(steps)
    )


def _fresh_key(draw: random.Random, kind: OperationKind, op_id: int) -> str:
    """A key of its own for a put; for what needs something to work on, the key of a recent operation."""
    return f"k{op_id if kind is OperationKind.PUT else draw.randrange(max(1, op_id - 8), op_id + 1)}"


class _RestlessDriver(Driver):
    """A driver that does more than its plan says, while operations are under way: looks, and redelivers."""

    def __init__(self, adapter: Adapter, plan: Plan, shape: Shape, draw: random.Random) -> None:
        topology = Topology((Site(1, plan.members),))
        order = adapter.deploy(topology).member_order
        super().__init__(adapter, adapter.hello(), topology, order, plan.regions)
        self._shape = shape
        self._draw = draw
        self._returned: list[Operation] = []

    def call(self, operation: Operation) -> None:
        """Send a call, and perhaps something else behind it."""
        super().call(operation)
        member = self._draw.choice(self.topology.members)
        if self._draw.random() < self._shape.looks:
            if self._draw.random() < 0.5:
                self.contents(member, REGION)
            else:
                self.statistic(member, "conflatedEvents")
        if self._draw.random() < self._shape.redelivered:
            busy = {each.op_id for each in self.under_way}
            sent = [each for each in self._returned if each.op_id not in busy and each.member != member]
            if sent:
                self.redeliver(self._draw.choice(sent).op_id, member)
        if operation.kind is OperationKind.PUT:  # whatever it found, it was sent
            self._returned.append(operation)


def run_on_reference(
    plan: Plan, shape: Shape, *, book: Rulebook | None = None, seed: int | None = None
) -> History:
    """The history of a plan of this shape on the reference, chaotic if a seed is given."""
    adapter = ReferenceAdapter(book, chaotic=seed is not None, seed=seed or 0)
    draw = random.Random(seed or 0)  # noqa: S311 - reproducible trials, not secrets
    driver = _RestlessDriver(adapter, plan, shape, draw)
    # A faulty variant may block for good; what was seen until then is a history, too.
    with suppress(AdapterError):
        run_plan(plan, driver)
    return driver.history()


def _pick_log(history: History, draw: random.Random, least: int) -> str | None:
    members = [member for member, log in sorted(history.logs.items()) if len(log) >= least]
    return draw.choice(members) if members else None


def _with_log(history: History, member: str, log: list[Shown]) -> History:
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
        in (*READS, OperationKind.PUT_IF_ABSENT, OperationKind.REPLACE, OperationKind.CREATE)
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


def weakened(history: History, draw: random.Random) -> History:
    """The same history as a candidate would show it that reveals less; what conformed still conforms."""
    members = history.topology.members
    if draw.random() < 0.2:
        unobserved = draw.choice(members)
        logs = {member: log for member, log in history.logs.items() if member != unobserved}
        history = msgspec.structs.replace(history, logs=logs)
    if draw.random() < 0.5:
        history = _seen_late(history)
    strength = draw.choice((OrderStrength.TOTAL, OrderStrength.PER_KEY, OrderStrength.PER_KEY_AND_THREAD))
    history = msgspec.structs.replace(history, order_strength=strength)
    if draw.random() < 0.3:
        history = msgspec.structs.replace(history, member_order=None)
    if draw.random() < 0.1:
        history = _with_moment(history, draw, _answer_lost) or history
    if draw.random() < 0.1:
        history = _unsettled(history, draw)
    if draw.random() < 0.2:
        anonymous = {
            member: tuple(
                shown
                if shown.event.kind is EventKind.UPDATE
                else msgspec.structs.replace(shown, event=msgspec.structs.replace(shown.event, token=None))
                for shown in log
            )
            for member, log in history.logs.items()
        }
        history = msgspec.structs.replace(history, logs=anonymous, callback_arguments=False)
    return history


def _answer_lost(what: Moment) -> Moment | None:
    return Returned(what.op_id, Outcome(Status.INDEFINITE)) if isinstance(what, Returned) else None


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


def named_book(name: str) -> Rulebook:
    """The rulebook called "" (what the documents say), "faulty VARIANT" or "free DECISION"."""
    kind, _, which = name.partition(" ")
    match kind:
        case "faulty":
            return FAULTY[which].rulebook()
        case "free":
            return Rulebook().with_free(which)
        case _:
            return Rulebook()


def _draw_books(draw: random.Random) -> tuple[str, Rulebook]:
    """The name of the rulebook by which the trial is judged, and the rulebook that makes its history."""
    right = Rulebook()
    chance = draw.random()
    if chance < 0.7:
        return "", right
    if chance < 0.85:
        variant = draw.choice(sorted(FAULTY))
        return f"faulty {variant}", draw.choice((right, FAULTY[variant].rulebook()))
    decision = draw.choice(sorted(DECISIONS))
    variants = [variant.rulebook() for variant in FAULTY.values() if decision in variant.replaces]
    return f"free {decision}", draw.choice((right, *variants))


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One case.

    Attributes:
        seed: what it was drawn from.
        history: what was seen.
        rulebook: the name of what it is judged by, see `named_book`.
        corruption: how the history was spoilt, "" if it was not.
        operations: how many operations were called.
        overlapping: whether some of them were under way at one time.
    """

    seed: int
    history: History
    rulebook: str
    corruption: str
    operations: int
    overlapping: bool


def draw_trial(seed: int) -> Trial:
    """The trial of this seed: a small chaotic example, a third of them spoilt once.

    Most are judged by what the documents say; some by a faulty variant or with a decision left open, since
    the oracle asks such questions, too.
    """
    draw = random.Random(seed)  # noqa: S311 - reproducible trials, not secrets
    shape = Shape(
        operations=draw.randrange(3, 9),
        keys=draw.choice((("x",), ("x",), ("x", "y"))),
        members=draw.choice((2, 3, 3)),
        checks=draw.choice((None, None, True, False)),
        scope=draw.choice((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
        mixed=draw.choice((0.3, 0.7)),
        started=draw.choice((0.3, 0.8)),
        settled=0.1,
        looks=draw.choice((0.0, 0.3)),
        redelivered=draw.choice((0.0, 0.0, 0.0, 0.3)),
    )
    rulebook, made_by = _draw_books(draw)
    plan = draw_plan(draw, shape)
    history = run_on_reference(plan, shape, book=made_by, seed=seed)
    overlapping = _overlaps(history)
    history = weakened(history, draw)
    corruption = ""
    if seed % 3 == 0:
        names = sorted(CORRUPTIONS)
        draw.shuffle(names)
        for name in names:
            spoilt = CORRUPTIONS[name](history, draw)
            if spoilt is not None and spoilt != history:
                history, corruption = spoilt, name
                break
    return Trial(
        seed=seed,
        history=history,
        rulebook=rulebook,
        corruption=corruption,
        operations=shape.operations,
        overlapping=overlapping,
    )


def _overlaps(history: History) -> bool:
    """Whether two operations were under way at one time."""
    under_way = 0
    for what in history.timeline:
        under_way += isinstance(what, Called) - isinstance(what, Returned)
        if under_way > 1:
            return True
    return False
