"""How a judge errs in a calibration set from elsewhere: verdict beside truth, in counts that the set's own design allows.

Carrying the errors over to the items here is `transported`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from adjudicate.stats.designs import Scope, frame_sizes
from adjudicate.stats.evidence import Elsewhere, Evidence
from adjudicate.stats.judge_accuracy import JudgedItems
from adjudicate.stats.judged_items import Reviewed, judged, reviewed, stratum_key

NO_LABELS = "the calibration set has no blind gold label on an item that this judge judged"
SAMPLE_ONLY = (
    "the calibration set's labels have no recorded draw: sample only, since items may have been picked by what the judge said"
)


@dataclass(frozen=True, slots=True)
class JudgeErrors:
    """What a calibration set says of one judge."""

    counts: Mapping[tuple[str, str], float]
    """(verdict, truth) -> items, at their effective number where inclusion probabilities differ."""
    reason: str | None
    """Why nothing can be carried over; None where it can."""
    details: Mapping[str, Any]
    """Where the counts come from."""

    @property
    def equal(self) -> bool:
        """Whether every labelled item counts alike."""
        return bool(self.details["equal_probability"])


def scope_there(there: Evidence, population: str, intents: Collection[str]) -> Scope:
    """The part of a calibration set that stands for a population here.

    The population of the same name where blind gold labels lie in it, otherwise every population of the same intent; where
    the population here has items of several intents, of all intents.
    """
    intent = next(iter(intents)) if len(intents) == 1 else None
    same = Scope(population, intent=intent)
    labelled = any(item.blind_gold is not None and same.holds(item) for item in there.items)
    return same if labelled else Scope(intent=intent)


def judge_errors(elsewhere: Elsewhere, scope: Scope, judge: str) -> JudgeErrors:
    """Counts of verdict and truth among the blindly labelled items of a part of a calibration set.

    Labels drawn with unequal probabilities are weighted by their inverse, and each weight is divided by the largest one: a
    share ``p = sum w x / sum w`` then rests on ``m = sum w / max w`` items. That is never too many, since its linearised
    variance ``sum w^2 (x - p)^2 / (sum w)^2`` is at most ``p (1 - p) / m``. With equal weights m is the number of items.

    Items on which the judge failed are left out and counted, and so are items without a blind gold label.

    Args:
        elsewhere: The calibration set.
        scope: Part of it, as from `scope_there`.
        judge: Name of the judge, the same here and there.

    Returns:
        Without counts and with a reason where no label helps, where labels have no design, and where the judge gave verdicts
        in a stratum that has no label: errors there would be taken for none.
    """
    there = elsewhere.evidence
    part = reviewed(there, scope)
    items = judged(part, judge)
    seen = [
        (weight, verdict, truth)
        for weight, verdict, truth in zip(items.weights, items.verdicts, items.gold, strict=True)
        if verdict is not None
    ]
    weights = [weight for weight, _, _ in seen]
    details: dict[str, Any] = {
        "workspace": elsewhere.name,
        "policy": elsewhere.policy,
        **({"population": scope.population} if scope.population else {"intent": scope.intent or "any"}),
        "populations": sorted({item.population for item in part.items}),
        "design": part.design,
        "n": len(seen),
        "judge_failed": items.failed,
        "without_blind_gold": sum(scope.holds(item) and item.blind_gold is None for item in there.items),
        "equal_probability": len({round(weight, 9) for weight in weights}) <= 1,
    }
    reason = _unusable(there, scope, judge, part, items)
    if reason is not None:
        return JudgeErrors({}, reason, details)
    counts: dict[tuple[str, str], float] = defaultdict(float)
    largest = max(weights)
    for weight, verdict, truth in seen:
        counts[verdict, truth] += weight / largest
    return JudgeErrors(counts, None, {**details, "effective_n": sum(weights) / largest})


def _unusable(there: Evidence, scope: Scope, judge: str, part: Reviewed, items: JudgedItems) -> str | None:
    parsed = {stratum for stratum, verdict in zip(items.strata, items.verdicts, strict=True) if verdict is not None}
    if not parsed:
        return NO_LABELS
    if part.design == "reviewed":
        # Open disagreements do not make labels of everything a choice of somebody's.
        everything = sum(frame_sizes(there.cells, scope).values())
        return None if sum(map(scope.holds, there.items)) >= everything else SAMPLE_ONLY
    judged_strata = {
        stratum_key(cell.population, cell.stratum)
        for cell in there.cells
        if cell.judge == judge and cell.verdict is not None and cell.size and scope.holds(cell)
    }
    silent = (judged_strata & part.sizes.keys()) - parsed
    return f"{len(silent)} strata of the calibration set have no blind gold label: errors there are unknown" if silent else None
