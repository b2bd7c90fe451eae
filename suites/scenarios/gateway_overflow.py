"""Queues that hold more than their memory takes: part of them moves to disk, and all is delivered (000, L9).

All receivers of the other site are stopped meanwhile, so that what is queued stays queued.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import Sites

VALUE_BYTES, COUNT = 200_000, 12
"""So many values of this length are more than twice a megabyte, and a small part of a hundred."""

COUNTED = (Capability.QUEUE_INSPECTION, Capability.DISK, Capability.OVERFLOW_COUNTS)


def _filled(stage: Sites) -> list[Operation]:
    """Long values are put on both members in turn, and each copy of the queue holds all of them."""
    stage.stop_receivers()
    puts = [
        stage.put(stage.here[number % 2], "xyz"[number % 3], value_bytes=VALUE_BYTES)
        for number in range(COUNT)
    ]
    for member in stage.here:
        stage.queue_is(member, *puts)
    return puts


@between_sites("GWQ-OVERFLOW-01", "GWQ-OVERFLOW-02", needs=(Capability.QUEUE_INSPECTION,), memory_mb=1)
def a_full_queue_delivers_all_that_was_called(stage: Sites) -> None:
    """A queue beyond its memory takes each event, and delivers each with its value and in its order."""
    puts = _filled(stage)
    stage.start_receivers()
    stage.settle()
    for member in stage.there:
        stage.told_of_all_in_order(member, *puts)
    for put in puts[-3:]:
        stage.both_sites_hold(put.key, put)


@between_sites("GWQ-OVERFLOW-01", needs=COUNTED, memory_mb=1)
def part_of_a_full_queue_is_on_disk(stage: Sites) -> None:
    """The primary of a queue beyond its memory shows that events of it are on disk."""
    _filled(stage)
    stage.is_on_disk(stage.primary(), some=True)


@between_sites("REM-SCOPE-01", needs=COUNTED)
def nothing_of_a_queue_within_its_memory_is_on_disk(stage: Sites) -> None:
    """The same events in a queue of the usual memory, which is a hundred megabytes, stay in memory."""
    _filled(stage)
    for member in stage.here:
        stage.is_on_disk(member, some=False)


@between_sites(
    "GWQ-OVERFLOW-02",
    "GWQ-PERSIST-02",
    "GWQ-PERSIST-03",
    needs=(Capability.QUEUE_INSPECTION, Capability.MEMBER_FAULTS),
    memory_mb=1,
    persistent=True,
)
def a_full_queue_comes_back_whole_when_its_members_start_again(stage: Sites) -> None:
    """What was in memory and what was on disk are back in one order, and new updates come behind both."""
    puts = _filled(stage)
    last, first = stage.primary(), stage.secondary()
    stage.crash(first)
    stage.crash(last)
    stage.recover(last, first)
    puts += [
        stage.put(member, key, value_bytes=VALUE_BYTES) for member, key in zip(stage.here, "xy", strict=True)
    ]
    for member in stage.here:
        stage.queues_now(member, *puts)
    stage.start_receivers()
    stage.settle()
    for member in stage.there:
        stage.told_of_all_in_order(member, *puts)
