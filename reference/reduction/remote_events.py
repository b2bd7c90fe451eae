"""Remote events: when what a gateway receiver does with an event is the only successor.

The steps are in `plumbline.reference.model.sites`. Knows what the logs show and what is still to come.
"""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.reference.model import claims
from plumbline.reference.model.described_steps import AnsweredBatch, RefusedEvent, RemoteChange, RepeatedEvent
from plumbline.reference.model.independence import POSTPONED, Priority
from plumbline.reference.model.lookahead import Lookahead, Ternary
from plumbline.reference.model.setting import Propagation, Setting
from plumbline.reference.model.sites import dependences
from plumbline.reference.model.sites.delivery_paths import DeliveryPaths
from plumbline.reference.reduction.condition import Conditions, condition
from plumbline.reference.search.transition import Claim, Place, View
from plumbline.reference.search.transition import Entry as Observation


class _OfReceivers(Conditions):
    """What these reductions know."""

    def __init__(self, setting: Setting, lookahead: Lookahead, ways: DeliveryPaths) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._ways = ways


class RemoteReceiptFixedByLog(_OfReceivers):
    """The log fixes which event of another site is applied next, and no other step depends on it."""

    def __init__(self, setting: Setting, lookahead: Lookahead, ways: DeliveryPaths) -> None:
        super().__init__(setting, lookahead, ways)
        self._asked: tuple[RemoteChange | None, Ternary] = (None, Ternary.MAYBE)

    def reader(self, change: RemoteChange) -> Ternary:
        """Whether a call reads the entry before the change; the last answer is kept, as it is asked twice."""
        if self._asked[0] is not change:
            comes = self._lookahead.reader_to_come(
                change.world, change.view.now, change.member, change.operation, change.entry
            )
            self._asked = (change, comes)
        return self._asked[1]

    @condition("a remote event is applied whatever the log decides")
    def _the_log_decides_which_it_is(self, change: RemoteChange) -> bool:
        """Several updates may fit one entry of a log."""
        return change.decided

    @condition("a remote event is applied once more at once")
    def _it_comes_for_the_first_time(self, change: RemoteChange) -> bool:
        """A repetition may be recognised instead, and the log shows another one later."""
        return change.first

    @condition("a remote event is applied though another one may lose first")
    def _no_loser_comes_first(self, change: RemoteChange) -> bool:
        """An update that loses against what is stored now would win against this one."""
        operation = change.operation
        return not (
            self._setting.is_shared(operation.region, operation.key)
            and self._lookahead.loser_to_come(change.world, change.view.now, change.member, operation)
        )

    @condition("a remote event is applied though timestamps may tie")
    def _the_comparison_was_certain(self, change: RemoteChange) -> bool:
        """Equal timestamps of sites leave open which event wins, until one of them is applied."""
        return change.known_before

    @condition("a remote event is applied though somebody may still read")
    def _no_call_reads_first(self, change: RemoteChange) -> bool:
        """A call that has yet to read the entry may have read what was there before."""
        return self.reader(change) is Ternary.NO

    @condition("a remote event is applied though a silent change may come")
    def _no_silent_change_comes_first(self, change: RemoteChange) -> bool:
        """A change that no listener receives may come before this one, and the log does not show it."""
        return not self._lookahead.silent_change_to_come(
            change.world, change.view.now, change.member, change.operation, change.entry
        )

    @condition("a remote event is applied though it may come by another way")
    def _it_is_shown_by_this_way_only(self, change: RemoteChange) -> bool:
        """An event that may arrive over another connection is shown there, and recognised here."""
        return self._ways.is_shown_once(change.world, change.view, change.wire, change.operation.op_id)


class RefusedForGood(_OfReceivers):
    """An event that a receiver refuses is refused over each connection, and whenever it comes."""

    @condition("a remote event is refused whatever the log decides")
    def _the_log_decides_which_it_is(self, refused: RefusedEvent) -> bool:
        """Where the log cannot tell updates apart, this event may be an entry of it."""
        return refused.decided

    @condition("a remote event is refused though it may come by another way")
    def _it_comes_once(self, refused: RefusedEvent) -> bool:
        """An event may arrive again, over another connection, when it would win."""
        return self._ways.comes_once(refused.world, refused.view, refused.wire, refused.operation.op_id)

    @condition("a remote event is refused though timestamps may tie")
    def _the_comparison_was_certain(self, refused: RefusedEvent) -> bool:
        """Equal timestamps of sites leave open which event wins, until one of them is applied."""
        return refused.known_before

    @condition("a remote event is refused though it is sent on")
    def _events_stay_where_they_arrive(self, _: RefusedEvent) -> bool:
        """An event that is sent on has another origin, and timestamps of a third site meet it."""
        return self._setting.onward is Propagation.STAYS


class RefusedAtOnce(_OfReceivers):
    """Nothing shows at which time a receiver refuses an event."""

    @condition("a remote event is refused though the log shows it later")
    def _the_log_shows_it_no_more(self, refused: RefusedEvent) -> bool:
        """An event that the log still shows is applied later, or announced though it was refused."""
        return not refused.view.still(refused.place, refused.shown)

    @condition("a remote event is refused whoever counts")
    def _it_is_counted_in_one_way(self, refused: RefusedEvent) -> bool:
        """A counter that is read later may have moved, or not."""
        return refused.counted_once

    @condition("a remote event is refused though a resolver is asked")
    def _no_resolver_is_asked(self, refused: RefusedEvent) -> bool:
        """The log shows at which time a resolver is asked."""
        return not refused.asked


