"""A corrected rate from the counts of its strata, bounded as asked: the one way to it for reports, gates, scores and plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.anytime import anytime_rate
from adjudicate.stats.corrected import StratumCount, stratified_rate
from adjudicate.stats.design_effect import DesignEffect
from adjudicate.stats.stratum_bounds import Target


@dataclass(frozen=True, slots=True)
class Bounding:
    """How rates are bounded."""

    limits: str = "clopper_pearson"
    """A key of `intervals.LIMITS`."""
    anytime: bool = False
    """Limits that hold at every moment, where a decision may end the labelling; for the finite target."""
    target: Target = "finite"
    confidence: float = 0.95

    @property
    def asks_effect(self) -> bool:
        """Whether items that share a prompt or a pair widen the limits: these items were drawn one by one and need it not."""
        return self.target == "process"


def designed_rate(
    strata: Sequence[StratumCount],
    how: Bounding,
    *,
    effect: DesignEffect | None = None,
    statistic: str = "corrected_rate",
    group: Mapping[str, str],
    details: Mapping[str, Any] | None = None,
) -> Estimate:
    """The corrected rate of a census or a drawn sample.

    Args:
        strata: Counts per stratum.
        how: Limits, target and confidence.
        effect: Of the process, where items come in clusters; it has no part where `how` does not ask for it.
        statistic: Name for the estimate.
        group: What the estimate speaks for.
        details: More by-products to carry along.

    Returns:
        As `stratified_rate` or `anytime_rate`.
    """
    if how.anytime:
        return anytime_rate(strata, statistic=statistic, group=group, confidence=how.confidence, details=details)
    return stratified_rate(
        strata, statistic=statistic, group=group, limits=how.limits, target=how.target, confidence=how.confidence,
        effect=effect if how.asks_effect else None, details=details,
    )  # fmt: skip
