"""Whether a fault had an effect: a fault injected in quiescence tests nothing.

A function of the history alone, and of what it shows for sure. Knows nothing of what is right.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from plumbline.reference.history.fault_kinds import CLIENT_LIVES, STARTS_AGAIN, Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, FaultBegun, FaultDone, Returned
from plumbline.reference.history.operations import Operation, Status

_NOT_A_BREAKAGE = frozenset(
    (
        *(FaultKind.LINK_UP, FaultKind.RECEIVER_START, FaultKind.PAUSE, FaultKind.RESUME),
        *(FaultKind.HOLD_TIME, FaultKind.TIME_LEAP, FaultKind.LET_RUN, FaultKind.CLOCK_SET),
        *(FaultKind.ANSWERS_BACK, FaultKind.MOVE_PRIMARY, *STARTS_AGAIN, *CLIENT_LIVES),
    )
)
"""What mends, what only keeps a queue from being emptied, and what is done to time."""


class _Crossing(msgspec.Struct, frozen=True):
    """An operation whose event was shown at another site.

    Attributes:
        operation: what was called.
        called: the moment of the call.
        seen: by which moments each member of another site had shown it.
    """

    operation: Operation
    called: int
    seen: dict[str, int]


def all_have_bitten(history: History) -> bool:
    """Whether something was broken, and each time it showed.

    * A crash: a call of the member ended indefinitely, or an event was shown beyond only afterwards.
    * A cut link, or all receivers of a site stopped: an event that was called for before the mending was
      shown beyond only afterwards; of receivers that are stopped one after the other the last one counts.
    * Replies lost: an event was shown beyond before the mending, so that its reply was lost.
    """
    broken = [
        (begun, fault)
        for begun, what in enumerate(history.timeline)
        if isinstance(what, FaultBegun) and (fault := what.fault).kind not in _NOT_A_BREAKAGE
    ]
    events = tuple(_crossings(history))
    bitten = [_has_bitten(history, begun, fault, events) for begun, fault in broken]
    return bool(bitten) and all(bitten)


def _has_bitten(history: History, begun: int, fault: Fault, events: tuple[_Crossing, ...]) -> bool:
    done = _done(history, begun)
    match fault.kind:
        case FaultKind.CRASH:
            return _cut_short(history, fault.member) or any(
                event.called < begun and _beyond_later(event, done, but=fault.member) for event in events
            )
        case FaultKind.ANSWERS_LOST:
            return True  # no machine of two sites has clients
        case FaultKind.REPLIES_LOST:
            mended = _mended(history, begun, FaultKind.LINK_UP)
            return any(
                history.topology.site_of(event.operation.member).number == fault.site
                and any(done < seen <= mended for seen in event.seen.values())
                for event in events
            )
        case FaultKind.LINK_DOWN:
            mended = _mended(history, begun, FaultKind.LINK_UP)
            return any(
                history.topology.site_of(event.operation.member).number == fault.site
                and event.called < mended
                and _beyond_later(event, mended)
                for event in events
            )
        case _:
            site = history.topology.site_of(fault.member)
            mended = _mended(history, begun, FaultKind.RECEIVER_START)
            if _running(history, site.members, done):
                # Events go to another receiver: it is the last one stopped that bites.
                later = _next_stop(history, site.members, done, mended)
                return later is not None and _has_bitten(history, *later, events)
            return any(
                event.operation.member not in site.members
                and event.called < mended
                and _beyond_later(event, mended)
                for event in events
            )


def _next_stop(
    history: History, members: tuple[str, ...], since: int, until: int
) -> tuple[int, Fault] | None:
    """When another receiver of the site was stopped before any was started again."""
    for at in range(since, until):
        what = history.timeline[at]
        if (
            isinstance(what, FaultBegun)
            and what.fault.kind is FaultKind.RECEIVER_STOP
            and what.fault.member in members
        ):
            return at, what.fault
    return None


def _crossings(history: History) -> Iterator[_Crossing]:
    seen: dict[str, dict[str, int]] = {}
    for member, log in history.logs.items():
        for shown in log:
            if shown.event.token is not None:
                seen.setdefault(shown.event.token, {}).setdefault(member, shown.before)
    for at, what in enumerate(history.timeline):
        if isinstance(what, Called) and what.operation.token is not None:
            home = history.topology.site_of(what.operation.member).members
            told = seen.get(what.operation.token, {})
            beyond = {member: by for member, by in told.items() if member not in home}
            if beyond:
                yield _Crossing(what.operation, at, beyond)


def _beyond_later(event: _Crossing, moment: int, but: str = "") -> bool:
    """Whether the event had not been seen at any member beyond at that moment, and was later."""
    left = [seen for member, seen in event.seen.items() if member != but]
    return bool(left) and all(seen > moment for seen in event.seen.values())


def _cut_short(history: History, member: str) -> bool:
    """Whether a call of the member ended so that it is unknown whether it happened."""
    called = {
        what.operation.op_id
        for what in history.timeline
        if isinstance(what, Called) and what.operation.member == member
    }
    return any(
        isinstance(what, Returned) and what.op_id in called and what.outcome.status is Status.INDEFINITE
        for what in history.timeline
    )


def _done(history: History, begun: int) -> int:
    begins = history.timeline[begun]
    assert isinstance(begins, FaultBegun)
    return next(
        (
            at
            for at, what in enumerate(history.timeline)
            if isinstance(what, FaultDone) and what.number == begins.number
        ),
        len(history.timeline),
    )


def _mended(history: History, begun: int, kind: FaultKind) -> int:
    """The moment from which on it may be mended again; the end if it never is."""
    broke = history.timeline[begun]
    assert isinstance(broke, FaultBegun)
    for at in range(begun + 1, len(history.timeline)):
        what = history.timeline[at]
        if isinstance(what, FaultBegun) and what.fault.kind is kind:
            same_link = (what.fault.site, what.fault.remote_site) == (
                broke.fault.site,
                broke.fault.remote_site,
            )
            same_site = kind is FaultKind.RECEIVER_START and (
                history.topology.site_of(what.fault.member) == history.topology.site_of(broke.fault.member)
            )
            if same_site or (kind is FaultKind.LINK_UP and same_link):
                return at
    return len(history.timeline)


def _running(history: History, members: tuple[str, ...], moment: int) -> set[str]:
    """The members whose receivers run at a moment, as far as faults tell."""
    running = set(members)
    for what in history.timeline[: moment + 1]:
        if isinstance(what, FaultDone) and what.fault.member in members:
            if what.fault.kind in (FaultKind.RECEIVER_STOP, FaultKind.CRASH):
                running.discard(what.fault.member)
            elif what.fault.kind is FaultKind.RECEIVER_START:
                running.add(what.fault.member)
    return running
