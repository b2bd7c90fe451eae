"""Clients whose subscription conflates: what may be left out of their queues, and what may not.

An extension. B serves the client, C holds its queue where it is secured, and A never dies. An update may have
been sent before a later one came. So a scenario names what must be told, and what may be.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, Operation, OperationKind
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

K, L = "K", "L"
ANOTHER = "another"
"""The name of a second region."""

CLIENTS = (Capability.CLIENTS, Capability.SUBSCRIPTION_CONFLATION)
GATES = (*CLIENTS, Capability.LISTENER_GATES)
KILLS = (*GATES, Capability.MEMBER_FAULTS)
DURABLE = (*CLIENTS, Capability.DURABLE_CLIENTS)
DURABLE_KILLS = (*DURABLE, Capability.MEMBER_FAULTS)

ONE = (Client(name=K, servers=("B",), conflate=True),)
TWO = (*ONE, Client(name=L, servers=("B",)))
"""One client whose queue conflates, and one of the same server whose queue does not."""

SECURED = (Client(name=K, servers=("B", "C"), redundancy=1, conflate=True),)
ABSENT = (Client(name=K, servers=("B",), durable_id="k", conflate=True),)
ABSENT_SECURED = (Client(name=K, servers=("B", "C"), redundancy=1, durable_id="k", conflate=True),)

DESTROY, INVALIDATE = OperationKind.DESTROY, OperationKind.INVALIDATE


def _held(s: Stage, *keys: str, client: str = K) -> tuple[Operation, list[Operation]]:
    """Entries are there, and the client stands in its listener, so that all else waits behind that."""
    created = [s.put("A", key) for key in keys]
    s.settle()
    first = s.park(client, "A", "in front")
    s.finish(first)
    return first, created


def _goes_on(s: Stage, first: Operation) -> None:
    s.release(first)
    s.settle()


@scenario("EXT-SUBCONF-01", needs=GATES, clients=ONE)
def a_create_and_a_destroy_come_before_the_update_behind_them(s: Stage) -> None:
    first, (old,) = _held(s, "x")
    events = [
        s.put("A", "y"),
        s.put("B", "y"),
        s.do("A", DESTROY, "x"),
        s.put("C", "x"),
        s.put("A", "x"),
    ]
    _goes_on(s, first)
    for event in events:
        s.told_once(K, event)
    created, updated, destroyed, again, last = events
    s.log_is(K, "y", created, updated)
    s.log_is(K, "x", old, destroyed, again, last)
    s.everybody_holds("x", last)


@scenario("EXT-SUBCONF-01", needs=GATES, clients=ONE)
def an_invalidate_comes_before_the_update_behind_it(s: Stage) -> None:
    first, (old,) = _held(s, "x")
    invalidated, last = s.do("A", INVALIDATE, "x"), s.put("B", "x")
    _goes_on(s, first)
    s.log_is(K, "x", old, invalidated, last)
    s.everybody_holds("x", last)


@scenario("EXT-SUBCONF-01", needs=GATES, clients=ONE)
def an_update_stays_in_front_of_what_is_no_update(s: Stage) -> None:
    first, (old, other) = _held(s, "x", "y")
    updated, destroyed, again = s.put("A", "x"), s.do("B", DESTROY, "x"), s.put("C", "x")
    kept, invalidated = s.put("A", "y"), s.do("B", INVALIDATE, "y")
    _goes_on(s, first)
    s.log_is(K, "x", old, updated, destroyed, again)
    s.log_is(K, "y", other, kept, invalidated)
    s.everybody_holds("x", again)


@scenario("EXT-SUBCONF-02", needs=GATES, clients=ONE)
def what_is_left_of_a_clients_queue_keeps_its_order(s: Stage) -> None:
    first, (old,) = _held(s, "x")
    updated, destroyed = s.put("A", "x"), s.do("A", DESTROY, "x")
    again, last = s.put("A", "x"), s.put("A", "x")
    _goes_on(s, first)
    s.told_some_of(K, "x", old, updated, destroyed, again, last)
    for event in (destroyed, again, last):
        s.told_once(K, event)
    s.everybody_holds("x", last)


@scenario("EXT-SUBCONF-03", needs=GATES, clients=ONE)
def the_last_of_many_updates_reaches_a_client(s: Stage) -> None:
    first, (old,) = _held(s, "x")
    updates = [s.put(member, "x") for member in ("A", "B", "C", "A")]
    _goes_on(s, first)
    s.told_some_of(K, "x", old, *updates)
    s.told_once(K, updates[-1])
    s.everybody_holds("x", updates[-1])


@scenario("EXT-SUBCONF-04", needs=GATES, clients=ONE, also=(ANOTHER,))
def an_update_for_a_client_stays_beside_those_of_other_entries(s: Stage) -> None:
    s.do("A", OperationKind.PUT, "x", region=ANOTHER)
    first, _ = _held(s, "x", "y")
    one, other = s.put("A", "x"), s.put("A", "y")
    far = s.do("A", OperationKind.PUT, "x", region=ANOTHER)
    _goes_on(s, first)
    for event in (one, other, far):
        s.told_once(K, event)
    s.everybody_holds("x", one)
    s.everybody_holds("y", other)


@scenario("EXT-SUBCONF-05", needs=GATES, clients=TWO)
def a_client_beside_one_that_conflates_is_sent_each_update(s: Stage) -> None:
    first, (old,) = _held(s, "x", client=L)
    updates = [s.put(member, "x") for member in ("A", "B", "C", "A")]
    _goes_on(s, first)
    s.log_is(L, "x", old, *updates)
    s.told_some_of(K, "x", old, *updates)
    s.everybody_holds("x", updates[-1])


@scenario("EXT-SUBCONF-06", needs=DURABLE, clients=ABSENT, registers=False)
def what_is_stored_for_an_absent_client_is_conflated(s: Stage) -> None:
    old = [s.put("A", key) for key in ("x", "y")]
    s.register(K, durable=True)
    s.ready(K)
    s.settle()
    s.part(K, keep=True)
    left_out = [s.put("A", "x"), s.put("B", "x")]
    destroyed, last, again = s.do("A", DESTROY, "y"), s.put("C", "x"), s.put("A", "y")
    s.come_back(K)
    s.register(K, policy="none", durable=True)
    s.ready(K)
    s.settle()
    for event in (*old, *left_out):
        s.not_told(K, event)
    s.hears_in_order(K, destroyed, last, again, None)
    later = s.put("A", "x")
    s.settle()
    s.told_once(K, later)
    s.holds(K, "x", later)


@scenario("EXT-SUBCONF-06", needs=DURABLE_KILLS, clients=ABSENT_SECURED, registers=False)
def a_secondary_conflates_what_it_stores_for_an_absent_client(s: Stage) -> None:
    s.put("A", "x")
    s.register(K, durable=True)
    s.ready(K)
    s.settle()
    s.part(K, keep=True)
    left_out, created, last = s.put("A", "x"), s.put("A", "y"), s.put("A", "x")
    s.settle()
    s.crash("B")
    s.come_back(K)
    s.register(K, policy="none", durable=True)
    s.ready(K)
    s.settle()
    s.not_told(K, left_out)
    s.hears_in_order(K, created, last, None)


@scenario("EXT-SUBCONF-07", needs=KILLS, clients=SECURED)
def a_failover_loses_no_last_update(s: Stage) -> None:
    first, (old, _) = _held(s, "x", "y")
    updates = [s.put("A", "x") for _ in range(3)]
    other = s.put("C", "y")
    s.crash("B")
    _goes_on(s, first)
    s.told_some_of(K, "x", old, *updates)
    s.told_once(K, updates[-1])
    s.told_once(K, other)
    s.holds(K, "x", updates[-1])
    s.holds(K, "y", other)
