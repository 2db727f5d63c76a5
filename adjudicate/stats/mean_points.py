"""Mean of 0-100 points that a policy gives to outcomes, over strata: the graded side of a boundary score.

Rates are in `corrected`; scores that a judge gave are in `hajek`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from adjudicate.core.estimates import Estimate, Interval
from adjudicate.stats.corrected import SAMPLE_ASSUMES
from adjudicate.stats.intervals import effective_size, jeffreys

POINTS_METHOD = "stratified mean of points, MOVER with finite-population Jeffreys limits (bounded variance)"


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
    strata: Sequence[StratumPoints], *, statistic: str, group: Mapping[str, str], confidence: float = 0.95
) -> Estimate:
    """Mean points of these N items: ``sum W_h (points_h / n_h)``.

    A value between 0 and 100 never varies more than one that is only ever 0 or 100 with the same mean, so limits for a rate
    hold (with room to spare) for points: ``points / 100`` stands in for the events.

    Args:
        strata: In any order; strata without items are dropped.
        statistic: Name for the estimate.
        group: What the estimate speaks for.
        confidence: Two-sided, 0 to 1.

    Returns:
        An estimate in points, 0 to 100. Undefined without items or with a stratum that has no settled label. Unresolved items
        and non-response never enter the value; ``unresolved_bounds`` holds the means with all of both 0, and all of both 100.
    """
    filled = sorted((stratum for stratum in strata if stratum.size), key=lambda stratum: stratum.stratum)
    total = sum(stratum.size for stratum in filled)
    n = sum(stratum.labelled for stratum in filled)
    details = {"N": total, **_open(filled)}
    empty = sum(not stratum.labelled for stratum in filled)
    if not filled or empty:
        reason = "no items" if not filled else f"{empty} of {len(filled)} strata have no settled label"
        return Estimate(
            statistic, None, n, POINTS_METHOD, unit="points", group=group, assumes=SAMPLE_ASSUMES, undefined=reason,
            details=details,
        )  # fmt: skip
    value = below = above = 0.0
    for stratum in filled:
        weight, mean = stratum.size / total, stratum.points / 100 / stratum.labelled
        limits = bounded_limits(mean, stratum.labelled, stratum.size, confidence)
        value += weight * mean
        below += (weight * (mean - limits.low)) ** 2
        above += (weight * (limits.high - mean)) ** 2
    return Estimate(
        statistic, 100 * value, n, POINTS_METHOD, unit="points", group=group, low=100 * max(0.0, value - sqrt(below)),
        high=100 * min(1.0, value + sqrt(above)), confidence=confidence, assumes=SAMPLE_ASSUMES, details=details,
    )  # fmt: skip


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
