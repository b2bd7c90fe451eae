"""Tellings: what listeners were told of and resolvers were asked about, when, and what of it more than once.

Knows logs; knows nothing of the timeline beside them, nor of what follows from any of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from plumbline.reference.history.fault_kinds import CLIENT_LIVES, STARTS_AGAIN, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.listener_calls import SUCCESS, QueueCall, SeenCall
from plumbline.reference.history.moments import Called, FaultBegun, Redelivered
from plumbline.reference.history.operations import STORES_VALUE, Operation
from plumbline.reference.model.places import call_entry, listener_entry
from plumbline.reference.search.transition import Entry

_BREAKS = (FaultKind.CRASH, FaultKind.LINK_DOWN, FaultKind.LINK_UP, FaultKind.RECEIVER_STOP)
"""What breaks connections between sites."""

_REPEATS = STARTS_AGAIN | CLIENT_LIVES | {FaultKind.ANSWERS_LOST, FaultKind.MOVE_PRIMARY}
"""After these a client or a member may try a call once more that was carried out."""

What = tuple[str, str, str | None]
"""Region, key and token."""


def without_questions(history: History) -> History:
    """The history without calls of resolvers: these do not modify entries."""
    if not history.resolver:
        return history
    logs = {
        member: tuple(shown for shown in log if shown.event.conflict is None)
        for member, log in history.logs.items()
    }
    return msgspec.structs.replace(history, logs=logs)


def told_more_than_once(history: History, sites: Mapping[str, int]) -> frozenset[What]:
    """What arrived more than once, surely or perhaps (see the functions behind this one).

    Args:
        history: with what resolvers were asked.
        sites: member or client → its site's number.
    """
    return told_again(history, sites) | told_late(history, sites) | may_have_come_in_silence(history, sites)


def received_again(history: History, sites: Mapping[str, int]) -> frozenset[int]:
    """The operations of one site that the listener of a queue at another one received more than once.

    A receiver that recognises a repeated event may put it into the queue once more.

    Args:
        history: with what listeners of queues received.
        sites: member or client → its site's number.
    """
    callers: dict[What, tuple[int, int]] = {
        (one.region, one.key, one.token): (one.op_id, sites[one.member])
        for one in (what.operation for what in history.timeline if isinstance(what, Called))
        if one.token is not None
    }
    received = Counter(
        (seen.call.queue, seen.call.member, (change.region, change.key, change.token))
        for seen in history.calls
        for change in seen.call.events
    )
    total: Counter[tuple[str, int, int]] = Counter()
    for (queue, member, what), times in received.items():
        op_id, site = callers.get(what, (0, sites[member]))
        if site != sites[member]:
            total[queue, op_id, site] += times
    return frozenset(op_id for (_, op_id, _), times in total.items() if times > 1)


def told_again(history: History, sites: Mapping[str, int]) -> frozenset[What]:
    """What arrived more than once: its listener received it again, or a resolver tells so.

    The resolvers of a site were asked about it more than once, or one at a member that had told of it before.
    Of what is told without a token, two changes of a key may look like one that came twice. Where listeners
    are given callback arguments, only what a region does itself has none, and it comes once.

    Args:
        history: with what resolvers were asked.
        sites: member or client → its site's number.
    """
    again: set[What] = set()
    asked: Counter[tuple[int, What]] = Counter()
    for member, log in history.logs.items():
        told: Counter[What] = Counter()
        for event in (shown.event for shown in log):
            what = (event.region, event.key, event.token)
            if event.conflict is None:
                told[what] += event.token is not None or not history.callback_arguments
            else:
                asked[sites[member], what] += 2 if what in told else 1
        again.update(what for what, times in told.items() if times > 1)
    return frozenset(again.union(what for (_, what), times in asked.items() if times > 1))


def told_late(history: History, sites: Mapping[str, int]) -> frozenset[What]:
    """What listeners received after a member of their site was started again, though it was called before.

    A receiver that starts again has forgotten what its site had received. So it may have been sent once more.

    Args:
        history: with what listeners received.
        sites: member or client → its site's number.
    """
    called: dict[str, int] = {}
    starts: dict[int, list[int]] = {}
    for moment, what in enumerate(history.timeline if history.queues else ()):
        match what:
            case Called(operation) if operation.token is not None:
                called[operation.token] = moment
            case FaultBegun(_, fault) if fault.kind in STARTS_AGAIN:
                starts.setdefault(sites[fault.member], []).append(moment)
    return frozenset(
        (shown.event.region, shown.event.key, shown.event.token)
        for member, log in (history.logs.items() if starts else ())
        for shown in log
        for moment in starts.get(sites[member], ())
        if called.get(shown.event.token or "", shown.before) < moment < shown.before
    )


def may_have_come_in_silence(history: History, sites: Mapping[str, int]) -> frozenset[What]:
    """What listeners of another site received of destroys and invalidates that may have come before.

    Where the entry is absent, such an event may change nothing that a listener is told of. So it may have
    come in silence, and is shown when it comes once more: behind a broken connection, again with its batch,
    or by way of a third site.

    Args:
        history: with what listeners received.
        sites: member or client → its site's number.
    """
    if not history.queues:
        return frozenset()
    called: dict[What, tuple[int, int]] = {}
    breaks: list[int] = []
    for moment, what in enumerate(history.timeline):
        match what:
            case Called(operation) if operation.kind not in STORES_VALUE:
                token = operation.token if history.callback_arguments else None
                where = (operation.region, operation.key, token)
                called.setdefault(where, (moment, sites[operation.member]))
            case FaultBegun(_, fault) if fault.kind in _BREAKS:
                breaks.append(moment)
    again = _comes_without_breaks(history)
    found: set[What] = set()
    for member, log in history.logs.items():
        for shown in log:
            told = (shown.event.region, shown.event.key, shown.event.token)
            moment, site = called.get(told, (shown.before, sites[member]))
            if site != sites[member] and (again or any(moment < one < shown.before for one in breaks)):
                found.add(told)
    return frozenset(found)


def _comes_without_breaks(history: History) -> bool:
    """Whether an event may come once more with its batch, or by way of a third site."""
    led = {(queue.site, queue.remote_site) for queue in history.queues if queue.remote_site is not None}
    numbers = [site.number for site in history.topology.sites]
    mesh = all((one, other) in led for one in numbers for other in numbers if one != other)
    kept = any(queue.remote_site is not None and not queue.remove_on_exception for queue in history.queues)
    return kept or (len(numbers) > 2 and not mesh)


def entry_of(call: QueueCall) -> Entry:
    """What the log of a queue's listener shows of one call, as the model shows it."""
    events = (listener_entry(one.region, one.key, one.kind, one.token, one.marked) for one in call.events)
    return call_entry(events, call.answer)


