"""Samples of clients that each break one requirement, and at times others that cannot be kept with it."""

from __future__ import annotations

from plumbline.ci.selftest.histories import failover_wrong, interest_wrong
from plumbline.ci.selftest.histories.client_right import (
    MEMBERS,
    SECURED,
    UNSECURED,
    told,
    untold,
)
from plumbline.ci.selftest.histories.history_builder import HistoryBuilder, Sample
from plumbline.reference.history.operations import Client, Status

_TO_K = f"{MEMBERS} K"
_NOT_TOLD = "INT-REG-01 INT-REG-02 S2C-RECV-01 TRK-ONCE-01 TRK-ORDER-02"
"""What is broken besides where a client is never told of the first operation on a key."""
_SAME_SERVER = (Client(name="K", servers=("B",)), Client(name="L", servers=("B",)))


def _calls() -> dict[str, Sample]:
    """What clients call."""
    again = told().put("K", "x")
    nothing, cleared, left, swept, gone = (
        untold().put("A", "x", MEMBERS).settle().read(K={}, L={}) for _ in range(5)
    )
    unread = untold().put("A", "x", MEMBERS).settle()
    destroyed, kept = (untold().settle() for _ in range(2))
    return {
        "put of a client stays there": told()
        .put("K", "x", "K")
        .settle()
        .read()
        .sample(f"CONS-CL-01 C2S-OPS-01 C2S-PROP-01 C2S-PROP-05 S2C-OPS-07 {_NOT_TOLD}"),
        "server holds an older value": told()
        .put("A", "x")
        .put("L", "x")
        .read(C={"x": "v1"})
        .rests()
        .sample("C2S-OPS-01"),
        "destroy of a client stays there": told()
        .put("A", "x")
        .do("destroy", "K", "x", "K")
        .rests()
        .sample("CONS-CL-01 C2S-OPS-02 S2C-OPS-02 TRK-ORDER-02"),
        "destroy leaves an invalid entry": told()
        .put("A", "x")
        .do("destroy", "L", "x")
        .rests(C={"x": None})
        .sample("CONS-CL-01 C2S-OPS-02 CONS-RR-04 TRK-ORDER-02"),
        "local destroy reaches the server": told()
        .put("A", "x")
        .do("local_destroy", "K", "x", "K B")
        .rests()
        .sample("C2S-LOCAL-01"),
        "local destroy of a server reaches its client": told()
        .put("A", "x")
        .do("local_destroy", "B", "x", "B K")
        .settle()
        .sample("S2C-OPS-05"),
        "local invalidate of a server reaches another's client": told()
        .put("A", "x")
        .do("local_invalidate", "B", "x", "B L")
        .settle()
        .sample("S2C-OPS-05"),
        "local invalidate reaches another client": told()
        .put("A", "x")
        .do("local_invalidate", "K", "x", "K L")
        .rests()
        .sample("C2S-LOCAL-01"),
        "its own answer replaces what is newer": told()
        .put("K", "x")
        .put("A", "x")
        .rests(K={"x": "v1"})
        .sample("CONS-CL-01 TRK-ORDER-02"),
        "a late event replaces what it has put": told()
        .put("A", "x")
        .put("L", "x")
        .rests(L={"x": "v1"})
        .sample("CONS-CL-01 TRK-ORDER-02"),
        "says that there is nothing, of what its server was seen to hold": nothing.ends(
            nothing.call("destroy", "K", "x"), Status.ABSENT
        )
        .settle()
        .read(K={}, L={})
        .sample("C2S-OPS-03"),
        "says that there is nothing, of what was put": unread.ends(
            unread.call("destroy", "L", "x"), Status.ABSENT
        )
        .settle()
        .read(K={}, L={})
        .sample("C2S-OPS-03"),
        "destroy of a client's region leaves a server's": destroyed.ends(
            destroyed.call("destroy_region", "K", "")
        )
        .settle()
        .has_region(A=False, B=True)
        .sample("C2S-OPS-04"),
        "local destroy of a region goes to servers": kept.ends(kept.call("local_destroy_region", "L", ""))
        .settle()
        .has_region(C=False, A=True)
        .sample("C2S-OPS-04"),
        "clear of a client leaves an entry": cleared.ends(cleared.call("clear", "K", ""))
        .settle()
        .read(A={}, B={"x": "v1"}, C={}, D={}, K={}, L={})
        .sample("C2S-OPS-05 CONS-RR-04"),
        "clear of a client leaves everything": left.ends(left.call("clear", "L", ""))
        .settle()
        .read(K={}, L={})
        .sample("C2S-OPS-05"),
        "invalidate of a client is told at its server": told()
        .put("A", "x")
        .do("invalidate", "K", "x", "K B")
        .settle()
        .read(B={"x": "v1"})
        .sample("C2S-OPS-06 DISC-LSN-01"),
        "invalidate of a client is told to another": told()
        .put("A", "x")
        .do("invalidate", "L", "x", "K L")
        .settle()
        .read(K={"x": "v1"})
        .sample("C2S-OPS-06"),
        "invalidate of a client's region invalidates its server's": swept.ends(
            swept.call("invalidate_region", "K", "")
        )
        .settle()
        .read(B={"x": None}, K={}, L={})
        .sample("C2S-OPS-07 CONS-RR-04"),
        "invalidate of a client's region invalidates everywhere": gone.ends(
            gone.call("invalidate_region", "L", "")
        )
        .settle()
        .read(A={"x": None}, B={"x": None}, C={"x": None}, D={"x": None}, K={}, L={})
        .sample("C2S-OPS-07"),
        "told of its own put twice": again.shown(1, "K").rests().sample("C2S-PROP-02"),
        "told of its own update twice": told()
        .put("A", "x")
        .put("L", "x")
        .shown(2, "L")
        .rests()
        .sample("C2S-PROP-02"),
    }


