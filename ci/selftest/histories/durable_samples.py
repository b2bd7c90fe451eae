"""Samples of durable clients: lives that break no rule though they look it, and lives that break some.

K is served by B and has registered for all keys durably, unless a sample says otherwise.
"""

from __future__ import annotations

from plumbline.ci.selftest.histories.history_builder import HistoryBuilder, Sample
from plumbline.reference.history.operations import Client, RegionAttributes, Status

ONE = (Client(name="K", servers=("B",), durable_id="k", durable_timeout_s=60),)
SECURED = (Client(name="K", servers=("B", "C"), redundancy=1, durable_id="k", durable_timeout_s=60),)
OTHERS = (Client(name="K", servers=("B",)), Client(name="L", servers=("B",)))
TWO_REGIONS = (RegionAttributes(name="r"), RegionAttributes(name="u"))
MEMBERS = "A B C D"
TO_K = f"{MEMBERS} K"
KEPT, CLOSED, CRASHED = "client_detach", "client_close", "client_crash"
NOT_TOLD = "INT-REG-01 INT-REG-02 S2C-OPS-07 S2C-RECV-01 TRK-ONCE-01"
"""What else a client breaks that is not durable, and misses the first operation on a key."""


def _born(*, durable: bool = True) -> HistoryBuilder:
    """K runs for the first time, and has registered."""
    return HistoryBuilder(clients=ONE, registers=False).register("K", durable=durable)


def _ready(t: HistoryBuilder, *told: int, live: bool = True) -> HistoryBuilder:
    """K becomes ready. Its listener receives these operations and the marker."""
    t.fault("client_ready", client="K")
    for op_id in told:
        t.shown(op_id, "K")
    return (t.live("K") if live else t).settle()


def _away(how: str) -> HistoryBuilder:
    """K was ready and has gone."""
    return _ready(_born()).fault(how, client="K")


def _back(t: HistoryBuilder, *, milliseconds: int = 0, registers: bool = True) -> HistoryBuilder:
    """K comes back, once so much time has passed."""
    if milliseconds:
        t.settle().fault("time_leap", milliseconds=milliseconds)
    t.settle().fault("client_start", client="K")
    return t.register("K", policy="none", durable=True) if registers else t


def _missed(how: str, *told: int, milliseconds: int = 0) -> HistoryBuilder:
    """While K is away x and y are put. It comes back, becomes ready, and receives some of them."""
    t = _away(how).put("A", "x", MEMBERS).put("C", "y", MEMBERS)
    return _ready(_back(t, milliseconds=milliseconds), *told)


def _undone(how: str, *told: int) -> HistoryBuilder:
    """While K is away x is put and destroyed."""
    t = _away(how).put("A", "x", MEMBERS).do("destroy", "A", "x", MEMBERS)
    return _ready(_back(t), *told)


def _parted_interest() -> HistoryBuilder:
    """K has registered for x durably and for y otherwise; both are put while it is away, and it is back."""
    t = HistoryBuilder(clients=ONE, registers=False).register("K", "x", durable=True).register("K", "y")
    t = _ready(t).fault(KEPT, client="K").put("A", "x", MEMBERS).put("A", "y", MEMBERS)
    return _back(t, registers=False)


def _uninterested() -> HistoryBuilder:
    """None of K's registrations is durable; x is put before it goes, and y while it is away; it is back."""
    t = _born(durable=False).put("A", "x", MEMBERS).settle().fault(KEPT, client="K").put("A", "y", MEMBERS)
    return _back(t, registers=False)


def _unready(how: str, *told: int) -> HistoryBuilder:
    """K has registered for x durably and for y otherwise, goes before it is ready, and is back."""
    t = HistoryBuilder(clients=ONE, registers=False).register("K", "x", durable=True).register("K", "y")
    t.put("A", "x", MEMBERS).put("C", "y", MEMBERS).settle().fault(how, client="K")
    return _ready(_back(t, registers=False), *told)


