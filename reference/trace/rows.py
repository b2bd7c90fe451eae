"""From one history to the rows of the trace.

Only what the harness asked and was shown becomes a row here, so every kind written is one seen from outside.
A candidate that shows its inside hands over further rows, placed in the timeline. Knows nothing of files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import assert_never

import msgspec

from plumbline.reference.history.fault_kinds import CLIENT_LIVES, STARTS_AGAIN, Fault, FaultKind
from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.join_moments import (
    CopyHeld,
    CopyReleased,
    JoinBegun,
    JoinEnded,
    JoinMoment,
)
from plumbline.reference.history.listener_calls import QUEUE, SUCCESS, QueueCall
from plumbline.reference.history.moments import (
    Armed,
    AttributesRead,
    Called,
    ClocksPassed,
    ContentsAsked,
    ContentsRead,
    FaultBegun,
    FaultDone,
    Hosted,
    Joined,
    Left,
    Located,
    Moment,
    NotParked,
    Parked,
    QueueAsked,
    QueueRead,
    QueueScripted,
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
)
from plumbline.reference.history.operations import (
    STORES_VALUE,
    Conflict,
    EventKind,
    OperationKind,
    Status,
)
from plumbline.reference.history.registration_moments import (
    AnswerHeld,
    AnswerReleased,
    RegistrationBegun,
    RegistrationEnded,
)
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.trace.head import head, registration, registration_columns
from plumbline.reference.trace.layout import Layout, Row
from plumbline.reference.trace.schema import TraceKind

_GATE_KINDS: dict[type[Moment], TraceKind] = {
    Armed: TraceKind.GATE_ARM,
    Parked: TraceKind.GATE_PARK,
    NotParked: TraceKind.GATE_MISS,
    Released: TraceKind.GATE_RELEASE,
}

_JOIN_KINDS: dict[type[JoinMoment], TraceKind] = {
    JoinBegun: TraceKind.JOIN_CALL,
    CopyHeld: TraceKind.JOIN_HELD,
    CopyReleased: TraceKind.JOIN_RELEASE,
    JoinEnded: TraceKind.JOIN_RETURN,
}


class Inside(msgspec.Struct, frozen=True):
    """A row that a candidate reports of its inside.

    Attributes:
        place: how many moments of the timeline had passed when it happened.
        row: its kind and columns; the writer adds run, example, source and seq.
    """

    place: int
    row: Row


CHECKS = "concurrency-checks-enabled"
"""The attribute by its name in a configuration file."""


def _moment(layout: Layout, index: int, moment: Moment) -> Iterator[Row]:  # noqa: PLR0912, PLR0915 - a case for each kind of moment
    match moment:
        case Called(operation=o, share=share):
            value = o.token if o.kind in STORES_VALUE else None
            eid = None if share is None else f"{share.op_id}.{share.place}"
            yield layout.operation(TraceKind.OP_BEGIN, o.op_id, thread=o.thread, value=value, eid=eid)
            if o.kind is OperationKind.TX_BEGIN:
                tx_id = layout.tx_id(o.op_id)
                yield layout.member(TraceKind.TX_BEGIN, o.member, thread=o.thread, tx_id=tx_id)
        case Returned(op_id=op_id, outcome=outcome):
            o_thread = layout.operations[op_id].thread if op_id in layout.operations else None
            status = None if op_id in layout.untold and outcome.status is Status.OK else outcome.status
            yield layout.operation(
                TraceKind.OP_END,
                op_id,
                thread=o_thread,
                status=status,
                value=outcome.value,
                detail=outcome.detail or None,
            )
            yield from _ends(layout, op_id, outcome.status)
        case Armed(gate=gate) | Parked(gate=gate) | NotParked(gate=gate) | Released(gate=gate):
            name = None if gate.callback == "listener" else gate.callback
            yield layout.operation(_GATE_KINDS[type(moment)], gate.op_id, gate.member, name=name)
        case Waited(awaited=awaited, op_id=op_id):
            yield {"kind": TraceKind.WAITED, "op_id": op_id, "detail": awaited or None}
        case Unsettled(repeated=repeated):
            yield {"kind": TraceKind.UNSETTLED, "detail": repeated or None}
        case ClocksPassed():
            yield {"kind": TraceKind.CLOCKS_PASSED}
        case Left(member=member, region=region) | Joined(member=member, region=region):
            kind = TraceKind.REGION_CLOSE if isinstance(moment, Left) else TraceKind.REGION_HOST
            yield layout.member(kind, member, region=region)
        case JoinBegun() | CopyHeld() | CopyReleased() | JoinEnded():
            yield layout.member(_JOIN_KINDS[type(moment)], moment.member, region=moment.region)
        case Hosted():
            yield from _hosted(layout, moment)
        case Registered(interest=interest, refused=refused):
            yield from registration(layout, interest, Status.REFUSED if refused else Status.OK)
        case RegistrationBegun() | AnswerHeld() | AnswerReleased() | RegistrationEnded():
            yield _of_registration(layout, moment)
        case Scripted(member=member, region=region, refuses=keys):
            cause = f"refuses {', '.join(keys)}" if keys else "refuses nothing"
            yield layout.member(TraceKind.INJECT, member, region=region, name="writer", cause=cause)
            for key in keys:
                yield layout.member(
                    TraceKind.INJECT, member, region=region, key=key, name="writer", cause="refuses"
                )
        case QueueScripted(member=member, queue=queue, answers=answers):
            cause = f"answers {', '.join((*answers, SUCCESS))}"
            yield layout.member(TraceKind.INJECT, member, queue=queue, name=QUEUE, cause=cause)
        case Redelivered(op_id=op_id, member=member):
            yield layout.operation(TraceKind.REDELIVER, op_id, member)
        case Settled(held=held):
            places = ", ".join(f"{member}/{key}" for member, key in held)
            yield {"kind": TraceKind.SETTLE, "amount": len(held), "detail": places or None}
        case ContentsAsked(number=number, member=member, region=region):
            yield layout.member(TraceKind.CONTENTS_ASKED, member, region=region, question=number)
        case ContentsRead():
            yield from _contents(layout, moment, quiet=index > layout.quiet_from)
        case StatisticAsked(number=number, member=member, name=name):
            yield layout.member(TraceKind.STAT_ASKED, member, name=name, question=number)
        case StatisticRead(number=number, member=member, name=name, delta=delta):
            yield layout.member(TraceKind.STAT, member, name=name, amount=delta, question=number)
        case AttributesRead(member=member, region=region, checks=checks):
            value = None if checks is None else str(checks).lower()
            yield layout.member(
                TraceKind.CONFIG, member, region=region, name=CHECKS, value=value, status=Status.OK
            )
        case Located(region=region, key=key):
            for member, role in ((moment.primary, "primary"), *((m, "secondary") for m in moment.redundant)):
                yield layout.member(TraceKind.ROLE, member, region=region, key=key, role=role)
        case FaultBegun() | FaultDone() | QueueAsked() | QueueRead():
            yield from _of_the_system(layout, moment)
        case _:
            assert_never(moment)


def _of_registration(
    layout: Layout, moment: RegistrationBegun | AnswerHeld | AnswerReleased | RegistrationEnded
) -> Row:
    """A registration that is under way beside all else; rules leave its example aside."""
    match moment:
        case RegistrationBegun(number=number, interest=interest):
            return layout.member(
                TraceKind.RI_CALL, interest.client, question=number, **registration_columns(interest)
            )
        case AnswerHeld(number=number, client=client):
            return layout.member(TraceKind.RI_HELD, client, question=number)
        case AnswerReleased(number=number, client=client):
            return layout.member(TraceKind.RI_RELEASE, client, question=number)
        case RegistrationEnded(number=number, client=client, status=status):
            return layout.member(TraceKind.RI_RETURN, client, question=number, status=status)


_ENDS = {
    OperationKind.TX_COMMIT: TraceKind.TX_COMMIT,
    OperationKind.TX_ROLLBACK: TraceKind.TX_ROLLBACK,
}


def _ends(layout: Layout, op_id: int, status: Status) -> Iterator[Row]:
    """A transaction has ended, if this operation ends one."""
    o = layout.operations.get(op_id)
    if o is not None and o.kind in _ENDS:
        tx_id = layout.tx_id(op_id)
        yield layout.member(_ENDS[o.kind], o.member, thread=o.thread, tx_id=tx_id, status=status)


def _hosted(layout: Layout, moment: Hosted) -> Iterator[Row]:
    """A member was to host a region with settings of its own: what was tried, and what came of it."""
    about = {"region": moment.region, "persistent": moment.persistent}
    refused = moment.in_force is None
    yield layout.member(
        TraceKind.CONFIG,
        moment.member,
        **about,
        name=CHECKS,
        checks=moment.asked,
        value=None if refused else str(moment.in_force).lower(),
        status=Status.REFUSED if refused else Status.OK,
    )
    if not refused:
        yield layout.member(TraceKind.REGION_HOST, moment.member, **about, checks=moment.in_force)


def _of_the_system(layout: Layout, moment: FaultBegun | FaultDone | QueueAsked | QueueRead) -> Iterator[Row]:
    """Faults count once they have happened, and what was asked of a queue is told by the answer."""
    if isinstance(moment, FaultDone):
        if moment.fault.kind is FaultKind.MOVE_PRIMARY:
            where = {"region": moment.fault.region, "key": moment.fault.key}
            yield layout.member(TraceKind.ROLE, moment.fault.member, role="moved", **where)
        yield _fault(layout, moment)
    elif isinstance(moment, QueueRead):
        yield from _queue(layout, moment)


_QUEUE_FAULTS = {
    FaultKind.PAUSE: TraceKind.QUEUE_PAUSE,
    FaultKind.RESUME: TraceKind.QUEUE_RESUME,
    FaultKind.RECEIVER_STOP: TraceKind.QUEUE_STOP,
    FaultKind.RECEIVER_START: TraceKind.QUEUE_START,
}
_LINK_STATUS = {
    FaultKind.LINK_DOWN: "down",
    FaultKind.LINK_UP: "up",
    FaultKind.REPLIES_LOST: "drop_acks",
    FaultKind.ANSWERS_LOST: "drop_acks",
    FaultKind.ANSWERS_BACK: "up",
}

_CLOCK_STATUS = {FaultKind.HOLD_TIME: "held", FaultKind.LET_RUN: "runs"}


def _fault(layout: Layout, moment: FaultDone) -> Row:
    """A fault that has happened, or what mended it."""
    fault = moment.fault
    if fault.kind is FaultKind.CRASH:
        return layout.member(TraceKind.CRASH, fault.member)
    if fault.kind in STARTS_AGAIN:
        return layout.member(TraceKind.MEMBER_START, fault.member)
    if fault.kind is FaultKind.MOVE_PRIMARY:
        at = {"region": fault.region, "key": fault.key}
        return layout.member(TraceKind.INJECT, fault.member, name="primary", **at)
    if fault.kind in _QUEUE_FAULTS:
        return layout.member(_QUEUE_FAULTS[fault.kind], fault.member, queue=fault.queue or "receiver")
    if fault.kind is FaultKind.TIME_LEAP:
        return {"kind": TraceKind.ADVANCE, "amount": fault.milliseconds}
    if fault.kind is FaultKind.CLOCK_SET:
        return {"kind": TraceKind.CLOCK, "site": fault.site, "amount": fault.milliseconds, "status": "held"}
    if fault.kind in _CLOCK_STATUS:
        return {"kind": TraceKind.CLOCK, "amount": 0, "status": _CLOCK_STATUS[fault.kind]}
    if fault.kind in CLIENT_LIVES:
        return _of_client(layout, fault)
    if fault.client:
        link = layout.member(TraceKind.LINK, fault.client, peer=fault.member)
        return link | {"status": _LINK_STATUS[fault.kind]}
    return {
        "kind": TraceKind.LINK,
        "site": fault.site,
        "peer": str(fault.remote_site),
        "status": _LINK_STATUS[fault.kind],
    }


def _of_client(layout: Layout, fault: Fault) -> Row:
    """A durable client has become ready, has gone or has come back."""
    match fault.kind:
        case FaultKind.CLIENT_READY:
            return layout.member(TraceKind.READY, fault.client)
        case FaultKind.CLIENT_CRASH:
            return layout.member(TraceKind.CRASH, fault.client)
        case FaultKind.CLIENT_START:
            ms = fault.milliseconds or None
            return layout.member(TraceKind.CLIENT_START, fault.client, timeout_ms=ms)
        case _:
            kept = fault.kind is FaultKind.CLIENT_DETACH
            return layout.member(TraceKind.CLIENT_CLOSE_BEGIN, fault.client, keep_alive=kept)


def _queue(layout: Layout, read: QueueRead) -> Iterator[Row]:
    """What was seen of a queue: its depth, its role, and each event where the candidate shows them."""
    sight = read.sight
    about: Row = {"queue": read.queue, "question": read.number}
    yield layout.member(TraceKind.ROLE, read.member, role=sight.role, **about)
    yield layout.member(TraceKind.DEPTH, read.member, amount=sight.depth, **about)
    for position, token in enumerate(sight.tokens or ()):
        yield layout.member(TraceKind.QUEUED, read.member, queue_pos=position, token=token, **about)


def _contents(layout: Layout, read: ContentsRead, *, quiet: bool) -> Iterator[Row]:
    """The answer, every key present, and every key that an operation named and that is absent."""
    if read.gone:
        yield layout.member(TraceKind.REGION_CLOSE, read.member, region=read.region, question=read.number)
        return
    yield layout.member(
        TraceKind.CONTENTS_READ,
        read.member,
        region=read.region,
        question=read.number,
        amount=len(read.entries),
    )
    kind = TraceKind.FINAL_VALUE if quiet else TraceKind.CONTENT
    held = {entry.key: entry.token for entry in read.entries}
    for key in held | layout.keys.get(read.region, {}):
        token = layout.named(held.get(key))
        written_by = layout.by_token.get(token) if token is not None else None
        yield layout.member(
            kind,
            read.member,
            region=read.region,
            key=key,
            question=read.number,
            value=token,
            token=token,
            op_id=written_by.op_id if written_by else None,
            detail=_in_place(held.get(key), token),
            state_after="absent" if key not in held else "invalid" if token is None else "valid",
        )


def _shown(layout: Layout, member: str, position: int, shown: Observation) -> Row:
    event = shown.event
    stores = event.kind in {EventKind.CREATE, EventKind.UPDATE}
    token = layout.named(event.token)
    columns = {
        **layout.member(TraceKind.LIVE if event.kind is EventKind.LIVE else TraceKind.LISTENER, member),
        "region": event.region,
        "key": event.key or None,
        "event": event.kind,
        "token": token,
        "value": token if stores else None,
        "detail": _in_place(event.token, token),
        "remote": event.remote,
        "log_pos": position,
    }
    called = layout.by_token.get(token) if token is not None else None
    if called is not None:
        columns |= {
            "op_id": called.op_id,
            "op": called.kind,
            "origin_member": called.member,
            "origin_thread": called.thread,
            "origin_seq": layout.turn.get(called.op_id),
            "origin_site": layout.site(called.member),
        }
    return columns if event.conflict is None else columns | _resolved(layout, event.conflict, token)


def _queue_call(layout: Layout, number: int, call: QueueCall) -> Iterator[Row]:
    """A batch that a listener of an asynchronous queue received, each event of it, and its answer."""
    about: Row = {
        **layout.member(TraceKind.DISPATCH_BEGIN, call.member),
        "queue": call.queue,
        "batch": number,
    }
    yield about | {"batch_size": len(call.events)}
    for place, change in enumerate(call.events):
        stores = change.kind in {EventKind.CREATE, EventKind.UPDATE}
        token = layout.named(change.token)
        called = layout.by_token.get(token) if token is not None else None
        yield about | {
            "kind": TraceKind.ASYNC_EVENT,
            "batch_pos": place,
            "region": change.region,
            "key": change.key,
            "event": change.kind,
            "token": token,
            "value": token if stores else None,
            "posdup": change.marked,
            "op_id": called.op_id if called else None,
            "op": called.kind if called else None,
        }
    yield about | {"kind": TraceKind.DISPATCH_END, "status": call.answer}


def _in_place(shown: str | None, token: str | None) -> str | None:
    """What was shown in place of a value, if anything was put there."""
    return None if shown == token else shown


def _resolved(layout: Layout, told: Conflict, token: str | None) -> Row:
    """What a call of a conflict resolver shows besides what a listener is told."""
    return {
        "kind": TraceKind.RESOLVER_CALL,
        "event": None,
        "op": "destroy" if told.kind is EventKind.DESTROY else "put",
        "value": None if told.kind is EventKind.DESTROY else token,
        "value_before": layout.named(told.old),
        "dsid": told.site,
        "stored_dsid": told.stored_site,
        "vts": told.time_ms,
        "stored_vts": told.stored_time_ms,
        "outcome": told.answer,
    }


def rows(
    run_id: str,
    example: str,
    source: Source,
    outcome: Verdict,
    history: History,
    inside: Sequence[Inside] = (),
) -> list[Row]:
    """The rows of one example, in order, complete with run, example, source and seq.

    A listener row stands where the harness had surely seen it, with the rows between which it happened.
    """
    layout = Layout(history)
    slots: list[list[tuple[int | None, Row]]] = [[] for _ in range(len(history.timeline) + 1)]
    for member, log in history.logs.items():
        for position, shown in enumerate(log):
            slots[shown.before].append((shown.after, _shown(layout, member, position, shown)))
    numbers: Counter[tuple[str, str]] = Counter()
    for seen in history.calls:
        where = seen.call.member, seen.call.queue
        for row in _queue_call(layout, numbers[where], seen.call):
            slots[seen.before].append((seen.after, row))
        numbers[where] += 1
    for item in inside:
        slots[item.place].append((None, dict(item.row)))

    table = list(head(layout))
    moment_seq: list[int] = []
    windows: list[tuple[Row, int, int]] = []
    for index in range(len(history.timeline) + 1):
        for after, row in slots[index]:
            if after is not None:
                windows.append((row, after, index))
            table.append(row)
        moment_seq.append(len(table))
        if index < len(history.timeline):
            table.extend(_moment(layout, index, history.timeline[index]))
    table.append({"kind": TraceKind.EXAMPLE_END, "status": outcome, "amount": len(table) + 1})
    for row, after, before in windows:
        row["seen_after"] = moment_seq[after - 1] if after > 0 else 0
        row["seen_before"] = moment_seq[before]
    for seq, row in enumerate(table):
        row |= {"run_id": run_id, "example": example, "source": source, "seq": seq}
    return table