class LostAsRefused(_OfReceivers):
    """An event that has to be refused is in no log any more."""

    @condition("what may be discarded has to be")
    def _it_may_not_be_applied_instead(self, refused: RefusedEvent) -> bool:
        """An update that lost at home is applied, or left out."""
        return not refused.may_apply

    @condition("a remote event is lost though a resolver is asked")
    def _no_resolver_is_asked(self, refused: RefusedEvent) -> bool:
        """A resolver that is asked again may answer otherwise."""
        return not refused.asked


class RepeatedInSilence(_OfReceivers):
    """A repeated event that nothing shows changes nothing."""

    @condition("what is known already is passed over though it is told of later")
    def _the_log_shows_it_no_more(self, repeated: RepeatedEvent) -> bool:
        """An event that is still what is stored is applied again where the log shows that."""
        return not repeated.applies_again or (
            repeated.view.observed(repeated.place) and not repeated.view.still(repeated.place, repeated.shown)
        )

    @condition("what is known already is passed over though peers tell of it later")
    def _no_peer_shows_it(self, repeated: RepeatedEvent) -> bool:
        """A receiver that applies an event again without an event of its own tells its peers of it."""
        return not repeated.told_by_peers

    @condition("what is known already is passed over though a resolver is asked")
    def _no_resolver_is_asked(self, _: RepeatedEvent) -> bool:
        """A resolver may be asked about an event once more."""
        return self._setting.resolver is None

    @condition("what is recognised is never counted")
    def _it_is_counted_in_one_way(self, repeated: RepeatedEvent) -> bool:
        """A receiver that does not recognise the event may count that it refuses it."""
        return repeated.ways == 1


class AnsweredForGood(_OfReceivers):
    """What was answered is sent no more, and what is sent again changes nothing."""

    @condition("what is told again is answered at once")
    def _no_unanswered_event_comes_again(self, answer: AnsweredBatch) -> bool:
        """An event that a log shows once more may never have been answered."""
        sender = answer.world.wan.senders.get((answer.wire.source, answer.wire.queue))
        unanswered = () if sender is None else sender.queue[: sender.sent]
        return not any(self._lookahead.comes_again(event.op_id) for event in unanswered) or (
            not self._lookahead.may_break(answer.world, answer.view.now, answer.wire.queue)
        )


class RemoteEvents:
    """The reduction of what gateway receivers do."""

    def __init__(self, setting: Setting, lookahead: Lookahead, ways: DeliveryPaths) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._applied = RemoteReceiptFixedByLog(setting, lookahead, ways)
        self._for_good = RefusedForGood(setting, lookahead, ways)
        self._refused = RefusedAtOnce(setting, lookahead, ways)
        self._lost = LostAsRefused(setting, lookahead, ways)
        self._repeated = RepeatedInSilence(setting, lookahead, ways)
        self._answered = AnsweredForGood(setting, lookahead, ways)

    def remote_change(self, change: RemoteChange) -> Priority:
        """See `Independence`. A change waits for a call that certainly reads the entry before it."""
        reader = self._applied.reader(change)
        if reader is Ternary.YES and change.view.reduced and self._setting.stamps_grow:
            return POSTPONED
        return claims.SHOW if self._applied.hold(change) else None

    def remote_dependences(self, change: RemoteChange) -> frozenset[str]:
        """See `Independence`. A repetition yields to operations under way."""
        wires = change.world.wan.wires.items()
        others = any(name != change.wire and wire.receiver != change.member for name, wire in wires)
        return self._setting.changes_queues | (claims.REPEATED_SHOWS if others else frozenset())

    def refusal(self, refused: RefusedEvent) -> tuple[Claim | None, bool]:
        """See `Independence`."""
        if not self._for_good.hold(refused):
            return None, False
        claim = claims.DISCARD if self._refused.hold(refused) else None
        return claim, self._setting.stamps_grow and self._lost.hold(refused)

    def repetition(self, repeated: RepeatedEvent) -> Claim | None:
        """See `Independence`."""
        return claims.REPEATED if self._repeated.hold(repeated) else None

    def may_show_later(self, view: View, shown: Iterable[tuple[Place, Observation]]) -> bool:
        """See `Independence`."""
        return not view.reduced or any(
            not view.observed(place) or view.still(place, entry) for place, entry in shown
        )

    def answering(self, answer: AnsweredBatch) -> Claim | None:
        """See `Independence`."""
        return claims.ANSWER if self._answered.hold(answer) else None

    def answer_dependences(self, answer: AnsweredBatch) -> frozenset[str]:
        """See `Independence`. While more of a batch is to come, an answer may still wait."""
        return claims.LOOKED_AT | claims.TIME_PASSES | {dependences.look_behind_fault(answer.wire.queue)}

    def is_looked_behind(self, answer: AnsweredBatch) -> bool:
        """See `Independence`."""
        open_now = self._lookahead.open(answer.world, answer.view)
        return answer.view.reduced and dependences.look_behind_fault(answer.wire.queue) in open_now
