"""How much the rates hang on an item that people still have to settle: what its ruling can move, and by how much.

A corrected rate is ``sum N_h / N * y_h / n_h`` (`corrected`). With one more item of stratum h settled there are n_h + 1, so
between a ruling that counts and one that does not the rate moves by ``N_h / N / (n_h + 1)``, whatever the others say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from adjudicate.core.policy import Rate
from adjudicate.stats.designs import Designed, Scope, design_of, frame_sizes
from adjudicate.stats.evidence import Evidence, LabelledItem

NO_DRAW = "no sample was drawn, so no corrected rate rests on it"
OUTSIDE = "outside the draw: no rate rests on it"
OUT_OF_TURN = "the sample has not come to it yet: no rate rests on it so far"
SAME_EITHER_WAY = "no rate counts these outcomes differently"


@dataclass(frozen=True, slots=True)
class Possible:
    """What a ruling on an item may say."""

    outcomes: frozenset[str]
    """Outcomes on the table."""
    intents: frozenset[str] = frozenset()
    """Intents besides the declared one that somebody holds to be right and nobody has ruled on."""


@dataclass(frozen=True, slots=True)
class Swing:
    """One rate that the ruling moves."""

    rate: Rate
    population: str
    """Whose rate it is; empty for a rate under adjudicated intents, which spans populations."""
    size: float
    """How far apart the rate is under the two extreme rulings, 0 to 1."""
    at_most: bool = False
    """Whether `size` is a bound: of a ruling on the intent, which changes what the rate is counted among."""


@dataclass(frozen=True, slots=True)
class Influence:
    """What hangs on one item."""

    swings: tuple[Swing, ...] = ()
    """The largest first."""
    reason: str = ""
    """Why nothing hangs on it; empty where something does."""

    @property
    def size(self) -> float:
        """The largest swing, 0 without any."""
        return self.swings[0].size if self.swings else 0.0


def influences(evidence: Evidence, possible: Mapping[str, Possible]) -> dict[str, Influence]:
    """What hangs on each of some items, by item id; items that nobody has labelled are left out.

    Args:
        evidence: Frame and labels, as a report starts from.
        possible: Item id -> what a ruling on it may say.
    """
    grounds: dict[Scope, _Ground] = {}
    found = {}
    for item in evidence.items:
        if item.item_id in possible:
            scope = Scope(item.population, item.model if evidence.models else None, item.intent)
            if scope not in grounds:
                grounds[scope] = _Ground.of(evidence, scope)
            found[item.item_id] = grounds[scope].influence(item, possible[item.item_id])
    return found


@dataclass(frozen=True, slots=True)
class _Ground:
    """What the items of one scope share."""

    evidence: Evidence
    scope: Scope
    plan: Designed
    ids: frozenset[str]
    """Items that rates rest on."""
    settled: Mapping[str, int]
    """Stratum -> settled items, n_h."""

    @classmethod
    def of(cls, evidence: Evidence, scope: Scope) -> _Ground:
        plan = design_of(evidence, scope)
        settled = Counter(item.stratum for item in plan.items if item.gold is not None)
        return cls(evidence, scope, plan, frozenset(item.item_id for item in plan.items), settled)

    def influence(self, item: LabelledItem, possible: Possible) -> Influence:
        if self.plan.design not in ("census", "sample"):
            return Influence(reason=NO_DRAW)
        if item.item_id not in self.ids:
            return Influence(reason=OUT_OF_TURN if item.sampled and item.stratum in self.plan.sizes else OUTSIDE)
        swings = [*self._of_outcomes(item, possible), *self._of_intents(item, possible)]
        # A rate of the item's own population says more than the same rate over all of them.
        first = {swing.rate.id: swing for swing in reversed(swings)}
        if not first:
            return Influence(reason=SAME_EITHER_WAY)
        return Influence(tuple(sorted(first.values(), key=lambda swing: -swing.size)))

    def _stands_for(self, item: LabelledItem) -> float:
        """Items of the frame that the item stands for once it is settled, ``N_h / (n_h + 1)``."""
        return self.plan.sizes[item.stratum] / (self.settled.get(item.stratum, 0) + (item.gold is None))

    def _of_outcomes(self, item: LabelledItem, possible: Possible) -> Iterator[Swing]:
        for rate in self._among(item.intent):
            if 0 < len(possible.outcomes & set(rate.counts)) < len(possible.outcomes):
                yield Swing(rate, item.population, self._stands_for(item) / sum(self.plan.sizes.values()))

    def _of_intents(self, item: LabelledItem, possible: Possible) -> Iterator[Swing]:
        """Rates that the item may leave or join: by no more than its share of the items declared to have their intent."""
        if not possible.intents - {item.intent}:
            return
        for intent in sorted(possible.intents | {item.intent}):
            among = sum(frame_sizes(self.evidence.cells, Scope(None, self.scope.model, intent)).values())
            for rate in self._among(intent):
                yield Swing(rate, "", min(1.0, self._stands_for(item) / among) if among else 1.0, at_most=True)

    def _among(self, intent: str) -> Iterator[Rate]:
        return (rate for rate in self.evidence.rates if rate.among == intent)
