"""One rate of one population under the adjudicated intents: what a gate shows beside the rate under the declared ones.

The report's pair of readings spans populations (`report_contested`); a gate asks each population, so here every population has a
reading of its own. A ruling names an intent and no population: where a rate has several, each is read as if the items moved in
were its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.bounding import Bounding
from adjudicate.stats.contested import ADJUDICATED_ASSUMES, IntentStratum, adjudicated_rate
from adjudicate.stats.designs import Scope
from adjudicate.stats.evidence import CellCount, Evidence, LabelledItem
from adjudicate.stats.intent_strata import intent_frame
from adjudicate.stats.report_contested import adjudicated_effect, intent_strata

READING = "rate under the adjudicated intents"
OF_SEVERAL = "the items moved in are read as of this population, since a ruling names an intent and no population"


@dataclass(frozen=True, slots=True)
class Moved:
    """Labelled items whose intent a ruling changed, as one rate of one population sees them."""

    into: int
    """Declared otherwise, and of the rate's intent after the ruling."""
    out: int
    """Of the population, and not of the rate's intent after the ruling."""

    def __bool__(self) -> bool:
        return bool(self.into or self.out)

    def __str__(self) -> str:
        return f"{self.into} moved in, {self.out} out"

    def as_json(self) -> dict[str, int]:
        """For ``gate --json``."""
        return {"in": self.into, "out": self.out}


def moved_items(evidence: Evidence, rate: Rate, group: Mapping[str, str]) -> Moved:
    """How many labelled items rulings moved into and out of one population, as one rate sees it."""
    scope = Scope(model=group.get("model"))
    moved = [item for item in evidence.items if scope.holds(item) and item.adjudicated_intent not in (None, item.intent)]
    own = [item for item in moved if item.intent == rate.among]
    return Moved(
        into=sum(item.adjudicated_intent == rate.among for item in moved),
        out=sum(item.population == group["population"] for item in own),
    )


def adjudicated_row(evidence: Evidence, rate: Rate, group: Mapping[str, str], how: Bounding) -> Estimate:
    """A corrected rate among the items that have the rate's intent after adjudication.

    Args:
        evidence: Of every population: without the items declared otherwise, those moved in would be missed.
        rate: A rate of the policy.
        group: Its population, and the model where there are several; ``intents`` is added.
        how: Limits, target and confidence.

    Returns:
        A fraction; undefined where `adjudicated_rate` is, and where items of any intent have neither labels nor a draw.
    """
    group = {**group, "intents": "adjudicated"}
    frame = intent_frame(_part(evidence, rate, group["population"]), Scope(model=group.get("model")))
    reason = frame.reason and f"{frame.reason}, and an item of any intent may have been moved"
    if reason is None and frame.outside:
        reason = f"{frame.outside} of {frame.outside + sum(frame.sizes.values())} items of all intents are outside every draw"
    if reason is not None:
        return Estimate("corrected_rate", None, frame.n, READING, group=group, assumes=ADJUDICATED_ASSUMES, undefined=reason)
    strata = intent_strata(frame, rate)
    several = len({cell.population for cell in evidence.cells if cell.intent == rate.among}) > 1
    found = adjudicated_rate(strata, how, effect=adjudicated_effect(frame, rate, strata), group=group, details=_details(strata))
    return replace(found, assumes=f"{found.assumes}; {OF_SEVERAL}") if several and found.details["moved_in"] else found


def _part(evidence: Evidence, rate: Rate, population: str) -> Evidence:
    """The population and everything that is declared otherwise."""

    def kept(row: CellCount | LabelledItem) -> bool:
        return row.intent != rate.among or row.population == population

    return replace(evidence, cells=tuple(filter(kept, evidence.cells)), items=tuple(filter(kept, evidence.items)))


def _details(strata: list[IntentStratum]) -> dict[str, Any]:
    census = all(stratum.labelled + stratum.unresolved == stratum.size for stratum in strata)
    return {
        "design": "census" if census else "sample",
        "moved_in": sum(stratum.moved for stratum in strata if not stratum.declared),
        "moved_out": sum(stratum.moved for stratum in strata if stratum.declared),
    }
