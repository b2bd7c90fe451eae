"""What servers send to subscribed clients, and what these make of it (document 001, L5 to L40)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, EventKind, OperationKind
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

K, L, M = "K", "L", "M"
"""Clients: two of one server, and one of another."""

CLIENTS = (Capability.CLIENTS,)
GATES = (*CLIENTS, Capability.LISTENER_GATES)
ONE = (Client(name=K, servers=("B",)),)
UNCHECKED = (Client(name=K, servers=("B",), checks=False),)
TWO = (*ONE, Client(name=L, servers=("B",)))
UNSUBSCRIBED = (*ONE, Client(name=L, servers=("B",), subscription=False))
"""One client that its server sends events, and one that it does not."""

THREE = (*TWO, Client(name=M, servers=("C",)))
EVERYWHERE = tuple(
    Client(name=client, servers=(server,)) for client, server in zip((K, L, M), "ABC", strict=True)
)
SERVED_BY = {client.server: client.name for client in EVERYWHERE}
"""Each member serves one client."""

DESTROY, INVALIDATE = OperationKind.DESTROY, OperationKind.INVALIDATE


@scenario("C2S-PROP-01", needs=CLIENTS, clients=THREE, registers=False)
def what_a_client_puts_reaches_every_other_that_has_registered(s: Stage) -> None:
    # Document 001, L11 to L14: entry X of region A, put by the first client.
    s.register(L, "key", "X")
    s.register(M, "regex", "X.*")
    first = s.put(K, "X")
    second = s.put(K, "X")
    s.settle()
    for holder in (L, M, *s.members):
        s.log_is(holder, "X", first, second)
    s.everybody_holds("X", second)


@scenario("C2S-PROP-02", needs=CLIENTS, clients=TWO, checks=False)
def a_client_is_not_sent_what_it_has_put_itself(s: Stage) -> None:
    # Without checking the client would not discard what comes back. A client's own put may show there before
    # earlier puts of others.
    own = s.put(K, "x")
    s.settle()
    others = s.put(L, "x")
    s.settle()
    again = s.put(K, "x")
    s.settle()
    s.log_is(K, "x", own, others, again)
    s.log_is(L, "x", own, others, again)


@scenario("C2S-PROP-03", needs=GATES, clients=THREE)
def no_client_receives_what_its_server_does_not_hold(s: Stage) -> None:
    # Document 001, L12 to L14: the server's region is updated, then the queue is filled, then it is emptied.
    for caller, key in ((K, "x"), (s.mid, "y")):
        operation = s.park(L, caller, key)
        s.holds("B", key, operation)
        s.release(operation)
        s.settle()
    far = s.park(M, K, "z")
    s.holds("C", "z", far)
    s.release(far)
    s.settle()
    s.everybody_holds("z", far)


@scenario("C2S-PROP-04", needs=GATES, clients=TWO)
def every_event_that_waits_for_a_client_is_delivered_in_the_end(s: Stage) -> None:
    # Several clients and threads write while K stands still; then nothing more.
    first = s.park(K, s.low, "x")
    s.finish(first)
    events = {key: [s.put(caller, key) for caller in (L, s.mid, L)] for key in ("y", "z")}
    s.release(first)
    s.settle()
    s.log_is(K, "x", first)
    for key, operations in events.items():
        s.log_is(K, key, *operations)
        s.holds(K, key, operations[-1])


@scenario("TRK-ORDER-02", needs=GATES, clients=TWO)
def what_reaches_a_client_late_does_not_replace_what_is_newer(s: Stage) -> None:
    # K stands still, so that what others wrote before it reaches it behind its own write.
    first = s.park(K, s.low, "w")
    s.finish(first)
    late = {key: s.put(caller, key) for key, caller in (("x", s.mid), ("y", L), ("z", s.high))}
    newer = {"x": s.put(K, "x"), "y": s.do(K, DESTROY, "y"), "z": s.put(K, "z")}
    last = s.put(L, "z")
    s.release(first)
    s.settle()
    s.told_some_of(K, "x", late["x"], newer["x"])
    s.told_some_of(K, "z", late["z"], newer["z"], last)
    s.everybody_holds("x", newer["x"])
    s.everybody_holds("y", None)
    s.everybody_holds("z", last)


@scenario("TRK-ORDER-02", needs=CLIENTS, clients=THREE)
def clients_end_with_what_servers_hold_after_concurrent_writes(s: Stage) -> None:
    for kind in (OperationKind.PUT, OperationKind.PUT, DESTROY, OperationKind.PUT):
        for caller in (K, L, M, s.mid):
            s.start(caller, kind, "x")
        s.settle()
        s.everybody_agrees("x")


@scenario("CONS-CL-01", needs=GATES, clients=TWO)
def what_a_client_holds_that_is_newer_outlasts_what_it_is_sent_late(s: Stage) -> None:
    # K stands still, so that what its server sends it of x is older than its own write.
    first = s.park(K, s.low, "w")
    s.finish(first)
    late = s.put(s.mid, "x")
    newer = s.put(K, "x")
    s.release(first)
    s.settle()
    s.told_some_of(K, "x", late, newer)
    s.everybody_holds("x", newer)


@scenario("CONS-CL-01", needs=GATES, clients=EVERYWHERE)
def a_late_answer_to_a_clients_write_does_not_replace_what_it_was_sent_meanwhile(s: Stage) -> None:
    # Its server has written and not yet answered when the highest member's equal version arrives, and wins.
    own = s.park(s.low, SERVED_BY[s.low], "x")
    newer = s.start(s.high, OperationKind.PUT, "x")
    s.release(own)
    s.settle()
    s.everybody_holds("x", newer)


@scenario("DISC-CLIENT-01", needs=GATES, clients=EVERYWHERE)
def a_client_discards_what_its_server_has_discarded(s: Stage) -> None:
    # Equal versions meet: the highest member discards the lowest one's, and may hand it to its client or not.
    for key in ("x", "y", "z"):
        loser = s.park(s.low, s.low, key)
        winner = s.park(s.high, s.high, key)
        s.release(loser)
        s.release(winner)
        s.settle()
        s.everybody_holds(key, winner)
        s.told_once(SERVED_BY[s.high], winner)
        s.not_told(SERVED_BY[s.high], loser)


@scenario("C2S-PROP-05", needs=CLIENTS, clients=THREE, checks=False)
def clients_of_another_server_receive_it_once(s: Stage) -> None:
    # Without checking the client would not discard a repetition.
    first = s.put(K, "x")
    second = s.put(M, "y")
    s.settle()
    s.log_is(M, "x", first)
    for client in (K, L):
        s.log_is(client, "y", second)
    s.log_is(L, "x", first)


@scenario("S2C-INT-01", needs=CLIENTS, clients=TWO, registers=False)
def without_a_registration_nothing_is_sent(s: Stage) -> None:
    s.register(L, "key", "y")
    s.put(s.low, "x")
    s.put(s.mid, "x")
    s.do(s.high, DESTROY, "x")
    covered = s.put(s.low, "y")
    s.settle()
    s.told_nothing(K)
    s.log_is(L, "x")
    s.log_is(L, "y", covered)
    s.holds(K, "y", None)


@scenario("S2C-INT-01", needs=CLIENTS, clients=UNSUBSCRIBED, registers=False)
def a_client_without_subscriptions_cannot_register(s: Stage) -> None:
    there = s.put(s.low, "x")
    s.is_refused(L, "key", "x")
    s.register(K, "key", "x")
    later = s.put(s.mid, "x")
    s.settle()
    s.told_nothing(L)
    s.holds(L, "x", None)
    s.log_is(K, "x", later)
    s.log_is(s.low, "x", there, later)


@scenario("S2C-RECV-01", needs=CLIENTS, clients=ONE, registers=False)
def with_values_creates_and_updates_bring_them(s: Stage) -> None:
    s.register(K, "regex", ".*")
    first = s.put(s.low, "x")
    second = s.put(s.mid, "x")
    s.settle()
    s.log_is(K, "x", first, second)
    s.told_as_value(K, first)
    s.told_as_value(K, second)
    s.holds(K, "x", second)


@scenario("S2C-RECV-01", needs=CLIENTS, clients=ONE, registers=False)
def a_client_receives_a_create_of_what_it_lacks_and_an_update_of_what_it_holds(s: Stage) -> None:
    # A candidate may tell every value as an update. One that tells creates apart is held to them.
    there = s.put(s.low, "y")
    s.register(K, "all", policy="none")
    created, updated = s.put(s.low, "x"), s.put(s.mid, "x")
    s.do(s.low, DESTROY, "x")
    again = s.put(s.high, "x")
    late = s.put(s.low, "y")
    s.settle()
    s.told_as_created(K, again, created, updated)
    s.not_told(K, there)
    s.told_as_created(K, late, created, updated)
    s.holds(K, "x", again)
    s.holds(K, "y", late)


@scenario("S2C-RECV-02", needs=CLIENTS, clients=ONE, registers=False)
def without_values_what_the_client_holds_becomes_invalid(s: Stage) -> None:
    held = s.put(s.low, "x")
    s.register(K, "key", "x", receive_values=False)
    s.holds(K, "x", held)
    change = s.put(s.high, "x")
    s.settle()
    s.told_as(K, change, EventKind.INVALIDATE)
    s.holds_invalid(K, "x")
    # There is no value any more that could go; whether listeners are told once more no document says.
    later = s.put(s.low, "x")
    s.settle()
    s.told_some_of(K, "x", change, later)
    s.holds_invalid(K, "x")


@scenario("S2C-RECV-03", needs=CLIENTS, clients=ONE, registers=False)
def without_values_what_the_client_lacks_stays_absent(s: Stage) -> None:
    s.register(K, receive_values=False)
    s.put(s.low, "x")
    s.put(s.high, "x")
    s.settle()
    s.told_nothing(K)
    s.holds(K, "x", None)


@scenario("S2C-RECV-04", needs=CLIENTS, clients=UNCHECKED, registers=False)
def the_next_get_fetches_what_the_server_has(s: Stage) -> None:
    s.put(s.low, "x")
    s.register(K, receive_values=False)
    later = s.put(s.high, "x")
    unknown = s.put(s.low, "y")
    s.settle()
    for key, operation in (("x", later), ("y", unknown)):
        for _ in range(2):
            s.reads_only(s.get(K, key), (operation,))
            s.holds(K, key, operation)


@scenario("S2C-RECV-05", needs=CLIENTS, clients=ONE, registers=False, checks=False)
def registrations_with_and_without_values_lead_to_one_message(s: Stage) -> None:
    s.put(s.low, "x")
    s.register(K, "key", "x")
    s.register(K, "regex", "x", receive_values=False)
    change = s.put(s.mid, "x")
    s.settle()
    s.log_is(K, "x", change)


@scenario("S2C-OPS-01", needs=CLIENTS, clients=TWO, registers=False)
def invalidates_of_servers_reach_clients_that_hold_the_key(s: Stage) -> None:
    for key in ("x", "y"):
        s.put(s.low, key)
    s.register(K)
    s.register(L, receive_values=False)
    changes = {"x": s.do(s.mid, INVALIDATE, "x"), "y": s.do(s.high, INVALIDATE, "y")}
    s.settle()
    for client in (K, L):
        for key, change in changes.items():
            s.told_as(client, change, EventKind.INVALIDATE)
            s.holds_invalid(client, key)


@scenario("S2C-OPS-02", needs=CLIENTS, clients=TWO, registers=False)
def destroys_of_servers_reach_clients(s: Stage) -> None:
    for key in ("x", "y"):
        s.put(s.low, key)
    s.register(K)
    s.register(L, receive_values=False)
    changes = {"x": s.do(s.mid, DESTROY, "x"), "y": s.do(s.high, DESTROY, "y")}
    s.settle()
    for client in (K, L):
        for key, change in changes.items():
            s.told_as(client, change, EventKind.DESTROY)
            s.holds(client, key, None)


@scenario("S2C-OPS-07", needs=CLIENTS, clients=THREE)
def it_does_not_matter_where_an_operation_was_called(s: Stage) -> None:
    puts = [s.put(caller, "x") for caller in (s.mid, s.low, s.high, L, M)]
    gone = s.do(s.low, DESTROY, "x")
    s.settle()
    s.log_is(K, "x", *puts, gone)
