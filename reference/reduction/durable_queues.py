"""Durable queues: what a durable client takes from its queue as the only successor.

What has passed in one life may be shown in the next. So only what leaves no choice is followed alone. The
steps are in `plumbline.reference.model.clients`. Knows what the logs show and what is still to come.
"""

from __future__ import annotations

from plumbline.reference.model import claims
from plumbline.reference.model.clients.durable_clients import TOLD_ONLY
from plumbline.reference.model.described_steps import Arrival, PerhapsDropped
from plumbline.reference.model.lookahead import Lookahead, Ternary
from plumbline.reference.model.setting import Setting
from plumbline.reference.reduction.arrival_ways import ArrivalWay
from plumbline.reference.reduction.condition import Conditions, condition
from plumbline.reference.search.transition import Claim, Step


class _OfDurable(Conditions):
    """What these reductions know."""

    def __init__(self, setting: Setting, lookahead: Lookahead) -> None:
        self._setting = setting
        self._lookahead = lookahead


class RecognisedInLife(_OfDurable):
    """What a client has processed in this life it recognises for the rest of it."""

    @condition("a durable client takes its queue at once whatever is decided")
    def _clients_are_as_documented(self, _: Arrival) -> bool:
        """A client that may forget an event, or is sent it in another life, may show it once more."""
        return self._setting.clients_as_documented and self._setting.durable_as_documented


class ShownInLife(_OfDurable):
    """The client's log fixes which event it shows next. Any server may send it, and in any life."""

    @condition("a durable client shows what its log cannot tell apart")
    def _the_log_decides_which_it_is(self, way: ArrivalWay) -> bool:
        """Another event may be the entry of the log."""
        return way.arrival.decided

    @condition("a durable client shows an event though its marker may come first")
    def _the_log_has_one_order(self, _: ArrivalWay) -> bool:
        """Where keys have no order between them, the marker may come before the event, or behind it."""
        return self._lookahead.clients.has_one_order()

    @condition("a durable client shows an event in any of several ways")
    def _it_is_shown_in_one_way(self, way: ArrivalWay) -> bool:
        """What the event makes of the copy matters later."""
        view = way.arrival.view
        fits = [one for one in way.ways if one.shows and all(view.fits(*shown) for shown in one.shows)]
        return len(fits) == 1 and fits[0] is way.step

    @condition("a durable client shows an event whatever else its copy may become")
    def _the_log_fixes_the_change(self, way: ArrivalWay) -> bool:
        """An event that changes the copy needs the conditions of each received update."""
        return way.step.claim is not None or way.step.name[0] == TOLD_ONLY


class SilentInLife(_OfDurable):
    """An event that the log shows no more, and that changes nothing, passes at once."""

    @condition("a durable client passes over what its log still shows")
    def _the_log_shows_it_no_more(self, way: ArrivalWay) -> bool:
        """An event that the log still shows comes from another server, or in another life."""
        arrival = way.arrival
        return arrival.decided and self._lookahead.clients.unheard(
            arrival.view, arrival.client, arrival.operation
        )

    @condition("a durable client passes over what may change its copy")
    def _the_copy_stays_as_it_is(self, way: ArrivalWay) -> bool:
        """A change that shows nothing is seen by what comes later."""
        arrival = way.arrival
        where = (arrival.client, arrival.operation.region, arrival.operation.key)
        before = arrival.world.entry(*where)
        return all(
            one.state.entry(*where) == before
            for one in way.ways
            if not one.shows or all(arrival.view.fits(*shown) for shown in one.shows)
        )

    @condition("a durable client knows what passes in silence, whatever it still shows")
    def _no_earlier_event_is_to_come(self, way: ArrivalWay) -> bool:
        """A client that knows the event takes earlier ones of the thread for repetitions."""
        arrival = way.arrival
        owes = self._lookahead.clients.owes_earlier(
            arrival.world, arrival.view, arrival.client, arrival.operation
        )
        return owes is Ternary.NO


class DroppedUnshown(_OfDurable):
    """Whether an event was dropped makes no difference where it shows and changes nothing."""

    @condition("a server has dropped what its client may take")
    def _it_changes_no_copy(self, event: PerhapsDropped) -> bool:
        """An event that a live client does not know may change its copy."""
        return event.known or not event.live

    @condition("a server has dropped what its client still shows")
    def _the_log_shows_it_no_more(self, event: PerhapsDropped) -> bool:
        """An event that stays in the queue may be shown in this life, or in a later one."""
        return self._lookahead.clients.unheard(event.view, event.client, event.operation)


class DroppedAsKnown(_OfDurable):
    """Whether an event was dropped makes no difference where the client recognises it for good."""

    @condition("a server has dropped what its client does not know")
    def _the_client_knows_it(self, event: PerhapsDropped) -> bool:
        """An event that the client does not know is shown, or changes its copy."""
        return event.known

    @condition("a server has dropped what its client knows in this life")
    def _the_client_stays(self, event: PerhapsDropped) -> bool:
        """A client that goes forgets what it knows, and is sent the event once more."""
        return not self._lookahead.clients.ends_life(event.world, event.view.now, event.client)


class DurableQueues:
    """The reduction of what durable clients take."""

    def __init__(self, setting: Setting, lookahead: Lookahead) -> None:
        self._recognised = RecognisedInLife(setting, lookahead)
        self._shown = ShownInLife(setting, lookahead)
        self._silent = SilentInLife(setting, lookahead)
        self._unshown = DroppedUnshown(setting, lookahead)
        self._known = DroppedAsKnown(setting, lookahead)

    def claimed(self, arrival: Arrival, ways: list[Step], unsent: list[Step]) -> list[Step]:
        """All ways of taking an event, one of them claimed if it may be followed alone."""
        found = [*ways, *unsent]
        claim, only = self._only(arrival, ways, unsent) if self._recognised.hold(arrival) else (None, None)
        for step in found:
            step.claim = claim if step is only else None
            step.loses = ()
        return found

    def _only(
        self, arrival: Arrival, ways: list[Step], unsent: list[Step]
    ) -> tuple[Claim, Step] | tuple[None, None]:
        for step in ways:
            if step.shows and self._shown.hold(ArrivalWay(arrival, step, ways)):
                return claims.SHOW_AT_CLIENT, step
        # What a client that is not live is told of shows, so what does not was never sent.
        live = arrival.world.served.durable[arrival.client].live
        for step in ways if live else unsent:
            if not step.shows and self._silent.hold(ArrivalWay(arrival, step, ways)):
                return claims.DISCARD_AT_CLIENT, step
        return None, None

    def dropping(self, event: PerhapsDropped) -> Claim | None:
        """See `Independence`. Nothing is left open where clients are not as documented."""
        passes = self._unshown.hold(event) or self._known.hold(event)
        return claims.DISCARD_AT_CLIENT if passes else None

    def recognition(self, arrival: Arrival) -> Claim | None:
        """See `Independence`."""
        return claims.RECOGNISED if self._recognised.hold(arrival) else None
