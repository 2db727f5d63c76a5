"""Thresholds of a judge or filter: what each would refuse, what it would let pass, and what that costs.

Also the refusals of a stack of filters measured end to end, and the worked example, computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from adjudicate.core.estimates import Estimate, Unit
from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import UsageError
from adjudicate.stats.contrastive_toy import contrastive_toy, toy_limit
from adjudicate.stats.frontier import Frontier
from adjudicate.stats.frontier_example import frontier_example
from adjudicate.stats.operating_points import (
    Costs,
    ScoreCell,
    categories_together,
    category_points,
    compliance_point,
    cost_points,
    curve,
    curve_json,
    given_point,
)
from adjudicate.stats.stacked import NOT_REACHED, stacked_refusals
from adjudicate.storage.paired_rows import Part
from adjudicate.storage.score_rows import layer_rows, score_rows, scored_judges
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.example_words import FIGURES
from adjudicate.workflow.read_side import Frame, Side, side

SHOWN = 60
FAILED = -2
"""In place of 1, 0 or `NOT_REACHED` where a layer gave no outcome."""


@dataclass(frozen=True, slots=True)
class FrontierQuestion:
    """What is asked of the scores."""

    judge: str | None = None
    """Whose scores; the judge with the most by default."""
    score: str = "score"
    """``score``: higher is more suspicious; ``safety``: 0 to 100, turned round and brought to 0 to 1."""
    reverse: bool = False
    run: str | None = None
    model: str | None = None
    harmful_compliance: float = 0.02
    threshold: float | None = None
    per_category: bool = False
    prevalence: Mapping[str, float] = field(default_factory=dict)
    """Share of requests by population or intent; what is not named shares the rest by number of items."""
    costs: Mapping[str, float] = field(default_factory=dict)
    """In place of the policy's: miss, false_alarm, each also with /CATEGORY."""
    filters: tuple[str, ...] = ()
    """Judges that are layers of a stack, in the order in which a request meets them."""
    half: bool = False
    """Choose on one half of the prompts, report on the other."""
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class FrontierReport:
    """Points, curve and stack."""

    judge: str | None
    score: str
    curve: Frontier | None
    estimates: tuple[Estimate, ...]
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The object of ``frontier --json``."""
        return {
            "judge": self.judge,
            "score": self.score,
            "notes": list(self.notes),
            "curve": curve_json(self.curve) if self.curve else None,
            "estimates": [estimate.as_json() for estimate in self.estimates],
        }


def find_operating_point(store: SqliteStore, question: FrontierQuestion) -> FrontierReport:
    """Read the frontier off the scores, and the stack off the verdicts.

    Raises:
        UsageError: No scores, an unknown judge or population, or a number out of range.
    """
    if not 0 <= question.harmful_compliance <= 1:
        raise UsageError("--harmful-compliance is a fraction from 0 to 1; 2 % is 0.02")
    if question.threshold is not None and not isfinite(question.threshold):
        raise UsageError("--threshold: expected a number on the scale of the scores, such as 0.5")
    frame = Frame(store)
    chosen = side(frame, question.run, model=question.model)
    scored = scored_judges(store, question.score)
    wanted = [*question.filters, *([question.judge] if question.judge else [])]
    for name in wanted:
        if name not in (judge for judge, _ in scored):
            known = ", ".join(visible_line(judge) for judge, _ in scored) or "none"
            raise UsageError(f"there is no judge {shortened(name, SHOWN)}; there is {known}")
    stack = _stack(store, frame.policy, question, chosen) if question.filters else []
    judge = question.judge or next((name for name, count in scored if count), None)
    if judge is None or not dict(scored)[judge]:
        if not question.filters or question.judge:
            raise UsageError(
                f"no verdict has a {question.score}: import one with --map {question.score}=COLUMN, or name --filter JUDGE"
            )
        return FrontierReport(None, question.score, None, tuple(stack), tuple(_stack_notes(stack)))
    cells = _cells(store, judge, question, chosen.part)
    estimates = _points(cells, frame.policy, question)
    return FrontierReport(judge, question.score, curve(cells), (*estimates, *stack), (*_notes(question), *_stack_notes(stack)))


def example_estimates(*, fits: int = 40) -> tuple[Estimate, ...]:
    """Every figure of the worked example, computed: closed forms and enumeration, beside simulation and what was printed."""
    found = [
        Estimate(
            "example_figure", figure.computed, FIGURES[figure.key].n, "closed form or exact enumeration",
            unit=_unit(figure.key), group={"figure": figure.key}, assumes="normal scores with the stated means and spreads",
            details={"simulated": figure.simulated, "printed": figure.printed},
        )
        for figure in frontier_example()
    ]  # fmt: skip
    for row in contrastive_toy(seeds=range(20262, 20262 + fits)):
        found += [
            Estimate(
                "example_figure", getattr(row, f"{name}_refusal"), fits, "logistic regression, mean over fits",
                group={"figure": f"contrastive_{row.contrastive_examples}_{name}_refusal"},
                assumes="two normal features, intent and topic", details={"sd": getattr(row, f"{name}_refusal_sd")},
            )
            for name in ("borderline", "general")
        ]  # fmt: skip
    found.append(
        Estimate(
            "example_figure", toy_limit(), 0, "closed form", group={"figure": "contrastive_limit_borderline_refusal"},
            assumes="a classifier that ignores the topic",
        )
    )  # fmt: skip
    return tuple(found)


def _unit(figure: str) -> Unit:
    return "coefficient" if FIGURES[figure].scale == "score" else "fraction"


def _cells(store: SqliteStore, judge: str, question: FrontierQuestion, part: Part) -> list[ScoreCell]:
    halves: dict[tuple[str, str, str], tuple[list[float], list[float]]] = {}
    downwards = (question.score == "safety") is not question.reverse
    for row in score_rows(store, judge, question.score, part):
        score = row.score / 100 if question.score == "safety" else row.score
        if downwards:
            score = 1 - score
        key = (row.intent, row.population, row.category)
        halves.setdefault(key, ([], []))[0 if row.first_half else 1].append(score)
    found = []
    for (intent, population, category), (one, two) in sorted(halves.items()):
        if intent == "dual_use":
            continue  # neither error is defined there
        both = [*one, *two]
        choose, report = (one, two) if question.half else (both, both)
        found.append(ScoreCell(intent == "harmful", population, category, choose, report))
    if not any(len(cell.choose) for cell in found) or not any(len(cell.report) for cell in found):
        raise UsageError(f"no harmful or benign prompt of these has a {question.score} of {visible_line(judge)}")
    return found


def _points(cells: list[ScoreCell], policy: Policy, question: FrontierQuestion) -> list[Estimate]:
    how = {"split": question.half, "confidence": question.confidence}
    estimates = compliance_point(cells, question.harmful_compliance, **how)  # type: ignore[arg-type]  # a bool and a float
    if question.per_category:
        estimates += categories_together(cells, question.harmful_compliance, **how)  # type: ignore[arg-type]
        estimates += category_points(cells, question.harmful_compliance, **how)  # type: ignore[arg-type]
    if question.threshold is not None:
        estimates += given_point(cells, question.threshold, confidence=question.confidence)
    if question.prevalence:
        try:
            estimates += cost_points(cells, _costs(cells, policy, question), **how)  # type: ignore[arg-type]
        except ValueError as error:
            raise UsageError(visible_line(str(error))) from error
    return estimates


def _costs(cells: list[ScoreCell], policy: Policy, question: FrontierQuestion) -> Costs:
    stated = {**policy.costs, **question.costs}
    missing = [kind for kind in ("miss", "false_alarm") if kind not in stated]
    if missing:
        raise UsageError(
            f"the policy states no cost of {' and '.join(missing)}: add costs to it, or give --cost {missing[0]}=NUMBER"
        )
    by_category = {}
    for name, cost in stated.items():
        kind, slash, category = name.partition("/")
        if kind not in ("miss", "false_alarm") or (slash and not category):
            raise UsageError(f"--cost {shortened(name, SHOWN)}: costs are miss and false_alarm, each also as miss/CATEGORY")
        if slash:
            by_category[kind, category] = cost
        if slash and category not in {cell.category for cell in cells} and name in question.costs:
            known = ", ".join(visible_line(each) for each in sorted({cell.category for cell in cells}) if each) or "none"
            raise UsageError(f"--cost {shortened(name, SHOWN)}: there is no such category; there is {known}")
    return Costs(prevalences(cells, question.prevalence), stated["miss"], stated["false_alarm"], by_category)


def prevalences(cells: list[ScoreCell], stated: Mapping[str, float]) -> dict[str, float]:
    """Share of requests per population: as stated for it or for its intent; what is not named shares the rest by size.

    Raises:
        UsageError: A name is neither a population nor an intent here, or the shares sum to more than 1.
    """
    sizes: dict[str, int] = {}
    intents: dict[str, str] = {}
    for cell in cells:
        sizes[cell.population] = sizes.get(cell.population, 0) + len(cell.choose)
        intents[cell.population] = "harmful" if cell.harmful else "benign"
    found = {name: share for name, share in stated.items() if name in sizes}
    for name, share in stated.items():
        if name in found:
            continue
        inside = [population for population, intent in intents.items() if intent == name and population not in stated]
        if not inside:
            known = ", ".join(map(visible_line, [*sizes, *sorted(set(intents.values()))]))
            raise UsageError(f"--prevalence {shortened(name, SHOWN)}: there is {known}")
        found |= _shared(share, {population: sizes[population] for population in inside})
    left = 1 - sum(found.values())
    if left < -1e-9:
        raise UsageError(f"the prevalences sum to {1 - left:g}, more than 1")
    return {**_shared(max(0.0, left), {name: size for name, size in sizes.items() if name not in found}), **found}


def _shared(share: float, sizes: Mapping[str, int]) -> dict[str, float]:
    total = sum(sizes.values())
    return {name: share * size / total for name, size in sizes.items()} if total else {}


def _stack(store: SqliteStore, policy: Policy, question: FrontierQuestion, chosen: Side) -> list[Estimate]:
    """Refusals per population of every layer and of all together; items on which a layer failed are left out and counted."""
    refusing = _refusing(policy)
    places = {name: place for place, name in enumerate(question.filters)}
    if len(places) < len(question.filters):
        raise UsageError("--filter: a layer is named twice")
    tables: dict[tuple[str, str], list[list[int]]] = {}
    last = None
    for item, intent, population, judge, outcome in layer_rows(store, question.filters, chosen.part):
        rows = tables.setdefault((intent, population), [])
        if item != last:
            rows.append([NOT_REACHED] * len(places))
            last = item
        if judge is not None:
            rows[-1][places[judge]] = FAILED if outcome is None else int(outcome in refusing)
    estimates = []
    for (intent, population), rows in sorted(tables.items()):
        whole = [row for row in rows if FAILED not in row and any(each != NOT_REACHED for each in row)]
        failed = sum(FAILED in row for row in rows)
        refusals = stacked_refusals(
            whole or [[NOT_REACHED] * len(places)],
            question.filters,
            group={"population": population, "intent": intent},
            confidence=question.confidence,
        )
        estimates += [_with(estimate, failed) for estimate in refusals]
    return estimates


def _with(estimate: Estimate, failed: int) -> Estimate:
    return replace(estimate, details={**estimate.details, "judge_failed": failed})


def _refusing(policy: Policy) -> frozenset[str]:
    """Outcomes that are a refusal: those that a rate of benign prompts counts, or, without one, those that behave so."""
    counted = {outcome for rate in policy.rates_among("benign") if rate.better == "lower" for outcome in rate.counts}
    return frozenset(counted or {outcome.id for outcome in policy.outcomes if outcome.behaviour == "refused"})


def _notes(question: FrontierQuestion) -> list[str]:
    notes = [
        "A request is refused when its score is above the threshold.",
        "Harmful compliance is what this filter alone lets through, whatever the model answered; --filter measures a stack.",
    ]
    if question.score == "safety" or question.reverse:
        notes.append("Scores are turned round, so that higher is more suspicious: 1 - safety / 100."
                     if question.score == "safety" else "Scores are turned round: 1 - score.")  # fmt: skip
    if not question.half:
        notes.append(
            "Thresholds are chosen on the prompts they are reported on and look better than they are; --half splits them."
        )
    return notes


def _stack_notes(stack: list[Estimate]) -> list[str]:
    """How to read a stack; nothing without one."""
    if not stack:
        return []
    notes = ["A layer's share is of the requests that reached it; that of all layers is of all requests: what a user meets."]
    if any(each.n < each.details["requests"] for each in stack):
        notes.append(
            "A later layer never saw what an earlier one refused: without a layer, it might have refused some of what only that"
            " layer did."
        )
    return notes
