"""Corrected rates whose interval allows for clusters: answers to one prompt, both members of a pair.

Items that were drawn one by one need no correction for these items, which is why `corrected_rate` of the finite target has
none. Whole clusters that were drawn together do, and so does every claim about prompts like these: for the process target
`corrected_rate` is this one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from adjudicate.core.estimates import Estimate
from adjudicate.stats.clusters import DesignEffect, clustered_rate, design_effect, process_design_effect
from adjudicate.stats.corrected import Target
from adjudicate.stats.designs import Designed, design_of, rate_scopes, stratum_counts
from adjudicate.stats.evidence import Evidence, LabelledItem


def clustered_rates(evidence: Evidence) -> list[Estimate]:
    """The policy's rates in populations where settled items share a prompt or a pair; nothing where each stands alone.

    Nothing without a draw, and nothing in a census unless the target is the process.
    """
    estimates = []
    for rate in evidence.rates:
        for scope in rate_scopes(evidence, rate.among):
            plan = design_of(evidence, scope)
            finished = plan.design == "census" and evidence.target == "finite"
            if plan.design in (None, "reviewed") or finished or not in_clusters(plan):
                continue
            estimates.append(
                clustered_rate(
                    stratum_counts(plan.sizes, plan.items, rate.counts.__contains__, plan.non_response),
                    effect_on(plan, rate.counts, target=evidence.target),
                    group={"rate": rate.id, **scope.group}, target=evidence.target,
                    conservative=evidence.conservative, confidence=evidence.confidence,
                    details={"design": plan.design, "outside_frame": plan.outside_frame, **plan.notes},
                )
            )  # fmt: skip
    return estimates


def in_clusters(plan: Designed) -> bool:
    """Whether any two settled items share a pair or a prompt."""
    clusters = [_cluster(item) for item in plan.items if item.gold is not None]
    return len(set(clusters)) < len(clusters)


def effect_on(plan: Designed, counts: Collection[str], *, target: Target = "process") -> DesignEffect | None:
    """Design effect on the corrected rate of a census or a sample; None where a single cluster is settled.

    Args:
        plan: Items of one population with their strata.
        counts: Outcomes that are events.
        target: ``process`` for prompts like these; ``finite`` for these items, where whole clusters were drawn.
    """
    settled = [item for item in plan.items if item.gold is not None]
    clusters, events = [_cluster(item) for item in settled], [item.gold in counts for item in settled]
    strata = [item.stratum for item in settled]
    if target == "process":
        return process_design_effect(clusters, events, strata=strata, sizes=plan.sizes)
    n = Counter(strata)
    weights = [plan.sizes[stratum] / n[stratum] for stratum in strata]
    return design_effect(clusters, events, strata=strata, weights=weights)


def _cluster(item: LabelledItem) -> str:
    """What an item shares with others: its pair, else its prompt, else nothing but itself."""
    return item.pair or item.prompt or item.item_id
