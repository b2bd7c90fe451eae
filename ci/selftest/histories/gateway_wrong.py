"""Samples of two sites that each break one requirement, and at times another that cannot be kept with it."""

from __future__ import annotations

from plumbline.ci.selftest.histories.gateway_inside import INSIDE_WRONG
from plumbline.ci.selftest.histories.history_builder import AWAY, HOME, HistoryBuilder, Sample
from plumbline.ci.selftest.histories.mesh_samples import MESH_WRONG
from plumbline.ci.selftest.histories.resolver_samples import RESOLVED_WRONG
from plumbline.reference.history.operations import RegionAttributes, Status

_SENDERS = ("out", "back")
_TWO_FED = (RegionAttributes(name="r", senders=_SENDERS), RegionAttributes(name="s", senders=_SENDERS))
_OUT_ONLY = (RegionAttributes(name="r", senders=("out",)),)


def _call(
    tale: HistoryBuilder, members: str, kind: str, member: str, key: str, status: Status = Status.OK
) -> HistoryBuilder:
    """Called, shown to members, and ended as said."""
    op = tale.call(kind, member, key)
    return tale.shown(op, members).ends(op, status)


def _configuration() -> dict[str, Sample]:
    return {
        "put of an unattached region crosses": HistoryBuilder()
        .do("put", "a1", "k", region="u")
        .rests()
        .sample("WAN-CFG-01"),
        "destroy of an unattached region crosses": HistoryBuilder()
        .do("put", "a1", "k", HOME, region="u")
        .do("put", "b1", "k", AWAY, region="u")
        .do("destroy", "a1", "k", region="u")
        .rests()
        .sample("WAN-CFG-01"),
        "sent back against the only queue": HistoryBuilder(regions=_OUT_ONLY)
        .put("b1", "k")
        .rests()
        .sample("WAN-CFG-01"),
        "second region of a queue is dropped": HistoryBuilder(regions=_TWO_FED)
        .put("a1", "k")
        .do("put", "a1", "k", HOME, region="s")
        .rests()
        .sample("WAN-CFG-01 WAN-OPS-02"),
    }


def _asynchrony() -> dict[str, Sample]:
    cut = HistoryBuilder().fault("link_down")
    op = cut.call("put", "a1", "k")
    hangs = cut.shown(op, "a1").waited(op).fault("link_up").shown(op, "a2 b1 b2").ends(op)
    paused = HistoryBuilder().fault("pause", "a1", "out")
    op = paused.call("destroy", "a2", "k")
    fails = paused.ends(op, Status.INDEFINITE).fault("resume", "a1", "out")
    stopped = HistoryBuilder().fault("receiver_stop", "b1").fault("receiver_stop", "b2")
    op = stopped.call("put", "a1", "k")
    never = stopped.shown(op, HOME).waited(op)
    lost = HistoryBuilder().put("a1", "k", HOME).fault("crash", "a1")
    older = (
        HistoryBuilder()
        .put("a1", "n")
        .do("create", "a1", "k", HOME)
        .fault("crash", "a1")
        .put("a2", "m", "a2 b1 b2")
    )
    destroyed = HistoryBuilder().put("a1", "k").do("destroy", "a1", "k", HOME).fault("crash", "a1")
    return {
        "put waits for the link": hangs.rests().sample("WAN-ASYNC-01"),
        "destroy fails while paused": fails.rests().sample("WAN-ASYNC-01"),
        "put waits for a receiver": never.sample("WAN-ASYNC-01"),
        "crash of the caller loses a put": lost.rests().sample("WAN-ASYNC-02"),
        "crash of the caller loses a create": older.rests().sample("WAN-ASYNC-02"),
        "crash of the caller loses a destroy": destroyed.rests().sample("WAN-ASYNC-02"),
        "crash of the primary loses the secondary's put": HistoryBuilder()
        .put("a2", "k", HOME)
        .fault("crash", "a1")
        .rests()
        .sample("SER-ENQ-02"),
        "crash of the secondary loses the primary's put": HistoryBuilder()
        .put("a1", "n", HOME)
        .put("a1", "k", HOME)
        .fault("crash", "a2")
        .shown(1, AWAY)
        .rests()
        .sample("SER-ENQ-02"),
    }


