"""Hosting: a member gives up its copy of a region, and takes one again from another member.

Owns who holds no copy. Both happen only while nothing else does; the duties of a copy to operations under way
are not modelled yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.moments import Hosted
from plumbline.reference.history.operations import RegionPolicy
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each


def left(world: World, member: str, region: str) -> World:
    """The world in which the member keeps nothing of the region and is sent nothing."""
    entries = world.entries
    for where in world.entries:
        if where[:2] == (member, region):
            entries = entries.delete(where)
    return world.but(entries=entries, away=world.away.set((member, region), value=True))


def joined(world: World, member: str, region: str, setting: Setting) -> Iterator[World]:
    """The worlds in which the member has taken a copy from one of those that have one.

    Normal and empty members begin with nothing.
    """
    back = world.but(away=world.away.delete((member, region)))
    if setting.lesser.get((member, region)) in (RegionPolicy.NORMAL, RegionPolicy.EMPTY):
        yield back
        return
    seen: set[World] = set()
    for provider in setting.others[member]:
        if (provider, region) in world.away or (provider, region) in setting.lesser:
            continue
        if provider in world.wan.dead:
            continue
        kept = [
            (key, e)
            for (holder, name, key), e in world.entries.items()
            if (holder, name) == (provider, region)
        ]
        ways = product(*(each(setting.book.image_includes(entry.state)) for _, entry in kept))
        for included, versions in product(ways, each(setting.book.image_has_versions())):
            entries = back.entries
            for (key, entry), wanted in zip(kept, included, strict=True):
                if wanted:
                    taken = entry if versions else replace(entry, stamp=None)
                    entries = entries.set((member, region, key), taken)
            after = back.but(entries=entries)
            if after not in seen:
                seen.add(after)
                yield after


def hosted(world: World, due: Hosted, setting: Setting) -> Iterator[World]:
    """The worlds in which a member was refused a copy with settings of its own, or has taken one.

    That such a member is refused is always right.
    """
    if due.in_force is None:
        yield world
        return
    others = [other for other in setting.others[due.member] if (other, due.region) not in world.away]
    if due.persistent and not due.asked:
        settings = each(setting.book.setting_of_persistent(due.asked))
    else:
        settings = tuple(
            chosen
            for checks in setting.checks(due.region)
            for chosen in each(setting.book.setting_of_joiner(due.asked, checks))
        )
    if due.in_force not in settings:
        return
    if others:
        yield from joined(world, due.member, due.region, setting)
    else:
        yield world.but(away=world.away.delete((due.member, due.region)))
