"""Members that keep less than a replicate: normal, preloaded, empty (004, L37; 001, L35 to L38, L57).

Where the documents leave open what such a member holds, a scenario says no more than they do.
"""

from __future__ import annotations

from plumbline.adapters.errors import UnsupportedError
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import (
    Client,
    HostPolicy,
    Operation,
    OperationKind,
    RegionPolicy,
    Scope,
    Status,
)
from plumbline.suites.scenarios.mismatch import MismatchError
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

K, LESS, EMPTY = "K", "C", "D"

NORMAL_HERE = (HostPolicy(LESS, RegionPolicy.NORMAL),)
PRELOADED_HERE = (HostPolicy(LESS, RegionPolicy.PRELOADED),)
ONE_OF_EACH = (*NORMAL_HERE, HostPolicy(EMPTY, RegionPolicy.EMPTY))
SOLE, A_SOLE_REPLICATE = "A", (HostPolicy("B", RegionPolicy.NORMAL), HostPolicy("C", RegionPolicy.EMPTY))
ALL_NORMAL = tuple(HostPolicy(member, RegionPolicy.NORMAL) for member in "AB")
A_NORMAL_SERVER = (HostPolicy("B", RegionPolicy.NORMAL),)

GATES = (Capability.LISTENER_GATES,)
KILLS = (Capability.MEMBER_FAULTS,)
KILLS_AND_GATES = (*KILLS, *GATES)
CLIENTS = (Capability.CLIENTS,)
LOCALLY = (*CLIENTS, Capability.LOCAL_OPERATIONS)
EXPIRING = (*CLIENTS, Capability.LOCAL_EXPIRATION)
EVICTING = (*CLIENTS, Capability.EVICTION)

PUT, DESTROY, INVALIDATE = OperationKind.PUT, OperationKind.DESTROY, OperationKind.INVALIDATE


def replicates(s: Stage) -> tuple[str, ...]:
    """The members that keep everything, lowest id first."""
    return tuple(member for member in s.members if member not in (LESS, EMPTY))


def checked_like_a_replicate(s: Stage) -> None:
    low, high = replicates(s)
    for key, first_wins in (("x", True), ("y", False)):
        base = s.put(LESS, key)
        s.settle()
        s.holds(LESS, key, base)
        loser = s.park(low, low, key)
        winner = s.park(high, high, key)
        for operation in (winner, loser) if first_wins else (loser, winner):
            s.release(operation)
            if operation is winner or not first_wins:
                s.shown_at(LESS, operation)
        s.settle()
        s.everybody_holds(key, winner)
        s.log_is(LESS, key, base, *([] if first_wins else [loser]), winner)


@scenario("CONS-NR-01", needs=GATES, policies=NORMAL_HERE)
def a_normal_copy_checks_updates_of_what_it_holds(s: Stage) -> None:
    checked_like_a_replicate(s)


@scenario("CONS-NR-01", needs=GATES, policies=PRELOADED_HERE)
def a_preloaded_copy_checks_updates_of_what_it_holds(s: Stage) -> None:
    checked_like_a_replicate(s)


def changed_at_a_replicate_first(s: Stage, kind: OperationKind) -> None:
    # The version that a replicate gives is later than all that went before; one that starts anew would lose.
    writer = replicates(s)[0]
    for caller in (LESS, EMPTY):
        key = f"x of {caller}"
        for _ in range(3):
            s.put(writer, key)
        s.settle()
        # No document says whether it receives an entry that it lacked, and whether it stores that.
        operation = s.do(caller, kind, key, expect=Status.OK if kind is PUT else None)
        s.settle()
        for member in replicates(s):
            s.holds(member, key, operation)


@scenario("CONS-NR-02", needs=(), members=4, policies=ONE_OF_EACH)
def what_a_member_lacks_is_put_at_a_replicate_first(s: Stage) -> None:
    changed_at_a_replicate_first(s, PUT)


@scenario("CONS-NR-02", needs=(), members=4, policies=ONE_OF_EACH)
def what_a_member_lacks_is_invalidated_at_a_replicate_first(s: Stage) -> None:
    changed_at_a_replicate_first(s, INVALIDATE)


