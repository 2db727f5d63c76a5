"""Agreement between the annotators of a report: headline and further coefficients, rare events, borderline items only.

Annotators one by one (against themselves, against gold, over time) are in `report_annotators`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement import agreement_estimates
from adjudicate.stats.agreement_counts import Ratings
from adjudicate.stats.agreement_further import NOT_NAMED, further_agreement_estimates
from adjudicate.stats.agreement_tables import table_estimates
from adjudicate.stats.conger_kappa import conger_estimate
from adjudicate.stats.designs import Scope, items_in, review_scopes, sizes_in
from adjudicate.stats.evidence import Evidence, LabelledItem
from adjudicate.stats.kappa_paradox import rare_event_agreement

BORDERLINE = "borderline"
"""Part of the name of a population whose items lie on the boundary, as in ``benign/borderline``."""
DESCRIBED = ("percent_agreement", "krippendorff_alpha", "gwet_ac1")


def annotator_agreement(evidence: Evidence) -> list[Estimate]:
    """Every coefficient for the whole, each model, each population, and both together.

    It speaks for the labelled items: an enriched sample gives the agreement on that sample.
    """
    if not evidence.annotators:
        return []
    estimates = []
    for scope in review_scopes(evidence):
        items = items_in(evidence, scope)
        estimates += agreement_estimates(
            ratings_of(items, evidence.annotators, evidence.outcomes), evidence.outcomes, group=scope.group,
            seed=evidence.seed, resamples=evidence.resamples, confidence=evidence.confidence,
        )  # fmt: skip
    return estimates


def further_agreement(evidence: Evidence) -> list[Estimate]:
    """The other coefficients, for the whole and each model; nothing with fewer than two annotators.

    Two annotators get weighted kappa and Scott's pi; more get Conger's kappa. A category that nobody names is left out.
    """
    estimates: list[Estimate] = []
    for scope in [Scope(model=model) for model in (None, *evidence.models)]:
        ratings, raters = _rated(evidence, scope)
        if len(raters) < 2:
            continue
        given: dict[str, Any] = {
            "group": scope.group, "seed": evidence.seed, "resamples": evidence.resamples, "confidence": evidence.confidence,
        }  # fmt: skip
        further = further_agreement_estimates(ratings, evidence.outcomes, **given)
        estimates += [each for each in further if each.undefined != NOT_NAMED]
        if len(raters) == 2:
            estimates += table_estimates(ratings, evidence.outcomes, **given)
        else:
            estimates.append(conger_estimate(ratings, evidence.outcomes, **given))
    return estimates


def rare_events(evidence: Evidence) -> list[Estimate]:
    """Agreement on the event of each rate, with all that keeps kappa from misleading; whole and by model."""
    estimates: list[Estimate] = []
    for rate in evidence.rates:
        for model in (None, *evidence.models):
            scope = Scope(model=model, intent=rate.among)
            ratings, raters = _rated(evidence, scope)
            if len(raters) >= 2:
                estimates += rare_event_agreement(
                    ratings, evidence.outcomes, counts=rate.counts, rate=rate.id, group=scope.group, seed=evidence.seed,
                    resamples=evidence.resamples, confidence=evidence.confidence,
                )  # fmt: skip
    return estimates


def borderline_agreement(evidence: Evidence) -> list[Estimate]:
    """Agreement on the items of borderline populations alone, with the sample described; low agreement is expected there.

    Nothing where no population, or every one, is borderline.
    """
    names = [name for name in evidence.populations if BORDERLINE in name]
    items = [item for item in evidence.items if item.population in names]
    if not items or len(names) == len(evidence.populations) or len(evidence.annotators) < 2:
        return []
    found = agreement_estimates(
        ratings_of(items, evidence.annotators, evidence.outcomes), evidence.outcomes, group={"items": BORDERLINE},
        seed=evidence.seed, resamples=evidence.resamples, confidence=evidence.confidence,
    )  # fmt: skip
    sample = {"populations": names, **_sample(evidence, items, names)}
    return [replace(each, details={**each.details, "sample": sample}) for each in found if each.statistic in DESCRIBED]


def _sample(evidence: Evidence, items: Sequence[LabelledItem], names: Sequence[str]) -> dict[str, Any]:
    """How the items came to be labelled, by stratum."""
    sizes: Counter[str] = Counter()
    for name in names:
        sizes.update(sizes_in(evidence, Scope(name)))
    labelled = Counter(item.stratum for item in items)
    return {
        "items": len(items),
        "drawn": sum(item.sampled for item in items),
        "frame": sizes.total(),
        "strata": [{"stratum": name, "N": sizes[name], "labelled": labelled[name]} for name in sorted(sizes)],
        "labels_per_item": {str(n): count for n, count in sorted(Counter(len(item.labels) for item in items).items())},
    }


def _rated(evidence: Evidence, scope: Scope) -> tuple[Ratings, list[str]]:
    """Ratings of a scope, and the annotators with any."""
    items = items_in(evidence, scope)
    raters = [name for name in evidence.annotators if any(name in item.labels for item in items)]
    return ratings_of(items, evidence.annotators, evidence.outcomes), raters


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
