"""Judges against themselves in a report: how steady each is where it was asked about an item again."""

from __future__ import annotations

from adjudicate.core.estimates import Estimate
from adjudicate.stats.designs import review_scopes
from adjudicate.stats.evidence import Evidence
from adjudicate.stats.self_consistency import RepeatedVerdicts, self_consistency_estimates


def judge_self_consistency(evidence: Evidence) -> list[Estimate]:
    """Every judge that was asked again, overall, by model, by population and by both; nothing where none was.

    It speaks for the items that the judge was asked about again.
    """
    estimates = []
    for judge in sorted({row.judge for row in evidence.readings}):
        readings = [row for row in evidence.readings if row.judge == judge]
        for scope in review_scopes(evidence):
            items = [RepeatedVerdicts(row.item_id, row.verdicts) for row in readings if scope.holds(row)]
            if items:
                estimates += self_consistency_estimates(
                    items, evidence.outcomes, group={"judge": judge, **scope.group}, seed=evidence.seed,
                    resamples=evidence.resamples, confidence=evidence.confidence,
                )  # fmt: skip
    return estimates
