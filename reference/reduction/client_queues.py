"""Client queues: what a client takes from its queue as the only successor, and what need not be queued.

The steps are in `plumbline.reference.model.clients`. Knows what the logs show and what is still to come.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.model import claims
from plumbline.reference.model.clients.registrations import PRESENT
from plumbline.reference.model.described_steps import Arrival, QueuedForClient
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.lookahead import Lookahead, Ternary
from plumbline.reference.model.setting import Setting
from plumbline.reference.reduction.arrival_ways import ArrivalWay
from plumbline.reference.reduction.condition import Conditions, condition
from plumbline.reference.reduction.durable_queues import DurableQueues
from plumbline.reference.rulebook.values import EntryState
from plumbline.reference.search.transition import Claim, Step


class _OfClients(Conditions):
    """What these reductions know."""

    def __init__(self, setting: Setting, lookahead: Lookahead) -> None:
        self._setting = setting
        self._lookahead = lookahead


class LeftAlone(_OfClients):
    """Nothing but its queue tells a client of a key."""

    @condition("a client takes its queue whatever it does itself")
    def _the_client_leaves_the_key_alone(self, arrival: Arrival) -> bool:
        """A client that reads or changes its copy may do so before the event arrives, or behind it."""
        return not self._lookahead.clients.meddles(
            arrival.world, arrival.view.now, arrival.client, arrival.operation
        )


class ShownNext(_OfClients):
    """The client's log fixes which event it takes next."""

    @condition("a client shows an event whatever else its copy may become")
    def _the_log_fixes_the_change(self, way: ArrivalWay) -> bool:
        """An event that a client shows changes its copy, with the conditions of each received update."""
        return way.step.claim is not None


class ShownByClient(_OfClients):
    """What passes in silence is known from then on. So an event that the log still shows does not pass so."""

    @condition("a client shows all events whatever is decided")
    def _clients_are_as_documented(self, _: Arrival) -> bool:
        """A client that may be sent an event twice, or forget it, may still show what passed in silence."""
        return self._setting.clients_as_documented

    @condition("a client shows what its log cannot tell apart")
    def _the_log_decides_which_it_is(self, arrival: Arrival) -> bool:
        """Another event may be the entry of the log."""
        return arrival.decided

    @condition("a client shows each event that arrives")
    def _the_log_still_shows_it(self, arrival: Arrival) -> bool:
        """An event that the log shows no more passes in silence."""
        return arrival.view.still(arrival.place, arrival.shown)

    @condition("a client that fetches is told by messages only")
    def _the_client_does_not_fetch_it(self, arrival: Arrival) -> bool:
        """A client that gets the key itself may show what it fetched, and the event passes in silence."""
        return not self._lookahead.clients.fetches(arrival.client, arrival.operation)


class _Silent(_OfClients):
    """What passes in silence at a client."""

    def _is_shown_no_more(self, arrival: Arrival) -> bool:
        return arrival.decided and not arrival.view.still(arrival.place, arrival.shown)

    def _looks_alike(self, way: ArrivalWay) -> bool:
        """Whether all ways of taking an event look alike to each reader of the key at the client."""
        operation, client = way.arrival.operation, way.arrival.client
        seen = {
            _reading(one.entry(client, operation.region, operation.key))
            for one in (way.arrival.world, *(other.state for other in way.ways))
        }
        return len(seen) == 1 and not any(other.shows for other in way.ways)

    def _owes(self, arrival: Arrival) -> Ternary:
        """Whether a client would take what it still shows for a repetition, if it knew the number."""
        if not self._setting.tracked(arrival.client):
            return Ternary.NO
        return self._lookahead.clients.owes_earlier(
            arrival.world, arrival.view, arrival.client, arrival.operation
        )


class PassedInSilence(_Silent):
    """An event that its server has to send, and that the client shows no more, passes at once."""

    @condition("a client passes over what its log still shows")
    def _the_log_shows_it_no_more(self, way: ArrivalWay) -> bool:
        """An event that the log still shows comes from another server, or in another form."""
        return self._is_shown_no_more(way.arrival)

    @condition("an answer may overtake what is on its way")
    def _no_answer_comes_by_another_way(self, way: ArrivalWay) -> bool:
        """The answer to a call of the client makes the entry newer, and the event changes nothing then."""
        operation, client = way.arrival.operation, way.arrival.client
        where, before = (operation.region, operation.key), way.arrival.world
        if way.step.state.entry(client, *where) == before.entry(client, *where):
            return True
        operations, originators = self._setting.operations, self._setting.originators
        return not any(
            originators.get(op_id) == client and (operations[op_id].region, operations[op_id].key) == where
            for op_id in before.calls
        )

    @condition("a client takes an event in any way that shows nothing")
    def _no_reader_sees_a_difference(self, way: ArrivalWay) -> bool:
        """What a reader may see of the change, or of another way to take it, depends on the order."""
        return way.step.claim is not None or (len(way.ways) == 1 and self._looks_alike(way))


