"""Timestamps that nobody has revealed: which of two is the later is chosen when it first matters.

A timestamp is known by the operation that got it. Of each key that several sites write, the pairs chosen so
far are kept, with all that follows from them. Equal timestamps need no case of their own: the pair
(timestamp, site) decides, and of two sites one always has the higher number (004, L34).
"""

from __future__ import annotations

from collections.abc import Iterator

Pairs = frozenset[tuple[int, int]]
Times = frozenset[int]

NONE: Pairs = frozenset()


def comparisons(pairs: Pairs, mine: Times, theirs: Times, *, clock: bool) -> Iterator[tuple[bool, Pairs]]:
    """Every way in which a comparison may end: whether `mine` is later, and the pairs that then hold.

    Args:
        pairs: what was chosen so far: the first of each pair is the later.
        mine: the latest of these is compared.
        theirs: with the latest of these.
        clock: whether operations called later have later timestamps, unless that contradicts what was
            chosen; then there is one way only.
    """
    ways = (True, False)
    if clock:
        later = max(mine) > max(theirs)
        ways = (later, not later)
    for later in ways:
        winners, losers = (mine, theirs) if later else (theirs, mine)
        found = set()
        for winner in winners:
            chosen = all_after(pairs, winner, losers)
            if chosen is not None and chosen not in found:
                found.add(chosen)
                yield later, chosen
                if clock:
                    return


def all_after(pairs: Pairs, one: int, others: Times) -> Pairs | None:
    """The pairs once `one` is later than all others; None if that contradicts what was chosen."""
    for other in others:
        if other == one or (one, other) in pairs:
            continue
        if (other, one) in pairs:
            return None
        above = {one} | {a for a, b in pairs if b == one}
        below = {other} | {b for a, b in pairs if a == other}
        pairs |= {(a, b) for a in above for b in below}
    return pairs


def latest(pairs: Pairs, times: Times) -> Times:
    """Those of the timestamps that may be the latest of them all."""
    if len(times) < 2:
        return times
    return frozenset(time for time in times if not any((other, time) in pairs for other in times))
