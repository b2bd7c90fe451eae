"""Samples of clients that break no rule: calm ones, and those that look as if a client had been wronged.

K is served by B and L by C, unless a sample says otherwise; they begin registered for all keys or for none.
"""

from __future__ import annotations

from plumbline.ci.selftest.histories.history_builder import HistoryBuilder, Sample
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import (
    Client,
    HostPolicy,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Status,
)

TWO = (Client(name="K", servers=("B",)), Client(name="L", servers=("C",)))
SECURED = (Client(name="K", servers=("B", "C"), redundancy=1),)
TWICE = (Client(name="K", servers=("B", "C", "D"), redundancy=2),)
UNSECURED = (Client(name="K", servers=("B", "C")),)
MEMBERS = "A B C D"
WITHOUT_B = "A C D"


def told(clients: tuple[Client, ...] = TWO) -> HistoryBuilder:
    """Clients that begin registered for all keys."""
    return HistoryBuilder(clients=clients)


def untold(clients: tuple[Client, ...] = TWO) -> HistoryBuilder:
    """Clients that begin without interest."""
    return HistoryBuilder(clients=clients, registers=False)


def _calm() -> HistoryBuilder:
    """Members and clients create, put, destroy and invalidate, one after the other."""
    t = told().do("create", "A", "x").put("B", "x").put("K", "x").put("L", "y").settle().read()
    t.do("destroy", "A", "x").do("invalidate", "C", "y").rests()
    t.put("A", "x").do("destroy", "K", "y").rests()
    return t.do("local_destroy", "K", "x", "K").do("local_invalidate", "L", "x", "L")


def _contest() -> HistoryBuilder:
    """Two update a key at the same time: clients are told of the later one only, K of its own at once."""
    t = told()
    one, two = t.call("put", "A", "x"), t.call("put", "L", "x")
    t.shown(one, "A").shown(two).ends(one).ends(two)
    three, four = t.call("put", "K", "y"), t.call("put", "A", "y")
    t.shown(three, "B").shown(four).ends(three).ends(four)
    five, six = t.call("destroy", "A", "z"), t.call("invalidate", "C", "z")
    return t.shown(six, MEMBERS).ends(five, Status.ABSENT).ends(six)


def _outdone() -> HistoryBuilder:
    """K's own put loses against one of the same time, of which it is told before its call returns."""
    t = told()
    own, other = t.call("put", "K", "x"), t.call("put", "D", "x")
    return t.shown(own, "B").shown(other).ends(own).ends(other)


def _invalid_on_the_server_alone() -> HistoryBuilder:
    """K has destroyed x when a member invalidates it: K keeps no entry, and its server an invalid one."""
    t = told().put("A", "x").do("destroy", "K", "x").do("invalidate", "A", "x", MEMBERS)
    return t.rests()


def _unregistered() -> HistoryBuilder:
    """K registers for y and an expression, withdraws y, and is told of neither y, x nor xB."""
    t = untold().put("A", "x", MEMBERS).settle().register("K", "y").register("K", "B.*", kind="regex")
    t.put("C", "y", f"{MEMBERS} K").put("C", "B1", f"{MEMBERS} K").put("C", "xB", MEMBERS).settle()
    t.register("K", "y", register=False).put("A", "y", MEMBERS).put("A", "x", MEMBERS)
    t.do("destroy", "L", "B1", f"{MEMBERS} L K").put("D", "B1", f"{MEMBERS} K").settle()
    return t.read(K={"y": "v2", "B1": "v8"})


def _fetched() -> HistoryBuilder:
    """A get tells the listener once more of what it fetched, without interest and behind a later event."""
    t = untold(SECURED).put("A", "x", MEMBERS).settle()
    t.do("get", "K", "x", "").shown(1, "K").put("A", "y", MEMBERS).settle().do("get", "K", "y", "").shown(
        3, "K"
    )
    t.register("K", "x").register("K", "x.*", kind="regex").put("A", "x", f"{MEMBERS} K").settle()
    t.do("get", "K", "x", "").shown(5, "K").shown(1, "K").put("B", "x", f"{MEMBERS} K").shown(5, "K").settle()
    return t.fault("crash", "B").shown(5, "K").put("K", "x", f"{WITHOUT_B} K").shown(8, "K").settle()


