"""What clients call, and what servers do to whole regions of theirs (document 001, L5 to L38)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import (
    Client,
    EventKind,
    HostPolicy,
    OperationKind,
    RegionPolicy,
    Status,
)
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

K, L, M, SERVER = "K", "L", "M", "B"

CLIENTS = (Capability.CLIENTS,)
CLEARS = (*CLIENTS, Capability.CLEAR)
TWO = (Client(name=K, servers=(SERVER,)), Client(name=L, servers=(SERVER,)))
WITHOUT_POOL = (HostPolicy(K, RegionPolicy.LOCAL),)
THREE = (*TWO, Client(name=M, servers=("C",)))

PUT, CREATE, PUT_IF_ABSENT, REPLACE = (
    OperationKind.PUT,
    OperationKind.CREATE,
    OperationKind.PUT_IF_ABSENT,
    OperationKind.REPLACE,
)
DESTROY, INVALIDATE, INVALIDATE_REGION = (
    OperationKind.DESTROY,
    OperationKind.INVALIDATE,
    OperationKind.INVALIDATE_REGION,
)


@scenario("C2S-OPS-01", needs=CLIENTS, clients=TWO, registers=False)
def creates_and_updates_of_a_client_are_at_its_server_when_the_call_returns(s: Stage) -> None:
    # A key that client and server hold, one that only the server holds, and three that none holds.
    for key in ("x", "y"):
        s.put(s.low, key)
    s.register(K, "key", "x")
    calls = ((PUT, "x"), (PUT, "y"), (PUT, "z"), (CREATE, "u"), (PUT_IF_ABSENT, "v"), (REPLACE, "x"))
    last = {}
    for kind, key in calls:
        last[key] = s.do(K, kind, key)
        s.holds(SERVER, key, last[key])
    # An entry that only the server holds exists: it is replaced, and nothing is put in its place.
    s.put(s.low, "w")
    last["w"] = s.do(K, REPLACE, "w")
    s.put(s.low, "t")
    last["t"] = s.put(s.low, "t")
    s.do(K, PUT_IF_ABSENT, "t")
    for key in ("w", "t"):
        s.holds(SERVER, key, last[key])
    s.settle()
    s.all_hold("t", last.pop("t"))
    for key, operation in last.items():
        s.all_hold(key, operation)
        s.holds(K, key, operation)


@scenario("C2S-OPS-02", needs=CLIENTS, clients=TWO)
def a_destroy_of_a_client_destroys_the_entry_at_its_server(s: Stage) -> None:
    s.put(s.low, "x")
    s.settle()
    gone = s.do(K, DESTROY, "x")
    s.holds(SERVER, "x", None)
    s.settle()
    s.everybody_holds("x", None)
    s.told_once(L, gone)


@scenario("C2S-OPS-03", needs=CLIENTS, clients=TWO, registers=False)
def a_destroy_reaches_the_server_though_the_client_lacks_the_key(s: Stage) -> None:
    s.put(s.low, "x")
    s.settle()
    gone = s.do(K, DESTROY, "x")
    s.holds(SERVER, "x", None)
    s.settle()
    s.all_hold("x", None)
    s.told_once(SERVER, gone)
    # Where the server has nothing, no document says how the call ends, nor whether peers receive it.
    nothing = s.do(K, DESTROY, "y", expect=None)
    s.settle()
    s.all_hold("y", None)
    s.not_told(SERVER, nothing)


@scenario("C2S-OPS-05", needs=CLEARS, clients=TWO, registers=False)
def a_clear_of_a_client_removes_all_of_its_servers_region(s: Stage) -> None:
    for key in ("x", "y"):
        s.put(s.low, key)
    s.register(K, "key", "x")
    s.on_region(K, OperationKind.CLEAR)
    s.settle()
    for key in ("x", "y"):
        s.everybody_holds(key, None)


@scenario("C2S-OPS-05", needs=(*CLEARS, Capability.LOCAL_OPERATIONS), clients=TWO)
def a_local_clear_of_a_client_touches_its_own_copy_alone(s: Stage) -> None:
    # No document says that there is one: it may be refused.
    held = {key: s.put(s.low, key) for key in ("x", "y")}
    s.settle()
    clear = s.start(K, OperationKind.LOCAL_CLEAR, "")
    done = s.finish(clear).status is Status.OK
    s.settle()
    for key, operation in held.items():
        s.holds(K, key, None if done else operation)
        s.holds(L, key, operation)
        s.all_hold(key, operation)


@scenario("C2S-OPS-06", needs=CLIENTS, clients=TWO)
def an_invalidate_of_a_client_changes_only_its_own_copy(s: Stage) -> None:
    held = s.put(s.low, "x")
    s.settle()
    s.do(K, INVALIDATE, "x")
    s.settle()
    s.holds_invalid(K, "x")
    s.all_hold("x", held)
    s.holds(L, "x", held)
    for holder in (L, *s.members):
        s.log_is(holder, "x", held)


@scenario("CONS-CL-02", needs=CLIENTS, clients=TWO)
def what_a_client_calls_takes_effect_at_its_server_first(s: Stage) -> None:
    # Document 004, L39, makes no exception for invalidations.
    for kind in (PUT, INVALIDATE, PUT, DESTROY):
        operation = s.do(K, kind, "x")
        s.holds(SERVER, "x", operation)
    s.settle()
    s.everybody_holds("x", None)
    for member in s.members:
        s.put(K, f"of {member}")
        # Had the client a later version than its server gave, what comes now would be older there.
        last = s.put(member, f"of {member}")
        s.settle()
        s.everybody_holds(f"of {member}", last)


@scenario("C2S-OPS-07", needs=CLEARS, clients=TWO)
def an_invalidate_of_a_clients_region_leaves_its_servers_region_alone(s: Stage) -> None:
    held = s.put(s.low, "x")
    s.settle()
    s.all_hold("x", held)
    s.on_region(K, INVALIDATE_REGION)
    s.settle()
    s.holds_invalid(K, "x")
    s.all_hold("x", held)
    s.holds(L, "x", held)


@scenario("C2S-OPS-07", needs=(*CLEARS, Capability.LOCAL_OPERATIONS), clients=TWO)
def a_client_that_invalidates_its_region_locally_changes_only_its_own_copy(s: Stage) -> None:
    held = {key: s.put(s.low, key) for key in ("x", "y")}
    s.settle()
    s.on_region(K, OperationKind.LOCAL_INVALIDATE_REGION)
    s.settle()
    for key, operation in held.items():
        s.holds_invalid(K, key)
        s.all_hold(key, operation)
        s.holds(L, key, operation)


@scenario("C2S-LOCAL-01", needs=(*CLIENTS, Capability.LOCAL_OPERATIONS), clients=TWO)
def local_operations_of_a_client_stay_there(s: Stage) -> None:
    held = {key: s.put(s.low, key) for key in ("x", "y")}
    s.settle()
    s.do(K, OperationKind.LOCAL_DESTROY, "x")
    s.do(K, OperationKind.LOCAL_INVALIDATE, "y")
    s.settle()
    s.holds(K, "x", None)
    s.holds_invalid(K, "y")
    for key, operation in held.items():
        s.all_hold(key, operation)
        s.holds(L, key, operation)
        for holder in (L, *s.members):
            s.log_is(holder, key, operation)


@scenario("C2S-LOCAL-01", needs=CLIENTS, clients=TWO, registers=False, policies=WITHOUT_POOL)
def what_a_client_does_in_a_region_without_a_pool_stays_there(s: Stage) -> None:
    held = s.put(s.low, "x")
    s.register(L)
    own = {key: s.put(K, key) for key in ("x", "y")}
    s.settle()
    for key, operation in own.items():
        s.holds(K, key, operation)
    s.do(K, DESTROY, "x")
    s.settle()
    s.holds(K, "x", None)
    for holder in (L, *s.members):
        s.holds(holder, "x", held)
        s.holds(holder, "y", None)
    s.told_nothing(L)
    for member in s.members:
        s.log_is(member, "x", held)
        s.log_is(member, "y")


@scenario("S2C-OPS-04", needs=CLEARS, clients=TWO, registers=False)
def a_clear_of_a_server_clears_the_whole_region_of_its_clients(s: Stage) -> None:
    for key in ("x", "y"):
        s.put(s.low, key)
    everything = s.register(K)
    s.withdraw(everything)
    s.register(K, "key", "x")
    s.register(L, "regex", "x")
    s.on_region(s.mid, OperationKind.CLEAR)
    s.settle()
    for key in ("x", "y"):
        s.everybody_holds(key, None)
    s.not_told_of_region_twice(EventKind.CLEAR, K, L, *s.members)


@scenario("S2C-OPS-06", needs=CLEARS, clients=TWO)
def an_invalidate_of_a_servers_region_is_not_sent_to_clients(s: Stage) -> None:
    held = {key: s.put(s.low, key) for key in ("x", "y")}
    s.on_region(s.mid, INVALIDATE_REGION)
    s.settle()
    for client in (K, L):
        for key, operation in held.items():
            s.holds(client, key, operation)
            s.log_is(client, key, operation)
    s.all_hold_invalid("x")


@scenario("C2S-OPS-04", needs=CLEARS, clients=TWO, registers=False)
def a_client_that_destroys_its_region_destroys_that_of_its_servers(s: Stage) -> None:
    s.put(s.low, "x")
    s.on_region(K, OperationKind.DESTROY_REGION)
    s.settle()
    s.region_is_gone(K, *s.members)


@scenario("C2S-OPS-04", needs=(*CLEARS, Capability.LOCAL_OPERATIONS), clients=TWO)
def a_client_that_destroys_its_region_locally_changes_only_its_own_copy(s: Stage) -> None:
    held = s.put(s.low, "x")
    s.on_region(K, OperationKind.LOCAL_DESTROY_REGION)
    s.settle()
    s.region_is_gone(K)
    s.region_is_there(L, *s.members)
    s.all_hold("x", held)
    s.holds(L, "x", held)


@scenario("S2C-OPS-03", needs=CLEARS, clients=THREE, registers=False)
def a_destroyed_region_of_a_server_is_destroyed_at_every_client_with_an_interest(s: Stage) -> None:
    # An interest in one key is enough, also in one that is not there.
    s.put(s.low, "x")
    s.register(K, "key", "y")
    s.register(L, "regex", "x")
    s.register(M, "all", receive_values=False)
    s.on_region(s.mid, OperationKind.DESTROY_REGION)
    s.settle()
    s.region_is_gone(K, L, M, *s.members)
    s.not_told_of_region_twice(EventKind.REGION_DESTROY, K, L, M, *s.members)
