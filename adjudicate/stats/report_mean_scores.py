"""Mean points of a population with the judge's 0-100 scores as predictions: the Hajek difference over the drawn strata.

The same estimand from labels alone is in `mean_points`, which the boundary score uses: it needs no scores, and its limits hold
for few labels. Here the labels only correct what the judge said of every item, which is narrower the better its scores are.
Both stand in every estimate, so that neither is a second answer without a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.designs import Designed, Scope, design_of, rate_scopes, stratum_counts
from adjudicate.stats.evidence import CellCount, Evidence, LabelledItem, ScoresOfJudge
from adjudicate.stats.hajek import HAJEK_METHOD, hajek_mean
from adjudicate.stats.intent_strata import NO_LABELS, WITHOUT_DRAW
from adjudicate.stats.mean_points import StratumPoints, mean_points

STATISTIC = "mean_score"
FEWEST_UNUSUAL = 5
"""Labels of a stratum with other points than most of it, below which normal limits are not shown."""
RARE = (
    f"in a stratum fewer than {FEWEST_UNUSUAL} labels have other points than the rest: normal limits would rest on errors "
    "too rare to be seen; labels_alone has limits that hold"
)
ASSUMES = (
    "settled labels are right, and the labelled items of a stratum are a random sample of it: the inclusion probability is "
    "labelled over all items of the stratum; limits treat items as drawn one by one (Poisson), which a draw by strata does not "
    "exceed, and are normal; nothing about the judge"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The judge's score that stands for the points of an intent."""

    name: str
    of_cell: Callable[[CellCount], tuple[float, int]]
    """Sum of the scores of a cell, and how many there are."""
    of_item: Callable[[ScoresOfJudge], float | None]


READINGS: Mapping[str, Reading] = {
    "benign": Reading("helpfulness", lambda cell: (cell.helpfulness, cell.helpfulness_n), lambda scores: scores.helpfulness),
    "harmful": Reading("safety", lambda cell: (cell.safety, cell.safety_n), lambda scores: scores.safety),
}


def mean_scores(evidence: Evidence) -> list[Estimate]:
    """Mean points per population (and model) and judge; nothing where the policy gives no points or a judge no scores.

    Always for these items and with limits of fixed size, whatever the target of the rates.
    """
    return list(_means(evidence))


def _means(evidence: Evidence) -> Iterator[Estimate]:
    for intent, reading in READINGS.items():
        if not evidence.points.get(intent):
            continue
        for scope in rate_scopes(evidence, intent):
            plan = design_of(evidence, scope)
            for judge in evidence.judges:
                cells = [cell for cell in evidence.cells if cell.judge == judge and scope.holds(cell)]
                if any(reading.of_cell(cell)[1] for cell in cells):
                    yield _mean(evidence, scope, plan, reading=reading, judge=judge, cells=cells)


@dataclass(frozen=True, slots=True)
class _Question:
    """One population, one judge."""

    plan: Designed
    reading: Reading
    judge: str
    mean: float
    """Mean score over all items of the design."""
    points: Mapping[str, float]
    group: Mapping[str, str]
    confidence: float

    def estimate(self, items: Sequence[LabelledItem], details: Mapping[str, Any]) -> Estimate:
        """From these settled items of the design."""
        n, sizes = Counter(item.stratum for item in items), self.plan.sizes
        return hajek_mean(
            [self._prediction(item) for item in items], [self.points.get(item.gold or "", 0.0) for item in items],
            inclusion=[n[item.stratum] / sizes[item.stratum] for item in items], size=sum(sizes.values()),
            mean_prediction=self.mean, statistic=STATISTIC, group=self.group, unit="points", confidence=self.confidence,
            assumes=ASSUMES, details=details,
        )  # fmt: skip

    def bounds(self) -> list[float]:
        """The mean with all open items of the design at 0 points, and at 100.

        Where nobody labelled a drawn item its score is not at hand: it gets the mean prediction of its stratum, as any would do.
        """
        found = []
        for every in (0.0, 100.0):
            shift = 0.0
            for stratum, size in self.plan.sizes.items():
                inside = [item for item in self.plan.items if item.stratum == stratum]
                missing = self.plan.non_response.get(stratum, 0)
                predictions = [self._prediction(item) for item in inside]
                points = [every if item.gold is None else self.points.get(item.gold, 0.0) for item in inside]
                mean = sum(points, missing * every) / (len(inside) + missing) - sum(predictions) / len(inside)
                shift += size / sum(self.plan.sizes.values()) * mean
            found.append(min(100.0, max(0.0, self.mean + shift)))
        return found

    def _prediction(self, item: LabelledItem) -> float:
        given = self.reading.of_item(item.scores[self.judge]) if self.judge in item.scores else None
        return self.mean if given is None else given


