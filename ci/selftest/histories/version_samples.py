"""Samples of versions and tombstones of one key: changes that tie, and such as overtake others.

One site of the members A to D, their ids in this order.
"""

from __future__ import annotations

from plumbline.ci.selftest.histories.history_builder import HistoryBuilder, Sample
from plumbline.reference.history.operations import RegionAttributes

_TIES = "VER-ID-01 VER-TIE-03"
_SEEN = "DISC-APPLIED-01 CONS-RR-03"
_HIGH: dict[str, str | None] = {"x": "v3"}


def _tale() -> HistoryBuilder:
    """C has put x, and all have it."""
    return HistoryBuilder(regions=(RegionAttributes(name="r"),), alone=True).put("C", "x")


def _tie(
    lower: str = "put", higher: str = "put", *, low: str = "A B", high: str = "C A B D", late: str = ""
) -> HistoryBuilder:
    """A and C change x at the same time.

    Args:
        lower: what A calls.
        higher: what C calls.
        low: who shows A's change first, or alone.
        high: who shows C's.
        late: who shows A's behind it.
    """
    t = _tale()
    one, two = t.call(lower, "A", "x"), t.call(higher, "C", "x")
    t.shown(one, low).shown(two, high)
    if late:
        t.shown(one, late)
    return t.ends(one).ends(two)


def _overtaken(
    earlier: str, later: str, *, before: str = "", behind: str = "", first: bool = True, reach: str = "C D"
) -> HistoryBuilder:
    """B calls something behind what A has called, and that reaches others before it.

    Args:
        earlier: what A calls.
        later: what B calls.
        before: who besides A and B shows the earlier change before the later one.
        behind: who shows it behind that.
        first: whether the key was there before.
        reach: who besides A and B shows the later change.
    """
    t = _tale() if first else HistoryBuilder(regions=(RegionAttributes(name="r"),), alone=True)
    one = t.call(earlier, "A", "x")
    t.shown(one, f"A B {before}")
    two = t.call(later, "B", "x")
    t.shown(two, f"B A {reach}")
    if behind:
        t.shown(one, behind)
    return t.ends(one).ends(two)


def _again(reach: str) -> HistoryBuilder:
    """A key is put, destroyed and created again; who shows that last change."""
    t = _tale().do("destroy", "B", "x").settle()
    create = t.call("create", "A", "x")
    return t.shown(create, reach).ends(create)


RIGHT: dict[str, Sample] = {
    "the higher id wins": _tie()
    .rests()
    .sample(looks_like=f"{_TIES} {_SEEN} VER-TIE-01 VER-TIE-02 EX-A3C3-03 EX-A3C3-04 EX-A3C3-05"),
    "a destroy of the lower id loses": _tie("destroy").rests().sample(looks_like="VER-OPS-01 TOMB-RETAIN-02"),
    "a destroy of the higher id wins": _tie(higher="destroy")
    .rests()
    .sample(looks_like="VER-OPS-01 TOMB-RETAIN-02"),
    "an update is overtaken": _overtaken("put", "put", before="D")
    .rests()
    .sample(looks_like="VER-CMP-01 VER-CMP-02"),
    "a destroy overtakes an update": _overtaken("put", "destroy").rests().sample(looks_like="TOMB-RETAIN-02"),
    "a destroy overtakes a create": _overtaken("create", "destroy", first=False)
    .rests()
    .sample(looks_like="TOMB-RETAIN-05"),
    "a key is created again": _again("A B C D").rests().sample(looks_like="TOMB-RETAIN-04"),
}
"""Right ones by name."""

