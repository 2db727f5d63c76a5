"""How many labels, and where: before the first one from the frame, later from the labels at hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adjudicate.core.demands import check_confidence
from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.core.sampling import PLANNING_RATES
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import UsageError
from adjudicate.stats.label_plans import (
    PlanSettings,
    PowerSettings,
    further_labels,
    planned_labels,
    power_estimates,
    zero_event_labels,
)
from adjudicate.stats.planning import Allocation
from adjudicate.stats.rate_counts import RateCounts, rate_counts
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.read_side import Frame, Side, side

PLANNED = (
    "Planned sample: fix the number before the first label. Stopping on width, as soon as the interval is narrow enough, hardly"
    " hurts: in simulations at 2 % it held what it claims, and the estimate came out a tenth of a point low."
)
DECIDED = (
    "Stop when decided, as soon as a limit is met or missed: only with 'adjudicate gate --anytime'. The usual interval, looked at"
    " after every batch, passed 10 % of simulated systems exactly at their limit, where 2.5 % was meant."
)


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """What is planned."""

    half_width: float = 0.02
    """A fraction."""
    run: str | None = None
    model: str | None = None
    population: str | None = None
    rate: str | None = None
    judge: str | None = None
    """Whose verdicts make the strata where no sample is drawn yet; the judge with the most verdicts by default."""
    allocation: Allocation = "mix"
    conservative: bool = False
    zero_below: float | None = None
    """Also plan how to push the limit of a stratum without events below this."""
    guesses: Mapping[str, float] | None = None
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """Plans for every rate of every population, as estimates."""

    question: PlanQuestion
    estimates: tuple[Estimate, ...]
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The object of ``plan --json``."""
        return {
            "half_width": self.question.half_width,
            "allocation": self.question.allocation,
            "notes": list(self.notes),
            "estimates": [estimate.as_json() for estimate in self.estimates],
        }


def plan_labels(store: SqliteStore, question: PlanQuestion) -> LabelPlan:
    """Plan for what is in the workspace.

    Raises:
        UsageError: A number is out of range, or a filter names what the workspace does not have.
    """
    _check(question)
    frame = Frame(store)
    chosen = side(frame, question.run, model=question.model, population=question.population)
    if question.rate is not None and question.rate not in (rate.id for rate in frame.policy.rates):
        known = ", ".join(rate.id for rate in frame.policy.rates)
        raise UsageError(f"--rate {shortened(question.rate, 60)}: the policy has {known}")
    judge = _judge(store, question.judge)
    settings = PlanSettings(
        question.half_width, question.allocation, "clopper_pearson" if question.conservative else "jeffreys",
        question.confidence, question.guesses,
    )  # fmt: skip
    estimates = [
        estimate
        for counts in rate_counts(chosen.evidence)
        if question.rate in (None, counts.rate.id)
        for estimate in _plans(counts, chosen, judge, settings, question)
    ]
    return LabelPlan(question, tuple(estimates), (PLANNED, DECIDED, *_steering(store), *_idle_guesses(question, estimates)))


def labels_to_go(store: SqliteStore, half_width: float) -> dict[str, int | None]:
    """Further labels by population until every rate of it has that half-width; populations without labels are left out.

    None where all items of a population together would not be enough. Says nothing of any rate, nor of any stratum: a
    blind labeller may see it.

    Raises:
        UsageError: The half-width is out of range.
    """
    found: dict[str, int | None] = {}
    for estimate in plan_labels(store, PlanQuestion(half_width=half_width)).estimates:
        if estimate.statistic != "more_labels":
            continue
        population = estimate.group["population"]
        more = int(estimate.value) if estimate.value is not None and estimate.details["reached"] else None
        known = found.get(population, 0)
        found[population] = None if more is None or known is None else max(known, more)
    return found


