"""What gates and plans start from: for every rate of every population, the design and its counts per stratum.

Which design the labels support is decided in `designs`; the estimators are `corrected` and `anytime`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.anytime import anytime_rate
from adjudicate.stats.clusters import DesignEffect, clustered_rate
from adjudicate.stats.corrected import StratumCount, Target, stratified_rate
from adjudicate.stats.designs import design_of, explained, frame_sizes, rate_scopes, stratum_counts
from adjudicate.stats.evidence import Evidence
from adjudicate.stats.judge_accuracy import Design
from adjudicate.stats.rates import SAMPLE_ONLY
from adjudicate.stats.report_clusters import effect_on, in_clusters


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
    outside_frame: int
    """Items that no draw could have chosen."""
    outside_sample: int
    """Labelled items that no draw chose: they do not count."""
    set_aside: int = 0
    """Drawn items whose labels were chosen by somebody, beyond what the queue has come to: they do not count yet."""
    clustered: bool = False
    """Whether settled items share a prompt or a pair, which widens what they say of prompts like these."""
    effect: DesignEffect | None = None
    """By how much; None where they do not, and where a single cluster is settled."""


@dataclass(frozen=True, slots=True)
class Bounding:
    """How rates are bounded."""

    limits: str = "clopper_pearson"
    """A key of `intervals.LIMITS`."""
    anytime: bool = False
    """Limits that hold at every moment, where a decision may end the labelling; for the finite target."""
    target: Target = "finite"
    confidence: float = 0.95


def rate_counts(evidence: Evidence) -> list[RateCounts]:
    """Every rate in every population it speaks for, in the order of the policy."""
    found = []
    for rate in evidence.rates:
        for scope in rate_scopes(evidence, rate.among):
            sizes, plan = frame_sizes(evidence.cells, scope), design_of(evidence, scope)
            usable = plan.design in ("census", "sample")
            clustered = usable and in_clusters(plan)
            strata = stratum_counts(plan.sizes, plan.items, rate.counts.__contains__, plan.non_response) if usable else []
            found.append(
                RateCounts(
                    rate, {"rate": rate.id, **scope.group}, sum(sizes.values()), plan.design, tuple(strata), len(plan.items),
                    plan.outside_frame, plan.outside_sample, plan.set_aside, clustered,
                    effect_on(plan, rate.counts) if clustered else None,
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
            "corrected_rate", None, counts.labelled, "stratified mean", group=counts.group, undefined=reason,
            assumes=SAMPLE_ONLY if counts.design == "reviewed" else "", details={"N": counts.size},
        )  # fmt: skip
    details: dict[str, Any] = {"design": counts.design, "outside_frame": counts.outside_frame}
    left_out = {"outside_sample": counts.outside_sample, "set_aside": counts.set_aside}
    details |= {name: count for name, count in left_out.items() if count}
    return explained(_bounded(counts, how, details))


def _bounded(counts: RateCounts, how: Bounding, details: Mapping[str, Any]) -> Estimate:
    if how.target == "process" and counts.clustered:
        return clustered_rate(
            counts.strata, counts.effect, statistic="corrected_rate", group=counts.group, target="process",
            conservative=how.limits == "clopper_pearson", confidence=how.confidence, details=details,
        )  # fmt: skip
    if how.anytime:
        return anytime_rate(counts.strata, group=counts.group, confidence=how.confidence, details=details)
    return stratified_rate(
        counts.strata, statistic="corrected_rate", group=counts.group, limits=how.limits, target=how.target,
        confidence=how.confidence, details=details,
    )  # fmt: skip


def _without_design(counts: RateCounts, *, whole: bool) -> str | None:
    if counts.design is None:
        return "no labels yet"
    if counts.design == "reviewed":
        return "labels without a recorded draw: sample only"
    if whole and counts.outside_frame:
        return f"{counts.outside_frame} of {counts.size} items are outside every draw"
    return None
