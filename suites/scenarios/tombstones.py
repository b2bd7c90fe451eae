"""What is kept of destroyed entries, as it shows in what comes late (document 004, L93)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation, OperationKind, Scope, Status
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

PUT, DESTROY = OperationKind.PUT, OperationKind.DESTROY

COUNTS = (Capability.LISTENER_GATES, Capability.STATISTICS)


def overtaken(s: Stage) -> tuple[Operation, Operation]:
    """A put of the low member is held there while the middle one puts the key again, and destroys it.

    Its calls need not return meanwhile: the low member may have them wait.
    """
    s.put(s.mid, "x")
    late = s.park(s.low, s.low, "x")
    again = s.start(s.mid, PUT, "x")
    for member in (s.mid, s.high):
        s.shown_at(member, again)
    gone = s.start(s.mid, DESTROY, "x")
    for member in (s.mid, s.high):
        s.shown_at(member, gone)
    return late, gone


@scenario("TOMB-RETAIN-01", needs=COUNTS)
def what_is_older_than_a_destroy_does_not_revive_the_key(s: Stage) -> None:
    late, gone = overtaken(s)
    s.release(late)
    s.settle()
    s.all_hold("x", gone)
    s.not_told(s.mid, late)
    s.not_told(s.high, late)
    # The destroy may have overtaken the second put on its way to the low member, which then counts that.
    s.discards(mid=1, high=1)


@scenario("TOMB-RETAIN-02")
def a_put_and_a_destroy_at_the_same_time_end_as_the_higher_id_has_it(s: Stage) -> None:
    for turn, (destroyer, writer) in enumerate(((s.low, s.high), (s.high, s.low), (s.mid, s.high))):
        for first in (DESTROY, PUT):
            key = f"x-{turn}-{first}"
            s.put(s.mid, key)
            gone = s.park(destroyer, destroyer, key, DESTROY)
            kept = s.park(writer, writer, key)
            for operation in (gone, kept) if first is DESTROY else (kept, gone):
                s.release(operation)
                for member in s.members:
                    if member not in (destroyer, writer) and operation is (
                        gone if first is DESTROY else kept
                    ):
                        s.shown_at(member, operation)
            s.settle()
            s.all_hold(key, kept if s.members.index(writer) > s.members.index(destroyer) else gone)
            s.all_hold(key, s.put(s.mid, key))


@scenario("TOMB-RETAIN-04")
def a_key_that_is_created_again_goes_on_from_its_tombstone(s: Stage) -> None:
    late, _ = overtaken(s)
    again = s.start(s.high, OperationKind.CREATE, "x")
    s.shown_at(s.mid, again)
    s.all_but(s.low, "x", again)
    s.release(late)
    s.settle()
    s.all_hold("x", again)
    s.not_told(s.mid, late)
    s.not_told(s.high, late)


@scenario("TOMB-RETAIN-04", "VER-STAMP-02", scope=Scope.NO_ACK)
def a_destroy_and_what_creates_the_key_again_count_one_each(s: Stage) -> None:
    s.put(s.mid, "x")
    s.settle()
    s.park(s.high, s.low, "gate", thread="one thread")
    # Messages of the thread to the high member wait behind the put parked there.
    s.do(s.low, DESTROY, "x", thread="one thread")
    created = s.do(s.low, OperationKind.CREATE, "x", thread="one thread")
    s.shown_at(s.mid, created)
    s.put(s.high, "x")
    kept = s.put(s.high, "x")
    s.settle()
    # Two changes on either side of what all have seen: the higher id decides.
    s.all_hold("x", kept)
    s.not_told(s.high, created)


@scenario("TOMB-RETAIN-05", scope=Scope.NO_ACK)
def a_destroy_that_comes_before_its_create_is_remembered(s: Stage) -> None:
    s.park(s.high, s.low, "gate", thread="one thread")
    # Messages of the thread to the high member wait behind the put parked there.
    created = s.start(s.low, OperationKind.CREATE, "x", thread="one thread")
    s.shown_at(s.mid, created)
    gone = s.do(s.mid, DESTROY, "x")
    s.may_be_shown_at(s.high, gone)
    s.settle()
    s.all_hold("x", gone)
    s.not_told(s.high, created)


@scenario("TOMB-RETAIN-05", needs=())
def a_destroy_of_a_key_that_is_not_there_fails_and_leaves_nothing(s: Stage) -> None:
    s.do(s.high, DESTROY, "x", expect=Status.ABSENT)
    s.all_hold("x", s.put(s.low, "x"))
    s.do(s.low, DESTROY, "x")
    s.do(s.low, DESTROY, "x", expect=Status.ABSENT)
    s.all_hold("x", s.put(s.low, "x"))


@scenario("TOMB-INVIS-01", needs=())
def no_reader_sees_a_tombstone(s: Stage) -> None:
    kinds = (OperationKind.CREATE, OperationKind.PUT_IF_ABSENT, PUT)
    created, updated = s.put(s.mid, "z"), s.put(s.mid, "z")
    for key in ("x", "y", *kinds):
        s.put(s.mid, key)
        s.do(s.low, DESTROY, key)
    s.settle()
    for member in s.members:
        for key in ("x", *kinds):
            s.holds(member, key, None)
        s.brings(s.start(member, OperationKind.GET, "x"), None)
        s.brings(s.start(member, OperationKind.CONTAINS_KEY, "x"), "false")
        s.brings(s.start(member, OperationKind.REPLACE, "x"), None)
        s.do(member, DESTROY, "x", expect=Status.ABSENT)
        s.holds(member, "x", None)
    for kind in kinds:
        again = s.do(s.high, kind, kind)
        s.all_hold(kind, again)
        s.settle()
        for member in s.members:
            s.told_as_created(member, again, created, updated)
    s.brings(s.start(s.high, OperationKind.PUT_IF_ABSENT, "y"), None)
    s.all_hold("x", None)


@scenario("TOMB-INVIS-01", needs=(Capability.REGION_VIEWS,))
def neither_size_nor_sets_show_a_tombstone(s: Stage) -> None:
    """Two of three keys are destroyed, and one of them is created again."""
    kept, gone, again = (s.put(s.low, key) for key in ("x", "y", "z"))
    for member in s.members:
        s.views_have(member, kept, gone, again)
    s.do(s.mid, DESTROY, "y")
    s.do(s.high, DESTROY, "z")
    for member in s.members:
        s.views_have(member, kept)
    again = s.do(s.mid, OperationKind.CREATE, "z")
    for member in s.members:
        s.views_have(member, kept, again)


@scenario("TOMB-INVIS-01", needs=(Capability.QUERIES,))
def no_query_finds_a_tombstone(s: Stage) -> None:
    """Two of three keys are destroyed, and one of them is created again."""
    kept, gone, again = (s.put(s.low, key) for key in ("x", "y", "z"))
    for member in s.members:
        s.queries_find(member, kept, gone, again)
    s.do(s.mid, DESTROY, "y")
    s.do(s.high, DESTROY, "z")
    for member in s.members:
        s.queries_find(member, kept)
    again = s.do(s.mid, OperationKind.CREATE, "z")
    for member in s.members:
        s.queries_find(member, kept, again)
