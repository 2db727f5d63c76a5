"""Conger's kappa: Cohen's kappa for any number of raters, whose chance agreement knows who rated how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement import NO_PAIR, ONE_CATEGORY, Coefficient, defined_estimate, no_pair
from adjudicate.stats.agreement_coefficients import beyond_chance, percent_agreement, totals
from adjudicate.stats.agreement_counts import Ratings, count_matrix, rating_array
from adjudicate.stats.bootstrap import FEWEST_UNITS, RESAMPLES, percentiles, resample

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    FloatArray: TypeAlias = npt.NDArray[np.float64]
    IntArray: TypeAlias = npt.NDArray[np.int64]

ONE_RATER = "Conger's kappa needs two raters, found {}"


def conger_estimate(
    ratings: Ratings,
    categories: Sequence[str],
    *,
    group: Mapping[str, str],
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Estimate:
    """Conger's kappa (1980; missing ratings as in Gwet 2014), arguments as in `agreement.agreement_estimates`.

    Chance agreement is ``sum_c (p_c^2 - s_c^2 / r)``: mean and variance over the r raters of each one's share of category c
    among the units that rater saw. With two raters and no gap it is Cohen's kappa.

    Returns:
        A coefficient, at most 1, with a percentile interval of a unit bootstrap from 10 pairable units on; undefined with
        fewer than two raters, without a unit rated twice, or where everybody names one and the same category.

    Raises:
        ValueError: The ratings do not fit the raters or the categories.
    """
    import numpy as np

    # Raters in the order of their names: resamples are drawn over distinct columns, whose order must not hang on the caller's.
    array, k = rating_array(ratings, len(categories))[np.argsort(np.asarray(ratings.raters))], len(categories)
    array = array[(array >= 0).any(axis=1)][:, (array >= 0).any(axis=0)]
    columns, multiplicity = np.unique(array, axis=1, return_counts=True)
    pairable = (columns >= 0).sum(axis=0) >= 2
    units = int(multiplicity[pairable].sum())
    reason = ONE_RATER.format(len(array)) if len(array) < 2 else NO_PAIR if not units else None
    row = Coefficient("conger_kappa", "Conger's kappa", percent_agreement, no_pair)

    def statistic(weights: FloatArray) -> FloatArray:
        return conger_kappa(weights, columns, k)

    value = float("nan") if reason else float(statistic(multiplicity[None, :].astype(float))[0])
    if isnan(value):
        undefined = reason or ONE_CATEGORY
        return Estimate(row.statistic, None, units, row.method, row.unit, group, assumes=row.assumes, undefined=undefined)
    enough = units >= FEWEST_UNITS and resamples > 0
    weights = resample(multiplicity, seed=seed, resamples=resamples) if enough else None
    interval = percentiles(statistic, weights, value=value, confidence=confidence) if weights is not None else None
    return defined_estimate(row, value, units, interval=interval, group=group, confidence=confidence)


def conger_kappa(weights: FloatArray, columns: IntArray, categories: int) -> FloatArray:
    """The coefficient in weighted copies of the data, NaN where undefined.

    Args:
        weights: Units per distinct column of ratings in each copy, shape (copies, columns).
        columns: Distinct columns, shape (raters, columns), -1 for no rating.
        categories: Number of declared categories, k.
    """
    import numpy as np

    raters = len(columns)
    named = np.stack([(columns == category) for category in range(categories)], axis=2)
    counts = totals(weights, *named.reshape(raters, -1, categories).astype(float)).reshape(-1, raters, categories)
    seen = counts.sum(axis=2, keepdims=True)
    # A rater whom a resample missed altogether has no shares there, so the copy has no value.
    shares = np.divide(counts, seen, out=np.full(counts.shape, np.nan), where=seen > 0)
    mean = shares.mean(axis=1)
    expected: FloatArray = (mean**2 - shares.var(axis=1, ddof=1) / raters).sum(axis=1)
    return beyond_chance(percent_agreement(weights, count_matrix(columns, categories)), expected)
