"""Timestamps that are hidden: which of two is the later is chosen when it first matters.

Readings of clocks are known only where the harness held them.

A timestamp is known by the operation that got it. Of each key that several sites write, the pairs chosen so
far are kept, with all that follows from them. Timestamps that are not known to be equal need no case of their
own for it: the pair (timestamp, site) decides, and of two sites one always has the higher number (004, L34).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

Pairs = frozenset[tuple[int, int]]
Times = frozenset[int]

NONE: Pairs = frozenset()

Readings = Mapping[int, tuple[int, int]]
"""For operations called and done while clocks were held: for which time, and what they showed."""


Higher = Callable[[int, int], bool]
"""Whether the first of two operations, of one time, may count as the later of the two."""


def comparisons(
    pairs: Pairs,
    mine: Times,
    theirs: Times,
    *,
    clock: bool,
    readings: Readings = MappingProxyType({}),
    higher: Higher = lambda one, other: True,  # noqa: ARG005
) -> Iterator[tuple[bool, Pairs]]:
    """Every way in which a comparison may end: whether `mine` is later, and the pairs that then hold.

    Args:
        pairs: what was chosen so far: the first of each pair is the later.
        mine: the latest of these is compared.
        theirs: with the latest of these.
        clock: whether operations called later have later timestamps, unless that contradicts what was
            chosen; then there is one way only.
        readings: what the clocks are known to have shown.
        higher: which of two of one time counts as the later.
    """
    ways: tuple[bool, ...] = (True, False)
    shown = _shown(pairs, mine, theirs, readings)
    if shown is not None and shown[0] != shown[1]:
        ways = (shown[0] > shown[1],)
    elif clock:
        later = max(mine) > max(theirs)
        ways = (later, not later)
    for later in ways:
        winners, losers = (mine, theirs) if later else (theirs, mine)
        found = set()
        for winner in winners:
            chosen = all_after(pairs, winner, losers)
            if chosen is not None and chosen not in found and _stands(pairs, chosen, readings, higher):
                found.add(chosen)
                yield later, chosen
                if clock:
                    return


def _stands(pairs: Pairs, chosen: Pairs, readings: Readings, higher: Higher) -> bool:
    """Whether nothing that follows from a choice contradicts what the clocks showed."""
    if not readings:
        return True
    for one, other in chosen - pairs:
        if not (_exact(pairs, one, readings) and _exact(pairs, other, readings)):
            continue
        (held, shown), (held_too, shown_too) = readings[one], readings[other]
        if held != held_too or shown > shown_too:
            continue
        if shown < shown_too or not higher(one, other):
            return False
    return True


def tied(pairs: Pairs, mine: Times, theirs: Times, readings: Readings) -> bool:
    """Whether two timestamps are known to be equal: that is no choice, and nothing follows from it."""
    shown = _shown(pairs, mine, theirs, readings)
    return shown is not None and shown[0] == shown[1]


def behind(one: int, others: Times, readings: Readings) -> bool:
    """Whether the clock of an operation is known to have shown no more than that of one of the others."""
    if one not in readings:
        return False
    held, shown = readings[one]
    return any(
        other in readings and readings[other][0] == held and readings[other][1] >= shown for other in others
    )


def difference(pairs: Pairs, mine: Times, theirs: Times, readings: Readings) -> int | None:
    """How far two timestamps are apart, in milliseconds; None where that is not known."""
    exact = _exactly(pairs, mine, theirs, readings)
    return None if exact is None else abs(exact[0] - exact[1])


def _shown(pairs: Pairs, mine: Times, theirs: Times, readings: Readings) -> tuple[int, int] | None:
    """What the clocks showed for both, if that is known, and which is the later was not chosen yet."""
    if not readings or len(mine) != 1 or len(theirs) != 1:
        return None
    (one,), (other,) = mine, theirs
    if one == other or (one, other) in pairs or (other, one) in pairs:
        return None
    return _exactly(pairs, mine, theirs, readings)


def _exactly(pairs: Pairs, mine: Times, theirs: Times, readings: Readings) -> tuple[int, int] | None:
    """What the clocks showed for both, if that is known and neither had to be later than something else."""
    if not readings or len(mine) != 1 or len(theirs) != 1:
        return None
    (one,), (other,) = mine, theirs
    if not _exact(pairs, one, readings) or not _exact(pairs, other, readings):
        return None
    (held, shown), (held_too, shown_too) = readings[one], readings[other]
    return (shown, shown_too) if held == held_too else None


def _exact(pairs: Pairs, one: int, readings: Readings) -> bool:
    """Whether an operation has just the time that its clock showed: what it replaced had an earlier one."""
    if one not in readings:
        return False
    held, shown = readings[one]
    before = [readings.get(other) for later, other in pairs if later == one]
    return all(other is not None and other[0] == held and other[1] < shown for other in before)


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


def strictly_after(pairs: Pairs, one: int, others: Times) -> Pairs | None:
    """See `all_after`; and it is noted that `one` cannot be of the same time as the others either.

    A comparison may have chosen equal times, where ids of sites decide. The note is a pair of numbers that no
    operation has.
    """
    after = all_after(pairs, one, others)
    if after is None:
        return None
    before = others.union(*({b for a, b in after if a == other} for other in others))
    return after | {(~one, ~other) for other in before if other >= 0}


def is_strictly_ordered(pairs: Pairs, one: int, other: int) -> bool:
    """Whether two operations are known not to be of the same time (see `strictly_after`)."""
    return (~one, ~other) in pairs or (~other, ~one) in pairs


def compared_in(pair: tuple[int, int]) -> tuple[int, int]:
    """The two operations that a pair, or a note, is about."""
    one, other = pair
    return (one, other) if one >= 0 else (~one, ~other)


def latest(pairs: Pairs, times: Times, readings: Readings = MappingProxyType({})) -> Times:
    """Those of the timestamps that may be the latest of them all; of equal ones the first."""
    if len(times) < 2:
        return times
    return frozenset(
        time
        for time in times
        if not any((other, time) in pairs or _stands_for(pairs, other, time, readings) for other in times)
    )


def _stands_for(pairs: Pairs, one: int, other: int, readings: Readings) -> bool:
    """Whether clocks have shown a later time for the first, or the same for both and it was called first."""
    if one == other or not (_exact(pairs, one, readings) and _exact(pairs, other, readings)):
        return False
    (held, shown), (held_too, shown_too) = readings[one], readings[other]
    return held == held_too and (shown, -one) > (shown_too, -other)
