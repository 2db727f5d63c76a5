"""Agreement between the annotators of a report, overall and by model and population."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement import agreement_estimates
from adjudicate.stats.agreement_counts import Ratings
from adjudicate.stats.designs import review_scopes
from adjudicate.stats.evidence import Evidence, LabelledItem


def annotator_agreement(evidence: Evidence) -> list[Estimate]:
    """Every coefficient for the whole, each model, each population, and both together.

    It speaks for the labelled items: an enriched sample gives the agreement on that sample.
    """
    if not evidence.annotators:
        return []
    estimates = []
    for scope in review_scopes(evidence):
        items = [item for item in evidence.items if scope.holds(item)]
        estimates += agreement_estimates(
            ratings_of(items, evidence.annotators, evidence.outcomes), evidence.outcomes, group=scope.group,
            seed=evidence.seed, resamples=evidence.resamples, confidence=evidence.confidence,
        )  # fmt: skip
    return estimates


def ratings_of(items: Sequence[LabelledItem], annotators: Sequence[str], outcomes: Sequence[str]) -> Ratings:
    """Labels of the items as ratings: one row per annotator, one column per item.

    Raises:
        KeyError: A label that is not among the outcomes.
    """
    code = {outcome: place for place, outcome in enumerate(outcomes)}

    def rating(item: LabelledItem, annotator: str) -> int:
        label = item.labels.get(annotator)
        return -1 if label is None else code[label]

    return Ratings(tuple(annotators), [[rating(item, annotator) for item in items] for annotator in annotators])
