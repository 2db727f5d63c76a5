"""A judge against gold for one published rate: sensitivity, specificity, predictive values and their kin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.confusion import JUDGE_FAILED, Confusion, confusion, kappa, mcc
from adjudicate.stats.judge_accuracy import JudgedItems, coefficient_estimate, ratio_estimate
from adjudicate.stats.weighted_ratio import weighted_ratio

NO_MISS_SEEN = "no missed event was seen, so the sensitivity can only be overstated: read the false-omission rate"


@dataclass(frozen=True, slots=True)
class BinaryMeasure:
    """A share of items: numerator given that the denominator holds."""

    statistic: str
    undefined: str
    """Reason where nobody is in the denominator."""
    among_gold: bool | None = None
    """Gold class that the denominator asks for (True is the event); None where any will do."""
    among_verdict: bool | None = None
    """Judged class that the denominator asks for; None where any will do."""


MEASURES: tuple[BinaryMeasure, ...] = (
    BinaryMeasure("judge_accuracy", "no item with a parsed verdict and a blind gold label"),
    BinaryMeasure("judge_sensitivity", "no event among the gold labels", among_gold=True),
    BinaryMeasure("judge_specificity", "every gold label is an event", among_gold=False),
    BinaryMeasure("judge_ppv", "the judge flagged no labelled item", among_verdict=True),
    BinaryMeasure("judge_npv", "the judge cleared no labelled item", among_verdict=False),
)


def judge_rate_estimates(
    items: JudgedItems,
    outcomes: Sequence[str],
    *,
    rate: str,
    counts: Sequence[str],
    group: Mapping[str, str],
    confidence: float = 0.95,
) -> list[Estimate]:
    """How well a judge finds the events of one rate; items on which it failed are left out and counted.

    In every measure the item is right when judge and gold agree on event or not: sensitivity is that share among gold
    events, the positive predictive value among flagged items.

    Args:
        items: Gold and verdicts.
        outcomes: Every outcome of the policy.
        rate: Id of the rate; goes into the group.
        counts: Outcomes that are events of the rate.
        group: What the estimates speak for, e.g. the judge.
        confidence: Two-sided, 0 to 1.

    Returns:
        Accuracy, sensitivity, specificity, predictive values (fractions, linearised intervals), balanced accuracy, kappa
        and MCC (no interval). Undefined where a denominator is 0.

    Raises:
        ValueError: A label or verdict that the policy does not name.
    """
    failed, shown = items.failed, {**group, "rate": rate}
    gold = [label in counts for label in items.gold]
    flagged = [None if verdict is None else verdict in counts for verdict in items.verdicts]
    details: dict[str, Any] = {"judge_failed": failed}
    table: Confusion | None = None
    if any(items.parsed):
        table = _two_classes(items, outcomes, counts, items.weights)
        raw = _two_classes(items, outcomes, counts, [1.0] * len(gold))
        details |= {"labels": list(raw.labels), "confusion": raw.matrix.tolist(), "confusion_weighted": table.matrix.tolist()}
    ratios = [_measure(row, items, gold, flagged, group=shown, confidence=confidence, details=details) for row in MEASURES]
    return [*ratios, _balanced(ratios[1], ratios[2]), *_coefficients(table, items, shown, failed)]


def _two_classes(items: JudgedItems, outcomes: Sequence[str], counts: Sequence[str], weights: Sequence[float]) -> Confusion:
    return confusion(items.gold, items.verdicts, weights, outcomes).without(JUDGE_FAILED).collapsed(counts)


def _measure(
    row: BinaryMeasure,
    items: JudgedItems,
    gold: Sequence[bool],
    flagged: Sequence[bool | None],
    *,
    group: Mapping[str, str],
    confidence: float,
    details: Mapping[str, Any],
) -> Estimate:
    pairs = list(zip(gold, flagged, strict=True))
    # Failed items keep their place with a denominator of 0, so that stratum sizes and fractions stay those of the draw.
    asked = [flag is not None and row.among_gold in (None, event) and row.among_verdict in (None, flag) for event, flag in pairs]
    right = [ask and event == flag for ask, (event, flag) in zip(asked, pairs, strict=True)]
    ratio = weighted_ratio(right, asked, items.weights, items.strata, items.sizes)
    unmissed = row.statistic == "judge_sensitivity" and ratio is not None and right == asked
    return ratio_estimate(
        row.statistic, ratio, items, group=group, confidence=confidence, undefined=row.undefined,
        note=NO_MISS_SEEN if unmissed and items.design != "census" else "",
        details={**details, "missed": 0} if unmissed else details,
    )  # fmt: skip


def _balanced(sensitivity: Estimate, specificity: Estimate) -> Estimate:
    """Mean of sensitivity and specificity; undefined with either."""
    name, n = "judge_balanced_accuracy", sensitivity.n + specificity.n
    plain = replace(sensitivity, statistic=name, n=n, low=None, high=None, confidence=None)
    method = f"{sensitivity.method.split(',')[0]}, no interval"
    if sensitivity.value is None or specificity.value is None:
        reason = sensitivity.undefined or specificity.undefined
        return replace(plain, value=None, undefined=reason, method=method)
    details = {key: value for key, value in sensitivity.details.items() if key not in ("standard_error", "no_interval")}
    return replace(plain, value=(sensitivity.value + specificity.value) / 2, method=method, details=details)


def _coefficients(table: Confusion | None, items: JudgedItems, group: Mapping[str, str], failed: int) -> list[Estimate]:
    n = len(items.gold) - failed
    nothing = "no item with a parsed verdict and a blind gold label"
    return [
        coefficient_estimate(
            "judge_kappa", kappa(table) if table else None, n, items, group=group, failed=failed,
            undefined="gold and judge name one and the same class only" if table else nothing,
        ),
        coefficient_estimate(
            "judge_mcc", mcc(table) if table else None, n, items, group=group, failed=failed,
            undefined="gold or judge names one class only" if table else nothing,
        ),
    ]  # fmt: skip
