"""How many runs a claim needs: that a rate is at most so much, or that a change of a rate would be found.

Claims count as the gate counts them (`plumbline.reference.judged.proportions`), and changes as drift does.
Runs must be independent: those that draw the same plans repeat each other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate
from math import ceil, sqrt
from statistics import NormalDist

import msgspec

from plumbline.reference.judged.proportions import excludes, fisher, window

EXACT_UP_TO = 400
"""So many violations may be expected in a version's runs for the power to be computed exactly."""


class ClaimPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How many runs show that a rate is at most so much.

    Attributes:
        at_most: the rate, as a share of runs from 0 to 1.
        violations: so many runs may show one.
        confidence: of the claim.
        runs: the least number of runs.
    """

    at_most: float
    violations: int
    confidence: float
    runs: int


class ChangePlan(msgspec.Struct, frozen=True, kw_only=True):
    """How many runs of each of two versions find a change of a rate.

    Attributes:
        before: the rate of one version, as a share of runs from 0 to 1.
        after: the rate of the other.
        level: the probability of any alarm where nothing changed.
        comparisons: so many quantities are compared at once.
        level_each: the level that is left for each of them.
        power: the probability with which the change is found.
        runs: the runs of each version.
        exact: whether the power is computed for these runs; else by the normal approximation.
    """

    before: float
    after: float
    level: float
    comparisons: int
    level_each: float
    power: float
    runs: int
    exact: bool


def runs_for_claim(at_most: float, confidence: float, violations: int = 0) -> ClaimPlan:
    """The least number of runs among which so many violations exclude each higher rate.

    Args:
        at_most: the rate, above 0 and below 1.
        confidence: above 0 and below 1.
        violations: how many runs may show one, 0 or more.
    """
    runs = _least(violations + 1, lambda n: excludes(at_most, violations, n, confidence))
    return ClaimPlan(at_most=at_most, violations=violations, confidence=confidence, runs=runs)


def runs_for_change(
    before: float, after: float, *, level: float, power: float, comparisons: int = 1
) -> ChangePlan:
    """The runs of each version with which Fisher's exact test finds a change of a rate.

    The level is parted among the comparisons, as Holm's correction does it for the smallest p-value. Where
    few violations are expected the power is exact, else it is the formula of Casagrande, Pike and Smith.

    Args:
        before: the rate of one version, 0 to 1.
        after: another rate.
        level: the probability of any alarm where nothing changed, above 0 and below 1.
        power: the probability with which the change is to be found, above 0 and below 1.
        comparisons: how many quantities are compared at once, 1 or more.
    """
    each = level / comparisons
    runs = _approximate(before, after, each, power)
    exact = runs * min(max(before, after), max(1 - before, 1 - after)) <= EXACT_UP_TO
    if exact:
        start = max(1, runs // 4)
        runs = _least(start, lambda n: detection_power(n, before, after, each) >= power)
    return ChangePlan(
        before=before,
        after=after,
        level=level,
        comparisons=comparisons,
        level_each=each,
        power=power,
        runs=runs,
        exact=exact,
    )


def detection_power(n: int, before: float, after: float, level: float) -> float:
    """The probability that Fisher's exact test finds the change in n runs of each version, at this level."""
    if min(before, after) > 0.5:
        before, after = 1 - before, 1 - after  # what is rare is counted
    return _found(n, before, after, level) + _found(n, after, before, level)


def _found(n: int, lower: float, higher: float, level: float) -> float:
    """The probability that the second count is so much higher that the test says so."""
    first, masses = window(n, lower)
    beginning, others = window(n, higher)
    rest = [*reversed(list(accumulate(reversed(others)))), 0.0]
    total, critical = 0.0, 0
    for k, mass in enumerate(masses, start=first):
        critical = max(critical, k + 1)
        while critical <= n and fisher(k, n, critical, n) > level:
            critical += 1
        if critical > n or critical - beginning >= len(others):
            break
        total += mass * rest[max(0, critical - beginning)]
    return total


def _approximate(before: float, after: float, level: float, power: float) -> int:
    normal = NormalDist()
    z_level, z_power = -normal.inv_cdf(level / 2), normal.inv_cdf(power)
    middle, change = (before + after) / 2, abs(after - before)
    spread = sqrt(before * (1 - before) + after * (1 - after))
    root = z_level * sqrt(2 * middle * (1 - middle)) + z_power * spread
    uncorrected = max(root, 0.0) ** 2 / change**2
    return max(1, ceil(uncorrected / 4 * (1 + sqrt(1 + 4 / (uncorrected * change))) ** 2)) if root > 0 else 1


def _least(start: int, enough: Callable[[int], bool]) -> int:
    """The least number of runs from `start` on that is enough."""
    step = start
    while not enough(step):
        step *= 2
    low = start if step == start else step // 2
    return low + bisect_left(range(low, step), 1, key=lambda n: int(enough(n)))
