"""What a normal, preloaded or empty member has of others' changes, and they of its own (004, L37, L67, L91).

Where the documents leave open what such a member holds, a scenario says no more than they do.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import HostPolicy, OperationKind, RegionPolicy, Scope
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

GATES = (Capability.LISTENER_GATES,)

PUT, DESTROY, INVALIDATE = OperationKind.PUT, OperationKind.DESTROY, OperationKind.INVALIDATE

ONE, OTHER = "C", "D"
"""Beside the replicates A and B."""

TWO_NORMAL = (HostPolicy(ONE, RegionPolicy.NORMAL), HostPolicy(OTHER, RegionPolicy.NORMAL))
TWO_PRELOADED = (HostPolicy(ONE, RegionPolicy.PRELOADED), HostPolicy(OTHER, RegionPolicy.PRELOADED))


def both_ends(policy: RegionPolicy) -> tuple[HostPolicy, ...]:
    """The first and the last member keep less: one of them mostly has the lowest id of all."""
    return (HostPolicy("A", policy), HostPolicy("D", policy))


def those_at_both_ends(s: Stage) -> tuple[str, str, str]:
    """Of these the one of the lower id, and the replicates, the one of the lower id first."""
    lesser, _ = (member for member in s.members if member in "AD")
    low, high = (member for member in s.members if member not in "AD")
    return lesser, low, high


def follows_what_others_do(s: Stage) -> None:
    for writer in ("A", "B"):
        key = f"x of {writer}"
        # A member that has called a put of a key holds the key.
        s.put(ONE, key)
        s.put(OTHER, key)
        s.settle()
        for kind in (PUT, INVALIDATE, DESTROY):
            changed = s.do(writer, kind, key)
            s.settle()
            s.all_hold(key, changed)


@scenario("CONS-NR-01", needs=(), members=4, policies=TWO_NORMAL)
def a_normal_copy_follows_a_put_an_invalidation_and_a_destroy(s: Stage) -> None:
    follows_what_others_do(s)


@scenario("CONS-NR-01", needs=(), members=4, policies=TWO_PRELOADED)
def a_preloaded_copy_follows_a_put_an_invalidation_and_a_destroy(s: Stage) -> None:
    follows_what_others_do(s)


def reaches_all_who_hold_it(s: Stage) -> None:
    # It may change its own copy and tell the others of it, or have a replicate do it.
    for turn, kind in enumerate((PUT, INVALIDATE, DESTROY) * 3):
        key = f"x{turn}"
        s.put(ONE, key)
        s.put(OTHER, key)
        s.settle()
        changed = s.do(ONE, kind, key)
        s.settle()
        s.all_hold(key, changed)


@scenario("CONS-NR-01", needs=(), members=4, policies=TWO_NORMAL)
def what_a_normal_member_changes_reaches_other_normal_copies(s: Stage) -> None:
    reaches_all_who_hold_it(s)


@scenario("CONS-NR-01", needs=(), members=4, policies=TWO_PRELOADED)
def what_a_preloaded_member_changes_reaches_other_preloaded_copies(s: Stage) -> None:
    reaches_all_who_hold_it(s)


@scenario("CONS-NR-01", needs=GATES, policies=(HostPolicy(ONE, RegionPolicy.NORMAL),), scope=Scope.NO_ACK)
def what_a_normal_member_has_fetched_is_not_replaced_by_what_is_older(s: Stage) -> None:
    low, high = (member for member in s.members if member != ONE)
    for turn in range(3):
        key = f"x{turn}"
        older = s.park(low, low, key)
        newer = s.put(high, key)
        read = s.start(ONE, OperationKind.GET, key)
        # It need not keep what it reads; and who is not done with its own may answer it, or keep it waiting.
        keeps = s.has(ONE, key, newer)
        s.release(older)
        s.finish(read)
        s.settle()
        for member in (low, high):
            s.holds(member, key, newer)
        if keeps:
            s.holds(ONE, key, newer)
            # Nor by a later version than it has there: the next operation would be refused.
            follows = s.put(high, key)
            s.settle()
            s.holds(ONE, key, follows)


def signed_by_a_replicate(s: Stage) -> None:
    # The replicate that is asked signs it with the higher id of the two, or gives it a version behind the
    # rival's. With its caller's lower id, it would lose.
    caller, low, high = those_at_both_ends(s)
    for turn in range(3):
        key = f"x{turn}"
        rival = s.park(low, low, key)
        called = s.start(caller, PUT, key)
        s.returns(called)
        s.release(rival)
        s.settle()
        for member in (low, high):
            s.holds(member, key, called)


@scenario("CONS-NR-02", needs=GATES, members=4, policies=both_ends(RegionPolicy.EMPTY), scope=Scope.NO_ACK)
def what_an_empty_member_calls_is_signed_by_a_replicate(s: Stage) -> None:
    signed_by_a_replicate(s)


@scenario("CONS-NR-02", needs=GATES, members=4, policies=both_ends(RegionPolicy.NORMAL), scope=Scope.NO_ACK)
def what_a_normal_member_lacks_is_signed_by_a_replicate(s: Stage) -> None:
    signed_by_a_replicate(s)


@scenario(
    "CONS-NR-02", needs=GATES, members=4, policies=both_ends(RegionPolicy.PRELOADED), scope=Scope.NO_ACK
)
def what_a_preloaded_member_lacks_is_signed_by_a_replicate(s: Stage) -> None:
    signed_by_a_replicate(s)
