"""Which design the labels of a group support: census, drawn sample, or neither. Estimators take what is decided here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.evidence import CellCount, Evidence, JudgePairCell, JudgeReadings, LabelledItem, PromptAnswers
from adjudicate.stats.judge_accuracy import Design


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of the evidence; None means any."""

    population: str | None = None
    model: str | None = None
    intent: str | None = None

    def holds(self, row: CellCount | LabelledItem | JudgeReadings | JudgePairCell | PromptAnswers) -> bool:
        """Whether a row belongs to the part."""
        return (
            (self.population is None or row.population == self.population)
            and (self.model is None or row.model == self.model)
            and (self.intent is None or row.intent == self.intent)
        )

    @property
    def group(self) -> dict[str, str]:
        """The part in the words of an estimate's group; the intent is implied by the rate and left out."""
        named = {"population": self.population, "model": self.model}
        return {field: value for field, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Designed:
    """The items of one population that an estimate may rest on."""

    design: Design | None
    """None without any labelled item and without a draw."""
    sizes: Mapping[str, int]
    """Items per stratum, N_h; empty on a reviewed sample."""
    items: tuple[LabelledItem, ...]
    outside_frame: int = 0
    """Items of the population that no draw could have chosen."""
    outside_sample: int = 0
    """Labelled items left out because no draw chose them."""
    set_aside: int = 0
    """Drawn items left out because their labels were chosen by somebody, and the queue has not come to them yet."""
    non_response: Mapping[str, int] = field(default_factory=dict)
    """Stratum -> drawn items that everyone who was given them has skipped."""

    @property
    def notes(self) -> dict[str, Any]:
        """What was left out, in the words of an estimate's details; the items outside every draw are left to the caller."""
        counts = {"outside_sample": self.outside_sample, "set_aside": self.set_aside}
        return {name: count for name, count in counts.items() if count}


def rate_scopes(evidence: Evidence, intent: str | None = None) -> list[Scope]:
    """Every population, split by model where the report is, that has an item of the intent."""
    models = evidence.models or (None,)
    return _inhabited([Scope(population, model, intent) for population in evidence.populations for model in models], evidence)


def review_scopes(evidence: Evidence) -> list[Scope]:
    """The whole, each model, each population, and both together where there are several models."""
    models = [Scope(model=model) for model in evidence.models]
    populations = [Scope(population) for population in evidence.populations]
    both = [Scope(population, model) for population in evidence.populations for model in evidence.models]
    return _inhabited([Scope(), *models, *populations, *both], evidence)


def _inhabited(scopes: list[Scope], evidence: Evidence) -> list[Scope]:
    """The scopes that hold any item."""
    # Few combinations stand for many rows.
    both: list[CellCount | LabelledItem] = [*evidence.cells, *evidence.items]
    rows = {(row.population, row.model, row.intent): row for row in both}
    return [scope for scope in scopes if any(map(scope.holds, rows.values()))]


def items_in(evidence: Evidence, scope: Scope) -> Sequence[LabelledItem]:
    """Labelled items of a scope, looked up once."""
    key = ("items", scope)
    if key not in evidence.known:
        evidence.known[key] = tuple(item for item in evidence.items if scope.holds(item))
    found: tuple[LabelledItem, ...] = evidence.known[key]
    return found


def sizes_in(evidence: Evidence, scope: Scope) -> Mapping[str, int]:
    """`frame_sizes` of a scope, looked up once."""
    key = ("sizes", scope)
    if key not in evidence.known:
        evidence.known[key] = frame_sizes(evidence.cells, scope)
    found: dict[str, int] = evidence.known[key]
    return found


def frame_sizes(cells: Iterable[CellCount], scope: Scope) -> dict[str, int]:
    """Items per stratum inside a scope, each item once."""
    by_judge: dict[str, Counter[str]] = {}
    for cell in cells:
        if scope.holds(cell):
            by_judge.setdefault(cell.judge, Counter())[cell.stratum] += cell.size
    if "" in by_judge:
        return dict(by_judge[""])
    largest: Counter[str] = max(by_judge.values(), key=lambda sizes: sizes.total(), default=Counter())
    return dict(largest)


def design_of(evidence: Evidence, scope: Scope, items: Sequence[LabelledItem] | None = None) -> Designed:
    """The design of one scope of the evidence.

    Args:
        evidence: Frame and labels.
        scope: One population, or a part of it.
        items: Those labelled items of the scope that are asked about; all by default.
    """
    inside = items_in(evidence, scope) if items is None else items
    return designed(sizes_in(evidence, scope), inside, skipped=filter(scope.holds, evidence.skipped))


def designed(sizes: Mapping[str, int], items: Sequence[LabelledItem], *, skipped: Iterable[CellCount] = ()) -> Designed:
    """Choose the design that labelled items of one scope support.

    Args:
        sizes: Items of the frame per stratum, as from `frame_sizes`.
        items: Labelled items of the scope, settled or not.
        skipped: Drawn items of the scope without a label, which everyone who was given them has skipped.

    Returns:
        A census where every item is labelled, a sample where a draw is recorded, a reviewed sample otherwise. Of a sample only
        the drawn items count, and of these only the ones whose labels were made in turn.
    """
    total = sum(sizes.values())
    if items and len(items) >= total:
        return Designed("census", dict(Counter(item.stratum for item in items)), tuple(items))
    drawn = {stratum: size for stratum, size in sizes.items() if stratum}
    if drawn:
        sampled = [item for item in items if item.sampled and item.stratum in drawn]
        chosen = tuple(item for item in sampled if item.in_turn)
        missing: Counter[str] = Counter()
        for cell in skipped:
            missing[cell.stratum] += cell.size if cell.stratum in drawn else 0
        return Designed(
            "sample", drawn, chosen, sizes.get("", 0), len(items) - len(sampled), len(sampled) - len(chosen), dict(missing)
        )
    return Designed("reviewed" if items else None, {}, tuple(items))


def explained(estimate: Estimate) -> Estimate:
    """An undefined rate with the labels that were set aside named beside the reason; any other as it is."""
    aside = estimate.details.get("set_aside")
    if estimate.undefined is None or not aside:
        return estimate
    return replace(estimate, undefined=f"{estimate.undefined}, {aside} labelled items set aside")


def stratum_counts(
    sizes: Mapping[str, int],
    items: Iterable[LabelledItem],
    counts: Callable[[str], bool],
    non_response: Mapping[str, int] | None = None,
) -> list[StratumCount]:
    """Counts per stratum for the estimator.

    Args:
        sizes: Items per stratum, N_h.
        items: Labelled items of the design.
        counts: Whether a gold outcome is an event.
        non_response: Stratum -> drawn items that everyone skipped.
    """
    missing = non_response or {}
    settled: Counter[str] = Counter()
    events: Counter[str] = Counter()
    unresolved: Counter[str] = Counter()
    for item in items:
        if item.gold is None:
            unresolved[item.stratum] += 1
        else:
            settled[item.stratum] += 1
            events[item.stratum] += counts(item.gold)
    return [
        StratumCount(name, size, settled[name], events[name], unresolved[name], missing.get(name, 0))
        for name, size in sizes.items()
    ]
