"""What the rates hang on among all that waits for an adjudicator, and what a ruling on an intent would move.

Both need the number of items in every stratum, which takes a pass over all of them, so they belong into a worker; it is counted
once and kept while no item and no draw comes in. Neither looks at what judges said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adjudicate.core.gold import contested_intents, settle
from adjudicate.core.labels import Event
from adjudicate.core.policy import Policy
from adjudicate.stats.evidence import Evidence
from adjudicate.stats.foreseen import Foreseen, foresee
from adjudicate.stats.influence import Influence, Possible, influences
from adjudicate.storage.acts_since import Head
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.storage.store import Frame, FrameItem
from adjudicate.workflow.freshness import heads_of
from adjudicate.workflow.report_evidence import Material, Settings, evidence, read_beside


@dataclass(frozen=True, slots=True)
class Counted:
    """The items of every stratum."""

    frame: Frame
    stamp: tuple[int, int]
    """As long as the store gives the same, they are as many."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What was read once for the whole queue."""

    evidence: Evidence
    influence: Mapping[str, Influence]
    """By item, of everything that waits."""
    ruled_intents: Mapping[str, str]
    """Prompt id -> what it is after a ruling, made on it or on a prompt that says the same."""
    heads: tuple[Head, ...]
    """Ends of everybody's chains when it was read."""
    counted: Counted


@dataclass(frozen=True, slots=True)
class IntentRuling:
    """A ruling on an intent in the making."""

    item_id: str
    prompt_id: str
    intent: str
    outcome: str | None
    """What the item is settled as; None where that is not picked yet."""


def weigh(store: SqliteStore, before: Weighed | None = None) -> Weighed:
    """Read what people said and weigh what waits.

    Args:
        store: An open store.
        before: An earlier weighing of this workspace, whose counts are taken where they still hold.
    """
    heads, counted = heads_of(store), _count(store, before)
    material = read_beside(store, counted.frame)
    given = evidence(material, Settings())
    return Weighed(given, influences(given, _waiting(material)), material.ruled_intents, heads, counted)


def foresee_ruling(store: SqliteStore, weighed: Weighed, ruling: IntentRuling) -> Foreseen:
    """What the ruling would do to the rates; reads again what people said where somebody has acted since it was weighed."""
    given = weighed.evidence if heads_of(store) == weighed.heads else weigh(store, weighed).evidence
    same = store.same_prompts([ruling.prompt_id])
    return foresee(given, {ruling.prompt_id, *same}, ruling.intent, settles=ruling.item_id, outcome=ruling.outcome)


def _count(store: SqliteStore, before: Weighed | None) -> Counted:
    stamp = store.frame_stamp()
    if before is not None and before.counted.stamp == stamp:
        return before.counted
    return Counted(store.frame_counts(prompts=False, verdicts=False), stamp)


def _waiting(material: Material) -> dict[str, Possible]:
    """What rulings on the items that wait may say."""
    found = {}
    for item in material.items:
        possible = _possible(item, list(material.events.get(item.item_id, ())), material)
        if possible is not None:
            found[item.item_id] = possible
    return found


def _possible(item: FrameItem, events: list[Event], material: Material) -> Possible | None:
    gold = settle(events)
    if gold is None:
        return None
    ruled = item.prompt_id in material.ruled_intents
    intents = frozenset(() if ruled else contested_intents(events).values()) - {item.intent}
    if not gold.is_open:
        return Possible(frozenset(filter(None, [gold.outcome])), intents) if intents else None
    on_the_table = {label.outcome for label in gold.labels if not label.outdated}
    if gold.settlement is not None and not gold.settlement.outdated:
        on_the_table.add(gold.settlement.outcome)
    outcomes = frozenset(filter(None, on_the_table))
    # Where somebody could not decide, or everybody has to label again, any outcome may come out.
    if len(outcomes) < 2 or any(not event.outdated for event in gold.undecided):
        outcomes = _all_outcomes(material.policy)
    return Possible(outcomes, intents)


def _all_outcomes(policy: Policy) -> frozenset[str]:
    return frozenset(outcome.id for outcome in policy.outcomes)
