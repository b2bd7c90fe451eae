"""Durable clients that go and come back while calls are under way or stand in listeners (003, L15 to L18).

B serves the client, C holds its queue where it is secured, and A never dies.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.scenarios.durable_lives import DURABLE, ONE, SECURED, K, is_there
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

MEANWHILE = (*DURABLE, Capability.CONCURRENT_LIVES, Capability.LISTENER_GATES)
ROUNDS = 3
"""So often a client goes and comes back while calls are under way."""


def returns(s: Stage) -> None:
    """The client comes back while what is under way goes on, and is ready."""
    s.come_back(K, meanwhile=True)
    s.ready(K)


@scenario("DUR-DISC-04", "DUR-CRASH-01", needs=MEANWHILE, clients=ONE, registers=False)
def what_waits_behind_a_listener_is_not_lost_with_its_client(s: Stage) -> None:
    # The first event stands in the client's listener. The others are on their way to it.
    is_there(s)
    s.park(K, "A", "x")
    waiting = [s.put("A", "y"), s.put("C", "x"), s.put("A", "z")]
    s.kill(K, meanwhile=True)
    later = s.put("A", "y")
    returns(s)
    s.settle()
    for event in (*waiting, later):
        s.told(K, event)
    s.hears_live(K, 2)


@scenario("DUR-DISC-04", "FO-DUR-01", needs=MEANWHILE, clients=SECURED, registers=False)
def a_secondary_holds_what_waits_behind_a_listener(s: Stage) -> None:
    is_there(s)
    s.park(K, "A", "x")
    waiting = [s.put("A", "y"), s.put("C", "x")]
    s.kill(K, meanwhile=True)
    s.settle()
    s.crash("B")
    s.settle()
    returns(s)
    s.settle()
    for event in waiting:
        s.told(K, event)


@scenario("DUR-DISC-02", "DUR-DISC-04", needs=MEANWHILE, clients=ONE, registers=False)
def what_is_called_while_a_client_goes_reaches_its_next_life(s: Stage) -> None:
    is_there(s)
    for keeps in (True, False):
        events = [s.start("A", OperationKind.PUT, key) for key in "xy"]
        if keeps:
            s.part(K, keep=True, meanwhile=True)
        else:
            s.kill(K, meanwhile=True)
        # Of updates of one key that meet, one may be discarded, and the client is not sent it.
        events += [s.start("C", OperationKind.PUT, key) for key in "zw"]
        s.settle()
        returns(s)
        s.settle()
        for event in events:
            s.told(K, event)


@scenario("DUR-DISC-02", "DUR-REPLAY-01", needs=MEANWHILE, clients=ONE, registers=False)
def nothing_is_missed_while_a_client_returns(s: Stage) -> None:
    is_there(s)
    for _ in range(ROUNDS):
        s.part(K, keep=True)
        early = [s.start("A", OperationKind.PUT, key) for key in "xy"]
        s.come_back(K, meanwhile=True)
        late = [s.start("C", OperationKind.PUT, key) for key in "zw"]
        s.ready(K)
        s.settle()
        for event in (*early, *late):
            s.told_once(K, event)