def _others() -> HistoryBuilder:
    return HistoryBuilder(clients=OTHERS)


def _starts(*, live: bool = True) -> HistoryBuilder:
    """K starts for the first time, and x is put before it is ready."""
    return _ready(_born().put("A", "x", MEMBERS).settle(), 1, live=live)


def _acknowledged(milliseconds: int) -> HistoryBuilder:
    """K receives a put of x, is away once so much time has passed, and is back."""
    t = _ready(_born()).put("A", "x", TO_K).settle()
    t.fault("time_leap", milliseconds=milliseconds).settle().fault(KEPT, client="K")
    return _back(t)


def _late(*, registers: bool = True) -> HistoryBuilder:
    """K is back long after its time-out."""
    return _back(_away(KEPT), milliseconds=120_000, registers=registers)


def _away_twice(how: str = KEPT) -> HistoryBuilder:
    """K has been away twice, each time for two thirds of its time-out; x was put the second time."""
    t = _ready(_back(_away(how), milliseconds=40_000)).fault(how, client="K").put("A", "x", MEMBERS)
    return _back(t, milliseconds=40_000)


def _logs(alerts: int, how: str = KEPT) -> HistoryBuilder:
    """Its server is asked for alerts when K has timed out."""
    return _away(how).settle().fault("time_leap", milliseconds=120_000).settle().counts("B", "alerts", alerts)


def _alone() -> HistoryBuilder:
    """K, which is not durable, holds x, and its only server has died."""
    return HistoryBuilder(clients=OTHERS[:1]).put("A", "x", TO_K).settle().fault("crash", "B")


def _gets_alone(status: Status, value: str | None) -> HistoryBuilder:
    t = _alone()
    return t.ends(t.call("get", "K", "x"), status, value).read(K={"x": "v1"})


def _writes_alone(*, status: Status, shows: bool) -> HistoryBuilder:
    t = _alone()
    op_id = t.call("put", "K", "x")
    return (t.shown(op_id, "K") if shows else t).ends(op_id, status)


def _secured(*dies: str, puts: bool = True) -> HistoryBuilder:
    """K of two servers was away while x was put; these of them died then, and it is back."""
    t = HistoryBuilder(clients=SECURED, registers=False).register("K", durable=True)
    t = _ready(t).fault(KEPT, client="K")
    t = t.put("A", "x", MEMBERS).settle() if puts else t
    for server in dies:
        t.fault("crash", server)
    return _back(t)


def _fails_over(*told: int, live: bool = True, puts: bool = True) -> HistoryBuilder:
    """The same, where the first server dies once K is ready."""
    t = _secured(puts=puts).fault("client_ready", client="K").fault("crash", "B")
    for op_id in told:
        t.shown(op_id, "K")
    return (t.live("K") if live else t).settle()