def _order() -> dict[str, Sample]:
    def two(strength_of: HistoryBuilder) -> HistoryBuilder:
        return strength_of.look("a1", 0).put("a1", "k", HOME).put("a1", "k", HOME)

    keys = (
        HistoryBuilder().look("a1", 0).put("a1", "k", HOME).put("a1", "n", HOME).shown(2, AWAY).shown(1, AWAY)
    )
    crashed = HistoryBuilder().put("a1", "k", HOME).put("a1", "k", HOME).fault("crash", "a1")
    third = HistoryBuilder(dispatchers=2).put("a1", "k", HOME).put("a2", "k", HOME).put("a1", "k", HOME)
    return {
        "two of a key change places": two(HistoryBuilder())
        .shown(2, AWAY)
        .shown(1, AWAY)
        .rests(b1={"k": "v2"}, b2={"k": "v2"})
        .sample("WAN-ORDER-01 DISC-LSN-01"),
        "one member is told of the old one last": two(HistoryBuilder())
        .shown(1, "b1")
        .shown(2, AWAY)
        .shown(1, "b2")
        .rests()
        .sample("WAN-ORDER-01 WAN-OPS-02 CONS-RR-04 WANC-PEER-01"),
        "two keys of a thread change places": keys.rests().sample("WAN-ORDER-01"),
        "dispatchers part a key": two(HistoryBuilder(dispatchers=2))
        .shown(2, AWAY)
        .shown(1, AWAY)
        .sample("WAN-ORDER-02"),
        "dispatchers part a key of two members": third.shown(1, AWAY)
        .shown(3, AWAY)
        .shown(2, AWAY)
        .sample("WAN-ORDER-02"),
        "old after new across a takeover": crashed.shown(2, AWAY).shown(1, AWAY).sample("SER-FAILOVER-02"),
        "old after new of two members across a takeover": HistoryBuilder()
        .put("a1", "n")
        .put("a1", "k", HOME)
        .put("a2", "k", HOME)
        .fault("crash", "a1")
        .shown(3, "b1")
        .shown(2, "b1")
        .shown(2, "b2")
        .shown(3, "b2")
        .sample("SER-FAILOVER-02"),
    }


def _operations() -> dict[str, Sample]:
    vanished = HistoryBuilder().put("a1", "k").do("local_destroy", "a2", "k", "a2")
    nameless = HistoryBuilder().put("a1", "k")
    op = nameless.call("local_destroy", "a1", "k")
    nameless.shown(op, "a1 b1 b2", named=False).ends(op)
    unnamed = HistoryBuilder()
    op = unnamed.call("destroy", "a1", "k")
    unnamed.ends(op, Status.ABSENT).shown(op, AWAY, named=False)
    wiped = HistoryBuilder().put("a1", "k").do("invalidate", "a1", "k", HOME)
    none: dict[str, str | None] = {"k": None}
    return {
        "create does not cross": HistoryBuilder().do("create", "a1", "k", HOME).rests().sample("WAN-OPS-01"),
        "created with another value": HistoryBuilder()
        .do("create", "a1", "k")
        .rests(b1={"k": "w"}, b2={"k": "w"})
        .sample("WAN-OPS-01 DISC-LSN-01"),
        "put does not cross": HistoryBuilder()
        .put("a2", "k")
        .put("a1", "k", HOME)
        .rests()
        .sample("WAN-OPS-02"),
        "first put is dropped": HistoryBuilder()
        .put("a1", "k", HOME)
        .put("a1", "k")
        .rests()
        .sample("WAN-OPS-02"),
        "destroy does not cross": HistoryBuilder()
        .put("a1", "k")
        .do("destroy", "a1", "k", HOME)
        .rests()
        .sample("WAN-OPS-03"),
        "conflated away with its create": HistoryBuilder()
        .do("create", "a1", "k")
        .do("destroy", "a2", "k", HOME)
        .rests()
        .sample("WAN-OPS-03"),
        "get fills the primary's queue": HistoryBuilder()
        .fault("pause", "a1", "out")
        .put("a1", "k", HOME)
        .settle()
        .look("a1", 1)
        .do("get", "a2", "k", "")
        .look("a1", 2)
        .sample("WAN-OPS-04 STAT-QUEUE-01"),
        "get without a value fills the secondary's queue": HistoryBuilder()
        .put("a1", "k")
        .put("a1", "n")
        .settle()
        .look("a2", 0)
        .do("get", "a2", "x", "")
        .look("a2", 1)
        .sample("WAN-OPS-04"),
        "invalidate crosses": HistoryBuilder()
        .put("a1", "k")
        .do("invalidate", "a1", "k")
        .rests()
        .sample("WAN-OPS-05"),
        "invalidate wipes the value without a word": wiped.rests(b1=none, b2=none).sample(
            "WAN-OPS-05 DISC-LSN-01"
        ),
        "local invalidate crosses": HistoryBuilder()
        .put("a1", "k")
        .do("local_invalidate", "a1", "k", "a1 b1")
        .sample("WAN-OPS-05"),
        "local destroy crosses": HistoryBuilder()
        .put("a1", "k")
        .do("local_destroy", "a1", "k", "a1 b1 b2")
        .rests()
        .sample("WAN-OPS-06"),
        "local destroy crosses without its name": nameless.rests().sample("WAN-OPS-06"),
        "local destroy empties the other site": vanished.rests(b1={}, b2={}).sample("WAN-OPS-06 DISC-LSN-01"),
        "create without effect crosses": _call(
            HistoryBuilder().put("a1", "k"), AWAY, "create", "a1", "k", Status.EXISTS
        )
        .rests()
        .sample("WAN-OPS-10 WAN-OPS-02"),
        "vetoed put crosses": _call(HistoryBuilder(), AWAY, "put", "a1", "k", Status.FAILED)
        .rests()
        .sample("WAN-OPS-10"),
        "destroy without effect crosses": unnamed.rests().sample("WAN-OPS-10"),
    }


