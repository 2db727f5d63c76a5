"""A judge against gold over all outcomes: accuracy, kappa, MCC and the confusion matrix, with design weights.

The two classes of one published rate are `judge_rates`; weights and designs are made by `judged_items`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from adjudicate.core.estimates import Estimate, Interval, Unit
from adjudicate.core.sampling import drawn_whole
from adjudicate.stats.confusion import JUDGE_FAILED, Confusion, confusion, kappa, mcc
from adjudicate.stats.intervals import normal_quantile
from adjudicate.stats.linearised import Cell, coefficient_error
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
ONE_SIDE_UNSEEN = "no missed event or no false alarm was seen in the sample, so a linearised interval would be too short"
SEEN_IN_WHOLE_STRATA = (
    "missed events or false alarms were seen only where people see every item, so a linearised interval would be too short"
)


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
    open_verdicts: Sequence[str | None] = ()
    """Verdicts on blindly labelled items that wait for a ruling; None where the judge failed."""
    open_strata: Sequence[str] = ()
    """Stratum of each of these."""

    def __post_init__(self) -> None:
        if len({len(self.gold), len(self.verdicts), len(self.weights), len(self.strata)}) != 1:
            raise ValueError("gold, verdicts, weights and strata must have one entry per item")
        if len(self.open_verdicts) != len(self.open_strata):
            raise ValueError("open verdicts and open strata must have one entry per open item")

    @property
    def parsed(self) -> list[bool]:
        """Whether the judge named an outcome, per item: the domain of every figure without failures."""
        return [verdict is not None for verdict in self.verdicts]

    @property
    def failed(self) -> int:
        """Items on which the judge failed."""
        return sum(verdict is None for verdict in self.verdicts)

    def hides(self, errors: Sequence[bool], possible: Sequence[bool]) -> bool:
        """Whether nothing is seen of a kind of error where more of them may be.

        Where people see every item of a stratum, errors found there say nothing of the items that nobody sees.

        Args:
            errors: Whether the judge made this error, per item.
            possible: Whether its verdict allows the error, per item.
        """
        n = Counter(self.strata)
        in_part = {name for name in n if n[name] < self.sizes.get(name, math.inf) and not drawn_whole(name)}
        kinds = {error for error, may, name in zip(errors, possible, self.strata, strict=True) if may and name in in_part}
        return kinds == {False}

    def unresolved(
        self, right: Sequence[bool], asked: Sequence[bool], filled: Callable[[str | None, bool], tuple[bool, bool]]
    ) -> dict[str, Any]:
        """How many items wait for a ruling, and the weighted share with the judge wrong, and right, on all of them.

        Args:
            right: Numerator per settled item.
            asked: Denominator per settled item.
            filled: From an open item's verdict, and whether the judge is taken to be right on it, to numerator and denominator.

        Returns:
            Details of an estimate; empty where nothing is open.
        """
        if not self.open_strata:
            return {}
        strata = [*self.strata, *self.open_strata]
        n = Counter(strata)
        weights = [self.sizes[name] / n[name] if name in self.sizes else 1.0 for name in strata]
        found: list[float] = []
        for taken_right in (False, True):
            more = [filled(verdict, taken_right) for verdict in self.open_verdicts]
            ratio = weighted_ratio([*right, *(num for num, _ in more)], [*asked, *(den for _, den in more)], weights, strata, {})
            found += [] if ratio is None else [ratio.value]
        bounds = {"unresolved_bounds": found} if len(found) == 2 else {}
        return {"unresolved": len(self.open_strata), **bounds}


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
        Accuracy in fractions, kappa and MCC as coefficients, with linearised intervals. Undefined where 0/0. Items that wait for
        a ruling are left out; details of the accuracy count and bound them.

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
    hidden: bool = False,
    details: Mapping[str, Any],
) -> Estimate:
    """A weighted ratio as an estimate, or undefined with the given reason.

    In a census the interval has zero width; otherwise a ratio without spread gets no interval, nor one whose errors are
    `hidden` where not all items are labelled, and details say so.
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
    interval = None if hidden else ratio.interval(confidence)
    if interval is None:
        carried["no_interval"] = SEEN_IN_WHOLE_STRATA if hidden else NO_ERROR_SEEN
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


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A number that is read from a whole table, before it is an estimate."""

    statistic: str
    """A key of `linearised.GRADIENTS`."""
    value: float | None
    """None where it is 0/0 on the table."""
    undefined: str
    """Why, then."""
    unit: Unit = "coefficient"
    one_sided: bool = False
    """Whether the table has two classes and lacks a missed event or a false alarm."""
    hidden: bool = False
    """Whether one of the two was seen only in strata of which people see every item."""


def coefficient_estimate(
    row: Coefficient,
    table: Confusion | None,
    cells: Sequence[Cell | None],
    items: JudgedItems,
    *,
    group: Mapping[str, str],
    confidence: float,
    details: Mapping[str, Any],
) -> Estimate:
    """A coefficient with its linearised interval, or undefined with its reason.

    In a census the interval has zero width; where no error was seen, or none of one direction, or this only in strata of which
    people see every item, there is none, and details say so.

    Args:
        row: The coefficient.
        table: Weighted; None without any item in it.
        cells: Place of each item in the table; None for items that it leaves out.
        items: The items.
        group: What the estimate speaks for.
        confidence: Two-sided, 0 to 1.
        details: By-products to carry along.
    """
    title, n = DESIGN_TITLES[items.design], sum(cell is not None for cell in cells)
    common: dict[str, Any] = {"unit": row.unit, "group": group, "assumes": assumed(items)}
    carried = {**items.notes, **details} | ({"unresolved": len(items.open_strata)} if items.open_strata else {})
    if row.value is None or table is None:
        return Estimate(row.statistic, None, n, title, undefined=row.undefined, details=carried, **common)
    if items.design == "census":
        return Estimate(
            row.statistic, row.value, n, f"{title}, zero-width design interval", low=row.value, high=row.value,
            confidence=confidence, details=carried | {"standard_error": 0.0}, **common,
        )  # fmt: skip
    error = coefficient_error(row.statistic, table, cells, weights=items.weights, strata=items.strata, sizes=items.sizes)
    carried["standard_error"] = error
    if row.one_sided or row.hidden or error < 1e-12:
        seen = ONE_SIDE_UNSEEN if row.one_sided else SEEN_IN_WHOLE_STRATA
        carried["no_interval"] = seen if error >= 1e-12 else NO_ERROR_SEEN
        return Estimate(row.statistic, row.value, n, title, details=carried, **common)
    found = _around(row.value, error, confidence, least=0.0 if row.unit == "fraction" else -1.0)
    return Estimate(
        row.statistic, row.value, n, f"{title}, linearised standard error", low=found.low, high=found.high,
        confidence=confidence, details=carried, **common,
    )  # fmt: skip


def _around(value: float, error: float, confidence: float, *, least: float) -> Interval:
    half = normal_quantile(confidence) * error
    return Interval(max(least, value - half), min(1.0, value + half))


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
    excluded = n < len(items.gold)

    def filled(verdict: str | None, taken_right: bool) -> tuple[bool, bool]:
        """A failed verdict is not right whatever the ruling says."""
        return taken_right and verdict is not None, verdict is not None or not excluded

    code: dict[str | None, int] = {label: place for place, label in enumerate(weighted.labels)}
    code[None] = code.get(JUDGE_FAILED, 0)
    cells = [
        (code[gold], code[verdict]) if inside else None
        for gold, verdict, inside in zip(items.gold, items.verdicts, among, strict=True)
    ]
    accuracy = ratio_estimate(
        "judge_accuracy", weighted_ratio(right, among, items.weights, items.strata, items.sizes), items, group=group,
        confidence=confidence, undefined=nothing, note=FAILED_IS_WRONG if failed and not excluded else "",
        details=details | items.unresolved([a and b for a, b in zip(right, among, strict=True)], among, filled),
    )  # fmt: skip
    rows = (
        Coefficient(
            "judge_kappa", kappa(weighted) if n else None, "gold and judge name one and the same outcome only" if n else nothing
        ),
        Coefficient("judge_mcc", mcc(weighted) if n else None, "gold or judge names one outcome only" if n else nothing),
    )
    return [
        accuracy,
        *(
            coefficient_estimate(
                row, weighted if n else None, cells, items, group=group, confidence=confidence, details={"judge_failed": failed}
            )
            for row in rows
        ),
    ]