RIGHT: dict[str, Sample] = {
    "told again soon": _ready(_acknowledged(1_000), 1).sample(looks_like="DUR-DISC-05"),
    "told once": _ready(_acknowledged(60_000)).sample(looks_like="DUR-DISC-05"),
    "new behind its time-out": _ready(_late().put("A", "x", MEMBERS), 1).sample(looks_like="DUR-TIMEOUT-04"),
    "away twice": _ready(_away_twice(), 1).sample(looks_like="DUR-TIMEOUT-05"),
    "logs a time-out": _logs(1).sample(looks_like="DUR-TIMEOUT-03"),
    "reads without servers": _gets_alone(Status.OK, "v1").sample(looks_like="DUR-OFFL-01"),
    "fails without servers": _writes_alone(status=Status.FAILED, shows=False).sample(
        looks_like="DUR-OFFL-02"
    ),
    "a survivor keeps": _ready(_secured("B"), 1).sample(looks_like="FO-DUR-01"),
    "no survivor": _ready(_secured("B", "C")).sample(looks_like="FO-DUR-02"),
    "a failover in a replay": _fails_over(1).sample(looks_like="DUR-MARKER-03 DUR-MARKER-04"),
    "kept": _undone(KEPT, 1, 2)
    .put("C", "y", TO_K)
    .settle()
    .sample(looks_like="DUR-DISC-01 DUR-DISC-02 DUR-REPLAY-05 RIR-RULE-06"),
    "crashed": _missed(CRASHED, 1, 2)
    .put("A", "x", TO_K)
    .settle()
    .sample(looks_like="DUR-CRASH-01 DUR-REPLAY-03 DUR-REPLAY-06 DUR-REPLAY-07"),
    "first start": _starts()
    .put("A", "x", TO_K)
    .settle()
    .sample(looks_like="DUR-READY-01 DUR-MARKER-01 DUR-REPLAY-06"),
    "timed out": _missed(KEPT, milliseconds=120_000).sample(looks_like="DUR-TIMEOUT-01 DUR-DISC-02"),
    "in time": _missed(KEPT, 1, 2, milliseconds=30_000).sample(looks_like="DUR-TIMEOUT-02"),
    "closed": _missed(CLOSED).sample(looks_like="DUR-DISC-06 DUR-DISC-02"),
    "uninterested": _ready(_uninterested()).sample(looks_like="DUR-DISC-07 DUR-DISC-02"),
    "parted interest": _ready(_parted_interest(), 1)
    .put("A", "y", MEMBERS)
    .settle()
    .sample(looks_like="DUR-DISC-03 DUR-REPLAY-09"),
    "unready": _unready(KEPT, 1, 2).sample(looks_like="DUR-DISC-04"),
    "unchanged": _missed(KEPT, 1, 2).read(K={}).sample(looks_like="DUR-REPLAY-04"),
    "unchanged in its first life": _starts().read(K={}).sample(looks_like="DUR-MARKER-02"),
    "changed again": _missed(CRASHED, 1, 2)
    .put("A", "x", TO_K)
    .settle()
    .read(K={"x": "v3"})
    .sample(looks_like="DUR-REPLAY-08 DUR-REPLAY-04"),
    "not durable": _others()
    .fault("client_ready", client="L")
    .put("A", "x")
    .settle()
    .sample(looks_like="DUR-READY-02"),
    "a get of what was kept": _ready(
        _back(_away(KEPT).put("A", "x", MEMBERS)).do("get", "K", "x", "").shown(1, "K"), 1
    ).sample(looks_like="DUR-READY-01 DUR-REPLAY-05"),
}
"""By name, samples that no rule may accuse."""


def _ready_wrong() -> dict[str, Sample]:
    """Readiness and the first start."""
    one_region = HistoryBuilder(clients=ONE, registers=False, regions=TWO_REGIONS)
    early = _born().put("A", "x", TO_K).settle()
    late = _ready(_born().put("A", "x", MEMBERS).settle())
    return {
        "told before it is ready": _ready(early).sample("DUR-READY-01"),
        "told with the next event only": late.put("A", "y", MEMBERS)
        .shown(1, "K")
        .shown(2, "K")
        .settle()
        .sample("DUR-READY-01 DUR-REPLAY-06"),
        "returns and is told before it is ready": _ready(
            _back(_away(KEPT).put("A", "x", MEMBERS)).shown(1, "K").settle()
        ).sample("DUR-READY-01"),
        "first start without a marker": _starts(live=False).sample("DUR-MARKER-01 DUR-REPLAY-07"),
        "one region of two is live": _ready(one_region.register("K", durable=True)).sample(
            "DUR-MARKER-01 DUR-REPLAY-07"
        ),
        "waits for a word that is not due": _others()
        .fault("client_ready", client="L")
        .put("A", "x", f"{MEMBERS} L")
        .settle()
        .sample(f"DUR-READY-02 {NOT_TOLD}"),
        "loses its interest by a word that is not due": _others()
        .fault("client_ready", client="L")
        .put("A", "x", TO_K)
        .settle()
        .sample(f"DUR-READY-02 {NOT_TOLD}"),
    }


