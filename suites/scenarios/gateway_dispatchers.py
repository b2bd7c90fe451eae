"""How a gateway sender of several dispatchers keeps the order of keys, or of threads (000, L7)."""

from __future__ import annotations

from plumbline.reference.history.operations import Operation
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import Sites

KEYS = ("k", "l", "m", "n")
THREAD = "A-one"
ROUNDS = 4
"""So many updates of a key, or of a thread, are dealt out one after the other."""


@between_sites("WAN-ORDER-02", dispatchers=3)
def each_key_keeps_its_order_by_whichever_dispatcher_it_goes(stage: Sites) -> None:
    """Updates of several keys, called on both members and held up, cross in the order of each key."""
    _by_key(stage)


@between_sites("WAN-ORDER-02", dispatchers=3, order_policy="partition")
def each_routing_object_keeps_its_order_by_whichever_dispatcher_it_goes(stage: Sites) -> None:
    """The same where the policy is that of partitions: a key is its own routing object."""
    _by_key(stage)


def _by_key(stage: Sites) -> None:
    stage.pause()
    puts: dict[str, list[Operation]] = {key: [] for key in KEYS}
    for number in range(ROUNDS):
        for key in KEYS:
            puts[key].append(stage.put(stage.here[number % 2], key))
    stage.resume()
    stage.settle()
    for key, updates in puts.items():
        for member in stage.there:
            stage.told_in_order(member, key, *updates)
        stage.both_sites_hold(key, updates[-1])


@between_sites("WAN-ORDER-02", dispatchers=3)
def each_key_keeps_its_order_while_nothing_holds_it_up(stage: Sites) -> None:
    """The same as fast as it goes: one key is updated again and again, others between."""
    puts = []
    for number in range(2 * ROUNDS):
        puts.append(stage.put(stage.here[0], "k"))
        stage.put(stage.here[1], KEYS[1 + number % 3])
    stage.settle()
    for member in stage.there:
        stage.told_in_order(member, "k", *puts)
    stage.both_sites_hold("k", puts[-1])


@between_sites("WAN-ORDER-02", dispatchers=3, order_policy="thread")
def each_thread_keeps_its_order_by_whichever_dispatcher_it_goes(stage: Sites) -> None:
    """Where the policy is that of threads, what one thread does to any keys crosses in its order."""
    stage.pause()
    puts = [
        stage.put(stage.here[0], key if number % 2 else key * 2, thread=THREAD)
        for number in range(ROUNDS)
        for key in KEYS
    ]
    stage.resume()
    stage.settle()
    for member in stage.there:
        stage.told_of_all_in_order(member, *puts)
