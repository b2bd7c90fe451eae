"""Durable clients that reach no server, and what runs beside a replay (003, L10 to L22).

B serves the client, and A never dies.
"""

from __future__ import annotations

from plumbline.reference.history.operations import Client, Operation, OperationKind, Status
from plumbline.suites.scenarios.durable_lives import (
    DURABLE,
    DURABLE_KILLS,
    ONE,
    UNSECURED,
    K,
    is_there,
    replays,
)
from plumbline.suites.scenarios.durable_replay import GATES, GATES_AND_KILLS
from plumbline.suites.scenarios.mismatch import MismatchError
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

OTHERS = (Client(name=K, servers=("B",)), Client(name="L", servers=("B",)))


@scenario("DUR-READY-02", needs=DURABLE, clients=OTHERS, registers=False)
def other_clients_need_not_say_that_they_are_ready(s: Stage) -> None:
    for client in (K, "L"):
        s.register(client)
    s.ready("L")
    for writer in ("A", "C"):
        event = s.put(writer, "x")
        s.settle()
        for client in (K, "L"):
            s.told_once(client, event)
            s.holds(client, "x", event)
            s.hears_live(client, 0)


@scenario("DUR-DISC-01", needs=DURABLE, clients=ONE, registers=False)
def nothing_is_sent_to_a_client_that_has_closed(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    events = [s.put("A", "x"), s.do("C", OperationKind.DESTROY, "x")]
    s.settle()
    for event in events:
        s.not_told(K, event)
    replays(s, *events)
    s.part(K, keep=False)
    last = s.put("A", "x")
    s.settle()
    s.not_told(K, last)
    replays(s)
    s.not_told(K, last)


@scenario("DUR-REC-01", needs=GATES, clients=ONE, registers=False)
def an_application_goes_on_during_the_replay(s: Stage) -> None:
    held = s.put("A", "y")
    is_there(s)
    s.part(K, keep=True)
    first = s.hold(K, "A", "z")
    s.finish(first)
    stored = s.put("A", "x")
    s.come_back(K)
    s.register(K, policy="keys_values", durable=True)
    s.ready(K)
    s.stands(K, first)
    own = [s.put(K, "x"), s.put(K, "w"), s.put(K, "z"), s.do(K, OperationKind.CREATE, "v")]
    s.reads_only(s.get(K, "y"), (held,))
    s.do(K, OperationKind.DESTROY, "y")
    s.release(first)
    s.settle()
    s.told_once(K, stored)
    for event in own:
        s.holds(K, event.key, event)
    s.holds(K, "y", None)


@scenario("DUR-CRASH-02", needs=DURABLE_KILLS, clients=ONE, registers=False)
def a_running_client_that_regains_its_server_goes_on_unasked(s: Stage) -> None:
    is_there(s)
    first = s.put("A", "x")
    s.settle()
    s.crash("B")
    s.restart("B")
    s.settle()
    later = s.put("A", "x")
    s.settle()
    s.told_once(K, first)
    s.told_once(K, later)
    s.holds(K, "x", later)
    s.hears_live(K, 1)


@scenario("DUR-MARKER-05", needs=GATES_AND_KILLS, clients=UNSECURED, registers=False)
def no_event_falls_between_interest_and_readiness_at_the_next_server(s: Stage) -> None:
    # While the client changes its server, a put has changed one member and is on its way to no other.
    is_there(s)
    for server in ("B", "C"):
        under_way = s.park("A", "A", "x")
        s.crash(server)
        s.release(under_way)
        s.settle()
        s.holds(K, "x", under_way)
        later = s.put("A", "x")
        s.settle()
        s.told_once(K, later)
        s.holds(K, "x", later)
        s.restart(server)


@scenario("DUR-CRASH-02", needs=DURABLE_KILLS, clients=UNSECURED, registers=False)
def a_running_client_that_finds_another_server_goes_on_unasked(s: Stage) -> None:
    is_there(s)
    s.crash("B")
    s.settle()
    events = [s.put("A", "x"), s.put("C", "y")]
    s.settle()
    for event in events:
        s.told_once(K, event)
        s.holds(K, event.key, event)
    s.hears_live(K, 1)


def _alone(s: Stage) -> tuple[Operation, Operation]:
    """The client holds x and y, and its only server has died."""
    held = s.put("A", "x"), s.put("A", "y")
    is_there(s)
    s.crash("B")
    return held


@scenario("DUR-OFFL-01", needs=DURABLE_KILLS, clients=ONE, registers=False)
def a_client_without_servers_reads_what_it_holds(s: Stage) -> None:
    held = _alone(s)
    newer = s.put("A", "y")
    for event in held:
        s.holds(K, event.key, event)
        s.reads_only(s.get(K, event.key), (event,))
    missing = s.start(K, OperationKind.GET, "z")
    s.finish(missing)
    for event in held:
        s.holds(K, event.key, event)
    s.restart("B")
    s.settle()
    s.holds(K, "y", newer)


def _fails(s: Stage, kind: OperationKind, key: str) -> None:
    """The client calls an update, which must fail; it may not know whether a server has heard of it."""
    update = s.start(K, kind, key)
    outcome = s.finish(update)
    if outcome.status not in (Status.FAILED, Status.INDEFINITE):
        raise MismatchError(f"{kind} {key} of {K} to fail", f"it ended {outcome.status}")


@scenario("DUR-OFFL-02", needs=DURABLE_KILLS, clients=ONE, registers=False)
def a_client_without_servers_updates_nothing(s: Stage) -> None:
    held = _alone(s)
    _fails(s, OperationKind.PUT, "x")
    _fails(s, OperationKind.DESTROY, "y")
    _fails(s, OperationKind.CREATE, "z")
    for event in held:
        s.holds(K, event.key, event)
    s.holds(K, "z", None)
    s.restart("B")
    s.settle()
    for event in held:
        s.everybody_holds(event.key, event)
    s.everybody_holds("z", None)
    own = s.put(K, "x")
    s.settle()
    s.everybody_holds("x", own)
