"""How a judge errs in a calibration set from elsewhere: verdict beside truth, in counts that the set's own design allows.

Carrying the errors over to the items here is `transported`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from adjudicate.stats.design_effect import design_effect, in_clusters
from adjudicate.stats.designs import Scope, frame_sizes
from adjudicate.stats.evidence import Elsewhere, Evidence
from adjudicate.stats.judge_accuracy import JudgedItems
from adjudicate.stats.judged_items import Reviewed, judged, reviewed, stratum_key
from adjudicate.stats.stratum_bounds import share_kept

NO_LABELS = "the calibration set has no blind gold label on an item that this judge judged"
SAMPLE_ONLY = (
    "the calibration set's labels have no recorded draw: sample only, since items may have been picked by what the judge said"
)


class Judged(NamedTuple):
    """One item there."""

    verdict: str
    truth: str
    weight: float
    """Of the design, as a share of the largest one: more than 0, at most 1."""
    cluster: str
    """What it shares with others, as `LabelledItem.cluster`."""


class Share(NamedTuple):
    """How many of some items have some verdict, both at their effective number."""

    part: float
    whole: float
    lacking: str | None = None
    """Why no limits can be given; None where they can."""


@dataclass(frozen=True, slots=True)
class JudgeErrors:
    """What a calibration set says of one judge."""

    items: Sequence[Judged]
    reason: str | None
    """Why nothing can be carried over; None where it can."""
    details: Mapping[str, Any]
    """Where the counts come from."""

    @property
    def equal(self) -> bool:
        """Whether every labelled item counts alike."""
        return bool(self.details["equal_probability"])

    @property
    def clustered(self) -> bool:
        """Whether items share a prompt or a pair."""
        return in_clusters(item.cluster for item in self.items)

    @property
    def names(self) -> frozenset[str]:
        """Outcomes that a verdict or the truth names."""
        return frozenset(name for item in self.items for name in (item.verdict, item.truth))

    @property
    def counts(self) -> dict[tuple[str, str], float]:
        """(verdict, truth) -> items, at their effective number where inclusion probabilities differ; clusters do not enter."""
        found: dict[tuple[str, str], float] = defaultdict(float)
        for item in self.items:
            found[item.verdict, item.truth] += item.weight
        return found

    def share(self, verdicts: Collection[str], truths: Callable[[str], bool], confidence: float) -> Share:
        """How often the judge gives some verdicts, among items of which something is true.

        Args:
            verdicts: The outcomes that are counted.
            truths: Whether an item with this outcome is among them.
            confidence: Of the limits that will be made of it.
        """
        among = [item for item in self.items if truths(item.truth)]
        kept, lacking = self._kept(among, verdicts, confidence)
        part = sum(item.weight for item in among if item.verdict in verdicts)
        return Share(part * kept, sum(item.weight for item in among) * kept, lacking)

    def column(self, named: Sequence[str], truth: str, confidence: float) -> list[Share]:
        """`share` of each outcome among items of one true outcome; where items come in clusters, all at the least number."""
        among = [item for item in self.items if item.truth == truth]
        kept, lacking = min(
            (self._kept(among, (name,), confidence) for name in named), key=lambda each: (each[1] is None, each[0])
        )
        whole = sum(item.weight for item in among) * kept
        return [Share(kept * sum(item.weight for item in among if item.verdict == name), whole, lacking) for name in named]

    @staticmethod
    def _kept(among: Sequence[Judged], verdicts: Collection[str], confidence: float) -> tuple[float, str | None]:
        """The part of the items that would be as precise if each stood alone, or why that cannot be told."""
        clusters = [item.cluster for item in among]
        if not in_clusters(clusters):
            return 1.0, None
        effect = design_effect(clusters, [item.verdict in verdicts for item in among], weights=[item.weight for item in among])
        return (1.0, effect.lacking) if effect.lacking is not None else (share_kept(effect, confidence), None)


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
    """Verdict beside truth of the blindly labelled items of a part of a calibration set.

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
    clusters = [item.cluster for item in part.items if judge in item.verdicts]
    seen = [
        Judged(verdict, truth, weight, cluster)
        for weight, verdict, truth, cluster in zip(items.weights, items.verdicts, items.gold, clusters, strict=True)
        if verdict is not None
    ]
    weights = [each.weight for each in seen]
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
        return JudgeErrors((), reason, details)
    largest = max(weights)
    found = [each._replace(weight=each.weight / largest) for each in seen]
    return JudgeErrors(found, None, {**details, "effective_n": sum(weights) / largest})


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
