"""Samples of two sites that break no rule: calm ones, and those with faults and conflicts that look wrong."""

from __future__ import annotations

from plumbline.ci.selftest.histories.gateway_inside import INSIDE_RIGHT
from plumbline.ci.selftest.histories.history_builder import AWAY, HOME, HistoryBuilder, Sample
from plumbline.ci.selftest.histories.mesh_samples import MESH_RIGHT
from plumbline.ci.selftest.histories.resolver_samples import RESOLVED_RIGHT
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import Scope, Status


def _calm() -> HistoryBuilder:
    """Every operation once, on its own key; operations that are not distributed stay in their site."""
    t = (
        HistoryBuilder()
        .do("create", "a1", "c")
        .put("a1", "c")
        .put("a2", "p")
        .do("create", "a2", "d")
        .do("destroy", "a1", "d")
    )
    t.put("b1", "back").settle().look("a1", 0).look("a2", 0)
    t.do("get", "a1", "c", "").do("get", "a2", "nothing", "").look("a1", 0).look("a2", 0)
    t.do("invalidate", "a1", "p", HOME)
    t.ends(t.call("create", "a1", "c"), Status.EXISTS)
    t.ends(t.call("put_if_absent", "a2", "c"), Status.OK, "v2")
    return t.do("put", "a1", "x", HOME, region="u")


def _conflict() -> HistoryBuilder:
    """Both sites write c; the members of site 1 write h at the same time."""
    t = HistoryBuilder()
    one, two = t.call("put", "a1", "c"), t.call("put", "b1", "c")
    t.shown(one, HOME).shown(two, AWAY).ends(one).ends(two).shown(two, HOME)
    three, four = t.call("put", "a1", "h"), t.call("put", "a2", "h")
    t.shown(three, "a1").shown(four, "a2 a1").ends(three).ends(four)
    return t.shown(three, AWAY).shown(four, AWAY)


def _outage(state: str = "link_down") -> HistoryBuilder:
    """A put before the link is cut, two during the cut, one after it."""
    t = HistoryBuilder().put("a1", "k").settle().fault(state).put("a1", "k", HOME).put("a2", "n", HOME)
    t.settle().look("a1", 2).look("a2", 2).fault("link_up").shown(2, AWAY).shown(3, AWAY).put("a1", "m")
    return t.settle().look("a1", 0).look("a2", 2).look("a2", 0)


def _resent() -> HistoryBuilder:
    """Replies are lost after two updates of one key; both are sent, and shown, again."""
    t = (
        HistoryBuilder()
        .fault("replies_lost")
        .put("a1", "k")
        .put("a1", "k")
        .settle()
        .look("a1", 2)
        .look("a2", 2)
    )
    return t.fault("link_up").shown(1, "b1").shown(2, "b1").settle().look("a1", 0)


def _crash() -> HistoryBuilder:
    """a1 is killed with three events under way; a2 takes over, the first of them comes twice."""
    t = (
        HistoryBuilder()
        .put("a1", "k", HOME)
        .put("a2", "m", HOME)
        .put("a1", "k", HOME)
        .look("a1", 3)
        .look("a2", 3)
    )
    t.shown(1, AWAY).fault("crash", "a1").settle().shown(1, AWAY).shown(3, AWAY).shown(2, AWAY).put(
        "a2", "k", "a2 b1 b2"
    )
    return t.settle().look("a2", 0, "primary")


def _unreturned() -> HistoryBuilder:
    """a1 dies during its put; only a2 had received it, and no other member does."""
    t = HistoryBuilder().look("a1", 0).look("a2", 0)
    op = t.call("put", "a1", "k")
    return (
        t.shown(op, "a1").fault("crash", "a1").ends(op, Status.INDEFINITE).settle().look("a2", 0, "primary")
    )


def _extinct() -> HistoryBuilder:
    """Both members of site 1 are killed one after the other, and the queue with them."""
    t = HistoryBuilder().put("a1", "k", HOME).look("a1", 1).fault("crash", "a1").fault("crash", "a2")
    return t.settle()


def _cut_for_good() -> HistoryBuilder:
    t = HistoryBuilder().put("b1", "k").fault("link_down").put("a1", "k", HOME).do("destroy", "a1", "k", HOME)
    t.do("create", "a2", "k", HOME).settle()
    return t.look("a1", 3).look("a2", 3).waited()


