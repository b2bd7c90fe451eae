"""Samples of what is done to whole regions, and of registrations where there is nothing to load.

One site of the members A to D with the clients K, of B, and L, of C; or two sites.
"""

from __future__ import annotations

from plumbline.ci.selftest.histories.client_right import MEMBERS, told, untold
from plumbline.ci.selftest.histories.history_builder import AWAY, HOME, HistoryBuilder, Sample
from plumbline.reference.history.operations import RegionAttributes

_EMPTY: dict[str, dict[str, str | None]] = {member: {} for member in MEMBERS.split()}


def _alone(*, times: int) -> HistoryBuilder:
    """Two clears of one site, the second shown so often on B."""
    t = HistoryBuilder(regions=(RegionAttributes(name="r"),), alone=True).put("A", "x")
    for again in (1, times):
        clear = t.call("clear", "B", "")
        t.shown(clear, kind="clear")
        for _ in range(again - 1):
            t.shown(clear, "B", kind="clear")
        t.ends(clear).settle()
    return t


def _cleared(to: str, again: str = "") -> HistoryBuilder:
    """A clears what all hold; which clients show it, and which once more."""
    t = told().put("A", "x").settle()
    clear = t.call("clear", "A", "")
    return t.shown(clear, f"{MEMBERS} {to}", kind="clear").shown(clear, again, kind="clear").ends(clear)


def _without_interest() -> HistoryBuilder:
    """A clears the region; L has no interest in it, and keeps what it has put itself."""
    t = untold().register("K", "y").put("L", "x", f"{MEMBERS} L").settle()
    clear = t.call("clear", "A", "")
    return t.shown(clear, f"{MEMBERS} K", kind="clear").ends(clear)


def _invalidated(*to: str) -> HistoryBuilder:
    """A invalidates the region, and these clients show it."""
    t = told().put("A", "x").settle()
    sweep = t.call("invalidate_region", "A", "")
    return t.shown(sweep, " ".join((MEMBERS, *to)), kind="region_invalidate").ends(sweep)


def _across(kind: str, shown_as: str, to: str, *, both: bool = False) -> HistoryBuilder:
    """Site 1 does something to the whole region, and these members show it; or both sites do."""
    t = HistoryBuilder().put("a1", "k")
    call = t.call(kind, "a1", "")
    t.shown(call, f"{HOME} {to}", kind=shown_as).ends(call)
    if both:
        call = t.call(kind, "b1", "")
        t.shown(call, AWAY, kind=shown_as).ends(call)
    return t.settle()


def _both_kinds(client: str, times: int) -> HistoryBuilder:
    """A client has a registration with values and one without; how often it shows an update."""
    t = untold().put("A", "x", MEMBERS).settle()
    t.register(client, "x").register(client, "x.*", kind="regex", values=False)
    update = t.call("put", "D", "x")
    t.shown(update, MEMBERS)
    for _ in range(times):
        t.shown(update, client)
    return t.ends(update).settle()


def _registered(specification: str, *, refused: bool = False) -> HistoryBuilder:
    return untold().register("K", specification, kind="regex", refused=refused)


def _of_nothing(*, refused: bool = False, client: str = "K") -> HistoryBuilder:
    return untold().register(client, "x y", refused=refused)


RIGHT: dict[str, Sample] = {
    "each clear is shown once": _alone(times=1).sample(looks_like="CLEAR-TOMB-01"),
    "a clear reaches clients": _cleared("K L").settle().read().sample(looks_like="S2C-OPS-04"),
    "a clear leaves a client without interest alone": _without_interest()
    .settle()
    .read(**_EMPTY, K={}, L={"x": "v1"})
    .sample(looks_like="S2C-OPS-04"),
    "an invalidated region is not shown to clients": _invalidated().settle().sample(looks_like="S2C-OPS-06"),
    "both sites clear": _across("clear", "clear", "", both=True).sample(),
    "a clear stays at its site": _across("clear", "clear", "").sample(looks_like="WAN-OPS-08"),
    "registrations of both kinds lead to one message": _both_kinds("K", 1).sample(looks_like="S2C-RECV-05"),
    "what is no expression is refused": _registered("(", refused=True)
    .register("K", "x(a|b)[ab]", kind="regex")
    .sample(looks_like="INT-REGEX-02"),
    "a client starts empty": _of_nothing()
    .read(K={}, L={})
    .put("A", "x", f"{MEMBERS} K")
    .settle()
    .sample(looks_like="RIR-RULE-05"),
}
"""Right ones by name."""

WRONG: dict[str, Sample] = {
    "a clear is shown twice": _alone(times=2).sample("CLEAR-TOMB-01 DISC-LSN-01"),
    "a clear is shown three times": _alone(times=3).sample("CLEAR-TOMB-01 DISC-LSN-01"),
    "a clear stays at servers": _cleared("L").settle().read().sample("S2C-OPS-04"),
    "a clear comes back from a client": _cleared("K L", "C")
    .settle()
    .read()
    .sample("S2C-OPS-04 CLEAR-TOMB-01 DISC-LSN-01"),
    "an invalidated region is shown to a client": _invalidated("K").settle().sample("S2C-OPS-06"),
    "an invalidated region is shown to both clients": _invalidated("K", "L").settle().sample("S2C-OPS-06"),
    "a clear crosses": _across("clear", "clear", AWAY).sample("WAN-OPS-08"),
    "an invalidate of a region crosses": _across("invalidate_region", "region_invalidate", "b2").sample(
        "WAN-OPS-08"
    ),
    "registrations of both kinds lead to two messages": _both_kinds("K", 2).sample(
        "S2C-RECV-05 INT-UNION-02"
    ),
    "registrations of both kinds lead to three messages": _both_kinds("L", 3).sample(
        "S2C-RECV-05 INT-UNION-02"
    ),
    "a bracket that is never closed is registered": _registered("x[").sample("INT-REGEX-02"),
    "a bracket that was never opened is registered": _registered("x)").sample("INT-REGEX-02"),
    "a registration of nothing is refused": _of_nothing(refused=True).sample("RIR-RULE-05"),
    "an entry stands for what is not there": _of_nothing().read(K={"x": None}, L={}).sample("RIR-RULE-05"),
}
"""Wrong ones by name."""
