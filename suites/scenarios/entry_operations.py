"""Operations that depend on what they find, and operations on many keys: what they do to their entries.

Extensions. The interface of Apache Geode's regions says what is to be seen.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, Operation, OperationKind, Status
from plumbline.suites.scenarios.buckets import BucketStage
from plumbline.suites.scenarios.scenario import partitioned, scenario
from plumbline.suites.scenarios.stage import Stage
from plumbline.suites.scenarios.transactions import ROLLBACK, begun

K = "K"

EXPECTS = (Capability.CONDITIONAL_OPERATIONS,)
BULKS = (Capability.BULK_OPERATIONS,)
CLIENTS = (Capability.CLIENTS,)
TX = (Capability.TRANSACTIONS,)
ONE = (Client(name=K, servers=("B",)),)

CREATE, PUT_IF_ABSENT, REPLACE = OperationKind.CREATE, OperationKind.PUT_IF_ABSENT, OperationKind.REPLACE
REPLACE_IF_EQUAL, REMOVE_IF_EQUAL = OperationKind.REPLACE_IF_EQUAL, OperationKind.REMOVE_IF_EQUAL


def _shown(s: Stage, key: str, *operations: Operation) -> None:
    """All members hold what the last of these leaves, and each listener has received just these."""
    s.settle()
    s.all_hold(key, operations[-1] if operations else None)
    for member in s.members:
        s.log_is(member, key, *operations)


@scenario("EXT-COND-01", needs=EXPECTS)
def what_expects_another_value_changes_nothing(s: Stage) -> None:
    """An entry has a later value than is expected, and another one is not there."""
    old, kept = s.put(s.low, "x"), s.put(s.mid, "x")
    s.settle()
    s.all_hold("x", kept)
    for member in s.members:
        for kind in (REPLACE_IF_EQUAL, REMOVE_IF_EQUAL):
            s.compare(member, kind, "x", old, changes=False)
            s.compare(member, kind, "y", old, changes=False)
    _shown(s, "x", old, kept)
    _shown(s, "y")


@scenario("EXT-COND-01", needs=EXPECTS)
def what_finds_the_value_that_it_expects_changes_it(s: Stage) -> None:
    for member in s.members:
        put = s.put(s.mid, member)
        s.settle()
        replaced = s.compare(member, REPLACE_IF_EQUAL, member, put, changes=True)
        s.settle()
        s.all_hold(member, replaced)
        removed = s.compare(member, REMOVE_IF_EQUAL, member, replaced, changes=True)
        _shown(s, member, put, replaced, removed)


@scenario("EXT-COND-02", needs=())
def a_put_if_absent_stores_where_no_value_is(s: Stage) -> None:
    for member in s.members:
        stored = s.do(member, PUT_IF_ABSENT, member)
        s.settle()
        for other in s.members:
            s.do(other, PUT_IF_ABSENT, member)
        _shown(s, member, stored)


@scenario("EXT-COND-03", needs=())
def a_replace_stores_where_a_value_is(s: Stage) -> None:
    for member in s.members:
        s.do(member, REPLACE, member)
        _shown(s, member)
        put = s.put(s.mid, member)
        s.settle()
        replaced = s.do(member, REPLACE, member)
        _shown(s, member, put, replaced)


@scenario("EXT-COND-04", needs=())
def what_stood_there_is_brought_back(s: Stage) -> None:
    """Both operations, on a key that is not there and on one that is, from each member."""
    for member in s.members:
        s.brings(s.start(member, REPLACE, member), None)
        found = s.brings(s.start(member, PUT_IF_ABSENT, member), None)
        s.settle()
        for other in s.members:
            s.brings(s.start(other, PUT_IF_ABSENT, member), found.token)
            found = s.brings(s.start(other, REPLACE, member), found.token)
            s.settle()
        s.all_hold(member, found)


@scenario("EXT-COND-02", "EXT-COND-03", "EXT-COND-04", needs=CLIENTS, clients=ONE, registers=False)
def a_client_finds_what_its_server_holds(s: Stage) -> None:
    """A client that holds nothing puts if absent and replaces where its server has a value, and has none."""
    held = s.put(s.low, "x")
    s.settle()
    s.brings(s.start(K, PUT_IF_ABSENT, "x"), held.token)
    s.settle()
    s.all_hold("x", held)
    replaced = s.brings(s.start(K, REPLACE, "x"), held.token)
    s.brings(s.start(K, REPLACE, "y"), None)
    s.settle()
    s.all_hold("x", replaced)
    s.all_hold("y", None)
    stored = s.brings(s.start(K, PUT_IF_ABSENT, "y"), None)
    s.settle()
    s.all_hold("y", stored)


@partitioned("EXT-COND-02", "EXT-COND-03", "EXT-COND-04", "EXT-COND-05")
def each_member_finds_what_the_primary_of_a_key_holds(s: BucketStage) -> None:
    """In a partitioned region members call on keys that they hold and on keys that they do not."""
    for key in s.members:
        last = s.brings(s.start(key, PUT_IF_ABSENT, key), None)
        for member in s.members:
            s.brings(s.start(member, PUT_IF_ABSENT, key), last.token)
            last = s.brings(s.start(member, REPLACE, key), last.token)
            s.do(member, CREATE, key, expect=Status.EXISTS)
            s.brings(s.start(member, REPLACE, f"{key}0"), None)
        s.settle()
        for holder in s.holders(key):
            s.holds(holder, key, last)
        s.all_hold(f"{key}0", None)


@scenario("EXT-COND-05", needs=())
def a_create_fails_where_a_value_is(s: Stage) -> None:
    for member in s.members:
        created = s.do(member, CREATE, member)
        s.settle()
        for other in s.members:
            s.do(other, CREATE, member, expect=Status.EXISTS)
        _shown(s, member, created)


@scenario("EXT-COND-06", needs=())
def a_key_without_a_value_is_still_there(s: Stage) -> None:
    s.put(s.low, "x")
    s.do(s.mid, OperationKind.INVALIDATE, "x")
    s.settle()
    for member in s.members:
        s.brings(s.start(member, OperationKind.CONTAINS_KEY, "x"), "true")
        s.brings(s.start(member, OperationKind.CONTAINS_KEY, "y"), "false")
        s.brings(s.start(member, OperationKind.GET, "x"), None)
    s.all_hold_invalid("x")


@scenario("EXT-TX-01", needs=TX)
def a_transaction_finds_what_it_has_changed_itself(s: Stage) -> None:
    """One key is put and another destroyed in a transaction, which reads both and is rolled back."""
    held = s.put(s.low, "x")
    s.settle()
    for member in s.members:
        thread, (put, _) = begun(s, member, (OperationKind.PUT, "y"), (OperationKind.DESTROY, "x"))
        s.all_hold("x", held)
        s.all_hold("y", None)
        s.brings(s.start(member, OperationKind.GET, "y", thread=thread), put.token)
        s.brings(s.start(member, OperationKind.GET, "x", thread=thread), None)
        s.do(member, ROLLBACK, "", thread=thread)
        s.settle()
        s.all_hold("x", held)
        s.all_hold("y", None)


@scenario("EXT-BULK-01", needs=BULKS)
def each_entry_of_an_operation_on_many_keys_is_carried_out(s: Stage) -> None:
    """All keys are put and one is put again; then all are removed but one, and one that is not there."""
    for member in s.members:
        keys = tuple(f"{name} of {member}" for name in "xyz")
        put = dict(zip(keys, s.bulk(member, OperationKind.PUT_ALL, *keys), strict=True))
        s.settle()
        for key, operation in put.items():
            s.all_hold(key, operation)
        again = s.bulk(s.mid, OperationKind.PUT_ALL, *keys[:2])
        s.settle()
        _, *gone = s.bulk(member, OperationKind.REMOVE_ALL, "lacking", *keys[:2])
        for key, then, last in zip(keys, again, gone, strict=False):
            _shown(s, key, put[key], then, last)
        _shown(s, keys[2], put[keys[2]])


@scenario("EXT-BULK-02", needs=BULKS)
def a_key_that_is_not_there_is_removed_beside_others_in_silence(s: Stage) -> None:
    """Of two keys one was never there, and one is there no more."""
    for member in s.members:
        names = [f"{name} of {member}" for name in ("x", "never", "no more")]
        held, put = s.put(s.low, names[0]), s.put(s.mid, names[2])
        gone = s.do(s.high, OperationKind.DESTROY, names[2])
        s.settle()
        removed, *_ = s.bulk(member, OperationKind.REMOVE_ALL, *names)
        _shown(s, names[0], held, removed)
        _shown(s, names[1])
        _shown(s, names[2], put, gone)


@scenario("EXT-BULK-01", needs=(*BULKS, *CLIENTS), clients=ONE)
def each_entry_of_many_reaches_a_client_as_an_event_of_its_own(s: Stage) -> None:
    keys = ("x", "y", "z")
    put = s.bulk(s.low, OperationKind.PUT_ALL, *keys)
    s.settle()
    gone = s.bulk("B", OperationKind.REMOVE_ALL, *keys)
    s.settle()
    for key, first, then in zip(keys, put, gone, strict=True):
        s.everybody_holds(key, None)
        s.log_is(K, key, first, then)
