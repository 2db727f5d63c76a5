"""What judge accuracy alone does not show: judges side by side, bias by slice, annotators as the standard, error counts.

All of it rests on blind labels, except the list of errors, which says of each item whether it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.alt_test import alt_test
from adjudicate.stats.designs import Scope
from adjudicate.stats.errors_list import JudgeError, judge_error_counts, judge_errors
from adjudicate.stats.evidence import Evidence, LabelledItem
from adjudicate.stats.judge_comparison import compared, judge_difference_estimates
from adjudicate.stats.judge_rates import judge_rate_estimates
from adjudicate.stats.judged_items import judged, reviewed
from adjudicate.stats.report_agreement import ratings_of
from adjudicate.stats.slices import SlicedItem, judge_bias_by_slice

EPSILON = 0.15
"""Advantage of skilled annotators in the alternative annotator test (0.2 experts, 0.1 crowd)."""
LENGTHS: tuple[tuple[int, str], ...] = ((500, "a: up to 500 characters"), (2000, "b: 501 to 2,000 characters"))
LONGEST = "c: over 2,000 characters"
TURNS: tuple[tuple[int, str], ...] = ((1, "1"), (3, "2 to 3"))
MOST_TURNS = "4 or more"
DIMENSIONS = ("population", "category", "language", "length", "turns", "clause")


def judge_differences(evidence: Evidence) -> list[Estimate]:
    """Every pair of judges on the items that both saw: over all outcomes and per rate, whole and by model."""
    estimates: list[Estimate] = []
    for first, second in combinations(evidence.judges, 2):
        group = {"judge": first, "against": second}
        for model in (None, *evidence.models):
            scope = Scope(model=model)
            estimates += _difference(evidence, scope, None, {**group, **scope.group})
            for rate in evidence.rates:
                asked = Scope(model=model, intent=rate.among)
                estimates += _difference(evidence, asked, rate, {**group, "rate": rate.id, **scope.group})
    return estimates


def judge_bias(evidence: Evidence) -> list[Estimate]:
    """Judge's rate minus human rate over all items of a rate, and in every slice.

    The slices of one judge and rate are one family of tests; the whole is a test of its own. A dimension is left out where all
    items share one value.
    """
    estimates: list[Estimate] = []
    for judge in evidence.judges:
        for rate in evidence.rates:
            items = [
                _sliced(item, judge, rate)
                for item in evidence.items
                if item.blind_gold is not None and item.intent == rate.among and judge in item.verdicts
            ]
            dimensions = [name for name in DIMENSIONS if len({item.slices.get(name) for item in items} - {None}) > 1]
            for family in (("items",), dimensions):
                estimates += judge_bias_by_slice(
                    items, family, group={"judge": judge, "rate": rate.id}, confidence=evidence.confidence
                )
    return estimates


def alternative_annotator(evidence: Evidence) -> list[Estimate]:
    """The alternative annotator test per judge and rate, never without the judge's sensitivity for the rate.

    Nothing with fewer than two annotators.
    """
    return list(_alternative(evidence)) if len(evidence.annotators) > 1 else []


def error_counts(evidence: Evidence) -> list[Estimate]:
    """Number of errors by direction, per judge and model; nothing where a judge saw no item with gold."""
    estimates: list[Estimate] = []
    for judge in evidence.judges:
        for model in (None, *evidence.models):
            scope = Scope(model=model)
            seen = [item for item in evidence.items if scope.holds(item) and item.gold is not None and judge in item.verdicts]
            if seen:
                errors = judge_errors(
                    seen, judge, rates=evidence.rates, severity=_severity(evidence), severities=evidence.severities
                )
                estimates += judge_error_counts(errors, n=len(seen), group={"judge": judge, **scope.group})
    return estimates


def listed_errors(evidence: Evidence) -> list[JudgeError]:
    """Errors of all judges, judge by judge, false "safe" first."""
    return [
        error
        for judge in evidence.judges
        for error in judge_errors(
            evidence.items, judge, rates=evidence.rates, severity=_severity(evidence), severities=evidence.severities
        )
    ]


def length_band(characters: int) -> str:
    """Band of a response's length; the letters keep the order when sorted."""
    return next((name for most, name in LENGTHS if characters <= most), LONGEST)


def turn_band(turns: int) -> str:
    """Band of the number of a user's turns."""
    return next((name for most, name in TURNS if turns <= most), MOST_TURNS)


def _difference(evidence: Evidence, scope: Scope, rate: Rate | None, group: Mapping[str, str]) -> list[Estimate]:
    """Of the judges named by the group, over all outcomes or for one rate."""
    part = reviewed(evidence, scope)
    items = compared(part, group["judge"], group["against"], counts=rate.counts if rate else None)
    return judge_difference_estimates(items, group=group, confidence=evidence.confidence) if items.weights else []


def _sliced(item: LabelledItem, judge: str, rate: Rate) -> SlicedItem:
    verdict = item.verdicts[judge]
    slices = {
        "items": "all",
        "population": item.population,
        "category": item.category,
        "language": item.language,
        "length": "" if item.characters is None else length_band(item.characters),
        "turns": "" if item.turns is None else turn_band(item.turns),
        "clause": item.clauses[0] if len(item.clauses) == 1 else "",
    }
    flagged = None if verdict is None else verdict in rate.counts
    named = {name: value for name, value in slices.items() if value}
    return SlicedItem(item.item_id, item.blind_gold in rate.counts, flagged, named)


def _alternative(evidence: Evidence) -> Iterator[Estimate]:
    code = {outcome: place for place, outcome in enumerate(evidence.outcomes)}
    for rate in evidence.rates:
        scope = Scope(intent=rate.among)
        part = reviewed(evidence, scope)
        for judge in evidence.judges:
            group = {"judge": judge, "rate": rate.id}
            items = [item for item in evidence.items if scope.holds(item) and judge in item.verdicts and len(item.labels) > 1]
            if not items or not any(judge in item.verdicts for item in part.items):
                continue
            measured = judge_rate_estimates(
                judged(part, judge), evidence.outcomes, rate=rate.id, counts=rate.counts, group=group,
                confidence=evidence.confidence,
            )  # fmt: skip
            sensitivity = next(each for each in measured if each.statistic == "judge_sensitivity")
            verdicts = [-1 if (verdict := item.verdicts[judge]) is None else code[verdict] for item in items]
            yield from alt_test(
                ratings_of(items, evidence.annotators, evidence.outcomes), verdicts, categories=len(evidence.outcomes),
                sensitivity=sensitivity, epsilon=EPSILON, group=group,
            )  # fmt: skip


def _severity(evidence: Evidence) -> dict[str, str]:
    """Severities of gold labels by item, where the policy in force knows them."""
    return {
        item.item_id: item.severity
        for item in evidence.items
        if item.severity is not None and item.severity in evidence.severities
    }