WRONG: dict[str, Sample] = {
    "the lower id stays where it was called": _tie(high="C B D")
    .rests()
    .sample(f"{_TIES} VER-TIE-01 EX-A3C3-04 EX-A3C3-05 CONS-RR-04"),
    "the lower id stays where it came first": _tie(high="C A D")
    .rests()
    .sample(f"{_TIES} VER-TIE-01 EX-A3C3-04 EX-A3C3-05 CONS-RR-04"),
    "the lower id wins on the member of the higher": _tie(late="C")
    .rests()
    .sample(f"{_TIES} VER-TIE-02 EX-A3C3-03 EX-A3C3-05 CONS-RR-04"),
    "the lower id wins where it comes last": _tie(late="D")
    .rests()
    .sample(f"{_TIES} VER-TIE-02 EX-A3C3-05 CONS-RR-04"),
    "the lower id wins everywhere": _tie(late="C D", high="C D")
    .rests()
    .sample("VER-TIE-01 VER-TIE-02 VER-TIE-03 EX-A3C3-03 EX-A3C3-04 EX-A3C3-05"),
    "a winner is not shown where it was called against": _tie(high="C B D")
    .rests(A=_HIGH)
    .sample("DISC-APPLIED-01 EX-A3C3-04 DISC-LSN-01"),
    "a winner is not shown where it came last": _tie(high="C A D")
    .rests(B=_HIGH)
    .sample("DISC-APPLIED-01 EX-A3C3-04 DISC-LSN-01"),
    "a loser is shown on the member of the winner": _tie(late="C")
    .rests(C=_HIGH)
    .sample("CONS-RR-03 EX-A3C3-03 EX-A3C3-05 DISC-LSN-01"),
    "a loser is shown behind the winner": _tie(late="D")
    .rests(D=_HIGH)
    .sample("CONS-RR-03 EX-A3C3-05 DISC-LSN-01"),
    "a put wins against the destroy of a higher id": _tie(higher="destroy", late="D")
    .rests()
    .sample(f"{_TIES} VER-OPS-01 VER-TIE-02 TOMB-RETAIN-02 CONS-RR-04"),
    "a destroy wins against the put of a higher id": _tie("destroy", late="C")
    .rests()
    .sample(f"{_TIES} VER-OPS-01 VER-TIE-02 TOMB-RETAIN-02 CONS-RR-04"),
    "a later put is dropped": _overtaken("put", "put", before="C D", reach="D")
    .rests()
    .sample("VER-CMP-01 CONS-RR-04"),
    "a later put is dropped that skips a version": _overtaken("put", "put", reach="C")
    .rests()
    .sample("VER-CMP-01 CONS-RR-04 CONS-RR-05"),
    "an earlier put replaces a later one": _overtaken("put", "put", behind="C")
    .rests()
    .sample("VER-CMP-02 CONS-RR-04"),
    "an earlier put is shown behind a later one": _overtaken("put", "put", behind="D")
    .rests(D=_HIGH)
    .sample("VER-CMP-02 DISC-LSN-01"),
    "an update brings a destroyed key back": _overtaken("put", "destroy", behind="C")
    .rests()
    .sample("TOMB-RETAIN-02 CONS-RR-04"),
    "an update that lost against a destroy is shown": _overtaken("put", "destroy", behind="D")
    .rests(D={})
    .sample("TOMB-RETAIN-02 DISC-LSN-01"),
    "a late create brings a destroyed key back": _overtaken("create", "destroy", first=False, behind="C")
    .rests()
    .sample("TOMB-RETAIN-05 CONS-RR-04"),
    "a late create is shown behind the destroy": _overtaken("create", "destroy", first=False, behind="D")
    .rests(D={})
    .sample("TOMB-RETAIN-05 DISC-LSN-01"),
    "a key that is created again loses against its tombstone": _again("A B C")
    .rests()
    .sample("TOMB-RETAIN-02 TOMB-RETAIN-04 VER-CMP-01 CONS-RR-04"),
    "it loses everywhere but where it was called": _again("A")
    .rests()
    .sample("TOMB-RETAIN-02 TOMB-RETAIN-04 VER-CMP-01 CONS-RR-04"),
}
"""Wrong ones by name."""
