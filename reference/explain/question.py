"""From a history to a question that the search can answer: which model, which logs, what is still to come.

Knows which entry stands in which log; knows nothing of how the search works.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from plumbline.reference.explain.call_intervals import overtaken, ticks
from plumbline.reference.explain.client_lookahead import ClientDeliveryLookahead
from plumbline.reference.explain.clocks import readings
from plumbline.reference.explain.destroyed_regions import without_failed_calls
from plumbline.reference.explain.index import Index
from plumbline.reference.explain.listener_index import entry_of, repeats_calls, shows_marks
from plumbline.reference.explain.queue_orders import late_events
from plumbline.reference.explain.recorded_lookahead import RecordedLookahead
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.history import History, OrderStrength
from plumbline.reference.history.join_moments import JoinBegun, JoinEnded
from plumbline.reference.history.log_lines import is_of_alerts
from plumbline.reference.history.moments import Scripted, Settled, StatisticAsked
from plumbline.reference.history.operations import (
    LOCAL_ACTIONS,
    STORES_VALUE,
    Event,
    EventKind,
    Interest,
    OperationKind,
    Status,
    transactions_of,
)
from plumbline.reference.history.registration_moments import RegistrationBegun
from plumbline.reference.model.claims import LOOKED_AT, TIME_PASSES
from plumbline.reference.model.places import (
    TIMELINE,
    call_place,
    calls_at,
    listener_entry,
    listener_place,
    outcome_entry,
    outcome_place,
    own_place,
    resolver_entry,
)
from plumbline.reference.model.region_operations import WHOLE
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.lanes import told_apart
from plumbline.reference.model.system import Model
from plumbline.reference.reduction.log_reduction import LogReduction
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.conflict_resolvers import Told
from plumbline.reference.rulebook.effects import BECOMES, DISTRIBUTED_AS
from plumbline.reference.search.garbage import uncollected
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Logs, Place


class Late(Enum):
    """Which events may enter a queue behind others, though their operation was applied first."""

    AS_SEEN = "those that logs show behind, once the others have entered"
    PERHAPS = "those of which logs contradict each other, whenever they like"
    ANY = "all whose calls are under way together"


class Question(NamedTuple):
    """A model and the logs that it should explain."""

    system: Model
    logs: Logs


def ask(
    history: History,
    book: Rulebook,
    *,
    tries_again: bool = False,
    wanders: bool = False,
    late: Late = Late.AS_SEEN,
) -> Question:
    """The question whether the model with this rulebook can show exactly this history.

    Args:
        history: what was observed.
        book: the decisions.
        tries_again: whether senders may give up waiting for answers that are lost, and connect again.
        wanders: whether a sender may hand each batch to another receiver.
        late: which events may enter queues late.
    """
    with uncollected():
        return _ask(history, book, tries_again=tries_again, wanders=wanders, late=late)


def _ask(history: History, book: Rulebook, *, tries_again: bool, wanders: bool, late: Late) -> Question:
    history = told_apart(without_failed_calls(history), book)
    index = Index(history)
    setting = Setting(
        book,
        history.topology,
        history.regions,
        history.member_order,
        identified=history.callback_arguments,
        redeliverable=frozenset(index.redelivered),
        queues=history.queues,
        tombstones=history.tombstones,
    )
    for client in history.clients:
        setting.connect(client)
    if history.registers:
        setting.registered = tuple(
            Interest(client=client.name, region=region.name)
            for client in history.clients
            if client.subscription
            for region in history.regions
        )
    setting.plain = index.plain and not setting.lesser and not setting.displacing
    setting.joiners = frozenset(
        (what.member, what.region) for what in history.timeline if isinstance(what, JoinBegun)
    )
    setting.beside_copies = tuple(_beside_copies(history))
    setting.registers_meanwhile = any(isinstance(what, RegistrationBegun) for what in history.timeline)
    if history.tombstones is not None:
        setting.plain = False  # nothing is claimed of tombstones at clients
        setting.clients_as_documented = False
    if history.order_strength is OrderStrength.TOTAL and history.queues:
        setting.changes_queues = LOOKED_AT | TIME_PASSES
    setting.shared = index.shared
    setting.overtaken = overtaken(index)
    setting.timed = index.timed(losers_queued="queues_discarded" in book.replaced())
    setting.wanders = wanders
    setting.batches_wait = history.batches_wait
    setting.retries_wait = history.retries_wait
    if history.sends_on:
        setting.send_on()
    if history.resolver:
        setting.resolve_by(history.resolver)
    if history.queues and index.lives.begin_anew:
        setting.recover()
        setting.in_sequence = setting.tells_late = False  # both rest on who still has what
        setting.unsure = index.unsure
    if history.queues and any(isinstance(what, Scripted) and what.refuses for what in history.timeline):
        setting.refuse_received()
    if setting.conflates or setting.filtering:
        setting.in_sequence = setting.tells_late = False  # some leave their queue unseen
    setting.logs_read = any(
        isinstance(what, StatisticAsked) and is_of_alerts(what.name) for what in history.timeline
    )
    setting.marks, setting.repeats_calls = shows_marks(history), repeats_calls(history)
    setting.primaries = index.primaries
    setting.readings = readings(index)
    setting.ticks = ticks(index, history)
    setting.operations = index.operations
    setting.transactions = transactions_of(index.operations.values())
    setting.originators = index.originators
    setting.shares = index.shares
    setting.apart = index.apart
    _let_late(setting, history, index, late)
    for operation in index.operations.values():
        setting.lock_for(operation)
    setting.ambiguous = index.ambiguous
    client_lookahead = ClientDeliveryLookahead(index, history)
    setting.clients_as_documented &= client_lookahead.simple
    recorded_lookahead = RecordedLookahead(
        index,
        client_lookahead,
        # A member that starts again may find on its disk what others have been told is gone.
        calls=history.calls if setting.as_documented and not index.lives.begin_anew else (),
        fails_in_silence=setting.as_documented and not history.resolver,
        tries_again=tries_again,
    )
    model = Model(
        setting,
        history.order_strength,
        recorded_lookahead,
        index.answers,
        history.client_order_strength,
        LogReduction(setting, recorded_lookahead, history.order_strength),
    )
    return Question(model, _logs(history, index))


def _let_late(setting: Setting, history: History, index: Index, late: Late) -> None:
    """Some events may enter queues late."""
    events = late_events(history, index, in_any_order=late is Late.ANY)
    setting.has_heirs = any(fault.kind is FaultKind.CRASH for _, fault in index.faults)
    if late is Late.AS_SEEN:
        setting.entry_order = events.behind
    elif events.of:
        setting.enters_late = lambda queue, operation: operation.op_id in events.of.get(queue, ())
        setting.beside_late = events.windows


def _beside_copies(history: History) -> Iterator[tuple[int, int]]:
    """Between which moments a copy is taken beside all else: from a settle point on, until it has ended."""
    rests = [at for at, what in enumerate(history.timeline) if isinstance(what, Settled) and not what.held]
    ends = {what: at for at, what in enumerate(history.timeline) if isinstance(what, JoinEnded)}
    for at, what in enumerate(history.timeline):
        if not isinstance(what, JoinBegun):
            continue
        since = max((rest for rest in rests if rest < at), default=-1)
        yield since, ends.get(JoinEnded(what.member, what.region), len(history.timeline))


def _logs(history: History, index: Index) -> Logs:
    entries: dict[Place, list[Observation]] = {TIMELINE: list(history.timeline)}
    windows: dict[Place, list[tuple[int, int]]] = {}
    durable = {client.name for client in history.clients if client.durable_id is not None}
    by_token = {op.token: op for op in index.operations.values() if op.token is not None}
    for op_id, (_, outcome) in index.returned.items():
        # The outcome for each of many keys is unknown: of those removed some may have been absent.
        untold = op_id in index.shares and index.operations[op_id].kind is OperationKind.DESTROY
        if outcome.status is not Status.INDEFINITE and not (untold and outcome.status is Status.OK):
            entries[outcome_place(op_id)] = [outcome_entry(outcome)]
    for member in history.logs:
        of_client = history.client_order_strength if member in index.clients else None
        strength = of_client or history.order_strength
        # A key of which nothing was shown was observed all the same.
        for operation in index.operations.values():
            _, kind = BECOMES.get(operation.kind, (None, _LOCAL_EVENT.get(operation.kind, EventKind.UPDATE)))
            named = history.callback_arguments or operation.kind in STORES_VALUE
            thread = operation.thread if named and operation.kind not in LOCAL_ACTIONS else None
            place = listener_place(strength, member, operation.region, operation.key, thread, kind)
            if named and operation.op_id in index.apart and operation.member == member:
                place = own_place(member, operation.op_id)
            entries.setdefault(place, [])
            windows.setdefault(place, [])
        # That a region is live is no operation's event.
        for region in history.regions if member in durable else ():
            place = listener_place(strength, member, region.name, "", None, EventKind.LIVE)
            entries.setdefault(place, [])
            windows.setdefault(place, [])
        lives_until = index.lives.last_until(member)
        for shown in history.logs[member]:
            event = shown.event
            entry = _entry(event)
            caller = None if event.token is None else by_token.get(event.token)
            thread = None if caller is None or event.conflict is not None else caller.thread
            place, after = (
                listener_place(strength, member, event.region, event.key, thread, event.kind),
                shown.after,
            )
            if (
                caller is not None
                and caller.op_id in index.apart
                and caller.member == member
                and not event.conflict
            ):
                place, after = own_place(member, caller.op_id), min(after, index.called[caller.op_id])
            if event.conflict is not None and entries.get(place, [None])[-1:] == [entry]:
                continue  # a resolver that is asked once more at once has been asked
            entries.setdefault(place, []).append(entry)
            windows.setdefault(place, []).append((after, min(shown.before, lives_until)))
    for place, (shown_calls, spans) in _calls(history, index).items():
        entries[place], windows[place] = shown_calls, spans
    return Logs(entries, clock=TIMELINE, windows=windows, owners=_owners(entries))


def _owners(places: Iterable[Place]) -> dict[Place, Hashable]:
    """Whose each log is."""
    owners: dict[Place, Hashable] = {}
    for place in places:
        match place:
            case ("listener", holder, *_):
                owners[place] = holder
            case ("queue", holder, _):
                owners[place] = calls_at(holder)
    return owners


def _calls(history: History, index: Index) -> dict[Place, tuple[list[Observation], list[tuple[int, int]]]]:
    """What the listener of each asynchronous queue was called with on each member, and when."""
    found: dict[Place, tuple[list[Observation], list[tuple[int, int]]]] = {}
    for queue in history.queues:
        for site in history.topology.sites if queue.remote_site is None else ():
            for member in filter(queue.runs_on, site.members if site.number == queue.site else ()):
                found[call_place(member, queue.id)] = [], []
    for seen in history.calls:
        call = seen.call
        entries, spans = found.setdefault(call_place(call.member, call.queue), ([], []))
        entries.append(entry_of(call))
        spans.append((seen.after, min(seen.before, index.lives.last_until(call.member))))
    return found


def _entry(event: Event) -> Observation:
    """What a log shows of one event, as the model shows it."""
    told = event.conflict
    if told is None:
        return listener_entry(event.region, event.key, event.kind, event.token)
    later = (told.time_ms, told.site) > (told.stored_time_ms, told.stored_site)
    of = Told(told.kind, event.token, told.old, told.site, told.stored_site, later)
    return resolver_entry(event.region, event.key, of, told.answer)


_LOCAL_EVENT = {**{local: BECOMES[kind][1] for local, kind in DISTRIBUTED_AS.items()}, **WHOLE}
