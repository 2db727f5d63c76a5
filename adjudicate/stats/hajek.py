"""Rates and mean scores from labels of unequal inclusion probability: the difference estimator in its Hajek form.

For scores, and for rates with plenty of errors. A rare rate belongs to strata, in `corrected`: normal limits need many errors
among the labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from adjudicate.core.estimates import Estimate, Unit
from adjudicate.stats.intervals import normal_quantile

if TYPE_CHECKING:
    import numpy.typing as npt

HAJEK_METHOD = "difference estimator (Hajek), normal limits from the linearised variance under Poisson sampling"
HAJEK_ASSUMES = (
    "settled labels are right; every item entered the sample by itself with the probability recorded when it was chosen, "
    "and no probability was 0"
)
NO_SPREAD = "labels and predictions differ by the same amount everywhere, which shows no sampling error"
HIGHEST: Mapping[Unit, float] = {"fraction": 1.0, "points": 100.0}
"""Top of the scale, by unit; the bottom is 0."""


def hajek_difference(
    predictions: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    labelled: npt.ArrayLike,
    inclusion: npt.ArrayLike,
    statistic: str,
    group: Mapping[str, str],
    unit: Unit = "fraction",
    confidence: float = 0.95,
) -> Estimate:
    """`hajek_mean` from the predictions of all items, one by one.

    Args:
        predictions: m, the judge's value for every item, shape (N,), on the scale of `unit`; fixed before the labels.
        labels: y, true values of the labelled items, shape (n,), same scale.
        labelled: Places of the labelled items in `predictions`, shape (n,), each at most once.
        inclusion: pi, probability of each labelled item, shape (n,), above 0 and at most 1.
        statistic: Name for the estimate.
        group: What the estimate speaks for.
        unit: ``fraction`` (0 to 1) or ``points`` (0 to 100).
        confidence: Two-sided, 0 to 1.

    Returns:
        As `hajek_mean`.

    Raises:
        ValueError: Shapes, places, probabilities or values out of range.
    """
    import numpy as np

    m, place = np.asarray(predictions, dtype=float), np.asarray(labelled, dtype=int)
    if m.ndim != 1 or place.ndim != 1:
        raise ValueError("needs one prediction per item, and one place per labelled item")
    if place.size and not (place.min() >= 0 and place.max() < m.size and np.unique(place).size == place.size):
        raise ValueError("a labelled item is named twice or is not among the items")
    _within(m, _top(unit))
    return hajek_mean(
        m[place], labels, inclusion=inclusion, size=int(m.size), mean_prediction=float(m.mean()) if m.size else 0.0,
        statistic=statistic, group=group, unit=unit, confidence=confidence,
    )  # fmt: skip


def hajek_mean(
    predictions: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    inclusion: npt.ArrayLike,
    size: int,
    mean_prediction: float,
    statistic: str,
    group: Mapping[str, str],
    unit: Unit = "fraction",
    confidence: float = 0.95,
    assumes: str = HAJEK_ASSUMES,
    details: Mapping[str, Any] | None = None,
) -> Estimate:
    """Mean of the true values of N items: ``mean_N m + sum (y - m)/pi / sum 1/pi``.

    Hajek (1971) form of the difference estimator (Särndal, Swensson and Wretman 1992); the active inference of Zrnic and
    Candès (2024) with the weights normalised, which held 92.5 to 96 % where the plain form fell to 81 %. Variance:
    ``sum (1-pi)/pi^2 (e - e_bar)^2 / (sum 1/pi)^2`` with e = y - m.

    Args:
        predictions: m of the labelled items, shape (n,), on the scale of `unit`; fixed before the labels.
        labels: y, their true values, shape (n,), same scale.
        inclusion: pi, probability of each of them, shape (n,), above 0 and at most 1.
        size: Items, N.
        mean_prediction: Mean of m over all N.
        statistic: Name for the estimate.
        group: What the estimate speaks for.
        unit: ``fraction`` (0 to 1) or ``points`` (0 to 100).
        confidence: Two-sided, 0 to 1.
        assumes: Words for the estimate.
        details: More by-products to carry along.

    Returns:
        An estimate on the scale of `unit`, clipped to it. Undefined without labels. Without an interval (and a reason in
        ``details["no_interval"]``) where all differences agree although items are unlabelled.

    Raises:
        ValueError: Shapes, probabilities or values out of range.
    """
    import numpy as np

    top = _top(unit)
    m, y, pi = (np.asarray(values, dtype=float) for values in (predictions, labels, inclusion))
    _check(m, y, pi, size, top)
    n = int(y.size)
    by_products: dict[str, Any] = {"N": size, "mean_prediction": mean_prediction if size else None, **(details or {})}
    if not n:
        return Estimate(
            statistic, None, 0, HAJEK_METHOD, unit=unit, group=group, assumes=assumes, undefined="no settled label",
            details=by_products,
        )  # fmt: skip
    error, weight = y - m, 1 / pi
    shift = float((weight * error).sum() / weight.sum())
    value = min(top, max(0.0, mean_prediction + shift))
    variance = float(((1 - pi) * weight**2 * (error - shift) ** 2).sum() / weight.sum() ** 2)
    by_products |= {"standard_error": variance**0.5, "correction": shift, "smallest_inclusion": float(pi.min())}
    limits = _limits(value, mean_prediction + shift, variance, top, confidence)
    if limits is None and n == size:
        limits = (value, value)
    if limits is None:
        by_products["no_interval"] = NO_SPREAD
    low, high = limits or (None, None)
    return Estimate(
        statistic, value, n, HAJEK_METHOD, unit=unit, group=group, low=low, high=high,
        confidence=None if limits is None else confidence, assumes=assumes, details=by_products,
    )  # fmt: skip


def _limits(value: float, unclipped: float, variance: float, top: float, confidence: float) -> tuple[float, float] | None:
    half = normal_quantile(confidence) * variance**0.5
    if half <= 1e-12 * top:
        return None
    return min(value, max(0.0, unclipped - half)), max(value, min(top, unclipped + half))


def _top(unit: Unit) -> float:
    if unit not in HIGHEST:
        raise ValueError(f"a mean is a fraction or points, not {unit}")
    return HIGHEST[unit]


def _check(m: Any, y: Any, pi: Any, size: int, top: float) -> None:
    if not (m.ndim == 1 and m.shape == y.shape == pi.shape):
        raise ValueError("needs one prediction, label and probability per labelled item")
    if y.size > size:
        raise ValueError(f"{y.size} labelled items among {size}")
    if pi.size and not (pi.min() > 0 and pi.max() <= 1):
        raise ValueError("an inclusion probability is above 0 and at most 1")
    _within(m, top)
    _within(y, top)


def _within(values: Any, top: float) -> None:
    if values.size and not (values.min() >= 0 and values.max() <= top):
        raise ValueError(f"values must be within 0 and {top:g}")
