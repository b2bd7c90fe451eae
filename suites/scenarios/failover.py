"""A client whose server is killed, with and without another that keeps its queue (document 001, L44 to L72).

B serves the client, C (and D) may do so after it, and A never dies. Nothing is checked where only what the
client knows to have processed may spare it a repetition.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, EventKind, OperationKind
from plumbline.suites.scenarios.mismatch import MismatchError
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

K = "K"
ANOTHER = "another"
"""The name of a second region."""

KILLS = (Capability.CLIENTS, Capability.MEMBER_FAULTS)
KILLS_AND_GATES = (*KILLS, Capability.LISTENER_GATES)
KILLS_LOCALLY = (*KILLS, Capability.LOCAL_OPERATIONS)
KILLS_IN_TIME = (*KILLS, Capability.VIRTUAL_TIME)
GATES = (Capability.CLIENTS, Capability.LISTENER_GATES)

SINGLE = (Client(name=K, servers=("B",)),)
"""A client of one server."""

SECURED = (Client(name=K, servers=("B", "C"), redundancy=1),)
"""A client with a secondary."""

TWICE_SECURED = (Client(name=K, servers=("B", "C", "D"), redundancy=2),)
"""A client with two."""

TIMEOUT_MS = 1_000

LONG_MS = 600_000
"""By then a secondary knows what a client has acknowledged, and the client has forgotten whose it was."""

FORGETTING = (Client(name=K, servers=("B", "C"), redundancy=1, tracking_timeout_ms=TIMEOUT_MS),)
"""A client with a secondary that does not remember threads for long."""

ALL_FOUR = (Client(name=K, servers=("B", "C", "D", "A"), redundancy=1),)
"""A client of four servers, two of which may die at once."""

UNSECURED = (Client(name=K, servers=("B", "C")),)
"""A client that has another server to go to, which keeps no queue for it."""


FROM_C = (Client(name=K, servers=("C", "B")),)
"""The same, beginning at the other one."""

THREE_UNSECURED = tuple(Client(name=name, servers=("B", "C", "D")) for name in (K, "L", "M"))
"""Three of them: events left over by a dead server may be lost with it."""


@scenario("TRK-ASYNC-01", needs=GATES, clients=SINGLE)
def a_client_that_stands_still_holds_up_no_writer(s: Stage) -> None:
    first = s.park(K, s.low, "x")
    s.finish(first)
    for member in (s.low, s.mid, s.high):
        s.put(member, "x")
        s.put(member, "y")
    s.release(first)
    s.settle()


@scenario("TRK-SINGLE-01", "TRK-ORDER-01", needs=GATES, clients=SINGLE)
def one_thread_of_a_client_processes_all_that_it_is_sent(s: Stage) -> None:
    first = s.park(K, s.low, "x", thread="T")
    s.finish(first)
    second = s.put(s.low, "y", thread="T")
    third = s.put(s.high, "z")
    fourth = s.put(s.high, "y")
    for operation in (second, third, fourth):
        s.not_shown_at(K, operation)
    s.release(first)
    s.settle()
    for key, *operations in (("x", first), ("y", second, fourth), ("z", third)):
        s.log_is(K, key, *operations)


@scenario("TRK-SINGLE-01", needs=GATES, clients=SINGLE, also=(ANOTHER,))
def one_thread_of_a_client_processes_what_it_is_sent_of_all_regions(s: Stage) -> None:
    first = s.park(K, s.low, "x")
    s.finish(first)
    second = s.do(s.low, OperationKind.PUT, "x", region=ANOTHER)
    s.not_shown_at(K, second)
    s.release(first)
    s.settle()
    s.told_once(K, second)


@scenario("TRK-ONCE-01", needs=(Capability.CLIENTS,), clients=SINGLE, checks=False)
def each_event_is_processed_once_while_nothing_fails(s: Stage) -> None:
    events = [s.put(caller, "x") for caller in (s.low, s.mid)]
    s.settle()  # a client's own put may show before events still on their way to it
    events += [s.put(caller, "x") for caller in (K, s.high)]
    events.append(s.do(s.low, OperationKind.DESTROY, "x"))
    events.append(s.put(s.mid, "x"))
    s.settle()
    s.log_is(K, "x", *events)


@scenario("TRK-DUP-01", "TRK-ID-01", "FO-HA-03", needs=KILLS, clients=SECURED, checks=False)
def what_is_sent_again_after_a_failover_is_not_processed_again(s: Stage) -> None:
    one = [s.put("A", "x", thread="one") for _ in range(3)]
    two = [s.put("A", "y", thread="two") for _ in range(2)]
    other = s.put("A", "z", thread="two")  # the first of its key, and the third of its thread
    s.shown_at(K, one[-1])
    s.shown_at(K, other)
    s.crash("B")
    s.settle()
    s.log_is(K, "x", *one)
    s.log_is(K, "y", *two)
    s.log_is(K, "z", other)
    one.append(s.put("A", "x", thread="one"))
    s.settle()
    s.log_is(K, "x", *one)
    s.holds(K, "x", one[-1])


@scenario("TRK-ID-01", needs=(*KILLS, Capability.BULK_OPERATIONS), clients=SECURED, checks=False)
def each_of_many_keys_is_an_event_of_its_own(s: Stage) -> None:
    keys = ("x", "y")
    puts = s.bulk("A", OperationKind.PUT_ALL, *keys)
    for put in puts:
        s.shown_at(K, put)
    s.crash("B")
    s.settle()
    removals = s.bulk("A", OperationKind.REMOVE_ALL, *keys)
    s.settle()
    for put, removal in zip(puts, removals, strict=True):
        s.log_is(K, put.key, put, removal)
        s.holds(K, put.key, removal)


@scenario("TRK-DUP-02", needs=KILLS, clients=SECURED, checks=False)
def repetitions_are_known_by_the_thread_that_they_come_from(s: Stage) -> None:
    # Threads of one member that are not equally far, and one that writes under two keys.
    fast = [s.put("A", "x", thread="fast") for _ in range(3)]
    slow = [s.put("A", "y", thread="slow")]
    s.settle()
    s.log_is(K, "y", *slow)
    s.crash("B")
    slow.append(s.put("A", "y", thread="slow"))
    other = s.put("A", "z", thread="slow")
    s.settle()
    s.log_is(K, "x", *fast)
    s.log_is(K, "y", *slow)
    s.log_is(K, "z", other)


@scenario("TRK-EXPIRE-02", needs=KILLS_IN_TIME, clients=FORGETTING, checks=False)
def a_thread_that_shows_something_often_enough_is_not_forgotten(s: Stage) -> None:
    s.hold_time()
    events = []
    for _ in range(4):
        events.append(s.put("A", "x", thread="busy"))
        s.shown_at(K, events[-1])
        s.let_pass(TIMEOUT_MS * 6 // 10)
    s.crash("B")
    s.settle()
    s.log_is(K, "x", *events)


@scenario("TRK-EXPIRE-03", needs=KILLS_IN_TIME, clients=FORGETTING)
def what_comes_again_of_a_forgotten_thread_replaces_nothing_newer(s: Stage) -> None:
    s.hold_time()
    old = s.put("A", "x", thread="idle")
    s.shown_at(K, old)
    s.let_pass(TIMEOUT_MS * 6 // 10)
    new, other = s.put("A", "x", thread="busy"), s.put("A", "y", thread="busy")
    s.shown_at(K, other)
    s.let_pass(TIMEOUT_MS * 6 // 10)
    s.crash("B")
    s.settle()
    s.everybody_holds("x", new)
    s.told_once(K, new)
    s.told_once(K, other)


@scenario(
    "FO-HA-01", "FO-HA-02", "FO-HA-04", "FO-HA-05", needs=KILLS_AND_GATES, clients=SECURED, checks=False
)
def a_failover_to_a_secondary_loses_nothing_and_waits_for_no_other_client(s: Stage) -> None:
    # The client stands still, so that all behind the first event is lost with its server.
    first = s.park(K, "A", "x")
    s.finish(first)
    second = s.put("A", "x")
    third = s.do("A", OperationKind.DESTROY, "x")
    fourth = s.put("A", "y")
    s.crash("B")
    s.release(first)
    s.settle()
    s.log_is(K, "x", first, second, third)
    s.log_is(K, "y", fourth)
    s.holds(K, "x", None)


@scenario("FO-HA-04", needs=KILLS_IN_TIME, clients=FORGETTING, checks=False)
def a_secondary_has_dropped_what_was_acknowledged_long_ago(s: Stage) -> None:
    # The client knows nothing of these threads any more, and so takes each repetition.
    s.hold_time()
    events = [s.put("A", "x", thread=thread) for thread in ("one", "two")]
    other = s.do("A", OperationKind.DESTROY, "x", thread="two")
    s.settle()
    s.let_pass(LONG_MS)
    s.settle()
    s.crash("B")
    s.settle()
    s.log_is(K, "x", *events, other)
    events = [*events, other, s.put("A", "x", thread="one")]
    s.settle()
    s.log_is(K, "x", *events)


@scenario("FO-HA-07", needs=KILLS_AND_GATES, clients=TWICE_SECURED, members=4, checks=False)
def a_second_failure_right_after_the_first_loses_nothing(s: Stage) -> None:
    first = s.park(K, "A", "x")
    second = s.hold(K, "A", "x")
    for operation in (first, second):
        s.finish(operation)
    third = s.put("A", "y")
    s.crash("B")
    s.release(first)
    s.stands(K, second)
    s.crash("C")
    s.release(second)
    s.settle()
    s.log_is(K, "x", first, second)
    s.log_is(K, "y", third)


@scenario("FO-HA-06", needs=KILLS_AND_GATES, clients=TWICE_SECURED, members=4)
def the_longest_lived_secondary_takes_over(s: Stage) -> None:
    # An event parked in its caller's listener has gone to no other member: only the caller can send it.
    s.crash("B")
    s.settle()
    of_latest = s.park("D", "D", "x")
    s.not_shown_at(K, of_latest)
    s.release(of_latest)
    s.settle()
    of_longest = s.park("C", "C", "y")
    s.may_be_shown_at(K, of_longest)  # whether a server asks its listener before it queues no document says
    s.release(of_longest)
    s.settle()
    s.log_is(K, "x", of_latest)
    s.log_is(K, "y", of_longest)


@scenario("FO-AUTO-01", needs=KILLS, clients=SECURED)
def a_secondary_takes_over_from_a_killed_primary_by_itself(s: Stage) -> None:
    before = s.put("A", "x")
    s.settle()
    s.crash("B")
    s.settle()
    after = s.put("A", "x")
    s.settle()
    s.log_is(K, "x", before, after)


@scenario("FO-AUTO-01", needs=KILLS, clients=UNSECURED)
def a_client_without_a_secondary_finds_another_server_by_itself(s: Stage) -> None:
    before = s.put("A", "x")
    s.settle()
    s.crash("B")
    s.settle()
    after = s.put("A", "x")
    s.settle()
    s.log_is(K, "x", before, after)
    s.holds(K, "x", after)


@scenario("INT-REG-01", needs=KILLS, clients=SECURED, registers=False)
def interest_is_in_force_at_the_secondary_too(s: Stage) -> None:
    s.register(K, "key", "x")
    s.crash("B")
    s.settle()
    operation = s.put("A", "x")
    s.settle()
    s.log_is(K, "x", operation)


def _finds_a_server_that_starts(s: Stage, server: str) -> None:
    # No server serves the client for a while, and A writes on.
    held, gone = s.put("A", "x"), s.put("A", "y")
    s.settle()
    s.holds(K, "x", held)
    for member in ("B", "C"):
        s.crash(member)
    s.settle()
    unheard = s.put("A", "x")
    s.do("A", OperationKind.DESTROY, "y")
    s.restart(server)
    s.settle()
    heard = s.put("A", "z")
    s.settle()
    try:
        s.told_once(K, heard)
    except MismatchError as error:
        # A client that has dropped its entries has found the server, and lacks its registrations there.
        if not s.has(K, "x", held):
            raise MismatchError(error.expected, error.seen, blames=("FO-NONHA-09",)) from None
        raise
    s.not_told(K, unheard)
    s.told_once(K, gone)
    for key, last in (("x", unheard), ("y", None), ("z", heard)):
        s.everybody_holds(key, last)


@scenario("FO-NONHA-02", needs=KILLS, clients=UNSECURED)
def a_client_without_any_server_finds_its_own_when_it_starts_again(s: Stage) -> None:
    _finds_a_server_that_starts(s, "B")


@scenario("FO-NONHA-02", needs=KILLS, clients=UNSECURED)
def a_client_without_any_server_finds_another_when_that_starts(s: Stage) -> None:
    _finds_a_server_that_starts(s, "C")


@scenario("FO-NONHA-02", "FO-NONHA-01", needs=KILLS, clients=SECURED)
def a_client_whose_secondary_has_died_as_well_starts_anew_from_a_started_server(s: Stage) -> None:
    _finds_a_server_that_starts(s, "C")


@scenario("FO-NONHA-01", needs=KILLS, clients=SECURED, registers=False)
def a_client_that_a_secondary_takes_over_does_not_start_anew(s: Stage) -> None:
    # A client that starts anew drops this entry, and loads nothing.
    s.register(K, "key", "x", policy="none")
    held = s.put("A", "x")
    s.settle()
    s.crash("B")
    s.settle()
    s.holds(K, "x", held)


@scenario("FO-NONHA-01", "FO-NONHA-03", needs=KILLS_LOCALLY, clients=UNSECURED)
def a_client_without_a_secondary_starts_anew(s: Stage) -> None:
    there = s.put("A", "x")
    s.settle()
    s.do(K, OperationKind.LOCAL_INVALIDATE, "x")
    s.holds_invalid(K, "x")
    s.crash("B")
    s.settle()
    s.holds(K, "x", there)
    s.told_once(K, there)


@scenario("FO-NONHA-03", needs=KILLS, clients=UNSECURED, registers=False)
def each_registration_is_loaded_anew_by_its_own_policy_or_with_values(s: Stage) -> None:
    there = {key: s.put("A", key) for key in ("x", "y", "z")}
    s.register(K, "key", "x", policy="keys_values")
    s.register(K, "key", "y", policy="keys")
    s.register(K, "key", "z", policy="none")
    s.crash("B")
    s.settle()
    s.holds(K, "x", there["x"])
    s.holds_invalid(K, "y", there["y"])
    s.holds(K, "z", None, there["z"])


@scenario("FO-NONHA-01", "FO-NONHA-03", "FO-NONHA-07", needs=KILLS_AND_GATES, clients=UNSECURED)
def what_only_the_dead_server_had_is_gone_without_an_event(s: Stage) -> None:
    # Held in the listener of B it has not gone to other members.
    only = s.park("B", "B", "x")
    told = s.may_be_shown_at(K, only)  # or B asks its listener before it queues for its clients
    s.crash("B")
    s.settle()
    s.holds(K, "x", None)
    s.log_is(K, "x", *((only,) if told else ()))


@scenario("FO-NONHA-04", needs=KILLS, clients=UNSECURED, registers=False)
def what_a_client_has_no_interest_in_outlasts_that_it_starts_anew(s: Stage) -> None:
    held = {key: s.put("A", key) for key in ("x", "y")}
    everything = s.register(K)
    s.withdraw(everything)
    s.register(K, "key", "x")
    s.put("A", "y")
    s.crash("B")
    s.settle()
    s.holds(K, "x", held["x"])
    s.holds(K, "y", held["y"])


@scenario("FO-NONHA-06", needs=KILLS, clients=UNSECURED, registers=False)
def no_listener_receives_what_a_client_drops_and_fetches_anew(s: Stage) -> None:
    there = s.put("A", "x")
    s.register(K)
    s.crash("B")
    s.settle()
    s.told_nothing(K)
    s.everybody_holds("x", there)
    for member in s.members:
        s.log_is(member, "x", there)


@scenario("FO-NONHA-09", needs=KILLS, clients=UNSECURED, registers=False)
def registrations_are_in_force_on_the_new_server_as_they_were(s: Stage) -> None:
    for key in ("x", "y1", "z"):
        s.put("A", key)
    gone = s.register(K, "key", "z")
    s.withdraw(gone)
    s.register(K, "regex", "y.*", receive_values=False)
    s.register(K, "key", "x")
    s.register(K, "list", "u\nv")
    s.crash("B")
    s.settle()
    first, second, third, *listed = (s.put("A", key) for key in ("x", "y1", "z", "u", "v"))
    s.settle()
    s.told_as_value(K, first)
    s.told_as(K, second, EventKind.INVALIDATE)
    s.not_told(K, third)
    for operation in listed:
        s.told_as_value(K, operation)


@scenario("FO-NONHA-09", needs=KILLS, clients=UNSECURED, registers=False)
def registrations_are_in_force_as_they_were_when_the_server_changes_again(s: Stage) -> None:
    for key in ("x", "y1", "z"):
        s.put("A", key)
    s.register(K, "regex", "y.*", receive_values=False)
    s.register(K, "key", "x")
    s.crash("B")
    s.settle()
    s.restart("B")
    s.settle()
    s.crash("C")
    s.settle()
    first, second, third = (s.put("A", key) for key in ("x", "y1", "z"))
    s.settle()
    s.told_as_value(K, first)
    s.told_as(K, second, EventKind.INVALIDATE)
    s.not_told(K, third)


@scenario("FO-NONHA-08", needs=KILLS_AND_GATES, clients=FROM_C, checks=False)
def what_listeners_receive_around_a_failover_follows_each_threads_order(s: Stage) -> None:
    first = s.park(K, "A", "x", thread="T")
    s.finish(first)
    second = s.put("A", "x", thread="T")
    old = s.put("A", "y")
    s.crash("C")
    third = s.put("A", "x", thread="T")
    new = s.put("A", "y")
    s.release(first)
    s.settle()
    s.told_some_of(K, "x", first, second, third)
    s.everybody_holds("x", third)
    s.told_some_of(K, "y", old, new)
    s.everybody_holds("y", new)


@scenario("FO-NONHA-08", needs=KILLS_AND_GATES, clients=THREE_UNSECURED, members=4, checks=False)
def what_a_dead_server_leaves_does_not_overwrite_what_is_fetched(s: Stage) -> None:
    for server in ("B", "C"):
        key = f"x-{server}"
        first = {}
        for name in ("K", "L", "M"):
            # Each is at all servers before the next is called: from here on clients may have different ones.
            first[name] = s.park(name, "A", key)
            s.finish(first[name])
        others = [s.put("A", key) for _ in range(2)]
        s.crash(server)
        others.append(s.put("A", key))
        for operation in first.values():
            s.release(operation)
        s.settle()
        for client in first:
            s.told_some_of(client, key, *first.values(), *others)
            if server == "C" and s.lacks(client, key):
                # It was fetched when the first server died: so the registration was lost meanwhile.
                seen = f"{client} holds nothing under {key}"
                raise MismatchError(f"{client} to fetch what it is registered for", seen, ("FO-NONHA-09",))
            s.holds(client, key, others[-1])


@scenario("FO-NONHA-09", needs=KILLS, clients=UNSECURED, registers=False, also=(ANOTHER,))
def interest_in_each_region_is_in_force_on_the_new_server(s: Stage) -> None:
    for region in (ANOTHER, "region"):
        s.register(K, region=region)
    s.crash("B")
    s.settle()
    told = [s.put("A", "x"), s.do("A", OperationKind.PUT, "x", region=ANOTHER)]
    s.settle()
    for operation in told:
        s.told_as_value(K, operation)


@scenario("FO-NONHA-09", "FO-RED-01", needs=KILLS, clients=ALL_FOUR, members=4, registers=False)
def interest_is_in_force_on_each_server_that_has_the_queue_anew(s: Stage) -> None:
    s.register(K)
    s.crash("B")
    s.crash("C")
    s.settle()
    for server in ("", "D"):
        if server:
            s.crash(server)
            s.settle()
        later = s.put("A", "x")
        s.settle()
        s.told_as_value(K, later)
