"""AmbiguousKeys: of which keys versions may have to be renumbered, and when.

Knows when keys were used and when everything was at rest; nothing of versions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence

import msgspec


class AmbiguousKeys(msgspec.Struct, frozen=True):
    """Regions and keys whose versions may differ between runs that show the same, and when that is asked.

    What was renumbered stays so until the key is changed again. So a key is asked from its first operation
    until one settle point behind its last: else each state would cost more with each key ever used.

    Attributes:
        settled: moments at which everything was at rest, ascending.
        periods: for each time between two of them, and before and behind all, the regions and keys; one set
            for all times where `settled` is empty.
    """

    settled: tuple[int, ...] = ()
    periods: tuple[frozenset[tuple[str, str]], ...] = (frozenset(),)

    def at(self, now: int) -> frozenset[tuple[str, str]]:
        """Those to be asked where the clock has shown so many entries."""
        return self.periods[bisect_left(self.settled, now)]


def while_used(
    keys: Collection[tuple[str, str]], settled: Sequence[int], used: Iterable[tuple[int, tuple[str, str]]]
) -> AmbiguousKeys:
    """These keys, each from its first operation until a settle point behind its last.

    That holds where single operations alone change versions. A key without any is asked at all times.

    Args:
        keys: regions and keys.
        settled: moments at which everything was at rest, ascending.
        used: the moment of each operation, ascending, with its region and key.
    """
    spans: dict[tuple[str, str], tuple[int, int]] = {}
    for moment, where in used:
        period = bisect_left(settled, moment)
        spans[where] = (spans.get(where, (period, period))[0], period)
    periods: list[set[tuple[str, str]]] = [set() for _ in range(len(settled) + 1)]
    for where in keys:
        first, last = spans.get(where, (0, len(settled)))
        for asked in periods[first : last + 2]:
            asked.add(where)
    return AmbiguousKeys(tuple(settled), tuple(map(frozenset, periods)))
