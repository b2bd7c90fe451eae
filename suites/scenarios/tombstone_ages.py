"""When tombstones expire, who collects them, and what is counted of it (document 004, L95 to L101).

Time is held, so that calls and background work take none.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import (
    Client,
    HostPolicy,
    OperationKind,
    RegionPolicy,
    Scope,
    TombstoneSettings,
)
from plumbline.suites.scenarios.buckets import BucketStage
from plumbline.suites.scenarios.scenario import partitioned, scenario
from plumbline.suites.scenarios.stage import Stage
from plumbline.suites.scenarios.tombstones import overtaken

DESTROY, PUT = OperationKind.DESTROY, OperationKind.PUT

T = 60_000
"""The time-out that most of them name, in milliseconds."""

NOTICED = 10_000
"""What a member is given besides, to notice that a tombstone has expired."""

AGES = (Capability.TOMBSTONES, Capability.HELD_CLOCKS)
COUNTED = (*AGES, Capability.STATISTICS)
LATE = (*AGES, Capability.LISTENER_GATES)

COUNT, COLLECTIONS = "tombstoneCount", "tombstoneGCCount"
SIZE, OTHER_SIZE = "replicatedTombstonesSize", "nonReplicatedTombstonesSize"


def kept_for(milliseconds: int | None = T, threshold: int | None = 1_000, **own: int) -> TombstoneSettings:
    """Such settings for all members, but for those with a threshold of their own."""
    return TombstoneSettings(
        timeout_ms=milliseconds, threshold=threshold, thresholds=tuple(sorted(own.items()))
    )


def destroyed(s: Stage, *keys: str, region: str = "region") -> None:
    """Keys that were there are destroyed, by one member after the other."""
    for turn, key in enumerate(keys):
        s.do(s.members[turn % len(s.members)], OperationKind.PUT, key, region=region)
        s.do(s.members[(turn + 1) % len(s.members)], DESTROY, key, region=region)


def passes(s: Stage, milliseconds: int) -> None:
    """So much time passes, and what that sets going comes to rest."""
    s.let_pass(milliseconds)
    s.settle()


def goes_after_eight_minutes(s: Stage, holder: str) -> None:
    """The one tombstone of a holder, just made, is there until then and not for longer."""
    passes(s, 479_000)
    s.says(holder, COUNT, 1)
    passes(s, 1_000 + NOTICED)
    s.says(holder, COUNT, 0)


@scenario("TOMB-TTL-02", needs=COUNTED, tombstones=kept_for())
def expired_tombstones_stay_while_nothing_sets_off_a_collection(s: Stage) -> None:
    s.hold_time()
    destroyed(s, "x", "y", "z")
    passes(s, 3 * T)
    s.all_say(COUNT, 3)
    s.all_say(COLLECTIONS, 0)


@scenario("TOMB-TTL-02", needs=COUNTED, tombstones=kept_for(None, 1))
def a_tombstone_expires_after_ten_minutes(s: Stage) -> None:
    s.hold_time()
    destroyed(s, "x")
    passes(s, 599_000)
    s.all_say(COUNT, 1)
    passes(s, 1_000 + NOTICED)
    s.all_say(COUNT, 0)


@scenario("TOMB-TTL-03", needs=LATE, tombstones=kept_for(threshold=1))
def what_is_older_than_a_destroy_is_discarded_until_its_time_is_over(s: Stage) -> None:
    s.hold_time()
    late, gone = overtaken(s)
    s.let_pass(T - 1_000)
    s.release(late)
    s.settle()
    s.all_hold("x", gone)
    s.not_told(s.high, late)


@scenario("TOMB-TTL-03", needs=(*LATE, Capability.STATISTICS), tombstones=kept_for(threshold=2))
def a_collection_leaves_what_has_not_expired(s: Stage) -> None:
    s.hold_time()
    destroyed(s, "y", "z")
    passes(s, T // 2)
    late, gone = overtaken(s)
    s.let_pass(T // 2 + NOTICED)
    s.release(late)
    s.settle()
    s.all_hold("x", gone)
    s.all_say(COUNT, 1)


@scenario("TOMB-TTL-03", needs=COUNTED, tombstones=kept_for(threshold=1))
def what_is_changed_often_in_one_moment_leaves_a_tombstone_that_is_kept(s: Stage) -> None:
    """Timestamps of one key ascend, so that of the tombstone may be ahead of the clock."""
    s.hold_time()
    for member in s.members:
        s.put(member, "x")
    s.do(s.low, DESTROY, "x")
    passes(s, 1)
    s.all_say(COUNT, 1)
    passes(s, T - 1_000)
    s.all_say(COUNT, 1)


@scenario("TOMB-TTL-04", needs=(*LATE, Capability.STATISTICS), tombstones=kept_for(threshold=1, A=2))
def the_age_of_a_tombstone_counts_from_its_destroy(s: Stage) -> None:
    # A collects nothing that the others would hear of: they have to find out themselves.
    s.hold_time()
    s.put("B", "x")
    gone = s.park("A", "A", "x", DESTROY)
    s.let_pass(T)
    s.release(gone)
    s.settle()
    s.let_pass(NOTICED)
    s.settle()
    s.all_hold("x", gone)
    for member in ("B", "C"):
        s.says(member, COUNT, 0)


@scenario("TOMB-TTL-04", needs=(*COUNTED, Capability.MEMBER_FAULTS), tombstones=kept_for(B=1))
def a_tombstone_that_a_member_takes_over_as_it_starts_is_as_old_as_its_destroy(s: Stage) -> None:
    s.hold_time()
    s.put("A", "x")
    s.do("A", DESTROY, "x")
    s.settle()
    s.crash("B")
    s.let_pass(T // 2)
    s.restart("B")
    s.settle()
    s.says("B", COUNT, 1)
    s.let_pass(T // 2 + NOTICED)
    s.settle()
    s.says("B", COUNT, 0)


@scenario("TOMB-GC-01", needs=COUNTED, tombstones=kept_for(threshold=3))
def as_many_expired_tombstones_as_the_threshold_set_off_a_collection(s: Stage) -> None:
    s.hold_time()
    destroyed(s, "x", "y")
    passes(s, T + NOTICED)
    s.all_say(COUNT, 2)
    destroyed(s, "z")
    passes(s, T // 2)
    s.all_say(COUNT, 3)
    passes(s, T // 2 + NOTICED)
    s.all_say(COUNT, 0)


@scenario("TOMB-GC-02", needs=COUNTED, tombstones=kept_for(threshold=2))
def collections_begin_at_the_threshold_that_is_named(s: Stage) -> None:
    s.hold_time()
    destroyed(s, "x", "y")
    passes(s, T + NOTICED)
    s.all_say(COUNT, 0)


@scenario("TOMB-GC-02", "TOMB-GC-01", needs=COUNTED, tombstones=kept_for(threshold=None))
def no_collection_begins_at_a_few_where_no_threshold_is_named(s: Stage) -> None:
    s.hold_time()
    destroyed(s, "x", "y")
    passes(s, T + NOTICED)
    s.all_say(COUNT, 2)


@scenario("TOMB-GC-03", needs=COUNTED, also=("other",), tombstones=kept_for(threshold=4))
def the_threshold_counts_all_regions_of_a_member_together(s: Stage) -> None:
    s.hold_time()
    destroyed(s, "x", "y")
    destroyed(s, "x", region="other")
    passes(s, T + NOTICED)
    s.all_say(COUNT, 3)
    destroyed(s, "y", region="other")
    passes(s, T + NOTICED)
    s.all_say(COUNT, 0)


@scenario("TOMB-GC-04", needs=COUNTED, tombstones=kept_for(A=2))
def what_one_member_collects_the_others_drop_as_well(s: Stage) -> None:
    s.hold_time()
    destroyed(s, "x", "y")
    passes(s, T + NOTICED)
    s.all_say(COUNT, 0)
    # All begin anew: no member refuses an update that starts at version 1.
    s.all_hold("x", s.put("A", "x"))
    s.all_hold("y", s.put("B", "y"))


@scenario("TOMB-GC-04", needs=COUNTED, tombstones=kept_for(A=2))
def a_collection_takes_what_has_expired_elsewhere_before(s: Stage) -> None:
    """The others have had an expired tombstone for a while, too few to collect it, when they are told."""
    s.hold_time()
    destroyed(s, "x")
    passes(s, T // 2)
    destroyed(s, "y")
    passes(s, T // 2 + NOTICED)
    s.all_say(COUNT, 2)
    passes(s, T // 2)
    s.all_say(COUNT, 0)


def created_while_collected(s: Stage, times: int) -> None:
    """A may have collected the key's tombstone; its put holds where other members may still keep one.

    In the random reference one put in twelve overtakes the notice of a collection.
    """
    s.hold_time()
    for _ in range(times):
        s.put("B", "x")
        s.put("C", "x")
        s.do("B", DESTROY, "x")
        s.settle()
        # A may collect at once, and its put overtake what it tells of that.
        s.let_pass(T + NOTICED)
        kept = s.put("A", "x")
        s.settle()
        s.all_hold("x", kept)


@scenario("TOMB-GC-06", needs=AGES, tombstones=kept_for(A=1))
def what_is_created_while_a_collection_is_under_way_is_accepted_everywhere(s: Stage) -> None:
    created_while_collected(s, 48)


@scenario("TOMB-GC-06", needs=AGES, scope=Scope.NO_ACK, tombstones=kept_for(A=1))
def no_member_refuses_an_unacknowledged_create_of_a_collector(s: Stage) -> None:
    created_while_collected(s, 8)


@scenario("TOMB-GC-07", needs=COUNTED, tombstones=kept_for(threshold=1))
def a_collection_spares_what_was_created_since(s: Stage) -> None:
    s.hold_time()
    destroyed(s, "x", "y", "z")
    passes(s, T // 2)
    kept = s.put(s.mid, "x")
    destroyed(s, "z")
    passes(s, T // 2 + NOTICED)
    s.all_hold("x", kept)
    # That of y is collected; that of z is a new one, and has its own full time.
    s.all_say(COUNT, 1)
    passes(s, T // 2)
    s.all_say(COUNT, 0)
    s.all_hold("x", kept)


@scenario("TOMB-GC-07", needs=(*LATE, Capability.STATISTICS), scope=Scope.NO_ACK, tombstones=kept_for(A=1))
def a_collection_spares_tombstones_that_the_collector_lacks(s: Stage) -> None:
    s.hold_time()
    s.put("B", "x")
    s.do("B", DESTROY, "x")
    s.settle()
    s.let_pass(T // 2)
    # Later messages of B's thread wait at A, which collects the tombstone that it knows.
    held = s.park("A", "B", "gate", thread="one thread")
    again = s.start("B", PUT, "x", thread="one thread")
    s.shown_at("C", again)
    gone = s.start("B", DESTROY, "x", thread="one thread")
    s.shown_at("C", gone)
    s.let_pass(T // 2 + NOTICED)
    s.settle()
    for member in ("B", "C"):
        s.says(member, COUNT, 1)
    s.release(held)
    s.settle()
    s.all_hold("x", gone)
    s.all_say(COUNT, 1)


@scenario("STAT-TOMB-01", needs=COUNTED, tombstones=kept_for(threshold=1))
def tombstones_are_counted_as_they_come_and_go(s: Stage) -> None:
    s.hold_time()
    s.all_say(COUNT, 0)
    destroyed(s, "x")
    s.all_say(COUNT, 1)
    s.do(s.mid, DESTROY, "x", expect=None)
    s.all_say(COUNT, 1)
    destroyed(s, "y")
    s.all_say(COUNT, 2)
    s.put(s.high, "x")
    s.all_say(COUNT, 1)
    destroyed(s, "x")
    s.all_say(COUNT, 2)
    passes(s, T + NOTICED)
    s.all_say(COUNT, 0)


@scenario("STAT-TOMB-02", needs=COUNTED, tombstones=kept_for(A=3))
def collections_are_counted_and_not_what_they_take(s: Stage) -> None:
    s.hold_time()
    destroyed(s, "x", "y")
    passes(s, T + NOTICED)
    s.all_say(COLLECTIONS, 0)
    destroyed(s, "z")
    passes(s, T + NOTICED)
    s.says("A", COLLECTIONS, 1)
    # Whether the others count what they are told is not said.
    for member in ("B", "C"):
        s.says(member, COLLECTIONS, 0, 1)


@scenario("STAT-TOMB-03", needs=COUNTED, tombstones=kept_for(threshold=2))
def the_memory_that_tombstones_take_shows_and_goes(s: Stage) -> None:
    s.hold_time()
    s.all_say(SIZE, 0)
    destroyed(s, "x", "y")
    s.all_say(SIZE, 1, 1 << 40)
    s.all_say(OTHER_SIZE, 0)
    passes(s, T + NOTICED)
    s.all_say(SIZE, 0)
    s.all_say(OTHER_SIZE, 0)


LESSER = (HostPolicy("C", RegionPolicy.NORMAL),)
PRELOADED = (HostPolicy("C", RegionPolicy.PRELOADED),)
K = Client(name="K", servers=("B",))
OTHERS = (*COUNTED, Capability.REGION_POLICIES)


def drops_each_when_it_has_expired(s: Stage) -> None:
    s.hold_time()
    s.put("C", "x")
    s.do("C", DESTROY, "x")
    s.settle()
    s.all_say(COUNT, 1)
    s.says("C", OTHER_SIZE, 1, 1 << 40)
    for member, none in (("A", OTHER_SIZE), ("B", OTHER_SIZE), ("C", SIZE)):
        s.says(member, none, 0)
    passes(s, T - 1_000)
    s.all_say(COUNT, 1)
    passes(s, 1_000 + NOTICED)
    s.says("C", COUNT, 0)
    s.says("C", OTHER_SIZE, 0)
    # The replicates keep theirs until something sets off a collection.
    for member in ("A", "B"):
        s.says(member, COUNT, 1)


OF_OTHERS = TombstoneSettings(other_timeout_ms=T, threshold=1_000)


@scenario("TOMB-TTL-01", "STAT-TOMB-03", needs=OTHERS, policies=LESSER, tombstones=OF_OTHERS)
def a_member_that_is_no_replicate_drops_each_tombstone_when_it_has_expired(s: Stage) -> None:
    drops_each_when_it_has_expired(s)


@scenario("TOMB-TTL-01", "STAT-TOMB-03", needs=OTHERS, policies=PRELOADED, tombstones=OF_OTHERS)
def a_preloaded_member_drops_each_tombstone_when_it_has_expired(s: Stage) -> None:
    drops_each_when_it_has_expired(s)


@scenario("TOMB-TTL-01", needs=OTHERS, policies=LESSER, tombstones=kept_for(None, 1_000))
def a_tombstone_of_no_replicate_expires_after_eight_minutes(s: Stage) -> None:
    s.hold_time()
    s.put("C", "x")
    s.do("C", DESTROY, "x")
    goes_after_eight_minutes(s, "C")


@scenario("TOMB-TTL-01", needs=OTHERS, policies=PRELOADED, tombstones=kept_for(None, 1_000))
def a_tombstone_of_a_preloaded_member_expires_after_eight_minutes(s: Stage) -> None:
    s.hold_time()
    s.put("C", "x")
    s.do("C", DESTROY, "x")
    goes_after_eight_minutes(s, "C")


@scenario(
    "TOMB-TTL-01",
    "CONS-CL-03",
    needs=(*COUNTED, Capability.CLIENTS),
    clients=(K,),
    tombstones=kept_for(None, 1_000),
)
def a_client_drops_its_tombstones_after_eight_minutes(s: Stage) -> None:
    s.hold_time()
    s.put("A", "x")
    s.settle()
    s.do("A", DESTROY, "x")
    goes_after_eight_minutes(s, K.name)


@scenario(
    "TOMB-RETAIN-03",
    needs=(Capability.STATISTICS, Capability.REGION_POLICIES, Capability.TOMBSTONES),
    members=4,
    policies=(*LESSER, HostPolicy("D", RegionPolicy.EMPTY)),
)
def every_member_that_stores_an_entry_keeps_a_tombstone_of_it(s: Stage) -> None:
    s.put("C", "x")
    s.do("C", DESTROY, "x")
    s.settle()
    for member, count in (("A", 1), ("B", 1), ("C", 1), ("D", 0)):
        s.says(member, COUNT, count)


LESS_AND_LEAST = (HostPolicy("B", RegionPolicy.PRELOADED), HostPolicy("C", RegionPolicy.NORMAL))


@scenario(
    "TOMB-RETAIN-03",
    needs=(Capability.STATISTICS, Capability.REGION_POLICIES, Capability.TOMBSTONES),
    policies=LESS_AND_LEAST,
)
def a_member_that_is_no_replicate_keeps_a_tombstone_of_remote_destroys(s: Stage) -> None:
    """Of an entry that it holds; whether it hears of one that it lacks is its own affair."""
    for holder in ("B", "C"):
        s.put(holder, holder)
        s.settle()
        s.do("A", DESTROY, holder)
    s.settle()
    s.says("A", COUNT, 2)
    for holder in ("B", "C"):
        s.says(holder, COUNT, 1, 2)


@scenario(
    "TOMB-GC-04",
    needs=OTHERS,
    policies=LESS_AND_LEAST,
    tombstones=TombstoneSettings(timeout_ms=T, other_timeout_ms=10 * T, threshold=1),
)
def a_member_that_is_no_replicate_drops_what_a_replicate_collects(s: Stage) -> None:
    """Long before it would do so by itself."""
    s.hold_time()
    for holder in ("B", "C"):
        s.put(holder, holder)
        s.do("A", DESTROY, holder)
    s.settle()
    for holder in ("B", "C"):
        s.says(holder, COUNT, 1, 2)
    passes(s, T + NOTICED)
    s.all_say(COUNT, 0)


@scenario("TOMB-GC-04", needs=(*COUNTED, Capability.CLIENTS), clients=(K,), tombstones=kept_for(threshold=2))
def a_client_drops_what_its_server_collects(s: Stage) -> None:
    """Long before it would do so by itself."""
    s.hold_time()
    destroyed(s, "x", "y")
    s.settle()
    s.says(K.name, COUNT, 2)
    passes(s, T + NOTICED)
    s.says(K.name, COUNT, 0)
    # Nor does it refuse what begins anew.
    again = s.put("A", "x")
    s.settle()
    s.everybody_holds("x", again)


@partitioned("TOMB-RETAIN-03", needs=(Capability.STATISTICS, Capability.TOMBSTONES))
def only_copies_of_a_bucket_keep_a_tombstone(s: BucketStage) -> None:
    s.put(s.primary("x"), "x")
    s.do(s.copy("x"), DESTROY, "x")
    s.settle()
    for member in s.members:
        s.says(member, COUNT, int(member in s.holders("x")))


@partitioned("TOMB-TTL-02", redundancy=2, needs=COUNTED, tombstones=kept_for(None, 1))
def a_tombstone_of_a_partitioned_region_expires_after_ten_minutes(s: BucketStage) -> None:
    s.hold_time()
    destroyed(s, "x")
    passes(s, 599_000)
    s.all_say(COUNT, 1)
    passes(s, 1_000 + NOTICED)
    s.all_say(COUNT, 0)


@partitioned("TOMB-GC-03", redundancy=2, needs=COUNTED, also=("other",), tombstones=kept_for(threshold=2))
def the_threshold_counts_regions_of_all_kinds_together(s: BucketStage) -> None:
    s.hold_time()
    destroyed(s, "x")
    passes(s, T + NOTICED)
    s.all_say(COUNT, 1)
    destroyed(s, "x", region="other")
    passes(s, T + NOTICED)
    s.all_say(COUNT, 0)
