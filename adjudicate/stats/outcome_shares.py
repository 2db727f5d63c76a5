"""Shares of K outcomes corrected at once by labels from elsewhere: the inverted misclassification matrix.

Two outcomes are in `rogan_gladen`. With labels from here, `corrected_rate` of every outcome does the same without an
assumption: with the verdicts as strata it is the predictive-value route, ``sum_j q_j P(truth k | judge j)``, and sums to 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.intervals import normal_quantile
from adjudicate.stats.rogan_gladen import TRANSPORT

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

WORST_CONDITION = 50.0
"""Condition number of the misclassification matrix above which an inversion is refused: errors would grow by this much."""
NO_ERROR_SEEN = "no spread was seen, so the delta method would claim certainty"
INVERSION = "inverted misclassification matrix from a calibration set, clipped to shares that sum to 1, delta-method limits"


def inverted_shares(
    outcomes: Sequence[str],
    judged: Sequence[int],
    calibration: Sequence[Sequence[float]],
    *,
    group: Mapping[str, str],
    confidence: float = 0.95,
) -> list[Estimate]:
    """Shares of all outcomes from labels of another population: ``M^-1 q`` with ``M_jk = P(judge j | truth k)``.

    Args:
        outcomes: Names, K of them, the same for judge and truth.
        judged: Items here by verdict, shape (K,).
        calibration: Items there by verdict (rows) and truth (columns), shape (K, K); not whole where they are effective counts.
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
    reason, details = _usable(outcomes, counts, n)
    if reason is not None:
        return [
            Estimate("transported_share", None, n, INVERSION, group=each, assumes=TRANSPORT, undefined=reason, details=details)
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
    silent = {} if half > 0 else {"no_interval": NO_ERROR_SEEN}
    return Estimate(
        "transported_share", value, n, INVERSION, group=group, low=limits[0], high=limits[1], confidence=limits[2],
        assumes=TRANSPORT, details={**details, **silent, "unclipped": raw},
    )  # fmt: skip


def _usable(outcomes: Sequence[str], counts: npt.NDArray[np.float64], n: int) -> tuple[str | None, dict[str, Any]]:
    import numpy as np

    if not n:
        return "no verdicts", {}
    lacking = [outcome for outcome, total in zip(outcomes, counts.sum(axis=0), strict=True) if not total]
    if lacking:
        return f"the calibration set lacks an outcome, so how the judge sees it is unknown: {', '.join(lacking)}", {}
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
