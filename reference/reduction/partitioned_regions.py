"""Partitioned regions: when a step of a key's primary or of its copies is the only successor.

The steps are in `plumbline.reference.model.buckets`. Knows what the logs show and what is still to come.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.history.operations import READS, Operation
from plumbline.reference.model import claims
from plumbline.reference.model.buckets import parked
from plumbline.reference.model.described_steps import (
    PrimaryChange,
    PrimarySending,
    PrimaryTakeover,
    SilentChange,
)
from plumbline.reference.model.lookahead import Lookahead, Ternary
from plumbline.reference.model.setting import Setting
from plumbline.reference.reduction.condition import Conditions, condition
from plumbline.reference.search.transition import Claim, Place
from plumbline.reference.search.transition import Entry as Observation

UNTOLD_LAST = -(1 << 18)
"""What a primary does and its listener receives later, or never as it dies before that, is tried last."""


class _OfPrimaries(Conditions):
    """What these reductions know."""

    def __init__(self, setting: Setting, lookahead: Lookahead) -> None:
        self._setting = setting
        self._lookahead = lookahead


class ReadingOfHolder(_OfPrimaries):
    """A call that only reads changes no copy."""

    @condition("what its caller's listener is not told of changes nothing")
    def _the_operation_reads(self, operation: Operation) -> bool:
        """An operation that finds nothing to do may find something once the key has changed."""
        return operation.kind in READS


class CarriedOutNext(_OfPrimaries):
    """The log of a key's primary fixes which update of the key it carries out next.

    None of the key is carried out while the listener has yet to receive another, so none comes in silence.
    """

    @condition("a primary carries out what the log does not tell for sure")
    def _the_log_decides_which_it_is(self, change: PrimaryChange) -> bool:
        """Several updates may fit one entry of a log."""
        return change.decided

    @condition("a primary carries out an update though clients are served")
    def _no_clients_are_served(self, _: PrimaryChange) -> bool:
        """What clients receive of a partitioned region is not modelled with its primaries."""
        return not self._setting.clients

    @condition("a primary carries out what the log says next though somebody may still read")
    def _no_call_reads_first(self, change: PrimaryChange) -> bool:
        """A call that has yet to read the entry may have read what was there before."""
        comes = self._lookahead.reader_to_come(
            change.world, change.view.now, change.member, change.operation, change.entry
        )
        return comes is Ternary.NO


class ToldNow(_OfPrimaries):
    """An update is carried out no sooner than its listener receives it."""

    @condition("a primary tells at once what the log cannot tell apart")
    def _the_log_decides_which_it_is(self, change: PrimaryChange) -> bool:
        """Another update may be the entry of the log that comes next."""
        return change.decided

    @condition("a primary tells at once what its log shows later")
    def _the_log_shows_it_no_more(self, change: PrimaryChange) -> bool:
        """A listener may receive the update behind the copies, and behind updates of other keys."""
        return not change.view.still(change.place, change.shown)

    @condition("a primary tells at once though it may die first")
    def _the_listener_is_surely_called(self, change: PrimaryChange) -> bool:
        """A primary that dies may have carried out an update that its log does not show."""
        return not self._lookahead.may_go_untold(change.world, change.view, change.member, in_turn=False)


class ToldOnce(_OfPrimaries):
    """The log fixes what the listener receives next. That changes nothing else."""

    @condition("a primary tells later what the log cannot tell apart")
    def _the_log_decides_which_it_is(self, change: SilentChange) -> bool:
        """Several updates may fit one entry of a log."""
        return change.decided

    @condition("a primary tells later what may be told again")
    def _the_operation_comes_once(self, change: SilentChange) -> bool:
        """An update that the next primary carries out anew is received once more."""
        return not self._lookahead.comes_again(change.operation.op_id)


class SentToCopies(_OfPrimaries):
    """What a primary has sent to its copies may stay under way."""

    @condition("copies are sent what stands in its primary's listener")
    def _it_does_not_stand_in_the_listener(self, sending: PrimarySending) -> bool:
        """An update that stands in the listener of its primary is sent before that returns, or behind."""
        return not parked(sending.world, sending.operation, sending.call)

    @condition("copies are sent what no copy keeps when its primary dies")
    def _a_copy_outlives_the_primary(self, sending: PrimarySending) -> bool:
        """A call that waits for no copy may have ended, where one that was not sent is tried again."""
        bucket = sending.world.buckets[sending.operation.region, sending.operation.key]
        dies = self._lookahead.dies
        return not dies(sending.call.carrier) or not all(map(dies, bucket.copies))


class PassedByMember(_OfPrimaries):
    """A member without a copy keeps nothing of an update that its log does not show."""

    @condition("who holds no copy passes by what the log cannot tell apart")
    def _the_log_decides_which_it_is(self, change: SilentChange) -> bool:
        """Several updates may fit one entry of a log."""
        return change.decided

    @condition("who holds no copy passes by an update though it serves clients")
    def _the_member_serves_no_clients(self, change: SilentChange) -> bool:
        """Clients of the member are sent the update in the order in which it arrives."""
        return not self._setting.serves(change.member)

    @condition("who holds no copy passes by what it may carry out anew")
    def _a_holder_outlives_it(self, change: SilentChange) -> bool:
        """Where all holders of a key die, its next primary carries out anew what it had only heard of."""
        bucket = change.world.buckets[change.operation.region, change.operation.key]
        return not all(map(self._lookahead.dies, (bucket.primary, *bucket.copies)))


class TakenOverAlone(_OfPrimaries):
    """It is known which copy becomes primary, and with which state."""

    def known_heir(self, takeover: PrimaryTakeover) -> str | None:
        """The member that is next observed to be primary; None if that is not known."""
        return self._lookahead.heir(takeover.world, takeover.view.now, takeover.region, takeover.key)

    @condition("a copy takes over though others differ")
    def _the_survivors_agree_in_one_way(self, takeover: PrimaryTakeover) -> bool:
        """Survivors may agree on what any of them holds."""
        return takeover.ways == 1

    @condition("a copy takes over though another may")
    def _the_heir_is_known(self, takeover: PrimaryTakeover) -> bool:
        """Any copy may become primary, and calls of the key are carried out there."""
        return self.known_heir(takeover) is not None

    @condition("a copy takes over though clients are served")
    def _no_clients_are_served(self, _: PrimaryTakeover) -> bool:
        """What clients receive of a partitioned region is not modelled with its primaries."""
        return not self._setting.clients


class PartitionedRegions:
    """The reduction of steps at the holders of a key."""

    def __init__(self, setting: Setting, lookahead: Lookahead) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._read = ReadingOfHolder(setting, lookahead)
        self._next = CarriedOutNext(setting, lookahead)
        self._now = ToldNow(setting, lookahead)
        self._once = ToldOnce(setting, lookahead)
        self._sent = SentToCopies(setting, lookahead)
        self._passed = PassedByMember(setting, lookahead)
        self._taken_over = TakenOverAlone(setting, lookahead)

    def reading_of_holder(self, operation: Operation) -> Claim | None:
        """See `Independence`."""
        return claims.READ if self._read.hold(operation) else None

    def carrying_out(self, change: PrimaryChange) -> Claim | None:
        """See `Independence`."""
        return claims.CARRIES_OUT if self._next.hold(change) else None

    def is_told_now(self, change: PrimaryChange) -> bool:
        """See `Independence`."""
        return change.view.reduced and self._now.hold(change)

    def likelihood_of_telling_late(
        self, change: PrimaryChange, of_copies: Iterator[tuple[Place, Observation]]
    ) -> int:
        """See `Independence`. A call of a dead member is not tried again: copies that show it had it."""
        sent = change.operation.member == change.member and any(
            change.view.still(*shown) for shown in of_copies
        )
        return 0 if sent else UNTOLD_LAST

    def telling_late(self, change: SilentChange) -> Claim | None:
        """See `Independence`."""
        return claims.TELLS if self._once.hold(change) else None

    def sending_to_copies(self, sending: PrimarySending) -> Claim | None:
        """See `Independence`."""
        return claims.SEND_TO_COPIES if self._sent.hold(sending) else None

    def passing_by(self, change: SilentChange) -> Claim | None:
        """See `Independence`."""
        return claims.PASSES_BY if self._passed.hold(change) else None

    def heir(self, takeover: PrimaryTakeover) -> str | None:
        """See `Independence`."""
        return self._taken_over.known_heir(takeover) if takeover.view.reduced else None

    def takeover(self, takeover: PrimaryTakeover) -> Claim | None:
        """See `Independence`."""
        return claims.TAKES_OVER if self._taken_over.hold(takeover) else None