def _without_values() -> HistoryBuilder:
    """K holds x and lacks the others; all are changed, and K's registrations receive no values."""
    t = (
        untold()
        .put("A", "x", MEMBERS)
        .settle()
        .register("K", "x y w", values=False)
        .read(K={"x": "v1"}, L={})
    )
    t.put("C", "x", MEMBERS).shown(2, "K", kind="invalidate").put("C", "y", MEMBERS).put("A", "w", MEMBERS)
    t.settle().read(K={"x": None}, L={})
    return t.do("get", "K", "y", "").settle().read(K={"x": None, "y": "v3"}, L={})


def _policies() -> HistoryBuilder:
    """K registers with each policy for keys that are there, that are gone, and that it holds."""
    t = untold().put("A", "x", MEMBERS).put("A", "y", MEMBERS).put("A", "g", MEMBERS)
    t.do("destroy", "A", "g", MEMBERS).settle().register("K", "x g").read(K={"x": "v1"}, L={})
    t.register("K", "y", "keys").read(K={"x": "v1", "y": None}, L={})
    t.register("K", "x", "none").read(K={"y": None}, L={})
    t.put("B", "x", f"{MEMBERS} K").settle().read(K={"x": "v5", "y": None}, L={})
    t.register("K", "y", "none").read(K={"x": "v5"}, L={}).register("K", "x|g", kind="regex")
    t.read(K={"x": "v5"}, L={}).do("destroy", "A", "x", f"{MEMBERS} K").settle().register("K", "x", "keys")
    t.read(K={}, L={}).register("L", "z.*", "none", kind="regex").put("C", "x", f"{MEMBERS} K")
    return t.settle().register("L", "x.*", "none", kind="regex").read(K={"x": "v7"}, L={})


def _changed_behind() -> HistoryBuilder:
    """Behind registrations for other keys K's x changes: by an event, and as an expression may drop all."""
    t = untold().put("A", "x", MEMBERS).put("A", "y", MEMBERS).settle().register("K", "x")
    t.read(K={"x": "v1"}, L={}).put("A", "x", f"{MEMBERS} K").settle().register("K", "y", "none")
    t.read(K={"x": "v3"}, L={}).register("K", "q.*", "none", kind="regex").register("K", "y", "none")
    t.read(K={}, L={}).do("destroy", "C", "y", f"{MEMBERS}").settle()
    return t.read(K={}, L={})


def _standing() -> HistoryBuilder:
    """K stands still in its listener; others go on, and it is told behind its release, and of its own put."""
    t = told()
    first = t.gate("K", 1).call("put", "A", "x")
    t.shown(first).parked("K", first).ends(first).put("A", "y", f"{MEMBERS} L").put("L", "x", f"{MEMBERS} L")
    t.put("K", "z").released("K", first).shown(2, "K").shown(3, "K").settle()
    return t


def _two_standing() -> HistoryBuilder:
    """K stands still, and so does A: calls that A has to acknowledge do not return."""
    t = told()
    first = t.gate("K", 1).gate("A", 2).call("put", "A", "x")
    t.shown(first).parked("K", first).ends(first)
    second = t.call("put", "B", "y")
    t.shown(second, "B A").parked("A", second).waited(second).released("A", second).released("K", first)
    return t.shown(second, "C D K L").ends(second).settle()


def _secured() -> HistoryBuilder:
    """K's server dies with an event under way, which its secondary sends; another is called meanwhile."""
    t = told(SECURED).put("A", "x").settle().read().put("A", "y", MEMBERS).put("A", "x", MEMBERS)
    t.fault("crash", "B").settle().shown(2, "K").shown(3, "K").put("A", "x", f"{WITHOUT_B} K").rests()
    return t


def _secured_in_silence() -> HistoryBuilder:
    """The same, with nothing called behind the crash, and looked at before and after it."""
    t = told(SECURED).put("A", "x").settle().read().put("A", "y", MEMBERS).fault("crash", "B").shown(2, "K")
    return t.rests()


def _sent_by_the_secondary_alone() -> HistoryBuilder:
    """K's server dies; its secondary then sends an event that changed nothing at the server."""
    t = told(SECURED).do("invalidate", "C", "x", "C").put("A", "x").settle().read()
    return t.fault("crash", "B").shown(1, "K").settle().read(K={"x": None})


def _twice_secured() -> HistoryBuilder:
    """Two of K's servers die one after the other."""
    t = (
        told(TWICE)
        .put("A", "x")
        .settle()
        .read()
        .put("A", "y", MEMBERS)
        .fault("crash", "B")
        .fault("crash", "C")
    )
    return t.shown(2, "K").settle().put("A", "x", "A D K").rests()


