"""What gates and plans start from: for every rate of every population, the design and its counts per stratum.

Which design the labels support is decided in `designs`; the estimator is `bounding.designed_rate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.bounding import Bounding, designed_rate
from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.design_effect import DesignEffect
from adjudicate.stats.designs import design_of, explained, rate_scopes, sizes_in, stratum_counts
from adjudicate.stats.evidence import Evidence
from adjudicate.stats.intent_strata import NO_LABELS, WITHOUT_DRAW
from adjudicate.stats.judge_accuracy import Design
from adjudicate.stats.rates import SAMPLE_ONLY
from adjudicate.stats.report_clusters import effect_on


@dataclass(frozen=True, slots=True)
class RateCounts:
    """One rate of one population, with everything known of it in items."""

    rate: Rate
    group: Mapping[str, str]
    """Rate and population, and the model where there are several."""
    size: int
    """Items, N."""
    design: Design | None
    """None without any label and without a draw."""
    strata: tuple[StratumCount, ...]
    """Of a census or a sample; empty otherwise."""
    labelled: int
    """Labelled items that count for the design, settled or not."""
    settled: int
    """Those of them with a gold label."""
    outside_frame: int
    """Items that no draw could have chosen."""
    outside_sample: int
    """Labelled items that no draw chose: they do not count."""
    set_aside: int = 0
    """Drawn items whose labels were chosen by somebody, beyond what the queue has come to: they do not count yet."""
    effect: DesignEffect | None = None
    """How much items that share a prompt or a pair widen what is said of prompts like these; None where settled ones do not."""


def rate_counts(evidence: Evidence) -> list[RateCounts]:
    """Every rate in every population it speaks for, in the order of the policy."""
    found = []
    for rate in evidence.rates:
        for scope in rate_scopes(evidence, rate.among):
            sizes, plan = sizes_in(evidence, scope), design_of(evidence, scope)
            usable = plan.design in ("census", "sample")
            strata = stratum_counts(plan.sizes, plan.items, rate.counts.__contains__, plan.non_response) if usable else []
            found.append(
                RateCounts(
                    rate, {"rate": rate.id, **scope.group}, sum(sizes.values()), plan.design, tuple(strata), len(plan.items),
                    sum(item.gold is not None for item in plan.items), plan.outside_frame, plan.outside_sample, plan.set_aside,
                    effect_on(plan, rate.counts) if usable else None,
                )
            )  # fmt: skip
    return found


def bounded_rate(counts: RateCounts, how: Bounding, *, whole: bool = True) -> Estimate:
    """The corrected rate with the limits that a decision may rest on.

    For the process target, items that share a prompt or a pair widen them by their design effect.

    Args:
        counts: Of the rate.
        how: Limits, target and confidence.
        whole: Whether a frame that leaves items out makes the rate undefined: it would not speak for the population.

    Returns:
        A fraction; undefined without a census or a draw, and where `stratified_rate` is.
    """
    reason = _without_design(counts, whole=whole)
    if reason is not None:
        return Estimate(
            "corrected_rate", None, counts.settled, "stratified mean", group=counts.group, undefined=reason,
            assumes=SAMPLE_ONLY if counts.design == "reviewed" else "", details={"N": counts.size},
        )  # fmt: skip
    details: dict[str, Any] = {"design": counts.design, "outside_frame": counts.outside_frame}
    left_out = {"outside_sample": counts.outside_sample, "set_aside": counts.set_aside}
    details |= {name: count for name, count in left_out.items() if count}
    return explained(designed_rate(counts.strata, how, effect=counts.effect, group=counts.group, details=details))


def _without_design(counts: RateCounts, *, whole: bool) -> str | None:
    if counts.design is None:
        return NO_LABELS
    if counts.design == "reviewed":
        return WITHOUT_DRAW
    if whole and counts.outside_frame:
        return f"{counts.outside_frame} of {counts.size} items are outside every draw"
    return None
