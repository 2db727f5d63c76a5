"""Do a judge's scores mean what they say? Expected calibration error and Brier score, design-weighted.

A score is the judge's probability of the event, 0 to 1: divide a 0-100 score by 100, and turn a score for the opposite round.
The reliability table is `reliability`, mending the scores `isotonic`, the table of thresholds `score_roc`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement_coefficients import totals
from adjudicate.stats.judge_accuracy import DESIGN_ASSUMES, DESIGN_TITLES
from adjudicate.stats.reliability import BINS, ScoredItems, reliability_table, score_bins
from adjudicate.stats.score_roc import threshold_details
from adjudicate.stats.weighted_ratio import weighted_ratio

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    FloatArray: TypeAlias = npt.NDArray[np.float64]

SIMULATIONS = 1000
"""Sets of labels simulated from the scores."""
NOTHING = "no labelled item with a score"
_BLOCK = 2_000_000
"""Simulated labels held at a time."""


def expected_calibration_error(items: ScoredItems, *, bins: int = BINS) -> float:
    """``sum_b share_b |mean score_b - event rate_b|`` over bins of equal width (Naeini et al. 2015; Guo et al. 2017), 0 to 1.

    Raises:
        ValueError: No bin, or no item.
    """
    import numpy as np

    place, weights = score_bins(items, bins), np.asarray(items.weights, dtype=float)
    if not place.size:
        raise ValueError(NOTHING)
    gaps = weights * (np.asarray(items.scores, dtype=float) - np.asarray(items.events, dtype=float))
    return float(np.abs(np.bincount(place, gaps, bins)).sum() / weights.sum())


def ece_if_calibrated(items: ScoredItems, *, seed: int, bins: int = BINS, simulations: int = SIMULATIONS) -> FloatArray:
    """Expected calibration errors that perfect scores would show: labels drawn with the scores as probabilities.

    Args:
        items: Scores and weights; the labels are not used.
        seed: Equal seeds give equal draws.
        bins: As in `expected_calibration_error`.
        simulations: Sets of labels.

    Returns:
        Shape (simulations,), 0 to 1. The error of a small sample is above 0 even then.

    Raises:
        ValueError: No bin, or no item.
    """
    import numpy as np

    place, weights = score_bins(items, bins), np.asarray(items.weights, dtype=float)
    if not place.size:
        raise ValueError(NOTHING)
    scores, stream = np.asarray(items.scores, dtype=float), np.random.default_rng(seed)
    into_bin = np.zeros((place.size, bins))
    into_bin[np.arange(place.size), place] = weights
    expected = np.bincount(place, weights * scores, bins)
    rows = max(1, _BLOCK // place.size)
    found = []
    for start in range(0, simulations, rows):
        drawn = stream.random((min(rows, simulations - start), place.size)) < scores
        found.append(np.abs(expected - totals(drawn.astype(float), into_bin)).sum(axis=1) / weights.sum())
    errors: FloatArray = np.concatenate(found)
    return errors


def calibration_estimates(
    items: ScoredItems,
    *,
    group: Mapping[str, str],
    seed: int,
    bins: int = BINS,
    simulations: int = SIMULATIONS,
    confidence: float = 0.95,
) -> list[Estimate]:
    """``judge_ece`` and ``judge_brier`` of a judge's scores.

    Args:
        items: Scores and labels.
        group: What the estimates speak for, e.g. judge and rate.
        seed: Seed of the simulation under perfect calibration.
        bins: Bins of equal width.
        simulations: Simulated sets of labels, 1 or more.
        confidence: Two-sided, 0 to 1.

    Returns:
        Fractions. The ECE has no interval, since it is biased upward; the details hold its mean and upper limit under
        perfect calibration, the reliability table, and sensitivity and specificity at thresholds.
        The Brier score, mean of ``(score - event)^2``, has a linearised one.

    Raises:
        ValueError: No bin, or confidence out of range.
    """
    title, assumes = DESIGN_TITLES[items.design], DESIGN_ASSUMES[items.design]
    ece_method = f"{title}, {bins} bins of equal width"
    if not items.scores:
        return [
            Estimate(name, None, 0, method, group=group, assumes=assumes, undefined=NOTHING, details=items.notes)
            for name, method in (("judge_ece", ece_method), ("judge_brier", title))
        ]
    table = reliability_table(items, bins=bins, confidence=confidence)
    perfect = ece_if_calibrated(items, seed=seed, bins=bins, simulations=simulations)
    value, n = expected_calibration_error(items, bins=bins), len(items.scores)
    details: dict[str, Any] = {
        **items.notes, "events": sum(items.events), "if_calibrated": float(perfect.mean()),
        "if_calibrated_high": _quantile(perfect, confidence), "share_at_least_as_large": float((perfect >= value).mean()),
        "simulations": simulations, "seed": seed, "reliability": [asdict(row) for row in table], **threshold_details(items),
        "no_interval": "biased upward in small samples; compare with its value under perfect calibration",
    }  # fmt: skip
    ece = Estimate("judge_ece", value, n, ece_method, group=group, assumes=assumes, details=details)
    return [ece, brier_estimate(items, group=group, confidence=confidence)]


def brier_estimate(items: ScoredItems, *, group: Mapping[str, str], confidence: float = 0.95) -> Estimate:
    """Weighted mean of ``(score - event)^2`` (Brier 1950), 0 to 1, with a linearised interval."""
    title, assumes, n = DESIGN_TITLES[items.design], DESIGN_ASSUMES[items.design], len(items.scores)
    losses = [(score - event) ** 2 for score, event in zip(items.scores, items.events, strict=True)]
    ratio = weighted_ratio(losses, [1] * n, items.weights, items.strata, items.sizes)
    if ratio is None:
        return Estimate("judge_brier", None, 0, title, group=group, assumes=assumes, undefined=NOTHING, details=items.notes)
    if items.design == "census":
        return Estimate(
            "judge_brier", ratio.value, n, f"{title}, zero-width design interval", group=group, low=ratio.value, high=ratio.value,
            confidence=confidence, assumes=assumes, details={**items.notes, "standard_error": 0.0},
        )  # fmt: skip
    details: dict[str, Any] = {**items.notes, "standard_error": ratio.standard_error}
    interval = ratio.interval(confidence)
    if interval is None:
        details["no_interval"] = "no spread was seen in the sample, so a linearised interval would claim certainty"
        return Estimate("judge_brier", ratio.value, n, title, group=group, assumes=assumes, details=details)
    return Estimate(
        "judge_brier", ratio.value, n, f"{title}, linearised standard error", group=group, low=interval.low, high=interval.high,
        confidence=confidence, assumes=assumes, details=details,
    )  # fmt: skip


def _quantile(values: FloatArray, confidence: float) -> float:
    import numpy as np

    return float(np.quantile(values, confidence))
