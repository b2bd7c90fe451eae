"""Resolving: a conflict resolver is asked about an event from another site, and its answer decides (L121).

Owns what the resolver receives, and what follows from each answer. The rulebook decides whether it is asked,
and whether its answer counts. The calling module gives the comparison that holds without a resolver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from plumbline.reference.history import resolvers
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import EventKind, Operation
from plumbline.reference.history.resolvers import ALLOW, DISALLOW, REPLACE, ResolverPolicy, in_place_of
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.places import listener_place, resolver_entry
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.conflict_resolution import ContestResult
from plumbline.reference.model.sites.site_state import Queued
from plumbline.reference.model.sites.timestamp_order import NONE, Pairs, comparisons, difference, tied
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.conflict_resolvers import Told
from plumbline.reference.rulebook.effects import ARRIVES
from plumbline.reference.rulebook.values import EntryState, Stamp, each
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, Step, Untold, View

Compare = Callable[[Pairs], Iterator[ContestResult]]
"""Every way in which the comparison without a resolver may end, once these timestamps are ordered."""

TakenIn = Callable[[View], Iterator[Step]]
"""The ways in which a peer's update is taken in, as far as a view allows them."""


class Resolving:
    """The part of the model that asks conflict resolvers."""

    def __init__(self, setting: Setting, strength: OrderStrength) -> None:
        self._setting = setting
        self._strength = strength

    def rulings(
        self, world: World, member: str, event: Queued, entry: Entry, policy: ResolverPolicy, compare: Compare
    ) -> Iterator[ContestResult]:
        """Every way in which an event may fare that a member with a resolver receives."""
        operation, book, stored = self._setting.carried(event), self._setting.book, entry.stamp
        pairs = world.wan.ranks.get((operation.region, operation.key), NONE)
        if stored is None or stored.site == event.site:
            for asks in each(book.asks_without_conflict(stored is not None)):
                if asks:
                    site = 0 if stored is None else stored.site
                    told = self._told(event, entry, site, later=True)
                    answers: tuple[str, ...] = (policy.always or ALLOW,)
                    yield from self._asked(member, event, told, answers, pairs, compare, same_time=False)
                else:
                    yield from compare(pairs)
            return
        for later, chosen in self._orders(pairs, event, stored):
            for asks in each(book.asks_resolver(later)):
                if asks:
                    told = self._told(event, entry, stored.site, later=later)
                    answers = self._answers(policy, event, stored, chosen, later=later)
                    same = tied(chosen, event.times, stored.times, self._setting.readings)
                    yield from self._asked(member, event, told, answers, chosen, compare, same_time=same)
                else:
                    yield from compare(chosen)

    def asked_about_own(
        self, world: World, view: View, member: str, operation: Operation, taken_in: TakenIn
    ) -> Iterator[Step]:
        """The steps by which a peer's update arrives; one that errs asks the resolver about it before."""
        asks = each(self._setting.book.asks_about_own())
        if not all(asks):
            yield from taken_in(view)
        if not any(asks):
            return
        entry, site = world.entry(member, operation.region, operation.key), self._setting.site_of[member]
        event = Queued(operation.op_id, operation.kind, operation.token, site, frozenset())
        told = self._told(event, entry, site if entry.stamp is None else entry.stamp.site, later=True)
        shown = self._shown(
            member, event, told, (self._setting.resolver and self._setting.resolver.always) or ALLOW
        )
        if view.fits(*shown):
            for step in taken_in(Untold(view)):
                yield Step(step.name, step.state, (shown, *step.shows))

    def _orders(self, pairs: Pairs, event: Queued, stored: Stamp) -> Iterator[tuple[bool, Pairs]]:
        """Whether the event is later, or of the same time and the higher site; and what then holds."""
        readings = self._setting.readings
        if not event.times or not stored.times:
            yield from ((later, pairs) for later in (True, False))
        elif tied(pairs, event.times, stored.times, readings):
            yield event.site > stored.site, pairs
        else:
            yield from comparisons(
                pairs, event.times, stored.times, clock=self._setting.clock, readings=readings
            )

    def _told(self, event: Queued, entry: Entry, stored_site: int, *, later: bool) -> Told:
        _, kind = ARRIVES.get(event.kind, (None, EventKind.UPDATE))
        new = event.token if self._setting.identified or kind is not EventKind.DESTROY else None
        old = entry.token if entry.state is EntryState.LIVE else None
        return Told(kind, new, old, event.site, stored_site, later)

    def _answers(
        self, policy: ResolverPolicy, event: Queued, stored: Stamp, pairs: Pairs, *, later: bool
    ) -> tuple[str, ...]:
        """The possible answers of the resolver; several where the distance of two timestamps is unknown."""
        if policy.always:
            return (policy.always,)
        by_time = ALLOW if later else DISALLOW
        if policy.site not in (event.site, stored.site):
            return (by_time,)
        preferred = ALLOW if event.site == policy.site else DISALLOW
        apart = difference(pairs, event.times, stored.times, self._setting.readings)
        if apart is None:
            # There no clock has leapt.
            return (preferred,) if self._setting.clock else tuple(dict.fromkeys((preferred, by_time)))
        return (preferred,) if apart <= policy.within_ms else (by_time,)

    def _asked(
        self,
        member: str,
        event: Queued,
        right: Told,
        answers: tuple[str, ...],
        pairs: Pairs,
        compare: Compare,
        *,
        same_time: bool,
    ) -> Iterator[ContestResult]:
        for told in each(self._setting.book.told_to_resolver(right)):
            for answer in answers:
                if answer == REPLACE and right.kind is EventKind.DESTROY:
                    answer = ALLOW  # noqa: PLW2901 - there is no value to replace
                shown = self._shown(member, event, told, answer)
                for judged in self._answered(
                    event, answer, pairs, compare, later=right.later, same_time=same_time
                ):
                    yield replace(judged, asked=(shown,))

    def _answered(
        self, event: Queued, answer: str, pairs: Pairs, compare: Compare, *, later: bool, same_time: bool
    ) -> Iterator[ContestResult]:
        """What follows from an answer."""
        book = self._setting.book
        match answer:
            case resolvers.THROW:
                for goes_on in each(book.goes_on_after_error()):
                    if goes_on:
                        # No document says what becomes of the event: an event that cannot be processed
                        # is given up, and the others go on (000, L39).
                        yield from compare(pairs)
                        yield ContestResult(applied=False, pairs=pairs)
                    else:
                        yield ContestResult(applied=False, pairs=pairs, stuck=True)
            case resolvers.DISALLOW:
                for applies in each(book.applies_disallowed(later)):
                    for announced in (False,) if applies else each(book.announces_disallowed()):
                        yield ContestResult(
                            applied=applies, pairs=pairs, allowed=applies, announced=announced
                        )
            case _:
                becomes = None if answer == ALLOW else replace(event, token=in_place_of(event.token))
                for applies in each(book.applies_allowed(later, same_time)):
                    if applies:
                        yield ContestResult(applied=True, pairs=pairs, event=becomes, allowed=True)
                    else:
                        yield from compare(pairs)

    def _shown(self, member: str, event: Queued, told: Told, answer: str) -> tuple[Place, Observation]:
        operation = self._setting.carried(event)
        region, key = operation.region, operation.key
        return (
            listener_place(self._strength, member, region, key, None, EventKind.RESOLVE),
            resolver_entry(region, key, told, answer),
        )
