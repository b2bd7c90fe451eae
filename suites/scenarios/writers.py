"""What cache writers of clients and servers may abort, and when they are asked (document 001, L16)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, Operation, OperationKind, Status
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

K, L, SERVER = "K", "L", "B"

WRITERS = (Capability.CLIENTS, Capability.CALLBACK_SCRIPTS)
TWO = (Client(name=K, servers=(SERVER,)), Client(name=L, servers=(SERVER,)))
PUT, DESTROY = OperationKind.PUT, OperationKind.DESTROY


@scenario("C2S-PIPE-01", needs=(*WRITERS, Capability.LISTENER_GATES), clients=TWO)
def a_client_asks_its_writer_then_its_server_and_then_changes_its_own_copy(s: Stage) -> None:
    for kind in (PUT, DESTROY):
        held = s.put(s.low, "x")
        s.settle()
        # In the client's writer: no server knows of it yet.
        change = s.park(K, K, "x", kind, callback="writer")
        s.everybody_holds("x", held)
        s.release(change)
        s.settle()
        s.everybody_holds("x", change)
        held = s.put(s.low, "x")
        s.settle()
        # In the server's writer: the server has not applied it, and so the client does not hold it either.
        change = s.park(SERVER, K, "x", kind, callback="writer")
        s.everybody_holds("x", held)
        s.release(change)
        s.settle()
        # In the server's listener: it holds it, and the client has no answer yet.
        held = s.put(s.low, "x")
        s.settle()
        change = s.park(SERVER, K, "x", kind)
        s.holds(SERVER, "x", change)
        s.holds(K, "x", held)
        s.release(change)
        s.settle()
        s.everybody_holds("x", change)
        s.told_once(K, change)


@scenario("C2S-ABORT-01", needs=WRITERS, clients=TWO)
def what_a_clients_writer_refuses_changes_nothing_anywhere(s: Stage) -> None:
    held = s.put(s.low, "x")
    s.settle()
    s.refuse(K, "x", "y")
    for kind, key in ((PUT, "x"), (PUT, "y"), (DESTROY, "x")):
        s.do(K, kind, key, expect=Status.FAILED)
    s.settle()
    _nothing_has_happened(s, held)
    # Operations that it does not refuse go on as ever, and so do those of others.
    theirs, own = s.put(L, "x"), s.put(K, "z")
    s.settle()
    s.everybody_holds("x", theirs)
    s.everybody_holds("z", own)


@scenario("C2S-ABORT-02", needs=WRITERS, clients=TWO)
def what_a_servers_writer_refuses_changes_nothing_anywhere(s: Stage) -> None:
    held = s.put(s.low, "x")
    s.settle()
    s.refuse(SERVER, "x", "y")
    for kind, key in ((PUT, "x"), (PUT, "y"), (DESTROY, "x")):
        s.do(K, kind, key, expect=Status.FAILED)
    s.settle()
    _nothing_has_happened(s, held)
    own = s.put(K, "z")
    s.refuse(SERVER)
    again = s.put(K, "x")
    s.settle()
    s.everybody_holds("x", again)
    s.everybody_holds("z", own)


def _nothing_has_happened(s: Stage, held: Operation) -> None:
    """All members and clients hold what was put under x, and nothing under y; listeners show no more."""
    s.everybody_holds("x", held)
    s.everybody_holds("y", None)
    for holder in (K, L, *s.members):
        s.log_is(holder, "x", held)
        s.log_is(holder, "y")
