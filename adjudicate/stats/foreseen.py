"""What a ruling on an intent would do to the rates, before it is made: under the adjudicated intents, without and with it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.contested import adjudicated_rate
from adjudicate.stats.designs import Scope
from adjudicate.stats.evidence import Evidence, LabelledItem
from adjudicate.stats.intent_strata import intent_frame
from adjudicate.stats.report_contested import STATISTIC, intent_of, intent_strata


@dataclass(frozen=True, slots=True)
class Moved:
    """One rate without and with the ruling."""

    rate: Rate
    before: Estimate
    after: Estimate


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a ruling would do."""

    items: int
    """Labelled items whose intent it changes."""
    rates: tuple[Moved, ...]
    """Rates among an intent that it takes items from or gives them to, of all populations and models together."""


def foresee(
    evidence: Evidence, prompts: Collection[str], intent: str, *, settles: str = "", outcome: str | None = None
) -> Foreseen:
    """Rates as they are, and as they would be.

    Args:
        evidence: Frame and labels, as a report starts from.
        prompts: Ids of the prompts that the ruling speaks of: one request, under every id that it has.
        intent: What it is ruled to be.
        settles: The item that the ruling is made on.
        outcome: The outcome that it settles that item as; None where that is not picked yet.
    """
    moving = [item for item in evidence.items if item.prompt in prompts and intent_of(item) != intent]
    touched = {intent, *(intent_of(item) for item in moving)}

    def ruled(item: LabelledItem) -> LabelledItem:
        if item.prompt not in prompts:
            return item
        gold = outcome if outcome is not None and item.item_id == settles else item.gold
        return replace(item, adjudicated_intent=intent, gold=gold)

    then = replace(evidence, items=tuple(map(ruled, evidence.items)))
    rates = [rate for rate in evidence.rates if rate.among in touched] if moving else []
    return Foreseen(len(moving), tuple(Moved(rate, _adjudicated(evidence, rate), _adjudicated(then, rate)) for rate in rates))


def _adjudicated(evidence: Evidence, rate: Rate) -> Estimate:
    frame, group = intent_frame(evidence, Scope()), {"rate": rate.id, "intents": "adjudicated"}
    if frame.reason is not None:
        return Estimate(STATISTIC, None, frame.n, "rates under adjudicated intents", group=group, undefined=frame.reason)
    return adjudicated_rate(intent_strata(frame, rate), evidence.bounding, group=group, statistic=STATISTIC)
