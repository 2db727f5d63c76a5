"""Agreement coefficients of many weighted copies of one set of rating patterns at once.

Every function takes `weights`, shape (copies, patterns): units per pattern in each copy (the data themselves are one
copy, each bootstrap resample another). It returns shape (copies,), NaN where the coefficient is undefined. `counts` has
shape (patterns, categories). Names of undefined states are given by `agreement`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    FloatArray: TypeAlias = npt.NDArray[np.float64]
    IntArray: TypeAlias = npt.NDArray[np.int64]


_ONE_THREAD = 200_000
"""Multiplications up to which OpenBLAS does not split a matrix product."""


def percent_agreement(weights: FloatArray, counts: IntArray) -> FloatArray:
    """Mean over pairable units of the share of agreeing pairs, ``sum_c c (c-1) / (m (m-1))``; 0 to 1."""
    pairable = (counts.sum(axis=1) >= 2).astype(float)
    sums = _totals(weights, _agreeing_share(counts), pairable)
    return _divide(sums[:, 0], sums[:, 1])


def nominal_alpha(weights: FloatArray, counts: IntArray) -> FloatArray:
    """Krippendorff's alpha with a nominal metric, ``1 - Do / De`` (Krippendorff 2011); at most 1.

    ``Do = (1/n) sum_u (m_u^2 - sum_c C_uc^2) / (m_u - 1)``, ``De = (n^2 - sum_c n_c^2) / (n (n-1))``, over pairable units.
    """
    paired, m, scale = _pairable(counts)
    sums = _totals(weights, m, (m * m - (paired * paired).sum(axis=1)) * scale, paired)
    total, observed, margins = sums[:, 0], sums[:, 1], sums[:, 2:]
    expected = total * total - (margins**2).sum(axis=1)
    return 1 - _divide(observed * (total - 1), expected)


def ordinal_alpha(weights: FloatArray, counts: IntArray) -> FloatArray:
    """Krippendorff's alpha with an ordinal metric: squared distance of the middle ranks of the declared categories.

    Ranks come from the pairable values of each copy, so every resample has its own metric.
    """
    import numpy as np

    paired, m, scale = _pairable(counts)
    categories = paired.shape[1]
    coincidences = (paired[:, :, None] * paired[:, None, :] * scale[:, None, None]).reshape(len(paired), -1)
    sums = _totals(weights, m, paired, coincidences)
    total, margins = sums[:, 0], sums[:, 1 : categories + 1]
    observed = sums[:, categories + 1 :].reshape(-1, categories, categories)
    ranks = np.cumsum(margins, axis=1) - margins / 2
    distance = (ranks[:, :, None] - ranks[:, None, :]) ** 2
    disagreement = (observed * distance).sum(axis=(1, 2))
    expected = (margins[:, :, None] * margins[:, None, :] * distance).sum(axis=(1, 2))
    return 1 - _divide(disagreement * (total - 1), expected)


def fleiss_kappa(weights: FloatArray, counts: IntArray) -> FloatArray:
    """Fleiss' kappa (1971) over pairable units: chance is the squared shares of the categories; at most 1.

    The caller makes sure that pairable units have equal numbers of ratings.
    """
    paired, m, _ = _pairable(counts)
    sums = _totals(weights, m, paired)
    expected = _divide((sums[:, 1:] ** 2).sum(axis=1), sums[:, 0] ** 2)
    return _beyond_chance(percent_agreement(weights, counts), expected)


def gwet_ac1(weights: FloatArray, counts: IntArray) -> FloatArray:
    """Gwet's AC1 (2008), chance ``sum_c pi_c (1 - pi_c) / (k - 1)`` with k declared categories; at most 1.

    ``pi_c`` is the mean over all rated units of the unit's share of ratings in c, as in Gwet's handbook.
    """
    shares = counts / counts.sum(axis=1, keepdims=True)
    prevalence = _totals(weights, shares) / weights.sum(axis=1, keepdims=True)
    expected: FloatArray = (prevalence * (1 - prevalence)).sum(axis=1) / (counts.shape[1] - 1)
    return _beyond_chance(percent_agreement(weights, counts), expected)


def cohen_kappa(cells: FloatArray) -> FloatArray:
    """Cohen's kappa (1960) of two-rater tables; at most 1.

    Args:
        cells: Units per pair of categories, shape (copies, k, k).
    """
    import numpy as np

    total = cells.sum(axis=(1, 2))
    observed = _divide(np.trace(cells, axis1=1, axis2=2), total)
    expected = _divide((cells.sum(axis=1) * cells.sum(axis=2)).sum(axis=1), total * total)
    return _beyond_chance(observed, expected)


def _totals(weights: FloatArray, *columns: FloatArray) -> FloatArray:
    """Weighted sums of columns over patterns, shape (copies, columns).

    In blocks of rows small enough that the linear-algebra library stays on one thread: waking others for products this
    thin costs more than the product, ten times over on a busy machine.
    """
    import numpy as np

    table = np.column_stack(columns)
    rows = max(1, _ONE_THREAD // table.size)
    return np.concatenate([weights[start : start + rows] @ table for start in range(0, len(weights), rows)])


def _pairable(counts: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Counts, ratings per unit and 1/(m-1), all zero for units with fewer than two ratings."""
    import numpy as np

    m = counts.sum(axis=1)
    keep = m >= 2
    scale = np.where(keep, 1 / np.maximum(m - 1, 1), 0.0)
    return np.where(keep[:, None], counts, 0).astype(np.float64), np.where(keep, m, 0).astype(np.float64), scale


def _agreeing_share(counts: IntArray) -> FloatArray:
    import numpy as np

    m = counts.sum(axis=1)
    share: FloatArray = (counts * (counts - 1)).sum(axis=1) / np.maximum(m * (m - 1), 1)
    return share


def _beyond_chance(observed: FloatArray, expected: FloatArray) -> FloatArray:
    return _divide(observed - expected, 1 - expected)


def _divide(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Quotient, NaN where the denominator is 0 up to rounding."""
    import numpy as np

    fits = np.abs(denominator) > 1e-12
    quotient: FloatArray = np.divide(numerator, denominator, out=np.full(fits.shape, np.nan), where=fits)
    return quotient