def _own_doings() -> HistoryBuilder:
    """Site 2 invalidates and locally destroys for itself what site 1 invalidates and locally destroys."""
    t = HistoryBuilder().put("a1", "i").put("a1", "l").put("a1", "n").settle()
    t.do("invalidate", "a1", "i", HOME).do("invalidate", "b1", "i", AWAY)
    t.do("local_destroy", "a1", "l", "a1").do("local_destroy", "b2", "l", "b2")
    return t.do("local_destroy", "a2", "n", "a2").do("destroy", "b1", "n")


def _effects_and_none() -> HistoryBuilder:
    """A destroy without effect beside one with effect; no event of a destroy carries its token."""
    t = HistoryBuilder().put("a1", "k")
    three = t.call("destroy", "a1", "k")
    t.shown(three, named=False).ends(three)
    return t.ends(t.call("destroy", "a2", "k"), Status.ABSENT)


def _loser_first() -> HistoryBuilder:
    """Two puts at the same time, called in one order and applied in the other."""
    t = HistoryBuilder()
    one, two = t.call("put", "a1", "k"), t.call("put", "a2", "k")
    t.shown(two, "a2").shown(two, "a1").shown(one, HOME).ends(one).ends(two)
    three, four = t.call("put", "a1", "k"), t.call("put", "a1", "k", thread="other")
    t.shown(three, "a1").shown(four, HOME).ends(three).ends(four)
    return t.shown(two, AWAY).shown(one, AWAY).shown(three, AWAY).shown(four, AWAY)


def _circle() -> HistoryBuilder:
    """Three updates of which each beats the next: by version at home, by timestamp between the sites."""
    t = HistoryBuilder()
    one, two, three = t.call("put", "a1", "k"), t.call("put", "a2", "k"), t.call("put", "b1", "k")
    t.shown(one, "a1").shown(two, "a2").shown(three, "a1").shown(two, "a1").ends(one).ends(two)
    t.shown(three, AWAY).ends(three).shown(three, "a2")
    return t.settle()


def _again_late(told: str) -> HistoryBuilder:
    """b2 puts between two of a1's, discards the first, tells b1 of the other; then b1 gets the first."""
    t = HistoryBuilder().put("a1", "k", HOME)
    two = t.call("put", "b2", "k")
    t.shown(two, "b2").put("a1", "k", HOME).fault("replies_lost").fault("link_up")
    return t.shown(3, "b2").shown(3, "b1").ends(two).shown(1, told).settle()


def _never_there() -> HistoryBuilder:
    """An invalidation of an absent entry does not cross; its destroy finds nothing elsewhere."""
    return HistoryBuilder().do("invalidate", "a1", "k", HOME).do("destroy", "a1", "k", HOME)


def _lanes() -> HistoryBuilder:
    """Three dispatchers: keys overtake each other, the updates of one do not."""
    t = (
        HistoryBuilder(dispatchers=3)
        .look("a1", 0)
        .put("a1", "k", HOME)
        .put("a1", "n", HOME)
        .put("a1", "k", HOME)
    )
    return t.shown(2, AWAY).shown(1, AWAY).shown(3, AWAY)


def _loose_logs() -> HistoryBuilder:
    """Logs that keep the order of one key and thread only show anything else in any order."""
    t = HistoryBuilder(strength=OrderStrength.PER_KEY_AND_THREAD).put("a1", "k", HOME)
    return t.put("a2", "k", HOME).shown(2, AWAY).shown(1, AWAY)


def _busy_queue() -> HistoryBuilder:
    """The queue grows between two looks, since a put is under way beside a get."""
    t = HistoryBuilder().fault("pause", "a1", "out").settle().look("a1", 0)
    op = t.call("put", "a1", "k")
    t.do("get", "a2", "x", "").shown(op, HOME).look("a1", 1).ends(op).fault("resume", "a1", "out")
    return t.shown(op, AWAY)


def _gated() -> HistoryBuilder:
    """During an outage a put waits, but for a parked listener at its own site."""
    t = HistoryBuilder().fault("link_down").gate("a2", 1)
    op = t.call("put", "a1", "k")
    t.shown(op, HOME).parked("a2", op).waited(op).released("a2", op).ends(op)
    return t.fault("link_up").shown(op, AWAY)


def _paused() -> HistoryBuilder:
    """Paused on both members, events wait; resumed, they go."""
    t = HistoryBuilder().put("a1", "k").settle().fault("pause", "a1", "out").fault("pause", "a2", "out")
    t.put("a1", "k", HOME).put("a2", "n", HOME).settle().look("a1", 2).look("a2", 2)
    return t.fault("resume", "a1", "out").fault("resume", "a2", "out").shown(2, AWAY).shown(3, AWAY)


