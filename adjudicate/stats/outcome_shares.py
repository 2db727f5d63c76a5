"""Shares of K outcomes corrected at once: by predictive values (labels from here), or by inversion (labels from elsewhere).

Two outcomes and a calibration set are in `rogan_gladen`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.corrected import StratumCount, stratified_rate
from adjudicate.stats.intervals import normal_quantile
from adjudicate.stats.rogan_gladen import TRANSPORT

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

WORST_CONDITION = 50.0
"""Condition number of the misclassification matrix above which an inversion is refused: errors would grow by this much."""
INVERSION = "inverted misclassification matrix from a calibration set, clipped to shares that sum to 1, delta-method limits"


def predictive_value_shares(
    outcomes: Sequence[str],
    sizes: Sequence[int],
    labelled: Sequence[Sequence[int]],
    *,
    group: Mapping[str, str],
    limits: str = "jeffreys",
    confidence: float = 0.95,
) -> list[Estimate]:
    """Shares of all outcomes from labels of this population: ``sum_j q_j P(truth k | judge j)``.

    The stratified mean with the verdicts as strata, once per outcome; the values sum to 1 by construction.

    Args:
        outcomes: Names, K of them.
        sizes: Items by verdict, shape (J,).
        labelled: Labelled items by verdict and truth, shape (J, K).
        group: What the estimates speak for; the outcome is added.
        limits: A key of `LIMITS`.
        confidence: Two-sided, 0 to 1.

    Returns:
        K estimates in fractions; undefined with bounds where a verdict has no label.

    Raises:
        ValueError: Shapes differ or counts are impossible.
    """
    if any(len(row) != len(outcomes) for row in labelled):
        raise ValueError(f"one column of labels per outcome: expected {len(outcomes)}")
    return [
        stratified_rate(
            [
                StratumCount(f"verdict {j}", size, sum(row), row[k])
                for j, (size, row) in enumerate(zip(sizes, labelled, strict=True))
            ],
            statistic="corrected_rate", group={**group, "outcome": outcome}, limits=limits, confidence=confidence,
        )
        for k, outcome in enumerate(outcomes)
    ]  # fmt: skip


def inverted_shares(
    outcomes: Sequence[str],
    judged: Sequence[int],
    calibration: Sequence[Sequence[int]],
    *,
    group: Mapping[str, str],
    confidence: float = 0.95,
) -> list[Estimate]:
    """Shares of all outcomes from labels of another population: ``M^-1 q`` with ``M_jk = P(judge j | truth k)``.

    Args:
        outcomes: Names, K of them, the same for judge and truth.
        judged: Items here by verdict, shape (K,).
        calibration: Items there by verdict (rows) and truth (columns), shape (K, K).
        group: What the estimates speak for; the outcome is added.
        confidence: Two-sided, 0 to 1.

    Returns:
        K estimates in fractions that sum to 1; limits by the delta method on the unclipped shares, so trust them only well
        inside 0 and 1. Undefined without verdicts, with an outcome missing from the calibration set, and where M is too
        nearly singular (`WORST_CONDITION`); for two outcomes also where the judge is no better than chance.

    Raises:
        ValueError: Shapes differ or a count is negative.
    """
    import numpy as np

    counts, verdicts = np.asarray(calibration, dtype=float), np.asarray(judged, dtype=float)
    k = len(outcomes)
    if counts.shape != (k, k) or verdicts.shape != (k,) or min(counts.min(), verdicts.min()) < 0:
        raise ValueError(f"needs {k} verdict counts and a {k} x {k} table of counts")
    groups = [{**group, "outcome": outcome} for outcome in outcomes]
    n = int(verdicts.sum())
    reason, details = _usable(counts, n)
    if reason is not None:
        return [
            Estimate("corrected_rate", None, n, INVERSION, group=each, assumes=TRANSPORT, undefined=reason, details=details)
            for each in groups
        ]
    matrix = counts / counts.sum(axis=0)
    unclipped = np.linalg.solve(matrix, verdicts / n)
    shares = np.clip(unclipped, 0, 1)
    shares = shares / shares.sum()
    errors = _standard_errors(matrix, counts.sum(axis=0), verdicts / n, n, unclipped)
    z = normal_quantile(confidence)
    return [
        _estimate(each, n, float(value), raw=float(raw), half=z * float(error), confidence=confidence, details=details)
        for each, value, raw, error in zip(groups, shares, unclipped, errors, strict=True)
    ]


def _estimate(
    group: Mapping[str, str], n: int, value: float, *, raw: float, half: float, confidence: float, details: Mapping[str, Any]
) -> Estimate:
    low, high = min(value, max(0.0, raw - half)), max(value, min(1.0, raw + half))
    limits = (low, high, confidence) if half > 0 else (None, None, None)
    return Estimate(
        "corrected_rate", value, n, INVERSION, group=group, low=limits[0], high=limits[1], confidence=limits[2],
        assumes=TRANSPORT, details={**details, "unclipped": raw},
    )  # fmt: skip


def _usable(counts: npt.NDArray[np.float64], n: int) -> tuple[str | None, dict[str, Any]]:
    import numpy as np

    if not n:
        return "no verdicts", {}
    if not counts.sum(axis=0).all():
        return "the calibration set lacks an outcome, so how the judge sees it is unknown", {}
    matrix = counts / counts.sum(axis=0)
    condition = float(np.linalg.cond(matrix))
    details = {"condition_number": condition if np.isfinite(condition) else None}
    backwards = len(counts) == 2 and np.linalg.det(matrix) <= 0
    if condition > WORST_CONDITION or backwards:
        return "the judge hardly tells the outcomes apart: the misclassification matrix cannot be inverted", details
    return None, details


def _standard_errors(
    matrix: npt.NDArray[np.float64],
    truths: npt.NDArray[np.float64],
    judged: npt.NDArray[np.float64],
    n: int,
    shares: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Delta method: multinomial error of the judged shares and of every column of M, carried through M^-1."""
    import numpy as np

    def multinomial(share: npt.NDArray[np.float64], size: float) -> npt.NDArray[np.float64]:
        return np.asarray((np.diag(share) - np.outer(share, share)) / size)

    total = multinomial(judged, n)
    for k, size in enumerate(truths):
        total = total + shares[k] ** 2 * multinomial(matrix[:, k], float(size))
    inverse = np.linalg.inv(matrix)
    variances = np.diag(inverse @ total @ inverse.T)
    return np.array([sqrt(max(0.0, float(variance))) for variance in variances])
