"""Corrected rates whose interval allows for clusters: answers to one prompt, both members of a pair.

Items that were drawn one by one need no correction for these items, which is why `corrected_rate` of the finite target has
none. Whole clusters that were drawn together do, and so does every claim about prompts like these: for the process target
`corrected_rate` is this one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from adjudicate.core.estimates import Estimate
from adjudicate.stats.corrected import stratified_rate
from adjudicate.stats.design_effect import Clustered, DesignEffect, design_effect, effect_on_process, in_clusters
from adjudicate.stats.designs import Designed, design_of, rate_scopes, stratum_counts
from adjudicate.stats.evidence import Evidence
from adjudicate.stats.stratum_bounds import Target


def clustered_rates(evidence: Evidence) -> list[Estimate]:
    """The policy's rates in populations where settled items share a prompt or a pair; nothing where each stands alone.

    Nothing without a draw, and nothing in a census unless the target is the process.
    """
    estimates = []
    for rate in evidence.rates:
        for scope in rate_scopes(evidence, rate.among):
            plan = design_of(evidence, scope)
            finished = plan.design == "census" and evidence.target == "finite"
            if plan.design in (None, "reviewed") or finished:
                continue
            effect = effect_on(plan, rate.counts, target=evidence.target)
            if effect is not None:
                estimates.append(
                    stratified_rate(
                        stratum_counts(plan.sizes, plan.items, rate.counts.__contains__, plan.non_response),
                        statistic="clustered_rate", group={"rate": rate.id, **scope.group}, limits=evidence.limits,
                        target=evidence.target, confidence=evidence.confidence, effect=effect,
                        details={"design": plan.design, "outside_frame": plan.outside_frame, **plan.notes},
                    )
                )  # fmt: skip
    return estimates


def effect_on(plan: Designed, counts: Collection[str], *, target: Target = "process") -> DesignEffect | None:
    """Design effect on the corrected rate of a census or a sample; None where no two settled items share a prompt or a pair.

    Args:
        plan: Items of one population with their strata.
        counts: Outcomes that are events.
        target: ``process`` for prompts like these; ``finite`` for these items, where whole clusters were drawn.
    """
    units = [Clustered(item.cluster, item.stratum, item.gold in counts) for item in plan.items if item.gold is not None]
    if target == "process":
        return effect_on_process(units, plan.sizes)
    if not in_clusters(unit.cluster for unit in units):
        return None
    n = Counter(unit.stratum for unit in units)
    return design_effect(
        [unit.cluster for unit in units], [unit.value for unit in units], strata=[unit.stratum for unit in units],
        weights=[plan.sizes[unit.stratum] / n[unit.stratum] for unit in units],
    )  # fmt: skip
