"""Exact probabilities of counts: k of n runs, and k of n beside another k of n.

Each sum begins at its largest term and ends where terms no longer matter, so counts may be large. Knows
nothing of what is counted.
"""

from __future__ import annotations

from math import asin, comb, exp, lgamma, log, log1p, sqrt

CLOSE = 1e-12
"""Probabilities that differ by less than this share are equal: floating point goes no further."""

_ALIKE = 1e-7
"""Two tables as probable as each other differ by no more than this in the logarithm."""


def at_most(k: int, n: int, rate: float) -> float:
    """The probability of at most k in n independent runs, each with this rate (0 to 1)."""
    if k >= n or rate <= 0:
        return 1.0
    if rate >= 1:
        return 0.0
    odds = rate / (1 - rate)
    if k <= n * rate:
        term, total, at = _mass(k, n, rate), 0.0, k
        while term > total * 1e-17:
            total, term, at = total + term, term * at / ((n - at + 1) * odds), at - 1
        return total
    term, total, at = _mass(k + 1, n, rate), 0.0, k + 1
    while term > total * 1e-17:
        total, term, at = total + term, term * (n - at) * odds / (at + 1), at + 1
    return 1 - total


def excludes(rate: float, k: int, n: int, confidence: float) -> bool:
    """Whether k violations in n runs exclude this rate and each above it, at this confidence.

    The one-sided bound of Clopper and Pearson. With no violation it is (1 - rate)^n <= 1 - confidence.
    """
    return n > 0 and k < n and at_most(k, n, rate) <= (1 - confidence) * (1 + CLOSE)


def fisher(k: int, n: int, other_k: int, other_n: int) -> float:
    """Fisher's exact test that k of n and k of another n have one rate: its p-value, two-sided.

    It sums all tables of the same totals that are no more probable than this one.
    """
    total = k + other_k
    high = min(total, n)
    if max(0, total - other_n) == high:
        return 1.0
    mode = (total + 1) * (n + 1) // (n + other_n + 2)
    if k > mode:
        return fisher(other_k, other_n, k, n)
    if k == mode:
        return 1.0
    seen = _table(k, n, other_k, other_n) + _ALIKE
    low, above = mode, high + 1  # two tables beside each other may be the most probable ones
    while low < above:
        middle = (low + above) // 2
        if _table(middle, n, total - middle, other_n) <= seen:
            above = middle
        else:
            low = middle + 1
    far = _tail(low, n, total - low, other_n) if low <= high else 0.0
    return min(1.0, _tail(other_k, other_n, k, n) + far)


def cohens_h(rate: float, other: float) -> float:
    """Cohen's effect size of a change from one rate to another: 0.2 is small, 0.8 is large."""
    return 2 * asin(sqrt(other)) - 2 * asin(sqrt(rate))


def window(n: int, rate: float) -> tuple[int, list[float]]:
    """The counts of n runs that matter: the first one, and the probability of it and of each next one."""
    spread = 7 * sqrt(n * rate * (1 - rate)) + 14
    first, last = max(0, int(n * rate - spread)), min(n, int(n * rate + spread))
    if rate in (0, 1):
        return (0, [1.0]) if rate == 0 else (n, [1.0])
    masses = [_mass(first, n, rate)]
    for at in range(first, last):
        masses.append(masses[-1] * (n - at) * rate / ((at + 1) * (1 - rate)))
    return first, masses


def _mass(k: int, n: int, rate: float) -> float:
    few = min(k, n - k) <= 10_000
    ways = log(comb(n, k)) if few else lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(ways + k * log(rate) + (n - k) * log1p(-rate))


def _table(k: int, n: int, other_k: int, other_n: int) -> float:
    """The logarithm of the probability of a table, among all of the same totals."""
    total, runs = k + other_k, n + other_n
    return _ways(n, k) + _ways(other_n, other_k) - _ways(runs, total)


def _ways(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _tail(k: int, n: int, other_k: int, other_n: int) -> float:
    """The probability of a table with k or more, among all of the same totals; k lies above the mode."""
    term, total = exp(_table(k, n, other_k, other_n)), 0.0
    while term > total * 1e-17:
        total += term
        term *= (n - k) * other_k / ((k + 1) * (other_n - other_k + 1))
        k, other_k = k + 1, other_k - 1
    return total