def _answered_before() -> HistoryBuilder:
    """Replies are lost only after the event was answered; the queue is rightly empty."""
    return (
        HistoryBuilder()
        .put("a1", "k")
        .settle()
        .fault("replies_lost")
        .settle()
        .look("a1", 0)
        .look("a2", 0)
        .fault("link_up")
    )


def _no_ack() -> HistoryBuilder:
    """Without acknowledgements a2's message may die with it."""
    t = HistoryBuilder(scope=Scope.NO_ACK).put("a2", "k", "a2").fault("crash", "a2")
    return t.put("a1", "n", "a1 b1 b2").settle().look("a1", 0)


def _receiver_lost() -> HistoryBuilder:
    """b1 is killed in the middle of a batch; b2 gets all of it, twice what it had got from b1."""
    t = HistoryBuilder().put("a1", "k", HOME).put("a2", "n", HOME).shown(1, AWAY).fault("crash", "b1")
    return t.shown(1, "b2").shown(2, "b2")


def _conflated() -> HistoryBuilder:
    t = (
        HistoryBuilder(conflate=True)
        .fault("link_down")
        .put("a1", "k", HOME)
        .put("a1", "k", HOME)
        .settle()
        .look("a1", 1)
    )
    return t.fault("link_up").shown(2, AWAY)


RIGHT: dict[str, Sample] = {
    "calm": _calm().rests().sample(),
    "conflict": _conflict().rests().sample(looks_like="WAN-OPS-02 WANC-CHK-01 WANC-LOCAL-02 WAN-CFG-01"),
    "outage": _outage().rests().sample(looks_like="STAT-QUEUE-01 REM-SERIAL-02 GWQ-ACK-03"),
    "replies lost": _outage("replies_lost").rests().sample(),
    "resent": _resent().rests().sample(looks_like="GWQ-ACK-04 RCV-DEDUP-01 GWQ-RETRY-02"),
    "crash": _crash()
    .rests()
    .sample(looks_like="SER-PRIMARY-01 SER-PRIMARY-02 WAN-ORDER-01 SER-FAILOVER-02 GWQ-ACK-04"),
    "unreturned": _unreturned().rests().sample(looks_like="WAN-ASYNC-02 SER-ENQ-02 WANC-PEER-01"),
    "extinct": _extinct().rests().sample(looks_like="WAN-ASYNC-02 SER-ENQ-02 SER-PRIMARY-04"),
    "cut for good": _cut_for_good()
    .rests()
    .sample(looks_like="WAN-OPS-01 WAN-OPS-03 WANC-CHK-01 GWQ-RETRY-02 STAT-QUEUE-01 REM-SERIAL-02"),
    "own doings": _own_doings().rests().sample(looks_like="WAN-OPS-05 WAN-OPS-06 WANC-PEER-01 CONS-RR-04"),
    "effects and none": _effects_and_none().rests().sample(looks_like="WAN-OPS-10"),
    "loser first": _loser_first().rests().sample(looks_like="WAN-ORDER-01"),
    "circle": _circle().rests().sample(looks_like="WANC-PEER-01 CONS-RR-04"),
    "again, and late": _again_late("b1").rests().sample(looks_like="WANC-PEER-01 CONS-RR-04 WAN-ORDER-01"),
    "again, and late on all": _again_late(AWAY).rests().sample(looks_like="WANC-CHK-01 WAN-ORDER-01"),
    "never there": _never_there().rests().sample(looks_like="WAN-OPS-03"),
    "lanes": _lanes().rests().sample(looks_like="WAN-ORDER-01 WAN-ORDER-02"),
    "loose logs": _loose_logs().sample(looks_like="WAN-ORDER-01"),
    "busy queue": _busy_queue().rests().sample(looks_like="WAN-OPS-04"),
    "gated": _gated().rests().sample(looks_like="WAN-ASYNC-01"),
    "paused": _paused().rests().sample(looks_like="STAT-QUEUE-01"),
    "answered before": _answered_before().rests().sample(looks_like="GWQ-ACK-01 REM-GEN-01"),
    "no acknowledgement": _no_ack()
    .rests()
    .sample(looks_like="SER-ENQ-02 WAN-ASYNC-02 GWQ-ACK-03 WAN-OPS-02"),
    "receiver lost": _receiver_lost().rests().sample(looks_like="GWQ-ACK-04 DISC-LSN-01"),
    **INSIDE_RIGHT,
    **RESOLVED_RIGHT,
    **MESH_RIGHT,
    "conflated": _conflated().rests().sample(looks_like="GWQ-RETRY-02 GWQ-ACK-01"),
}
"""By name; `looks_like` names the rules that a hasty reading would find violated."""
