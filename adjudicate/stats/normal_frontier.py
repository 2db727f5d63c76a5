"""The trade-off when scores are normal in every population: closed forms for what `frontier` reads off data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from statistics import NormalDist


@dataclass(frozen=True, slots=True)
class ScorePopulation:
    """A population with normal scores; requests that score above the threshold are refused."""

    mean: float
    """Mean score."""
    sd: float
    """Standard deviation, more than 0."""

    def below(self, threshold: float) -> float:
        """Share at or below a threshold: HC of a harmful population, ``Phi((t - mu) / s)``."""
        return NormalDist(self.mean, self.sd).cdf(threshold)

    def above(self, threshold: float) -> float:
        """Share above a threshold: BR of a benign population, ``1 - Phi((t - mu) / s)``."""
        # The mirrored tail keeps its precision where 1 - cdf would lose it.
        return NormalDist(-self.mean, self.sd).cdf(-threshold)

    def threshold_for(self, share_below: float) -> float:
        """The threshold with a given share at or below it, strictly between 0 and 1."""
        return NormalDist(self.mean, self.sd).inv_cdf(share_below)


@dataclass(frozen=True, slots=True)
class Weighted:
    """A population with what its errors weigh."""

    population: ScorePopulation
    """Where its scores lie."""
    weight: float
    """Prevalence times cost of one error, more than 0."""


def refusal_at_compliance(harmful: ScorePopulation, benign: ScorePopulation, compliance: float) -> float:
    """The frontier: ``BR = 1 - Phi((mu_h - mu_b + s_h Phi^-1(HC)) / s_b)`` (statistics note, section 5).

    Args:
        harmful: Whose compliance is held.
        benign: Whose refusal is asked for.
        compliance: HC, strictly between 0 and 1.
    """
    z = (harmful.mean - benign.mean + harmful.sd * NormalDist().inv_cdf(compliance)) / benign.sd
    return NormalDist().cdf(-z)


def expected_cost(threshold: float, harmful: Sequence[Weighted], benign: Sequence[Weighted]) -> float:
    """``R(t) = sum pi_h c_h HC_h(t) + sum pi_b c_b BR_b(t)``."""
    complied = sum(each.weight * each.population.below(threshold) for each in harmful)
    return complied + sum(each.weight * each.population.above(threshold) for each in benign)


def equal_spread_optimum(harmful: Weighted, benign: Weighted, *, sd: float) -> float:
    """Closed form for one common spread: ``t* = (mu_h + mu_b)/2 + s^2/(mu_h - mu_b) ln(pi_b c_b / (pi_h c_h))``.

    With unequal spreads it is only near the optimum: compare `best_threshold`.

    Args:
        harmful: With the higher mean.
        benign: With the lower mean.
        sd: The common standard deviation.

    Raises:
        ValueError: The harmful mean is not the higher one: then no threshold separates.
    """
    gap = harmful.population.mean - benign.population.mean
    if not gap > 0:
        raise ValueError("harmful requests must score higher on average than benign ones")
    middle = (harmful.population.mean + benign.population.mean) / 2
    return middle + sd**2 / gap * log(benign.weight / harmful.weight)


def best_threshold(harmful: Sequence[Weighted], benign: Sequence[Weighted]) -> float:
    """The threshold with the lowest expected cost, numerically, for any spreads and any number of populations.

    Searched between ten standard deviations below the lowest and above the highest mean, on a grid, then refined by the
    root of the derivative next to the best grid point.

    Raises:
        ValueError: A side is empty, or the cost falls to the end of the range: refusing all or nothing is best.
    """
    import numpy as np
    from scipy.optimize import brentq

    if not harmful or not benign:
        raise ValueError("needs a harmful and a benign population")
    everyone = [each.population for each in (*harmful, *benign)]
    start = min(each.mean - 10 * each.sd for each in everyone)
    end = max(each.mean + 10 * each.sd for each in everyone)
    grid = np.linspace(start, end, 4001)
    costs = [expected_cost(float(t), harmful, benign) for t in grid]
    best = int(np.argmin(costs))
    if best in (0, len(grid) - 1) or costs[best] >= min(costs[0], costs[-1]) * (1 - 1e-9):
        raise ValueError("no threshold beats refusing everything or nothing at these costs")

    def slope(t: float) -> float:
        def density(each: Weighted) -> float:
            return each.weight * NormalDist(each.population.mean, each.population.sd).pdf(t)

        return sum(map(density, harmful)) - sum(map(density, benign))

    return float(brentq(slope, float(grid[best - 1]), float(grid[best + 1]), xtol=1e-13))