def _queue() -> dict[str, Sample]:
    cut = HistoryBuilder().put("a1", "k").fault("link_down").put("a1", "k", HOME).put("a1", "n", HOME)
    lossy = HistoryBuilder().fault("replies_lost").put("a1", "k").put("a1", "n")
    gone = HistoryBuilder().put("a1", "k", HOME).fault("crash", "b1")
    receiver = (
        HistoryBuilder().fault("receiver_stop", "b1").put("a1", "n", HOME).do("destroy", "a1", "n", HOME)
    )
    old = HistoryBuilder().fault("replies_lost").put("a1", "k").put("a1", "k").fault("link_up")
    destroyed = (
        HistoryBuilder().fault("replies_lost").put("a1", "k").do("destroy", "a1", "k").fault("link_up")
    )
    paused = HistoryBuilder().put("a1", "k").fault("pause", "a1", "out").put("a1", "n", HOME).settle()
    return {
        "sent is taken for answered": lossy.settle().look("a1", 0).look("a2", 2).sample("GWQ-ACK-01"),
        "one of two is kept while the link is cut": HistoryBuilder()
        .fault("link_down")
        .put("a1", "k", HOME)
        .put("a1", "k", HOME)
        .settle()
        .look("a1", 1)
        .look("a2", 2)
        .sample("GWQ-ACK-01"),
        "the secondary forgets before the reply": HistoryBuilder()
        .fault("replies_lost")
        .put("a1", "k")
        .settle()
        .look("a1", 1)
        .look("a2", 0)
        .sample("REM-GEN-01"),
        "the secondary forgets while the link is cut": HistoryBuilder()
        .fault("link_down")
        .put("a1", "k", HOME)
        .put("a2", "n", HOME)
        .settle()
        .look("a2", 1)
        .sample("REM-GEN-01"),
        "a killed receiver loses a batch": gone.put("a1", "n", "a1 a2 b2").rests().sample("GWQ-ACK-03"),
        "a stopped receiver loses a destroy": receiver.fault("receiver_start", "b1")
        .shown(1, AWAY)
        .rests()
        .sample("GWQ-ACK-03"),
        "an outage loses the second of two": cut.shown(2, AWAY)
        .fault("link_up")
        .rests()
        .sample("GWQ-RETRY-02"),
        "an outage loses a destroy": HistoryBuilder()
        .put("a1", "k")
        .fault("link_down")
        .do("destroy", "a1", "k", HOME)
        .fault("link_up")
        .rests()
        .sample("GWQ-RETRY-02"),
        "each comes twice": HistoryBuilder().put("a1", "k").shown(1, AWAY).rests().sample("GWQ-ACK-04"),
        "a destroy comes twice on one member": HistoryBuilder()
        .put("a2", "k")
        .do("destroy", "a1", "k")
        .shown(2, "b2")
        .sample("GWQ-ACK-04"),
        "a repetition puts the value back": old.shown(1, AWAY).rests().sample("RCV-DEDUP-01"),
        "a repetition revives the key": destroyed.shown(1, AWAY).rests().sample("RCV-DEDUP-01"),
        "depth at rest": HistoryBuilder().put("a1", "k").settle().look("a1", 1).sample("STAT-QUEUE-01"),
        "queued twice": paused.look("a1", 3).sample("STAT-QUEUE-01"),
        "the secondary keeps all": HistoryBuilder()
        .put("a1", "k")
        .settle()
        .look("a1", 0)
        .look("a2", 1)
        .look("a2", 1)
        .waited()
        .sample("REM-SERIAL-02"),
        "the secondary keeps what an outage left": HistoryBuilder()
        .fault("link_down")
        .put("a1", "k", HOME)
        .fault("link_up")
        .shown(1, AWAY)
        .settle()
        .look("a2", 1)
        .waited()
        .rests()
        .sample("REM-SERIAL-02"),
    }


