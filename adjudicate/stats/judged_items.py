"""From evidence to what `judge_accuracy` takes: blind gold beside one judge's verdicts, with design weights."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from adjudicate.stats.designs import Designed, Scope, design_of, items_in
from adjudicate.stats.evidence import Evidence, LabelledItem
from adjudicate.stats.judge_accuracy import Design, JudgedItems


@dataclass(frozen=True, slots=True)
class Reviewed:
    """Blindly labelled items of a scope with their weights, whatever the judge."""

    items: tuple[LabelledItem, ...]
    strata: tuple[str, ...]
    """Stratum of each item, unique across populations."""
    sizes: dict[str, int]
    """Items per stratum, N_h; empty on a reviewed sample."""
    weights: tuple[float, ...]
    design: Design
    notes: dict[str, Any]
    open: tuple[LabelledItem, ...] = ()
    """Blindly labelled items of the same design that wait for a ruling."""
    open_strata: tuple[str, ...] = ()
    """Stratum of each of these."""


def reviewed(evidence: Evidence, scope: Scope) -> Reviewed:
    """Blindly labelled items of a scope, weighted where every population in it has a design.

    Strata are split by population only, since a draw knows no other split that would leave enough labels in each part.
    One population that was reviewed without a draw makes the whole scope a reviewed sample: weights of a part would
    pretend to speak for the rest.
    """
    plans: dict[str, Designed] = {}
    silent: list[str] = []
    waiting: list[LabelledItem] = []
    for population in (scope.population,) if scope.population is not None else evidence.populations:
        part = Scope(population, scope.model, scope.intent)
        blind = [item for item in items_in(evidence, part) if item.blind_gold is not None]
        plan = design_of(evidence, part, blind)
        if plan.items:
            plans[population] = plan
            disputed = (item for item in items_in(evidence, part) if item.gold is None and item.labels)
            waiting += [item for item in disputed if _would_count(item, plan)]
        elif any(map(part.holds, evidence.cells)):
            silent.append(population)
    unweighted = any(plan.design == "reviewed" for plan in plans.values())
    notes: dict[str, Any] = {"populations_without_labels": silent} if silent else {}
    return _unweighted(plans, notes, waiting) if unweighted else _weighted(plans, notes, waiting)


def _would_count(item: LabelledItem, plan: Designed) -> bool:
    """Whether an item that waits for a ruling would be part of the design once it is settled."""
    return plan.design == "reviewed" or (item.sampled and item.in_turn and item.stratum in plan.sizes)


def judged(part: Reviewed, judge: str) -> JudgedItems:
    """One judge's verdicts on the items of a scope; items that it never saw are left out, with their share of weight.

    The sizes of strata stay, so that the items it did see stand for all.
    """
    seen = [place for place, item in enumerate(part.items) if judge in item.verdicts]
    strata = [part.strata[place] for place in seen]
    n = Counter(strata)
    complete = len(seen) == len(part.items)
    weights = list(part.weights) if complete else [part.sizes[s] / n[s] if s in part.sizes else 1.0 for s in strata]
    waiting = [place for place, item in enumerate(part.open) if judge in item.verdicts]
    unseen = {} if complete else {"without_verdict": len(part.items) - len(seen)}
    return JudgedItems(
        [part.items[place].blind_gold or "" for place in seen], [part.items[place].verdicts[judge] for place in seen],
        weights, strata, part.sizes, part.design if complete or part.design != "census" else "sample",
        {**part.notes, **unseen}, [part.open[place].verdicts[judge] for place in waiting],
        [part.open_strata[place] for place in waiting],
    )  # fmt: skip


def _unweighted(plans: dict[str, Designed], notes: dict[str, Any], waiting: list[LabelledItem]) -> Reviewed:
    items = tuple(item for plan in plans.values() for item in plan.items)
    named = {**notes, "design": "reviewed"}
    nowhere = ("",) * len(waiting)
    return Reviewed(items, ("",) * len(items), {}, (1.0,) * len(items), "reviewed", named, tuple(waiting), nowhere)


def _weighted(plans: dict[str, Designed], notes: dict[str, Any], waiting: list[LabelledItem]) -> Reviewed:
    sizes = {stratum_key(name, stratum): size for name, plan in plans.items() for stratum, size in plan.sizes.items()}
    items = tuple(item for plan in plans.values() for item in plan.items)
    strata = tuple(stratum_key(item.population, item.stratum) for item in items)
    n = Counter(strata)
    census = all(plan.design == "census" for plan in plans.values())
    notes = {**notes, "design": "census" if census else "sample"}
    empty = sum(size > 0 and not n[name] for name, size in sizes.items())
    if empty:
        notes["strata_without_labels"] = empty
    outside = {
        "outside_frame": sum(plan.outside_frame for plan in plans.values()),
        "outside_sample": sum(plan.outside_sample for plan in plans.values()),
        "set_aside": sum(plan.set_aside for plan in plans.values()),
    }
    notes |= {name: count for name, count in outside.items() if count}
    weights = tuple(sizes[stratum] / n[stratum] for stratum in strata)
    open_strata = tuple(stratum_key(item.population, item.stratum) for item in waiting)
    return Reviewed(items, strata, sizes, weights, "census" if census else "sample", notes, tuple(waiting), open_strata)


def stratum_key(population: str, stratum: str) -> str:
    """Name of a stratum that is unique across populations."""
    # A control character cannot be part of either name in a workspace.
    return f"{population}\x1f{stratum}"
