"""How many events a batch of a gateway sender takes, and when it leaves (000, L34), where time can be held.

A first batch that is full is sent wherever it matters when the next one may leave: from then on it is known
for how long a sender has waited.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import Sites

TIME = (Capability.VIRTUAL_TIME,)
MINUTE = 60_000


def put_here(stage: Sites, *keys: str) -> list[Operation]:
    """Put fresh values at site 1, on one member after the other, and wait until nothing more happens."""
    puts = [stage.put(stage.here[turn % 2], key) for turn, key in enumerate(keys)]
    stage.settle()
    return puts


@between_sites("GWQ-BATCH-01", needs=TIME, batch_size=2, interval_ms=MINUTE)
def what_is_too_much_for_a_batch_stays_for_the_next(stage: Sites) -> None:
    """Of three events that have gathered two leave at once; the third waits for another, which comes."""
    stage.hold_time()
    stage.pause()
    first, second, third = put_here(stage, "x", "y", "z")
    stage.resume()
    stage.settle()
    stage.both_sites_hold("x", first)
    stage.both_sites_hold("y", second)
    stage.site_holds(stage.there, "z", None)
    (fourth,) = put_here(stage, "x")
    stage.both_sites_hold("z", third)
    stage.both_sites_hold("x", fourth)


@between_sites("GWQ-BATCH-02", needs=TIME, batch_size=3, interval_ms=MINUTE)
def a_batch_that_is_full_leaves_while_time_stands(stage: Sites) -> None:
    """Three events are at the other site though no time has passed, and so are the next three."""
    stage.hold_time()
    stage.pause()
    first = put_here(stage, "u", "v", "w")
    stage.resume()
    stage.settle()
    for key, put in zip("uvwxyz", (*first, *put_here(stage, "x", "y", "z")), strict=True):
        stage.both_sites_hold(key, put)


@between_sites("GWQ-BATCH-03", "GWQ-BATCH-04", needs=TIME, batch_size=3, interval_ms=MINUTE)
def a_batch_that_is_not_full_leaves_when_its_interval_is_over(stage: Sites) -> None:
    """Two events behind a full batch stay for half a minute, and both have left after a whole one."""
    stage.hold_time()
    stage.pause()
    put_here(stage, "u", "v", "w")
    stage.resume()
    stage.settle()
    first, second = put_here(stage, "x", "y")
    stage.site_holds(stage.there, "x", None)
    stage.leap(MINUTE // 2)
    stage.settle()
    stage.site_holds(stage.there, "x", None)
    stage.site_holds(stage.there, "y", None)
    stage.leap(MINUTE // 2)
    stage.settle()
    stage.both_sites_hold("x", first)
    stage.both_sites_hold("y", second)


@between_sites("GWQ-BATCH-07", needs=TIME, interval_ms=MINUTE)
def an_event_alone_leaves_within_an_interval(stage: Sites) -> None:
    """After some minutes without any event one is put, and nothing else: it is there a minute later."""
    stage.hold_time()
    for turn in range(2):
        stage.leap(5 * MINUTE)
        stage.settle()
        (put,) = put_here(stage, f"x{turn}")
        stage.leap(MINUTE)
        stage.settle()
        stage.both_sites_hold(f"x{turn}", put)


@between_sites("GWQ-BATCH-05", needs=TIME, batch_size=2, interval_ms=3 * MINUTE, back=(3, MINUTE))
def each_queue_has_its_own_batches(stage: Sites) -> None:
    """Two queues on one region: two events or three minutes for the one, three or one for the other."""
    stage.hold_time()
    stage.pause()
    first = put_here(stage, "u", "v")
    stage.resume()
    stage.settle()
    for key, put in zip("uv", first, strict=True):
        stage.both_sites_hold(key, put)
    there = stage.put(stage.there[0], "x")
    (here,) = put_here(stage, "w")
    stage.leap(MINUTE)
    stage.settle()
    stage.both_sites_hold("x", there)
    stage.site_holds(stage.there, "w", None)
    stage.leap(2 * MINUTE)
    stage.settle()
    stage.both_sites_hold("w", here)
