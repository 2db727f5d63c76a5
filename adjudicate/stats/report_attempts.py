"""Rates within k attempts in a report, where prompts were answered several times: raw by each judge, and corrected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adjudicate.core.estimates import Estimate
from adjudicate.stats.attempts import MISSING, OPEN, corrected_within_attempts, within_attempts
from adjudicate.stats.designs import Scope, design_of, rate_scopes, stratum_counts
from adjudicate.stats.evidence import Evidence, LabelledItem, PromptAnswers

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BUDGETS = (1, 2, 5, 10, 25, 100)
"""Attempts that are reported, as far as prompts have that many answers; the largest number of answers is added."""


def attempt_rates(evidence: Evidence) -> list[Estimate]:
    """Chance of at least one event within k answers to a prompt, per rate and population (and model, where split).

    Group: ``attempts`` (k), ``by`` (``judge`` or ``gold``), and the judge of raw ones. Nothing where no prompt was asked twice.
    """
    return list(_rates(evidence)) if evidence.answers else []


def _rates(evidence: Evidence) -> Iterator[Estimate]:
    for rate in evidence.rates:
        for scope in rate_scopes(evidence, rate.among):
            asked = [row for row in evidence.answers if scope.holds(row)]
            for judge in evidence.judges:
                rows = [row for row in asked if row.judge == judge]
                table = _filled([_codes_of_verdicts(row, rate.counts) for row in rows])
                for k in _budgets(rows):
                    group = {"rate": rate.id, **scope.group, "by": "judge", "judge": judge, "attempts": str(k)}
                    yield within_attempts(
                        table, k, group=group, confidence=evidence.confidence, prompts=[row.prompts for row in rows],
                        open_as="judge_failed",
                    )  # fmt: skip
            # Any judge's rows name the strata of all answers that it saw; the first judge saw most.
            first = next((judge for judge in evidence.judges if any(row.judge == judge for row in asked)), None)
            yield from _corrected(evidence, rate.id, frozenset(rate.counts), scope, [row for row in asked if row.judge == first])


def _corrected(
    evidence: Evidence, rate: str, counts: frozenset[str], scope: Scope, rows: Sequence[PromptAnswers]
) -> Iterator[Estimate]:
    plan = design_of(evidence, scope)
    if not rows or plan.design in (None, "reviewed"):
        return
    if plan.design == "census":
        known = _settled_answers(plan.items, counts)
        for k in _budgets(rows):
            group = {"rate": rate, **scope.group, "by": "gold", "attempts": str(k)}
            yield within_attempts(known, k, group=group, confidence=evidence.confidence)
        return
    strata = stratum_counts(plan.sizes, plan.items, counts.__contains__, plan.non_response)
    place = {stratum.stratum: number for number, stratum in enumerate(strata)}
    table = _filled([[place.get(stratum, MISSING) for stratum, _ in row.answers] for row in rows])
    for k in _budgets(rows):
        group = {"rate": rate, **scope.group, "by": "gold", "attempts": str(k)}
        yield corrected_within_attempts(
            table, strata, k, group=group, limits=evidence.limits, confidence=evidence.confidence,
            prompts=[row.prompts for row in rows],
        )  # fmt: skip


def _settled_answers(items: Sequence[LabelledItem], counts: frozenset[str]) -> npt.NDArray[np.int64]:
    """One row per prompt and model of a census: 1 for an event, 0 for another outcome, open where nothing is settled."""
    asked: dict[tuple[str, str], list[int]] = {}
    for item in items:
        code = OPEN if item.gold is None else int(item.gold in counts)
        asked.setdefault((item.prompt or item.item_id, item.model), []).append(code)
    return _filled(list(asked.values()))


def _codes_of_verdicts(row: PromptAnswers, counts: Sequence[str]) -> list[int]:
    """1 for an event, 0 for another outcome, open where the judge failed."""
    return [OPEN if verdict is None else int(verdict in counts) for _, verdict in row.answers]


def _budgets(rows: Sequence[PromptAnswers]) -> list[int]:
    most = max((len(row.answers) for row in rows), default=0)
    return sorted({k for k in BUDGETS if k <= most} | ({most} if most > 1 else set())) if most > 1 else []


def _filled(codes: Sequence[Sequence[int]]) -> npt.NDArray[np.int64]:
    """The rows at one length, filled up with `MISSING`; shape (rows, most answers)."""
    import numpy as np

    table = np.full((len(codes), max((len(code) for code in codes), default=0)), MISSING, dtype=np.int64)
    for number, code in enumerate(codes):
        table[number, : len(code)] = code
    return table