class PassedOver(_Silent):
    """An event that its server need not send, and that the client shows no more, passes at once."""

    @condition("a client passes over what may not have been sent, and its log still shows")
    def _the_log_shows_it_no_more(self, way: ArrivalWay) -> bool:
        """An event that the log still shows comes from another server, or in another form."""
        return self._is_shown_no_more(way.arrival)

    @condition("a client takes what may not have been sent")
    def _the_copy_stays_as_it_is(self, way: ArrivalWay) -> bool:
        """The event changes nothing where it was never sent, so its change is a choice."""
        what: str = way.step.name[0]
        return what in {"ignores", "is never sent"}

    @condition("a client passes over what may never have been sent, whoever reads")
    def _no_reader_sees_a_difference(self, way: ArrivalWay) -> bool:
        """What a reader may see of another way to take the event depends on whether it was sent."""
        return self._looks_alike(way)

    @condition("a client knows what may never have been sent, whatever it still shows")
    def _no_earlier_event_is_to_come(self, way: ArrivalWay) -> bool:
        """A client that knows the event takes earlier ones of the thread for repetitions."""
        return self._owes(way.arrival) is Ternary.NO


class SentSurely(_OfClients):
    """To a client whose server never changes it is alike whether it knows what its server did not send."""

    @condition("each client knows what its server left out, whatever is decided")
    def _clients_are_as_documented(self, _: Arrival) -> bool:
        """What clients know matters where they are sent events twice."""
        return self._setting.clients_as_documented

    @condition("each client knows what its server left out, and another may send")
    def _no_other_server_takes_over(self, arrival: Arrival) -> bool:
        """Another server sends what this one left out, and the client would take it for a repetition."""
        return not self._lookahead.clients.takes_over(arrival.world, arrival.view.now, arrival.client)


class Acknowledged(_OfClients):
    """A secondary drops what its client has processed."""

    @condition("a secondary hears what was received though its client may forget it")
    def _the_client_never_forgets(self, client: str) -> bool:
        """A client does not recognise a repetition of an event that it has forgotten."""
        return self._setting.clients[client].tracking_timeout_ms is None


class DroppedWhenSent(_OfClients):
    """How much of a queue was dropped as its client went shows only in what is sent of it later."""

    @condition("what a server drops is decided later whatever is decided")
    def _durable_clients_are_as_documented(self, _: str) -> bool:
        """What a server does with a queue as documented does not depend on how long the queue is."""
        return self._setting.durable_as_documented


class SecondaryKeepsNothing(_OfClients):
    """A secondary need not keep what only a take-over would send."""

    @condition("a secondary keeps nothing whatever is decided")
    def _clients_are_as_documented(self, _: QueuedForClient) -> bool:
        """A queue at a secondary may show otherwise where a client does not behave as documented."""
        return self._setting.clients_as_documented

    @condition("no other server takes over")
    def _no_other_server_takes_over(self, event: QueuedForClient) -> bool:
        """The server that takes over sends the client what it has kept."""
        return not self._lookahead.clients.takes_over(event.world, event.view.now, event.client)


class PrimarySendsNothing(_OfClients):
    """A server need not queue what no log and no reader shows."""

    @condition("a server sends nothing of what it discards whatever is decided")
    def _clients_are_as_documented(self, _: QueuedForClient) -> bool:
        """An event may hold others up where a client does not behave as documented."""
        return self._setting.clients_as_documented

    @condition("a server sends nothing of what a client has to be sent")
    def _the_client_need_not_be_sent_it(self, event: QueuedForClient) -> bool:
        """A client that is sent an event changes its copy, and may show nothing."""
        return not any(event.owed)

    @condition("what may be sent once more is spared")
    def _no_other_server_takes_over(self, event: QueuedForClient) -> bool:
        """The server that takes over may send it, and the client knows it, or not."""
        return not self._lookahead.clients.takes_over(event.world, event.view.now, event.client)

    @condition("what a server discards is never sent")
    def _the_client_does_not_show_it(self, event: QueuedForClient) -> bool:
        """An event that the client's log shows was sent."""
        return self._lookahead.clients.unheard(event.view, event.client, event.operation)


