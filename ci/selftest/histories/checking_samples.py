"""Samples of how checking is set, and of what holds where it is off: right ones, and wrong ones.

K and L are served by B; only L checks, unless a sample says otherwise.
"""

from __future__ import annotations

from plumbline.ci.selftest.histories.client_right import MEMBERS
from plumbline.ci.selftest.histories.history_builder import HistoryBuilder, Sample
from plumbline.reference.history.operations import Client, RegionAttributes

BOTH = (Client(name="K", servers=("B",), checks=False), Client(name="L", servers=("B",)))
CHECKING = (Client(name="K", servers=("B",)),)


def _tale(clients: tuple[Client, ...] = BOTH, checks: bool | None = None) -> HistoryBuilder:
    return HistoryBuilder(clients=clients, regions=(RegionAttributes(name="r", checks=checks),))


def _unchecked() -> HistoryBuilder:
    """A key is put and destroyed where nothing is checked."""
    return _tale(checks=False).put("A", "x").do("destroy", "C", "x").settle()


def _contest() -> HistoryBuilder:
    """Two put a key at the same time, and B discards the first."""
    t = _tale().put("A", "x").settle()
    one, two = t.call("put", "A", "x"), t.call("put", "B", "x")
    return t.shown(one, "A K").shown(two, f"{MEMBERS} L K").ends(one).ends(two).settle()


def _destroyed(*, late: bool) -> HistoryBuilder:
    """A put comes to K in front of its own destroy of the key, or behind it."""
    t = _tale(CHECKING)
    put = t.call("put", "A", "x")
    t.shown(put, MEMBERS).ends(put)
    if not late:
        t.shown(put, "K")
    gone = t.call("destroy", "K", "x")
    return t.shown(gone, MEMBERS).ends(gone)


RIGHT: dict[str, Sample] = {
    "a setting is read as it was named": _tale(checks=False)
    .says("A", checks=False)
    .says("B", checks=False)
    .settle()
    .sample(looks_like="CFG-CHECKS-03"),
    "a region that names nothing checks": _tale()
    .says("A", checks=True)
    .settle()
    .sample(looks_like="CFG-CHECKS-01"),
    "copies differ where nothing is checked": HistoryBuilder(
        regions=(RegionAttributes(name="r", checks=False),), alone=True
    )
    .put("A", "x")
    .put("C", "x", "A C D")
    .rests()
    .sample(looks_like="CFG-CHECKS-07"),
    "the other setting is refused": _tale(checks=True)
    .left("B")
    .hosts("B", asked=False)
    .joined("B")
    .left("C")
    .hosts("C", asked=False, in_force=True)
    .settle()
    .sample(looks_like="CFG-CHECKS-04"),
    "a persistent region checks all the same": _tale()
    .left("B")
    .hosts("B", asked=False, in_force=True, persistent=True)
    .settle()
    .sample(looks_like="CFG-CHECKS-02"),
    "what a server has discarded is told to who does not check": _contest()
    .read(K={"x": "v3"})
    .sample(looks_like="CFG-CHECKS-06"),
    "nothing is counted where nothing is checked": _unchecked()
    .counts("A", "tombstoneCount", 0)
    .counts("B", "conflatedEvents", 0)
    .read()
    .sample(looks_like="CFG-CHECKS-08"),
    "a put comes in front of a client's destroy": _destroyed(late=False)
    .settle()
    .read(K={})
    .sample(looks_like="CONS-CL-03"),
}

WRONG: dict[str, Sample] = {
    "a region checks that was told not to": _tale(checks=False)
    .says("A", checks=True)
    .settle()
    .sample("CFG-CHECKS-03"),
    "a region does not check that was told to": _tale(checks=True)
    .says("C", checks=False)
    .settle()
    .sample("CFG-CHECKS-03"),
    "a region that names nothing does not check": _tale()
    .says("A", checks=False)
    .settle()
    .sample("CFG-CHECKS-01"),
    "it checks on another member alone": _tale()
    .says("A", checks=True)
    .says("D", checks=False)
    .settle()
    .sample("CFG-CHECKS-01"),
    "a value is left that was never written": _tale(checks=False)
    .put("A", "x")
    .rests(B={"x": "both"})
    .sample("CFG-CHECKS-07"),
    "it is left in a client": _tale(checks=False)
    .put("A", "x")
    .rests(K={"x": "both"})
    .sample("CFG-CHECKS-07 TRK-ORDER-02"),
    "one does without checking where the others check": _tale()
    .left("B")
    .hosts("B", asked=False, in_force=False)
    .settle()
    .sample("CFG-CHECKS-04"),
    "one checks where the others do not": _tale(checks=False)
    .left("B")
    .hosts("B", asked=True, in_force=True)
    .settle()
    .sample("CFG-CHECKS-04"),
    "a persistent region does without checking": _tale(checks=False)
    .left("B")
    .hosts("B", asked=False, in_force=False, persistent=True)
    .settle()
    .sample("CFG-CHECKS-02"),
    "another does so where it is the only one": _tale(checks=False)
    .left("A")
    .left("B")
    .left("C")
    .left("D")
    .hosts("D", asked=False, in_force=False, persistent=True)
    .settle()
    .sample("CFG-CHECKS-02"),
    "a put is told only to who checks": _tale()
    .put("A", "x", f"{MEMBERS} L")
    .settle()
    .sample("CFG-CHECKS-06 INT-REG-01 INT-REG-02 S2C-OPS-07 S2C-RECV-01 TRK-ONCE-01"),
    "a destroy is told only to who checks": _tale()
    .put("A", "x")
    .do("destroy", "C", "x", f"{MEMBERS} L")
    .settle()
    .sample("CFG-CHECKS-06"),
    "a tombstone where nothing is checked": _unchecked()
    .counts("A", "tombstoneCount", 1)
    .read()
    .sample("CFG-CHECKS-08"),
    "a discard where nothing is checked": _unchecked()
    .counts("D", "conflatedEvents", 2)
    .read()
    .sample("CFG-CHECKS-08"),
    "a put comes behind a client's destroy": (t := _destroyed(late=True))
    .shown(1, "K", after=t.moments)
    .settle()
    .read(K={"x": "v1"})
    .sample("CONS-CL-01 CONS-CL-03 TRK-ORDER-02"),
    "a put comes behind a client's destroy, and goes": (t := _destroyed(late=True))
    .shown(1, "K", after=t.moments)
    .settle()
    .read(K={})
    .sample("CONS-CL-03"),
}
