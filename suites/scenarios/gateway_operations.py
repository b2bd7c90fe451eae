"""What crosses from one site to another, and what does not (document 000, Operation Distribution)."""

from __future__ import annotations

from plumbline.reference.capabilities import Capability
from plumbline.reference.operations import OperationKind, Status
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import Sites

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


@between_sites("WAN-OPS-05", "WAN-OPS-04")
def gets_and_invalidations_stay(stage: Sites) -> None:
    """What one site reads and invalidates keeps its value at the other, and nobody there is told."""
    put = stage.put(stage.here[0], "x")
    stage.settle()
    stage.reads_only(stage.get(stage.primary(), "x"), (put,))
    invalidated = stage.do(stage.here[0], OperationKind.INVALIDATE, "x")
    stage.settle()
    stage.site_holds(stage.here, "x", invalidated)
    stage.site_holds(stage.there, "x", put)
    for member in stage.there:
        stage.log_is(member, "x", put)


@between_sites("WAN-CFG-01")
def only_attached_regions_cross(stage: Sites) -> None:
    """Of two regions the one that a sender is attached to is distributed, and nothing of the other."""
    for member in stage.here:
        put = stage.put(member, f"x{member}")
        apart = stage.put_apart(member, f"y{member}")
        stage.settle()
        stage.both_sites_hold(f"x{member}", put)
        for near in stage.here:
            stage.holds_apart(near, f"y{member}", apart)
        for far in stage.there:
            stage.holds_apart(far, f"y{member}", None)
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


@between_sites("WAN-OPS-06", needs=(Capability.LOCAL_OPERATIONS, Capability.QUEUE_INSPECTION))
def local_destroys_stay(stage: Sites) -> None:
    """What one member destroys for itself alone stays at the other site, and nobody there is told."""
    put = stage.put(stage.here[0], "x")
    stage.settle()
    # A system may refuse this of a replicate; then there is nothing to send all the more.
    stage.do(stage.primary(), OperationKind.LOCAL_DESTROY, "x", expect=None)
    after = stage.put(stage.here[0], "y")
    stage.settle()
    stage.site_holds(stage.there, "x", put)
    stage.both_sites_hold("y", after)
    for member in stage.there:
        stage.log_is(member, "x", put)


@between_sites("WAN-OPS-07", needs=(Capability.CONFIGURATION,))
def what_expires_at_one_site_stays_at_the_other(stage: Sites) -> None:
    """An entry expires, its region invalidates or destroys it; the other site keeps it, and is not told."""
    for member in stage.here:
        for kind in (OperationKind.EXPIRE_INVALIDATE, OperationKind.EXPIRE_DESTROY):
            key = f"{kind} {member}"
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


@between_sites("WAN-OPS-07", needs=(Capability.CONFIGURATION, *CRASHES))
def what_has_expired_is_not_sent_by_who_takes_over_either(stage: Sites) -> None:
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