def _replays_wrong() -> dict[str, Sample]:
    """What is told when a client has come back, and in which order."""
    marked_first = _back(_away(KEPT).put("A", "x", MEMBERS)).fault("client_ready", client="K").live("K")
    overtaken = _back(_away(KEPT).put("A", "x", MEMBERS)).fault("client_ready", client="K").shown(1, "K")
    one_key = _away(CRASHED).put("A", "x", MEMBERS).put("C", "x", MEMBERS)
    return {
        "value of what was kept": _missed(KEPT, 1, 2).read(K={"x": "v1"}).sample("DUR-REPLAY-04"),
        "key of what was kept": _missed(CRASHED, 1, 2).read(K={"y": None}).sample("DUR-REPLAY-04"),
        "value from before the first marker": _starts().read(K={"x": "v1"}).sample("DUR-MARKER-02"),
        "key from before the first marker": _starts().read(K={"x": None}).sample("DUR-MARKER-02"),
        "never normal": _missed(KEPT, 1, 2).put("A", "x", TO_K).settle().read(K={}).sample("DUR-REPLAY-08"),
        "normal without values": _starts()
        .put("A", "x", TO_K)
        .settle()
        .read(K={"x": None})
        .sample("DUR-REPLAY-08"),
        "marker in front": marked_first.shown(1, "K").settle().sample("DUR-REPLAY-06"),
        "new event in front of the marker": overtaken.put("A", "y", TO_K)
        .live("K")
        .settle()
        .sample("DUR-REPLAY-06"),
        "live twice": _missed(KEPT, 1, 2).live("K").settle().sample("DUR-REPLAY-07"),
        "backwards": _missed(KEPT, 2, 1).sample("DUR-REPLAY-03"),
        "a key backwards": _ready(_back(one_key), 2, 1).sample("DUR-REPLAY-03"),
        "kept and told twice": _missed(KEPT, 1, 1, 2).sample("DUR-REPLAY-05"),
        "the last is told twice": _missed(CRASHED, 1, 2, 2).sample("DUR-REPLAY-05"),
        "kept and never told": _missed(KEPT, 1).sample("DUR-DISC-02 DUR-REPLAY-05 DUR-REPLAY-09"),
        "kept and told too late": _missed(KEPT, 1)
        .shown(2, "K")
        .settle()
        .sample("DUR-DISC-02 DUR-REPLAY-06 DUR-REPLAY-09"),
        "forgotten by a crash": _missed(CRASHED).sample("DUR-CRASH-01 DUR-REPLAY-05 DUR-REPLAY-09"),
        "told too late after a crash": _missed(CRASHED, 1)
        .shown(2, "K")
        .settle()
        .sample("DUR-CRASH-01 DUR-REPLAY-06 DUR-REPLAY-09"),
        "the destroy of a key alone is told": _undone(KEPT, 2).sample(
            "RIR-RULE-06 DUR-DISC-02 DUR-REPLAY-05 DUR-REPLAY-09"
        ),
        "nothing is told of a key that is gone": _undone(CRASHED).sample(
            "RIR-RULE-06 DUR-CRASH-01 DUR-REPLAY-05 DUR-REPLAY-09"
        ),
    }


