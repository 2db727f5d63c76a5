"""Contested intents in a report: rates under the declared and under the adjudicated intents, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.contested import ADJUDICATED_ASSUMES, Effects, IntentStratum, both_intents, ratio_terms
from adjudicate.stats.design_effect import Clustered, DesignEffect, effect_on_process
from adjudicate.stats.designs import Scope
from adjudicate.stats.evidence import Evidence, LabelledItem
from adjudicate.stats.intent_strata import IntentFrame, intent_frame

STATISTIC = "rate_by_intents"


def contested_rates(evidence: Evidence) -> list[Estimate]:
    """Each rate whose items a ruling moved, under both readings, overall and by model; nothing where no item moved.

    They span populations: a ruling names an intent, not a population.
    """
    moved = [item for item in evidence.items if item.adjudicated_intent not in (None, item.intent)]
    estimates: list[Estimate] = []
    for rate in evidence.rates:
        for model in (None, *evidence.models):
            scope = Scope(model=model)
            if any(scope.holds(item) and rate.among in (item.intent, item.adjudicated_intent) for item in moved):
                estimates += _both(evidence, rate, scope)
    return estimates


def _both(evidence: Evidence, rate: Rate, scope: Scope) -> list[Estimate]:
    frame, group = intent_frame(evidence, scope), {"rate": rate.id, **scope.group}
    if frame.reason is not None:
        return [
            Estimate(
                STATISTIC, None, frame.n, "rates under both readings of the intents", group={**group, "intents": reading},
                assumes=ADJUDICATED_ASSUMES, undefined=frame.reason,
            )
            for reading in ("declared", "adjudicated")
        ]  # fmt: skip
    strata = intent_strata(frame, rate)
    effects = Effects(declared_effect(frame, rate), adjudicated_effect(frame, rate, strata))
    found = both_intents(strata, evidence.bounding, group=group, statistic=STATISTIC, effects=effects)
    return [found.declared, found.adjudicated]


def declared_effect(frame: IntentFrame, rate: Rate) -> DesignEffect | None:
    """Design effect on a rate among the items declared to have its intent."""
    inside = (item for item in frame.items if item.gold is not None and frame.intents[item.stratum] == rate.among)
    return effect_on_process((Clustered(item.cluster, item.stratum, item.gold in rate.counts) for item in inside), frame.sizes)


def adjudicated_effect(frame: IntentFrame, rate: Rate, strata: Sequence[IntentStratum]) -> DesignEffect | None:
    """Design effect on a rate among the items that have its intent after adjudication: a ratio, taken linearised."""
    event, other, outside = ratio_terms(strata)
    units = (
        Clustered(
            item.cluster, item.stratum, outside if intent_of(item) != rate.among else event if item.gold in rate.counts else other
        )
        for item in frame.items
        if item.gold is not None
    )
    return effect_on_process(units, frame.sizes)


def intent_strata(frame: IntentFrame, rate: Rate) -> list[IntentStratum]:
    """Counts of a frame of all intents, as one rate sees them."""
    labelled: Counter[str] = Counter()
    events: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    both: Counter[str] = Counter()
    unresolved: Counter[str] = Counter()
    unresolved_inside: Counter[str] = Counter()
    for item in frame.items:
        within = intent_of(item) == rate.among
        if item.gold is None:
            unresolved[item.stratum] += 1
            unresolved_inside[item.stratum] += within
            continue
        event = item.gold in rate.counts
        labelled[item.stratum] += 1
        events[item.stratum] += event
        inside[item.stratum] += within
        both[item.stratum] += event and within
    return [
        IntentStratum(
            name, frame.intents[name] == rate.among, size, labelled[name], events[name], inside[name], both[name],
            unresolved[name], unresolved_inside[name], frame.non_response.get(name, 0),
        )
        for name, size in frame.sizes.items()
    ]  # fmt: skip


def intent_of(item: LabelledItem) -> str:
    """The intent after adjudication: as ruled, or as declared."""
    return item.adjudicated_intent or item.intent