@scenario("CONS-NR-02", needs=(), members=4, policies=ONE_OF_EACH)
def what_a_member_lacks_is_destroyed_at_a_replicate_first(s: Stage) -> None:
    changed_at_a_replicate_first(s, DESTROY)


@scenario("CONS-NR-02", needs=(), members=4, policies=ONE_OF_EACH)
def what_a_member_lacks_is_created_again_at_a_replicate_first(s: Stage) -> None:
    writer = replicates(s)[0]
    for caller in (LESS, EMPTY):
        key = f"again at {caller}"
        s.put(writer, key)
        s.do(writer, DESTROY, key)
        s.settle()
        again = s.do(caller, OperationKind.CREATE, key)
        s.settle()
        for member in replicates(s):
            s.holds(member, key, again)


@scenario("CONS-NR-02", needs=GATES, policies=NORMAL_HERE, scope=Scope.NO_ACK)
def a_caller_takes_over_the_version_that_a_replicate_gives(s: Stage) -> None:
    # Either replicate may carry the call out. If it is the held one, the call may have to wait for it, and
    # updates that arrive meanwhile find no entry there.
    for turn, rival in enumerate((*replicates(s), *replicates(s))):
        key = f"x{turn}"
        held = s.park(rival, rival, key)
        called = s.start(LESS, PUT, key)
        returned = s.returns(called)
        s.release(held)
        s.settle()
        s.agree_on(key, *((LESS,) if returned else ()), *replicates(s))


@scenario("CONS-NR-03", needs=KILLS, members=2, policies=ALL_NORMAL)
def without_a_replicate_an_operation_ends(s: Stage) -> None:
    for kind in (PUT, DESTROY, INVALIDATE):
        ends(s, s.low, s.start(s.low, kind, "x"))


@scenario("CONS-NR-03", needs=KILLS, policies=NORMAL_HERE)
def with_every_replicate_dead_an_operation_ends(s: Stage) -> None:
    s.put(replicates(s)[0], "x")
    s.settle()
    for member in replicates(s):
        s.crash(member)
    for kind in (PUT, DESTROY, INVALIDATE):
        ends(s, LESS, s.start(LESS, kind, "x"))


@scenario("CONS-NR-03", needs=KILLS_AND_GATES, policies=NORMAL_HERE)
def another_replicate_is_asked_when_one_dies_before_it_has_distributed(s: Stage) -> None:
    first, second = replicates(s)
    operation = s.park(first, LESS, "x")
    s.crash(first)
    takes_effect_once(s, operation, second)


@scenario("CONS-NR-03", needs=KILLS_AND_GATES, policies=NORMAL_HERE)
def another_replicate_recognises_what_the_dead_one_has_sent_it(s: Stage) -> None:
    first, second = replicates(s)
    operation = s.park(second, LESS, "x")
    s.crash(first)
    s.release(operation)
    takes_effect_once(s, operation, second)


def ends(s: Stage, caller: str, operation: Operation) -> None:
    """A call returns with any outcome.

    A caller that would wait for ever is killed, so that the example can end.
    """
    try:
        s.finish(operation)
    except MismatchError:
        s.crash(caller)
        raise


def takes_effect_once(s: Stage, operation: Operation, survivor: str) -> None:
    """A call comes back, and who is left has its value, and received it once."""
    ends(s, LESS, operation)
    s.settle()
    for member in (survivor, LESS):
        s.holds(member, "x", operation)
        s.told_once(member, operation)


def stays_at_the_client(s: Stage, *kinds: OperationKind) -> None:
    """What becomes of an entry on a server alone leaves the server's client as it is."""
    held = {key: s.put("B", key) for key in ("x", "y")}
    s.settle()
    # A server may refuse all of them, or do nothing; then there is nothing to send.
    for key, kind in zip(held, kinds, strict=True):
        if kind is OperationKind.EVICT:
            s.evicts("B")
        else:
            s.do("B", kind, key, expect=None)
    last = s.put("B", "z")
    s.settle()
    s.told_once(K, last)
    for key, operation in held.items():
        s.log_is(K, key, operation)
        s.holds(K, key, operation)
        s.holds("A", key, operation)


