"""Agreement coefficients that give credit for near misses: AC2, weighted kappa, and alpha with a numeric metric.

Arguments and results as in `agreement_coefficients`. They need categories on a scale; the caller says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from adjudicate.stats.agreement_coefficients import beyond_chance, divide, paired_counts, prevalence_of, totals

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    FloatArray: TypeAlias = npt.NDArray[np.float64]
    IntArray: TypeAlias = npt.NDArray[np.int64]

Credit = Literal["linear", "quadratic"]
Metric = Literal["interval", "ratio"]


def credit_matrix(categories: int, kind: Credit) -> FloatArray:
    """Credit for a pair of categories: 1 for the same, 0 for the two ends, shape (k, k).

    Args:
        categories: Declared categories k, at least 2, in the order of the scale.
        kind: ``linear``: ``1 - |i-j| / (k-1)``; ``quadratic``: ``1 - (i-j)^2 / (k-1)^2``.

    Raises:
        ValueError: Fewer than two categories.
    """
    import numpy as np

    if categories < 2:
        raise ValueError(f"credit needs two declared categories, found {categories}")
    places = np.arange(categories)
    steps = np.abs(places[:, None] - places) / (categories - 1)
    credit: FloatArray = 1 - (steps if kind == "linear" else steps**2)
    return credit


def gwet_ac2(weights: FloatArray, counts: IntArray, credit: FloatArray) -> FloatArray:
    """Gwet's AC2 (2014): AC1 with credit, chance ``sum(T) / (k (k-1)) sum_c pi_c (1 - pi_c)``; at most 1.

    Args:
        weights: Units per pattern, shape (copies, patterns).
        counts: Shape (patterns, k).
        credit: As `credit_matrix` returns it, T.
    """
    categories = counts.shape[1]
    prevalence = prevalence_of(weights, counts)
    spread = (prevalence * (1 - prevalence)).sum(axis=1)
    return beyond_chance(_credited(weights, counts, credit), credit.sum() / (categories * (categories - 1)) * spread)


def weighted_kappa(cells: FloatArray, credit: FloatArray) -> FloatArray:
    """Cohen's weighted kappa (1968) of two-rater tables; at most 1.

    Args:
        cells: Units per pair of categories, shape (copies, k, k).
        credit: As `credit_matrix` returns it.
    """
    total = cells.sum(axis=(1, 2))
    observed = divide((cells * credit).sum(axis=(1, 2)), total)
    margins = cells.sum(axis=2)[:, :, None] * cells.sum(axis=1)[:, None, :]
    return beyond_chance(observed, divide((margins * credit).sum(axis=(1, 2)), total * total))


def metric_distance(values: Sequence[float], metric: Metric) -> FloatArray:
    """Squared difference of two values, shape (k, k), for Krippendorff's alpha (2011).

    Args:
        values: Number that each category stands for, on one scale.
        metric: ``interval``: ``(c-k)^2``; ``ratio``: ``((c-k) / (c+k))^2``, 0 for two zeros.

    Raises:
        ValueError: A negative value on a ratio scale.
    """
    import numpy as np

    numbers = np.asarray(values, dtype=float)
    difference = numbers[:, None] - numbers
    if metric == "interval":
        squared: FloatArray = difference**2
        return squared
    if bool((numbers < 0).any()):
        raise ValueError(f"a ratio scale has no negative values; found {numbers.min():g}")
    sums = numbers[:, None] + numbers
    relative: FloatArray = np.divide(difference, sums, out=np.zeros_like(sums), where=sums > 0) ** 2
    return relative


def metric_alpha(weights: FloatArray, counts: IntArray, distance: FloatArray) -> FloatArray:
    """Krippendorff's alpha with a fixed metric D: ``Do = (1/n) sum_u C_u D C_u / (m_u - 1)``, ``De = n_c D n_c / (n (n-1))``.

    Args:
        weights: Units per pattern, shape (copies, patterns).
        counts: Shape (patterns, k).
        distance: As `metric_distance` returns it, D.
    """
    paired, m, scale = paired_counts(counts)
    sums = totals(weights, m, ((paired @ distance) * paired).sum(axis=1) * scale, paired)
    total, observed, margins = sums[:, 0], sums[:, 1], sums[:, 2:]
    expected = ((margins @ distance) * margins).sum(axis=1)
    return 1 - divide(observed * (total - 1), expected)


def _credited(weights: FloatArray, counts: IntArray, credit: FloatArray) -> FloatArray:
    """Mean over pairable units of the credit of a pair, ``sum_c C (C* - 1) / (m (m-1))`` with ``C* = C T``."""
    import numpy as np

    m = counts.sum(axis=1)
    share = (counts * (counts @ credit - 1)).sum(axis=1) / np.maximum(m * (m - 1), 1)
    sums = totals(weights, np.where(m >= 2, share, 0.0), (m >= 2).astype(float))
    return divide(sums[:, 0], sums[:, 1])
