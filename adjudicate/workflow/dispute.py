"""One item that waits for a ruling, as an adjudicator sees it: positions without names, the verdict, the policy, precedents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adjudicate.core.gold import Gold, contested_intents, settle
from adjudicate.core.items import Item, Verdict
from adjudicate.core.labels import Event, Mode, live
from adjudicate.core.policy import Clause, Policy
from adjudicate.stats.influence import Influence
from adjudicate.storage.dispute_rows import Ruling
from adjudicate.storage.store import Store
from adjudicate.workflow.dispute_queue import Entry
from adjudicate.workflow.item_history import letters
from adjudicate.workflow.item_view import shown_verdict
from adjudicate.workflow.precedents import Precedent, precedents


@dataclass(frozen=True, slots=True)
class Position:
    """What one unnamed person holds."""

    letter: str
    """A, B, C in an order that changes from item to item, so that no letter stands for a person."""
    outcome: str | None
    """None where they could not decide."""
    severity: str
    clause: str
    confidence: str
    mode: Mode | None
    note: str
    contested: str
    outdated: bool = False
    """Whether the label rests on a text that the policy in force has changed: it has to be made again, and counts for nothing."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """One item that waits for a ruling, or that has one."""

    item: Item
    positions: tuple[Position, ...]
    verdict: Verdict | None
    ruling: Event | None
    """The ruling that stands or was opened again by a later label."""
    reopened: bool
    clauses: tuple[Clause, ...]
    contests: tuple[str, ...] = ()
    """Intents held by people who contest the declared one but hold no position here."""
    ruled_intent: str | None = None
    """The intent that an earlier ruling gave the prompt, on whichever response to it; holds until another ruling names one."""
    entry: Entry | None = None
    """Why it is in the queue."""
    influence: Influence | None = None
    """What hangs on it; None until it is weighed."""
    precedents: tuple[Precedent, ...] = ()
    """Earlier rulings under the clauses that matter here, the most recent first."""
    cited: tuple[Clause, ...] = ()
    """Clauses cited by the ruling in the making and by the positions, in that order."""
    unclear: tuple[str, ...] = ()
    """What adjudicators wrote who put it on the list for the next version of the policy."""

    @property
    def is_contested(self) -> bool:
        """Whether anyone holds another intent than the declared one, or a ruling has named one."""
        return bool(self.contests or self.ruled_intent or any(position.contested for position in self.positions))

    @property
    def intent(self) -> str:
        """What the prompt counts as now."""
        return self.ruled_intent or self.item.prompt.intent


@dataclass(frozen=True, slots=True)
class Intended:
    """A ruling in the making: nothing of it is saved before it has its reason."""

    outcome: str | None = None
    severity: str | None = None
    clause: str | None = None
    rationale: str = ""
    intent: str | None = None
    """What the prompt is ruled to be; None rules on the outcome only."""
    unclear: bool = False
    """Whether the item goes on the list for the next version of the policy instead, the rationale as its note."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known beyond the item itself."""

    rulings: Sequence[Ruling]
    """All that stand, oldest first."""
    ruled_intents: Mapping[str, str]
    """Prompt id -> what it was ruled to be."""
    influence: Influence | None
    """What hangs on the item; None until it is weighed."""


def look(store: Store, policy: Policy, entry: Entry, known: Known, *, cites: str | None) -> Dispute:
    """Read an item of the queue.

    Args:
        store: An open store.
        policy: The one in force.
        entry: Its place in the queue.
        known: What else there is to say.
        cites: The clause that the ruling in the making cites.
    """
    item_id = entry.item_id
    events = store.events_on([item_id]).get(item_id, [])
    item = store.item(item_id)
    gold = settle(events)
    held = holding(gold)
    people = {event.annotator_id for event in held}
    positions = _positions(store, events, held, letters_on(item_id, events))
    ruling = gold.settlement if gold is not None else None
    cited = _cited(policy, cites, positions)
    fitting = policy.clauses_for(item.prompt.intent, item.prompt.category)
    return Dispute(
        item=item,
        positions=positions,
        verdict=shown_verdict(store.verdicts(item_id), store.judge_of_draw(item_id)),
        ruling=ruling,
        reopened=ruling is not None and gold is not None and gold.is_open,
        clauses=tuple(sorted(fitting, key=lambda clause: clause not in cited)),
        contests=tuple(sorted(intent for person, intent in contested_intents(events).items() if person not in people)),
        ruled_intent=known.ruled_intents.get(item.prompt.id),
        entry=entry,
        influence=known.influence,
        precedents=precedents(known.rulings, {clause.id for clause in cited}, but=item_id),
        cited=cited,
        unclear=_called_unclear(store, events),
    )


def holding(gold: Gold | None) -> tuple[Event, ...]:
    """The last word of everybody with a position; who could not decide after labelling no longer holds the label."""
    if gold is None:
        return ()
    undecided = {event.annotator_id for event in gold.undecided}
    return (*(label for label in gold.labels if label.annotator_id not in undecided), *gold.undecided)


def letters_on(item_id: str, events: Sequence[Event]) -> dict[str, str]:
    """Annotator id -> letter on this item."""
    held = holding(settle(events))
    return letters(item_id, (event.annotator_id for event in held), (event.annotator_id for event in events))


def _cited(policy: Policy, cites: str | None, positions: Sequence[Position]) -> tuple[Clause, ...]:
    named = dict.fromkeys([cites or "", *(position.clause for position in positions)])
    return tuple(clause for each in named if (clause := policy.clause(each)) is not None)


def _called_unclear(store: Store, events: Sequence[Event]) -> tuple[str, ...]:
    flags = [event for event in live(events) if event.kind == "flag" and event.body.get("unclear")]
    texts = store.notes([event.id for event in flags])
    return tuple(texts[event.id] for event in flags if event.id in texts)


def _positions(store: Store, events: Sequence[Event], held: Sequence[Event], who: Mapping[str, str]) -> tuple[Position, ...]:
    notes = {event.annotator_id: event for event in live(events) if event.kind == "note"}
    texts = store.notes([event.id for event in notes.values()])
    contested = contested_intents(events)
    return tuple(
        Position(
            letter=who[event.annotator_id],
            outcome=event.outcome,
            severity=str(event.body.get("severity", "")),
            clause=str(event.body.get("clause", "")),
            confidence=str(event.body.get("confidence", "")),
            mode=event.mode,
            note=texts.get(notes[event.annotator_id].id, "") if event.annotator_id in notes else "",
            contested=contested.get(event.annotator_id, ""),
            outdated=event.outdated,
        )
        for event in sorted(held, key=lambda event: who[event.annotator_id])
    )
