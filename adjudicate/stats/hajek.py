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
    """Mean of the true values of these N items: ``mean_N m + sum (y - m)/pi / sum 1/pi``.

    Hajek (1971) form of the difference estimator (Särndal, Swensson and Wretman 1992); the active inference of Zrnic and
    Candès (2024) with the weights normalised, which held 92.5 to 96 % where the plain form fell to 81 %. Variance:
    ``sum (1-pi)/pi^2 (e - e_bar)^2 / (sum 1/pi)^2`` with e = y - m.

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
        An estimate on the scale of `unit`, clipped to it. Undefined without labels. Without an interval (and a reason in
        ``details["no_interval"]``) where all differences agree although items are unlabelled.

    Raises:
        ValueError: Shapes, places, probabilities or values out of range.
    """
    import numpy as np

    if unit not in HIGHEST:
        raise ValueError(f"a mean is a fraction or points, not {unit}")
    m, y, pi = (np.asarray(values, dtype=float) for values in (predictions, labels, inclusion))
    place = np.asarray(labelled, dtype=int)
    _check(m, y, pi, place, HIGHEST[unit])
    n = int(y.size)
    details: dict[str, Any] = {"N": int(m.size), "mean_prediction": float(m.mean()) if m.size else None}
    if not n:
        return Estimate(
            statistic, None, 0, HAJEK_METHOD, unit=unit, group=group, assumes=HAJEK_ASSUMES, undefined="no settled label",
            details=details,
        )  # fmt: skip
    error, weight = y - m[place], 1 / pi
    shift = float((weight * error).sum() / weight.sum())
    value = min(HIGHEST[unit], max(0.0, float(m.mean()) + shift))
    variance = float(((1 - pi) * weight**2 * (error - shift) ** 2).sum() / weight.sum() ** 2)
    details |= {"standard_error": variance**0.5, "correction": shift, "smallest_inclusion": float(pi.min())}
    limits = _limits(value, float(m.mean()) + shift, variance, HIGHEST[unit], confidence)
    if limits is None and n == m.size:
        limits = (value, value)
    if limits is None:
        details["no_interval"] = NO_SPREAD
    low, high = limits or (None, None)
    return Estimate(
        statistic, value, n, HAJEK_METHOD, unit=unit, group=group, low=low, high=high,
        confidence=None if limits is None else confidence, assumes=HAJEK_ASSUMES, details=details,
    )  # fmt: skip


def _limits(value: float, unclipped: float, variance: float, top: float, confidence: float) -> tuple[float, float] | None:
    half = normal_quantile(confidence) * variance**0.5
    if half <= 1e-12 * top:
        return None
    return min(value, max(0.0, unclipped - half)), max(value, min(top, unclipped + half))


def _check(m: Any, y: Any, pi: Any, place: Any, top: float) -> None:
    import numpy as np

    if not (m.ndim == y.ndim == 1 and y.shape == pi.shape == place.shape):
        raise ValueError("needs one prediction per item, and one label, place and probability per labelled item")
    if place.size and not (place.min() >= 0 and place.max() < m.size and np.unique(place).size == place.size):
        raise ValueError("a labelled item is named twice or is not among the items")
    if pi.size and not (pi.min() > 0 and pi.max() <= 1):
        raise ValueError("an inclusion probability is above 0 and at most 1")
    for values in (m, y):
        if values.size and not (values.min() >= 0 and values.max() <= top):
            raise ValueError(f"values must be within 0 and {top:g}")
