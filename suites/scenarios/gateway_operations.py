"""What crosses from one site to another, and what does not (document 000, Operation Distribution)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, OperationKind, Status
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import APART, SECOND, Sites
from plumbline.suites.scenarios.transactions import begun, committed

OF_SITE_2 = (Client(name="K", servers=("C",)), Client(name="L", servers=("D",)))
"""A client of each member of the second site."""

LOCAL = (Capability.LOCAL_OPERATIONS, Capability.QUEUE_INSPECTION)
CRASHES = (Capability.QUEUE_INSPECTION, Capability.MEMBER_FAULTS)


@between_sites("WAN-OPS-01", "WAN-OPS-02", "WAN-OPS-03")
def creates_updates_and_destroys_cross(stage: Sites) -> None:
    """What one site creates, updates and destroys is created, updated and destroyed at the other."""
    created = stage.do(stage.here[1], OperationKind.CREATE, "x")
    stage.settle()
    stage.both_sites_hold("x", created)
    updated = stage.put(stage.here[0], "x")
    stage.settle()
    stage.both_sites_hold("x", updated)
    destroyed = stage.do(stage.here[1], OperationKind.DESTROY, "x")
    stage.settle()
    stage.both_sites_hold("x", None)
    for member in stage.there:
        stage.log_is(member, "x", created, updated, destroyed)


@between_sites("S2C-OPS-07", clients=OF_SITE_2)
def clients_receive_what_comes_through_a_gateway(stage: Sites) -> None:
    """What one site writes reaches the clients of both servers at the other."""
    events = [stage.put(member, "x") for member in stage.here]
    events.append(stage.do(stage.here[0], OperationKind.DESTROY, "x"))
    stage.settle()
    for client in OF_SITE_2:
        stage.log_is(client.name, "x", *events)
        stage.holds(client.name, "x", None)


@between_sites("WAN-OPS-05", "WAN-OPS-04")
def gets_and_invalidations_stay(stage: Sites) -> None:
    """What one site reads and invalidates keeps its value at the other, and no listener there shows it."""
    put = stage.put(stage.here[0], "x")
    stage.settle()
    stage.reads_only(stage.get(stage.primary(), "x"), (put,))
    invalidated = stage.do(stage.here[0], OperationKind.INVALIDATE, "x")
    stage.settle()
    stage.site_holds(stage.here, "x", invalidated)
    stage.site_holds(stage.there, "x", put)
    for member in stage.there:
        stage.log_is(member, "x", put)


@between_sites("WAN-OPS-04")
def gets_of_what_is_absent_stay(stage: Sites) -> None:
    """A get finds nothing at one site while the other has the key: it stays there, unseen by listeners."""
    for member in stage.here:
        key = f"x{member}"
        stage.pause(*stage.there)
        put = stage.put(stage.there[0], key)
        stage.finds_nothing(member, key)
        stage.settle()
        stage.site_holds(stage.there, key, put)
        stage.resume(*stage.there)
        stage.settle()
        stage.both_sites_hold(key, put)
        for far in stage.there:
            stage.log_is(far, key, put)


@between_sites("WAN-OPS-03", needs=(Capability.LISTENER_GATES,))
def a_destroy_of_what_the_other_site_lacks_harms_no_batch(stage: Sites) -> None:
    """Both sites destroy a key, and hear of it later; the other events of the batch arrive.

    The receiver is held at the first of the batch, so that all of it has arrived.
    """
    receiver = stage.there[1]
    stage.receive_at(receiver)
    stage.put(stage.here[0], "x")
    stage.settle()
    stage.pause(*stage.here, *stage.there)
    stage.do(stage.there[0], OperationKind.DESTROY, "x")
    before = stage.hold(receiver, stage.here[0], "before")
    stage.finish(before)
    gone = stage.do(stage.here[1], OperationKind.DESTROY, "x")
    behind = [stage.put(member, "behind") for member in stage.here]
    stage.resume(*stage.here, *stage.there)
    stage.stands(receiver, before)
    stage.settle()
    stage.both_sites_hold("before", before)
    stage.both_sites_hold("x", gone)
    stage.both_sites_hold("behind", behind[-1])
    for member in stage.there:
        stage.log_is(member, "behind", *behind)


@between_sites("WAN-CFG-01", also=(SECOND,))
def only_attached_regions_cross(stage: Sites) -> None:
    """Of three regions two are attached to one sender and distributed, and nothing of the third."""
    for member in stage.here:
        put = stage.put(member, f"x{member}")
        second = stage.put_in(SECOND, member, f"z{member}")
        apart = stage.put_in(APART, member, f"y{member}")
        stage.settle()
        stage.both_sites_hold(f"x{member}", put)
        for near in stage.here:
            stage.holds_in(APART, near, f"y{member}", apart)
        for far in stage.there:
            stage.holds_in(SECOND, far, f"z{member}", second)
            stage.log_is(far, f"z{member}", second)
            stage.holds_in(APART, far, f"y{member}", None)
            stage.log_is(far, f"y{member}")


@between_sites("WAN-OPS-02", needs=(Capability.LINK_FAULTS,), clocks=True)
def the_update_of_a_key_that_the_other_site_lacks_is_stored(stage: Sites) -> None:
    """Site 2 has destroyed a key, and site 1 has not heard of it when it updates the key later."""
    stage.put(stage.here[0], "x")
    stage.settle()
    stage.cut_back()
    stage.do(stage.there[0], OperationKind.DESTROY, "x")
    stage.let_clocks_pass()
    updated = stage.put(stage.here[0], "x")
    stage.settle()
    stage.both_sites_hold("x", updated)
    stage.heal_back()
    stage.settle()
    stage.both_sites_hold("x", updated)


def _stays(stage: Sites, kind: OperationKind, name: str = "", turns: int = 1) -> None:
    """A local operation of one member leaves the other site as it is, and no listener there shows it."""
    for turn in range(turns):
        key = f"{name}x{turn}"
        put = stage.put(stage.here[0], key)
        stage.settle()
        # A system may refuse this of a replicate; then there is nothing to send all the more.
        nameless = kind in (OperationKind.LOCAL_CLEAR, OperationKind.EVICT)
        stage.do(stage.primary(), kind, "" if nameless else key, expect=None)
        after = stage.put(stage.here[0], f"after {key}")
        stage.settle()
        stage.site_holds(stage.there, key, put)
        stage.both_sites_hold(f"after {key}", after)
        for member in stage.there:
            stage.log_is(member, key, put)


@between_sites("WAN-OPS-06", needs=LOCAL)
def local_destroys_stay(stage: Sites) -> None:
    """What one member destroys for itself alone stays at the other site."""
    _stays(stage, OperationKind.LOCAL_DESTROY)


@between_sites("WAN-OPS-05", needs=LOCAL)
def local_invalidations_stay(stage: Sites) -> None:
    """What one member invalidates for itself alone keeps its value at the other site."""
    _stays(stage, OperationKind.LOCAL_INVALIDATE)


@between_sites("WAN-OPS-06", needs=(*LOCAL, Capability.CLEAR))
def what_a_member_clears_for_itself_stays(stage: Sites) -> None:
    """All that a member holds goes at once, as in an eviction; the other site keeps its own."""
    _stays(stage, OperationKind.LOCAL_CLEAR, turns=4)


@between_sites("WAN-OPS-06", needs=(Capability.EVICTION, Capability.QUEUE_INSPECTION))
def what_a_member_evicts_stays(stage: Sites) -> None:
    """What one member evicts to make room stays at the other site."""
    _stays(stage, OperationKind.EVICT, turns=2)


@between_sites("WAN-OPS-07", needs=(Capability.LOCAL_EXPIRATION, Capability.QUEUE_INSPECTION))
def what_expires_on_one_member_alone_stays(stage: Sites) -> None:
    """What expires on one member by a local action keeps its value at the other site."""
    for kind in (OperationKind.EXPIRE_LOCAL_DESTROY, OperationKind.EXPIRE_LOCAL_INVALIDATE):
        _stays(stage, kind, f"{kind} ")


@between_sites("WAN-OPS-07", needs=(Capability.CONFIGURATION,))
def what_expires_at_one_site_stays_at_the_other(stage: Sites) -> None:
    """An entry expires, its region invalidates or destroys it; the other site keeps it, and is not told."""
    for member in stage.here:
        for kind in (OperationKind.EXPIRE_INVALIDATE, OperationKind.EXPIRE_DESTROY):
            _expires_here(stage, member, kind, f"{kind} {member}")


def _expires_here(stage: Sites, member: str, kind: OperationKind, key: str) -> None:
    put = stage.put(stage.here[0], key)
    stage.settle()
    expired = stage.expires(member, kind, key)
    after = stage.put(stage.here[0], f"after {key}")
    stage.settle()
    stage.site_holds(stage.here, key, expired)
    stage.site_holds(stage.there, key, put)
    stage.both_sites_hold(f"after {key}", after)
    for far in stage.there:
        stage.log_is(far, key, put)


@between_sites("WAN-OPS-07", needs=(Capability.CONFIGURATION,))
def what_was_idle_at_one_site_stays_at_the_other(stage: Sites) -> None:
    """An entry was idle for too long, its region invalidates or destroys it; the other site keeps it."""
    for member in stage.here:
        for kind in (OperationKind.IDLE_INVALIDATE, OperationKind.IDLE_DESTROY):
            _expires_here(stage, member, kind, f"{kind} {member}")


@between_sites("WAN-OPS-07", needs=(Capability.CONFIGURATION,))
def a_region_that_expires_at_one_site_stays_at_the_other(stage: Sites) -> None:
    """The time of a whole region is over, and it is invalidated; the other site keeps all values."""
    for member in stage.here:
        put = stage.put(stage.here[0], f"x {member}")
        stage.settle()
        expired = stage.on_region(member, OperationKind.EXPIRE_INVALIDATE_REGION)
        stage.settle()
        stage.site_holds(stage.here, put.key, expired)
        stage.site_holds(stage.there, put.key, put)
        after = stage.put(stage.here[0], f"after {member}")
        stage.settle()
        stage.both_sites_hold(after.key, after)
        for far in stage.there:
            stage.log_is(far, put.key, put)


@between_sites("WAN-OPS-07", needs=(Capability.CONFIGURATION, *CRASHES))
def expired_events_are_not_sent_by_the_new_primary_either(stage: Sites) -> None:
    """Entries expire on each member; then the primary dies, and the other sends what it has records of."""
    primary, secondary = stage.primary(), stage.secondary()
    puts = {}
    for member in (primary, secondary):
        for kind in (OperationKind.EXPIRE_INVALIDATE, OperationKind.EXPIRE_DESTROY):
            puts[member, kind] = stage.put(secondary, f"{kind} {member}")
    stage.settle()
    for member, kind in puts:
        stage.expires(member, kind, f"{kind} {member}")
    stage.settle()
    stage.crash(primary)
    stage.settle()
    after = stage.put(secondary, "after")
    stage.settle()
    stage.both_sites_hold("after", after)
    for put in puts.values():
        stage.site_holds(stage.there, put.key, put)
        for far in stage.there:
            stage.told_in_order(far, put.key, put)


@between_sites("WAN-OPS-09")
def conditional_operations_cross_when_they_apply(stage: Sites) -> None:
    """Of what depends on a key being there, or not, the other site is told where it was done only."""
    for member in stage.here:
        key = f"x{member}"
        stage.do(member, OperationKind.REPLACE, key)
        stage.settle()
        stage.both_sites_hold(key, None)
        stored = stage.do(member, OperationKind.PUT_IF_ABSENT, key)
        stage.do(member, OperationKind.PUT_IF_ABSENT, key)
        stage.settle()
        stage.both_sites_hold(key, stored)
        replaced = stage.do(member, OperationKind.REPLACE, key)
        stage.settle()
        stage.both_sites_hold(key, replaced)
        for far in stage.there:
            stage.log_is(far, key, stored, replaced)


@between_sites("WAN-OPS-09", needs=(Capability.BULK_OPERATIONS,))
def an_operation_on_many_keys_crosses_entry_by_entry(stage: Sites) -> None:
    """Of what is put and removed under many keys at once the other site is told, of each key once."""
    for member in stage.here:
        keys = tuple(f"{name}{member}" for name in "xyz")
        lacking = f"w{member}"
        puts = stage.bulk(member, OperationKind.PUT_ALL, *keys)
        stage.settle()
        for put in puts:
            stage.both_sites_hold(put.key, put)
        *removals, _ = stage.bulk(member, OperationKind.REMOVE_ALL, *keys[:2], lacking)
        stage.settle()
        gone = {removal.key: removal for removal in removals}
        for far in stage.there:
            stage.log_is(far, lacking)
            for put in puts:
                stage.log_is(far, put.key, put, *filter(None, [gone.get(put.key)]))
        for put in puts:
            stage.both_sites_hold(put.key, gone.get(put.key, put))


@between_sites("WAN-OPS-10")
def what_changes_nothing_does_not_cross(stage: Sites) -> None:
    """A create of a key that is there, and a destroy of one that is not, leave the other site alone."""
    put = stage.put(stage.here[0], "x")
    stage.settle()
    for member in stage.here:
        stage.do(member, OperationKind.CREATE, "x", expect=Status.EXISTS)
        stage.do(member, OperationKind.DESTROY, "y", expect=Status.ABSENT)
        stage.do(member, OperationKind.PUT_IF_ABSENT, "x")
    after = stage.put(stage.here[0], "z")
    stage.settle()
    stage.both_sites_hold("x", put)
    stage.both_sites_hold("y", None)
    stage.both_sites_hold("z", after)
    for member in stage.there:
        stage.log_is(member, "x", put)
        stage.log_is(member, "y")


@between_sites("WAN-OPS-10", "WAN-OPS-09", needs=(Capability.CONDITIONAL_OPERATIONS,))
def what_finds_another_value_than_expected_does_not_cross(stage: Sites) -> None:
    """A replace and a remove cross where the entry holds the value that they expect, and only there."""
    for member in stage.here:
        key, lacking = f"x{member}", f"y{member}"
        old = stage.put(member, key)
        new = stage.put(member, key)
        stage.settle()
        for kind in (OperationKind.REPLACE_IF_EQUAL, OperationKind.REMOVE_IF_EQUAL):
            stage.compare(member, kind, key, old, changes=False)
            stage.compare(member, kind, lacking, old, changes=False)
        after = stage.put(member, f"after {key}")
        stage.settle()
        stage.both_sites_hold(key, new)
        stage.both_sites_hold(lacking, None)
        stage.both_sites_hold(f"after {key}", after)
        replaced = stage.compare(member, OperationKind.REPLACE_IF_EQUAL, key, new, changes=True)
        stage.settle()
        stage.both_sites_hold(key, replaced)
        removed = stage.compare(member, OperationKind.REMOVE_IF_EQUAL, key, replaced, changes=True)
        stage.settle()
        stage.both_sites_hold(key, None)
        for far in stage.there:
            stage.log_is(far, key, old, new, replaced, removed)
            stage.log_is(far, lacking)


@between_sites("WAN-OPS-10", needs=(Capability.CALLBACK_SCRIPTS,))
def what_a_cache_writer_vetoes_does_not_cross(stage: Sites) -> None:
    """An update and a destroy that the writer of their member refuses leave the other site alone."""
    for member in stage.here:
        key = f"x{member}"
        put = stage.put(member, key)
        stage.settle()
        stage.refuse(member, key)
        for kind in (OperationKind.PUT, OperationKind.DESTROY):
            stage.do(member, kind, key, expect=Status.FAILED)
        after = stage.put(member, f"after {key}")
        stage.settle()
        stage.both_sites_hold(key, put)
        stage.both_sites_hold(f"after {key}", after)
        for far in stage.there:
            stage.log_is(far, key, put)


@between_sites("WAN-OPS-09", "WAN-OPS-10", needs=(Capability.TRANSACTIONS,))
def a_transaction_crosses_when_it_commits(stage: Sites) -> None:
    """What a transaction has put under two keys crosses behind its commit; after a rollback nothing does."""
    for member in stage.here:
        for ends in (OperationKind.TX_ROLLBACK, OperationKind.TX_COMMIT):
            keys = [f"{key} {ends} {member}" for key in ("x", "y")]
            thread, puts = begun(stage, member, *((OperationKind.PUT, key) for key in keys))
            stage.settle()
            for key in keys:
                stage.site_holds(stage.there, key, None)
            stage.do(member, ends, "", thread=thread)
            stage.settle()
            for key, put in zip(keys, puts, strict=True):
                done = put if ends is OperationKind.TX_COMMIT else None
                stage.both_sites_hold(key, done)
                for far in stage.there:
                    stage.log_is(far, key, *([done] if done else ()))


@between_sites("WAN-OPS-05", needs=(Capability.TRANSACTIONS,))
def an_invalidation_that_a_transaction_commits_stays(stage: Sites) -> None:
    """A transaction invalidates one key and puts another: the other site is sent the put alone."""
    for member in stage.here:
        key, beside = f"x{member}", f"y{member}"
        before = stage.put(member, key)
        stage.settle()
        invalidated, put = committed(
            stage, member, (OperationKind.INVALIDATE, key), (OperationKind.PUT, beside)
        )
        stage.settle()
        stage.site_holds(stage.here, key, invalidated)
        stage.site_holds(stage.there, key, before)
        stage.both_sites_hold(beside, put)
        for far in stage.there:
            stage.log_is(far, key, before)


@between_sites("WAN-OPS-08", "CLEAR-SCOPE-01", needs=(Capability.CLEAR,))
def what_is_done_to_a_whole_region_stays(stage: Sites) -> None:
    """One site invalidates, and clears, its region; the other keeps its own, and is sent what was queued."""
    for kind in (OperationKind.INVALIDATE_REGION, OperationKind.CLEAR):
        kept, queued = f"kept {kind}", f"queued {kind}"
        put = stage.put(stage.here[0], kept)
        stage.settle()
        stage.on_region(stage.here[1], kind)
        stage.settle()
        stage.site_holds(stage.there, kept, put)
        stage.pause()
        behind = stage.put(stage.here[1], queued)
        done = stage.on_region(stage.here[0], kind)
        stage.resume()
        stage.settle()
        for key, operation in ((kept, put), (queued, behind)):
            stage.site_holds(stage.here, key, done)
            stage.site_holds(stage.there, key, operation)
            for member in stage.there:
                stage.log_is(member, key, operation)
        after = stage.put(stage.here[0], "after")
        stage.settle()
        stage.both_sites_hold("after", after)
