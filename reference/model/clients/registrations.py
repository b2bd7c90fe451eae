"""Interests: a client registers for keys, drops what it held of them, and loads what its server has.

Owns the interest lists. Here a registration happens while nothing else does; `pending_registrations` has
those beside which all else goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

import msgspec
from msgspec.structs import replace

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import Client, EventKind, Interest
from plumbline.reference.model.clients.client_state import DurableState, QueuePlacement, Registration
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.places import listener_entry, listener_place
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.interests import LOADS_KEYS, LOADS_NOTHING, well_formed
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.hashed_map import HashedMap
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, Step

Entries = HashedMap[tuple[str, str, str], Entry]
Shows = tuple[tuple[Place, Observation], ...]

PRESENT = (EntryState.LIVE, EntryState.INVALID)


class Interests:
    """The part of the model that registers clients' interest, and withdraws it."""

    def __init__(self, setting: Setting, strength: OrderStrength) -> None:
        self._setting = setting
        self._strength = strength

    def begun(self, world: World) -> World:
        """The world in which clients have registered for what they begin with, all being empty."""
        interests = world.served.interests
        for interest in self._setting.registered:
            where = (interest.client, interest.region)
            interests = interests.set(where, (*interests.get(where, ()), Registration(interest)))
        for client in self._setting.clients.values():
            world = self.connected(world, client)
        return with_interests(world, interests)

    @staticmethod
    def connected(world: World, client: Client) -> World:
        """The world in which a client has connected to its servers, the first of which sends it events."""
        if not client.subscription:
            return world
        line = QueuePlacement(client.servers[0], client.servers[1 : 1 + client.redundancy])
        served = replace(world.served, lines=world.served.lines.set(client.name, line))
        if client.durable_id is not None:
            begins = DurableState(timeout_ms=client.durable_timeout_s * 1000)
            served = replace(served, durable=served.durable.set(client.name, begins))
        return world.but(served=served)

    def steps(self, world: World) -> Iterator[Step]:
        """A registration that was not in force when its call returned comes into force."""
        for (client, region), found in world.served.interests.in_order():
            if not all(one.in_force for one in found) and not (
                world.calls and any(one.waits for one in found)
            ):
                known = tuple(replace(one, in_force=True, waits=False) for one in found)
                yield Step(
                    ("registration is in force", client, region),
                    with_interests(world, world.served.interests.set((client, region), known)),
                )

    def registered(self, world: World, interest: Interest) -> Iterator[tuple[World, Shows]]:
        """The worlds in which the call has returned, and what the client's listener was told meanwhile."""
        if not interest.register:
            for after in self._withdrawn(world, interest):
                yield after, ()
            return
        if not any(self.accepted(world, interest)):
            return
        for listed in self.listed(world, interest):
            for dropped, shows in self._dropped(listed, interest):
                for loaded, told in self._loaded(dropped, interest):
                    yield loaded, (*shows, *told)

    def refused(self, world: World, interest: Interest) -> Iterator[tuple[World, Shows]]:
        """The worlds in which the call was refused; keys may have been dropped before (001, L53, L65)."""
        if not interest.register or all(self.accepted(world, interest)):
            return
        interests = world.served.interests
        for keeps in each(self._setting.book.refusal_keeps_list()):
            kept = interests if keeps else interests.delete((interest.client, interest.region))
            yield from self._dropped(with_interests(world, kept), interest)

    def accepted(self, world: World, interest: Interest) -> tuple[bool, ...]:
        """Whether a registration is accepted; more than one answer only where that is free."""
        book = self._setting.book
        if not self._setting.clients[interest.client].subscription:
            return each(book.registers_unsubscribed())
        refuses = each(book.refuses_lacking())
        if any(refuses) and self._brings_nothing(world, interest):
            return tuple(not one for one in refuses)
        if interest.kind != "regex":
            return (True,)
        return each(book.accepts_expression(well_formed(interest.specification)))

    def _brings_nothing(self, world: World, interest: Interest) -> bool:
        """Whether the server has nothing that a registration covers."""
        there = self.present(world, self.server(world, interest.client), interest.region)
        return not any(any(covers(self._setting.book, interest, key)) for key in there)

    def listed(self, world: World, interest: Interest) -> Iterator[World]:
        """The worlds in which a registration is on the interest list, as it should be."""
        where = (interest.client, interest.region)
        before: tuple[Registration, ...] = world.served.interests.get(where, ())
        book = self._setting.book
        lists = self._lists(world, interest)
        if not all(lists):
            yield world
        if not any(lists):
            return
        earlier = {one.interest for one in before if one.earlier} - {interest}
        for kept in each(book.interests_kept(tuple(one.interest for one in before), interest)):
            for at_once, everywhere in product(
                each(book.in_force_on_return()), each(book.registers_at_secondaries())
            ):
                listed = tuple(
                    Registration(
                        one, one != interest or at_once, one != interest or everywhere, one in earlier
                    )
                    for one in kept
                )
                yield with_interests(world, world.served.interests.set(where, listed))

    def _lists(self, world: World, interest: Interest) -> tuple[bool, ...]:
        """Whether a registration enters the interest list; neither the list nor the policy matters."""
        book = self._setting.book
        there = self.present(world, self.server(world, interest.client), interest.region)
        lacking = interest.kind in ("key", "list") and there.keys().isdisjoint(
            interest.specification.split("\n")
        )
        return tuple(
            lists and loads
            for lists in (each(book.lists_lacking()) if lacking else (True,))
            for loads in (each(book.lists_unloaded()) if interest.policy == LOADS_NOTHING else (True,))
        )

    def server(self, world: World, client: str) -> str:
        """The server that sends a client its events; for one that is sent none, the first that it names."""
        line = world.served.lines.get(client)
        return line.primary if line is not None else self._setting.clients[client].servers[0]

    def _withdrawn(self, world: World, interest: Interest) -> Iterator[World]:
        where = (interest.client, interest.region)
        before: tuple[Registration, ...] = world.served.interests.get(where, ())
        earlier = {one.interest for one in before if one.earlier}
        for left in each(self._setting.book.interests_left(tuple(one.interest for one in before), interest)):
            kept = tuple(Registration(one, earlier=one in earlier) for one in left)
            known = world.served.interests
            interests = known.set(where, kept) if kept else known.delete(where)
            after = with_interests(world, interests)
            if any(each(self._setting.book.withdrawn_comes_back())):
                gone = (
                    *world.served.withdrawn.get(where, ()),
                    *(o.interest for o in before if o not in kept),
                )
                withdrawn = world.served.withdrawn.set(where, gone)
                after = after.but(served=replace(after.served, withdrawn=withdrawn))
            yield after

    def _dropped(self, world: World, interest: Interest) -> Iterator[tuple[World, Shows]]:
        """The worlds in which the client has dropped what it held, as documented without a word."""
        for gone in self.drops(world, interest):
            yield from self.dropped(world, interest, gone)

    def drops(self, world: World, interest: Interest) -> Iterator[tuple[str, ...]]:
        """Which keys that the client holds now it may drop for a registration."""
        book = self._setting.book
        drops = each(book.none_drops()) if interest.policy == LOADS_NOTHING else (True,)
        seen: dict[tuple[str, ...], None] = {} if all(drops) else {(): None}
        held = tuple(self.present(world, interest.client, interest.region))
        decide = book.dropped_for_expression if interest.kind == "regex" else book.dropped_for_keys
        for covered in self.covered(interest, held) if any(drops) else ():
            seen.update(dict.fromkeys(each(decide(covered, held))))
        yield from seen

    def dropped(
        self, world: World, interest: Interest, gone: tuple[str, ...]
    ) -> Iterator[tuple[World, Shows]]:
        """The worlds in which the client has dropped these keys, as documented without a word."""
        book = self._setting.book
        ways = product(each(book.drop_is_local()), each(book.drop_tells())) if gone else ((True, False),)
        for local, tells in ways:
            after = self.without(world, interest.client, interest.region, gone, local=local)
            yield after, self.loss(interest.client, interest.region, gone if tells else ())

    def without(self, world: World, client: str, region: str, keys: Iterable[str], *, local: bool) -> World:
        """The world in which a client holds these keys no more; nor do its servers, where it is not local."""
        holders = (client,) if local else (client, *self._setting.sites[self._setting.home(client)])
        entries = world.entries
        for holder, key in product(holders, keys):
            entries = entries.delete((holder, region, key))
        return world.but(entries=entries)

    def loss(self, client: str, region: str, keys: Iterable[str]) -> Shows:
        """What a client's listener would tell of keys that were dropped, as it should not."""
        kind = EventKind.DESTROY
        return tuple(
            (
                listener_place(self._strength, client, region, key, None, kind),
                listener_entry(region, key, kind, None),
            )
            for key in keys
        )

    def _loaded(self, world: World, interest: Interest) -> Iterator[tuple[World, Shows]]:
        """The worlds in which what the server holds has been loaded, as far as the policy has it."""
        for there in self.there(world, self.server(world, interest.client), interest.region):
            yield from self._loaded_of(world, interest, there)

    def there(self, world: World, server: str, region: str) -> Iterator[dict[str, Entry]]:
        """What a registration may load (001, L57): what the server holds; where it is partitioned, all."""
        own = self.present(world, server, region)
        if region in self._setting.partitioned:
            members = tuple(m for m in (server, *self._setting.others[server]) if m not in world.wan.dead)
            for chosen in each(self._setting.book.loaded_from(server, members)):
                yield {k: e for member in chosen for k, e in self.present(world, member, region).items()}
            return
        if not self._setting.lesser:
            yield own
            return
        for others in each(self._setting.book.loads_of_others()):
            found: dict[str, Entry] = {}
            for member in self._setting.others[server] if others else ():
                found.update(self.present(world, member, region))
            yield {**found, **own}

    def _loaded_of(
        self, world: World, interest: Interest, there: dict[str, Entry]
    ) -> Iterator[tuple[World, Shows]]:
        for places, brought in self.answers(interest, there):
            after = self._with(world, interest, {**places, **brought})
            yield from self._told(after, interest, brought)

    def answers(
        self, interest: Interest, there: dict[str, Entry]
    ) -> Iterator[tuple[dict[str, Entry], dict[str, Entry]]]:
        """Entries that only hold places, as none should, and what a registration may load of those there."""
        book = self._setting.book
        policy = {
            None: book.unnamed_loads,
            "keys": book.keys_load,
            "keys_values": book.keys_values_load,
            "none": book.none_loads,
        }[interest.policy]
        for covered in self.covered(interest, tuple(there)):
            for loads in each(policy()):
                if loads == LOADS_NOTHING:
                    yield {}, {}
                    continue
                for keys in each(book.loaded_of(covered)):
                    for checks in self._setting.client_checks(interest.client):
                        brought = {
                            key: _brought(there[key], values=loads != LOADS_KEYS, checks=checks)
                            for key in keys
                        }
                        for bare in each(book.holds_places()):
                            yield _places(interest, there) if bare else {}, brought

    def anew(self, world: World, client: str) -> Iterator[tuple[World, Shows]]:
        """The worlds in which a client that has lost its queue has started anew from its new server."""
        book = self._setting.book
        again = world.served.lines[client].moves > 1
        state = world.served.durable.get(client)
        firsts = each(book.registers_before_ready(again)) if state and state.ready else (True,)
        ways: list[tuple[World, Shows]] = [(world, ())]
        for (name, region), found in world.served.interests.in_order():
            if name != client:
                continue
            moved = product(*(each(book.moves_interest(one.interest, again, one.earlier)) for one in found))
            gone: tuple[Interest, ...] = world.served.withdrawn.get((client, region), ())
            kept = [
                (
                    tuple(
                        one.interest
                        for one, new in zip(found, interests, strict=True)
                        if new or not one.earlier
                    ),
                    tuple(
                        Registration(one, in_force=first, waits=not first)
                        for one in (*interests, *back)
                        if one is not None
                    ),
                )
                for interests in moved
                for first in firsts
                for back in ((gone if comes else ()) for comes in each(book.withdrawn_comes_back()))
            ]
            ways = [
                after
                for so_far, shows in ways
                for before, registered in kept
                for after in self._region_anew(so_far, shows, client, region, before, registered)
            ]
        yield from ways

    def _region_anew(
        self,
        world: World,
        shows: Shows,
        client: str,
        region: str,
        before: tuple[Interest, ...],
        kept: tuple[Registration, ...],
    ) -> Iterator[tuple[World, Shows]]:
        book = self._setting.book
        where = (client, region)
        interests = world.served.interests
        world = with_interests(world, interests.set(where, kept) if kept else interests.delete(where))
        held = tuple(self.present(world, client, region))
        drops = product(
            each(book.drops_anew()),
            each(book.drops_uncovered_anew()),
            each(book.anew_tells()),
            each(book.anew_is_local()),
            each(book.anew_tells_of_dropped()),
        )
        for drop, uncovered, tells, local, mourns in drops:
            gone = [
                key
                for key in held
                if drop and (uncovered or any(any(covers(book, interest, key)) for interest in before))
            ]
            dropped = self.without(world, client, region, gone, local=local)
            lost = self.loss(client, region, gone if mourns else ())
            for fetches in each(book.fetches_anew()):
                for loading in _loading_anew(book, kept) if fetches else ((),):
                    ways: list[tuple[World, Shows]] = [(dropped, (*shows, *lost))]
                    for interest in loading:
                        ways = [
                            (self._keeping(so_far, after, client, region), told)
                            for so_far, told in ways
                            for after, _ in self._loaded(so_far, interest)
                        ]
                    for after, told in ways:
                        news = self._news(dropped, after, client, region) if tells else ()
                        yield after, (*told, *news)

    def _news(self, before: World, after: World, client: str, region: str) -> Shows:
        """What a listener would be told of what was fetched, if it were told."""
        there = self.present(before, client, region)
        return tuple(
            self.shown(client, region, key, entry.token)
            for key, entry in self.present(after, client, region).items()
            if entry.state is EntryState.LIVE and there.get(key) != entry
        )

    def _keeping(self, before: World, after: World, client: str, region: str) -> World:
        """The world in which values that one registration fetched stay, though another fetches keys only."""
        entries = after.entries
        for key, entry in self.present(before, client, region).items():
            if entry.state is EntryState.LIVE:
                entries = entries.set((client, region, key), entry)
        return after.but(entries=entries)

    @staticmethod
    def _with(world: World, interest: Interest, brought: dict[str, Entry]) -> World:
        entries = world.entries
        unloaded = world.served.unloaded.get((interest.client, interest.region), ())
        for key, entry in brought.items():
            if key not in unloaded:
                entries = entries.set((interest.client, interest.region, key), entry)
        return world.but(entries=entries)

    def _told(
        self, world: World, interest: Interest, brought: dict[str, Entry]
    ) -> Iterator[tuple[World, Shows]]:
        book = self._setting.book
        told = (
            (each(book.registration_tells(values)) for values in (False, True))
            if brought
            else ((False,),) * 2
        )
        others = tuple(
            name
            for name, region in world.served.interests
            if region == interest.region and name != interest.client
        )
        for tells, to_others in product(
            product(*told), each(book.loads_tell_others()) if others else (False,)
        ):
            yield (
                world,
                tuple(
                    self.shown(client, interest.region, key, entry.token)
                    for client in (interest.client, *(others if to_others else ()))
                    for key, entry in brought.items()
                    if client != interest.client or tells[entry.state is EntryState.LIVE]
                ),
            )

    def shown(self, client: str, region: str, key: str, token: str | None) -> tuple[Place, Observation]:
        """Where a client's listener would tell that a value has come into its copy, and what."""
        thread = self._setting.thread_of(token)
        place = listener_place(self._strength, client, region, key, thread, EventKind.UPDATE)
        return place, listener_entry(region, key, EventKind.UPDATE, token)

    @staticmethod
    def present(world: World, holder: str, region: str) -> dict[str, Entry]:
        """What a member or client holds of a region, by key."""
        return {
            key: entry
            for (at, name, key), entry in sorted(world.entries.items())
            if (at, name) == (holder, region) and entry.state in PRESENT
        }

    def covered(self, interest: Interest, keys: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """Which of the keys the registration covers; more than one answer only where that is free."""
        ways = [covers(self._setting.book, interest, key) for key in keys]
        for way in product(*ways):
            yield tuple(key for key, covered in zip(keys, way, strict=True) if covered)


def with_interests(world: World, interests: HashedMap[tuple[str, str], tuple[Registration, ...]]) -> World:
    """The world with other interest lists."""
    return world.but(served=replace(world.served, interests=interests))


def _loading_anew(book: Rulebook, kept: tuple[Registration, ...]) -> tuple[tuple[Interest, ...], ...]:
    """What a client that starts anew may fetch: by each registration's own policy, or all with their values.

    The entries of its interest are fetched, says the document, and names no policy there (001, L70).
    """
    own = tuple(one.interest for one in kept)
    whole = tuple(msgspec.structs.replace(one, policy="keys_values") for one in own)
    return tuple(
        dict.fromkeys(
            tuple(
                msgspec.structs.replace(one, policy=policy)
                for one, policy in zip(interests, policies, strict=True)
            )
            for interests in (own, whole)
            for policies in product(*(each(book.policy_anew(one.policy)) for one in interests))
        )
    )


def covers(book: Rulebook, interest: Interest, key: str) -> tuple[bool, ...]:
    """Whether a registration covers a key; more than one answer only where that is free."""
    match interest.kind:
        case "all":
            return (True,)
        case "regex":
            if not well_formed(interest.specification):
                return (False,)
            return each(book.expression_covers(interest.specification, key))
        case "list":
            return (key in interest.specification.split("\n"),)
        case _:
            return (key == interest.specification,)


def is_covered(setting: Setting, world: World, client: str, region: str, key: str) -> bool:
    """Whether a registration that is in force surely covers a key."""
    found: tuple[Registration, ...] = world.served.interests.get((client, region), ())
    return any(one.in_force and all(covers(setting.book, one.interest, key)) for one in found)


def _places(interest: Interest, there: dict[str, Entry]) -> dict[str, Entry]:
    """Entries without values of the keys that a registration names and the server lacks."""
    named = interest.specification.split("\n") if interest.kind in ("key", "list") else ()
    return {key: Entry(EntryState.INVALID, None, None) for key in named if key not in there}


def _brought(entry: Entry, *, values: bool, checks: bool) -> Entry:
    """What a client keeps of an entry of its server."""
    stamp = entry.stamp if checks else None
    if values:
        return replace(entry, stamp=stamp)
    return Entry(EntryState.INVALID, None, stamp)