def _unsecured() -> HistoryBuilder:
    """K loses its only server, and what was under way; it starts anew from C, without a word."""
    t = untold(UNSECURED).put("A", "x", MEMBERS).put("A", "y", MEMBERS).put("A", "z", MEMBERS).settle()
    t.register("K", "x").register("K", "y", "keys").register("K", "z", "none").register(
        "K", "v", values=False
    )
    t.put("A", "x", f"{MEMBERS} K").settle().read(K={"x": "v4", "y": None}).put("A", "w", MEMBERS)
    t.fault("crash", "B").settle().read(K={"x": "v4", "y": None})
    t.put("A", "x", f"{WITHOUT_B} K").put("A", "v", WITHOUT_B).put("A", "w", WITHOUT_B).settle()
    return t.read(K={"x": "v6", "y": None})


def _lost_on_the_way() -> HistoryBuilder:
    """Calls while K has no server are lost; a member more dies while K is being told."""
    t = told(UNSECURED).put("A", "x", MEMBERS).fault("crash", "B").put("A", "x", WITHOUT_B).settle()
    t.read(K={"x": "v2"}).put("A", "y", WITHOUT_B).fault("crash", "C").settle()
    return t.read(K={"x": "v2"})


def _nothing_there() -> HistoryBuilder:
    """K destroys what it never knew: once it was there, once another caller has just destroyed it."""
    t = untold().put("A", "x", MEMBERS).put("A", "y", MEMBERS).settle().read(K={}, L={})
    t.do("destroy", "K", "x", MEMBERS).do("destroy", "D", "y", MEMBERS)
    return t.ends(t.call("destroy", "K", "y"), Status.ABSENT)


def _emptied() -> HistoryBuilder:
    """K clears the region, and A puts again; then it drops its own copy of the region, and L destroys all."""
    t = untold().put("A", "x", MEMBERS).settle()
    t.ends(t.call("clear", "K", "")).put("A", "y", MEMBERS).settle()
    held: dict[str, dict[str, str | None]] = {member: {"y": "v3"} for member in MEMBERS.split()}
    t.read(K={}, L={}, **held)
    t.ends(t.call("local_destroy_region", "K", "")).settle().has_region(B=True)
    return t.ends(t.call("destroy_region", "L", "")).settle().has_region(B=False, D=False)


def _emptied_at_last() -> HistoryBuilder:
    """K clears the region, and then it drops its own copy."""
    t = untold().put("A", "x", MEMBERS).settle()
    t.ends(t.call("clear", "K", "")).settle().read(A={}, B={}, C={}, D={}, K={}, L={})
    return t.ends(t.call("local_destroy_region", "K", "")).settle().has_region(B=True)


def _invalidated() -> HistoryBuilder:
    """K invalidates what it holds, and its region: no other listener shows it.

    A invalidates it behind that.
    """
    t = told().put("A", "x").do("invalidate", "K", "x", "K").settle().read()
    t.ends(t.call("invalidate_region", "K", "")).settle().read()
    return t.do("invalidate", "A", "x")


def _started_again() -> HistoryBuilder:
    """K finds B when B starts again, and receives events from then on; B may die once more."""
    t = told(UNSECURED).put("A", "x").settle().fault("crash", "B").fault("crash", "C").settle()
    t.put("A", "x", "A D").settle().fault("restart", "B").settle().put("A", "x", "A B D K").settle()
    return t.fault("crash", "B").put("A", "x", "A D").settle()


def _unanswered() -> HistoryBuilder:
    """B's answers to K are lost, and K tries again; another put of K has an unknown end, shown twice."""
    t = told().put("A", "x").settle().fault("answers_lost", "B", client="K")
    again, unknown = t.call("put", "K", "x"), t.call("put", "K", "y", thread="other")
    t.shown(again).ends(again).shown(unknown, f"{MEMBERS} L").shown(unknown, "L")
    return t.ends(unknown, Status.INDEFINITE).fault("answers_back", "B", client="K").put("K", "x").rests()


A_NORMAL_SERVER = (RegionAttributes(name="r", policies=(HostPolicy("B", RegionPolicy.NORMAL),)),)


def lesser() -> HistoryBuilder:
    """K's server keeps less than the others, and K begins without interest."""
    return HistoryBuilder(clients=TWO, registers=False, regions=A_NORMAL_SERVER)


def _at_a_normal_server() -> HistoryBuilder:
    """B lacks y and destroys x for itself: K, which held it by then, is told of the next destroy only."""
    t = lesser().put("B", "x", MEMBERS).put("A", "y", "A C D").settle().register("K")
    t.read(K={"x": "v1"}, L={}).do("local_destroy", "B", "x", "B").settle().do("destroy", "A", "x", "A C D K")
    return t.settle().read(K={})


