"""Coefficients of exactly two raters as estimates: weighted kappa and Scott's pi, over the units both rated.

Plain Cohen's kappa is in `agreement`; the arithmetic is in `agreement_coefficients` and `agreement_weighted`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement import (
    ASSUMES,
    NO_PAIR,
    ONE_CATEGORY,
    ONE_DECLARED,
    ORDINAL_ASSUMES,
    Coefficient,
    defined_estimate,
    no_pair,
)  # fmt: skip
from adjudicate.stats.agreement_coefficients import percent_agreement, scott_pi
from adjudicate.stats.agreement_counts import Ratings, pair_cells, rating_array
from adjudicate.stats.agreement_weighted import Credit, credit_matrix, weighted_kappa
from adjudicate.stats.bootstrap import FEWEST_UNITS, RESAMPLES, percentiles, resample

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    FloatArray: TypeAlias = npt.NDArray[np.float64]
    IntArray: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TableCoefficient:
    """One coefficient of a two-rater table."""

    statistic: str
    method: str
    function: Callable[[FloatArray], FloatArray]
    """Tables, shape (copies, k, k), to values, shape (copies,); NaN where undefined."""
    group: Mapping[str, str] = field(default_factory=dict)
    """Added to the group of the estimate."""
    assumes: str = ASSUMES


def _weighted(kind: Credit) -> TableCoefficient:
    def function(cells: FloatArray) -> FloatArray:
        return weighted_kappa(cells, credit_matrix(cells.shape[1], kind))

    return TableCoefficient("weighted_kappa", f"Cohen's kappa, {kind} weights", function, {"weights": kind}, ORDINAL_ASSUMES)


TABLE_COEFFICIENTS: tuple[TableCoefficient, ...] = (
    TableCoefficient("scott_pi", "Scott's pi", scott_pi),
    _weighted("linear"),
    _weighted("quadratic"),
)


def table_estimates(
    ratings: Ratings,
    categories: Sequence[str],
    *,
    group: Mapping[str, str],
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> list[Estimate]:
    """Scott's pi and weighted kappa (linear, quadratic); arguments as in `agreement.agreement_estimates`.

    Returns:
        Coefficients, at most 1, with percentile intervals of a unit bootstrap from 10 common units on. Undefined for
        another number of raters, without a common unit, with one declared category, or where both name one category only.

    Raises:
        ValueError: The ratings do not fit the raters or the categories.
    """
    array, k = rating_array(ratings, len(categories)), len(categories)
    active = [row for row in range(len(array)) if bool((array[row] >= 0).any())]
    if len(active) != 2:
        units = int((array >= 0).any(axis=0).sum()) if len(array) else 0
        return [_undefined(row, f"{row.method} needs exactly two raters, found {len(active)}", units, group)
                for row in TABLE_COEFFICIENTS]  # fmt: skip
    cells = pair_cells(array[active[0]], array[active[1]], k)
    units, filled = int(cells.sum()), cells.nonzero()[0]
    if k < 2 or not units:
        return [_undefined(row, ONE_DECLARED if k < 2 else NO_PAIR, units, group) for row in TABLE_COEFFICIENTS]
    enough = units >= FEWEST_UNITS and resamples > 0
    weights = resample(cells[filled], seed=seed, resamples=resamples) if enough else None
    return [_defined(row, cells, filled, k=k, weights=weights, group=group, confidence=confidence) for row in TABLE_COEFFICIENTS]


def _defined(
    row: TableCoefficient,
    cells: IntArray,
    filled: IntArray,
    *,
    k: int,
    weights: FloatArray | None,
    group: Mapping[str, str],
    confidence: float,
) -> Estimate:
    def statistic(counts: FloatArray) -> FloatArray:
        import numpy as np

        tables = np.zeros((len(counts), k * k))
        tables[:, filled] = counts
        return row.function(tables.reshape(-1, k, k))

    units = int(cells.sum())
    value = float(statistic(cells[filled][None, :].astype(float))[0])
    if isnan(value):
        return _undefined(row, ONE_CATEGORY, units, group)
    interval = percentiles(statistic, weights, value=value, confidence=confidence) if weights is not None else None
    named = Coefficient(row.statistic, row.method, percent_agreement, no_pair, assumes=row.assumes)
    return defined_estimate(named, value, units, interval=interval, group={**group, **row.group}, confidence=confidence)


def _undefined(row: TableCoefficient, reason: str, units: int, group: Mapping[str, str]) -> Estimate:
    return Estimate(
        row.statistic, None, units, row.method, "coefficient", {**group, **row.group}, assumes=row.assumes, undefined=reason
    )
