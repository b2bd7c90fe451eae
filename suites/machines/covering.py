"""Covering arrays: few sets of names that hold every pair of them which may be together.

Faults of real systems mostly take two things that meet (combinatorial interaction testing). Knows names only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations


def covering(
    names: Sequence[str], may_meet: Callable[[str, str], bool], size: int
) -> tuple[tuple[str, ...], ...]:
    """Sets of names, at most so many in each, that hold each pair which may meet.

    Each set begins with the first pair that no earlier set holds. Then it takes the name that adds most
    pairs, of those that may meet all in it; where none adds any, the one that is in fewest sets.

    Args:
        names: all names, in the order in which they are preferred.
        may_meet: whether two of them may be in one set.
        size: how many a set holds at most.
    """
    left = {frozenset(pair): None for pair in combinations(names, 2) if may_meet(*pair)}
    fits = set(left)
    rows: list[tuple[str, ...]] = []
    used: Counter[str] = Counter()
    while left:
        row = sorted(next(iter(left)), key=names.index)
        while len(row) < size:
            others = [name for name in names if all(frozenset((name, one)) in fits for one in row)]
            if not others:
                break
            row.append(
                max(
                    others, key=lambda name: (sum(frozenset((name, one)) in left for one in row), -used[name])
                )
            )
        for pair in combinations(row, 2):
            left.pop(frozenset(pair), None)
        used.update(row)
        rows.append(tuple(row))
    return tuple(rows)
