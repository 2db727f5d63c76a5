"""The false-omission rate: events among the items that a judge cleared, and the sensitivity its upper limit implies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from adjudicate.core.estimates import Estimate
from adjudicate.stats.corrected import StratumCount, stratified_rate


def false_omission_rate(
    clear: Sequence[StratumCount],
    flagged: Sequence[StratumCount],
    *,
    group: Mapping[str, str],
    limits: str = "jeffreys",
    confidence: float = 0.95,
) -> Estimate:
    """Rate of gold events among cleared items, with the stratified estimator of the corrected rate.

    Args:
        clear: Strata of the items that the judge cleared; events are gold events.
        flagged: Strata of the items that it flagged.
        group: What the estimate speaks for.
        limits: A key of `LIMITS`.
        confidence: Two-sided, 0 to 1.

    Returns:
        An estimate in fractions. ``details["sensitivity_implied"]`` is the sensitivity if the rate were at its upper limit
        and the positive predictive value at its lower one: ``W1 ppv_l / (W1 ppv_l + W0 for_u)``, W the shares of flagged and
        cleared items; None where either has no limit or both are 0. ``details["sensitivity_implied_n"]`` is the labels of both.
    """
    omission = stratified_rate(clear, statistic="false_omission_rate", group=group, limits=limits, confidence=confidence)
    precision = stratified_rate(flagged, statistic="judge_ppv", group=group, limits=limits, confidence=confidence)
    details = {**omission.details, "flagged": precision.details["N"], "ppv_low": precision.low}
    implied = _implied(omission, precision)
    n = omission.n + precision.n
    return replace(omission, details={**details, "sensitivity_implied": implied, "sensitivity_implied_n": n})


def _implied(omission: Estimate, precision: Estimate) -> float | None:
    if omission.high is None or precision.low is None:
        return None
    found = precision.details["N"] * precision.low
    missed = omission.details["N"] * omission.high
    return float(found / (found + missed)) if found + missed else None
