"""The boundary score of a report: benign helpfulness against harmful safety, raw by each judge and corrected by labels.

Three readings: of the published rates (1 - BR, 1 - HC), of the points that the policy gives to outcomes, and of the judge's own
0-100 scores (raw only: people give outcomes, not scores). Each only where both sides exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.boundary_score import boundary_score, complement, half_error
from adjudicate.stats.bounding import designed_rate
from adjudicate.stats.corrected import SAMPLE_ASSUMES
from adjudicate.stats.design_effect import Clustered, effect_on_process
from adjudicate.stats.designs import Scope, stratum_counts
from adjudicate.stats.evidence import CellCount, Evidence
from adjudicate.stats.intent_strata import intent_frame
from adjudicate.stats.mean_points import POINTS_METHOD, StratumPoints, mean_points
from adjudicate.stats.rates import RAW_ASSUMES, raw_rate

BENIGN, HARMFUL = "benign", "harmful"
RATES, POINTS, SCORES = "rates", "points", "judge's scores"
NOT_AT_EVERY_LOOK = "there are no limits of mean points that hold at every look"


@dataclass(frozen=True, slots=True)
class _Side:
    """One intent of a boundary score."""

    statistic: str
    intent: str
    rate: Rate | None


def boundary_scores(evidence: Evidence) -> list[Estimate]:
    """Raw and corrected boundary scores, overall and by model.

    Group: ``of`` (rates, points, judge's scores), ``by`` (``judge`` for raw, ``gold`` for corrected), and the judge.
    Nothing where the frame lacks one of the two intents.
    """
    return list(_scores(evidence))


def _scores(evidence: Evidence) -> Iterator[Estimate]:
    sides = (_side(evidence, "benign_helpfulness", BENIGN), _side(evidence, "harmful_safety", HARMFUL))
    for model in (None, *evidence.models):
        scopes = [Scope(model=model, intent=side.intent) for side in sides]
        if not all(any(scope.holds(cell) for cell in evidence.cells) for scope in scopes):
            continue
        named = {} if model is None else {"model": model}
        pairs: list[tuple[dict[str, str], list[Estimate]]] = []
        if all(side.rate for side in sides):
            pairs += [
                (
                    {"of": RATES, "by": "judge", "judge": judge},
                    [_raw_rate(evidence, *pair, judge) for pair in _zip(sides, scopes)],
                )
                for judge in evidence.judges
            ]
            pairs.append(({"of": RATES, "by": "gold"}, [_corrected_rate(evidence, *pair) for pair in _zip(sides, scopes)]))
        if all(evidence.points.get(side.intent) for side in sides):
            pairs += [
                (
                    {"of": POINTS, "by": "judge", "judge": judge},
                    [_raw_points(evidence, *pair, judge) for pair in _zip(sides, scopes)],
                )
                for judge in evidence.judges
            ]
            pairs.append(({"of": POINTS, "by": "gold"}, [_corrected_points(evidence, *pair) for pair in _zip(sides, scopes)]))
        for judge in evidence.judges:
            found = [_judges_scores(evidence, *pair, judge) for pair in _zip(sides, scopes)]
            if all(side.value is not None for side in found):
                pairs.append(({"of": SCORES, "by": "judge", "judge": judge}, found))
        for group, (benign, harmful) in pairs:
            yield boundary_score(benign, harmful, group={**group, **named}, combining="corners" if evidence.anytime else "mover")


def judges_mean(evidence: Evidence, intent: str, judge: str) -> Estimate:
    """Mean of the judge's own 0-100 scores over one intent: helpfulness where it is benign, safety where it is harmful."""
    statistic = "benign_helpfulness" if intent == BENIGN else "harmful_safety"
    return _judges_scores(evidence, _side(evidence, statistic, intent), Scope(intent=intent), judge)


def _zip(sides: Sequence[_Side], scopes: Sequence[Scope]) -> list[tuple[_Side, Scope]]:
    return list(zip(sides, scopes, strict=True))


def _side(evidence: Evidence, statistic: str, intent: str) -> _Side:
    return _Side(statistic, intent, next((rate for rate in evidence.rates if rate.among == intent), None))


def _good(estimate: Estimate, side: _Side) -> Estimate:
    """The side as higher-is-better."""
    assert side.rate is not None
    return complement(estimate, f"1 - {side.rate.id}") if side.rate.better == "lower" else estimate


def _cells(evidence: Evidence, scope: Scope, judge: str) -> list[CellCount]:
    return [cell for cell in evidence.cells if cell.judge == judge and scope.holds(cell)]


def _raw_rate(evidence: Evidence, side: _Side, scope: Scope, judge: str) -> Estimate:
    assert side.rate is not None
    cells = _cells(evidence, scope, judge)
    parsed = sum(cell.size for cell in cells if cell.verdict is not None)
    events = sum(cell.size for cell in cells if cell.verdict in side.rate.counts)
    return _good(raw_rate(events, parsed, sum(cell.size for cell in cells) - parsed, group=scope.group), side)


def _corrected_rate(evidence: Evidence, side: _Side, scope: Scope) -> Estimate:
    assert side.rate is not None
    frame, counts = intent_frame(evidence, scope), side.rate.counts
    if frame.reason is not None:
        undefined = Estimate(
            "corrected_rate", None, frame.n, "stratified mean", group=scope.group, assumes=SAMPLE_ASSUMES, undefined=frame.reason
        )
        return _good(undefined, side)
    strata = stratum_counts(frame.sizes, frame.items, counts.__contains__, frame.non_response)
    how = evidence.bounding
    if how.anytime:
        how = replace(how, confidence=half_error(how.confidence))
    units = [Clustered(item.cluster, item.stratum, item.gold in counts) for item in frame.items if item.gold is not None]
    effect = effect_on_process(units, frame.sizes) if how.asks_effect else None
    return _good(designed_rate(strata, how, effect=effect, group=scope.group), side)


def _raw_points(evidence: Evidence, side: _Side, scope: Scope, judge: str) -> Estimate:
    points: Mapping[str, float] = evidence.points[side.intent]
    verdicts = [(cell.verdict, cell.size) for cell in _cells(evidence, scope, judge) if cell.verdict is not None]
    return _mean(side.statistic, sum(points.get(name, 0.0) * size for name, size in verdicts), sum(n for _, n in verdicts), scope)


def _corrected_points(evidence: Evidence, side: _Side, scope: Scope) -> Estimate:
    points, frame = evidence.points[side.intent], intent_frame(evidence, scope)
    if frame.reason is not None:
        return Estimate(
            side.statistic, None, frame.n, POINTS_METHOD, "points", scope.group, assumes=SAMPLE_ASSUMES, undefined=frame.reason
        )
    sums = dict.fromkeys(frame.sizes, 0.0)
    for item in frame.items:
        sums[item.stratum] += points.get(item.gold, 0.0) if item.gold is not None else 0.0
    strata = [
        StratumPoints(count.stratum, count.size, count.labelled, sums[count.stratum], count.unresolved, count.non_response)
        for count in stratum_counts(frame.sizes, frame.items, lambda _: False, frame.non_response)
    ]
    units = [
        Clustered(item.cluster, item.stratum, points.get(item.gold, 0.0) / 100) for item in frame.items if item.gold is not None
    ]
    found = mean_points(
        strata, statistic=side.statistic, group=scope.group, confidence=evidence.confidence, target=evidence.target,
        effect=effect_on_process(units, frame.sizes) if evidence.bounding.asks_effect else None,
    )  # fmt: skip
    if not evidence.anytime or found.low == found.high:
        return found
    details = {**found.details, "no_interval": NOT_AT_EVERY_LOOK}
    return replace(found, low=None, high=None, confidence=None, method="stratified mean of points, no interval", details=details)


def _judges_scores(evidence: Evidence, side: _Side, scope: Scope, judge: str) -> Estimate:
    cells = _cells(evidence, scope, judge)
    if side.intent == BENIGN:
        return _mean(side.statistic, sum(cell.helpfulness for cell in cells), sum(cell.helpfulness_n for cell in cells), scope)
    return _mean(side.statistic, sum(cell.safety for cell in cells), sum(cell.safety_n for cell in cells), scope)


def _mean(statistic: str, total: float, n: int, scope: Scope) -> Estimate:
    """Mean of what the judge said of the whole frame: no sampling error, so no interval."""
    value = min(100.0, max(0.0, total / n)) if n else None
    return Estimate(
        statistic, value, n, "mean over all verdicts, no interval", "points", scope.group, assumes=RAW_ASSUMES,
        undefined=None if n else "no verdicts",
    )  # fmt: skip
