"""Samples of a partitioned region: right ones that look wrong, and wrong ones.

The primary of x is A, its copies lie on B and C; the primary of y is C, and its copy lies on D. K is served
by B, and begins without any interest.
"""

from __future__ import annotations

from plumbline.ci.selftest.histories.history_builder import HistoryBuilder, Sample
from plumbline.reference.history.operations import Client, RegionAttributes, RegionPolicy, Status

X, Y = "A B C", "C D"
"""The holders of the keys, the primary first."""


def _tale() -> HistoryBuilder:
    region = RegionAttributes(name="r", policy=RegionPolicy.PARTITION, redundancy=2)
    tale = HistoryBuilder(clients=(Client(name="K", servers=("B",)),), registers=False, regions=(region,))
    return tale.located("x", *X.split()).located("y", *Y.split())


def _held(key: str, holders: str, at: str, caller: str, **read: dict[str, str | None]) -> HistoryBuilder:
    """The second put of a key stands in a copy's listener, and all are read."""
    t = _tale().put(caller, key, holders).gate(at, 2)
    t.call("put", caller, key)
    return t.shown(2, holders).parked(at, 2).read(**read)


def _overtaking(key: str, holders: str, at: str) -> HistoryBuilder:
    """A third put is called while the second stands in a copy's listener."""
    t = _held(key, holders, at, "A")
    t.call("put", "D", key, thread="another")
    return t


def _written(key: str, holders: str) -> HistoryBuilder:
    """Two put a key at the same time."""
    t = _tale()
    t.call("put", "A", key)
    t.call("put", "D", key)
    return t.shown(1, holders)


def _struck(told: str, survivors: str = "B C") -> HistoryBuilder:
    """A dies while an update of x, which was told to some copies, is under way."""
    t = _tale().put("D", "x", X)
    t.call("put", "D", "x")
    t.shown(2, told).fault("crash", "A").ends(2, Status.INDEFINITE).settle()
    return t.located("x", *survivors.split()).located("y", *Y.split())


def _filled() -> HistoryBuilder:
    """Both keys were put, and all has come to rest."""
    return _tale().put("A", "x", X).put("A", "y", Y).settle()


RIGHT: dict[str, Sample] = {
    "the primary has what stands at a copy": _held("x", X, "B", "D")
    .released("B", 2)
    .ends(2)
    .rests()
    .sample(looks_like="CONS-PR-01"),
    "the next put waits until the copy goes on": _overtaking("x", X, "B")
    .released("B", 2)
    .ends(2)
    .shown(3, X)
    .ends(3)
    .rests()
    .sample(looks_like="CONS-PR-02"),
    "who holds no copy is told in another order": _written("x", f"{X}")
    .shown(2, f"{X} D")
    .shown(1, "D")
    .ends(1)
    .ends(2)
    .rests(D={}, B={"x": "v2"})
    .sample(looks_like="CONS-PR-03 CONS-PR-04"),
    "survivors keep what stood there before": _struck("").rests().sample(looks_like="CONS-PR-05"),
    "an update that one survivor was told of is taken back": _struck("B")
    .rests(B={"x": "v1"})
    .sample(looks_like="CONS-PR-05"),
    "all is loaded, from wherever it lies": _filled()
    .register("K")
    .read(K={"x": "v1", "y": "v2"})
    .register("K", "y", "none")
    .read(K={"x": "v1"})
    .settle()
    .sample(looks_like="INT-BULK-02"),
}
"""By name, samples that violate nothing."""

WRONG: dict[str, Sample] = {
    "a copy has it before the primary": _held("x", X, "B", "B", A={"x": "v1"})
    .released("B", 2)
    .ends(2)
    .rests()
    .sample("CONS-PR-01"),
    "the only copy has it before the primary": _held("y", Y, "D", "D", C={"y": "v1"})
    .released("D", 2)
    .ends(2)
    .rests()
    .sample("CONS-PR-01"),
    "the next put returns while the copy stands": _overtaking("x", X, "C")
    .ends(3)
    .released("C", 2)
    .ends(2)
    .shown(3, X)
    .rests()
    .sample("CONS-PR-02"),
    "the next put is applied while the copy stands": _overtaking("y", Y, "D")
    .shown(3, "C")
    .released("D", 2)
    .ends(2)
    .shown(3, "D")
    .ends(3)
    .rests()
    .sample("CONS-PR-02"),
    "a copy is told in another order": _written("x", "A B")
    .shown(2, X)
    .shown(1, "C")
    .ends(1)
    .ends(2)
    .rests(C={"x": "v2"})
    .sample("CONS-PR-03"),
    "the only copy is told in another order": _written("y", "C")
    .shown(2, Y)
    .shown(1, "D")
    .ends(1)
    .ends(2)
    .rests(D={"y": "v2"})
    .sample("CONS-PR-03"),
    "a copy was never sent an update": _tale().put("B", "x", "A B").rests().sample("CONS-PR-04"),
    "a copy was not sent the last update": _tale()
    .put("B", "y", Y)
    .put("B", "y", "C")
    .rests()
    .sample("CONS-PR-04"),
    "survivors stay apart": _struck("C").rests().sample("CONS-PR-05"),
    "one survivor has lost it": _struck("").rests(B={}).sample("CONS-PR-05"),
    "what lies elsewhere is not loaded": _filled()
    .register("K")
    .read(K={"x": "v1"})
    .settle()
    .sample("INT-BULK-02"),
    "a key of a list that lies elsewhere is not loaded": _filled()
    .register("K", "x y", "keys")
    .read(K={"x": None})
    .settle()
    .sample("INT-BULK-02"),
}
"""By name, samples with the requirements that they violate."""