def _deliveries() -> dict[str, Sample]:
    """What servers send."""
    return {
        "client of the same server is not told": HistoryBuilder(clients=_SAME_SERVER)
        .put("K", "x", _TO_K)
        .rests()
        .sample("C2S-PROP-01 INT-REG-01 INT-REG-02 S2C-RECV-01 TRK-ONCE-01 TRK-ORDER-02"),
        "client of another server is not told": told()
        .put("K", "x", _TO_K)
        .rests()
        .sample(
            "C2S-PROP-01 C2S-PROP-05 INT-REG-01 INT-REG-02 S2C-OPS-07 S2C-RECV-01 TRK-ONCE-01 TRK-ORDER-02"
        ),
        "told of another client's put twice": told()
        .put("L", "x")
        .shown(1, "K")
        .rests()
        .sample("C2S-PROP-05 TRK-ONCE-01"),
        "member's put is not sent": told()
        .put("A", "x", f"{MEMBERS} L")
        .rests()
        .sample("INT-REG-01 INT-REG-02 S2C-OPS-07 S2C-RECV-01 TRK-ONCE-01 TRK-ORDER-02"),
        "value is left out": told()
        .put("A", "x")
        .put("D", "x", f"{MEMBERS} L")
        .shown(2, "K", kind="invalidate")
        .rests()
        .sample("S2C-RECV-01 TRK-ORDER-02"),
        "told of a member's put twice": told().put("A", "x").shown(1, "L").rests().sample("TRK-ONCE-01"),
        "told without interest": untold().put("A", "x", _TO_K).settle().read().sample("S2C-INT-01"),
        "told after withdrawing": untold()
        .register("K", "x")
        .register("K", "x", register=False)
        .put("A", "x", _TO_K)
        .settle()
        .read(L={})
        .sample("S2C-INT-01"),
        "holds what it never registered for": untold()
        .put("A", "x", MEMBERS)
        .settle()
        .read(K={"x": "v1"})
        .sample("S2C-INT-01"),
        "value though none is wanted": untold()
        .put("A", "x", MEMBERS)
        .settle()
        .register("K", "x", values=False)
        .put("B", "x", _TO_K)
        .settle()
        .read()
        .sample("S2C-RECV-02"),
        "keeps a value that is no longer valid": untold()
        .put("A", "x", MEMBERS)
        .settle()
        .register("K", "x", values=False)
        .put("B", "x", MEMBERS)
        .settle()
        .read(K={"x": "v1"})
        .sample("S2C-RECV-02"),
        "told of what it lacks": untold()
        .register("K", values=False)
        .put("A", "x", MEMBERS)
        .shown(1, "K", kind="invalidate")
        .settle()
        .read(K={})
        .sample("S2C-RECV-03"),
        "an entry where there was none": untold()
        .register("L", "x", values=False)
        .put("A", "x", MEMBERS)
        .settle()
        .read(L={"x": None})
        .sample("S2C-RECV-03"),
        "invalidate is not sent": told()
        .put("A", "x")
        .do("invalidate", "B", "x", MEMBERS)
        .rests()
        .sample("S2C-OPS-01 TRK-ORDER-02"),
        "invalidate is told and not carried out": told()
        .put("A", "x")
        .do("invalidate", "C", "x")
        .rests(L={"x": "v1"})
        .sample("S2C-OPS-01 TRK-ORDER-02"),
        "destroy is not sent": told()
        .put("A", "x")
        .do("destroy", "B", "x", MEMBERS)
        .rests()
        .sample("S2C-OPS-02 TRK-ORDER-02"),
        "destroy only invalidates": told()
        .put("A", "x")
        .do("destroy", "A", "x", f"{MEMBERS} L")
        .rests(K={"x": None})
        .sample("S2C-OPS-02 TRK-ORDER-02"),
        "holds the older value": told()
        .put("A", "x")
        .put("B", "x")
        .rests(K={"x": "v1"})
        .sample("TRK-ORDER-02"),
    }