def _roles() -> dict[str, Sample]:
    started = HistoryBuilder().look("a1", 0).look("a2", 0, "primary").look("a1", 0)
    after = (
        HistoryBuilder().look("a1", 0).look("a2", 0).fault("crash", "a1").settle().look("a2", 0, "secondary")
    )
    handed = HistoryBuilder().look("a1", 0).look("a2", 0).put("a1", "k").settle()
    left = HistoryBuilder().look("b1", 0, queue="back").put("a1", "k").settle()
    return {
        "a primary hands over": handed.look("a1", 0, "secondary")
        .look("a2", 0, "primary")
        .sample("SER-PRIMARY-02"),
        "a primary has become secondary": left.look("b1", 0, "secondary", "back").sample("SER-PRIMARY-02"),
        "two primaries": started.sample("SER-PRIMARY-01"),
        "two primaries at the other site": HistoryBuilder()
        .look("b1", 0, queue="back")
        .fault("crash", "a1")
        .look("b2", 0, "primary", "back")
        .sample("SER-PRIMARY-01"),
        "nobody takes over": after.sample("SER-PRIMARY-04"),
        "nobody takes over at the other site": HistoryBuilder()
        .look("b1", 0, queue="back")
        .look("b2", 0, queue="back")
        .look("b1", 0, queue="back")
        .fault("crash", "b1")
        .put("a1", "k", "a1 a2 b2")
        .settle()
        .look("b2", 0, queue="back")
        .sample("SER-PRIMARY-04"),
    }


def _conflicts() -> dict[str, Sample]:
    def both(tale: HistoryBuilder) -> HistoryBuilder:
        one, two = tale.call("put", "a1", "c"), tale.call("put", "b2", "c")
        return tale.shown(one, HOME).shown(two, AWAY).ends(one).ends(two)

    def at_home(tale: HistoryBuilder, kind: str) -> HistoryBuilder:
        one, two = tale.call("put", "a1", "h"), tale.call(kind, "a2", "h")
        return tale.shown(one, "a1").shown(two, HOME).ends(one).ends(two)

    destroyed = HistoryBuilder().put("a1", "c").do("destroy", "b1", "c", AWAY)
    return {
        "each site keeps its own": both(HistoryBuilder()).rests().sample("WANC-CHK-01"),
        "each site takes the other's": both(HistoryBuilder())
        .shown(1, AWAY)
        .shown(2, HOME)
        .rests()
        .sample("WANC-CHK-01"),
        "a destroy from the other site is refused": destroyed.rests().sample("WANC-CHK-01"),
        "one member keeps its older value": both(HistoryBuilder())
        .shown(1, "b1")
        .rests()
        .sample("WANC-PEER-01 CONS-RR-04"),
        "one member is not told": HistoryBuilder()
        .put("a1", "k", "a1 a2 b2")
        .settle()
        .put("a1", "k")
        .put("a1", "k", "a1 a2 b2")
        .rests()
        .sample("WANC-PEER-01 CONS-RR-04 WAN-OPS-02"),
        "the winner of a conflict at home is refused": at_home(HistoryBuilder(), "put")
        .shown(1, AWAY)
        .rests()
        .sample("WANC-LOCAL-02"),
        "the destroy that won at home is refused": at_home(HistoryBuilder(), "destroy")
        .shown(1, AWAY)
        .rests()
        .sample("WANC-LOCAL-02"),
    }


WRONG: dict[str, Sample] = {
    **_configuration(),
    **_asynchrony(),
    **_order(),
    **_operations(),
    **_queue(),
    **_roles(),
    **_conflicts(),
    **INSIDE_WRONG,
    **RESOLVED_WRONG,
    **MESH_WRONG,
}
"""By name, with the ids of all rules that they violate."""
