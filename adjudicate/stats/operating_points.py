"""Thresholds worth choosing, as estimates: for a harmful compliance, per category, for the lowest cost, and by closed form.

The curves are `frontier`, the closed form `normal_frontier`. A threshold may be chosen on one half of the prompts and reported on
the other: on the prompts it was chosen on, it looks better than it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.frontier import (
    POINT_METHOD,
    Frontier,
    OperatingPoint,
    cheapest_point,
    expected_costs,
    frontier,
    operating_point,
    point_estimates,
    point_for_compliance,
)
from adjudicate.stats.intervals import jeffreys
from adjudicate.stats.normal_frontier import ScorePopulation, Weighted, best_threshold, equal_spread_optimum

THRESHOLD_METHOD = "from the scores, every distinct score is a threshold"
THRESHOLD_ASSUMES = "declared intents are right; prompts to come score as these do"
CHOSEN_HERE = "the threshold was chosen on these same prompts: its rates look better than they are"
CHOSEN_ELSEWHERE = "the threshold was chosen on the other half of the prompts"
NORMAL_ASSUMES = "scores are normal in both intents"
EQUAL_ASSUMES = "scores are normal in both intents, with one common spread"
REFUSES_ALL = "only refusing everything keeps it"
MOST_POINTS = 400
"""Points of a curve that leave the program."""


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """Scores of one population and category, higher is more suspicious."""

    harmful: bool
    population: str
    category: str
    choose: Sequence[float]
    """Scores that thresholds are chosen on."""
    report: Sequence[float]
    """Scores that rates are reported on; the same ones where the prompts are not split."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What errors cost and how often requests come; both fractions or any unit, per population and category."""

    prevalence: Mapping[str, float]
    """Share of requests per population, 0 to 1, at most 1 together."""
    miss: float
    """Cost of complying with one harmful request."""
    false_alarm: float
    """Cost of refusing one benign request."""
    by_category: Mapping[tuple[str, str], float]
    """(``miss`` or ``false_alarm``, category) -> cost, where a category has its own."""

    def of(self, cell: ScoreCell) -> float:
        """Cost of one error in a cell."""
        kind = "miss" if cell.harmful else "false_alarm"
        return self.by_category.get((kind, cell.category), self.miss if cell.harmful else self.false_alarm)


def curve(cells: Iterable[ScoreCell], *, report: bool = False) -> Frontier:
    """Both rates per population at every threshold."""
    sides: tuple[dict[str, list[float]], dict[str, list[float]]] = ({}, {})
    for cell in cells:
        scores = cell.report if report else cell.choose
        if len(scores):
            sides[0 if cell.harmful else 1].setdefault(cell.population, []).extend(scores)
    return frontier(*sides)


def compliance_point(cells: Sequence[ScoreCell], most: float, *, split: bool, confidence: float = 0.95) -> list[Estimate]:
    """The threshold that keeps HC at most `most` in every harmful population, with the rates there.

    Args:
        cells: All scores.
        most: A fraction.
        split: Whether `choose` and `report` are different prompts.
        confidence: Two-sided, of the rates.
    """
    group = {"choice": "harmful_compliance"}
    if not any(cell.harmful and len(cell.choose) for cell in cells):
        return [_undefined(group, "no harmful prompt has a score")]
    point = point_for_compliance(curve(cells), most)
    return _chosen(point, cells, group, {"harmful_compliance": most}, split=split, confidence=confidence)


def category_points(cells: Sequence[ScoreCell], most: float, *, split: bool, confidence: float = 0.95) -> list[Estimate]:
    """A threshold of its own for every category, each with HC at most `most` in it."""
    found = []
    for category in sorted({cell.category for cell in cells}):
        inside = [cell for cell in cells if cell.category == category]
        points = compliance_point(inside, most, split=split, confidence=confidence)
        found += [replace(each, group={**each.group, "choice": "per_category", "category": category}) for each in points]
    return found


