"""A weighted difference of two exclusive outcomes over strata, with a MOVER interval that knows their covariance.

A response cannot be in both categories, so their shares fall together against each other; leaving that out makes the
interval of the difference too short. Paired differences and ratios of counts are both such contrasts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from adjudicate.core.estimates import Interval
from adjudicate.stats.difference_interval import Bounded
from adjudicate.stats.intervals import LIMITS, normal_quantile


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


def contrast(
    strata: Sequence[TwoCounts],
    *,
    a: float = 1.0,
    b: float = 1.0,
    limits: str = "wilson",
    finite: bool = True,
    confidence: float = 0.95,
) -> Bounded:
    """``sum W_h (a p_h - b q_h)`` with square-and-add limits.

    Zou and Donner (2008), with the correlation of two multinomial shares in each stratum,
    ``rho = -sqrt(p q / ((1-p)(1-q)))`` at shares ``(count + 1/2) / (n + 3/2)``: observed zeros would claim no correlation.

    Args:
        strata: Counts with at least one label each.
        a: Weight of the first category, 0 or more.
        b: Weight of the second category, 0 or more.
        limits: A key of `LIMITS`.
        finite: Whether the strata are these items (True) or endless; then ``z^2 sum W_h (c_h - c)^2 / N`` is added.
        confidence: Two-sided, 0 to 1.

    Returns:
        ``sum W_h (a p_h - b q_h)`` and its limits, not clipped.

    Raises:
        ValueError: Counts or confidence out of range.
        KeyError: `limits` is unknown.
    """
    total = sum(stratum.size for stratum in strata)
    values = [(a * s.plus - b * s.minus) / s.labelled for s in strata]
    value = sum(s.size * each for s, each in zip(strata, values, strict=True)) / total
    below = above = 0.0
    if not finite:
        spread = sum(s.size * (each - value) ** 2 for s, each in zip(strata, values, strict=True)) / total
        below = above = normal_quantile(confidence) ** 2 * spread / total
    for stratum in strata:
        weight = (stratum.size / total) ** 2
        down, up = _squared_distances(stratum, a, b, limits, confidence, finite=finite)
        below += weight * down
        above += weight * up
    return Bounded(value, value - sqrt(below), value + sqrt(above))


def _squared_distances(
    stratum: TwoCounts, a: float, b: float, limits: str, confidence: float, *, finite: bool
) -> tuple[float, float]:
    """Squares of the distances from the contrast of one stratum down to its lower and up to its upper limit."""
    n, size = stratum.labelled, stratum.size if finite else None
    p, q = stratum.plus / n, stratum.minus / n
    plus: Interval = LIMITS[limits].function(stratum.plus, n, size, confidence)
    minus: Interval = LIMITS[limits].function(stratum.minus, n, size, confidence)
    rho = _correlation(stratum)
    p_down, p_up, q_down, q_up = a * (p - plus.low), a * (plus.high - p), b * (q - minus.low), b * (minus.high - q)
    down = p_down**2 + q_up**2 - 2 * rho * p_down * q_up
    up = p_up**2 + q_down**2 - 2 * rho * p_up * q_down
    return down, up


def _correlation(stratum: TwoCounts) -> float:
    p, q = ((count + 0.5) / (stratum.labelled + 1.5) for count in (stratum.plus, stratum.minus))
    return -sqrt(p * q / ((1 - p) * (1 - q)))
