"""What clients register for, what that drops and loads, and what they are sent (document 001, L53 to L65)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, OperationKind
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

K = "K"
"""A client that begins without any interest, served by B."""

CLIENTS = (Capability.CLIENTS,)
ONE = (Client(name=K, servers=("B",)),)
TWO = (*ONE, Client(name="L", servers=("B",)))
DESTROY = OperationKind.DESTROY


@scenario("INT-CLEAR-01", "INT-POLICY-04", needs=CLIENTS, clients=ONE, registers=False)
def registering_for_the_keys_a_and_b_drops_these_and_leaves_c_alone(s: Stage) -> None:
    # Document 001, L54, with its own keys.
    first = {key: s.put(s.low, key) for key in "ABC"}
    everything = s.register(K)
    for key, operation in first.items():
        s.holds(K, key, operation)
    s.withdraw(everything)
    for key in "ABC":
        s.put(s.high, key)
    s.register(K, "list", "A\nB", policy="none")
    s.holds(K, "A", None)
    s.holds(K, "B", None)
    s.holds(K, "C", first["C"])
    s.told_nothing(K)
    later = s.put(s.low, "A")
    s.settle()
    s.log_is(K, "A", later)
    s.holds(K, "A", later)
    s.holds(K, "B", None)


@scenario("INT-CLEAR-01", needs=CLIENTS, clients=ONE, registers=False)
def a_registered_key_that_the_server_lacks_is_dropped_too(s: Stage) -> None:
    held = s.put(s.low, "x")
    other = s.put(s.low, "y")
    everything = s.register(K)
    s.holds(K, "x", held)
    s.withdraw(everything)
    s.do(s.mid, DESTROY, "x")
    s.register(K, "key", "x")
    s.holds(K, "x", None)
    s.holds(K, "y", other)


@scenario("RIR-RULE-05", needs=CLIENTS, clients=ONE, registers=False)
def a_client_starts_empty_where_its_server_has_nothing(s: Stage) -> None:
    for kind, specification in (("regex", "[xyz]"), ("key", "x"), ("list", "y\nz")):
        s.register(K, kind, specification)
        for key in "xyz":
            s.holds(K, key, None)
    s.told_nothing(K)
    later = s.put(s.high, "x")
    s.settle()
    s.told_once(K, later)
    s.holds(K, "x", later)
    s.holds(K, "y", None)


@scenario("INT-CLEAR-02", needs=CLIENTS, clients=ONE, registers=False)
def registering_for_an_expression_drops_the_keys_that_match(s: Stage) -> None:
    # Whether the others stay is open: L55 and L53 part there.
    first = {key: s.put(s.low, key) for key in ("a1", "a2", "b")}
    everything = s.register(K)
    s.withdraw(everything)
    for key in first:
        s.put(s.high, key)
    s.register(K, "regex", "a.*", policy="none")
    s.holds(K, "a1", None)
    s.holds(K, "a2", None)
    s.holds(K, "b", first["b"], None)


@scenario("INT-CLEAR-03", needs=CLIENTS, clients=TWO, registers=False)
def what_a_client_drops_as_it_registers_stays_everywhere_else(s: Stage) -> None:
    held = s.put(s.low, "x")
    for client in (K, "L"):
        s.register(client)
    s.register(K, "key", "x", policy="none")
    s.holds(K, "x", None)
    s.all_hold("x", held)
    s.holds("L", "x", held)
    for client in (K, "L"):
        s.told_nothing(client)
    for member in s.members:
        s.log_is(member, "x", held)


@scenario("INT-REG-01", needs=CLIENTS, clients=ONE, registers=False)
def interest_is_in_force_when_the_call_returns(s: Stage) -> None:
    s.register(K, "key", "x", policy="none")
    first = s.put(s.mid, "x")
    s.settle()
    s.register(K, "regex", "y.*", policy="none")
    second = s.put(s.mid, "y1")
    s.settle()
    s.log_is(K, "x", first)
    s.log_is(K, "y1", second)


@scenario("INT-REG-02", needs=CLIENTS, clients=ONE, registers=False)
def interest_outlasts_the_entries_of_its_keys(s: Stage) -> None:
    s.register(K, "list", "x\ny")
    first = s.put(s.low, "x")
    gone = s.do(s.mid, DESTROY, "x")
    back = s.put(s.high, "x")
    other = s.put(s.low, "y")
    s.settle()
    s.log_is(K, "x", first, gone, back)
    s.log_is(K, "y", other)
    s.holds(K, "x", back)


@scenario("INT-REG-02", needs=(*CLIENTS, Capability.CLEAR), clients=ONE, registers=False)
def interest_outlasts_that_the_region_is_cleared(s: Stage) -> None:
    s.put(s.low, "x")
    s.register(K, "list", "x\ny")
    s.on_region(s.mid, OperationKind.CLEAR)
    later = [s.put(s.low, key) for key in ("x", "y")]
    s.settle()
    for operation in later:
        s.log_is(K, operation.key, operation)
        s.holds(K, operation.key, operation)


@scenario("INT-BULK-01", needs=CLIENTS, clients=ONE, registers=False)
def all_that_is_covered_is_there_when_the_call_returns(s: Stage) -> None:
    last = {key: s.put(s.low, key) for key in "abcdef"}
    last["a"] = s.put(s.high, "a")
    s.register(K, "regex", "[a-e]")
    for key in "abcde":
        s.holds(K, key, last[key])
    s.holds(K, "f", None)


@scenario("INT-POLICY-01", needs=CLIENTS, clients=ONE, registers=False)
def keys_loads_keys_without_values(s: Stage) -> None:
    there = {key: s.put(s.low, key) for key in ("x", "y", "z")}
    s.register(K, "regex", "y", policy="keys")
    s.register(K, "key", "x", policy="keys")
    s.holds_invalid(K, "x")
    s.holds_invalid(K, "y")
    s.holds(K, "z", None)
    s.told_nothing(K)
    s.reads_only(s.get(K, "x"), (there["x"],))


@scenario("INT-POLICY-02", needs=CLIENTS, clients=ONE, registers=False)
def keys_values_loads_keys_with_their_values(s: Stage) -> None:
    # So many keys that one message may not suffice for all of them.
    matching = tuple(f"y{number}" for number in range(6))
    there = {key: s.put(s.low, key) for key in ("x", *matching, "z")}
    s.register(K, "regex", "y.", policy="keys_values")
    s.register(K, "key", "x", policy="keys_values")
    for key in ("x", *matching):
        s.holds(K, key, there[key])
    s.holds(K, "z", None)


@scenario("INT-POLICY-03", needs=CLIENTS, clients=ONE, registers=False)
def a_registration_that_names_no_policy_loads_keys_with_their_values(s: Stage) -> None:
    there = {key: s.put(s.low, key) for key in ("x", "y", "z")}
    s.register(K, "regex", "y")
    s.register(K, "key", "x")
    s.holds(K, "x", there["x"])
    s.holds(K, "y", there["y"])
    s.holds(K, "z", None)


@scenario("INT-POLICY-04", needs=CLIENTS, clients=ONE, registers=False)
def none_loads_nothing_and_later_events_arrive(s: Stage) -> None:
    s.put(s.low, "x")
    there = s.put(s.low, "y")
    s.register(K, "key", "y")
    s.holds(K, "y", there)
    s.register(K, "list", "x\ny", policy="none")
    s.holds(K, "x", None)
    s.holds(K, "y", None)
    later = s.put(s.mid, "x")
    s.settle()
    s.holds(K, "x", later)


@scenario("INT-NOEVT-01", needs=CLIENTS, clients=TWO, registers=False)
def registering_tells_no_listener_of_anything(s: Stage) -> None:
    there = s.put(s.low, "x")
    s.settle()
    s.register("L")
    for policy in ("none", "keys", "keys_values"):
        s.register(K, "key", "x", policy=policy)
        s.register(K, "regex", "x", policy=policy)
    s.holds(K, "x", there)
    s.told_nothing(K)
    s.told_nothing("L")
    for member in s.members:
        s.log_is(member, "x", there)


@scenario("INT-UNION-01", needs=CLIENTS, clients=ONE, registers=False)
def registrations_add_up_and_withdrawing_one_leaves_the_others(s: Stage) -> None:
    # Document 001, L63: the key A, and all keys that begin with B.
    one = s.register(K, "key", "A")
    s.register(K, "regex", "B.*")
    first = {key: s.put(s.low, key) for key in ("A", "B1", "C")}
    s.settle()
    s.log_is(K, "A", first["A"])
    s.log_is(K, "B1", first["B1"])
    s.log_is(K, "C")
    s.withdraw(one)
    s.put(s.high, "A")
    second = s.put(s.high, "B1")
    s.settle()
    s.log_is(K, "A", first["A"])
    s.log_is(K, "B1", first["B1"], second)


@scenario("INT-UNION-01", needs=CLIENTS, clients=ONE, registers=False)
def what_another_registration_covers_is_still_sent_after_one_is_withdrawn(s: Stage) -> None:
    s.register(K, "regex", "x.*")
    key = s.register(K, "key", "x1")
    s.withdraw(key)
    operation = s.put(s.low, "x1")
    s.settle()
    s.log_is(K, "x1", operation)


@scenario("INT-UNION-02", needs=CLIENTS, clients=ONE, registers=False, checks=False)
def what_several_registrations_cover_is_sent_once(s: Stage) -> None:
    # Without checking the client would not discard a second message.
    s.register(K, "key", "x")
    s.register(K, "regex", "x")
    s.register(K)
    first = s.put(s.low, "x")
    second = s.put(s.mid, "x")
    s.settle()
    s.log_is(K, "x", first, second)


@scenario("INT-REGEX-01", needs=CLIENTS, clients=ONE, registers=False)
def an_expression_matches_the_key_as_a_whole(s: Stage) -> None:
    # B* is B any number of times, and not what a file name pattern would make of it.
    s.register(K, "regex", "B*")
    told = {key: s.put(s.low, key) for key in ("B", "BB", "B1", "xB")}
    s.settle()
    s.log_is(K, "B", told["B"])
    s.log_is(K, "BB", told["BB"])
    s.log_is(K, "B1")
    s.log_is(K, "xB")
    s.register(K, "regex", "B.*")
    later = {key: s.put(s.high, key) for key in ("B1", "xB")}
    s.settle()
    s.log_is(K, "B1", later["B1"])
    s.log_is(K, "xB")


@scenario("INT-REGEX-02", needs=CLIENTS, clients=ONE, registers=False)
def what_is_no_expression_is_refused_and_the_interest_list_stays_as_it_was(s: Stage) -> None:
    s.register(K, "key", "x")
    s.register(K, "regex", "y.")
    for bracket in ("[", "("):
        s.is_refused(K, "regex", bracket)
    told = {key: s.put(s.low, key) for key in ("x", "y1", "[", "z")}
    s.settle()
    s.log_is(K, "x", told["x"])
    s.log_is(K, "y1", told["y1"])
    s.log_is(K, "[")
    s.log_is(K, "z")
    s.register(K, "regex", "z")
    later = s.put(s.high, "z")
    s.settle()
    s.log_is(K, "z", later)