def _loose() -> HistoryBuilder:
    """Logs that keep the order of one key and thread only."""
    return (
        HistoryBuilder(clients=TWO, strength=OrderStrength.PER_KEY_AND_THREAD)
        .put("A", "x", f"{MEMBERS} L")
        .put("A", "y")
        .shown(1, "K")
        .settle()
    )


def _unacknowledged() -> HistoryBuilder:
    """Without acknowledgements one member's put may be overtaken by another's, and no listener shows it."""
    return HistoryBuilder(clients=TWO, scope=Scope.NO_ACK).put("A", "x", "A").put("C", "x").settle()


def _unchecked() -> HistoryBuilder:
    """Without checks an entry that one member alone has made invalid is put there, and dropped elsewhere."""
    t = HistoryBuilder(clients=TWO, regions=(RegionAttributes(name="r", checks=False),))
    return t.do("invalidate", "C", "x", "C").put("C", "x", "C L").put("A", "y").settle()


RIGHT: dict[str, Sample] = {
    "calm": _calm()
    .rests(L={"x": None}, K={})
    .sample(looks_like="C2S-OPS-01 C2S-OPS-02 C2S-LOCAL-01 S2C-OPS-01 S2C-OPS-02"),
    "contest": _contest().sample(
        looks_like="C2S-PROP-01 C2S-PROP-05 S2C-OPS-07 S2C-RECV-01 TRK-ONCE-01 TRK-ORDER-02"
    ),
    "outdone": _outdone().rests().sample(looks_like="CONS-CL-01"),
    "invalid on the server alone": _invalid_on_the_server_alone().sample(looks_like="CONS-CL-01"),
    "unregistered": _unregistered().sample(
        looks_like="S2C-INT-01 INT-REG-01 INT-REG-02 INT-UNION-01 INT-REGEX-01"
    ),
    "fetched": _fetched().sample(
        looks_like="C2S-PROP-02 TRK-ORDER-01 TRK-DUP-01 FO-HA-03 INT-UNION-02 S2C-INT-01"
    ),
    "without values": _without_values().sample(looks_like="S2C-RECV-01 S2C-RECV-02 S2C-RECV-03"),
    "policies": _policies().sample(
        looks_like="INT-BULK-01 INT-POLICY-01 INT-POLICY-02 INT-POLICY-04 INT-CLEAR-02 INT-NOEVT-01"
    ),
    "changed behind": _changed_behind().sample(looks_like="INT-CLEAR-01 INT-CLEAR-03"),
    "standing": _standing().sample(looks_like="TRK-SINGLE-01"),
    "two standing": _two_standing().sample(looks_like="TRK-ASYNC-01"),
    "secured": _secured().sample(looks_like="FO-HA-01 FO-HA-05 FO-NONHA-01"),
    "secured in silence": _secured_in_silence().sample(looks_like="FO-HA-02"),
    "sent by the secondary alone": _sent_by_the_secondary_alone().sample(),
    "twice secured": _twice_secured().sample(looks_like="FO-HA-07 FO-AUTO-01"),
    "unsecured": _unsecured().sample(looks_like="FO-NONHA-03 FO-NONHA-06 FO-NONHA-09"),
    "lost on the way": _lost_on_the_way().sample(looks_like="FO-AUTO-01 FO-HA-05"),
    "nothing there": _nothing_there().settle().read(K={}, L={}).sample(looks_like="C2S-OPS-03"),
    "emptied": _emptied().sample(looks_like="C2S-OPS-04 C2S-OPS-05"),
    "emptied at last": _emptied_at_last().sample(),
    "invalidated": _invalidated().settle().read().sample(looks_like="C2S-OPS-06 C2S-OPS-07"),
    "started again": _started_again().sample(looks_like="FO-NONHA-02"),
    "unanswered": _unanswered().sample(looks_like="TRK-HIGH-01"),
    "at a normal server": _at_a_normal_server().sample(looks_like="S2C-OPS-05 INT-BULK-03"),
    "loose": _loose().sample(looks_like="TRK-ORDER-01"),
    "unacknowledged": _unacknowledged().sample(looks_like="TRK-ONCE-01"),
    "unchecked": _unchecked().sample(looks_like="TRK-ONCE-01 S2C-OPS-07"),
}
"""By name, samples that no rule may accuse."""
