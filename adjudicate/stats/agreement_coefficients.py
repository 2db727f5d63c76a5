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
    sums = totals(weights, _agreeing_share(counts), pairable)
    return divide(sums[:, 0], sums[:, 1])


def nominal_alpha(weights: FloatArray, counts: IntArray) -> FloatArray:
    """Krippendorff's alpha with a nominal metric, ``1 - Do / De`` (Krippendorff 2011); at most 1.

    ``Do = (1/n) sum_u (m_u^2 - sum_c C_uc^2) / (m_u - 1)``, ``De = (n^2 - sum_c n_c^2) / (n (n-1))``, over pairable units.
    """
    paired, m, scale = paired_counts(counts)
    sums = totals(weights, m, (m * m - (paired * paired).sum(axis=1)) * scale, paired)
    total, observed, margins = sums[:, 0], sums[:, 1], sums[:, 2:]
    expected = total * total - (margins**2).sum(axis=1)
    return 1 - divide(observed * (total - 1), expected)


def ordinal_alpha(weights: FloatArray, counts: IntArray) -> FloatArray:
    """Krippendorff's alpha with an ordinal metric: squared distance of the middle ranks of the declared categories.

    Ranks come from the pairable values of each copy, so every resample has its own metric.
    """
    import numpy as np

    paired, m, scale = paired_counts(counts)
    categories = paired.shape[1]
    coincidences = (paired[:, :, None] * paired[:, None, :] * scale[:, None, None]).reshape(len(paired), -1)
    sums = totals(weights, m, paired, coincidences)
    total, margins = sums[:, 0], sums[:, 1 : categories + 1]
    observed = sums[:, categories + 1 :].reshape(-1, categories, categories)
    ranks = np.cumsum(margins, axis=1) - margins / 2
    distance = (ranks[:, :, None] - ranks[:, None, :]) ** 2
    disagreement = (observed * distance).sum(axis=(1, 2))
    expected = (margins[:, :, None] * margins[:, None, :] * distance).sum(axis=(1, 2))
    return 1 - divide(disagreement * (total - 1), expected)


def fleiss_kappa(weights: FloatArray, counts: IntArray) -> FloatArray:
    """Fleiss' kappa (1971) over pairable units: chance is the squared shares of the categories; at most 1.

    The caller makes sure that pairable units have equal numbers of ratings.
    """
    paired, m, _ = paired_counts(counts)
    sums = totals(weights, m, paired)
    expected = divide((sums[:, 1:] ** 2).sum(axis=1), sums[:, 0] ** 2)
    return beyond_chance(percent_agreement(weights, counts), expected)


def gwet_ac1(weights: FloatArray, counts: IntArray) -> FloatArray:
    """Gwet's AC1 (2008), chance ``sum_c pi_c (1 - pi_c) / (k - 1)`` with k declared categories; at most 1.

    ``pi_c`` is the mean over all rated units of the unit's share of ratings in c, as in Gwet's handbook.
    """
    prevalence = prevalence_of(weights, counts)
    expected: FloatArray = (prevalence * (1 - prevalence)).sum(axis=1) / (counts.shape[1] - 1)
    return beyond_chance(percent_agreement(weights, counts), expected)


def generalised_pi(weights: FloatArray, counts: IntArray) -> FloatArray:
    """Fleiss' kappa for unequal numbers of ratings, chance ``sum_c pi_c^2`` (Gwet 2014); at most 1.

    ``pi_c`` as in `gwet_ac1`. Equals `fleiss_kappa` where every unit has the same number of ratings.
    """
    return beyond_chance(percent_agreement(weights, counts), (prevalence_of(weights, counts) ** 2).sum(axis=1))


def brennan_prediger(weights: FloatArray, counts: IntArray) -> FloatArray:
    """Coefficient of Brennan and Prediger (1981), chance ``1 / k`` with k declared categories; at most 1."""
    import numpy as np

    observed = percent_agreement(weights, counts)
    return beyond_chance(observed, np.full(observed.shape, 1 / counts.shape[1]))


def specific_agreement(weights: FloatArray, counts: IntArray, category: int) -> FloatArray:
    """Agreement on one category: ``sum_u C (C-1) / sum_u C (m-1)``, the share of agreeing partners; 0 to 1.

    For two raters ``2a / (2a + b + c)`` (Dice; Cicchetti and Feinstein 1990); for more, every rating in the category asks
    each of its partners on the unit, so units with many ratings weigh more.
    """
    paired, m, _ = paired_counts(counts)
    named = paired[:, category]
    sums = totals(weights, named * (named - 1), named * (m - 1))
    return divide(sums[:, 0], sums[:, 1])


def scott_pi(cells: FloatArray) -> FloatArray:
    """Scott's pi (1955) of two-rater tables: chance from the mean of both raters' shares; at most 1.

    Args:
        cells: Units per pair of categories, shape (copies, k, k).
    """
    import numpy as np

    total = cells.sum(axis=(1, 2))
    observed = divide(np.trace(cells, axis1=1, axis2=2), total)
    shares = (cells.sum(axis=1) + cells.sum(axis=2)) / 2
    return beyond_chance(observed, divide((shares**2).sum(axis=1), total * total))


def cohen_kappa(cells: FloatArray) -> FloatArray:
    """Cohen's kappa (1960) of two-rater tables; at most 1.

    Args:
        cells: Units per pair of categories, shape (copies, k, k).
    """
    import numpy as np

    total = cells.sum(axis=(1, 2))
    observed = divide(np.trace(cells, axis1=1, axis2=2), total)
    expected = divide((cells.sum(axis=1) * cells.sum(axis=2)).sum(axis=1), total * total)
    return beyond_chance(observed, expected)


def totals(weights: FloatArray, *columns: FloatArray) -> FloatArray:
    """Weighted sums of columns over patterns, shape (copies, columns).

    In blocks of rows small enough that the linear-algebra library stays on one thread: waking others for products this
    thin costs more than the product, ten times over on a busy machine.
    """
    import numpy as np

    table = np.column_stack(columns)
    rows = max(1, _ONE_THREAD // table.size)
    return np.concatenate([weights[start : start + rows] @ table for start in range(0, len(weights), rows)])


def paired_counts(counts: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Counts, ratings per unit and 1/(m-1), all zero for units with fewer than two ratings."""
    import numpy as np

    m = counts.sum(axis=1)
    keep = m >= 2
    scale = np.where(keep, 1 / np.maximum(m - 1, 1), 0.0)
    return np.where(keep[:, None], counts, 0).astype(np.float64), np.where(keep, m, 0).astype(np.float64), scale


def prevalence_of(weights: FloatArray, counts: IntArray) -> FloatArray:
    """Mean over all rated units of the unit's share of ratings per category, shape (copies, k)."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    shared: FloatArray = totals(weights, shares) / weights.sum(axis=1, keepdims=True)
    return shared


def _agreeing_share(counts: IntArray) -> FloatArray:
    import numpy as np

    m = counts.sum(axis=1)
    share: FloatArray = (counts * (counts - 1)).sum(axis=1) / np.maximum(m * (m - 1), 1)
    return share


def beyond_chance(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """Agreement beyond chance, ``(po - pe) / (1 - pe)``; NaN where chance agreement is complete."""
    return divide(observed - expected, 1 - expected)


def divide(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Quotient, NaN where the denominator is 0 up to rounding."""
    import numpy as np

    fits = np.abs(denominator) > 1e-12
    quotient: FloatArray = np.divide(numerator, denominator, out=np.full(fits.shape, np.nan), where=fits)
    return quotient
