"""Standard errors of kappa, MCC and balanced accuracy by linearisation: what each item adds to the weighted confusion matrix.

The delta method under stratified sampling (Särndal, Swensson and Wretman 1992, section 5.5): a coefficient g of cell shares p
changes by ``G_ab - sum p G`` where an item of weight w falls into cell (a, b), G the gradient of g; its variance is that of the
w-totals of these influences within strata.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from adjudicate.stats.weighted_ratio import linearised_error

if TYPE_CHECKING:
    from adjudicate.stats.confusion import Confusion, FloatArray

Cell = tuple[int, int]
"""Row (gold) and column (verdict) of an item in its table."""


def coefficient_error(
    name: str,
    table: Confusion,
    cells: Sequence[Cell | None],
    *,
    weights: Sequence[float],
    strata: Sequence[str],
    sizes: Mapping[str, int],
) -> float:
    """Linearised standard error of a coefficient.

    Args:
        name: A key of `GRADIENTS`.
        table: Weighted, over the items that have a cell; the coefficient must be defined on it.
        cells: Place of each item in the table; None for items that it leaves out, which keep their part in the design.
        weights: Positive, one per item.
        strata: Stratum of each item.
        sizes: Items per stratum, N_h; a stratum that is not named is endless.

    Returns:
        On the scale of the coefficient, 0 or more. 0 where no item differs in its influence, which is not the same as certainty.
    """
    total = float(table.matrix.sum())
    shares = table.matrix / total
    gradient = GRADIENTS[name](shares)
    influence = gradient - (shares * gradient).sum()
    residuals = [
        0.0 if cell is None else weight * float(influence[cell]) / total for cell, weight in zip(cells, weights, strict=True)
    ]
    return linearised_error(residuals, strata, sizes)


def _kappa(shares: FloatArray) -> FloatArray:
    """Of ``1 - (1 - po) / (1 - pe)``, with ``po = sum p_kk`` and ``pe = sum r_k c_k``, r and c the margins."""
    import numpy as np

    gold, judged = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = np.trace(shares), gold @ judged
    by_chance = judged[:, None] + gold[None, :]
    return np.asarray((np.eye(len(shares)) * (1 - expected) - (1 - observed) * by_chance) / (1 - expected) ** 2)


def _mcc(shares: FloatArray) -> FloatArray:
    """Of ``(po - pe) / sqrt((1 - sum c_k^2) (1 - sum r_k^2))``."""
    import numpy as np

    gold, judged = shares.sum(axis=1), shares.sum(axis=0)
    together = np.trace(shares) - gold @ judged
    spread = (1 - judged @ judged) * (1 - gold @ gold)
    d_together = np.eye(len(shares)) - judged[:, None] - gold[None, :]
    d_spread = -2 * (judged[None, :] * (1 - gold @ gold) + gold[:, None] * (1 - judged @ judged))
    return np.asarray(d_together / spread**0.5 - together * d_spread / (2 * spread**1.5))


def _balanced_accuracy(shares: FloatArray) -> FloatArray:
    """Of the mean over gold classes of ``p_kk / r_k``."""
    import numpy as np

    gold = shares.sum(axis=1)
    right = np.diag(shares) / gold
    return np.asarray((np.eye(len(shares)) - right[:, None]) / gold[:, None] / len(shares))


GRADIENTS: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "judge_kappa": _kappa,
    "judge_mcc": _mcc,
    "judge_balanced_accuracy": _balanced_accuracy,
}
"""Statistic -> derivatives by the shares of the table's cells, shape of the table."""
