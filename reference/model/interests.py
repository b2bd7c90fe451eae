"""Interests: a client registers for keys, drops what it held of them, and loads what its server has.

Owns the interest lists. A registration happens while nothing else does: how it meets operations under way
is not modelled yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from plumbline.reference.explain.steps import Entry as Shown
from plumbline.reference.explain.steps import Place, Step
from plumbline.reference.hashed import HashedMap
from plumbline.reference.history import OrderStrength
from plumbline.reference.model.places import listener_entry, listener_place
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Entry, Registration, World
from plumbline.reference.operations import EventKind, Interest
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.interests import LOADS_KEYS, LOADS_NOTHING
from plumbline.reference.rulebook.values import EntryState, each

Entries = HashedMap[tuple[str, str, str], Entry]
Shows = tuple[tuple[Place, Shown], ...]

PRESENT = (EntryState.LIVE, EntryState.INVALID)


class Interests:
    """The part of the model that registers clients' interest, and withdraws it."""

    def __init__(self, setting: Setting, strength: OrderStrength) -> None:
        self._setting = setting
        self._strength = strength

    def begun(self, world: World) -> World:
        """The world in which clients have registered for what they begin with, all being empty."""
        interests = world.interests
        for interest in self._setting.registered:
            where = (interest.client, interest.region)
            interests = interests.set(where, (*interests.get(where, ()), Registration(interest)))
        return world.but(interests=interests)

    def steps(self, world: World) -> Iterator[Step]:
        """A registration that was not in force when its call returned comes into force."""
        for (client, region), found in world.interests.items():
            if not all(one.in_force for one in found):
                known = tuple(Registration(one.interest) for one in found)
                yield Step(
                    ("registration is in force", client, region),
                    world.but(interests=world.interests.set((client, region), known)),
                )

    def registered(self, world: World, interest: Interest) -> Iterator[tuple[World, Shows]]:
        """The worlds in which the call has returned, and what the client's listener was told meanwhile."""
        if not interest.register:
            for after in self._withdrawn(world, interest):
                yield after, ()
            return
        for listed in self._listed(world, interest):
            for dropped in self._dropped(listed, interest):
                yield from self._loaded(dropped, interest)

    def _listed(self, world: World, interest: Interest) -> Iterator[World]:
        where = (interest.client, interest.region)
        before: tuple[Registration, ...] = world.interests.get(where, ())
        book = self._setting.book
        for kept in each(book.interests_kept(tuple(one.interest for one in before), interest)):
            for at_once in each(book.in_force_on_return()):
                listed = tuple(Registration(one, one != interest or at_once) for one in kept)
                yield world.but(interests=world.interests.set(where, listed))

    def _withdrawn(self, world: World, interest: Interest) -> Iterator[World]:
        where = (interest.client, interest.region)
        before: tuple[Registration, ...] = world.interests.get(where, ())
        for left in each(self._setting.book.interests_left(tuple(one.interest for one in before), interest)):
            kept = tuple(Registration(one) for one in left)
            interests = world.interests.set(where, kept) if kept else world.interests.delete(where)
            yield world.but(interests=interests)

    def _dropped(self, world: World, interest: Interest) -> Iterator[World]:
        """The worlds in which the client has dropped what it held, without a word."""
        book = self._setting.book
        drops = each(book.none_drops()) if interest.policy == LOADS_NOTHING else (True,)
        if not all(drops):
            yield world
        if not any(drops):
            return
        held = tuple(self._present(world, interest.client, interest.region))
        decide = book.dropped_for_expression if interest.kind == "regex" else book.dropped_for_keys
        seen = set()
        for covered in self._covered(interest, held):
            for gone in each(decide(covered, held)):
                if gone in seen:
                    continue
                seen.add(gone)
                for local in each(book.drop_is_local()):
                    site = self._setting.sites[self._setting.home(interest.client)]
                    holders = (interest.client,) if local else (interest.client, *site)
                    entries = world.entries
                    for holder, key in product(holders, gone):
                        entries = entries.delete((holder, interest.region, key))
                    yield world.but(entries=entries)

    def _loaded(self, world: World, interest: Interest) -> Iterator[tuple[World, Shows]]:
        """The worlds in which what the server holds has been loaded, as far as the policy has it."""
        book = self._setting.book
        server = self._setting.clients[interest.client].server
        there = self._present(world, server, interest.region)
        policy = {
            None: book.unnamed_loads,
            "keys": book.keys_load,
            "keys_values": book.keys_values_load,
            "none": book.none_loads,
        }[interest.policy]
        for covered in self._covered(interest, tuple(there)):
            for loads in each(policy()):
                if loads == LOADS_NOTHING:
                    yield world, ()
                    continue
                for keys in each(book.loaded_of(covered)):
                    for checks in self._setting.client_checks(interest.client):
                        brought = {
                            key: _brought(there[key], values=loads != LOADS_KEYS, checks=checks)
                            for key in keys
                        }
                        yield from self._told(self._with(world, interest, brought), interest, brought)

    @staticmethod
    def _with(world: World, interest: Interest, brought: dict[str, Entry]) -> World:
        entries = world.entries
        for key, entry in brought.items():
            entries = entries.set((interest.client, interest.region, key), entry)
        return world.but(entries=entries)

    def _told(
        self, world: World, interest: Interest, brought: dict[str, Entry]
    ) -> Iterator[tuple[World, Shows]]:
        for tells in each(self._setting.book.registration_tells()):
            yield (
                world,
                tuple(
                    self.shown(interest.client, interest.region, key, entry.token)
                    for key, entry in brought.items()
                    if tells and entry.state is EntryState.LIVE
                ),
            )

    def shown(self, client: str, region: str, key: str, token: str | None) -> tuple[Place, Shown]:
        """Where a client's listener would tell that a value has come into its copy, and what."""
        thread = self._setting.thread_of(token)
        place = listener_place(self._strength, client, region, key, thread, EventKind.UPDATE)
        return place, listener_entry(region, key, EventKind.UPDATE, token)

    @staticmethod
    def _present(world: World, holder: str, region: str) -> dict[str, Entry]:
        """What a member or client holds of a region, by key."""
        return {
            key: entry
            for (at, name, key), entry in sorted(world.entries.items())
            if (at, name) == (holder, region) and entry.state in PRESENT
        }

    def _covered(self, interest: Interest, keys: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """Which of the keys the registration covers; more than one answer only where that is free."""
        ways = [covers(self._setting.book, interest, key) for key in keys]
        for way in product(*ways):
            yield tuple(key for key, covered in zip(keys, way, strict=True) if covered)


def covers(book: Rulebook, interest: Interest, key: str) -> tuple[bool, ...]:
    """Whether a registration covers a key; more than one answer only where that is free."""
    match interest.kind:
        case "all":
            return (True,)
        case "regex":
            return each(book.expression_covers(interest.specification, key))
        case "list":
            return (key in interest.specification.split("\n"),)
        case _:
            return (key == interest.specification,)


def _brought(entry: Entry, *, values: bool, checks: bool) -> Entry:
    """What a client keeps of an entry of its server."""
    stamp = entry.stamp if checks else None
    if values:
        return entry._replace(stamp=stamp)
    return Entry(EntryState.INVALID, None, stamp)
