"""Mean of 0-100 points that a policy gives to outcomes, over strata: the graded side of a boundary score.

Rates are in `corrected`; scores that a judge gave are in `hajek`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from adjudicate.core.estimates import Estimate, Interval
from adjudicate.stats.corrected import CLUSTER_ASSUMES, SAMPLE_ASSUMES
from adjudicate.stats.design_effect import DesignEffect
from adjudicate.stats.intervals import effective_size, jeffreys, normal_quantile
from adjudicate.stats.stratum_bounds import CLUSTERED, Target, clustered_wilson, student_quantile

POINTS_METHOD = "stratified mean of points, MOVER with finite-population Jeffreys limits (bounded variance)"
PROCESS_METHOD = "stratified mean of points, MOVER with Jeffreys limits, process target (bounded variance)"
CLUSTERED_METHOD = f"stratified mean of points, MOVER with {CLUSTERED}, process target (bounded variance)"


@dataclass(frozen=True, slots=True)
class StratumPoints:
    """Points given to the labelled items of one stratum."""

    stratum: str
    """Name of the stratum."""
    size: int
    """Items in the stratum, N_h."""
    labelled: int
    """Items with a settled gold label, n_h."""
    points: float
    """Sum of their points, 0 to 100 each."""
    unresolved: int = 0
    """Items labelled without a settled gold label."""
    non_response: int = 0
    """Drawn items that nobody labelled and everyone who was given them skipped."""

    def __post_init__(self) -> None:
        fits = 0 <= self.points <= 100 * self.labelled and self.labelled + self.open <= self.size
        if not fits or self.unresolved < 0 or self.non_response < 0:
            raise ValueError(f"impossible points in a stratum: {self}")

    @property
    def open(self) -> int:
        """Items of the sample that could have any points."""
        return self.unresolved + self.non_response


def mean_points(
    strata: Sequence[StratumPoints],
    *,
    statistic: str,
    group: Mapping[str, str],
    confidence: float = 0.95,
    target: Target = "finite",
    effect: DesignEffect | None = None,
) -> Estimate:
    """Mean points of N items, or of the process that made them: ``sum W_h (points_h / n_h)``.

    A value between 0 and 100 never varies more than one that is only ever 0 or 100 with the same mean, so limits for a rate
    hold (with room to spare) for points: ``points / 100`` stands in for the events.

    Args:
        strata: In any order; strata without items are dropped.
        statistic: Name for the estimate.
        group: What the estimate speaks for.
        confidence: Two-sided, 0 to 1.
        target: As for `stratified_rate`.
        effect: Of the process on ``points / 100``, where items come in clusters; it has no part in the finite target.

    Returns:
        An estimate in points, 0 to 100. Undefined without items, with a stratum that has no settled label, and for the process
        where all labels are of one cluster. Unresolved items and non-response never enter the value; ``unresolved_bounds`` holds
        the means with all of both 0, and all of both 100.
    """
    filled = sorted((stratum for stratum in strata if stratum.size), key=lambda stratum: stratum.stratum)
    total = sum(stratum.size for stratum in filled)
    n = sum(stratum.labelled for stratum in filled)
    effect = effect if target == "process" else None
    method = POINTS_METHOD if target == "finite" else CLUSTERED_METHOD if effect else PROCESS_METHOD
    assumes = CLUSTER_ASSUMES if effect else SAMPLE_ASSUMES
    details = {"N": total, "target": target, **_open(filled), **(effect.as_details() if effect else {})}
    empty = sum(not stratum.labelled for stratum in filled)
    reason = f"{empty} of {len(filled)} strata have no settled label" if empty else effect.lacking if effect else None
    if reason is not None or not filled:
        return Estimate(
            statistic, None, n, method, unit="points", group=group, assumes=assumes,
            undefined=reason if filled else "no items", details=details,
        )  # fmt: skip
    means = [stratum.points / 100 / stratum.labelled for stratum in filled]
    weights = [stratum.size / total for stratum in filled]
    value = sum(weight * mean for weight, mean in zip(weights, means, strict=True))
    apart = sum(weight * (mean - value) ** 2 for weight, mean in zip(weights, means, strict=True)) / total
    below = above = 0.0 if target == "finite" else _spread(effect, confidence) * apart
    for stratum, weight, mean in zip(filled, weights, means, strict=True):
        limits = _limits(stratum, mean, target, effect, confidence)
        below += (weight * (mean - limits.low)) ** 2
        above += (weight * (limits.high - mean)) ** 2
    return Estimate(
        statistic, 100 * value, n, method, unit="points", group=group, low=100 * max(0.0, value - sqrt(below)),
        high=100 * min(1.0, value + sqrt(above)), confidence=confidence, assumes=assumes, details=details,
    )  # fmt: skip


def _limits(stratum: StratumPoints, mean: float, target: Target, effect: DesignEffect | None, confidence: float) -> Interval:
    if effect is not None:
        return clustered_wilson(mean, stratum.labelled / effect.value, clusters=effect.clusters, confidence=confidence)
    return bounded_limits(mean, stratum.labelled, stratum.size if target == "finite" else None, confidence)


def _spread(effect: DesignEffect | None, confidence: float) -> float:
    """What the differences between strata of a process are multiplied by, as in `stratum_bounds`."""
    if effect is None:
        return normal_quantile(confidence) ** 2
    return student_quantile(effect.clusters, confidence) ** 2 * effect.value


def _open(strata: Sequence[StratumPoints]) -> dict[str, Any]:
    unresolved, missing = sum(stratum.unresolved for stratum in strata), sum(stratum.non_response for stratum in strata)
    found: dict[str, Any] = {"unresolved": unresolved} | ({"non_response": missing} if missing else {})
    if (unresolved or missing) and all(stratum.labelled + stratum.open for stratum in strata):
        total = sum(stratum.size for stratum in strata)
        found["unresolved_bounds"] = [
            sum(s.size * (s.points + every * s.open) / (s.labelled + s.open) for s in strata) / total for every in (0, 100)
        ]
    return found


def bounded_limits(mean: float, n: float, size: int | None, confidence: float = 0.95) -> Interval:
    """Jeffreys limits for the mean of values between 0 and 1, as if they were only ever 0 or 1: conservative.

    Args:
        mean: Of the n values, 0 to 1.
        n: Values, 1 to `size`, or an effective number of them.
        size: Items in the population, N; None for an endless one.
        confidence: Two-sided, 0 to 1.

    Returns:
        Fractions; the mean itself when every item was seen.

    Raises:
        ValueError: Something is out of range.
    """
    if n == size:
        return Interval(mean, mean)
    effective = effective_size(n, size)
    limits = jeffreys(effective if mean == 1 else effective * mean, effective, confidence)
    # At tiny counts the Jeffreys limits of a fractional count can pass it.
    return Interval(min(limits.low, mean), max(limits.high, mean))
