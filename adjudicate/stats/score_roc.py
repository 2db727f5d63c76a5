"""Sensitivity and specificity of a judge's score at every threshold, with design weights; no area, no recommendation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from adjudicate.stats.reliability import ScoredItems

THRESHOLDS: tuple[float, ...] = tuple(place / 20 for place in range(21))
"""Where the table of a report looks."""


@dataclass(frozen=True, slots=True)
class RocPoint:
    """The judge that flags every score from `threshold` on."""

    threshold: float
    """On the scale of the scores, 0 to 1."""
    sensitivity: float
    """Weighted share of events that are flagged, 0 to 1."""
    specificity: float
    """Weighted share of other items that are not, 0 to 1."""

    @property
    def youden(self) -> float:
        """``sensitivity + specificity - 1``, -1 to 1."""
        return self.sensitivity + self.specificity - 1


def threshold_details(items: ScoredItems) -> dict[str, Any]:
    """``thresholds`` (a row for each of `THRESHOLDS`) and ``highest_youden`` (one of them) for the details of an estimate.

    Empty without an event or without a non-event. On these same items the highest point looks better than it is.
    """
    points = weighted_roc(items, THRESHOLDS)
    if points is None:
        return {}
    return {"thresholds": [asdict(point) for point in points], "highest_youden": highest_youden(points).threshold}


def weighted_roc(items: ScoredItems, thresholds: Sequence[float]) -> tuple[RocPoint, ...] | None:
    """One point per threshold, in the given order; None without an event or without a non-event.

    Speaks for the population with the items' design weights. The points are point estimates: choose a threshold on one half
    of the items and report it on the other.
    """
    import numpy as np

    scores, weights = np.asarray(items.scores, dtype=float), np.asarray(items.weights, dtype=float)
    events = np.asarray(items.events, dtype=bool)
    happened, others = float(weights[events].sum()), float(weights[~events].sum())
    if not happened or not others:
        return None
    return tuple(
        RocPoint(
            threshold,
            float(weights[events & (scores >= threshold)].sum()) / happened,
            float(weights[~events & (scores < threshold)].sum()) / others,
        )
        for threshold in thresholds
    )


def highest_youden(points: Sequence[RocPoint]) -> RocPoint:
    """The first point with the highest `RocPoint.youden`: the threshold for equal costs and equal prevalence.

    Raises:
        ValueError: No point.
    """
    return max(points, key=lambda point: round(point.youden, 12))
