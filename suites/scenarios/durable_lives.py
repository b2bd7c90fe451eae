"""Durable clients: how they go and come back, and what servers keep of them meanwhile (003, L8 to L18).

B serves the client, C holds its queue where it is secured, and A never dies.
"""

from __future__ import annotations

from plumbline.adapters.protocol import MOST_LINES
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.log_lines import ALERTS
from plumbline.reference.history.operations import Client, Operation
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

K = "K"

DURABLE = (Capability.CLIENTS, Capability.DURABLE_CLIENTS)
DURABLE_KILLS = (*DURABLE, Capability.MEMBER_FAULTS)
DURABLE_IN_TIME = (*DURABLE, Capability.HELD_CLOCKS)
DURABLE_LOGS = (*DURABLE_IN_TIME, Capability.LOG_LINES)

ONE = (Client(name=K, servers=("B",), durable_id="k"),)
SECURED = (Client(name=K, servers=("B", "C"), redundancy=1, durable_id="k"),)
WITH_SPARE = (Client(name=K, servers=("B", "C", "D"), redundancy=1, durable_id="k"),)
UNSECURED = (Client(name=K, servers=("B", "C"), durable_id="k"),)
TWO = (*ONE, Client(name="L", servers=("B",), durable_id="l"))
UNCHECKED = (Client(name=K, servers=("B",), durable_id="k", checks=False),)

