"""What can be seen of a parallel queue or sender on one member: the buckets that Geode keeps for it.

Geode gives each region that feeds such a queue a second partitioned region, whose buckets lie with those of
the first. Knows nothing of other members, of links and of what becomes of an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plumbline.adapters.geode.argument import token_of
from plumbline.adapters.geode.handles import FIELD, NULL, Handles, records
from plumbline.adapters.geode.sights import Flow, GeodeQueueEntry

_INTERNAL = "org.apache.geode.internal.cache."
_PARALLEL = f"{_INTERNAL}wan.parallel.ConcurrentParallelGatewaySender"
_ENTRY = "org.apache.geode.cache.Region$Entry"
_YES = "true"


class BucketSights:
    """The questions, put together in one JVM for all its parallel senders.

    Args:
        handles: of the JVM.
        sender: any of them.
        keep: has a Java object outlive examples.
    """

    def __init__(self, handles: Handles, sender: Any, keep: Callable[[Any], Any]) -> None:
        self._handles = handles
        kind = sender.getClass()
        processor, queue = (handles.named(f"{_PARALLEL}{name}") for name in ("EventProcessor", "Queue"))
        parted, region, entry = (
            handles.named(name)
            for name in (f"{_INTERNAL}PartitionedRegion", "org.apache.geode.cache.Region", _ENTRY)
        )
        store, bucket, advisor, event = (
            handles.named(f"{_INTERNAL}{name}")
            for name in (
                "PartitionedRegionDataStore",
                "BucketRegion",
                "BucketAdvisor",
                "wan.GatewaySenderEventImpl",
            )
        )
        regions = handles.chain(
            handles.method(processor, "getQueue"),
            handles.or_null(handles.method(queue, "getRegions"), handles.none),
        )
        regions = handles.chain(
            handles.method(kind, "getEventProcessor"), handles.or_null(regions, handles.none)
        )
        of_store = handles.or_null(handles.method(store, "getAllLocalBucketRegions"), handles.none)
        buckets = handles.chain(handles.method(parted, "getDataStore"), of_store)
        leads = handles.chain(
            handles.method(bucket, "getBucketAdvisor"), handles.method(advisor, "isPrimary")
        )
        sizes = handles.each(handles.row(leads, handles.method(region, "size")), regions, buckets)
        token = handles.or_else(
            handles.method(event, "getDeserializedValue"), handles.method(event, "getCallbackArgument")
        )
        of_event = handles.row(
            handles.method(event, "getRegionPath"), handles.method(event, "getOperation"), token
        )
        found = handles.row(
            handles.chain(handles.method(entry, "getRegion"), handles.method(region, "getName")),
            handles.method(entry, "getKey"),
            handles.chain(
                handles.method(entry, "getValue"), handles.or_null(of_event, handles.constant(NULL))
            ),
        )
        gone = handles.unless(found, "org.apache.geode.cache.EntryDestroyedException", "")
        entries = handles.bind(handles.method(region, "entrySet", handles.boolean), 1, False)  # noqa: FBT003
        self._flow = keep(handles.row(handles.method(kind, "isRunning"), sizes))
        self._events = keep(handles.each(gone, regions, buckets, entries))

    def flow(self, sender: Any) -> Flow:
        """A sender in numbers: what lies in primary buckets here, and in others' copies as not yet gone."""
        words = self._handles.ask(self._flow, sender)
        running, _, sizes = words.partition(FIELD)
        led = {_YES: 0, "false": 0}
        for leads, size in records(sizes):
            led[leads or "false"] += int(size or 0)
        runs = running == _YES
        return Flow(running=runs, primary=runs, size=led[_YES], unprocessed=led["false"])

    def events(self, sender: Any) -> list[GeodeQueueEntry]:
        """The events of all buckets, those of one bucket oldest first."""
        lying: dict[str | None, list[tuple[int, GeodeQueueEntry]]] = {}
        for bucket, number, path, *event in records(self._handles.ask(self._events, sender)):
            of_bucket = lying.setdefault(bucket, [])
            if event:  # else it is gone
                operation, token = event
                of_bucket.append((int(number or ""), GeodeQueueEntry(path, operation, token_of(token))))
        return [event for of_bucket in lying.values() for _, event in sorted(of_bucket)]

    def remembered(self, sender: Any) -> list[GeodeQueueEntry]:  # noqa: ARG002
        """Nothing: a copy of a bucket holds what its primary has not sent."""
        return []