class SentInOneForm(_OfClients):
    """The client's log shows whether an event came with its value."""

    @condition("an event is sent in the form that is shown whatever is decided")
    def _clients_are_as_documented(self, _: QueuedForClient) -> bool:
        """An event in the other form may be shown otherwise where clients do not behave as documented."""
        return self._setting.clients_as_documented

    @condition("a client that is told in one form may have fetched it")
    def _the_client_does_not_get_it(self, event: QueuedForClient) -> bool:
        """A client that gets the value itself may show that instead."""
        return not self._lookahead.clients.gets(event.client, event.operation)


class ClientQueues:
    """The reduction of what clients are sent and take, and of their servers."""

    def __init__(self, setting: Setting, lookahead: Lookahead) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._durable = DurableQueues(setting, lookahead)
        self.dropping = self._durable.dropping
        self._left_alone = LeftAlone(setting, lookahead)
        self._shown = ShownNext(setting, lookahead)
        self._instead = ShownByClient(setting, lookahead)
        self._silent = PassedInSilence(setting, lookahead)
        self._passed = PassedOver(setting, lookahead)
        self._sent = SentSurely(setting, lookahead)
        self._acknowledged = Acknowledged(setting, lookahead)
        self._dropped = DroppedWhenSent(setting, lookahead)
        self._kept = SecondaryKeepsNothing(setting, lookahead)
        self._unseen = PrimarySendsNothing(setting, lookahead)
        self._form = SentInOneForm(setting, lookahead)

    def arrivals(self, arrival: Arrival, ways: list[Step], unsent: list[Step]) -> Iterator[Step]:
        """See `Independence`. A client that only puts and destroys takes its events as a member does."""
        if self._setting.plain:
            yield from ways  # such a client has one server, so none of its events may be left out
            return
        if arrival.client in self._setting.durable:
            yield from self._durable.claimed(arrival, ways, unsent)
            return
        alone = self._left_alone.hold(arrival)
        if unsent and arrival.view.reduced and self._sent.hold(arrival):
            ways, unsent = [*ways, *unsent], []
        if alone and arrival.view.reduced and self._instead.hold(arrival):
            ways = [step for step in ways if step.shows]
        for step in ways:
            step.claim = self._taken(ArrivalWay(arrival, step, ways)) if alone else None
            step.loses = ()
            yield step
        yield from unsent

    def _taken(self, way: ArrivalWay) -> Claim | None:
        if way.step.shows:
            return claims.SHOW_AT_CLIENT if self._shown.hold(way) else None
        silent = self._silent if way.arrival.head.sure else self._passed
        return claims.DISCARD_AT_CLIENT if silent.hold(way) else None

    def recognition(self, arrival: Arrival) -> Claim | None:
        """See `Independence`. A client that may forget what it has processed never leaves a key alone."""
        if arrival.client in self._setting.durable:
            return self._durable.recognition(arrival)
        return claims.RECOGNISED if self._left_alone.hold(arrival) else None

    def acknowledgement(self, client: str) -> Claim | None:
        """See `Independence`."""
        return claims.ACKNOWLEDGED if self._acknowledged.hold(client) else None

    def drops_later(self) -> bool:
        """See `Independence`."""
        return self._dropped.hold("")

    def passing_on(self) -> Claim | None:
        """See `Independence`. A call, and its answer, may stay on its way as long as it likes."""
        return claims.PASS_ON

    def is_unseen_in_queue(self, event: QueuedForClient) -> bool:
        """See `Independence`."""
        if not event.view.reduced:
            return False
        return (self._unseen if event.primary else self._kept).hold(event)

    def form_in_queue(self, event: QueuedForClient) -> bool | None:
        """See `Independence`."""
        if not event.view.reduced or not self._form.hold(event):
            return None
        return self._lookahead.clients.told_without_value(event.view, event.client, event.operation)


def _reading(entry: Entry) -> tuple[bool, str | None]:
    """What a reader sees of an entry: whether the key is there, and its value."""
    return entry.state in PRESENT, entry.token if entry.state is EntryState.LIVE else None
