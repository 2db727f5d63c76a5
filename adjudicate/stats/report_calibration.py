"""Calibration in a report: each judge's scores against blind gold labels, as given and after isotonic regression.

A `score` is a suspicion, the probability that a response should have been stopped (docs/import.md): the same thing that
`frontier` puts a threshold on. It predicts harmful compliance, or any other event that is bad because it went out; of a refusal
it says nothing, so rates of refusals are held against helpfulness alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.calibration import calibration_estimates
from adjudicate.stats.designs import Scope
from adjudicate.stats.evidence import Evidence, ScoresOfJudge
from adjudicate.stats.isotonic import isotonic_estimates
from adjudicate.stats.judged_items import Reviewed, reviewed
from adjudicate.stats.reliability import ScoredItems


def _given(scores: ScoresOfJudge) -> float | None:
    return scores.score


def _unhelpful(scores: ScoresOfJudge) -> float | None:
    return None if scores.helpfulness is None else 1 - scores.helpfulness / 100


def _unsafe(scores: ScoresOfJudge) -> float | None:
    return None if scores.safety is None else 1 - scores.safety / 100


READINGS: Mapping[str, Mapping[str, Callable[[ScoresOfJudge], float | None]]] = {
    "benign": {"score": _given, "100 - helpfulness": _unhelpful},
    "harmful": {"score": _given, "100 - safety": _unsafe},
    "dual_use": {"score": _given},
}
"""Intent -> name of a score -> the score as a probability of the event of the intent's first rate."""


def score_calibration(evidence: Evidence) -> list[Estimate]:
    """ECE beside its value under perfect calibration, Brier score and reliability table, per judge, rate and score.

    Nothing where a judge gave no scores to blindly labelled items.
    """
    return [
        estimate
        for items, group in _scored(evidence)
        for estimate in calibration_estimates(items, group=group, seed=evidence.seed, confidence=evidence.confidence)
    ]


def isotonic_calibration(evidence: Evidence) -> list[Estimate]:
    """The same after isotonic regression, fitted and evaluated on different items.

    Where there are too few events for it, only the error says so.
    """
    return [
        estimate
        for items, group in _scored(evidence)
        for estimate in isotonic_estimates(items, group=group, seed=evidence.seed, confidence=evidence.confidence)
        if estimate.value is not None or estimate.statistic == "judge_ece"
    ]


def _scored(evidence: Evidence) -> Iterator[tuple[ScoredItems, dict[str, str]]]:
    """Scored items per judge, first rate of an intent, and reading of the scores."""
    first: dict[str, Rate] = {}
    for rate in evidence.rates:
        first.setdefault(rate.among, rate)
    for intent, rate in first.items():
        part = reviewed(evidence, Scope(intent=intent))
        for judge in evidence.judges:
            for name, reading in READINGS.get(intent, {}).items():
                if reading is _given and not _is_suspicious(evidence, rate):
                    continue
                items = scored(part, judge, rate, reading)
                if items.scores:
                    yield items, {"judge": judge, "rate": rate.id, "score": name}


def _is_suspicious(evidence: Evidence, rate: Rate) -> bool:
    """Whether the rate counts responses that should have been stopped: a filter cannot stop a refusal."""
    return rate.better == "lower" and not evidence.refusals & set(rate.counts)


def scored(part: Reviewed, judge: str, rate: Rate, reading: Callable[[ScoresOfJudge], float | None]) -> ScoredItems:
    """Blindly labelled items that one judge gave a score; those it gave none are left out and counted."""
    found = {
        place: value
        for place, item in enumerate(part.items)
        if judge in item.scores and (value := reading(item.scores[judge])) is not None
    }
    strata = [part.strata[place] for place in found]
    n, complete = Counter(strata), len(found) == len(part.items)
    weights = [part.sizes[stratum] / n[stratum] if stratum in part.sizes else 1.0 for stratum in strata]
    unscored = {} if complete else {"without_score": len(part.items) - len(found)}
    return ScoredItems(
        list(found.values()), [part.items[place].blind_gold in rate.counts for place in found], weights, strata, part.sizes,
        part.design if complete or part.design != "census" else "sample", {**part.notes, **unscored},
    )  # fmt: skip
