"""The score of a requirement over many runs: k of n, its interval, and what may be said of no violation.

Site, gate and tables score here and nowhere else. Knows nothing of where the counts come from.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import msgspec

from plumbline.reference.judged.proportions import excludes
from plumbline.reference.results.verdicts import Verdict

CONFIDENCE = 0.95
"""The confidence of intervals in the tables, and of the gate unless it is given another."""

DIGITS = 6
"""So many digits of a rate are kept, so that every engine writes the same."""


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """What was counted of one requirement.

    Attributes:
        verdict: the verdict that stays over all runs.
        judged: n, the runs in which it was judged: held, deviated or was violated.
        broken: k, the runs among them that show a violation.
        opportunities: how often a violation could have shown, in all runs.
    """

    verdict: Verdict
    judged: int
    broken: int
    opportunities: int


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What the counts say.

    Attributes:
        verdict: the verdict as it counts: a pass of too few opportunities is *not exercised*.
        low: lower end of the rate of runs with a violation, 0 to 1; None where no run was judged.
        high: upper end of it.
        below: with no violation in n runs, the rate is below this; None where there was one.
        words: the same in words.
    """

    verdict: Verdict
    low: float | None
    high: float | None
    below: float | None
    words: str


def score(
    counts: Counts, confidence: float = CONFIDENCE, least_opportunities: int = 1, most: float = 1.0
) -> Score:
    """Score a requirement.

    Args:
        counts: what was counted.
        confidence: of the interval, above 0 and below 1.
        least_opportunities: with fewer of them nothing passes.
        most: a rate of violations that a pass has to exclude at this confidence; 1 for none.
    """
    low, high = wilson(counts.broken, counts.judged, confidence)
    below = none_seen(counts.judged, confidence) if counts.judged and not counts.broken else None
    verdict = counts.verdict
    few = counts.opportunities < max(1, least_opportunities) or not counts.judged
    loose = verdict is Verdict.PASS and not few and not excludes(most, 0, counts.judged, confidence)
    if verdict in (Verdict.PASS, Verdict.DEVIATION) and (few or loose):
        verdict = Verdict.NOT_EXERCISED
    words = f"{counts.broken} of {counts.judged} runs"
    if below is not None:
        words += f"; below {below:.3g} at {confidence:.4g}"
    elif low is not None and high is not None:
        words += f"; {low:.3g} to {high:.3g} at {confidence:.4g}"
    if verdict is not counts.verdict:
        words += f"; {counts.opportunities} opportunities are too few" if few else f", not below {most:.3g}"
    return Score(verdict=verdict, low=low, high=high, below=below, words=words)


def wilson(k: int, n: int, confidence: float = CONFIDENCE) -> tuple[float | None, float | None]:
    """Wilson's interval of a rate of k in n, both ends; two None for no n."""
    if not n:
        return None, None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, z2 = k / n, z * z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    spread = z * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    low = 0.0 if k == 0 else middle - spread
    high = 1.0 if k == n else middle + spread
    return round(low, DIGITS), round(high, DIGITS)


def none_seen(n: int, confidence: float = CONFIDENCE) -> float:
    """The rate that none in n runs excludes: at 95 % about 3/n."""
    return round(float(1 - (1 - confidence) ** (1 / n)), DIGITS)