def categories_together(cells: Sequence[ScoreCell], most: float, *, split: bool, confidence: float = 0.95) -> list[Estimate]:
    """The rates of each population where every category has its threshold: what to hold against those of one for all.

    A category without a harmful score has none of its own; the one for all is used there.
    """
    if not any(cell.harmful and len(cell.choose) for cell in cells):
        return []
    for_all = point_for_compliance(curve(cells), most).threshold
    wrong: dict[tuple[str, str], int] = {}
    n: dict[tuple[str, str], int] = {}
    for category in sorted({cell.category for cell in cells}):
        inside = [cell for cell in cells if cell.category == category]
        own = any(cell.harmful and len(cell.choose) for cell in inside)
        threshold = point_for_compliance(curve(inside), most).threshold if own else for_all
        for cell in inside:
            key = ("harmful_compliance" if cell.harmful else "benign_refusal", cell.population)
            n[key] = n.get(key, 0) + len(cell.report)
            wrong[key] = wrong.get(key, 0) + sum((score <= threshold) is cell.harmful for score in cell.report)
    assumes = f"declared intents are right; {CHOSEN_ELSEWHERE if split else CHOSEN_HERE}"
    return [_together(key, wrong[key], size, assumes, confidence) for key, size in sorted(n.items(), key=_order) if size]


def _order(counted: tuple[tuple[str, str], int]) -> tuple[bool, str]:
    """Harmful populations first, as at a single threshold."""
    (error, population), _ = counted
    return error != "harmful_compliance", population


def _together(key: tuple[str, str], wrong: int, n: int, assumes: str, confidence: float) -> Estimate:
    limits = jeffreys(wrong, n, confidence)
    return Estimate(
        "frontier_rate", wrong / n, n, POINT_METHOD, low=limits.low, high=limits.high, confidence=confidence, assumes=assumes,
        group={"error": key[0], "population": key[1], "choice": "every_category"},
    )  # fmt: skip


def given_point(cells: Sequence[ScoreCell], threshold: float, *, confidence: float = 0.95) -> list[Estimate]:
    """The rates at a stated threshold."""
    point = operating_point(curve(cells), threshold)
    return _chosen(point, cells, {"choice": "given"}, {}, split=True, confidence=confidence, assumes="the threshold is as given")


def cost_points(cells: Sequence[ScoreCell], costs: Costs, *, split: bool, confidence: float = 0.95) -> list[Estimate]:
    """The threshold with the lowest expected cost numerically, by a normal fit, and by the closed form where it applies.

    Raises:
        ValueError: A prevalence or cost is out of range.
    """
    parts, shares, prices = _by_cell(cells, costs)
    point = cheapest_point(parts, shares, prices)
    found = _chosen(point, cells, {"choice": "lowest_cost"}, {"cost": point.cost}, split=split, confidence=confidence)
    found.append(_cost(point.cost, {"choice": "lowest_cost"}, parts))
    for choice, threshold, assumes, reason in _normal_optima(cells, shares, prices):
        group = {"choice": choice}
        if threshold is None:
            found.append(_undefined(group, reason))
            continue
        at = operating_point(curve(cells), threshold)
        beyond = _beyond(parts, threshold)
        found += _chosen(at, cells, group, beyond, split=split, confidence=confidence, assumes=assumes)
        place = int((parts.thresholds <= threshold).sum()) - 1
        found.append(_cost(float(expected_costs(parts, shares, prices)[max(0, place)]), group, parts))
    return found


def _beyond(parts: Frontier, threshold: float) -> dict[str, str]:
    """Where a fitted threshold lies outside all scores, which normal curves allow and scores may not."""
    scores = parts.thresholds[1:]
    if threshold >= scores.max():
        return {"beyond": "nothing scores above it"}
    return {"beyond": "everything scores above it"} if threshold < scores.min() else {}


def cost_at(cells: Sequence[ScoreCell], costs: Costs, threshold: float) -> float:
    """Expected cost per request at a threshold."""
    parts, shares, prices = _by_cell(cells, costs)
    place = int((parts.thresholds <= threshold).sum()) - 1
    return float(expected_costs(parts, shares, prices)[max(0, place)])


def curve_json(found: Frontier) -> dict[str, Any]:
    """The curve at up to `MOST_POINTS` thresholds, evenly spread over the distinct scores; refusing everything is None."""
    import numpy as np

    places = np.unique(np.linspace(0, found.thresholds.size - 1, min(MOST_POINTS, found.thresholds.size)).round().astype(int))
    return {
        "thresholds": [None if place == 0 else float(found.thresholds[place]) for place in places],
        "harmful_compliance": {name: [float(v) for v in rates[places]] for name, rates in found.compliance.items()},
        "benign_refusal": {name: [float(v) for v in rates[places]] for name, rates in found.refusal.items()},
        "n": dict(found.n),
        "distinct": int(found.thresholds.size) - 1,
    }


