"""Gauges: what the statistics of tombstones, sizes of views, and numbers of alerts may say of a member.

Knows the names that the documents give them; does not know who asks.
"""

from __future__ import annotations

from plumbline.reference.history.actions import FAILURES
from plumbline.reference.history.log_lines import is_of_alerts
from plumbline.reference.history.views import view_of
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.alerts import is_logged
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import EntryState, each

COUNT, COLLECTIONS = "tombstoneCount", "tombstoneGCCount"
SIZES = {"replicatedTombstonesSize": True, "nonReplicatedTombstonesSize": False}
"""Gauges of memory, and whether it is that of replicated and partitioned regions."""

TOMBSTONE_STATISTICS = frozenset((COUNT, COLLECTIONS, *SIZES))

MANY = 1 << 60
"""More than any of them says."""


def is_gauge(name: str) -> bool:
    """Whether a statistic is one of those: all others count what is discarded."""
    return name in TOMBSTONE_STATISTICS or name == FAILURES or view_of(name) is not None or is_of_alerts(name)


def readings(setting: Setting, world: World, member: str, name: str) -> tuple[tuple[int, int], ...]:
    """What the statistic may say, least and most; how many bytes a tombstone takes is not said."""
    view = view_of(name)
    if view is not None:
        return _sizes(setting, world, member, *view)
    if is_of_alerts(name):
        # What else a member logs is open.
        return ((int(is_logged(world, member, name)), MANY),)
    if name == FAILURES:
        reported = world.wan.failures.get(member, 0)
        return ((reported, reported),)
    if name == COLLECTIONS:
        return (world.tombs.collections.get(member, (0, 0)),)
    kept = [(where[1], entry.state) for where, entry in world.entries.items() if where[0] == member]
    tombstones = [region for region, state in kept if state is EntryState.TOMBSTONE]
    if name == COUNT:
        present = sum(state is not EntryState.ABSENT for _, state in kept)
        _, collections = world.tombs.collections.get(member, (0, 0))
        counts = each(setting.book.tombstones_reported(len(tombstones), present, collections))
        return tuple((count, count) for count in counts)
    found: set[tuple[int, int]] = {(0, 0)}
    for region in dict.fromkeys(tombstones):
        kind = setting.is_replicated(member, region)
        adds = each(setting.book.adds_to_size(SIZES[name], kind))
        found = {(1, MANY) if add else before for before in found for add in adds}
    return tuple(found)


def _sizes(
    setting: Setting, world: World, member: str, view: str, region: str
) -> tuple[tuple[int, int], ...]:
    """How many entries a view of a region may have; whether an entry without a value is one is not said."""
    held = [entry.state for where, entry in world.entries.items() if where[:2] == (member, region)]
    live, invalid, gone = (
        held.count(state) for state in (EntryState.LIVE, EntryState.INVALID, EntryState.TOMBSTONE)
    )
    shown = (gone if shows else 0 for shows in each(setting.book.view_shows_tombstones(view)))
    return tuple((live + more, live + invalid + more) for more in shown)