def shows_marks(history: History) -> bool:
    """Whether listeners of queues show which events are marked as possible duplicates."""
    return any(change.marked is not None for seen in history.calls for change in seen.call.events)


def repeats_calls(history: History) -> bool:
    """Whether something happens beside deaths after which any call may come to a member once more."""
    return any(
        isinstance(what, Redelivered) or (isinstance(what, FaultBegun) and what.fault.kind in _REPEATS)
        for what in history.timeline
    )


class ReceivedByQueues:
    """What the listeners of queues receive in an example: in which order, and what comes again.

    Operations are known by their tokens. Of an event without one, as of one that was never called, it is
    unknown which operation it is.
    """

    def __init__(
        self, calls: Iterable[SeenCall], operations: Iterable[Operation], sites: Mapping[str, int]
    ) -> None:
        """Read the calls.

        Args:
            calls: what listeners received; all of it, or nothing.
            operations: those looked for.
            sites: member → its site's number.
        """
        self._order: dict[tuple[str, str], dict[int, int]] = {}
        self._unknown: set[tuple[str, str]] = set()
        self._again: set[tuple[str, int]] = set()
        called: dict[What, Operation] = {
            (one.region, one.key, one.token): one for one in operations if one.token is not None
        }
        removed: set[tuple[str, str, int]] = set()
        for seen in calls:
            call = seen.call
            at = (call.member, call.queue)
            order, here = self._order.setdefault(at, {}), set[int]()
            for one in call.events:
                operation = called.get((one.region, one.key, one.token))
                if operation is None or sites.get(call.member) != sites[operation.member]:
                    self._unknown.add(at)
                    continue
                op_id = operation.op_id
                order.setdefault(op_id, len(order))
                if op_id in here or (*at, op_id) in removed:
                    self._again.add((call.member, op_id))
                    self._unknown.add(at)
                here.add(op_id)
            if call.answer == SUCCESS:
                removed |= {(*at, op_id) for op_id in here}

    def order(self, member: str, queue: str) -> Mapping[int, int] | None:
        """Operations of the member's site → which one of them its listener receives first, from 0.

        None if an event is unknown, or came again though the listener had answered that it was processed.
        """
        return None if (member, queue) in self._unknown else self._order.get((member, queue), {})

    def comes_again(self, member: str, op_id: int) -> bool:
        """Whether a queue of the member held an operation once more after it was processed there."""
        return (member, op_id) in self._again


def repetitions(history: History, until: int) -> int:
    """How many entries of logs, and calls of a queue's listener, tell once more of something.

    Those before a moment count.
    """
    found = 0
    received: set[tuple[str, What]] = set()
    for seen in history.calls:
        called = {(seen.call.queue, (one.region, one.key, one.token)) for one in seen.call.events}
        found += seen.after < until and not called.isdisjoint(received)
        received |= called
    for log in history.logs.values():
        told: set[tuple[What, bool]] = set()
        for shown in log:
            event = shown.event
            what = ((event.region, event.key, event.token), event.conflict is None)
            found += what in told and shown.after < until
            told.add(what)
    return found


def told_when(history: History) -> dict[tuple[str, str, str, str], tuple[int, int]]:
    """Of each member, region, key and token: between which moments its listener received it."""
    told: dict[tuple[str, str, str, str], tuple[int, int]] = {}
    for member, log in history.logs.items():
        for shown in log:
            event = shown.event
            if event.token is not None:
                where = (member, event.region, event.key, event.token)
                after, before = told.get(where, (shown.after, shown.before))
                told[where] = (min(after, shown.after), max(before, shown.before))
    return told
