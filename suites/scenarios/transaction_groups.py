"""Senders that group transactions: what a batch takes, and what leaves the queue with it.

An extension. Where time can be held, a batch of two events leaves at once when it is full, and what is behind
it stays until a minute is over. Elsewhere a receiver stands in its listener, and the queue holds what is not
answered.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.suites.scenarios.mismatch import MismatchError, in_words
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import Sites
from plumbline.suites.scenarios.transactions import begun, committed, ends_well

PUT, DESTROY, COMMIT = OperationKind.PUT, OperationKind.DESTROY, OperationKind.TX_COMMIT
TIME = (Capability.VIRTUAL_TIME,)
MINUTE = 60_000
GATES = (Capability.LISTENER_GATES, Capability.QUEUE_INSPECTION)
DEATHS = (Capability.MEMBER_FAULTS, Capability.QUEUE_INSPECTION)


def _puts(stage: Sites, member: str, *keys: str) -> list[Operation]:
    """A transaction that puts these keys and is committed."""
    return committed(stage, member, *((PUT, key) for key in keys))


def _hold_back(stage: Sites) -> None:
    """Site 1 sends nothing from here on."""
    stage.pause()
    stage.settle()


def _first_batch_is(stage: Sites, sent: list[Operation], *not_yet: Operation) -> None:
    """Site 1 goes on while time stands: site 2 comes to hold these, and none of the others."""
    stage.settle()
    stage.resume()
    stage.settle()
    for operation in sent:
        destroys = operation.kind is DESTROY
        stage.site_holds(stage.there, operation.key, None if destroys else operation)
    for operation in not_yet:
        stage.site_holds(stage.there, operation.key, None)


def _all_cross(stage: Sites, *operations: Operation) -> None:
    """The members of site 2 receive each of these, and hold what they have put."""
    stage.settle()
    for operation in operations:
        stage.site_holds(stage.there, operation.key, operation)
        for member in stage.there:
            stage.told_in_order(member, operation.key, operation)


@between_sites("EXT-GROUP-01", "EXT-GROUP-02", needs=TIME, batch_size=2, interval_ms=MINUTE, here=1, groups=1)
def a_batch_takes_a_transaction_whole(stage: Sites) -> None:
    """A put is queued behind a transaction of three: the first batch takes the transaction alone."""
    stage.hold_time()
    _hold_back(stage)
    transaction = _puts(stage, stage.here[0], "x", "y", "z")
    behind = stage.put(stage.here[0], "w")
    _first_batch_is(stage, transaction, behind)
    stage.leap(MINUTE)
    _all_cross(stage, *transaction, behind)


@between_sites("EXT-GROUP-01", needs=TIME, batch_size=2, interval_ms=MINUTE, groups=1)
def a_transaction_that_creates_updates_and_destroys_is_sent_at_once(stage: Sites) -> None:
    """A transaction of three operations of any kind is in the first batch of two events."""
    before = [stage.put(stage.here[0], key) for key in ("x", "y")]
    stage.settle()
    stage.hold_time()
    _hold_back(stage)
    update, destroy, create = committed(stage, stage.here[1], (PUT, "x"), (DESTROY, "y"), (PUT, "z"))
    behind = stage.put(stage.here[0], "w")
    _first_batch_is(stage, [update, destroy, create], behind)
    stage.leap(MINUTE)
    _all_cross(stage, create, behind)
    for member in stage.there:
        stage.log_is(member, "x", before[0], update)
        stage.log_is(member, "y", before[1], destroy)


@between_sites("EXT-GROUP-01", needs=(*TIME, *DEATHS), batch_size=2, interval_ms=MINUTE, groups=1)
def a_new_primary_sends_a_transaction_whole(stage: Sites) -> None:
    """The primary dies with a transaction in its queue: the first batch of the new one takes all of it."""
    primary, other = stage.primary(), stage.secondary()
    stage.hold_time()
    _hold_back(stage)
    transaction = _puts(stage, other, "x", "y", "z")
    behind = stage.put(other, "w")
    stage.settle()
    stage.crash(primary)
    _first_batch_is(stage, transaction, behind)
    stage.leap(MINUTE)
    _all_cross(stage, *transaction, behind)


@between_sites("EXT-GROUP-02", needs=TIME, batch_size=2, interval_ms=MINUTE, here=1, groups=1)
def a_batch_takes_one_transaction_and_leaves_the_next(stage: Sites) -> None:
    """A transaction of two puts and one of a single put are queued: the first batch leaves the second."""
    stage.hold_time()
    _hold_back(stage)
    first = _puts(stage, stage.here[0], "v", "w")
    second = _puts(stage, stage.here[0], "x")
    _first_batch_is(stage, first, *second)
    stage.leap(MINUTE)
    _all_cross(stage, *first, *second)


@between_sites("EXT-GROUP-02", needs=TIME, batch_size=2, interval_ms=MINUTE, groups=1)
def what_is_in_no_transaction_is_sent_by_the_size_of_a_batch(stage: Sites) -> None:
    """One thread puts three keys without a transaction: the first batch takes two of them."""
    stage.hold_time()
    _hold_back(stage)
    *first, last = (stage.put(stage.here[0], key, thread="one") for key in ("x", "y", "z"))
    _first_batch_is(stage, first, last)
    stage.leap(MINUTE)
    _all_cross(stage, *first, last)


def _held(stage: Sites, thread: str, member: str, *held: tuple[str, str]) -> list[Operation]:
    """Puts of an open transaction, each held at a member when it is committed and gets there."""
    operations = []
    for key, at in held:
        operations.append(stage.hold(at, member, key, thread=thread))
        stage.finish(operations[-1])
    return operations


def _standing(stage: Sites, at: str, operations: list[Operation]) -> Operation:
    """The one of these that comes to stand in the listener of a member."""
    found = next((one for one in operations if stage.comes_to_stand(at, one)), None)
    if found is None:
        raise MismatchError(
            f"one of {in_words(one.token for one in operations)} to reach the listener of {at}", "none did"
        )
    return found


def _with_a_put_between(stage: Sites, primary: str, *keys: str) -> tuple[list[Operation], Operation]:
    """A transaction of which the primary queues a put of another thread's before the last event.

    The primary's listener stands at each event of it but the last, one after the other, until that is put.
    """
    (other,) = (member for member in stage.here if member != primary)
    thread, _ = begun(stage, other)
    transaction = _held(stage, thread, other, *((key, primary) for key in keys))
    commit = stage.start(other, COMMIT, "", thread=thread)
    waiting = list(transaction)
    standing = _standing(stage, primary, waiting)
    for _ in keys[2:]:
        waiting.remove(standing)
        stage.release(standing)
        standing = _standing(stage, primary, waiting)
    between = stage.put(primary, "between")
    for operation in transaction:
        stage.release(operation)
    ends_well(stage, commit)
    return transaction, between


@between_sites("EXT-GROUP-03", needs=GATES, batch_size=1, groups=1)
def what_a_batch_passes_over_is_sent_behind_it(stage: Sites) -> None:
    """A put is queued between the two events of a transaction: it crosses, though a batch passes over it."""
    _hold_back(stage)
    transaction, between = _with_a_put_between(stage, stage.primary(), "x", "y")
    behind = stage.put(stage.here[0], "behind")
    stage.resume()
    _all_cross(stage, *transaction, between, behind)
    for member in stage.here:
        stage.depth_is(member, 0)


@between_sites("EXT-GROUP-03", needs=(*GATES, *TIME, *DEATHS), batch_size=2, interval_ms=MINUTE, groups=1)
def a_new_primary_sends_what_a_batch_has_passed_over(stage: Sites) -> None:
    """The primary has sent a transaction, and dies before it sends the put that it has passed over."""
    primary = stage.primary()
    stage.hold_time()
    _hold_back(stage)
    transaction, between = _with_a_put_between(stage, primary, "x", "y", "z")
    stage.settle()
    stage.resume()
    stage.settle()
    stage.crash(primary)
    stage.settle()
    stage.leap(MINUTE)
    _all_cross(stage, *transaction, between)


def _stands_within(stage: Sites, sender: str, at: str) -> tuple[list[Operation], Operation, Operation]:
    """A transaction of three puts, a put behind it, and which of the three the receiver has yet to leave.

    It has applied one of them by then.
    """
    stage.receive_at(at)
    _hold_back(stage)
    thread, _ = begun(stage, sender)
    transaction = _held(stage, thread, sender, *((key, at) for key in ("x", "y", "z")))
    ends_well(stage, stage.start(sender, COMMIT, "", thread=thread))
    behind = stage.put(sender, "w")
    stage.resume()
    first = _standing(stage, at, transaction)
    stage.release(first)
    rest = [one for one in transaction if one is not first]
    return transaction, behind, _standing(stage, at, rest)


@between_sites("EXT-GROUP-04", "EXT-GROUP-01", needs=GATES, batch_size=1, here=1, groups=1)
def a_transaction_leaves_its_queue_when_all_of_it_is_applied(stage: Sites) -> None:
    """The receiver stands in its listener when it has applied a part: the queue holds the whole meanwhile."""
    primary = stage.primary()
    transaction, behind, _ = _stands_within(stage, primary, stage.there[0])
    stage.settle_around()
    stage.depth_is(primary, len([*transaction, behind]))
    for operation in transaction:
        stage.release(operation)
    _all_cross(stage, *transaction, behind)
    stage.depth_is(primary, 0)


@between_sites(
    "EXT-GROUP-04", "EXT-GROUP-01", needs=(*GATES, Capability.MEMBER_FAULTS), batch_size=1, groups=1
)
def a_new_primary_inherits_a_transaction_whole(stage: Sites) -> None:
    """The primary dies when the receiver has applied a part: the copy of the new primary holds the whole."""
    primary, other = stage.primary(), stage.secondary()
    transaction, behind, _ = _stands_within(stage, primary, stage.there[0])
    stage.pause()
    stage.settle_around()
    stage.crash(primary)
    stage.depth_is(other, len([*transaction, behind]))
    for operation in transaction:
        stage.release(operation)
    stage.resume()
    _all_cross(stage, *transaction, behind)


@between_sites("EXT-GROUP-05", needs=TIME, batch_size=2, interval_ms=MINUTE, here=1, groups=2)
def the_sender_of_the_other_site_splits_transactions(stage: Sites) -> None:
    """Site 1, whose sender does not group transactions, commits three puts: its first batch takes two."""
    stage.hold_time()
    _hold_back(stage)
    transaction = _puts(stage, stage.here[0], "x", "y", "z")
    stage.settle()
    stage.resume()
    stage.settle()
    arrived = [one for one in transaction if stage.has(stage.there[0], one.key, one)]
    size = 2
    if len(arrived) != size:
        raise MismatchError(
            "two events of the transaction to come to site 2", in_words(one.token for one in arrived)
        )
    stage.leap(MINUTE)
    _all_cross(stage, *transaction)
