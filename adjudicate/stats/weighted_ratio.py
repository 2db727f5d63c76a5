"""Ratio of design-weighted totals with its linearised standard error: accuracy, sensitivity and their kin are such ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from adjudicate.core.estimates import Interval
from adjudicate.stats.intervals import normal_quantile

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of weighted totals."""

    value: float
    """0 to 1."""
    standard_error: float
    """Linearised, same scale; 0 where no error was seen, which is not the same as certainty."""
    n: int
    """Items in the denominator."""

    def interval(self, confidence: float) -> Interval | None:
        """Normal interval clipped to 0 and 1; None where it would have zero width."""
        half = normal_quantile(confidence) * self.standard_error
        return Interval(max(0.0, self.value - half), min(1.0, self.value + half)) if half > 1e-12 else None


def weighted_ratio(
    numerator: npt.ArrayLike,
    denominator: npt.ArrayLike,
    weights: npt.ArrayLike,
    strata: Sequence[str],
    sizes: Mapping[str, int],
) -> Ratio | None:
    """``sum w num / sum w den`` with the variance of the w-totals of ``e = (num - r den) / sum w den`` within strata.

    Särndal, Swensson and Wretman (1992), ratio estimator under stratified sampling without replacement.

    Args:
        numerator: 0 or 1 per item, at most the denominator.
        denominator: 0 or 1 per item: who is asked about.
        weights: Positive, one per item.
        strata: Stratum of each item.
        sizes: Items per stratum, N_h; a stratum that is not named is endless.

    Returns:
        None where nobody is in the denominator. A stratum with one labelled item of several adds its squared residual,
        since one item shows no spread.
    """
    import numpy as np

    num, den, w = (np.asarray(values, dtype=float) for values in (numerator, denominator, weights))
    total = float((w * den).sum())
    if total == 0:
        return None
    value = float((w * num).sum()) / total
    error = linearised_error(w * (num - value * den) / total, strata, sizes)
    return Ratio(value, error, int((den > 0).sum()))


def linearised_error(residuals: npt.ArrayLike, strata: Sequence[str], sizes: Mapping[str, int]) -> float:
    """Standard error of a sum of weighted residuals under stratified sampling without replacement.

    Args:
        residuals: One per item, weight and denominator included.
        strata: Stratum of each item.
        sizes: Items per stratum, N_h; a stratum that is not named is endless.

    Returns:
        0 or more. A stratum with one labelled item of several adds its squared residual, since one item shows no spread.
    """
    import numpy as np

    each = np.asarray(residuals, dtype=float)
    names, place, n = np.unique(np.asarray(strata, dtype=object).astype(str), return_inverse=True, return_counts=True)
    left = np.array([1 - count / sizes[name] if name in sizes else 1.0 for name, count in zip(names, n.tolist(), strict=True)])
    centre = np.where(n > 1, np.bincount(place, each) / n, 0.0)
    squares = np.bincount(place, (each - centre[place]) ** 2)
    variance = float((left * n / np.maximum(n - 1, 1) * squares).sum())
    return sqrt(max(variance, 0.0))


def effective_number(weights: npt.ArrayLike) -> float:
    """Equally weighted items that would be as precise for a mean: ``(sum w)^2 / sum w^2`` (Kish 1965); needs a weight."""
    import numpy as np

    w = np.asarray(weights, dtype=float)
    return float(w.sum() ** 2 / (w @ w))
