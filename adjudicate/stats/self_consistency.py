"""Does a judge agree with itself when it is asked again? Repeated verdicts on the same items.

Annotators against themselves are `self_agreement`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement import agreement_estimates
from adjudicate.stats.agreement_counts import Ratings
from adjudicate.stats.bootstrap import RESAMPLES
from adjudicate.stats.plain_share import share_estimate

ASSUMES = (
    "repeats were made under the same settings and are exchangeable; items are a random sample of those the value speaks for; "
    "failed verdicts are left out; agreeing with oneself is not being right"
)
NO_REPEAT = "no item with two parsed verdicts"
MOST_LISTED = 50
"""Unstable items carried in the details."""


@dataclass(frozen=True, slots=True)
class RepeatedVerdicts:
    """All verdicts of one judge on one item."""

    item_id: str
    verdicts: tuple[str | None, ...]
    """Outcomes, None where the judge failed; the order does not matter."""

    @property
    def parsed(self) -> tuple[str, ...]:
        """Verdicts that name an outcome."""
        return tuple(verdict for verdict in self.verdicts if verdict is not None)


def self_consistency_estimates(
    items: Sequence[RepeatedVerdicts],
    outcomes: Sequence[str],
    *,
    group: Mapping[str, str],
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> list[Estimate]:
    """How much a judge's repeated verdicts agree.

    Args:
        items: Verdicts per item.
        outcomes: Every outcome of the policy.
        group: What the estimates speak for, e.g. the judge.
        seed: Seed of the bootstrap over items.
        resamples: Bootstrap replicates.
        confidence: Two-sided, 0 to 1.

    Returns:
        ``judge_self_consistency``, mean over items of the share of agreeing pairs (fraction), and ``judge_self_alpha``,
        Krippendorff's nominal alpha (coefficient), both with a percentile bootstrap over items; ``judge_unstable_items``, the
        share of items with differing verdicts (fraction, Jeffreys), which grows with the number of repeats.

    Raises:
        ValueError: A verdict that is not an outcome.
    """
    details = _details(items)
    repeats = max((len(item.parsed) for item in items), default=0)
    ratings = _ratings(items, outcomes, repeats)
    found = agreement_estimates(ratings, outcomes, group=group, seed=seed, resamples=resamples, confidence=confidence)
    percent = next(estimate for estimate in found if estimate.statistic == "percent_agreement")
    alpha = next(estimate for estimate in found if estimate.group.get("level") == "nominal")
    return [
        _named(percent, "judge_self_consistency", group, details),
        _named(alpha, "judge_self_alpha", group, details),
        _unstable(items, group, details, confidence),
    ]


def _ratings(items: Sequence[RepeatedVerdicts], outcomes: Sequence[str], repeats: int) -> Ratings:
    code = {outcome: place for place, outcome in enumerate(outcomes)}
    unknown = sorted({verdict for item in items for verdict in item.parsed} - code.keys())
    if unknown:
        raise ValueError(f"not an outcome of the policy: {', '.join(unknown)}")
    columns = [[code[verdict] for verdict in item.parsed] + [-1] * (repeats - len(item.parsed)) for item in items]
    return Ratings(
        tuple(f"repeat {number + 1}" for number in range(repeats)),
        [[column[number] for column in columns] for number in range(repeats)],
    )


def _details(items: Sequence[RepeatedVerdicts]) -> dict[str, Any]:
    repeats = Counter(len(item.parsed) for item in items)
    unstable = sorted(item.item_id for item in items if len(set(item.parsed)) > 1)
    return {
        "items_by_repeats": {str(number): repeats[number] for number in sorted(repeats)},
        "judge_failed": sum(len(item.verdicts) - len(item.parsed) for item in items),
        "unstable": len(unstable), "unstable_items": unstable[:MOST_LISTED],
    }  # fmt: skip


def _named(estimate: Estimate, statistic: str, group: Mapping[str, str], details: Mapping[str, Any]) -> Estimate:
    reason = estimate.undefined and estimate.undefined.replace("no unit has two ratings", NO_REPEAT)
    own = dict(estimate.details)
    if "no_interval" in own:
        own["no_interval"] = own["no_interval"].replace("units with two ratings", "items with two parsed verdicts")
    return replace(estimate, statistic=statistic, group=group, assumes=ASSUMES, undefined=reason, details={**own, **details})


def _unstable(
    items: Sequence[RepeatedVerdicts], group: Mapping[str, str], details: Mapping[str, Any], confidence: float
) -> Estimate:
    n = sum(len(item.parsed) >= 2 for item in items)
    return share_estimate(
        "judge_unstable_items", details["unstable"], n, method="share of items with differing verdicts", group=group,
        assumes=ASSUMES, undefined=NO_REPEAT, details=details, confidence=confidence,
    )  # fmt: skip
