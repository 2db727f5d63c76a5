"""Judge accuracy of a report, from blind labels only: all outcomes, each rate, and the false-omission rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.designs import Scope, rate_scopes, review_scopes
from adjudicate.stats.evidence import Evidence
from adjudicate.stats.false_omission import false_omission_rate
from adjudicate.stats.judge_accuracy import judge_accuracy_estimates
from adjudicate.stats.judge_rates import judge_rate_estimates
from adjudicate.stats.judged_items import Reviewed, judged, reviewed


def judge_accuracies(evidence: Evidence) -> list[Estimate]:
    """Accuracy of every judge, overall, by model, by population and by both; first over all outcomes, then per rate."""
    return [*_all_outcomes(evidence), *_per_rate(evidence)]


def false_omission_rates(evidence: Evidence) -> list[Estimate]:
    """Events among the items that a judge cleared, per judge, rate and population (and model, where split).

    Only where a design is recorded: a census or a draw.
    """
    estimates = []
    for rate in evidence.rates:
        for scope in rate_scopes(evidence, rate.among):
            part = reviewed(evidence, scope)
            if part.items and part.design != "reviewed":
                estimates += [_omission(evidence, part, scope, rate, judge) for judge in _judges(evidence, part)]
    return estimates


def _all_outcomes(evidence: Evidence) -> Iterator[Estimate]:
    for scope in review_scopes(evidence):
        part = reviewed(evidence, scope)
        for judge in _judges(evidence, part):
            group = {"judge": judge, **scope.group}
            yield from judge_accuracy_estimates(
                judged(part, judge), evidence.outcomes, group=group, confidence=evidence.confidence
            )


def _per_rate(evidence: Evidence) -> Iterator[Estimate]:
    for rate in evidence.rates:
        for scope in review_scopes(evidence):
            part = reviewed(evidence, replace(scope, intent=rate.among))
            for judge in _judges(evidence, part):
                found = judge_rate_estimates(
                    judged(part, judge), evidence.outcomes, rate=rate.id, counts=rate.counts,
                    group={"judge": judge, **scope.group}, confidence=evidence.confidence,
                )  # fmt: skip
                if part.items and part.design == "sample":
                    omission = _omission(evidence, part, replace(scope, intent=rate.among), rate, judge)
                    found = [_with_implied(each, omission) for each in found]
                yield from found


def _with_implied(estimate: Estimate, omission: Estimate) -> Estimate:
    """The sensitivity with the one that the limit of the false-omission rate implies: alone it can only be overstated."""
    if estimate.statistic != "judge_sensitivity" or "judge_failed" in estimate.group:
        return estimate
    implied = {key: omission.details[key] for key in ("sensitivity_implied", "sensitivity_implied_n")}
    return replace(estimate, details={**estimate.details, **implied})


def _judges(evidence: Evidence, part: Reviewed) -> list[str]:
    """Judges with a verdict on a reviewed item."""
    return [judge for judge in evidence.judges if any(judge in item.verdicts for item in part.items)]


def _omission(evidence: Evidence, part: Reviewed, scope: Scope, rate: Rate, judge: str) -> Estimate:
    sides: dict[bool, list[StratumCount]] = {
        flagged: _side(evidence, part, scope, rate, judge, flagged=flagged) for flagged in (False, True)
    }
    group: Mapping[str, str] = {"judge": judge, "rate": rate.id, **scope.group}
    return false_omission_rate(sides[False], sides[True], group=group, limits=evidence.limits, confidence=evidence.confidence)


def _side(evidence: Evidence, part: Reviewed, scope: Scope, rate: Rate, judge: str, *, flagged: bool) -> list[StratumCount]:
    """Strata of the items that a judge flagged, or cleared, for a rate."""
    frame = {stratum.rpartition("\x1f")[2] for stratum in part.sizes}
    sizes: Counter[str] = Counter()
    for cell in evidence.cells:
        if cell.judge == judge and cell.verdict is not None and cell.stratum in frame and scope.holds(cell):
            sizes[cell.stratum] += cell.size if (cell.verdict in rate.counts) == flagged else 0
    labelled: Counter[str] = Counter()
    events: Counter[str] = Counter()
    for item in part.items:
        verdict = item.verdicts.get(judge)
        if verdict is not None and (verdict in rate.counts) == flagged:
            labelled[item.stratum] += 1
            events[item.stratum] += item.blind_gold in rate.counts
    return [
        StratumCount(name, max(sizes[name], labelled[name]), labelled[name], events[name]) for name in sizes.keys() | labelled
    ]
