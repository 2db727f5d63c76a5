"""Raw, human and corrected rates of a report: the policy's rates, and every outcome as a rate of its own.

Scores are in `report_scores`, contested intents in `report_contested`, several answers per prompt in `report_attempts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.bounding import designed_rate
from adjudicate.stats.corrected import StratumCount, stratified_rate
from adjudicate.stats.designs import Designed, Scope, design_of, explained, items_in, rate_scopes, stratum_counts
from adjudicate.stats.evidence import Evidence
from adjudicate.stats.guarded import GUARDED_ABOVE, GUARDED_EVENTS
from adjudicate.stats.intent_strata import NO_LABELS, WITHOUT_DRAW
from adjudicate.stats.rates import SAMPLE_ONLY, human_rate, raw_rate
from adjudicate.stats.report_clusters import effect_on


@dataclass(frozen=True, slots=True)
class Question:
    """One rate of one population."""

    scope: Scope
    group: Mapping[str, str]
    """``{"rate": ...}`` or ``{"outcome": ...}`` with the population and, where split, the model."""
    counts: frozenset[str]
    """Outcomes that are events."""


def questions(evidence: Evidence) -> Iterator[Question]:
    """Every policy rate in the populations it speaks for, then every outcome in every population."""
    for rate in evidence.rates:
        for scope in rate_scopes(evidence, rate.among):
            yield Question(scope, {"rate": rate.id, **scope.group}, frozenset(rate.counts))
    for scope in rate_scopes(evidence):
        for outcome in evidence.outcomes:
            yield Question(scope, {"outcome": outcome, **scope.group}, frozenset((outcome,)))


def raw_rates(evidence: Evidence) -> list[Estimate]:
    """Shares by the verdicts of each judge over the whole frame, one per question and judge that has verdicts there."""
    tallies: dict[Scope, dict[str, dict[str | None, int]]] = {}
    estimates = []
    for question in questions(evidence):
        if question.scope not in tallies:
            tallies[question.scope] = verdict_tally(evidence, question.scope)
        for judge in evidence.judges:
            verdicts = tallies[question.scope].get(judge)
            if verdicts is None:
                continue
            failed = verdicts.get(None, 0)
            events = sum(size for verdict, size in verdicts.items() if verdict in question.counts)
            parsed = sum(verdicts.values()) - failed
            estimates.append(raw_rate(events, parsed, failed, group={**question.group, "judge": judge}))
    return estimates


def human_rates(evidence: Evidence) -> list[Estimate]:
    """Unweighted shares of the gold labels, one per question."""
    estimates = []
    for question in questions(evidence):
        gold = [item.gold for item in items_in(evidence, question.scope)]
        unresolved = gold.count(None)
        events = sum(outcome in question.counts for outcome in gold if outcome is not None)
        estimates.append(
            human_rate(
                events, len(gold) - unresolved, group=question.group, unresolved=unresolved, confidence=evidence.confidence
            )
        )
    return estimates


def corrected_rates(evidence: Evidence) -> list[Estimate]:
    """Design-based rates, one per question: a census, a drawn sample, or undefined with the reason."""
    plans: dict[Scope, Designed] = {}
    estimates = []
    for question in questions(evidence):
        scope = question.scope
        if scope not in plans:
            plans[scope] = design_of(evidence, scope)
        estimates.append(explained(_corrected(question, plans[scope], evidence)))
    return estimates


def guarded_rates(evidence: Evidence) -> list[Estimate]:
    """Beside conservative limits: the policy's rates with the guard, where few events meet a nearly complete stratum.

    Clopper-Pearson limits do not know that little is left to label; the guard uses them in such strata only. Nothing unless
    conservative limits were asked for.
    """
    if not evidence.conservative or evidence.target != "finite":
        return []
    estimates = []
    for question in questions(evidence):
        if "rate" not in question.group:
            continue
        plan = design_of(evidence, question.scope)
        strata = stratum_counts(plan.sizes, plan.items, question.counts.__contains__, plan.non_response)
        guarded = [stratum.stratum for stratum in strata if _needs_guard(stratum)]
        if guarded and plan.design == "sample":
            estimates.append(
                stratified_rate(
                    strata, statistic="guarded_rate", group=question.group, limits="guarded", confidence=evidence.confidence,
                    details={"design": plan.design, "guarded": guarded},
                )
            )  # fmt: skip
    return estimates


def _needs_guard(stratum: StratumCount) -> bool:
    return GUARDED_ABOVE * stratum.size < stratum.labelled < stratum.size and stratum.events <= GUARDED_EVENTS


def _corrected(question: Question, plan: Designed, evidence: Evidence) -> Estimate:
    if plan.design in (None, "reviewed"):
        reason = WITHOUT_DRAW if plan.design else NO_LABELS
        n = sum(item.gold is not None for item in plan.items)
        return Estimate(
            "corrected_rate", None, n, "stratified mean", group=question.group,
            assumes=SAMPLE_ONLY if plan.design else "", undefined=reason,
        )  # fmt: skip
    details: dict[str, Any] = {"design": plan.design, **plan.notes}
    if plan.outside_frame:
        details["outside_frame"] = plan.outside_frame
    strata = stratum_counts(plan.sizes, plan.items, question.counts.__contains__, plan.non_response)
    how = evidence.bounding
    # Of an outcome nothing asks for it; for these items it is told beside the rate, as how far prompts like these vary.
    effect = effect_on(plan, question.counts) if how.asks_effect or "rate" in question.group else None
    if effect is not None and effect.lacking is None:
        details |= effect.as_details()
    return designed_rate(strata, how, effect=effect, group=question.group, details=details)


def verdict_tally(evidence: Evidence, scope: Scope) -> dict[str, dict[str | None, int]]:
    """Judge -> outcome (None where it failed) -> items of the scope."""
    tally: dict[str, dict[str | None, int]] = {}
    for cell in evidence.cells:
        if scope.holds(cell):
            verdicts = tally.setdefault(cell.judge, {})
            verdicts[cell.verdict] = verdicts.get(cell.verdict, 0) + cell.size
    return tally
