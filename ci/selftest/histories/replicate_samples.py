"""Samples of replicates: messages that come again, clears, tombstones and statistics, right and wrong.

One site, unless a conflict resolver is asked: then there are two.
"""

from __future__ import annotations

from plumbline.ci.selftest.histories.history_builder import AWAY, HOME, HistoryBuilder, Sample
from plumbline.reference.history.operations import RegionAttributes

_LEFT: dict[str, str | None] = {"x": "v1"}


def _tale() -> HistoryBuilder:
    return HistoryBuilder(regions=(RegionAttributes(name="r"),), alone=True)


def _again() -> HistoryBuilder:
    """The message of a put comes to B once more when all have it."""
    return _tale().put("A", "x").settle().again(1, "B")


def _cleared() -> HistoryBuilder:
    """A key is put, and B clears the region."""
    t = _tale().put("A", "x").settle()
    return t.ends(t.call("clear", "B", ""))


def _destroyed() -> HistoryBuilder:
    """Two keys are put, and one is destroyed."""
    return _tale().put("A", "x").put("B", "y").do("destroy", "C", "x").settle()


def _contest() -> HistoryBuilder:
    """Two put a key at the same time, and B discards the first."""
    t = _tale()
    one, two = t.call("put", "A", "x"), t.call("put", "B", "x")
    return t.shown(one, "A C D").shown(two).ends(one).ends(two).settle()


def _met() -> tuple[HistoryBuilder, int, int]:
    """Both sites put a key, one behind the other's return: the tale so far, and both puts."""
    t = HistoryBuilder(resolver="allow").fault("link_down")
    one = t.call("put", "a1", "k")
    t.shown(one, HOME).ends(one)
    two = t.call("put", "b1", "k")
    return t.shown(two, AWAY).ends(two).fault("link_up"), one, two


def _right() -> dict[str, Sample]:
    between = _tale().put("A", "x")
    clear, put = between.call("clear", "B", ""), between.call("put", "A", "x")
    between.shown(put).ends(put).ends(clear)
    asked, one, two = _met()
    asked.asked(two, "a2", "allow", old=one).shown(two, HOME)
    asked.asked(one, "b1", "allow", old=two).shown(one, AWAY)
    behind = _cleared().put("A", "x")
    return {
        "a message comes once more": _again().rests().sample(looks_like="VER-DUP-01"),
        "a put is cleared that is called meanwhile": between.rests(A={}, B={}, C={}, D={}).sample(
            looks_like="CLEAR-CONV-01"
        ),
        "a put behind a clear stays": behind.rests().sample(looks_like="CLEAR-CONV-01"),
        "a tombstone is not seen": _destroyed().read().sample(looks_like="TOMB-INVIS-01"),
        "tombstones are counted": _destroyed()
        .counts("A", "tombstoneCount", 1)
        .counts("C", "conflatedEvents", 0)
        .read()
        .sample(looks_like="STAT-TOMB-01"),
        "a discarded update is counted": _contest()
        .counts("B", "conflatedEvents", 1)
        .counts("A", "conflatedEvents", 0)
        .read()
        .sample(looks_like="STAT-CONFLATED-01"),
        "a resolver is asked about what comes behind": asked.rests().sample(looks_like="WANC-RESOLVER-01"),
    }


RIGHT: dict[str, Sample] = _right()
"""Right ones by name."""


def _wrong() -> dict[str, Sample]:
    unasked, one, two = _met()
    unasked.shown(two, HOME).asked(one, "b1", "allow", old=two).shown(one, AWAY)
    silent, one, two = _met()
    silent.asked(one, "b2", "allow", old=two).shown(one, AWAY)
    earlier = HistoryBuilder(resolver="allow").fault("link_down")
    two, one = earlier.call("put", "a1", "k"), earlier.call("put", "b1", "k")
    earlier.shown(two, HOME).shown(one, AWAY).ends(two).ends(one).fault("link_up").shown(two, AWAY)
    earlier.asked(one, "a2", "allow", old=two).shown(one, HOME)
    differ = _cleared()
    late = differ.call("put", "A", "x")
    differ.shown(late, "A B").ends(late)
    return {
        "told once more": _again().shown(1, "B").rests().sample("VER-DUP-01"),
        "an update told once more": _tale()
        .put("A", "x")
        .put("C", "x")
        .settle()
        .again(2, "D")
        .shown(2, "D")
        .rests()
        .sample("VER-DUP-01"),
        "nobody clears but the caller": _cleared().rests(B={}).sample("CLEAR-CONV-01"),
        "a clear does nothing": _cleared().rests(A=_LEFT, B=_LEFT, C=_LEFT, D=_LEFT).sample("CLEAR-CONV-01"),
        "a put behind a clear is not everywhere": differ.rests(C={}, D={}).sample("CLEAR-CONV-01"),
        "a tombstone is shown": _destroyed()
        .read(B={"x": None, "y": "v2"})
        .sample("TOMB-INVIS-01 CONS-RR-04"),
        "a tombstone is shown by all": _destroyed()
        .read(**{member: {"x": None, "y": "v2"} for member in "ABCD"})
        .sample("TOMB-INVIS-01"),
        "entries are counted as tombstones": _destroyed()
        .counts("A", "tombstoneCount", 2)
        .read()
        .sample("STAT-TOMB-01"),
        "a tombstone stays when its key is created again": _destroyed()
        .put("A", "x")
        .settle()
        .counts("D", "tombstoneCount", 1)
        .read()
        .sample("STAT-TOMB-01"),
        "what was applied is counted": _destroyed()
        .counts("B", "conflatedEvents", 2)
        .read()
        .sample("STAT-CONFLATED-01"),
        "what was called here is counted": _tale()
        .put("A", "x")
        .settle()
        .counts("A", "conflatedEvents", 1)
        .read()
        .sample("STAT-CONFLATED-01"),
        "what was discarded is not counted": _contest()
        .counts("B", "conflatedEvents", 0)
        .read()
        .sample("STAT-CONFLATED-01"),
        "a later event is let in unasked": unasked.rests().sample("WANC-RESOLVER-01"),
        "an earlier event is dropped unasked": earlier.rests().sample("WANC-RESOLVER-01"),
        "an event is dropped unasked": silent.rests().sample("WANC-RESOLVER-01"),
    }


WRONG: dict[str, Sample] = _wrong()
"""Wrong ones by name."""