TIMEOUT_MS = 60_000
SOON = (Client(name=K, servers=("B",), durable_id="k", durable_timeout_s=TIMEOUT_MS // 1000),)
SOON_SECURED = (
    Client(name=K, servers=("B", "C"), redundancy=1, durable_id="k", durable_timeout_s=TIMEOUT_MS // 1000),
)
LONG_MS = 30_000
"""By then servers know what a client has acknowledged; half of the time-out."""


def is_there(s: Stage, client: str = K) -> None:
    """The client has registered for all keys, durably, and is ready."""
    s.register(client, durable=True)
    s.ready(client)
    s.settle()


def replays(s: Stage, *events: Operation, register: bool = True) -> None:
    """The client comes back and is sent these events in front of the marker, and nothing else."""
    s.come_back(K)
    if register:
        s.register(K, policy="none", durable=True)
    s.ready(K)
    s.settle()
    s.hears_in_order(K, *events, None)


@scenario("DUR-READY-01", needs=DURABLE, clients=ONE, registers=False)
def nothing_reaches_a_client_before_it_is_ready(s: Stage) -> None:
    s.register(K, durable=True)
    events = [s.put("A", "x"), s.put("C", "y")]
    for event in events:
        s.not_shown_at(K, event)
    s.settle()
    s.ready(K)
    s.settle()
    for event in events:
        s.told_once(K, event)
    s.hears_live(K, 1)
    later = s.put("A", "x")
    s.settle()
    s.told_once(K, later)


@scenario("DUR-READY-01", "DUR-REPLAY-01", needs=DURABLE, clients=ONE, registers=False)
def nothing_is_missed_between_return_and_readiness(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    events = [s.put("A", "x")]
    s.come_back(K)
    events += [s.put("A", "y"), s.put("C", "x")]
    s.ready(K)
    s.settle()
    for event in events:
        s.told_once(K, event)
    s.hears_live(K, 2)


@scenario("DUR-DISC-02", "DUR-REPLAY-09", needs=DURABLE, clients=ONE, registers=False)
def a_close_with_keep_alive_keeps_queue_and_interest(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    events = [s.put("A", "x"), s.put("C", "y"), s.put("A", "x")]
    replays(s, *events)
    s.hears_live(K, 2)


@scenario("DUR-DISC-02", "FO-DUR-01", needs=DURABLE_KILLS, clients=SECURED, registers=False)
def secondaries_keep_what_was_closed_with_keep_alive(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    first = s.put("A", "x")
    s.settle()
    s.crash("B")
    second = s.put("A", "y")
    replays(s, first, second)


@scenario("DUR-DISC-03", needs=DURABLE, clients=ONE, registers=False)
def other_interest_ends_with_the_connection(s: Stage) -> None:
    s.register(K, "key", "x", durable=True)
    s.register(K, "key", "y")
    s.ready(K)
    s.part(K, keep=True)
    kept, other = s.put("A", "x"), s.put("A", "y")
    replays(s, kept, register=False)
    later, kept_later = s.put("A", "y"), s.put("A", "x")
    s.settle()
    s.told_once(K, kept_later)
    for event in (other, later):
        s.not_told(K, event)


@scenario("DUR-DISC-04", needs=DURABLE, clients=ONE, registers=False)
def what_was_queued_stays_queued(s: Stage) -> None:
    s.register(K, "key", "x", durable=True)
    s.register(K, "key", "y")
    events = [s.put("A", "x"), s.put("A", "y")]
    s.part(K, keep=True)
    events.append(s.put("A", "x"))
    s.put("A", "y")
    replays(s, *events, register=False)


@scenario("DUR-DISC-05", needs=DURABLE_IN_TIME, clients=SOON, registers=False)
def what_was_acknowledged_is_not_replayed(s: Stage) -> None:
    s.hold_time()
    is_there(s)
    early = [s.put("A", "x"), s.put("A", "y")]
    s.settle()
    for event in early:
        s.told_once(K, event)
    s.let_pass(LONG_MS)
    s.settle()
    s.part(K, keep=True)
    late = s.put("A", "x")
    replays(s, late)
    for event in early:
        s.told_once(K, event)


@scenario("DUR-DISC-06", needs=DURABLE, clients=ONE, registers=False)
def a_close_without_keep_alive_forgets_the_client(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=False)
    event = s.put("A", "x")
    replays(s, register=False)
    later = s.put("A", "x")
    s.settle()
    for one in (event, later):
        s.not_told(K, one)


@scenario("DUR-DISC-06", needs=DURABLE, clients=SECURED, registers=False)
def secondaries_forget_a_client_that_has_closed(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=False)
    event = s.put("A", "x")
    replays(s)
    s.not_told(K, event)


@scenario("DUR-DISC-06", needs=DURABLE, clients=TWO, registers=False)
def a_close_forgets_no_other_client(s: Stage) -> None:
    for client in (K, "L"):
        is_there(s, client)
    s.part(K, keep=True)
    first = s.put("A", "x")
    s.settle()
    s.told_once("L", first)
    s.part("L", keep=False)
    second = s.put("A", "y")
    replays(s, first, second)
    s.come_back("L")
    s.ready("L")
    s.settle()
    s.not_told("L", second)


@scenario("DUR-READY-01", needs=DURABLE, clients=TWO, registers=False)
def each_client_is_ready_for_itself(s: Stage) -> None:
    for client in (K, "L"):
        s.register(client, durable=True)
    event = s.put("A", "x")
    s.ready("L")
    s.settle()
    s.told_once("L", event)
    s.hears_live("L", 1)
    s.not_told(K, event)
    s.ready(K)
    s.settle()
    s.told_once(K, event)
    s.hears_live(K, 1)
    s.hears_live("L", 1)


@scenario("DUR-DISC-07", needs=DURABLE, clients=ONE, registers=False)
def nothing_is_kept_where_no_interest_is_durable(s: Stage) -> None:
    s.register(K)
    stored = s.put("A", "x")
    s.settle()
    s.part(K, keep=True)
    event = s.put("A", "y")
    replays(s, register=False)
    for one in (stored, event):
        s.not_told(K, one)


@scenario("DUR-CRASH-01", needs=DURABLE_KILLS, clients=ONE, registers=False)
def a_crash_keeps_queue_and_interest(s: Stage) -> None:
    is_there(s)
    s.kill(K)
    events = [s.put("A", "x"), s.put("C", "y")]
    replays(s, *events)


@scenario("DUR-CRASH-01", needs=DURABLE_KILLS, clients=SECURED, registers=False)
def secondaries_keep_the_queue_of_a_client_that_has_crashed(s: Stage) -> None:
    is_there(s)
    s.kill(K)
    first = s.put("A", "x")
    s.settle()
    s.crash("B")
    second = s.put("A", "x")
    replays(s, first, second)


@scenario("DUR-TIMEOUT-01", needs=DURABLE_IN_TIME, clients=SOON, registers=False)
def the_queue_is_gone_after_the_time_out(s: Stage) -> None:
    s.hold_time()
    is_there(s)
    s.part(K, keep=True)
    early = s.put("A", "x")
    s.settle()
    s.let_pass(2 * TIMEOUT_MS)
    late = s.put("A", "y")
    replays(s)
    for event in (early, late):
        s.not_told(K, event)


@scenario("DUR-TIMEOUT-01", needs=DURABLE_IN_TIME, clients=SOON_SECURED, registers=False)
def each_holder_gives_up_after_the_time_out(s: Stage) -> None:
    s.hold_time()
    is_there(s)
    s.part(K, keep=True)
    early = s.put("A", "x")
    s.settle()
    s.let_pass(2 * TIMEOUT_MS)
    replays(s)
    s.not_told(K, early)


@scenario("DUR-TIMEOUT-02", needs=DURABLE_IN_TIME, clients=SOON, registers=False)
def the_queue_is_whole_before_the_time_out(s: Stage) -> None:
    s.hold_time()
    is_there(s)
    s.part(K, keep=True)
    early = s.put("A", "x")
    s.settle()
    s.let_pass(TIMEOUT_MS * 6 // 10)
    late = s.put("A", "y")
    replays(s, early, late)


@scenario("DUR-TIMEOUT-02", needs=DURABLE_IN_TIME, clients=SOON, registers=False)
def the_return_of_a_client_stops_its_time(s: Stage) -> None:
    s.hold_time()
    is_there(s)
    s.part(K, keep=True)
    s.let_pass(TIMEOUT_MS // 2)
    replays(s)
    s.let_pass(TIMEOUT_MS)
    event = s.put("A", "x")
    s.settle()
    s.told_once(K, event)


@scenario("DUR-TIMEOUT-03", needs=DURABLE_LOGS, clients=SOON_SECURED, registers=False)
def each_server_with_the_queue_logs_a_time_out(s: Stage) -> None:
    s.hold_time()
    is_there(s)
    s.part(K, keep=True)
    s.let_pass(2 * TIMEOUT_MS)
    s.settle()
    for server in ("B", "C"):
        s.says(server, ALERTS, 1, MOST_LINES)


@scenario("DUR-TIMEOUT-04", needs=DURABLE_IN_TIME, clients=SOON, registers=False)
def a_client_that_has_timed_out_is_new(s: Stage) -> None:
    s.hold_time()
    is_there(s)
    s.part(K, keep=True)
    s.let_pass(2 * TIMEOUT_MS)
    replays(s, register=False)
    early = s.put("A", "x")
    s.settle()
    s.not_told(K, early)
    s.register(K, durable=True)
    late = s.put("A", "x")
    s.settle()
    s.told_once(K, late)
    s.holds(K, "x", late)


@scenario("DUR-TIMEOUT-05", needs=DURABLE_IN_TIME, clients=SOON, registers=False)
def each_absence_counts_for_itself(s: Stage) -> None:
    s.hold_time()
    is_there(s)
    for _ in range(2):
        s.part(K, keep=True)
        event = s.put("A", "x")
        s.settle()
        s.let_pass(TIMEOUT_MS * 7 // 10)
        replays(s, event)
        s.let_pass(LONG_MS)
        s.settle()


@scenario("DUR-TIMEOUT-05", needs=DURABLE_IN_TIME, clients=SOON, registers=False)
def the_time_out_of_the_latest_life_counts(s: Stage) -> None:
    s.hold_time()
    is_there(s)
    s.part(K, keep=True)
    s.come_back(K, 10 * TIMEOUT_MS)
    s.ready(K)
    s.part(K, keep=True)
    event = s.put("A", "x")
    s.settle()
    s.let_pass(2 * TIMEOUT_MS)
    replays(s, event)


@scenario("FO-DUR-01", needs=DURABLE_KILLS, clients=SECURED, registers=False)
def one_holder_is_enough_for_an_absent_client(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    first = s.put("A", "x")
    s.settle()
    s.crash("B")
    second = s.put("A", "y")
    s.restart("B")
    third = s.put("A", "x")
    replays(s, first, second, third)


@scenario("FO-DUR-02", needs=DURABLE_KILLS, clients=SECURED, registers=False)
def nothing_is_replayed_once_all_holders_have_failed(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    events = [s.put("A", "x")]
    s.settle()
    s.crash("B")
    s.restart("B")
    events.append(s.put("A", "y"))
    s.settle()
    s.crash("C")
    replays(s)
    for event in events:
        s.not_told(K, event)


@scenario("FO-DUR-02", needs=DURABLE_KILLS, clients=ONE, registers=False)
def a_server_that_starts_again_has_no_queue(s: Stage) -> None:
    is_there(s)
    s.part(K, keep=True)
    event = s.put("A", "x")
    s.settle()
    s.crash("B")
    s.restart("B")
    replays(s)
    s.not_told(K, event)
    later = s.put("A", "x")
    s.settle()
    s.told_once(K, later)


@scenario("DUR-CRASH-01", needs=DURABLE_KILLS, clients=ONE, registers=False)
def each_kind_of_registration_can_outlive_a_crash(s: Stage) -> None:
    s.register(K, "key", "x", durable=True)
    s.register(K, "list", "u\nv", durable=True)
    s.register(K, "regex", "y.*", durable=True)
    s.ready(K)
    s.settle()
    s.kill(K)
    kept = [s.put("A", key) for key in ("x", "v", "y1")]
    s.put("A", "z")
    replays(s, *kept, register=False)


@scenario("FO-NONHA-09", "DUR-DISC-02", needs=DURABLE_KILLS, clients=UNSECURED, registers=False)
def interest_stays_durable_on_the_next_server(s: Stage) -> None:
    is_there(s)
    s.crash("B")
    s.settle()
    s.part(K, keep=True)
    replays(s, s.put("A", "x"), s.put("C", "y"))