def _tracking() -> dict[str, Sample]:
    """Order, repetitions, and one thread."""
    cross = told().put("A", "x", f"{MEMBERS} L").put("A", "y").shown(1, "K")
    same = told().put("A", "x", f"{MEMBERS} L").put("A", "x").shown(1, "K")
    held_up = told()
    first = held_up.gate("K", 1).call("put", "A", "x")
    held_up.shown(first).parked("K", first).ends(first)
    second = held_up.call("put", "C", "y")
    held_up.shown(second, f"{MEMBERS} L").waited(second).released("K", first).shown(second, "K").ends(second)
    other = told()
    first = other.gate("L", 1).call("put", "A", "x")
    other.shown(first).parked("L", first).ends(first)
    second = other.call("destroy", "K", "x")
    other.shown(second, _TO_K).waited(second).released("L", first).shown(second, "L").ends(second)
    busy = told()
    first = busy.gate("K", 1).call("put", "A", "x")
    busy.shown(first).parked("K", first).ends(first).put("A", "y").settle().released("K", first)
    two = told()
    first = two.gate("L", 1).call("put", "A", "x")
    two.shown(first).parked("L", first).ends(first).do("destroy", "B", "y").do("create", "B", "y").released(
        "L", first
    )
    left_alone, once = (
        told(UNSECURED).put("A", "x").settle().fault("crash", "B").fault("crash", "C").settle()
        for _ in range(2)
    )
    at_member, at_client = (told().fault("answers_lost", "B", client="K").put("K", "x") for _ in range(2))
    crashed = told(SECURED).put("A", "x").put("A", "y").rests().fault("crash", "B").shown(2, "K")
    return {
        "two keys of a thread change places": cross.rests().sample("TRK-ORDER-01"),
        "two of a key change places": same.rests(K={"x": "v2"}).sample("TRK-ORDER-01"),
        "put waits for a client": held_up.rests().sample("TRK-ASYNC-01"),
        "destroy of a client waits for another": other.rests().sample("TRK-ASYNC-01"),
        "told while it stands still": busy.rests().sample("TRK-SINGLE-01"),
        "create is told while it stands still": two.rests().sample("TRK-SINGLE-01"),
        "nobody looks for the server that starts": left_alone.fault("restart", "B")
        .settle()
        .put("A", "x", "A B D")
        .settle()
        .sample("FO-NONHA-02"),
        "another server is not found": once.fault("restart", "C")
        .settle()
        .put("D", "y", "A C D")
        .settle()
        .sample("FO-NONHA-02"),
        "server carries out again what it has answered": at_member.shown(1, "A")
        .rests()
        .sample("DISC-LSN-01 TRK-HIGH-01"),
        "client is sent again what was tried again": at_client.shown(1, "L").rests().sample("TRK-HIGH-01"),
        "sent again after a failover": crashed.rests().sample("FO-HA-03 TRK-DUP-01"),
        "sent twice by the new server": told(SECURED)
        .put("A", "x", MEMBERS)
        .fault("crash", "B")
        .shown(1, "K")
        .shown(1, "K")
        .rests()
        .sample("FO-HA-01 TRK-DUP-01"),
        "sent again out of order": told(SECURED)
        .put("A", "x")
        .put("A", "x")
        .rests()
        .fault("crash", "B")
        .shown(1, "K")
        .shown(2, "K")
        .rests()
        .sample("FO-HA-03 TRK-DUP-01 TRK-ORDER-01"),
    }


WRONG: dict[str, Sample] = {
    **_calls(),
    **_deliveries(),
    **_tracking(),
    **interest_wrong.WRONG,
    **failover_wrong.WRONG,
}
"""By name, samples with the requirements that they violate."""
