"""The two rates beside the corrected one: by the judge's verdicts, and by the labels as they happened to be chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.intervals import jeffreys

RAW_ASSUMES = "the judge is right"
SAMPLE_ONLY = "sample only: describes the labelled items, or the population if they were a simple random sample of it"


def raw_rate(events: int, parsed: int, failed: int, *, group: Mapping[str, str]) -> Estimate:
    """Share of verdicts that count for a rate.

    Every verdict is known, so there is no sampling error and no interval; a biased judge is not corrected.

    Args:
        events: Verdicts that count.
        parsed: Verdicts that name an outcome.
        failed: Items on which the judge failed; they are not in the denominator.
        group: What the rate speaks for.

    Returns:
        An estimate in fractions; undefined without a parsed verdict. With failures ``details["bounds"]`` holds the shares
        with all of them 0, and all of them 1.

    Raises:
        ValueError: Counts out of range.
    """
    if not 0 <= events <= parsed or failed < 0:
        raise ValueError(f"impossible verdict counts: {events} of {parsed}, {failed} failed")
    details: dict[str, Any] = {"events": events, "judge_failed": failed}
    if failed:
        details["bounds"] = [events / (parsed + failed), (events + failed) / (parsed + failed)]
    value = events / parsed if parsed else None
    reason = None if parsed else ("the judge failed on every item" if failed else "no verdicts")
    return Estimate(
        "raw_rate", value, parsed, "share of all parsed verdicts, no interval", group=group, assumes=RAW_ASSUMES,
        undefined=reason, details=details,
    )  # fmt: skip


def human_rate(events: int, n: int, *, group: Mapping[str, str], unresolved: int = 0, confidence: float = 0.95) -> Estimate:
    """Unweighted share of settled gold labels that count for a rate, with Jeffreys limits.

    Args:
        events: Settled labels that count.
        n: Settled labels.
        group: What the rate speaks for.
        unresolved: Items labelled without a settled gold label.
        confidence: Two-sided, 0 to 1.

    Returns:
        An estimate in fractions; undefined without a settled label.

    Raises:
        ValueError: Counts out of range.
    """
    if not 0 <= events <= n or unresolved < 0:
        raise ValueError(f"impossible label counts: {events} of {n}, {unresolved} unresolved")
    details: dict[str, Any] = {"events": events, "unresolved": unresolved}
    if unresolved:
        details["unresolved_bounds"] = [events / (n + unresolved), (events + unresolved) / (n + unresolved)]
    method = "unweighted share of labelled items, Jeffreys limits"
    if not n:
        reason = "no settled label"
        return Estimate("human_rate", None, 0, method, group=group, assumes=SAMPLE_ONLY, undefined=reason, details=details)
    limits = jeffreys(events, n, confidence)
    return Estimate(
        "human_rate", events / n, n, method, group=group, low=limits.low, high=limits.high, confidence=confidence,
        assumes=SAMPLE_ONLY, details=details,
    )  # fmt: skip
