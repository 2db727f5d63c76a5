"""A judge against gold over all outcomes: accuracy, kappa, MCC and the confusion matrix, with design weights.

The two classes of one published rate are `judge_rates`; weights and designs are made by `judged_items`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from adjudicate.core.estimates import Estimate, Unit
from adjudicate.stats.confusion import JUDGE_FAILED, Confusion, confusion, kappa, mcc
from adjudicate.stats.weighted_ratio import Ratio, weighted_ratio

Design = Literal["census", "sample", "reviewed"]

DESIGN_TITLES: Mapping[Design, str] = {
    "census": "every item reviewed",
    "sample": "design-weighted",
    "reviewed": "on the reviewed sample",
}
DESIGN_ASSUMES: Mapping[Design, str] = {
    "census": "gold labels are right",
    "sample": "gold labels are right, and blindly labelled items are a random sample of their stratum",
    "reviewed": "gold labels are right; speaks for the reviewed items, or for others only if these were chosen at random",
}
NAMES: tuple[tuple[str, Unit], ...] = (
    ("judge_accuracy", "fraction"),
    ("judge_kappa", "coefficient"),
    ("judge_mcc", "coefficient"),
)
RULINGS = "rulings on disagreements count as gold, although the adjudicator saw the verdict"
FAILED_IS_WRONG = "a verdict that names no outcome counts as not right"
NO_ERROR_SEEN = "no spread was seen in the sample, so a linearised interval would claim certainty"


@dataclass(frozen=True, slots=True)
class JudgedItems:
    """Items with gold and one judge's verdict, in parallel sequences."""

    gold: Sequence[str]
    """Gold outcomes."""
    verdicts: Sequence[str | None]
    """Verdicts; None where the judge failed."""
    weights: Sequence[float]
    """Inverse inclusion probabilities, positive; 1 in a census and on a reviewed sample."""
    strata: Sequence[str]
    """Stratum of each item."""
    sizes: Mapping[str, int]
    """Items per stratum, N_h; a stratum that is not named is taken as endless."""
    design: Design
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Details that every estimate from these items carries."""

    def __post_init__(self) -> None:
        if len({len(self.gold), len(self.verdicts), len(self.weights), len(self.strata)}) != 1:
            raise ValueError("gold, verdicts, weights and strata must have one entry per item")

    @property
    def parsed(self) -> list[bool]:
        """Whether the judge named an outcome, per item: the domain of every figure without failures."""
        return [verdict is not None for verdict in self.verdicts]

    @property
    def failed(self) -> int:
        """Items on which the judge failed."""
        return sum(verdict is None for verdict in self.verdicts)


def judge_accuracy_estimates(
    items: JudgedItems, outcomes: Sequence[str], *, group: Mapping[str, str], confidence: float = 0.95
) -> list[Estimate]:
    """Accuracy, kappa and MCC over all outcomes.

    Failed verdicts count as not right and form a class of their own; where there are any, each statistic comes a second
    time without them, in the group ``{"judge_failed": "excluded"}``.

    Args:
        items: Gold and verdicts.
        outcomes: Every outcome of the policy, in its order.
        group: What the estimates speak for, e.g. the judge.
        confidence: Two-sided, 0 to 1.

    Returns:
        Accuracy in fractions with a linearised interval; kappa and MCC as coefficients without one. Undefined where 0/0.

    Raises:
        ValueError: A label or verdict that the policy does not name.
    """
    if not items.gold:
        nothing = "no item with a blind gold label"
        return [
            Estimate(name, None, 0, DESIGN_TITLES[items.design], unit, group, undefined=nothing, details=items.notes)
            for name, unit in NAMES
        ]
    raw = confusion(items.gold, items.verdicts, [1.0] * len(items.gold), outcomes)
    weighted = confusion(items.gold, items.verdicts, items.weights, outcomes)
    estimates = _all_outcomes(items, raw, weighted, among=[True] * len(items.gold), group=group, confidence=confidence)
    if items.failed:
        shown = {**group, "judge_failed": "excluded"}
        raw, weighted = raw.without(JUDGE_FAILED), weighted.without(JUDGE_FAILED)
        estimates += _all_outcomes(items, raw, weighted, among=items.parsed, group=shown, confidence=confidence)
    return estimates


def ratio_estimate(
    statistic: str,
    ratio: Ratio | None,
    items: JudgedItems,
    *,
    group: Mapping[str, str],
    confidence: float,
    undefined: str,
    note: str = "",
    details: Mapping[str, Any],
) -> Estimate:
    """A weighted ratio as an estimate, or undefined with the given reason.

    In a census the interval has zero width; otherwise a ratio without spread gets no interval, and details say so.
    """
    title = DESIGN_TITLES[items.design]
    assumes = assumed(items, note)
    carried = {**items.notes, **details}
    if ratio is None:
        return Estimate(statistic, None, 0, title, group=group, assumes=assumes, undefined=undefined, details=carried)
    carried["standard_error"] = ratio.standard_error
    if items.design == "census":
        return Estimate(
            statistic, ratio.value, ratio.n, f"{title}, zero-width design interval", group=group, low=ratio.value,
            high=ratio.value, confidence=confidence, assumes=assumes, details=carried | {"standard_error": 0.0},
        )  # fmt: skip
    interval = ratio.interval(confidence)
    if interval is None:
        carried["no_interval"] = NO_ERROR_SEEN
        return Estimate(statistic, ratio.value, ratio.n, title, group=group, assumes=assumes, details=carried)
    return Estimate(
        statistic, ratio.value, ratio.n, f"{title}, linearised standard error", group=group, low=interval.low,
        high=interval.high, confidence=confidence, assumes=assumes, details=carried,
    )  # fmt: skip


def assumed(items: JudgedItems, note: str = "") -> str:
    """What a value on these items assumes, and which part of the group it cannot speak for."""
    strata, populations = items.notes.get("strata_without_labels", 0), items.notes.get("populations_without_labels", ())
    silent = [
        f"{strata} strata without a blind label are left out" if strata else "",
        f"nothing is known of {', '.join(populations)}" if populations else "",
    ]
    return "; ".join(text for text in (note, DESIGN_ASSUMES[items.design], *silent, RULINGS) if text)


def coefficient_estimate(
    statistic: str, value: float | None, n: int, items: JudgedItems, *, group: Mapping[str, str], undefined: str, failed: int
) -> Estimate:
    """A coefficient without interval, or undefined with the given reason."""
    return Estimate(
        statistic, value, n, f"{DESIGN_TITLES[items.design]}, no interval", "coefficient", group,
        assumes=assumed(items), undefined=None if value is not None else undefined,
        details={**items.notes, "judge_failed": failed},
    )  # fmt: skip


def _all_outcomes(
    items: JudgedItems,
    raw: Confusion,
    weighted: Confusion,
    *,
    among: Sequence[bool],
    group: Mapping[str, str],
    confidence: float,
) -> list[Estimate]:
    """The three statistics over the items in `among`; the tables already hold these items only."""
    n, failed, nothing = sum(among), items.failed, "the judge failed on every item"
    right = [gold == verdict for gold, verdict in zip(items.gold, items.verdicts, strict=True)]
    details: dict[str, Any] = {
        "labels": list(raw.labels), "confusion": raw.matrix.tolist(), "confusion_weighted": weighted.matrix.tolist(),
        "judge_failed": failed,
    }  # fmt: skip
    parsed = weighted.without(JUDGE_FAILED).matrix.sum()
    if failed and parsed:
        details["value_over_parsed"] = float(weighted.matrix.trace() / parsed)
    accuracy = ratio_estimate(
        "judge_accuracy", weighted_ratio(right, among, items.weights, items.strata, items.sizes), items, group=group,
        confidence=confidence, undefined=nothing, note=FAILED_IS_WRONG if failed and n == len(items.gold) else "",
        details=details,
    )  # fmt: skip
    return [
        accuracy,
        coefficient_estimate(
            "judge_kappa", kappa(weighted) if n else None, n, items, group=group, failed=failed,
            undefined="gold and judge name one and the same outcome only" if n else nothing,
        ),
        coefficient_estimate(
            "judge_mcc", mcc(weighted) if n else None, n, items, group=group, failed=failed,
            undefined="gold or judge names one outcome only" if n else nothing,
        ),
    ]  # fmt: skip
