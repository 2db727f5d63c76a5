"""Rates and shares of a report by labels from elsewhere: Rogan-Gladen, and the inverted matrix for all outcomes at once.

Only where a calibration set was named. It never replaces `corrected_rate`: labels of this population need no such assumption.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.calibration_set import JudgeErrors, Share, judge_errors, scope_there
from adjudicate.stats.designs import Scope, rate_scopes
from adjudicate.stats.evidence import Elsewhere, Evidence
from adjudicate.stats.outcome_shares import inverted_shares
from adjudicate.stats.report_rates import verdict_tally
from adjudicate.stats.rogan_gladen import Calibration, rogan_gladen

GOLD_THERE = "gold labels there are right"
SAME_JUDGE = "the judge of this name there is the judge here: model, prompt and settings"
WEIGHTED = "labels there were drawn with unequal probabilities and count by their inverse, at no more than their effective number"
CLUSTERED = (
    "labels there come in clusters (pairs, responses to one prompt), which are independent of each other, and count at their"
    " effective number; verdicts here are taken as independent"
)
FAILED = "items on which the judge failed are like the others"
SEEN_NOWHERE = "no verdict and no label names it, here or in the calibration set"


def transported_rates(evidence: Evidence) -> list[Estimate]:
    """Every rate of the policy, per population (and model) and judge that is in both; nothing without a calibration set."""
    return list(_rates(evidence, evidence.elsewhere)) if evidence.elsewhere else []


def transported_shares(evidence: Evidence) -> list[Estimate]:
    """Every outcome, per population (and model) and judge that is in both; the shares of a population sum to 1.

    Outcomes that neither judge nor people ever name stay undefined: a share of them can be neither seen nor excluded.
    """
    return list(_shares(evidence, evidence.elsewhere)) if evidence.elsewhere else []


def _rates(evidence: Evidence, elsewhere: Elsewhere) -> Iterator[Estimate]:
    errors = _errors(elsewhere)
    for rate in evidence.rates:
        for scope in rate_scopes(evidence, rate.among):
            for judge, verdicts in _judged(evidence, elsewhere, scope):
                group = {"rate": rate.id, **scope.group, "judge": judge}
                found = errors(scope.population or "", frozenset((rate.among,)), judge)
                yield _rate(rate, verdicts, found, group, evidence.confidence)


def _shares(evidence: Evidence, elsewhere: Elsewhere) -> Iterator[Estimate]:
    errors = _errors(elsewhere)
    for scope in rate_scopes(evidence):
        intents = frozenset(cell.intent for cell in evidence.cells if scope.holds(cell))
        for judge, verdicts in _judged(evidence, elsewhere, scope):
            found = errors(scope.population or "", intents, judge)
            yield from _outcomes(evidence, verdicts, found, {**scope.group, "judge": judge})


def _errors(elsewhere: Elsewhere) -> Callable[[str, frozenset[str], str], JudgeErrors]:
    """Errors there by population here, its intents, and judge; looked up once, however many models the report splits by."""

    @cache
    def errors(population: str, intents: frozenset[str], judge: str) -> JudgeErrors:
        return judge_errors(elsewhere, scope_there(elsewhere.evidence, population, intents), judge)

    return errors


def _judged(evidence: Evidence, elsewhere: Elsewhere, scope: Scope) -> Iterator[tuple[str, Mapping[str | None, int]]]:
    """Judges of both workspaces with their verdicts here."""
    tally = verdict_tally(evidence, scope)
    for judge in evidence.judges:
        if judge in elsewhere.evidence.judges and judge in tally:
            yield judge, tally[judge]


def _rate(
    rate: Rate, verdicts: Mapping[str | None, int], errors: JudgeErrors, group: Mapping[str, str], confidence: float
) -> Estimate:
    cleared = errors.names - set(rate.counts)
    found_there = errors.share(rate.counts, rate.counts.__contains__, confidence)
    cleared_there = errors.share(cleared, cleared.__contains__, confidence)
    events = sum(size for verdict, size in verdicts.items() if verdict in rate.counts)
    parsed = sum(size for verdict, size in verdicts.items() if verdict is not None)
    calibration = Calibration(found_there.part, found_there.whole, cleared_there.part, cleared_there.whole)
    found = rogan_gladen(events, parsed, calibration, group=group, confidence=confidence)
    raw = events / parsed if parsed else None
    return _told(found, verdicts, errors, raw, (found_there, cleared_there))


def _outcomes(
    evidence: Evidence, verdicts: Mapping[str | None, int], errors: JudgeErrors, group: Mapping[str, str]
) -> Iterator[Estimate]:
    met = errors.names | {name for name, size in verdicts.items() if name and size}
    named = [outcome for outcome in evidence.outcomes if outcome in met]
    n = sum(verdicts.get(outcome, 0) for outcome in named)
    columns = [errors.column(named, truth, evidence.confidence) for truth in named]
    table = [[column[row].part for column in columns] for row in range(len(named))]
    used = [column[0] for column in columns]
    judged_here = [verdicts.get(outcome, 0) for outcome in named]
    shares = inverted_shares(named, judged_here, table, group=group, confidence=evidence.confidence) if named else []
    found = {share.group["outcome"]: share for share in shares}
    for outcome in evidence.outcomes:
        raw = verdicts.get(outcome, 0) / n if n else None
        if outcome in found:
            yield _told(found[outcome], verdicts, errors, raw, used)
        else:
            method = next((share.method for share in shares), "")
            silent = Estimate(
                "transported_share", None, n, method, group={**group, "outcome": outcome}, undefined=SEEN_NOWHERE
            )  # fmt: skip
            yield _told(silent, verdicts, errors, raw, used)


def _told(
    found: Estimate, verdicts: Mapping[str | None, int], errors: JudgeErrors, raw: float | None, used: Iterable[Share]
) -> Estimate:
    """The estimate with where it comes from and all that it assumes; undefined where nothing can be carried over."""
    failed = verdicts.get(None, 0)
    assumes = (
        found.assumes, GOLD_THERE, SAME_JUDGE, "" if errors.equal else WEIGHTED, CLUSTERED if errors.clustered else "",
        FAILED if failed or errors.details["judge_failed"] else "",
    )  # fmt: skip
    details: dict[str, Any] = {
        **found.details, "raw": raw, "judge_failed": failed, "target": "process", "calibration": dict(errors.details),
    }  # fmt: skip
    told = replace(found, assumes="; ".join(words for words in assumes if words), details=details)
    reason = errors.reason or (next((share.lacking for share in used if share.lacking), None) if told.undefined is None else None)
    if reason is None or told.n == 0:
        return told
    return replace(told, value=None, low=None, high=None, confidence=None, undefined=reason)
