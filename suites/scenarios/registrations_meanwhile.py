"""Registrations whose answers are held on their way (001, L53 to L61; 003, L48 to L51)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, OperationKind
from plumbline.suites.scenarios.interests import CLIENTS, ONE, K
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

HELD = (*CLIENTS, Capability.HELD_REGISTRATIONS)
HELD_GET = (*CLIENTS, Capability.LISTENER_GATES, Capability.HELD_GETS)
HELD_LOCALLY = (*HELD, Capability.LOCAL_OPERATIONS)
UNCHECKED = (Client(name=K, servers=("B",), checks=False),)
TWO_SERVERS = (Client(name=K, servers=("B", "C")),)
DESTROY = OperationKind.DESTROY


@scenario("INT-MON-01", needs=HELD, clients=ONE, registers=False)
def what_changes_while_a_client_registers_comes_to_it(s: Stage) -> None:
    # One key changes behind the bulk load, one comes then, one goes, and one is in the load alone.
    old = {key: s.put(s.low, key) for key in "adu"}
    held = s.begin_registration(K)
    changed = s.put(s.high, "u")
    created = s.put(s.low, "c")
    s.do(s.mid, DESTROY, "d")
    s.end_registration(held)
    s.settle()
    s.holds(K, "u", changed)
    s.holds(K, "c", created)
    s.holds(K, "d", None)
    s.holds(K, "a", old["a"])
    later = s.put(s.low, "a")
    s.settle()
    s.log_is(K, "a", later)
    s.log_is(K, "u", changed)


@scenario("INT-MON-01", needs=(*HELD, Capability.LISTENER_GATES), clients=ONE, registers=False)
def what_is_on_its_way_to_a_server_while_its_client_registers_comes_to_it(s: Stage) -> None:
    # A server may wait for what is under way before it reads what its answer brings.
    under_way = s.park("A", "A", "x")
    begun = s.begin_registration(K, held=False)
    s.release(under_way)
    s.end_registration(begun)
    s.settle()
    s.everybody_holds("x", under_way)


@scenario("RIR-RACE-01", needs=HELD, clients=ONE, registers=False)
def an_answer_undoes_no_event_that_came_before_it(s: Stage) -> None:
    s.put(s.low, "x")
    s.put(s.low, "d")
    held = s.begin_registration(K)
    new = s.put(s.high, "x")
    s.do(s.mid, DESTROY, "d")
    s.settle()
    s.end_registration(held)
    s.settle()
    s.holds(K, "x", new)
    s.holds(K, "d", None)
    s.agree_on("x", K, *s.members)


@scenario("RIR-RACE-01", "RIR-RULE-01", needs=HELD, clients=ONE, registers=False)
def two_answers_undo_no_event_that_came_before_them(s: Stage) -> None:
    s.put(s.low, "x")
    s.put(s.low, "d")
    first, second = s.begin_registration(K), s.begin_registration(K, "list", "x\nd")
    new = s.put(s.high, "x")
    s.do(s.mid, DESTROY, "d")
    # Events may wait at the client until the last of its registrations has ended.
    for held in (second, first):
        s.end_registration(held)
    s.settle()
    s.holds(K, "x", new)
    s.holds(K, "d", None)
    s.agree_on("x", K, *s.members)


@scenario("RIR-PREC-01", "RIR-RULE-01", needs=HELD, clients=ONE, registers=False)
def an_answer_leaves_alone_what_the_application_has_put(s: Stage) -> None:
    s.put(s.low, "x")
    held = s.begin_registration(K)
    own = s.put(K, "x")
    s.holds(K, "x", own)
    s.end_registration(held)
    s.holds(K, "x", own)
    s.everybody_holds("x", own)


@scenario("RIR-RULE-01", needs=(*HELD, Capability.LISTENER_GATES), clients=ONE, registers=False)
def an_answer_leaves_alone_what_a_get_has_brought(s: Stage) -> None:
    # The event of the new value waits behind one in whose listener the client stands.
    s.register(K, "key", "z")
    s.put(s.low, "x")
    ahead = s.park(K, s.low, "z")
    held = s.begin_registration(K, "key", "x")
    new = s.put(s.high, "x")
    s.reads_only(s.get(K, "x"), (new,))
    s.end_registration(held)
    s.holds(K, "x", new)
    s.release(ahead)
    s.settle()
    s.holds(K, "x", new)


@scenario("RIR-RULE-02", needs=HELD_LOCALLY, clients=ONE, registers=False)
def an_entry_without_a_value_takes_that_of_the_answer(s: Stage) -> None:
    there = s.put(s.low, "x")
    held = s.begin_registration(K)
    s.reads_only(s.get(K, "x"), (there,))
    s.do(K, OperationKind.LOCAL_INVALIDATE, "x")
    s.end_registration(held)
    s.holds(K, "x", there)


@scenario(
    "RIR-RULE-02",
    needs=(*HELD_LOCALLY, Capability.CHECKS_SETTING),
    clients=UNCHECKED,
    registers=False,
    checks=False,
)
def an_entry_without_a_value_takes_that_of_the_answer_unchecked(s: Stage) -> None:
    there = s.put(s.low, "x")
    held = s.begin_registration(K)
    s.reads_only(s.get(K, "x"), (there,))
    s.do(K, OperationKind.LOCAL_INVALIDATE, "x")
    s.end_registration(held)
    s.holds(K, "x", there)


@scenario("RIR-RULE-03", "RIR-PREC-01", needs=HELD, clients=ONE, registers=False)
def an_answer_brings_back_nothing_that_the_application_has_destroyed(s: Stage) -> None:
    for key in "xy":
        s.put(s.low, key)
    held = s.begin_registration(K)
    s.do(K, DESTROY, "x")
    s.put(K, "y")
    s.do(K, DESTROY, "y")
    s.end_registration(held)
    for key in "xy":
        s.holds(K, key, None)
        s.all_hold(key, None)


@scenario("RIR-RULE-03", needs=HELD_LOCALLY, clients=ONE, registers=False)
def an_answer_brings_back_nothing_that_the_client_alone_has_destroyed(s: Stage) -> None:
    there = s.put(s.low, "x")
    held = s.begin_registration(K)
    s.reads_only(s.get(K, "x"), (there,))
    s.do(K, OperationKind.LOCAL_DESTROY, "x")
    s.end_registration(held)
    s.holds(K, "x", None)
    s.all_hold("x", there)


def _gets_meanwhile(s: Stage, kind: OperationKind) -> None:
    # The client has the key without its value, so its get goes to the server.
    old = s.put(s.low, "x")
    s.register(K, policy="keys")
    s.holds_invalid(K, "x", old)
    got = s.park(K, K, "x", OperationKind.GET, callback="answer")
    s.holds_invalid(K, "x", old)
    last = s.do(s.high, kind, "x")
    s.may_be_shown_at(K, last)  # or the client takes its events once the get has returned
    s.release(got)
    s.finish(got)
    s.settle()
    s.holds(K, "x", None if kind is DESTROY else last)


@scenario("CONS-CL-01", needs=HELD_GET, clients=ONE, registers=False)
def what_a_get_brings_is_not_kept_if_the_key_went_meanwhile(s: Stage) -> None:
    _gets_meanwhile(s, DESTROY)


@scenario("CONS-CL-01", needs=HELD_GET, clients=ONE, registers=False)
def what_a_get_brings_replaces_nothing_newer(s: Stage) -> None:
    _gets_meanwhile(s, OperationKind.PUT)


@scenario("RIR-RULE-04", needs=HELD, clients=ONE, registers=False)
def a_destroyed_key_is_as_any_other_behind_the_registration(s: Stage) -> None:
    for key in "xy":
        s.put(s.low, key)
    held = s.begin_registration(K)
    for key in "xy":
        s.do(K, DESTROY, key)
    s.end_registration(held)
    for key in "xy":
        s.holds(K, key, None)
    told, loaded = s.put(s.mid, "x"), s.put(s.high, "y")
    s.settle()
    s.told_once(K, told)
    s.holds(K, "x", told)
    s.register(K)
    s.holds(K, "x", told)
    s.holds(K, "y", loaded)


@scenario("RIR-RULE-04", needs=HELD, clients=ONE, registers=False)
def a_destroyed_key_stays_so_until_the_last_of_two_registrations_has_ended(s: Stage) -> None:
    s.put(s.low, "x")
    first, second = s.begin_registration(K), s.begin_registration(K, "key", "x")
    s.do(K, DESTROY, "x")
    for held in (first, second):
        s.end_registration(held)
        s.holds(K, "x", None)
    back = s.put(s.high, "x")
    s.settle()
    s.holds(K, "x", back)


@scenario("RIR-RACE-02", needs=(*HELD, Capability.MEMBER_FAULTS), clients=TWO_SERVERS, registers=False)
def a_registration_whose_server_dies_is_completed_or_leaves_nothing_behind(s: Stage) -> None:
    s.register(K, "key", "y")
    there = s.put("A", "x")
    held = s.begin_registration(K, "key", "x")
    s.crash("B")
    s.settle()
    accepted = s.end_registration(held, may_fail=True)
    later = {key: s.put("A", key) for key in "xy"}
    s.settle()
    s.told_once(K, later["y"])
    s.holds(K, "y", later["y"])
    if accepted:
        s.told_once(K, later["x"])
        s.holds(K, "x", later["x"])
    else:
        s.not_told(K, later["x"])
        s.holds(K, "x", None, there)
    s.register(K, "key", "x")
    last = s.put("A", "x")
    s.settle()
    s.told_once(K, last)
    s.holds(K, "x", last)
