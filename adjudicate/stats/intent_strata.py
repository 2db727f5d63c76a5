"""All populations of an intent as one frame: strata named by population, for scores and rates that span populations.

The design of each population is decided by `designs`, as for its own rate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from adjudicate.stats.designs import Scope, design_of, items_in, sizes_in
from adjudicate.stats.evidence import Evidence, LabelledItem

WITHOUT_DRAW = "labels without a recorded draw: sample only"
NO_LABELS = "no labels yet"


@dataclass(frozen=True, slots=True)
class IntentFrame:
    """Strata and labelled items of a scope that spans populations."""

    sizes: Mapping[str, int]
    """Items per stratum, N_h; names start with the population."""
    items: tuple[LabelledItem, ...]
    """Labelled items of the design, their strata renamed alike."""
    intents: Mapping[str, str]
    """Stratum -> declared intent of its items."""
    n: int
    """Labelled items with a settled gold label, in the design or not."""
    reason: str | None
    """Why no estimate can speak for the whole; None where one can."""
    outside: int = 0
    """Items that no draw could have chosen, in no stratum."""
    non_response: Mapping[str, int] = field(default_factory=dict)
    """Stratum -> drawn items that everyone who was given them has skipped."""


def intent_frame(evidence: Evidence, scope: Scope) -> IntentFrame:
    """The frame of a scope; without an intent, every declared intent has strata of its own."""
    sizes: dict[str, int] = {}
    intents: dict[str, str] = {}
    items: list[LabelledItem] = []
    unsupported: list[str | None] = []
    outside = 0
    missing: dict[str, int] = {}
    declared = (scope.intent,) if scope.intent is not None else tuple(sorted({cell.intent for cell in evidence.cells}))
    for intent in declared:
        for population in evidence.populations:
            part = replace(scope, population=population, intent=intent)
            if not sizes_in(evidence, part):
                continue
            plan = design_of(evidence, part)
            if plan.design in (None, "reviewed"):
                unsupported.append(plan.design)
                continue
            outside += plan.outside_frame
            named = {stratum: f"{population} | {intent} | {stratum}" for stratum in plan.sizes}
            sizes |= {named[stratum]: size for stratum, size in plan.sizes.items()}
            intents |= dict.fromkeys(named.values(), intent)
            missing |= {named[stratum]: count for stratum, count in plan.non_response.items()}
            items += [replace(item, stratum=named[item.stratum]) for item in plan.items]
    n = sum(item.gold is not None for item in items_in(evidence, scope))
    reason = None if sizes and not unsupported else WITHOUT_DRAW if "reviewed" in unsupported else NO_LABELS
    return IntentFrame(sizes, tuple(items), intents, n, reason, outside, missing)