def _servers_wrong() -> dict[str, Sample]:
    """What servers forget, and what happens without them."""
    return {
        "acknowledged and told again": _ready(_acknowledged(60_000), 1).sample("DUR-DISC-05"),
        "acknowledged and told again later": _ready(_acknowledged(11_000), 1).sample("DUR-DISC-05"),
        "interest outlasts its time-out": _ready(_late(registers=False).put("A", "x", MEMBERS), 1).sample(
            "DUR-TIMEOUT-04"
        ),
        "no marker behind its time-out": _ready(_late(), live=False).sample("DUR-TIMEOUT-04 DUR-REPLAY-07"),
        "absences add up": _ready(_away_twice()).sample("DUR-TIMEOUT-05 DUR-TIMEOUT-02"),
        "absences add up behind a crash": _ready(_away_twice(CRASHED)).sample(
            "DUR-TIMEOUT-05 DUR-TIMEOUT-02"
        ),
        "no alert": _logs(0).sample("DUR-TIMEOUT-03"),
        "no alert behind a crash": _logs(0, CRASHED).sample("DUR-TIMEOUT-03"),
        "a get fails without servers": _gets_alone(Status.FAILED, None).sample("DUR-OFFL-01"),
        "a get finds nothing without servers": _gets_alone(Status.OK, None).sample("DUR-OFFL-01"),
        "an update ends well without servers": _writes_alone(status=Status.OK, shows=False).sample(
            "DUR-OFFL-02"
        ),
        "a failed update shows": _writes_alone(status=Status.FAILED, shows=True).sample("DUR-OFFL-02"),
        "a survivor lets go": _ready(_secured("B")).sample("FO-DUR-01"),
        "the other survivor lets go": _ready(_secured("C")).sample("FO-DUR-01"),
        "kept by the dead": _ready(_secured("B", "C"), 1).sample("FO-DUR-02"),
        "kept by the dead, the second first": _ready(_secured("C", "B"), 1).sample("FO-DUR-02"),
        "a replay ends with its server": _fails_over().sample("DUR-MARKER-03"),
        "a replay comes twice": _fails_over(1, 1).sample("DUR-MARKER-03"),
        "a marker dies with its server": _fails_over(live=False, puts=False).sample("DUR-MARKER-04"),
        "a marker comes twice": _fails_over(puts=False).live("K").settle().sample("DUR-MARKER-04"),
    }


def _kept_wrong() -> dict[str, Sample]:
    """What servers keep for a client that is away, and for how long."""
    told_before = _born().put("A", "x", MEMBERS).settle().fault(CLOSED, client="K")
    return {
        "queue emptied at parting": _unready(KEPT).sample("DUR-DISC-04"),
        "other events dropped at a crash": _unready(CRASHED, 1).sample("DUR-DISC-04"),
        "told while it is away": _ready(_back(_away(KEPT).put("A", "x", TO_K)), 1).sample("DUR-DISC-01"),
        "told while it is closed": _away(CLOSED).put("A", "x", TO_K).settle().sample("DUR-DISC-01"),
        "closed and told": _missed(CLOSED, 1).sample("DUR-DISC-06"),
        "closed and told of what was queued before": _ready(_back(told_before), 1).sample("DUR-DISC-06"),
        "kept for no durable interest": _ready(_uninterested(), 2).sample(
            "DUR-DISC-07 DUR-DISC-03 DUR-REPLAY-09"
        ),
        "queue kept for no durable interest": _ready(_uninterested(), 1).sample("DUR-DISC-07"),
        "other interest is kept": _ready(_parted_interest(), 1, 2).sample("DUR-DISC-03 DUR-REPLAY-09"),
        "other interest comes back": _ready(_parted_interest(), 1)
        .put("A", "y", TO_K)
        .settle()
        .sample("DUR-DISC-03"),
        "kept beyond its time": _missed(KEPT, 1, 2, milliseconds=120_000).sample("DUR-TIMEOUT-01"),
        "kept beyond its time after a crash": _missed(CRASHED, 1, milliseconds=600_000).sample(
            "DUR-TIMEOUT-01"
        ),
        "given up early": _missed(KEPT, milliseconds=30_000).sample("DUR-TIMEOUT-02"),
        "given up early after a crash": _missed(CRASHED, 2, milliseconds=40_000).sample("DUR-TIMEOUT-02"),
    }


WRONG: dict[str, Sample] = _ready_wrong() | _replays_wrong() | _kept_wrong() | _servers_wrong()
"""By name, samples with the requirements that they violate."""
