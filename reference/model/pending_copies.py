"""Pending copies: a member takes a copy of a region while all else goes on (004, L16, L63).

The member takes part first, so that it is sent all that is written from then on. Then each key is read at a
member that has the region, and taken over. Owns the copies under way. Knows nothing of how a plan asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

import msgspec
from msgspec.structs import replace

from plumbline.reference.history.join_moments import CopyHeld, CopyReleased, JoinBegun, JoinEnded, JoinMoment
from plumbline.reference.model.checks import Checks
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.messages import MessageState
from plumbline.reference.model.restarts import with_receiver
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import PendingCopy, World
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.transition import Step

Where = tuple[str, str]


class _Reading(msgspec.Struct, frozen=True):
    """One key that may be read now, and what it brings; None where it is left out."""

    key: str
    item: Entry | None


class PendingCopies:
    """The part of the model that carries copies on while other things happen."""

    def __init__(self, setting: Setting, checks: Checks) -> None:
        self._setting = setting
        self._checks = checks

    def after(self, world: World, moment: JoinMoment) -> World | None:
        """The world after a moment of a copy; None where it cannot come now."""
        where = (moment.member, moment.region)
        match moment:
            case JoinBegun(held=held):
                return self.begun(world, where, held=held)
            case CopyHeld():
                return world if self.is_held(world, where) else None
            case CopyReleased():
                return self.released(world, where)
            case JoinEnded():
                return self.ended(world, where) if self.may_end(world, where) else None

    @staticmethod
    def begun(world: World, where: Where, *, held: bool) -> World:
        """The world in which a member begins to take a copy."""
        return _with(world, where, PendingCopy(held))

    @staticmethod
    def released(world: World, where: Where) -> World:
        """The world in which a copy is held no more."""
        return _with(world, where, replace(world.images[where], held=False))

    def is_held(self, world: World, where: Where) -> bool:
        """Whether the whole copy is on its way, and held."""
        image = world.images[where]
        return image.held and self._is_read(world, where, image)

    def may_end(self, world: World, where: Where) -> bool:
        """Whether the member may come to know now that it has its copy."""
        image = world.images[where]
        if image.returned:
            return False
        early = not all(each(self._setting.book.returns_with_copy()))
        return self._is_complete(world, where, image) or (early and image.takes_part)

    def ended(self, world: World, where: Where) -> World:
        """The world in which the member may be called."""
        image = world.images[where]
        if not self._is_complete(world, where, image):
            return _with(world, where, replace(image, returned=True))
        left = _taking_part(world, where).but(images=world.images.delete(where))
        return with_receiver(left, self._setting, where[0]) if _has_all_copies(left, where[0]) else left

    def rests(self, world: World) -> bool:
        """Whether no copy goes on by itself."""
        return next(self.steps(world), None) is None

    def steps(self, world: World) -> Iterator[Step]:
        """Each copy goes on."""
        for where, image in world.images.in_order():
            if where[0] in world.wan.dead:
                continue
            if not image.takes_part:
                yield from self._takes_part(world, where, image)
                continue
            for reading in self._readings(world, where, image):
                brought = () if reading.item is None else ((reading.key, reading.item),)
                items = tuple(sorted((*image.items, *brought), key=itemgetter(0)))
                read = replace(image, read=image.read | {reading.key}, items=items)
                yield Step(("is read for", *where, reading.key), _with(world, where, read))
            if not image.held and (image.returned or any(each(self._setting.book.returns_with_copy()))):
                for key, item in image.items:
                    yield from self._taken_over(world, where, key, item)
            if where[0] in world.wan.stopped and self._are_complete(world, where[0]):
                # It may receive from other sites before it comes to be known that it has its copies.
                yield Step(("receives again", where[0]), with_receiver(world, self._setting, where[0]))
            if image.returned and self._is_complete(world, where, image):
                left = _taking_part(world, where)
                yield Step(("has its copy", *where), left.but(images=world.images.delete(where)))

    def _takes_part(self, world: World, where: Where, image: PendingCopy) -> Iterator[Step]:
        """From here on the member is sent what is written; what is on its way to others comes by the copy."""
        member, region = where
        earlier = {
            (channel.target, message.op_id)
            for channel, messages in world.channels.items()
            for message in messages
            if channel.target != member
            and not message.queue
            and message.state is not MessageState.PARKED
            and self._setting.operations[message.op_id].region == region
        }
        told = replace(image, takes_part=True, earlier=frozenset(earlier))
        for takes in each(self._setting.book.takes_updates_while_joining()):
            begun = _with(world, where, told)
            yield Step(("takes part", *where), _taking_part(begun, where) if takes else begun)

    def _providers(self, world: World, where: Where) -> list[str]:
        """The members that have the whole region."""
        member, region = where
        return [
            other
            for other in self._setting.others[member]
            if (other, region) not in world.away
            and (other, region) not in world.images
            and (other, region) not in self._setting.lesser
            and other not in world.wan.dead
        ]

    def _readings(self, world: World, where: Where, image: PendingCopy) -> Iterator[_Reading]:
        """The keys that may be read now, each from any member that has all that was sent before."""
        region, book = where[1], self._setting.book
        seen: set[_Reading] = set()
        for provider in self._providers(world, where):
            late = self._late(world, image, provider)
            for (holder, name, key), entry in world.entries.items():
                if (holder, name) != (provider, region) or key in image.read or key in late:
                    continue
                for included in each(book.image_includes(entry.state)):
                    for stamped in each(book.image_has_versions()):
                        item = entry if stamped else replace(entry, stamp=None)
                        seen.add(_Reading(key, item if included else None))
        yield from sorted(seen, key=repr)

    def _late(self, world: World, image: PendingCopy, provider: str) -> set[str]:
        """The keys of which a member has yet to receive what was sent before the copy began."""
        if not all(each(self._setting.book.takes_updates_while_joining())):
            return set()  # such a member misses what is written while it joins, in one way or another
        return {
            self._setting.operations[message.op_id].key
            for channel, messages in world.channels.items()
            if channel.target == provider
            for message in messages
            if not message.queue
            and (provider, message.op_id) in image.earlier
            and message.state is not MessageState.PARKED
        }

    def _are_complete(self, world: World, member: str) -> bool:
        """Whether a member has all the copies that it takes."""
        return all(
            self._is_complete(world, where, image)
            for where, image in world.images.items()
            if where[0] == member
        )

    def _is_read(self, world: World, where: Where, image: PendingCopy) -> bool:
        """Whether all is read that there is to read."""
        return image.takes_part and self._has_all(world, where, image)

    def _has_all(self, world: World, where: Where, image: PendingCopy) -> bool:
        """Whether some member has no key, at the end of what was sent before, that is not read."""
        providers = self._providers(world, where)
        return not providers or any(
            not self._late(world, image, provider)
            and all(
                key in image.read
                for holder, name, key in world.entries
                if (holder, name) == (provider, where[1])
            )
            for provider in providers
        )

    def _is_complete(self, world: World, where: Where, image: PendingCopy) -> bool:
        """Whether all is read and taken over, and nothing is held."""
        return image.takes_part and not image.held and not image.items and self._has_all(world, where, image)

    def _taken_over(self, world: World, where: Where, key: str, item: Entry) -> Iterator[Step]:
        """One entry of a copy meets what the member has by then."""
        member, region = where
        image = world.images[where]
        items = tuple(one for one in image.items if one[0] != key)
        left = _with(world, where, replace(image, items=items))
        stored = world.entry(member, region, key)
        name = ("takes over", *where, key)
        for checks in self._setting.checks(region):
            ways = self._compared(world, where, key, item) if checks else self._unchecked(image, key, stored)
            for takes, order in ways:
                ordered = left.but(order=order if order is not None else left.order)
                if takes:
                    yield Step(name, ordered.but(entries=ordered.entries.set((member, region, key), item)))
                    continue
                yield Step(name, ordered)
                if checks and stored.stamp != item.stamp:
                    # No document says whether what a copy brings too late counts as discarded.
                    more = ordered.discards.get(member, 0) + 1
                    yield Step(name, ordered.but(discards=ordered.discards.set(member, more)))

    def _compared(
        self, world: World, where: Where, key: str, item: Entry
    ) -> Iterator[tuple[bool, object | None]]:
        """Whether an entry of a copy is taken where versions are compared."""
        book, stored = self._setting.book, world.entry(*where, key)
        if stored.state is EntryState.ABSENT or stored.stamp is None:
            yield True, None
            return
        if item.stamp is None:
            yield False, None
            return
        gone = stored.state is EntryState.TOMBSTONE
        for newer, order in self._checks.is_newer(world, item.stamp, stored.stamp, where[0]):
            if newer:
                yield True, order
                continue
            wrong = book.copy_revives_destroyed() if gone else book.copy_replaces_newer()
            for takes in each(wrong):
                yield takes, order

    def _unchecked(self, image: PendingCopy, key: str, stored: Entry) -> Iterator[tuple[bool, object | None]]:
        """Whether an entry of a copy is taken where nothing is compared: not over what came meanwhile."""
        book = self._setting.book
        if key not in image.touched:
            yield True, None
            return
        gone = stored.state in (EntryState.ABSENT, EntryState.TOMBSTONE)
        wrong = book.copy_revives_destroyed() if gone else book.copy_replaces_newer()
        for takes in each(wrong):
            yield takes, None


def given_up(world: World, member: str) -> World:
    """The world in which a member takes no copy any more: it has died."""
    images = world.images
    for where in world.images:
        if where[0] == member:
            images = images.delete(where)
    return world.but(images=images)


def touched(world: World, member: str, region: str, key: str) -> World:
    """The world in which a member that takes a copy knows that an update of a key has come meanwhile."""
    image = world.images.get((member, region))
    if image is None or key in image.touched:
        return world
    return _with(world, (member, region), replace(image, touched=image.touched | {key}))


def _has_all_copies(world: World, member: str) -> bool:
    return all(where[0] != member for where in world.images)


def _taking_part(world: World, where: Where) -> World:
    return world.but(away=world.away.delete(where)) if where in world.away else world


def _with(world: World, where: Where, image: PendingCopy) -> World:
    return world.but(images=world.images.set(where, image))
