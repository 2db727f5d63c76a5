"""Calibrated scores by isotonic regression, fitted and evaluated on different items.

The fit is scipy's (pool adjacent violators, with weights; ties are pooled before), joined by straight lines: scikit-learn's gives
the same and takes as long to load as a whole report over a small workspace. What calibration means is `calibration`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.calibration import NOTHING, SIMULATIONS, calibration_estimates
from adjudicate.stats.reliability import BINS, ScoredItems

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    FloatArray: TypeAlias = npt.NDArray[np.float64]
    IntArray: TypeAlias = npt.NDArray[np.int64]

FOLDS = 5
ENOUGH_EVENTS = 100
"""Below this many events (or non-events) a fitted curve is marked as resting on few."""
TOO_FEW = "cross-fitting needs an event and a non-event per fold"
ASSUMES = "the event rate never falls as the score rises"


@dataclass(frozen=True, slots=True)
class IsotonicFit:
    """A non-decreasing step function of the score."""

    scores: tuple[float, ...]
    """Distinct scores of the items, ascending."""
    values: tuple[float, ...]
    """Calibrated probability at each score, 0 to 1."""


def isotonic_fit(items: ScoredItems) -> IsotonicFit:
    """Isotonic fit on all items, for drawing; to calibrate the same items use `cross_fitted`.

    Raises:
        ValueError: No item.
    """
    import numpy as np

    if not items.scores:
        raise ValueError(NOTHING)
    scores, events, weights = _arrays(items)
    distinct = np.unique(scores)
    return IsotonicFit(tuple(distinct.tolist()), tuple(_fit(scores, events, weights, distinct).tolist()))


@dataclass(frozen=True, slots=True)
class CrossFitted:
    """The items with scores that were calibrated on the other folds."""

    items: ScoredItems
    folds: tuple[int, ...]
    """Fold of each item, from 0."""
    few_events: bool
    """Whether events or non-events are fewer than 100, so that the fit is rough."""


def cross_fitted(items: ScoredItems, *, seed: int, folds: int = FOLDS) -> CrossFitted | None:
    """Calibrate each item with a fit that has not seen it.

    Folds are random within events and non-events, so that every fit sees both; the order of the items does not matter.

    Args:
        items: Scores and labels.
        seed: Seed of the split; equal seeds give equal splits.
        folds: Number of parts, 2 or more.

    Returns:
        None where there are fewer events or non-events than folds.

    Raises:
        ValueError: Fewer than two folds.
    """
    import numpy as np

    if folds < 2:
        raise ValueError(f"cross-fitting needs two folds, not {folds}")
    happened = sum(items.events)
    fewest = min(happened, len(items.events) - happened)
    if fewest < folds:
        return None
    scores, events, weights = _arrays(items)
    _, stratum = np.unique(np.asarray(items.strata, dtype=str), return_inverse=True)
    fold = _split(events, np.lexsort((stratum, weights, scores)), folds, np.random.default_rng(seed))
    calibrated = np.empty_like(scores)
    for number in range(folds):
        held, rest = fold == number, fold != number
        calibrated[held] = _fit(scores[rest], events[rest], weights[rest], scores[held])
    return CrossFitted(replace(items, scores=calibrated.tolist()), tuple(fold.tolist()), fewest < ENOUGH_EVENTS)


def isotonic_estimates(
    items: ScoredItems,
    *,
    group: Mapping[str, str],
    seed: int,
    folds: int = FOLDS,
    bins: int = BINS,
    simulations: int = SIMULATIONS,
    confidence: float = 0.95,
) -> list[Estimate]:
    """``judge_ece`` and ``judge_brier`` of the cross-fitted scores, group ``{"calibration": "isotonic, cross-fitted"}``.

    Arguments as in `calibration.calibration_estimates`, `folds` as in `cross_fitted`. Undefined where there are fewer events
    or non-events than folds. Details add ``few_events`` and the fit on all items, ``[score, probability]`` per score.

    Raises:
        ValueError: Fewer than two folds, no bin, or confidence out of range.
    """
    named = {**group, "calibration": "isotonic, cross-fitted"}
    fitted = cross_fitted(items, seed=seed, folds=folds)
    if fitted is None:
        reason = f"{TOO_FEW}, {folds}" if items.scores else NOTHING
        return [
            Estimate(name, None, len(items.scores), "isotonic fit, cross-fitted", group=named, assumes=ASSUMES, undefined=reason)
            for name in ("judge_ece", "judge_brier")
        ]
    curve = isotonic_fit(items)
    added: dict[str, Any] = {"folds": folds, "few_events": fitted.few_events}
    added["fit"] = [list(step) for step in zip(curve.scores, curve.values, strict=True)]
    estimates = calibration_estimates(
        fitted.items, group=named, seed=seed, bins=bins, simulations=simulations, confidence=confidence
    )
    return [
        replace(
            estimate,
            method=f"isotonic fit on the other {folds - 1} of {folds} parts; {estimate.method}",
            assumes=f"{ASSUMES}; {estimate.assumes}",
            details={**estimate.details, **added},
        )
        for estimate in estimates
    ]


def _arrays(items: ScoredItems) -> tuple[FloatArray, FloatArray, FloatArray]:
    import numpy as np

    return tuple(np.asarray(values, dtype=float) for values in (items.scores, items.events, items.weights))  # type: ignore[return-value]


def _split(events: FloatArray, order: IntArray, folds: int, stream: np.random.Generator) -> IntArray:
    """Fold of each item; `order` is one that hangs on nothing but the items themselves."""
    import numpy as np

    fold = np.empty(events.size, dtype=np.int64)
    for value in (0.0, 1.0):
        members = stream.permutation(order[events[order] == value])
        fold[members] = np.arange(members.size) % folds
    return fold


def _fit(scores: FloatArray, events: FloatArray, weights: FloatArray, at: FloatArray) -> FloatArray:
    import numpy as np
    from scipy.optimize import isotonic_regression

    distinct, place = np.unique(scores, return_inverse=True)
    weight = np.bincount(place, weights)
    fitted = isotonic_regression(np.bincount(place, weights * events) / weight, weights=weight).x
    # Rounding must not leave the scale; beyond the scores that were seen, the ends hold.
    return np.interp(at, distinct, np.clip(fitted, 0.0, 1.0))
