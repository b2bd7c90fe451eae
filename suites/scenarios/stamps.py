"""Version stamps, judged by what they decide (document 004, L63 to L67)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.scenarios.conflicts import tie
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

COUNTS = (Capability.STATISTICS,)
DEATHS = (Capability.MEMBER_FAULTS,)


@scenario("VER-STAMP-01", "VER-STAMP-02")
def a_tie_is_decided_by_the_site_that_wrote_last(s: Stage) -> None:
    s.put(s.high, "x")
    # The high member only watches: it must compare the ids of the two writers, not its own.
    lower, higher = tie(s, "x", s.low, s.mid)
    s.all_hold("x", higher)
    s.told_once(s.high, lower)
    s.told_once(s.high, higher)


@scenario("VER-STAMP-02", needs=())
def every_local_change_is_one_version_further(s: Stage) -> None:
    # The high member wrote last: a change without a new version loses to its id.
    for kind in (OperationKind.PUT, OperationKind.INVALIDATE, OperationKind.DESTROY):
        key = f"x-{kind}"
        s.put(s.high, key)
        s.all_hold(key, s.do(s.low, kind, key))
        s.all_hold(key, s.put(s.mid, key))


@scenario("VER-STAMP-03", "VER-CMP-01", "CONS-RR-04")
def a_receiver_stores_the_stamp_that_came(s: Stage) -> None:
    s.put(s.mid, "x")
    tie(s, "x", s.low, s.high)
    # Had a receiver counted for itself, the two members would be at different versions by now.
    _, higher = tie(s, "x", s.low, s.high)
    s.all_hold("x", higher)
    s.put(s.high, "y")
    _, higher = tie(s, "y", s.low, s.mid)
    s.all_hold("y", higher)


@scenario("VER-STAMP-03", needs=COUNTS)
def updates_one_after_the_other_are_no_conflict(s: Stage) -> None:
    for member in s.members * 3:
        s.all_hold("x", s.put(member, "x"))
    s.discards(low=0, mid=0, high=0)


@scenario("VER-STAMP-04", needs=(Capability.CONFIGURATION,))
def a_new_copy_knows_versions_and_tombstones(s: Stage) -> None:
    for member in (s.low, s.high, s.low):
        for key in ("kept", "gone", "emptied"):
            s.put(member, key)
    s.leave(s.mid)
    s.do(s.high, OperationKind.DESTROY, "gone")
    emptied = s.do(s.high, OperationKind.INVALIDATE, "emptied")
    kept = s.put(s.high, "kept")
    s.join(s.mid)
    s.holds(s.mid, "emptied", emptied)
    s.holds(s.mid, "kept", kept)
    s.holds(s.mid, "gone", None)
    # Had it started to count afresh, its own updates would be older than what the others remember.
    s.all_hold("kept", s.put(s.mid, "kept"))
    s.all_hold("gone", s.put(s.mid, "gone"))


@scenario("VER-STAMP-04", needs=DEATHS)
def what_a_member_takes_as_it_starts_again_has_versions_and_tombstones(s: Stage) -> None:
    for member in (s.low, s.high, s.low):
        for key in ("kept", "gone", "emptied"):
            s.put(member, key)
    s.do(s.high, OperationKind.DESTROY, "gone")
    emptied = s.do(s.high, OperationKind.INVALIDATE, "emptied")
    s.crash(s.mid)
    kept = s.put(s.high, "kept")
    s.restart(s.mid)
    s.holds(s.mid, "emptied", emptied)
    s.holds(s.mid, "kept", kept)
    s.holds(s.mid, "gone", None)
    # Had it come back without them, its own updates would be older than what the others remember.
    s.all_hold("kept", s.put(s.mid, "kept"))
    s.all_hold("gone", s.put(s.mid, "gone"))


@scenario("VER-CMP-01", needs=())
def what_was_applied_is_what_a_call_reads_however_often_the_key_was_read_before(s: Stage) -> None:
    for writer in s.members:
        put = s.put(writer, "x")
        s.settle()
        for reader in s.members:
            s.reads_only(s.get(reader, "x"), (put,))


@scenario("VER-STAMP-02", "VER-CMP-01", needs=DEATHS)
def what_a_member_calls_after_a_restart_is_new_to_all(s: Stage) -> None:
    # A member may number its calls from one again. They are no repetitions of those before its death.
    for _ in range(3):
        s.put(s.mid, "x")
    s.crash(s.mid)
    s.restart(s.mid)
    for key in ("x", "y"):
        first = s.put(s.mid, key)
        s.all_hold(key, first)
        s.told_once(s.low, first)
        s.do(s.mid, OperationKind.DESTROY, key)
        s.all_hold(key, None)
        s.all_hold(key, s.put(s.low, key))
