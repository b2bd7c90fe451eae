"""Durable clients: stored events, the marker behind them, and what follows it (003, L22 to L52).

B serves the client, C holds its queue where it is secured, and A never dies.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.scenarios.durable_lives import (
    DURABLE,
    DURABLE_KILLS,
    ONE,
    SECURED,
    UNCHECKED,
    UNSECURED,
    WITH_SPARE,
    K,
    is_there,
    replays,
)
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

ANOTHER = "another"
GATES = (*DURABLE, Capability.LISTENER_GATES)
GATES_AND_KILLS = (*DURABLE_KILLS, Capability.LISTENER_GATES)


@scenario("DUR-REPLAY-01", "DUR-REPLAY-03", "DUR-REPLAY-05", needs=DURABLE, clients=ONE, registers=False)
def stored_events_come_first_and_in_order(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    stored = [
        s.put("A", "x"),
        s.put("C", "y"),
        s.put("A", "x"),
        s.do("A", OperationKind.DESTROY, "x"),
        s.do("C", OperationKind.INVALIDATE, "y"),
        s.put("A", "x"),
    ]
    replays(s, *stored)
    later = s.put("C", "y")
    s.settle()
    s.hears_in_order(K, *stored, None, later)
    s.holds(K, "y", later)


@scenario("DUR-REPLAY-04", needs=DURABLE, clients=ONE, registers=False)
def stored_events_leave_the_copy_alone(s: Stage) -> None:
    old = {key: s.put("A", key) for key in ("u", "i", "d")}
    is_there(s)
    s.part(K, keep=True)
    stored = [
        s.put("A", "u"),
        s.do("A", OperationKind.INVALIDATE, "i"),
        s.do("A", OperationKind.DESTROY, "d"),
    ]
    stored += [s.put("A", "c")]
    fresh = {key: s.put("A", key) for key in old}
    s.come_back(K)
    s.register(K, policy="keys_values", durable=True)
    s.ready(K)
    s.settle()
    s.hears_in_order(K, *stored, *fresh.values(), None)
    for key, event in fresh.items():
        s.holds(K, key, event)


@scenario("DUR-REPLAY-04", needs=DURABLE, clients=UNCHECKED, checks=False, registers=False)
def stored_destroys_and_invalidates_leave_the_copy_alone(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    stored = [s.put("A", "i"), s.put("A", "d")]
    stored += [s.do("A", OperationKind.INVALIDATE, "i"), s.do("A", OperationKind.DESTROY, "d")]
    s.come_back(K)
    own = [s.put(K, "i"), s.put(K, "d")]
    s.ready(K)
    s.settle()
    s.hears_in_order(K, *own, *stored, None)
    for event in own:
        s.holds(K, event.key, event)


@scenario("DUR-REPLAY-04", needs=DURABLE, clients=ONE, registers=False)
def stored_values_enter_no_copy_that_has_loaded_nothing(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    stored = s.put("A", "x")
    replays(s, stored)
    s.holds(K, "x", None)
    later = s.put("A", "x")
    s.settle()
    s.holds(K, "x", later)


@scenario("DUR-REPLAY-06", "DUR-REPLAY-08", "DUR-REPLAY-01", needs=GATES, clients=ONE, registers=False)
def the_marker_parts_stored_events_from_new_ones(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    first = s.hold(K, "A", "x")
    s.finish(first)
    second = s.put("C", "y")
    s.come_back(K)
    s.ready(K)
    s.stands(K, first)
    new = [s.put("A", "x"), s.put("C", "z")]
    s.release(first)
    s.settle()
    s.hears_in_order(K, first, second, None, *new)
    s.holds(K, "x", new[0])
    s.holds(K, "z", new[1])
    s.holds(K, "y", None)


@scenario("DUR-REPLAY-08", needs=DURABLE, clients=ONE, registers=False)
def all_kinds_of_events_are_applied_behind_the_marker(s: Stage) -> None:
    held = [s.put("A", "d"), s.put("A", "i")]
    is_there(s)
    for event in held:
        s.holds(K, event.key, event)
    s.do("C", OperationKind.DESTROY, "d")
    s.do("C", OperationKind.INVALIDATE, "i")
    created = s.put("A", "c")
    s.settle()
    s.holds(K, "d", None)
    s.holds_invalid(K, "i")
    s.holds(K, "c", created)


@scenario("DUR-REPLAY-07", needs=DURABLE, clients=ONE, registers=False, also=(ANOTHER,))
def each_listener_hears_once_that_its_region_is_live(s: Stage) -> None:
    for region in ("region", ANOTHER):
        s.register(K, durable=True, region=region)
    s.ready(K)
    s.settle()
    for region in ("region", ANOTHER):
        s.hears_live(K, 1, region)
    s.part(K, keep=True)
    events = [s.put("A", "x"), s.do("A", OperationKind.PUT, "x", region=ANOTHER)]
    s.come_back(K)
    s.ready(K)
    s.settle()
    for region in ("region", ANOTHER):
        s.hears_live(K, 2, region)
    for event in events:
        s.told_once(K, event)


@scenario("DUR-REPLAY-09", needs=DURABLE, clients=ONE, registers=False)
def what_a_destroy_undoes_is_replayed_all_the_same(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    stored = [s.put("A", "x"), s.do("A", OperationKind.DESTROY, "x"), s.put("A", "y"), s.put("A", "y")]
    replays(s, *stored)


@scenario("RIR-RULE-06", needs=DURABLE, clients=ONE, registers=False)
def old_messages_of_absent_keys_are_replayed(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    stored = [s.put("A", "x"), s.put("A", "x"), s.do("A", OperationKind.DESTROY, "x")]
    s.come_back(K)
    s.register(K, policy="keys_values", durable=True)
    s.ready(K)
    s.settle()
    s.hears_in_order(K, *stored, None)
    s.holds(K, "x", None)


@scenario("DUR-MARKER-01", needs=DURABLE, clients=ONE, registers=False)
def a_first_start_has_a_marker(s: Stage) -> None:
    s.put("C", "y")
    s.register(K, durable=True)
    s.hears_live(K, 0)
    s.ready(K)
    s.settle()
    s.hears_live(K, 1)
    event = s.put("A", "x")
    s.settle()
    s.holds(K, "x", event)


@scenario("DUR-MARKER-02", needs=DURABLE, clients=ONE, registers=False)
def what_comes_before_the_first_marker_counts_as_stored(s: Stage) -> None:
    old = s.put("A", "x")
    s.settle()
    s.register(K, policy="keys_values", durable=True)
    stored = [s.put("A", "x"), s.put("A", "y")]
    s.settle()
    s.ready(K)
    s.settle()
    s.hears_in_order(K, *stored, None)
    s.holds(K, "x", old)
    s.holds(K, "y", None)


@scenario("DUR-REC-02", needs=GATES, clients=ONE, registers=False)
def what_the_application_writes_survives_the_replay(s: Stage) -> None:
    s.put("A", "y")
    is_there(s)
    s.part(K, keep=True)
    first = s.hold(K, "A", "z")
    s.finish(first)
    stored = [s.put("A", "x"), s.put("A", "y"), s.put("A", "w")]
    s.come_back(K)
    s.register(K, policy="keys_values", durable=True)
    s.ready(K)
    s.stands(K, first)
    own = s.put(K, "x")
    gone = s.do(K, OperationKind.DESTROY, "y")
    s.release(first)
    s.settle()
    s.hears_in_order(K, *stored, None)
    s.holds(K, "x", own)
    s.holds(K, "y", gone)


@scenario("DUR-MARKER-03", "DUR-REPLAY-02", needs=GATES_AND_KILLS, clients=SECURED, registers=False)
def a_failover_in_the_replay_goes_on_with_it(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    first = s.hold(K, "A", "x")
    s.finish(first)
    rest = [s.put("A", "y"), s.put("C", "z")]
    s.come_back(K)
    s.ready(K)
    s.stands(K, first)
    new = s.put("A", "y")
    s.crash("B")
    s.release(first)
    s.settle()
    s.hears_in_order(K, first, *rest, None, new)
    s.hears_live(K, 2)
    s.holds(K, "z", None)
    s.holds(K, "y", new)


@scenario("DUR-REPLAY-02", needs=GATES_AND_KILLS, clients=SECURED, registers=False)
def a_marker_of_an_earlier_life_ends_no_replay(s: Stage) -> None:
    s.register(K, durable=True)
    first = s.hold(K, "A", "x")
    s.finish(first)
    s.settle()
    s.ready(K)
    s.settle()
    s.told_once(K, first)
    s.part(K, keep=True)
    stored = s.put("A", "y")
    s.come_back(K)
    s.ready(K)
    s.settle()
    s.hears_in_order(K, stored, None)
    s.holds(K, "y", None)
    s.holds(K, "x", None)


@scenario("DUR-MARKER-04", needs=GATES_AND_KILLS, clients=SECURED, registers=False)
def the_marker_outlives_the_primary(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    stored = s.hold(K, "A", "x")
    s.finish(stored)
    s.come_back(K)
    s.ready(K)
    s.stands(K, stored)
    s.crash("B")
    s.release(stored)
    s.settle()
    s.hears_live(K, 2)
    later = s.put("A", "x")
    s.settle()
    s.holds(K, "x", later)


@scenario("DUR-MARKER-04", needs=GATES_AND_KILLS, clients=UNSECURED, registers=False)
def a_new_server_without_the_queue_sends_a_marker(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    stored = s.hold(K, "A", "x")
    s.finish(stored)
    s.come_back(K)
    s.register(K, policy="none", durable=True)
    s.ready(K)
    s.stands(K, stored)
    s.crash("B")
    s.release(stored)
    s.settle()
    s.hears_live(K, 2)
    later = s.put("A", "y")
    s.settle()
    s.holds(K, "y", later)


@scenario("FO-RED-01", needs=DURABLE_KILLS, clients=WITH_SPARE, members=4, registers=False)
def a_server_that_a_durable_client_recruits_knows_all_its_interest(s: Stage) -> None:
    for key in ("x", "y"):
        s.put("A", key)
    s.register(K, "key", "x", policy="none", durable=True)
    s.register(K, "key", "y", policy="none")
    s.ready(K)
    s.settle()
    for server in ("C", "B"):
        s.crash(server)
        s.settle()
    for key in ("x", "y"):
        later = s.put("A", key)
        s.settle()
        s.told_as_value(K, later)
    s.part(K, keep=True)
    kept, gone = s.put("A", "x"), s.put("A", "y")
    s.come_back(K)
    s.ready(K)
    s.settle()
    s.told_once(K, kept)
    s.not_told(K, gone)


@scenario("DUR-MARKER-04", "FO-RED-01", needs=GATES_AND_KILLS, clients=WITH_SPARE, members=4, registers=False)
def a_recruited_server_has_the_marker_that_waits(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    first = s.hold(K, "A", "x")
    s.finish(first)
    rest = s.put("A", "y")
    s.come_back(K)
    s.ready(K)
    s.stands(K, first)
    s.crash("C")
    s.settle_around()
    new = s.put("A", "z")
    s.crash("B")
    s.release(first)
    s.settle()
    s.hears_in_order(K, first, rest, None, new)
    s.hears_live(K, 2)
    s.holds(K, "y", None)
    s.holds(K, "z", new)
