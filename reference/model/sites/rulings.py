"""Rulings: how an event from another site fares where it is received: by comparison, or by a resolver.

Knows what is stored there; applies nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from plumbline.reference.history.operations import Operation
from plumbline.reference.model import tombstones
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.conflict_resolution import ContestResult, contests
from plumbline.reference.model.sites.resolving import Resolving
from plumbline.reference.model.sites.site_state import Queued
from plumbline.reference.model.sites.timestamp_order import NONE, Pairs, comparisons, tied
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import EntryState, Stamp, each


class Rulings:
    """The part of the model that compares what comes from other sites."""

    def __init__(self, setting: Setting, resolving: Resolving) -> None:
        self._setting = setting
        self._resolving = resolving

    def of(
        self, world: World, member: str, event: Queued, operation: Operation, entry: Entry
    ) -> Iterator[ContestResult]:
        """Every way in which the event may fare, by comparison or by what a resolver answers (004, L121)."""
        policy, at = self._setting.resolver, self._setting.site_of[member]
        if policy is None:
            pairs = world.wan.ranks.get((operation.region, operation.key), NONE)
            return self.compared(at, event, operation, entry, pairs)
        compare = partial(self.compared, at, event, operation, entry)
        return self._resolving.rulings(world, member, event, entry, policy, compare)

    def compared(
        self, at: int, event: Queued, operation: Operation, entry: Entry, pairs: Pairs
    ) -> Iterator[ContestResult]:
        """Every way in which the comparison with what is stored may end (004, L30 to L34)."""
        book, where = self._setting.book, (operation.region, operation.key)
        stored = entry.stamp
        if stored is None:
            yield from (ContestResult(applies, pairs) for applies in each(book.applies_unrecorded()))
            return
        for compared in tombstones.between_sites(book, entry, operation):
            if compared:
                gone = entry.state is EntryState.TOMBSTONE
                yield from self._with_stored(at, event, pairs, where, stored, gone=gone)
            else:
                yield ContestResult(applied=True, pairs=pairs)

    def _with_stored(
        self, at: int, event: Queued, pairs: Pairs, where: tuple[str, str], stored: Stamp, *, gone: bool
    ) -> Iterator[ContestResult]:
        """The comparison with what was stored there by its own site or another."""
        book = self._setting.book
        if stored.site == event.site or not self._setting.is_timed(*where):
            for applies in each(book.applies_same_site()):
                yield ContestResult(applies, pairs)
            if not stored.times or stored.site != event.site:
                return
            readings = self._setting.readings
            if not self._setting.overtakes and tied(pairs, event.times, stored.times, readings):
                return  # its time does not tell that it lost at home
            # An update that lost at home may be told from the one that beat it, and left out.
            beaten_by = stored.times - event.times
            if beaten_by and (self._setting.overtakes or len(beaten_by) == len(stored.times)):
                for later, chosen in comparisons(
                    pairs, event.times, beaten_by, clock=self._setting.clock, readings=readings
                ):
                    if not later:
                        yield ContestResult(applied=False, pairs=chosen)
            return
        for applies, chosen in contests(
            self._setting, pairs, event.times, event.site, stored, at, over_tombstone=gone
        ):
            yield ContestResult(applies, chosen)
