"""Clients that are connected to a server and subscribed to all keys (document 004, L39 to L47)."""

from __future__ import annotations

from plumbline.reference.capabilities import Capability
from plumbline.reference.operations import Client, OperationKind
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

CLIENT = "K"

NOT_CHECKING = Client(name=CLIENT, servers=("B",), checks=False)
"""A client whose copy is not checked, whatever its server does."""


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