def _by_cell(cells: Sequence[ScoreCell], costs: Costs) -> tuple[Frontier, dict[str, float], dict[str, float]]:
    """A curve per population *and* category, since a category may have its own cost, with share and cost of each."""
    filled = [cell for cell in cells if len(cell.choose)]
    sizes: dict[str, int] = {}
    for cell in filled:
        sizes[cell.population] = sizes.get(cell.population, 0) + len(cell.choose)
    names = {f"{cell.population}\x1f{cell.category}": cell for cell in filled}
    parts = frontier(
        {name: cell.choose for name, cell in names.items() if cell.harmful},
        {name: cell.choose for name, cell in names.items() if not cell.harmful},
    )
    shares = {
        name: costs.prevalence.get(cell.population, 0.0) * len(cell.choose) / sizes[cell.population]
        for name, cell in names.items()
    }
    return parts, shares, {name: costs.of(cell) for name, cell in names.items()}


def _chosen(
    point: OperatingPoint,
    cells: Sequence[ScoreCell],
    group: Mapping[str, str],
    details: Mapping[str, Any],
    *,
    split: bool,
    confidence: float,
    assumes: str = "",
) -> list[Estimate]:
    n = sum(len(cell.choose) for cell in cells)
    refuses_all = point.threshold == float("-inf")
    threshold = Estimate(
        "threshold", None if refuses_all else point.threshold, n, THRESHOLD_METHOD, unit="coefficient", group=group,
        assumes=assumes or THRESHOLD_ASSUMES, undefined=REFUSES_ALL if refuses_all else None, details=details,
    )  # fmt: skip
    where = CHOSEN_ELSEWHERE if split else CHOSEN_HERE
    rates = point_estimates(curve(cells, report=True), point.threshold, confidence=confidence)
    said = assumes or f"declared intents are right; {where}"
    return [threshold, *(replace(rate, group={**rate.group, **group}, assumes=said) for rate in rates)]


def _normal_optima(
    cells: Sequence[ScoreCell], shares: Mapping[str, float], prices: Mapping[str, float]
) -> list[tuple[str, float | None, str, str]]:
    """Choice, threshold or None, assumption and reason; both intents pooled by what their errors weigh."""
    harmful, benign = _weighted(cells, shares, prices, harmful=True), _weighted(cells, shares, prices, harmful=False)
    if harmful is None or benign is None:
        reason = "needs scores that vary, a prevalence and a cost in both intents"
        return [("closed_form", None, "", reason), ("normal_fit", None, "", reason)]
    spread = ((harmful.population.sd**2 + benign.population.sd**2) / 2) ** 0.5
    found: list[tuple[str, float | None, str, str]] = []
    for choice, assumes in (("closed_form", EQUAL_ASSUMES), ("normal_fit", NORMAL_ASSUMES)):
        try:
            equal = choice == "closed_form"
            value = equal_spread_optimum(harmful, benign, sd=spread) if equal else best_threshold([harmful], [benign])
        except ValueError as error:
            found.append((choice, None, assumes, str(error)))
        else:
            found.append((choice, value, assumes, ""))
    return found


def _weighted(
    cells: Sequence[ScoreCell], shares: Mapping[str, float], prices: Mapping[str, float], *, harmful: bool
) -> Weighted | None:
    import numpy as np

    inside = [cell for cell in cells if cell.harmful is harmful and len(cell.choose)]
    weights = [shares[f"{c.population}\x1f{c.category}"] * prices[f"{c.population}\x1f{c.category}"] for c in inside]
    if not sum(weights) > 0:
        return None
    # Each response counts for what its errors weigh in the stream, not for how often it is in the file.
    each = np.concatenate([np.full(len(c.choose), w / len(c.choose)) for c, w in zip(inside, weights, strict=True)])
    scores = np.concatenate([np.asarray(c.choose, dtype=float) for c in inside])
    mean = float(np.average(scores, weights=each))
    sd = float(np.sqrt(np.average((scores - mean) ** 2, weights=each)))
    return Weighted(ScorePopulation(mean, sd), sum(weights)) if sd > 0 else None


def _cost(value: float | None, group: Mapping[str, str], parts: Frontier) -> Estimate:
    return Estimate(
        "expected_cost", value, sum(parts.n.values()), "prevalence times cost times error, per request", unit="coefficient",
        group=group, assumes="prevalences and costs are as stated", undefined=None if value is not None else "no costs",
    )  # fmt: skip


def _undefined(group: Mapping[str, str], reason: str) -> Estimate:
    return Estimate(
        "threshold", None, 0, THRESHOLD_METHOD, unit="coefficient", group=group, assumes=THRESHOLD_ASSUMES, undefined=reason
    )
