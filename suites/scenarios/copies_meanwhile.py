"""Copies of a region that are held on their way while others write (004, L16, L63)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

HELD = (Capability.CONFIGURATION, Capability.HELD_JOINS)
DESTROY = OperationKind.DESTROY


Asks = Callable[[str], None]
"""What is asked of a member, by its name."""


def changes_come(s: Stage, goes: Asks, begins: Asks) -> None:
    """Entries change while a member's copy is held on its way: the member has all of it in the end."""
    for writer in (s.mid, s.high, s.low):
        old = {key: s.put(writer, key) for key in "adu"}
    goes(s.mid)
    begins(s.mid)
    changed = s.put(s.high, "u")
    created = s.put(s.low, "c")
    s.do(s.high, DESTROY, "d")
    s.end_join(s.mid)
    # The copy is there once the member may be called.
    s.reads_only(s.get(s.mid, "a"), (old["a"],))
    s.settle()
    s.holds(s.mid, "u", changed)
    s.holds(s.mid, "c", created)
    s.holds(s.mid, "d", None)
    # What comes by the copy has its version: else the member would begin to count anew.
    for key in "aucd":
        s.all_hold(key, s.put(s.mid, key))


def calls_come(s: Stage, goes: Asks, begins: Asks) -> None:
    """A call is under way when the copy of a member that has gone begins: the member has it in the end."""
    s.put(s.low, "x")
    goes(s.mid)
    under_way = s.park(s.low, s.low, "x")
    begins(s.mid)
    s.release(under_way)
    s.end_join(s.mid)
    s.settle()
    s.all_hold("x", under_way)
    s.all_hold("x", s.put(s.mid, "x"))


@scenario("VER-STAMP-04", "CONS-RR-04", needs=HELD)
def what_changes_while_a_copy_is_on_its_way_comes_to_its_member(s: Stage) -> None:
    changes_come(s, s.leave, s.begin_join)


@scenario("VER-STAMP-04", "CONS-RR-04", needs=(*HELD, Capability.LISTENER_GATES))
def what_is_under_way_while_a_copy_is_taken_comes_to_its_member(s: Stage) -> None:
    calls_come(s, s.leave, partial(s.begin_join, held=False))


@scenario("VER-STAMP-04", "TOMB-RETAIN-02", needs=HELD)
def a_copy_undoes_no_destroy_and_no_update_however_often_it_is_taken(s: Stage) -> None:
    for key in "xd":
        s.put(s.low, key)
    for round_of in range(2):
        s.leave(s.mid)
        s.begin_join(s.mid)
        new = [s.put(writer, "x") for writer in (s.high, s.low)]
        s.do(s.low, DESTROY, "d")
        s.end_join(s.mid)
        s.all_hold("x", new[-1])
        s.all_hold("d", None)
        if not round_of:
            s.all_hold("d", s.put(s.mid, "d"))


@scenario("VER-STAMP-04", needs=(*HELD, Capability.CHECKS_SETTING), checks=False)
def a_copy_undoes_no_update_where_nothing_is_checked(s: Stage) -> None:
    for key in "xd":
        s.put(s.low, key)
    s.leave(s.mid)
    s.begin_join(s.mid)
    new = s.put(s.low, "x")
    s.do(s.low, DESTROY, "d")
    s.end_join(s.mid)
    s.all_hold("x", new)
    s.all_hold("d", None)