def plan_power(settings: PowerSettings) -> tuple[Estimate, ...]:
    """Power, sizes and the smallest change found, from the numbers stated.

    Raises:
        UsageError: Too little is stated, or a number is out of range.
    """
    try:
        found = tuple(power_estimates(settings))
    except ValueError as error:
        raise UsageError(str(error)) from error
    if not found:
        raise UsageError("state --before and --after, or --discordant with --n or --margin")
    return found


def _plans(
    counts: RateCounts, chosen: Side, judge: str | None, settings: PlanSettings, question: PlanQuestion
) -> Iterator[Estimate]:
    strata = {stratum.stratum: stratum for stratum in counts.strata}
    drawn = {name: each.size for name, each in strata.items() if each.size and name}
    sizes = drawn or verdict_strata(chosen, counts.rate, counts.group, judge)
    yield planned_labels(sizes, settings, group=counts.group)
    if counts.labelled and strata:
        yield further_labels(list(strata.values()), settings, group=counts.group)
    if question.zero_below is not None and counts.design != "census":
        for name in sorted(name for name in sizes if "clear" in name.split(" | ")):
            yield from zero_event_labels(
                name, sizes[name], strata.get(name), question.zero_below, group=counts.group, confidence=question.confidence
            )


def verdict_strata(chosen: Side, rate: Rate, group: Mapping[str, str], judge: str | None) -> dict[str, int]:
    """The strata that a draw by population and verdict would make of one population: how each verdict counts."""
    sizes: Counter[str] = Counter()
    judged = 0
    total = 0
    for cell in chosen.cells:
        if cell.intent != rate.among or any(group.get(key, value) != value for key, value in _place(cell.population, cell.model)):
            continue
        if not cell.judge:
            total += cell.size
        elif cell.judge == judge:
            judged += cell.size
            sizes[chosen.frame.policy.flags(cell.verdict, rate.among)] += cell.size
    if total > judged:
        sizes["no verdict"] += total - judged
    return {f"{group['population']} | {name}": size for name, size in sizes.items()}


def _place(population: str, model: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("population", population), ("model", model)


def _judge(store: SqliteStore, wanted: str | None) -> str | None:
    names = [judge.name for judge in store.judges()]
    if wanted is not None and wanted not in names:
        known = ", ".join(map(visible_line, names)) or "none"
        raise UsageError(f"--judge {shortened(wanted, 60)}: there is no such judge; there is {known}")
    return wanted or (names[0] if names else None)


def _steering(store: SqliteStore) -> list[str]:
    """Before a draw: what it takes whole is not part of the strata above."""
    found = 0 if store.draws() else store.steering_count()
    if not found:
        return []
    return [f"{found} responses speak to the judge as far as known: a draw takes all of them, which is not counted here."]


def _idle_guesses(question: PlanQuestion, estimates: list[Estimate]) -> list[str]:
    """Guesses that no stratum here takes up.

    Raises:
        UsageError: A guess is for what is no cell at all.
    """
    names = {name for each in estimates for name in each.details.get("by_stratum", {})}
    cells = {cell for name in names for cell in name.split(" | ")}
    idle = [cell for cell in question.guesses or {} if cell not in cells]
    for cell in idle:
        if cell not in PLANNING_RATES:
            known = ", ".join(map(visible_line, sorted({name.split(" | ")[-1] for name in names} | set(PLANNING_RATES))))
            raise UsageError(f"--guess {shortened(cell, 60)}: no stratum has this cell; there is {known}")
    return [f"No stratum here is “{cell}”: the guess for it was not needed." for cell in idle]


def _check(question: PlanQuestion) -> None:
    if not 0 < question.half_width < 1:
        raise UsageError("--half-width is a fraction above 0 and below 1; 2 points are 0.02")
    if question.zero_below is not None and not 0 < question.zero_below < 1:
        raise UsageError("--zero-below is a fraction above 0 and below 1; 1 % is 0.01")
    check_confidence(question.confidence)
    for cell, rate in (question.guesses or {}).items():
        if not 0 < rate < 1:
            raise UsageError(f"--guess {shortened(cell, 60)}: a rate above 0 and below 1, not {rate:g}")
