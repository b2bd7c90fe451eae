"""A client whose call was carried out and not answered tries again (document 001, L44).

B serves the client K, and A and C are told by B. Whether a client tries again is its own affair: a call with
an indefinite end proves nothing, and is no mistake.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, Operation, OperationKind, Status
from plumbline.suites.scenarios.mismatch import MismatchError
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

K, L, M = "K", "L", "M"

UNANSWERED = (Capability.CLIENTS, Capability.LINK_FAULTS)

LISTENERS = (Client(name=L, servers=("B",)), Client(name=M, servers=("C",)))
"""Clients that only listen: one of the server whose answers are lost, one of another."""

ONE_WAY = (Client(name=K, servers=("B",)), *LISTENERS)
"""The client has one server to try again at."""

ANOTHER_WAY = (Client(name=K, servers=("B", "C")), *LISTENERS)
"""The client has another server to turn to."""


def _is_answered(s: Stage, operation: Operation) -> None:
    outcome = s.finish(operation)
    if outcome.status not in (Status.OK, Status.INDEFINITE):
        raise MismatchError("a put that was carried out to end well, or unknown", f"{outcome.status}")


def _happened_once(s: Stage, operation: Operation, key: str) -> None:
    for holder in (*s.members, L, M):
        s.told_once(holder, operation)
    for holder in (*s.members, L, M):
        s.holds(holder, key, operation)


@scenario("TRK-HIGH-01", needs=UNANSWERED, clients=ONE_WAY)
def what_a_client_tries_again_at_its_server_happens_once(s: Stage) -> None:
    s.put(s.low, "x")
    s.lose_answers(K, "B")
    again = s.start(K, OperationKind.PUT, "x")
    for holder in (*s.members, L, M):
        s.shown_at(holder, again)
    s.answers_again()
    _is_answered(s, again)
    s.settle()
    _happened_once(s, again, "x")


@scenario("TRK-HIGH-01", needs=UNANSWERED, clients=ANOTHER_WAY)
def what_a_client_tries_again_at_another_server_happens_once(s: Stage) -> None:
    s.put(s.low, "x")
    s.lose_answers(K, "B")
    again = s.start(K, OperationKind.PUT, "x")
    if not s.returns(again):  # it may stay with its server, and hears nothing from there till then
        s.answers_again()
        _is_answered(s, again)
    s.settle()
    _happened_once(s, again, "x")
    s.answers_again()
    later = s.start(K, OperationKind.PUT, "x")
    _is_answered(s, later)
    s.settle()
    _happened_once(s, later, "x")
