"""Scored items of one judge, and the reliability table: mean score beside event rate, design-weighted.

What is made of the table is `calibration`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adjudicate.stats.intervals import jeffreys, normal_quantile
from adjudicate.stats.judge_accuracy import Design

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    IntArray: TypeAlias = npt.NDArray[np.int64]

BINS = 10


@dataclass(frozen=True, slots=True)
class ScoredItems:
    """Labelled items with one judge's scores, in parallel sequences."""

    scores: Sequence[float]
    """The judge's probability of the event, 0 to 1."""
    events: Sequence[bool]
    """Whether the gold label is the event."""
    weights: Sequence[float]
    """Inverse inclusion probabilities, positive; 1 in a census and on a reviewed sample."""
    strata: Sequence[str]
    """Stratum of each item."""
    sizes: Mapping[str, int]
    """Items per stratum, N_h; a stratum that is not named is taken as endless."""
    design: Design
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Details that every estimate from these items carries."""

    def __post_init__(self) -> None:
        if len({len(self.scores), len(self.events), len(self.weights), len(self.strata)}) != 1:
            raise ValueError("scores, events, weights and strata must have one entry per item")
        outside = [score for score in self.scores if not 0 <= score <= 1]
        if outside:
            raise ValueError(f"scores are probabilities, 0 to 1; found {outside[0]:g}")
        if any(weight <= 0 for weight in self.weights):
            raise ValueError("weights must be positive")


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Items whose scores fall into one bin; bins without items are left out."""

    bin: int
    """Counted from 0."""
    low: float
    """Lower edge, part of the bin."""
    high: float
    """Upper edge, part of the bin in the last one only."""
    n: int
    mean_score: float
    """Weighted mean, 0 to 1."""
    event_rate: float
    """Weighted share of events, 0 to 1."""
    event_low: float
    """Lower limit of the event rate."""
    event_high: float
    share: float
    """Share of all weight, 0 to 1."""


def reliability_table(items: ScoredItems, *, bins: int = BINS, confidence: float = 0.95) -> tuple[ReliabilityBin, ...]:
    """Mean score beside event rate in bins of equal width.

    Limits are Jeffreys at Kish's effective number ``(sum w)^2 / sum w^2``: approximate under unequal weights, without the
    finite-population factor, never of zero width; in a census they are the rate itself.

    Args:
        items: Scores and labels.
        bins: Number of bins, 1 or more.
        confidence: Two-sided, 0 to 1.

    Raises:
        ValueError: No bin, or confidence out of range.
    """
    import numpy as np

    normal_quantile(confidence)
    place, weights = score_bins(items, bins), np.asarray(items.weights, dtype=float)
    counts = np.bincount(place, minlength=bins)
    columns = (weights, weights * np.asarray(items.scores), weights * np.asarray(items.events, dtype=float), weights**2)
    sums = [np.bincount(place, column, bins) for column in columns]
    table = []
    for number in np.flatnonzero(counts).tolist():
        total, scored, happened, squares = (float(column[number]) for column in sums)
        rate = min(happened / total, 1.0)
        limits = (rate, rate)
        if items.design != "census":
            effective = total**2 / squares
            # Rounding must not turn "all" or "none" into "almost".
            events = effective if rate > 1 - 1e-12 else rate * effective
            interval = jeffreys(events, effective, confidence)
            limits = interval.low, interval.high
        table.append(
            ReliabilityBin(
                number, number / bins, (number + 1) / bins, int(counts[number]), scored / total, rate, *limits,
                total / float(weights.sum()),
            )
        )  # fmt: skip
    return tuple(table)


def score_bins(items: ScoredItems, bins: int) -> IntArray:
    """Bin of each score, shape (items,): equal width, the last one closed.

    Raises:
        ValueError: No bin.
    """
    import numpy as np

    if bins < 1:
        raise ValueError(f"a reliability table needs a bin, not {bins}")
    # A score such as 0.7 must not fall below its own edge by rounding.
    place = np.floor(np.round(np.asarray(items.scores, dtype=float) * bins, 9)).astype(np.int64)
    return np.minimum(place, bins - 1)
