"""Collecting: tombstones expire, are collected by their members, and the others are told.

Owns what was collected and not heard of yet. Time passes only where the harness lets it. Does not know how
tombstones come to be, nor how updates are compared with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.operations import Operation, TombstoneSettings
from plumbline.reference.model.clients.registrations import is_covered
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Collected, World
from plumbline.reference.rulebook.values import EntryState, Stamp, each
from plumbline.reference.search.hashed_map import HashedMap
from plumbline.reference.search.transition import Step

SWEEP_MS = 10_000
"""A member has noticed by then that a tombstone has expired, in milliseconds after it has."""

LAST = -(1 << 20)
"""A collection that may wait is tried last, behind time that passes: what must be collected shows by then."""

Where = tuple[str, str, str]
"""Member, region, key."""


class Collecting:
    """The part of the model that lets members collect tombstones."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    def steps(self, world: World) -> Iterator[Step]:
        """Collections, and their arrival at other members."""
        if world.wan.passed:
            for member in self._setting.members:
                if member not in world.wan.dead:
                    yield from self._collections(world, member)
            yield from self._dropped(world)
        for pair, _ in world.tombs.told.in_order():
            yield from self._heard(world, pair)

    def quiet(self, world: World) -> bool:
        """Whether every collection that has to be made was made, and heard of."""
        dead = world.wan.dead
        if any(target not in dead for _, target in world.tombs.told):
            return False
        if not world.wan.passed:
            return True
        if any(all(goes) for _, goes in self._aged(world, SWEEP_MS)):
            return False
        return not any(
            self._must_collect(world, member) for member in self._setting.members if member not in dead
        )

    def expired(
        self,
        world: World,
        stamp: Stamp,
        after_ms: int = 0,
        *,
        replicated: bool = True,
        partitioned: bool = False,
    ) -> tuple[bool, ...]:
        """Whether a tombstone has expired, so many milliseconds ago at least."""
        book = self._setting.book
        settings = self._setting.tombstones or TombstoneSettings()
        timeouts = each(
            book.tombstone_timeout(settings.timeout_ms, partitioned)
            if replicated
            else book.other_timeout(settings.other_timeout_ms)
        )
        age = world.wan.passed - stamp.time - after_ms
        return tuple(
            dict.fromkeys(expired for timeout in timeouts for expired in each(book.has_expired(age, timeout)))
        )

    def begins(self, world: World, called: int) -> tuple[int, ...]:
        """When the age of a tombstone may begin whose destroy was called then, and arrives now."""
        book, settings = self._setting.book, self._setting.tombstones or TombstoneSettings()
        of_partitions = False
        timeouts = each(book.tombstone_timeout(settings.timeout_ms, of_partitions))
        return tuple(
            dict.fromkeys(
                time
                for timeout in timeouts
                for time in each(book.age_counted_from(called, world.wan.passed, timeout))
            )
        )

    def _of(self, world: World, one: tuple[Where, Stamp], after_ms: int = 0) -> tuple[bool, ...]:
        """Whether a tombstone of a replicated or partitioned region has expired."""
        (_, region, _), stamp = one
        return self.expired(world, stamp, after_ms, partitioned=region in self._setting.partitioned)

    def is_old(self, world: World) -> bool:
        """Whether anything is old enough to be collected: a tombstone, or a destroy still on its way."""
        if not world.wan.passed:
            return False
        if world.tombs.told:
            return True
        stamps = [entry.stamp for entry in world.entries.values() if entry.state is EntryState.TOMBSTONE]
        stamps += world.tombs.ghosts.values()
        stamps += [call.stamp for call in world.calls.values()]
        stamps += [message.stamp for messages in world.channels.values() for message in messages]
        return any(
            stamp is not None and any(self.expired(world, stamp, replicated=kind))
            for stamp in stamps
            for kind in (True, False)
        )

    def _aged(self, world: World, after_ms: int = 0) -> Iterator[tuple[Where, tuple[bool, ...]]]:
        """Tombstones of clients and non-replicated regions, and whether they go by their age alone."""
        for where, entry in world.entries.in_order():
            if entry.state is EntryState.TOMBSTONE and entry.stamp is not None:
                if where[0] in world.wan.dead or self._setting.is_replicated(*where[:2]):
                    continue
                expired = self.expired(world, entry.stamp, after_ms, replicated=False)
                goes = each(self._setting.book.others_remove_by_age())
                yield where, tuple(a and b for a in expired for b in goes)

    def _dropped(self, world: World) -> Iterator[Step]:
        """A client or a non-replicated region drops a tombstone that has expired."""
        for where, goes in self._aged(world):
            if any(goes):
                after = world.but(entries=world.entries.delete(where))
                yield Step(("drops a tombstone", *where), after, prefer=LAST)

    def _tombstones(self, world: World, member: str) -> list[tuple[Where, Stamp]]:
        """The member's tombstones, and what it takes for some, the oldest first."""
        found = [
            (where, entry.stamp)
            for where, entry in world.entries.items()
            if where[0] == member
            and entry.state is EntryState.TOMBSTONE
            and entry.stamp is not None
            and self._setting.is_replicated(*where[:2])
        ]
        found += [(where, stamp) for where, stamp in world.tombs.ghosts.items() if where[0] == member]
        return sorted(found, key=lambda one: (one[1].time, one[0]))

    def _collections(self, world: World, member: str) -> Iterator[Step]:
        """A member collects what has expired: all that it has noticed, which is the older ones first."""
        held = self._tombstones(world, member)
        if not held:
            return
        book = self._setting.book
        tried: set[tuple[tuple[Where, Stamp], ...]] = set()
        for time in dict.fromkeys(stamp.time for _, stamp in held):
            noticed = [one for one in held if one[1].time <= time]
            late = any(all(self._of(world, one, SWEEP_MS)) for one in held if one[1].time > time)
            if late or not all(any(self._of(world, one)) for one in noticed):
                continue
            if not any(self._sets_off(noticed, member)) and not any(each(book.removed_by_age())):
                continue
            for taken in self._taken(held, noticed):
                if taken and taken not in tried:
                    tried.add(taken)
                    yield from self._collected(world, member, taken)

    def _taken(
        self, held: list[tuple[Where, Stamp]], noticed: list[tuple[Where, Stamp]]
    ) -> Iterator[tuple[tuple[Where, Stamp], ...]]:
        """What a collection may take, where these have expired."""
        takes = {expired: each(self._setting.book.collects(expired)) for expired in (True, False)}
        for of_expired, of_others in product(takes[True], takes[False]):
            for most in each(self._setting.book.taken_at_once(len(noticed))):
                oldest = noticed[:most]
                yield tuple(
                    one for one in held if (of_expired and one in oldest if one in noticed else of_others)
                )

    def _sets_off(self, noticed: list[tuple[Where, Stamp]], member: str) -> tuple[bool, ...]:
        """Whether so many expired tombstones set off a collection."""
        book, settings = self._setting.book, self._setting.tombstones
        named = None if settings is None else settings.threshold_of(member)
        regions: dict[str, int] = {}
        for (_, region, _), _ in noticed:
            regions[region] = regions.get(region, 0) + 1
        kinds = len({region in self._setting.partitioned for region in regions})
        return tuple(
            dict.fromkeys(
                sets_off
                for together in each(book.counted_together(len(regions), kinds))
                for count in [len(noticed) if together else max(regions.values(), default=0)]
                for threshold in each(book.collection_threshold(named))
                for sets_off in each(book.sets_off_collection(count, threshold))
            )
        )

    def _must_collect(self, world: World, member: str) -> bool:
        sure = [one for one in self._tombstones(world, member) if all(self._of(world, one, SWEEP_MS))]
        if not sure:
            return False
        return all(self._sets_off(sure, member)) or all(each(self._setting.book.removed_by_age()))

    def _collected(self, world: World, member: str, taken: tuple[tuple[Where, Stamp], ...]) -> Iterator[Step]:
        book, tombs = self._setting.book, world.tombs
        what = tuple(Collected(region, key, stamp) for (_, region, key), stamp in taken)
        regions = len({one.region for one in what})
        others = tuple(other for other in self._setting.others[member] if other not in world.wan.dead)
        least, most = tombs.collections.get(member, (0, 0))
        replicates = tuple(
            other
            for other in others
            if all(self._setting.is_replicated(other, region) for region in {one.region for one in what})
        )
        for targets in each(book.told_of_collection(others, replicates)):
            told = tombs.told
            for target in targets:
                told = told.set((member, target), (*told.get((member, target), ()), *what))
            for counted in each(book.collections_counted(len(taken))):
                counts = tombs.collections.set(member, (least + counted, most + counted * regions))
                after = self._removed(world, member, what)
                after = after.but(tombs=replace(after.tombs, told=told, collections=counts))
                for known in self._with_clients_told(after, member, what):
                    yield Step(("collects tombstones", member, len(taken), targets), known, prefer=LAST)

    def _with_clients_told(self, world: World, server: str, what: tuple[Collected, ...]) -> Iterator[World]:
        """The worlds in which a server tells its clients what it has collected, or was told of."""
        worlds = [world]
        for client, line in world.served.lines.in_order() if self._setting.clients else ():
            if line.primary == server:
                worlds = [
                    with_news(before, server, client, news)
                    for before in worlds
                    for news in dict.fromkeys(self._news(before, server, client, what))
                ]
        yield from worlds

    def _news(
        self, world: World, server: str, client: str, what: tuple[Collected, ...]
    ) -> Iterator[tuple[Collected, ...]]:
        """What a server may tell a client of these."""
        book = self._setting.book
        covered = {one: is_covered(self._setting, world, client, one.region, one.key) for one in what}
        queued = {
            (operation.region, operation.key)
            for channel, messages in world.channels.items()
            if (channel.source, channel.target) == (server, client)
            for message in messages
            for operation in [self._setting.operations[message.op_id]]
        }
        tells = (each(book.tells_client_of_collection(interested)) for interested in (True, False))
        for of_covered, of_others in product(*tells):
            yield tuple(
                replace(one, first=(one.region, one.key) not in queued)
                for one in what
                if (of_covered if covered[one] else of_others)
            )

    def _heard(self, world: World, pair: tuple[str, str]) -> Iterator[Step]:
        """A member hears of what another has collected; of one that has died it may not."""
        source, target = pair
        what = world.tombs.told[pair]
        heard = world.but(tombs=replace(world.tombs, told=world.tombs.told.delete(pair)))
        client = self._setting.clients.get(target)
        if any(one in world.wan.dead for one in (source, target, *(client.servers if client else ()))):
            yield Step(("does not hear of a collection", target, source), heard, fault=True)
        if target in world.wan.dead:
            return
        least, most = heard.tombs.collections.get(target, (0, 0))
        more = most + len({one.region for one in what})
        counts = heard.tombs.collections.set(target, (least, more))
        after = self._removed(heard, target, what)
        after = after.but(tombs=replace(after.tombs, collections=counts))
        for known in self._with_clients_told(after, target, what):
            yield Step(("hears of a collection", target, source), known)

    def _removed(self, world: World, member: str, what: tuple[Collected, ...]) -> World:
        """The world in which a member has these tombstones no more; what is newer stays."""
        entries, ghosts = world.entries, world.tombs.ghosts
        for one in what:
            where = (member, one.region, one.key)
            found = world.entry(*where)
            ghosts = ghosts.delete(where) if where in ghosts else ghosts
            again = found.state is EntryState.TOMBSTONE
            spared = _is_newer(found, one.stamp)
            if where in entries and (not spared or any(each(self._setting.book.collects_replaced(again)))):
                entries = entries.delete(where)
        return world.but(entries=entries, tombs=replace(world.tombs, ghosts=ghosts))


