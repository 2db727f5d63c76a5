"""A share of independent items as an estimate: events over items with Jeffreys limits, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.core.present import is_few
from adjudicate.stats.intervals import jeffreys


def share_estimate(
    statistic: str,
    events: int,
    n: int,
    *,
    method: str,
    group: Mapping[str, str],
    assumes: str,
    undefined: str,
    details: Mapping[str, Any] | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """``events / n`` as a fraction; details get ``few``.

    Args:
        statistic: Name of the statistic.
        events: 0 to n.
        n: Items asked about.
        method: What is counted; the interval is added.
        group: What the estimate speaks for.
        assumes: What must be true.
        undefined: The reason where `n` is 0.
        details: By-products to carry along.
        confidence: Two-sided, 0 to 1.

    Raises:
        ValueError: Counts or confidence out of range.
    """
    carried = {**(details or {}), "few": is_few(n)}
    full = f"{method}, Jeffreys limits"
    if not n:
        return Estimate(statistic, None, 0, full, group=group, assumes=assumes, undefined=undefined, details=carried)
    limits = jeffreys(events, n, confidence)
    return Estimate(
        statistic, events / n, n, full, group=group, low=limits.low, high=limits.high, confidence=confidence, assumes=assumes,
        details=carried,
    )  # fmt: skip