def _mean(evidence: Evidence, scope: Scope, plan: Designed, *, reading: Reading, judge: str, cells: list[CellCount]) -> Estimate:
    group = {"of": reading.name, "by": "gold", **scope.group, "judge": judge}
    strata = stratum_counts(plan.sizes, plan.items, lambda _: False, plan.non_response)
    # A census names the strata of its items, a draw those of its frame: what lies outside has no part in the mean.
    scores = [reading.of_cell(cell) for cell in cells if cell.stratum in plan.sizes]
    scored = sum(n for _, n in scores)
    settled = [item for item in plan.items if item.gold is not None]
    reason = _undefined(plan, strata) or (None if scored else "the judge scored no item of the drawn part")
    if reason is not None:
        return Estimate(
            STATISTIC, None, len(settled), HAJEK_METHOD, "points", group, assumes=ASSUMES, undefined=reason,
            details={"design": plan.design},
        )  # fmt: skip
    # Any prediction fixed before the labels will do: an item without a score gets the mean of the others.
    mean = min(100.0, max(0.0, sum(total for total, _ in scores) / scored))
    asked = _Question(plan, reading, judge, mean, evidence.points[scope.intent or ""], group, evidence.confidence)
    details: dict[str, Any] = {
        "design": plan.design, "outside_frame": plan.outside_frame, "target": "finite",
        "without_score": sum(plan.sizes.values()) - scored, "unresolved": len(plan.items) - len(settled),
        "labels_alone": _labels_alone(settled, strata, asked.points, evidence.confidence),
    }  # fmt: skip
    if missing := sum(plan.non_response.values()):
        details["non_response"] = missing
    if missing or len(plan.items) > len(settled):
        details["unresolved_bounds"] = asked.bounds()
    found = asked.estimate(settled, details)
    return _without_interval(found) if _rare(settled, plan.sizes, asked.points) else found


def _undefined(plan: Designed, strata: Sequence[StratumCount]) -> str | None:
    if plan.design in (None, "reviewed"):
        return WITHOUT_DRAW if plan.design else NO_LABELS
    filled = [stratum for stratum in strata if stratum.size]
    empty = sum(not stratum.labelled for stratum in filled)
    if empty == len(filled):
        return "no settled label"
    return f"{empty} of {len(filled)} strata have no settled label" if empty else None


def _rare(settled: Sequence[LabelledItem], sizes: Mapping[str, int], points: Mapping[str, float]) -> bool:
    """Whether a stratum that is not finished shows too few labels apart from its usual points."""
    given: dict[str, Counter[float]] = {}
    for item in settled:
        given.setdefault(item.stratum, Counter())[points.get(item.gold or "", 0.0)] += 1
    return any(
        found.total() < sizes[stratum] and found.total() - found.most_common(1)[0][1] < FEWEST_UNUSUAL
        for stratum, found in given.items()
    )


def _without_interval(found: Estimate) -> Estimate:
    return replace(found, low=None, high=None, confidence=None, details={**found.details, "no_interval": RARE})


def _labels_alone(
    settled: Sequence[LabelledItem], strata: Sequence[StratumCount], points: Mapping[str, float], confidence: float
) -> dict[str, float | None]:
    """The same mean without the judge, as the boundary score takes it."""
    sums = {stratum.stratum: 0.0 for stratum in strata}
    for item in settled:
        sums[item.stratum] += points.get(item.gold or "", 0.0)
    alone = mean_points(
        [StratumPoints(s.stratum, s.size, s.labelled, sums[s.stratum], s.unresolved, s.non_response) for s in strata],
        statistic=STATISTIC, group={}, confidence=confidence,
    )  # fmt: skip
    return {"value": alone.value, "low": alone.low, "high": alone.high}
