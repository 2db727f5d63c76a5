"""The corrected rate from a calibration set of *another* population: Rogan-Gladen with the interval of Lang and Reiczigel.

Only for labels from elsewhere. Labels from the population itself belong in `corrected`: shorter, and without the assumption
made here. More than two outcomes are in `outcome_shares`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.intervals import normal_quantile

TRANSPORT = (
    "the judge errs as often on events, and as often on non-events, here as in the calibration set; "
    "false where that set holds more borderline content"
)
METHOD = "Rogan-Gladen from a calibration set, Lang-Reiczigel limits"
NO_BETTER_THAN_CHANCE = "sensitivity + specificity is not above 1: the judge says nothing about the truth"


@dataclass(frozen=True, slots=True)
class Calibration:
    """Judged and truly labelled items of a calibration set; not whole numbers where they are effective counts."""

    true_positive: float
    """Events that the judge flagged."""
    positives: float
    """Events."""
    true_negative: float
    """Non-events that the judge cleared."""
    negatives: float
    """Non-events."""

    def __post_init__(self) -> None:
        if not (0 <= self.true_positive <= self.positives and 0 <= self.true_negative <= self.negatives):
            raise ValueError(f"impossible counts in a calibration set: {self}")


def rogan_gladen(
    flagged: int,
    n: int,
    calibration: Calibration,
    *,
    group: Mapping[str, str],
    statistic: str = "transported_rate",
    confidence: float = 0.95,
) -> Estimate:
    """True rate behind a judged rate: ``(q + sp - 1) / (se + sp - 1)``, clipped to 0 and 1 (Rogan and Gladen 1978).

    The estimand is the rate of the process; the n judged items are a sample of it.

    Args:
        flagged: Items that the judge flagged, 0 to `n`.
        n: Judged items.
        calibration: Where sensitivity se and specificity sp come from.
        group: What the estimate speaks for.
        statistic: Name for the estimate.
        confidence: Two-sided, 0 to 1.

    Returns:
        An estimate in fractions, ``details["unclipped"]`` before clipping. Undefined without judged items, without events or
        non-events in the calibration set, and, with both numbers in the reason, where ``se + sp <= 1``.

    Raises:
        ValueError: Counts or confidence out of range.

    >>> found = rogan_gladen(400, 1000, Calibration(180, 200, 140, 200), group={})
    >>> round(found.value or 0, 4), round(found.low or 0, 4), round(found.high or 0, 4)
    (0.1667, 0.0564, 0.2627)
    """
    if not 0 <= flagged <= n:
        raise ValueError(f"impossible verdict counts: {flagged} of {n}")
    z = normal_quantile(confidence)
    details: dict[str, Any] = {
        "flagged": flagged, "true_positive": calibration.true_positive, "positives": calibration.positives,
        "true_negative": calibration.true_negative, "negatives": calibration.negatives,
    }  # fmt: skip
    reason = _undefined(n, calibration)
    if reason is not None:
        return Estimate(statistic, None, n, METHOD, group=group, assumes=TRANSPORT, undefined=reason, details=details)
    sensitivity = calibration.true_positive / calibration.positives
    specificity = calibration.true_negative / calibration.negatives
    unclipped = (flagged / n + specificity - 1) / (sensitivity + specificity - 1)
    value = min(1.0, max(0.0, unclipped))
    low, high = _lang_reiczigel(flagged, n, calibration, z)
    details |= {"sensitivity": sensitivity, "specificity": specificity, "unclipped": unclipped}
    return Estimate(
        statistic, value, n, METHOD, group=group, low=min(low, value), high=max(high, value), confidence=confidence,
        assumes=TRANSPORT, details=details,
    )  # fmt: skip


def _undefined(n: int, calibration: Calibration) -> str | None:
    if not n:
        return "no verdicts"
    if not calibration.positives:
        return "the calibration set holds no event, so the judge's sensitivity is unknown"
    if not calibration.negatives:
        return "the calibration set holds no non-event, so the judge's specificity is unknown"
    both = calibration.true_positive * calibration.negatives + calibration.true_negative * calibration.positives
    # Without a division, so that exactly 1 is seen as 1, and effective counts up to rounding.
    if both > calibration.positives * calibration.negatives * (1 + 1e-12):
        return None
    sensitivity = calibration.true_positive / calibration.positives
    specificity = calibration.true_negative / calibration.negatives
    return f"{NO_BETTER_THAN_CHANCE} ({sensitivity:.3f} + {specificity:.3f})"


def _lang_reiczigel(flagged: int, n: int, calibration: Calibration, z: float) -> tuple[float, float]:
    """Limits of Lang and Reiczigel (2014), clipped: every share is pulled towards 1/2 before the variance is taken."""
    judged = (flagged + z * z / 2) / (n + z * z)
    m1, m0 = calibration.positives + 2, calibration.negatives + 2
    sensitivity, specificity = (calibration.true_positive + 1) / m1, (calibration.true_negative + 1) / m0
    youden = sensitivity + specificity - 1
    if youden <= 0:
        # The calibration set is so small that the adjusted judge is no better than chance: nothing is excluded.
        return 0.0, 1.0
    rate = (judged + specificity - 1) / youden
    of_sensitivity = sensitivity * (1 - sensitivity) / m1
    of_specificity = specificity * (1 - specificity) / m0
    shift = 2 * z * z * (rate * of_sensitivity - (1 - rate) * of_specificity)
    variance = judged * (1 - judged) / (n + z * z) + (1 - rate) ** 2 * of_specificity + rate**2 * of_sensitivity
    half = z * sqrt(variance) / youden
    low, high = (min(1.0, max(0.0, limit)) for limit in (rate + shift - half, rate + shift + half))
    return low, high
