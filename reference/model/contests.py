"""Contests: which of two updates of different sites wins, by time and, where the times are equal, by site.

The rulebook decides; what of the times is known, and what was chosen, is told by `times`.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.model.setting import Setting
from plumbline.reference.model.times import Pairs, Times, comparisons, tied
from plumbline.reference.rulebook.values import Stamp, each


def contests(
    setting: Setting, pairs: Pairs, times: Times, site: int, stored: Stamp
) -> Iterator[tuple[bool, Pairs]]:
    """Every way in which an update of another site may end: whether it is applied, and what then holds.

    Args:
        setting: the example.
        pairs: what was chosen so far of the key's timestamps.
        times: the incoming update's.
        site: which site wrote it.
        stored: what it is compared with.
    """
    book = setting.book
    higher = site > stored.site
    if tied(pairs, times, stored.times, setting.readings):
        answer = book.applies_tie_of_higher_site() if higher else book.applies_tie_of_lower_site()
        yield from ((applies, pairs) for applies in each(answer))
        return
    for later, chosen in comparisons(
        pairs, times, stored.times, clock=setting.clock, readings=setting.readings
    ):
        answer = book.applies_later_time() if later else book.applies_earlier_time()
        yield from ((applies, chosen) for applies in each(answer))
