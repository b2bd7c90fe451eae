"""Having a Geode region evict one entry: its limit is set to what it holds, and one more entry is counted.

Geode evicts where an operation adds an entry to a full region. Which entry goes, it chooses itself.
"""

from __future__ import annotations

from typing import Any

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.jvm import plain
from plumbline.adapters.geode.reflection import array_of, method_of
from plumbline.reference.history.operations import Outcome, RegionPolicy, Status

MOST_ENTRIES = 1_000_000
"""The limit of a region while nothing is to be evicted."""

EVICTING = frozenset((RegionPolicy.NORMAL, RegionPolicy.PRELOADED))
"""What may be limited with a local destroy; Geode makes a preloaded region of a replicate that is."""


def limit(factory: Any, java: Any) -> None:
    """Have the region that a factory makes evict by a local destroy once it has too many entries."""
    attributes = java.org.apache.geode.cache.EvictionAttributes
    action = java.org.apache.geode.cache.EvictionAction.LOCAL_DESTROY
    factory.setEvictionAttributes(attributes.createLRUEntryAttributes(MOST_ENTRIES, action))


def evict(region: Any, java: Any, client: Any) -> Outcome:
    """Have the region make room for one entry, and tell which it has taken; `absent` where it has none.

    Args:
        region: limited by `limit`, over the connection of the calling thread.
        java: the view of the member's JVM.
        client: that connection. Geode notes for each Java thread how many entries that thread has added.
    """
    before = _keys(region)
    if not before:
        return Outcome(Status.ABSENT)
    entries = plain(region.getRegionMap(), client)
    adds = plain(method_of(java, entries.getClass(), "setDelta", java.java.lang.Integer.TYPE), client)
    held = plain(method_of(java, entries.getClass(), "getTotalEntrySize"), client)
    mutator = region.getAttributesMutator().getEvictionAttributesMutator()
    mutator.setMaximum(int(held.invoke(entries, array_of(java, "java.lang.Object"))))
    try:
        # The second call takes back what the first has counted too much.
        for entry in (1, -1):
            adds.invoke(entries, array_of(java, "java.lang.Object", entry))
            entries.lruUpdateCallback()
    finally:
        mutator.setMaximum(MOST_ENTRIES)
    gone = before - _keys(region)
    if len(gone) > 1:
        raise AdapterError(f"{sorted(gone)} were evicted, where one entry was to be")
    if not gone:
        return Outcome(Status.FAILED, detail="nothing was evicted")
    return Outcome(Status.OK, value=gone.pop())


def _keys(region: Any) -> set[str]:
    return set(region.keySet().toArray())
