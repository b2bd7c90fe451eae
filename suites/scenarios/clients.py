"""Clients that are connected to a server and subscribed to all keys (document 004, L39 to L47)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, OperationKind, Scope
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

CLIENT = "K"

NOT_CHECKING = Client(name=CLIENT, servers=("B",), checks=False)
"""A client whose copy is not checked, though its server may check."""


@scenario(
    "CFG-CHECKS-05",
    needs=(Capability.CLIENTS, Capability.CHECKS_SETTING),
    checks=True,
    clients=(NOT_CHECKING,),
)
def a_client_may_do_without_checking_although_its_servers_check(s: Stage) -> None:
    # Without checking, what a client calls must not overtake what is still on its way to it.
    first = s.put(s.low, "x")
    s.settle()
    second = s.put(CLIENT, "x")
    third = s.put(s.high, "x")
    s.settle()
    s.log_is(CLIENT, "x", first, second, third)
    s.everybody_holds("x", third)

    gone = s.do(s.mid, OperationKind.DESTROY, "x")
    s.settle()
    s.everybody_holds("x", None)
    back = s.put(CLIENT, "x")
    gone_again = s.do(CLIENT, OperationKind.DESTROY, "x")
    back_again = s.put(s.mid, "x")
    s.settle()
    s.everybody_holds("x", back_again)
    events = (first, second, third, gone, back, gone_again, back_again)
    for holder in (CLIENT, *s.members):
        s.log_is(holder, "x", *events)

    own = s.put(CLIENT, "y")
    s.settle()
    s.everybody_holds("y", own)


@scenario(
    "CONS-CL-03",
    needs=(Capability.CLIENTS, Capability.TOMBSTONES, Capability.LISTENER_GATES),
    clients=(Client(name=CLIENT, servers=("B",)),),
)
def what_is_older_than_its_own_destroy_does_not_revive_a_key_at_a_client(s: Stage) -> None:
    for key in ("held", "lacking"):
        if key == "held":
            s.put(s.low, key)
            s.settle()
        # Events to the client wait behind the event parked in its listener.
        held = s.park(CLIENT, s.high, f"in front of {key}")
        older = s.put(s.low, key)
        gone = s.start(CLIENT, OperationKind.DESTROY, key)
        s.returns(gone)
        s.release(held)
        s.settle()
        s.everybody_holds(key, None)
        if key == "held":
            again = s.put(CLIENT, key)
            s.settle()
            s.everybody_holds(key, again)
        else:
            s.told_some_of(CLIENT, key, older, gone)


@scenario(
    "CONS-CL-03",
    needs=(Capability.CLIENTS, Capability.TOMBSTONES, Capability.LISTENER_GATES, Capability.MEMBER_FAULTS),
    clients=(Client(name=CLIENT, servers=("B", "C"), redundancy=1),),
    scope=Scope.NO_ACK,
    registers=False,
)
def what_is_older_than_a_destroy_that_it_was_sent_does_not_revive_a_key_at_a_client(s: Stage) -> None:
    # B stands in its listener and has not taken what A sent behind that; events of C arrive at the client.
    s.register(CLIENT, "key", "x")
    s.put("A", "x")
    s.settle()
    front = s.park("B", "A", "in front", thread="T")
    older = s.put("A", "x", thread="T")
    s.shown_at("C", older)
    gone = s.do("C", OperationKind.DESTROY, "x")
    s.may_be_shown_at(CLIENT, gone)
    s.crash("B")
    s.release(front)
    s.settle()
    s.everybody_holds("x", None)