@scenario("S2C-OPS-05", needs=LOCALLY, policies=A_NORMAL_SERVER, clients=(Client(name=K, servers=("B",)),))
def local_operations_of_a_server_are_not_sent_to_its_clients(s: Stage) -> None:
    stays_at_the_client(s, OperationKind.LOCAL_DESTROY, OperationKind.LOCAL_INVALIDATE)


@scenario("S2C-OPS-05", needs=EXPIRING, policies=A_NORMAL_SERVER, clients=(Client(name=K, servers=("B",)),))
def what_expires_on_a_server_alone_is_not_sent_to_its_clients(s: Stage) -> None:
    stays_at_the_client(s, OperationKind.EXPIRE_LOCAL_DESTROY, OperationKind.EXPIRE_LOCAL_INVALIDATE)


@scenario("S2C-OPS-05", needs=EVICTING, policies=A_NORMAL_SERVER, clients=(Client(name=K, servers=("B",)),))
def what_a_server_evicts_is_not_sent_to_its_clients(s: Stage) -> None:
    stays_at_the_client(s, OperationKind.EVICT, OperationKind.EVICT)


@scenario("S2C-OPS-05", needs=LOCALLY, policies=A_NORMAL_SERVER, clients=(Client(name=K, servers=("B",)),))
def a_local_clear_of_a_server_is_not_sent_to_its_clients(s: Stage) -> None:
    held = {key: s.put("B", key) for key in ("x", "y")}
    s.settle()
    s.do("B", OperationKind.LOCAL_CLEAR, "", expect=None)
    last = s.put("B", "z")
    s.settle()
    s.told_once(K, last)
    for key, operation in held.items():
        s.log_is(K, key, operation)
        s.holds(K, key, operation)
        s.holds("A", key, operation)


@scenario("CLEAR-NR-01", needs=(Capability.CLEAR,), members=4, policies=ONE_OF_EACH)
def a_clear_called_on_a_member_without_a_replicate_shows_on_all(s: Stage) -> None:
    for caller in (LESS, EMPTY):
        for member in s.members:
            s.put(member, f"of {member}")
        s.on_region(caller, OperationKind.CLEAR)
        s.settle()
        for member in s.members:
            s.all_hold(f"of {member}", None)
        after = s.put(caller, "x")
        s.settle()
        for member in replicates(s):
            s.holds(member, "x", after)


@scenario(
    "CLEAR-NR-01",
    needs=(Capability.CLEAR, Capability.LISTENER_GATES, Capability.CALLBACK_SCRIPTS),
    policies=A_SOLE_REPLICATE,
)
def updates_wait_while_a_replicate_clears_for_another_member(s: Stage) -> None:
    """A clear of each other member is held in the cache writer of the replicate, where it has the lock.

    No document has a clear ask a writer: of one that does not, this cannot be judged.
    """
    for caller in ("B", "C"):
        s.put(SOLE, "x")
        s.settle()
        clear = s.hold(SOLE, caller, "", OperationKind.CLEAR, callback="writer")
        if not s.comes_to_stand(SOLE, clear, "writer") and s.returns(clear):
            raise UnsupportedError(
                "clears ask no cache writer, so that none can be held while it has the lock"
            )
        s.stands(SOLE, clear, "writer")
        update = s.start(SOLE, PUT, "y")
        s.not_shown_at(SOLE, update)
        s.release(clear)
        s.settle()
        s.holds(SOLE, "x", None)
        s.holds(SOLE, "y", update)


@scenario(
    "INT-BULK-03",
    needs=CLIENTS,
    policies=A_NORMAL_SERVER,
    clients=(Client(name=K, servers=("B",)),),
    registers=False,
)
def a_registration_loads_what_its_server_holds_and_no_more(s: Stage) -> None:
    s.put("B", "x")
    for key in ("y", "z"):
        s.put("A", key)
    s.register(K)
    for key in ("x", "y", "z"):
        s.agree_on(key, "B", K)
