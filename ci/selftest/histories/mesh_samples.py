"""Samples of three sites, each of which feeds each other: right ones, and those that do not converge."""

from __future__ import annotations

from plumbline.ci.selftest.histories.history_builder import AWAY, HOME, HistoryBuilder, Sample


def _two_write() -> tuple[HistoryBuilder, int, int]:
    """Sites 1 and 2 write a key at the same time, and each tells of its own: the tale, and both updates."""
    tale = HistoryBuilder(third=True)
    one, two = tale.call("put", "a1", "k"), tale.call("put", "b1", "k")
    return tale.shown(one, HOME).shown(two, AWAY).ends(one).ends(two), one, two


def _right() -> dict[str, Sample]:
    late, one, two = _two_write()
    late.shown(one, "c1").shown(two, "c1").shown(two, HOME)
    lost, one, two = _two_write()
    lost.shown(two, HOME).shown(one, "c1").fault("crash", "c1")
    chain = HistoryBuilder(third=True, chain=True)
    two, three = chain.call("put", "b1", "k"), chain.call("put", "c1", "k")
    chain.shown(two, AWAY).shown(three, "c1").ends(two).ends(three).shown(three, AWAY).shown(two, HOME)
    return {
        "a third site hears of the loser first": late.rests().sample(looks_like="WANC-MULTI-01"),
        "in a chain nobody tells the first site what the third has won": chain.rests().sample(
            looks_like="WANC-MULTI-01 WANC-CHK-01"
        ),
        "a third site is lost before it hears of the winner": lost.rests().sample(looks_like="WANC-MULTI-01"),
    }


MESH_RIGHT: dict[str, Sample] = _right()
"""Right ones by name."""


def _wrong() -> dict[str, Sample]:
    first, one, two = _two_write()
    first.shown(two, HOME).shown(one, "c1")
    circle, one, two = _two_write()
    three = circle.call("put", "c1", "k")
    circle.shown(three, "c1").ends(three).shown(two, HOME).shown(three, AWAY).shown(one, "c1")
    return {
        "what a third site hears of first stays there": first.rests().sample("WANC-MULTI-01 WANC-CHK-01"),
        "three sites in a circle": circle.rests().sample("WANC-MULTI-01 WANC-CHK-01"),
    }


MESH_WRONG: dict[str, Sample] = _wrong()
"""Wrong ones by name."""
