"""Annotators one by one: against themselves on hidden repeats, against gold, and their agreement over time."""

from __future__ import annotations

from adjudicate.core.estimates import Estimate
from adjudicate.stats.annotator_accuracy import annotator_accuracy_estimates
from adjudicate.stats.drift import drift_estimates, equal_windows
from adjudicate.stats.evidence import Evidence
from adjudicate.stats.report_agreement import ratings_of
from adjudicate.stats.self_agreement import RepeatedLabel, self_agreement_estimates

MOST_WINDOWS = 4
FEWEST_IN_WINDOW = 20
"""Items with two labels that make a window worth showing."""


def self_agreement(evidence: Evidence) -> list[Estimate]:
    """Self-agreement from hidden repeats; nothing where no item came back."""
    if not evidence.repeats:
        return []
    repeats = [RepeatedLabel(each.annotator, each.item_id, each.first, each.again) for each in evidence.repeats]
    return self_agreement_estimates(
        repeats, evidence.outcomes, group={}, seed=evidence.seed, resamples=evidence.resamples, confidence=evidence.confidence
    )


def annotators_against_gold(evidence: Evidence) -> list[Estimate]:
    """Each annotator against gold; nothing where gold is one person's own labels."""
    if len(evidence.annotators) < 2 and not any(item.recorded for item in evidence.items):
        return []
    rates = [rate for rate in evidence.rates if any(item.intent == rate.among for item in evidence.items)]
    return annotator_accuracy_estimates(
        evidence.items, evidence.annotators, rates=rates, group={}, confidence=evidence.confidence
    )


def agreement_over_time(evidence: Evidence) -> list[Estimate]:
    """Agreement in up to four windows of equal numbers of items, by the time of each item's last label.

    Nothing where the times are unknown or alike (as after an import), or fewer than 20 items a window have two labels.
    """
    items = [item for item in evidence.items if len(item.labels) >= 2 and item.labelled_at is not None]
    count = min(MOST_WINDOWS, len(items) // FEWEST_IN_WINDOW)
    if count < 2:
        return []
    windows = equal_windows([item.labelled_at or 0.0 for item in items], count)
    if len(set(windows)) < 2:
        return []
    return drift_estimates(
        ratings_of(items, evidence.annotators, evidence.outcomes), evidence.outcomes, windows=windows, group={},
        seed=evidence.seed, resamples=evidence.resamples, confidence=evidence.confidence,
    )  # fmt: skip
