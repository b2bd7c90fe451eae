"""A client that has lost a secondary, or its primary, and recruits another server (document 001, L70 to L73).

B serves the client first, C keeps its queue, and D is recruited. A never dies.
"""

from __future__ import annotations

from plumbline.reference.history.operations import Client, EventKind
from plumbline.suites.scenarios.failover import KILLS, KILLS_AND_GATES, K
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

WITH_SPARE = (Client(name=K, servers=("B", "C", "D"), redundancy=1),)
"""A client with a secondary, and one more server that it may recruit."""


def _takes_over_whole(s: Stage, *dying: str) -> None:
    # A client that starts anew drops this entry, and loads nothing.
    for key in ("x", "y1"):
        s.put("A", key)
    s.register(K, "key", "x", policy="none")
    s.register(K, "regex", "y.*", receive_values=False)
    for server in dying:
        s.crash(server)
        held = s.put("A", "x")
        s.settle()
        s.told_once(K, held)
        s.holds(K, "x", held)
    later, bare, unasked = (s.put("A", key) for key in ("x", "y1", "z"))
    s.settle()
    s.told_as_value(K, later)
    s.told_as(K, bare, EventKind.INVALIDATE)
    s.not_told(K, unasked)


@scenario("FO-RED-01", needs=KILLS, clients=WITH_SPARE, members=4, registers=False)
def a_server_is_recruited_for_a_lost_secondary(s: Stage) -> None:
    s.register(K, "key", "w", policy="none")
    kept = s.put("A", "w")
    s.settle()
    s.crash("C")
    s.settle()
    s.crash("B")
    s.settle()
    s.holds(K, "w", kept)
    later = s.put("A", "w")
    s.settle()
    s.log_is(K, "w", kept, later)


@scenario("FO-RED-01", needs=KILLS, clients=WITH_SPARE, members=4, registers=False)
def a_recruited_server_knows_all_that_its_client_has_registered(s: Stage) -> None:
    _takes_over_whole(s, "C", "B")


@scenario("FO-RED-01", needs=KILLS, clients=WITH_SPARE, members=4, registers=False)
def a_server_is_recruited_in_place_of_a_secondary_that_has_taken_over(s: Stage) -> None:
    s.register(K, "key", "w", policy="none")
    kept = s.put("A", "w")
    s.settle()
    for server in ("B", "C"):
        s.crash(server)
        s.settle()
        s.holds(K, "w", kept)
    later = s.put("A", "w")
    s.settle()
    s.log_is(K, "w", kept, later)


@scenario("FO-RED-01", needs=KILLS_AND_GATES, clients=WITH_SPARE, members=4)
def a_recruited_server_has_what_waited_for_the_client_already(s: Stage) -> None:
    # The client stands still, so that all behind the first event waits at B, and is lost with it.
    first = s.park(K, "A", "x")
    s.finish(first)
    second = s.put("A", "x")
    s.crash("C")
    s.settle_around()
    s.crash("B")
    s.release(first)
    s.settle()
    # A client that has recruited none so far starts anew, and fetches what it was not told of.
    s.holds(K, "x", second)
    third = s.put("A", "x")
    s.settle()
    s.told_once(K, third)
    s.holds(K, "x", third)