def with_news(world: World, source: str, target: str, what: tuple[Collected, ...]) -> World:
    """The world in which a member or server has sent another holder news of a collection."""
    if not what:
        return world
    told = world.tombs.told
    told = told.set((source, target), (*told.get((source, target), ()), *what))
    return world.but(tombs=replace(world.tombs, told=told))


def _is_newer(found: Entry, stamp: Stamp) -> bool:
    """Whether what is found is newer than a tombstone that was collected, or no tombstone at all."""
    if found.state is not EntryState.TOMBSTONE or found.stamp is None:
        return True
    return found.stamp.version > stamp.version or (
        found.stamp.version == stamp.version and found.stamp.member != stamp.member
    )


def replaced(setting: Setting, before: World, after: World, where: Where) -> World:
    """The world in which it is remembered that a tombstone was replaced, where that may matter."""
    entry = before.entry(*where)
    if entry.state is not EntryState.TOMBSTONE or entry.stamp is None or setting.tombstones is None:
        return after
    if not any(any(each(setting.book.collects_replaced(again))) for again in (False, True)):
        return after
    ghosts: HashedMap[Where, Stamp] = after.tombs.ghosts.set(where, entry.stamp)
    return after.but(tombs=replace(after.tombs, ghosts=ghosts))


def in_doubt(
    setting: Setting, lookahead: Lookahead, world: World, now: int, member: str, operation: Operation
) -> bool:
    """Whether it may matter to tombstones or a clear whether an operation reaches the member now or later."""
    if lookahead.gauge_to_come(world, now, member, operation):
        return True
    if lookahead.clear_to_come(world, now, member, operation):
        return True
    return setting.tombstones is not None and (
        lookahead.time_to_pass(world, now, member, operation) or Collecting(setting).is_old(world)
    )
