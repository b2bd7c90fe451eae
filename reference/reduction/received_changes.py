"""Received changes: when an update that arrives is applied, discarded or passed over as the only successor.

The steps are in `plumbline.reference.model.replicates`. Knows what the logs show and what is still to come.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.model import claims
from plumbline.reference.model.clients.subscriptions import is_owed
from plumbline.reference.model.collecting import in_doubt
from plumbline.reference.model.described_steps import LostUpdate, ReceivedChange, SilentChange
from plumbline.reference.model.independence import POSTPONED, Priority
from plumbline.reference.model.lookahead import Lookahead, Ternary
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.delivery_paths import DeliveryPaths
from plumbline.reference.reduction.condition import Conditions, condition
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Claim


class _OfOneMember(Conditions):
    """What these reductions know."""

    def __init__(self, setting: Setting, lookahead: Lookahead, ways: DeliveryPaths) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._ways = ways


class ReceiptFixedByLog(_OfOneMember):
    """The log fixes which update of the key is applied next here, and no other step depends on it."""

    def __init__(self, setting: Setting, lookahead: Lookahead, ways: DeliveryPaths) -> None:
        super().__init__(setting, lookahead, ways)
        self._asked: tuple[ReceivedChange | None, Ternary] = (None, Ternary.MAYBE)

    def reader(self, change: ReceivedChange) -> Ternary:
        """Whether a call reads the entry before the change; the last answer is kept, as it is asked twice."""
        if self._asked[0] is not change:
            comes = self._lookahead.reader_to_come(
                change.world, change.view.now, change.member, change.operation, change.entry
            )
            self._asked = (change, comes)
        return self._asked[1]

    @condition("a silent change is received at once")
    def _the_listener_receives_it_once(self, change: ReceivedChange) -> bool:
        """The log shows only what the listener receives."""
        return change.times == 1

    @condition("a change is received whatever the log decides")
    def _the_log_decides_which_it_is(self, change: ReceivedChange) -> bool:
        """Several updates may fit one entry of a log."""
        return change.decided

    @condition("a holder of a queue receives at once what enters it twice")
    def _it_enters_queues_here_once(self, change: ReceivedChange) -> bool:
        """What a copy of a queue already brought enters the queue again behind a takeover, not before it."""
        return not self._lookahead.is_queued_again(change.member, change.operation.op_id)

    @condition("a copy is sent what is carried out anew")
    def _the_primary_that_sends_it_does_not_matter(self, change: ReceivedChange) -> bool:
        """An update of a partitioned region that was taken back is carried out anew by the next primary."""
        operation = change.operation
        return operation.region not in self._setting.partitioned or not self._lookahead.comes_again(
            operation.op_id
        )

    @condition("a copy receives an update though clients are served")
    def _a_copy_serves_no_clients(self, change: ReceivedChange) -> bool:
        """What clients receive of a partitioned region is not modelled with its primaries."""
        return not (self._setting.clients and change.operation.region in self._setting.partitioned)

    @condition("a change is received though somebody may still read")
    def _no_call_reads_first(self, change: ReceivedChange) -> bool:
        """A call that has yet to read the entry may have read what was there before."""
        return self.reader(change) is Ternary.NO

    @condition("a change is received though another one may lose first")
    def _no_loser_comes_first(self, change: ReceivedChange) -> bool:
        """An update that loses against what is stored now would win against this one."""
        operation = change.operation
        return not (
            self._setting.is_shared(operation.region, operation.key)
            and self._lookahead.loser_to_come(change.world, change.view.now, change.member, operation)
        )

    @condition("a change is received though a silent one may come")
    def _no_silent_change_comes_first(self, change: ReceivedChange) -> bool:
        """A change that no listener receives may come before this one, and the log does not show it."""
        return not self._lookahead.silent_change_to_come(
            change.world, change.view.now, change.member, change.operation, change.entry
        )

    @condition("clients hear nothing in front of what is received")
    def _no_client_receives_unannounced_events_first(self, change: ReceivedChange) -> bool:
        """A server may send its clients an event that its own listener does not receive, before this one."""
        return not self._setting.serves(change.member) or not self._lookahead.clients.whisper_to_come(
            change.world, change.view.now, change.member, change.operation
        )

    @condition("nobody fetches what a server is about to receive")
    def _no_client_fetches_first(self, change: ReceivedChange) -> bool:
        """A client that starts anew fetches what its server holds at that time."""
        return not self._setting.serves(change.member) or not self._lookahead.clients.starts_anew(
            change.world, change.view, change.member
        )

    @condition("a change is received though a client may come or go")
    def _no_life_of_a_client_begins_or_ends_first(self, change: ReceivedChange) -> bool:
        """What a durable client is sent in which life depends on which changes came before it."""
        return not self._setting.serves(change.member) or not self._lookahead.clients.changes_life(
            change.world, change.view.now, change.member, change.operation
        )

    @condition("a change is received whatever servers queue for durable clients")
    def _durable_clients_are_as_documented(self, _: ReceivedChange) -> bool:
        """Servers that queue in another order make it matter when an event enters a queue."""
        return self._setting.durable_as_documented or not self._setting.durable

    @condition("a change is received though it may matter when")
    def _tombstones_and_clears_do_not_depend_on_it(self, change: ReceivedChange) -> bool:
        """What a collection or a clear finds depends on which changes came before it."""
        return not in_doubt(
            self._setting,
            self._lookahead,
            change.world,
            change.view.now,
            change.member,
            change.operation,
        )

    @condition("a change of another site is received though it may come by another way")
    def _a_remote_event_is_shown_by_this_way_only(self, change: ReceivedChange) -> bool:
        """An event of another site that may arrive over another connection is shown there."""
        head = change.head
        return head.event is None or self._ways.is_shown_once(
            change.world, change.view, head.wire, head.op_id
        )


class NothingToDo(_OfOneMember):
    """An update that finds nothing to do here can find nothing to do later either."""

    @condition("nothing is done whatever the log decides")
    def _the_log_decides_which_it_is(self, lost: LostUpdate) -> bool:
        """Where the log cannot tell updates apart, this one may be an entry of it."""
        return lost.decided

    @condition("nothing is done though the log shows it later")
    def _the_log_shows_it_no_more(self, lost: LostUpdate) -> bool:
        """An update that the log still shows is applied later."""
        return not lost.view.still(lost.place, lost.shown)

    @condition("nothing is done by a member that may die before its listener is called")
    def _the_listener_is_surely_called(self, lost: LostUpdate) -> bool:
        """A member that dies may have applied an update that its log does not show."""
        return not self._lookahead.may_go_untold(lost.world, lost.view, lost.member)

    @condition("nothing is done though it may matter when")
    def _tombstones_and_clears_do_not_depend_on_it(self, lost: LostUpdate) -> bool:
        """What a collection or a clear finds depends on which updates came before it."""
        return not in_doubt(
            self._setting, self._lookahead, lost.world, lost.view.now, lost.member, lost.operation
        )


class LostForGood(_OfOneMember):
    """An update that loses against what is stored now loses against all that is stored later."""

    @condition("a loser is discarded whatever the log decides")
    def _the_log_decides_which_it_is(self, lost: LostUpdate) -> bool:
        """Where the log cannot tell updates apart, this one may be an entry of it."""
        return lost.decided

    @condition("a copy of a partitioned region discards at once")
    def _the_region_has_no_primaries(self, lost: LostUpdate) -> bool:
        """Copies of a partitioned region apply each update of their primary, also one of a lower version."""
        return lost.operation.region not in self._setting.partitioned

    @condition("a discard settles the unknown order of ids")
    def _the_order_of_ids_stays_as_it_is(self, lost: LostUpdate) -> bool:
        """A tie that is decided here for the first time decides later ties, too."""
        return self._setting.order is not None or lost.order_kept

    @condition("a discard does not ask who counts")
    def _no_reading_of_the_counter_comes_first(self, lost: LostUpdate) -> bool:
        """A statistic that is read before the discard does not count it."""
        return not self._lookahead.count_to_come(lost.view.now, lost.member, lost.operation)

    @condition("a loser is discarded though it may matter when")
    def _tombstones_and_clears_do_not_depend_on_it(self, lost: LostUpdate) -> bool:
        """What a collection or a clear finds depends on which updates came before it."""
        return not in_doubt(
            self._setting, self._lookahead, lost.world, lost.view.now, lost.member, lost.operation
        )

    @condition("a loser of sites is discarded though timestamps may tie")
    def _the_comparison_was_certain(self, lost: LostUpdate) -> bool:
        """Equal timestamps of sites leave open which event wins, until one of them is applied."""
        shared = self._setting.is_shared(lost.operation.region, lost.operation.key)
        return not shared or lost.known_before

    @condition("a loser is discarded though it may be taken once more")
    def _its_stamp_is_not_stored(self, lost: LostUpdate) -> bool:
        """A client may take an update again of which it has stored the very stamp."""
        where = lost.member, lost.operation.region, lost.operation.key
        stored, new = lost.world.entry(*where).stamp, lost.head.stamp
        of_client = lost.member in self._setting.clients
        if stored is None or new is None or not any(each(self._setting.book.applies_same_stamp(of_client))):
            return True
        return (stored.site, stored.member, stored.version) != (new.site, new.member, new.version)

    @condition("a remote event is discarded though it may come again")
    def _a_remote_event_comes_once(self, lost: LostUpdate) -> bool:
        """An event of another site may arrive again, by another connection, when it would win."""
        head = lost.head
        return head.event is None or (
            (lost.member, head.op_id) not in lost.world.wan.seen
            and self._ways.comes_once(lost.world, lost.view, head.wire, head.op_id)
        )


class ShownInstead(_OfOneMember):
    """An update that the log shows now or later is not applied in silence."""

    @condition("a silent change is refused whatever the log decides")
    def _the_log_decides_which_it_is(self, change: SilentChange) -> bool:
        """Where the log cannot tell updates apart, the entry may be of another one."""
        return change.decided

    @condition("a silent change is refused though the log shows it no more")
    def _the_log_still_shows_it(self, change: SilentChange) -> bool:
        """An update that the log shows no more is applied in silence, or not at all."""
        return change.view.still(change.place, change.shown)

    @condition("a silent change is refused though the event may come again")
    def _a_remote_event_comes_once(self, change: SilentChange) -> bool:
        """An event of another site that has changed a copy in silence may be shown as it comes again."""
        return not change.remote or self._ways.comes_once(
            change.world, change.view, change.wire, change.operation.op_id
        )

    @condition("a silent change is refused though its member may carry it out anew")
    def _a_holder_outlives_it(self, change: SilentChange) -> bool:
        """Where all holders of a key die, its next primary carries out anew what it had only heard of."""
        bucket = change.world.buckets.get((change.operation.region, change.operation.key))
        return bucket is None or not all(map(self._lookahead.dies, (bucket.primary, *bucket.copies)))


class ClientOfLoser(msgspec.Struct, frozen=True):
    """A client of a server at which an update loses, or finds nothing to do.

    Attributes:
        lost: the update.
        client: the client.
        owed: whether the client may have to be sent the update all the same.
    """

    lost: LostUpdate
    client: str
    owed: bool


class UnshownByClient(_OfOneMember):
    """A client does not show that it was sent what its server discarded."""

    @condition("a client does not show what its server discards")
    def _its_log_does_not_show_it(self, told: ClientOfLoser) -> bool:
        """A server may send its clients what it discards."""
        return self._lookahead.clients.unheard(told.lost.view, told.client, told.lost.operation)

    @condition("a client of whose life nothing is known does not show what its server discards")
    def _its_life_goes_on(self, told: ClientOfLoser) -> bool:
        """What a durable client is sent in which life depends on which updates came before it."""
        lost = told.lost
        return not self._lookahead.clients.changes_life(
            lost.world, lost.view.now, lost.member, lost.operation
        )

    @condition("a durable client does not show what its server discards, whatever is queued")
    def _durable_clients_are_as_documented(self, _: ClientOfLoser) -> bool:
        """Servers that queue in another order make it matter when an event enters a queue."""
        return self._setting.durable_as_documented or not self._setting.durable

    @condition("who has to be sent what its server discards would show it")
    def _it_need_not_be_sent_it(self, told: ClientOfLoser) -> bool:
        """A client that has to be sent the update is sent it before or behind others of its queue."""
        return not told.owed


class ReceivedChanges:
    """The reduction of updates that arrive at a member."""

    def __init__(self, setting: Setting, lookahead: Lookahead, ways: DeliveryPaths) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._ways = ways
        self._applied = ReceiptFixedByLog(setting, lookahead, ways)
        self._passed = NothingToDo(setting, lookahead, ways)
        self._lost = LostForGood(setting, lookahead, ways)
        self._instead = ShownInstead(setting, lookahead, ways)
        self._unshown = UnshownByClient(setting, lookahead, ways)

    def received_change(self, change: ReceivedChange) -> Priority:
        """See `Independence`. A change waits for a call that certainly reads the entry before it."""
        reader = self._applied.reader(change)
        if reader is Ternary.YES and change.view.reduced and self._setting.stamps_grow:
            return POSTPONED
        if not self._applied.hold(change):
            return None
        return claims.SHOW_AND_SEND if self._setting.serves(change.member) else self._setting.show

    def passing_over(self, lost: LostUpdate) -> Claim | None:
        """See `Independence`."""
        return self._unheard(lost, discarded=False) if self._passed.hold(lost) else None

    def is_lost_for_good(self, lost: LostUpdate) -> bool:
        """See `Independence`."""
        return self._lost.hold(lost)

    def is_shown_instead(self, change: SilentChange) -> bool:
        """See `Independence`."""
        return change.view.reduced and self._instead.hold(change)

    def discard(self, lost: LostUpdate) -> Claim | None:
        """See `Independence`."""
        return self._unheard(lost, discarded=True)

    def _unheard(self, lost: LostUpdate, *, discarded: bool) -> Claim | None:
        """The claim of a loss: where clients are served, only if no client shows that it was sent the update.

        A client that has to be sent it may have to be so at a moment at which its log shows no other event.
        """
        setting = self._setting
        if not setting.serves(lost.member):
            return claims.DISCARD
        for name, client in setting.clients.items():
            if client.subscription and lost.member in client.servers:
                owed = any(is_owed(setting, name, sure=False, discarded=discarded))
                told = ClientOfLoser(lost, name, owed)
                if not self._unshown.hold(told):
                    return None
        return claims.DISCARD_UNHEARD
