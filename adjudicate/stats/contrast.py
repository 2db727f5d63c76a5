"""A weighted difference of two exclusive outcomes over strata, with a MOVER interval that knows their covariance.

A response cannot be in both categories, so their shares fall together against each other; leaving that out makes the
interval of the difference too short. Paired differences and ratios of counts are both such contrasts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from adjudicate.stats.difference_interval import Bounded
from adjudicate.stats.stratum_bounds import StratumBounds


@dataclass(frozen=True, slots=True)
class TwoCounts:
    """Counts of two exclusive categories among the labelled items of one stratum."""

    size: int
    """Items in the stratum, N_h."""
    labelled: int
    """Items with a settled label, n_h, at least 1."""
    plus: int
    """Labelled items of the first category."""
    minus: int
    """Labelled items of the second category."""


def contrast(strata: Sequence[TwoCounts], bounds: StratumBounds, *, a: float = 1.0, b: float = 1.0) -> Bounded:
    """``sum W_h (a p_h - b q_h)`` with square-and-add limits.

    Zou and Donner (2008), with the correlation of two multinomial shares in each stratum,
    ``rho = -sqrt(p q / ((1-p)(1-q)))`` at shares ``(count + 1/2) / (n + 3/2)``: observed zeros would claim no correlation.

    Args:
        strata: Counts with at least one label each.
        bounds: Of the share of one category in one stratum; ``between`` times ``sum W_h (c_h - c)^2 / N`` is added.
        a: Weight of the first category, 0 or more.
        b: Weight of the second category, 0 or more.

    Returns:
        ``sum W_h (a p_h - b q_h)`` and its limits, not clipped.

    Raises:
        ValueError: Counts out of range.
    """
    total = sum(stratum.size for stratum in strata)
    values = [(a * s.plus - b * s.minus) / s.labelled for s in strata]
    value = sum(s.size * each for s, each in zip(strata, values, strict=True)) / total
    spread = sum(s.size * (each - value) ** 2 for s, each in zip(strata, values, strict=True)) / total
    below = above = bounds.between * spread / total
    for stratum in strata:
        weight = (stratum.size / total) ** 2
        down, up = _squared_distances(stratum, a, b, bounds)
        below += weight * down
        above += weight * up
    return Bounded(value, value - sqrt(below), value + sqrt(above))


def _squared_distances(stratum: TwoCounts, a: float, b: float, bounds: StratumBounds) -> tuple[float, float]:
    """Squares of the distances from the contrast of one stratum down to its lower and up to its upper limit."""
    p, q = stratum.plus / stratum.labelled, stratum.minus / stratum.labelled
    plus = bounds.limits(stratum.plus, stratum.labelled, stratum.size)
    minus = bounds.limits(stratum.minus, stratum.labelled, stratum.size)
    rho = _correlation(stratum)
    p_down, p_up, q_down, q_up = a * (p - plus.low), a * (plus.high - p), b * (q - minus.low), b * (minus.high - q)
    down = p_down**2 + q_up**2 - 2 * rho * p_down * q_up
    up = p_up**2 + q_down**2 - 2 * rho * p_up * q_down
    return down, up


def _correlation(stratum: TwoCounts) -> float:
    p, q = ((count + 0.5) / (stratum.labelled + 1.5) for count in (stratum.plus, stratum.minus))
    return -sqrt(p * q / ((1 - p) * (1 - q)))
