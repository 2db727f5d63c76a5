"""Two judges on the same items: which one is right more often, on the labelled items and in the population.

The two answers may differ (labels drawn mostly from flagged items say little about cleared ones), so each names whom it
speaks for. One judge against gold is `judge_accuracy`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any, Literal

from adjudicate.core.estimates import Estimate
from adjudicate.stats.design_effect import DesignEffect, design_effect, in_clusters
from adjudicate.stats.intervals import normal_quantile
from adjudicate.stats.judge_accuracy import DESIGN_ASSUMES, Design
from adjudicate.stats.judged_items import Reviewed
from adjudicate.stats.paired import PairedTable, clustered_tango, mcnemar, tango
from adjudicate.stats.stratum_bounds import student_p, student_quantile
from adjudicate.stats.weighted_ratio import weighted_ratio

Test = Literal["exact", "mid_p"]

STATISTIC = "judge_accuracy_difference"
LABELLED = "labelled items"
POPULATION = "population"
NOTHING = "no labelled item with a verdict of both judges"
NO_DESIGN = "no draw is recorded, so the labels speak for themselves only"
UNEQUAL = "gold labels are right; speaks for the labelled items, which were chosen with unequal probabilities"
EQUAL = "gold labels are right; labelled items had equal chances, so that this speaks for the population as well"
FAILED = "a verdict that names no outcome counts as not right"
CLUSTERED = "clusters (pairs, responses to one prompt) are independent of each other"
_TITLES: Mapping[Test, str] = {"exact": "exact McNemar test", "mid_p": "mid-p McNemar test"}


@dataclass(frozen=True, slots=True)
class ComparedItems:
    """Labelled items that both judges saw, in parallel sequences."""

    first_right: Sequence[bool]
    """Whether the first judge agrees with gold."""
    second_right: Sequence[bool]
    """Whether the second judge does."""
    weights: Sequence[float]
    """Inverse inclusion probabilities, positive; 1 in a census and on a reviewed sample."""
    strata: Sequence[str]
    """Stratum of each item."""
    sizes: Mapping[str, int]
    """Items per stratum, N_h; a stratum that is not named is taken as endless."""
    design: Design
    failed: tuple[int, int] = (0, 0)
    """Items on which the first and the second judge failed; they count as not right."""
    clusters: Sequence[str] = ()
    """What each item shares with others, as `LabelledItem.cluster`; empty where every item stands alone."""

    def __post_init__(self) -> None:
        if len({len(self.first_right), len(self.second_right), len(self.weights), len(self.strata)}) != 1:
            raise ValueError("answers of both judges, weights and strata must have one entry per item")
        if self.clusters and len(self.clusters) != len(self.weights):
            raise ValueError("clusters must have one entry per item, or none at all")

    @property
    def difference(self) -> list[int]:
        """1 where only the first judge is right, -1 where only the second is, else 0."""
        return [int(first) - int(second) for first, second in zip(self.first_right, self.second_right, strict=True)]

    def effect(self, *, weighted: bool) -> DesignEffect | None:
        """Design effect on the difference, of the items as they are or by the design; None where every item stands alone."""
        if not in_clusters(self.clusters):
            return None
        if not weighted:
            return design_effect(self.clusters, self.difference)
        return design_effect(self.clusters, self.difference, strata=self.strata, weights=self.weights)

    @property
    def table(self) -> PairedTable:
        """Counts of right and wrong; *after* is the first judge, so that a difference is first minus second."""
        pairs = Counter(zip(self.first_right, self.second_right, strict=True))
        return PairedTable(pairs[True, True], pairs[False, True], pairs[True, False], pairs[False, False])


def compared(part: Reviewed, first: str, second: str, *, counts: Collection[str] | None = None) -> ComparedItems:
    """The items of a scope that both judges saw.

    Args:
        part: Blindly labelled items with their weights.
        first: Name of one judge.
        second: Name of the other.
        counts: Outcomes that are the event of a rate: right is then to agree on event or not. None: on the outcome.
    """
    seen = [place for place, item in enumerate(part.items) if first in item.verdicts and second in item.verdicts]
    strata = [part.strata[place] for place in seen]
    n, complete = Counter(strata), len(seen) == len(part.items)
    weights = list(part.weights) if complete else [part.sizes[s] / n[s] if s in part.sizes else 1.0 for s in strata]
    verdicts = {judge: [part.items[place].verdicts[judge] for place in seen] for judge in (first, second)}
    gold = [part.items[place].blind_gold for place in seen]

    def right(judge: str) -> list[bool]:
        pairs = zip(gold, verdicts[judge], strict=True)
        if counts is None:
            return [verdict is not None and verdict == label for label, verdict in pairs]
        return [verdict is not None and (verdict in counts) == (label in counts) for label, verdict in pairs]

    design = part.design if complete or part.design != "census" else "sample"
    failed = (verdicts[first].count(None), verdicts[second].count(None))
    clusters = [part.items[place].cluster for place in seen]
    return ComparedItems(right(first), right(second), weights, strata, part.sizes, design, failed, clusters)


def judge_difference_estimates(
    items: ComparedItems, *, group: Mapping[str, str], test: Test = "exact", confidence: float = 0.95
) -> list[Estimate]:
    """Accuracy of the first judge minus that of the second, once for the labelled items and once for the population.

    Args:
        items: What both judges got right.
        group: What the estimates speak for, e.g. ``{"judge": "a", "against": "b"}``; ``speaks_for`` is added.
        test: Which p value of McNemar's test is named ``p``; the details hold both.
        confidence: Two-sided, 0 to 1.

    Returns:
        Fractions in -1 to 1. For the labelled items: paired difference, Tango interval, McNemar. For the population:
        weighted difference with a linearised standard error, ``z`` and ``p``; undefined without a recorded draw. In a census
        both speak for the same items and the second has zero width. Where items come in clusters, both intervals are wider by
        the design effect, with Student's t, and undefined where all are of one cluster; McNemar's test takes every item alone.
    """
    return [_on_labels(items, group, test, confidence), _in_population(items, group, confidence)]


def _on_labels(items: ComparedItems, group: Mapping[str, str], test: Test, confidence: float) -> Estimate:
    named, method = {**group, "speaks_for": LABELLED}, f"paired difference, Tango score interval, {_TITLES[test]}"
    equal = items.design != "reviewed" and len({round(weight, 9) for weight in items.weights}) == 1
    assumes = _assumes(EQUAL if equal else DESIGN_ASSUMES["reviewed"] if items.design == "reviewed" else UNEQUAL, items)
    table = items.table
    if not table.n:
        return Estimate(STATISTIC, None, 0, method, group=named, assumes=assumes, undefined=NOTHING)
    effect = items.effect(weighted=False)
    if effect is not None:
        method, assumes = f"{method}, the interval at n / design effect", f"{assumes}; {CLUSTERED}"
        if effect.lacking is not None:
            return Estimate(STATISTIC, None, table.n, method, group=named, assumes=assumes, undefined=effect.lacking)
    limits = tango(table, confidence) if effect is None else clustered_tango(table, effect, confidence)
    result = mcnemar(table)
    details: dict[str, Any] = {
        "first_right_second_wrong": table.after_only,
        "first_wrong_second_right": table.before_only,
        "mcnemar_exact_p": result.exact_p,
        "mcnemar_mid_p": result.mid_p,
        "p": result.exact_p if test == "exact" else result.mid_p,
        "judge_failed": list(items.failed),
        "equal_probability": equal,
        **(effect.as_details() if effect is not None else {}),
    }
    return Estimate(
        STATISTIC, table.difference, table.n, method, group=named, low=limits.low, high=limits.high, confidence=confidence,
        assumes=assumes, details=details,
    )  # fmt: skip


def _in_population(items: ComparedItems, group: Mapping[str, str], confidence: float) -> Estimate:
    named, n = {**group, "speaks_for": POPULATION}, len(items.weights)
    method, assumes = "design-weighted difference, linearised standard error", _assumes(DESIGN_ASSUMES[items.design], items)
    ratio = weighted_ratio(items.difference, [1] * n, items.weights, items.strata, items.sizes)
    if ratio is None or items.design == "reviewed":
        reason = NOTHING if ratio is None else NO_DESIGN
        return Estimate(STATISTIC, None, n, method, group=named, assumes=assumes, undefined=reason)
    if items.design == "census":
        return Estimate(
            STATISTIC, ratio.value, n, "every item reviewed, zero-width design interval", group=named, low=ratio.value,
            high=ratio.value, confidence=confidence, assumes=assumes, details={"standard_error": 0.0},
        )  # fmt: skip
    error, effect = ratio.standard_error, items.effect(weighted=True)
    quantile, clustered = normal_quantile(confidence), {}
    if effect is not None:
        method, assumes = f"{method} times the root of the design effect", f"{assumes}; {CLUSTERED}"
        if effect.lacking is not None:
            return Estimate(STATISTIC, None, n, method, group=named, assumes=assumes, undefined=effect.lacking)
        error *= sqrt(effect.value)
        quantile, clustered = student_quantile(effect.clusters, confidence), effect.as_details()
    if error < 1e-12:
        details: dict[str, Any] = {"standard_error": error, "no_interval": "no spread was seen in the sample"}
        return Estimate(STATISTIC, ratio.value, n, method, group=named, assumes=assumes, details=details)
    z, half = ratio.value / error, quantile * error
    p = 2 * NormalDist().cdf(-abs(z)) if effect is None else student_p(z, effect.clusters)
    details = {"standard_error": error, "z": z, "p": p, "judge_failed": list(items.failed), **clustered}
    return Estimate(
        STATISTIC, ratio.value, n, method, group=named, low=max(-1.0, ratio.value - half), high=min(1.0, ratio.value + half),
        confidence=confidence, assumes=assumes, details=details,
    )  # fmt: skip


def _assumes(text: str, items: ComparedItems) -> str:
    return f"{text}; {FAILED}" if any(items.failed) else text
