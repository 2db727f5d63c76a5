"""A judge against gold for one published rate: sensitivity, specificity, predictive values and their kin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.confusion import JUDGE_FAILED, Confusion, confusion, f1, kappa, mcc, youden_j
from adjudicate.stats.judge_accuracy import FAILED_IS_WRONG, Coefficient, JudgedItems, coefficient_estimate, ratio_estimate
from adjudicate.stats.weighted_ratio import effective_number, weighted_ratio

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
    error_verdict: bool | None = None
    """Judged class of the one error that lowers it: cleared for a missed event, flagged for a false alarm; None for both."""


MEASURES: tuple[BinaryMeasure, ...] = (
    BinaryMeasure("judge_accuracy", "no item with a parsed verdict and a blind gold label"),
    BinaryMeasure("judge_sensitivity", "no event among the gold labels", among_gold=True, error_verdict=False),
    BinaryMeasure("judge_specificity", "every gold label is an event", among_gold=False, error_verdict=True),
    BinaryMeasure("judge_ppv", "the judge flagged no labelled item", among_verdict=True, error_verdict=True),
    BinaryMeasure("judge_npv", "the judge cleared no labelled item", among_verdict=False, error_verdict=False),
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

    In every measure the item is right when judge and gold agree on event or not: sensitivity is that share among gold events,
    the positive predictive value among flagged items. Where the judge failed on any item, accuracy, sensitivity and specificity
    come a second time with the failures counted as not right, in the group ``{"judge_failed": "counted as not right"}``: an
    event on which the judge failed was not found.

    Args:
        items: Gold and verdicts.
        outcomes: Every outcome of the policy.
        rate: Id of the rate; goes into the group.
        counts: Outcomes that are events of the rate.
        group: What the estimates speak for, e.g. the judge.
        confidence: Two-sided, 0 to 1.

    Returns:
        Accuracy, sensitivity, specificity, predictive values and balanced accuracy (fractions), kappa and MCC (coefficients),
        with linearised intervals. Undefined where a denominator is 0. Items that wait for a ruling are left out; details of the
        shares count them, and bound the share with the judge wrong, and right, on all of them. Details of the accuracy: F1,
        Youden's J and Kish's effective number of items under the weights.

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
    summary = _summary(table, items) if table else {}
    ratios = [
        _measure(
            row, items, gold, flagged, counts, group=shown, confidence=confidence,
            details=details | summary if row.statistic == "judge_accuracy" else details,
        )
        for row in MEASURES
    ]  # fmt: skip
    coefficients = _coefficients(table, items, gold, flagged, group=shown, confidence=confidence, details=details)
    if failed:
        harsh = {**shown, "judge_failed": "counted as not right"}
        ratios += [
            _measure(
                row, items, gold, flagged, counts, group=harsh, confidence=confidence, details={"judge_failed": failed},
                failures=True,
            )
            for row in MEASURES
            if row.among_verdict is None
        ]  # fmt: skip
    return [*ratios[: len(MEASURES)], *coefficients, *ratios[len(MEASURES) :]]


def _summary(table: Confusion, items: JudgedItems) -> dict[str, Any]:
    """What the weighted table says in one number each, and how much the weights cost."""
    weights = [weight for weight, parsed in zip(items.weights, items.parsed, strict=True) if parsed]
    return {"f1": f1(table), "youden_j": youden_j(table), "kish_effective_n": effective_number(weights)}


def _two_classes(items: JudgedItems, outcomes: Sequence[str], counts: Sequence[str], weights: Sequence[float]) -> Confusion:
    return confusion(items.gold, items.verdicts, weights, outcomes).without(JUDGE_FAILED).collapsed(counts)


def _measure(
    row: BinaryMeasure,
    items: JudgedItems,
    gold: Sequence[bool],
    flagged: Sequence[bool | None],
    counts: Sequence[str],
    *,
    group: Mapping[str, str],
    confidence: float,
    details: Mapping[str, Any],
    failures: bool = False,
) -> Estimate:
    """One measure; with `failures`, an item on which the judge failed is in the denominator and not right."""
    pairs = list(zip(gold, flagged, strict=True))
    # Failed items keep their place with a denominator of 0, so that stratum sizes and fractions stay those of the draw.
    asked = [
        (failures or flag is not None) and row.among_gold in (None, event) and row.among_verdict in (None, flag)
        for event, flag in pairs
    ]
    right = [ask and event == flag for ask, (event, flag) in zip(asked, pairs, strict=True)]

    def filled(verdict: str | None, taken_right: bool) -> tuple[bool, bool]:
        """An open item with the class that makes the judge right, or the other one; a failed one as the worst, or the best."""
        if verdict is None:
            return False, failures and (row.among_gold is None or not taken_right)
        flag = verdict in counts
        event = flag if taken_right else not flag
        inside = row.among_gold in (None, event) and row.among_verdict in (None, flag)
        return inside and taken_right, inside

    ratio = weighted_ratio(right, asked, items.weights, items.strata, items.sizes)
    wrong = [ask and not fine for ask, fine in zip(asked, right, strict=True)]
    hidden = (
        row.error_verdict is not None
        and any(wrong)
        and items.hides(wrong, [flag is row.error_verdict or (failures and flag is None) for flag in flagged])
    )
    notes = [FAILED_IS_WRONG] if failures else []
    unmissed = row.statistic == "judge_sensitivity" and ratio is not None and right == asked
    if unmissed and items.design != "census":
        notes.append(NO_MISS_SEEN)
    return ratio_estimate(
        row.statistic, ratio, items, group=group, confidence=confidence, undefined=row.undefined,
        note="; ".join(notes), hidden=hidden,
        details={**details, **({"missed": 0} if unmissed else {}), **items.unresolved(right, asked, filled)},
    )  # fmt: skip


def _coefficients(
    table: Confusion | None,
    items: JudgedItems,
    gold: Sequence[bool],
    flagged: Sequence[bool | None],
    *,
    group: Mapping[str, str],
    confidence: float,
    details: Mapping[str, Any],
) -> list[Estimate]:
    """Balanced accuracy, kappa and MCC over the items that the judge named an outcome for."""
    cells = [None if flag is None else (int(event), int(flag)) for event, flag in zip(gold, flagged, strict=True)]
    one_sided = not {(1, 0), (0, 1)} <= set(cells)
    hidden = any(
        items.hides(
            [flag is said and event != said for event, flag in zip(gold, flagged, strict=True)],
            [flag is said for flag in flagged],
        )
        for said in (False, True)
    )
    nothing = "no item with a parsed verdict and a blind gold label"
    rows = (
        Coefficient("judge_balanced_accuracy", _balanced(table), _one_class(gold, flagged), "fraction", one_sided, hidden),
        Coefficient(
            "judge_kappa", kappa(table) if table else None,
            "gold and judge name one and the same class only" if table else nothing, one_sided=one_sided, hidden=hidden,
        ),
        Coefficient(
            "judge_mcc", mcc(table) if table else None, "gold or judge names one class only" if table else nothing,
            one_sided=one_sided, hidden=hidden,
        ),
    )  # fmt: skip
    failures = {"judge_failed": items.failed}
    return [
        coefficient_estimate(
            row, table, cells, items, group=group, confidence=confidence, details=details if row.unit == "fraction" else failures
        )
        for row in rows
    ]


def _balanced(table: Confusion | None) -> float | None:
    """Mean of sensitivity and specificity; None where either is 0/0."""
    j = youden_j(table) if table else None
    return None if j is None else (j + 1) / 2


def _one_class(gold: Sequence[bool], flagged: Sequence[bool | None]) -> str:
    """Why sensitivity or specificity is 0/0."""
    seen = {event for event, flag in zip(gold, flagged, strict=True) if flag is not None}
    return MEASURES[2].undefined if seen == {True} else MEASURES[1].undefined
