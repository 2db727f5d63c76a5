"""Settling disagreements: labels side by side without names, one ruling with its reason. Unanimous items never come up."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from adjudicate.core import labels
from adjudicate.core.gold import adjudicated_intent, contested_intents, settle
from adjudicate.core.items import Item, Verdict
from adjudicate.core.labels import Act, Event, Mode
from adjudicate.core.policy import INTENTS, Clause, Policy
from adjudicate.errors import LabelRefused
from adjudicate.storage.rows import Annotator
from adjudicate.storage.store import Store
from adjudicate.workflow.acting import Acting, Clock
from adjudicate.workflow.item_view import shown_verdict

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


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
    """The intent that an earlier ruling gave the prompt; holds until another ruling names one."""

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


class ResolvingSession(Acting):
    """An adjudicator going through the open items."""

    def __init__(self, store: Store, *, policy: Policy, adjudicator: Annotator, clock: Clock) -> None:
        super().__init__(store, policy, adjudicator, clock)
        self.adjudicator = adjudicator
        self.queue: list[str] = store.open_items()
        self.index = 0
        self.settled = 0
        """Rulings made in this window."""
        self._intended: dict[str, Intended] = {}

    @property
    def intended(self) -> Intended:
        """The ruling in the making on the item on screen; kept while moving between items."""
        return self._intended.get(self._item_id(), Intended()) if self.queue else Intended()

    @property
    def needs_severity(self) -> bool:
        """Whether the intended outcome waits for its severity."""
        outcome = self.policy.outcome(self.intended.outcome or "")
        return bool(outcome and outcome.severe and self.policy.severities and self.intended.severity is None)

    @property
    def dispute(self) -> Dispute | None:
        """The item on screen; None when nothing is open."""
        if not self.queue:
            return None
        return self._look(self.queue[self.index])

    def intend(self, outcome: str) -> None:
        """Pick the outcome; nothing is saved yet."""
        self._intend(outcome=outcome, severity=None)

    def grade(self, severity: str) -> None:
        """Pick the severity of a severe outcome."""
        self._intend(severity=severity)

    def cite(self, clause: str | None) -> None:
        """Cite a clause, or none."""
        self._intend(clause=clause)

    def next_intent(self) -> None:
        """Rule on the intent too: from none to each that a prompt can have, and back to none."""
        choices = (None, *INTENTS)
        self._intend(intent=choices[(choices.index(self.intended.intent) + 1) % len(choices)])

    def reason(self, rationale: str) -> None:
        """Keep the reason as far as it is written."""
        if self.queue:
            self._intend(rationale=rationale)

    def withdraw(self) -> None:
        """Take back the picked outcome; clause and reason stay."""
        if self.queue:
            self._intend(outcome=None, severity=None)

    def rule(self) -> None:
        """Settle the item on screen as intended.

        Raises:
            LabelRefused: No outcome is picked, or it lacks its severity or its reason.
        """
        intended = self.intended
        if intended.outcome is None:
            raise LabelRefused("pick the outcome that holds with its digit first")
        self.resolve(
            intended.outcome,
            rationale=intended.rationale,
            clause=intended.clause,
            severity=intended.severity,
            intent=intended.intent,
        )

    def resolve(
        self,
        outcome: str,
        *,
        rationale: str,
        clause: str | None = None,
        severity: str | None = None,
        intent: str | None = None,
    ) -> None:
        """Settle the item on screen and go on to the next open one.

        Args:
            intent: What the prompt is after all, where the ruling says so; the rates show both.

        Raises:
            LabelRefused: The policy does not define it, the rationale is empty, or nothing is open.
        """
        if not self.queue:
            raise LabelRefused("nothing is open: every item with labels is unanimous or settled")
        item_id = self._item_id()
        act = labels.resolution(
            self.policy,
            item_id=item_id,
            outcome=outcome,
            rationale=rationale,
            clause=clause,
            severity=severity,
            intent=intent,
            settles=self._on_the_table(item_id),
        )
        self._save(act, then=partial(self._ruled, item_id))

    def undo(self) -> Event | None:
        """Take back the last ruling that stands and show its item again; None where there is none."""
        last = self.last_act()
        if last is not None:
            self._save(Act("undo", last.item_id, target=last.id), then=partial(self._undone, last))
        return last

    def last_act(self) -> Event | None:
        """The ruling that `undo` would take back."""
        return self.store.last_act(self.adjudicator.id, ["resolution"])

    def move(self, step: int) -> None:
        """Go to another open item without settling this one; around at the ends."""
        if self.queue:
            self.index = (self.index + step) % len(self.queue)

    def refresh(self) -> None:
        """Read the open items again, as other people label meanwhile; stay near where we were."""
        self.queue = self.store.open_items()
        self.index = min(self.index, max(len(self.queue) - 1, 0))

    def _item_id(self) -> str:
        return self.queue[self.index]

    def _intend(self, **changes: str | None) -> None:
        if not self.queue:
            raise LabelRefused("nothing is open: every item with labels is unanimous or settled")
        self._intended[self._item_id()] = replace(self.intended, **changes)  # type: ignore[arg-type]  # field by field above

    def _ruled(self, item_id: str) -> None:
        self._intended.pop(item_id, None)
        self.settled += 1
        self.refresh()

    def _undone(self, last: Event) -> None:
        self.settled = max(self.settled - 1, 0)
        self.refresh()
        if last.item_id in self.queue:
            self.index = self.queue.index(last.item_id)

    def _on_the_table(self, item_id: str) -> list[str]:
        gold = settle(self.store.events_on([item_id]).get(item_id, []))
        return [event.id for event in (*gold.labels, *gold.undecided)] if gold else []

    def _look(self, item_id: str) -> Dispute:
        events = self.store.events_on([item_id]).get(item_id, [])
        item = self.store.item(item_id)
        gold = settle(events)
        verdict = shown_verdict(self.store.verdicts(item_id), self.store.judge_of_draw(item_id))
        clauses = self.policy.clauses_for(item.prompt.intent, item.prompt.category)
        if gold is None:
            return Dispute(item, (), verdict, None, reopened=False, clauses=clauses)
        ruling = gold.settlement
        holding = gold.labels + gold.undecided
        people = {event.annotator_id for event in holding}
        return Dispute(
            item=item,
            positions=self._positions(item_id, events, holding),
            verdict=verdict,
            ruling=ruling,
            reopened=bool(ruling),
            clauses=clauses,
            contests=tuple(sorted(intent for person, intent in contested_intents(events).items() if person not in people)),
            ruled_intent=adjudicated_intent(events),
        )

    def _positions(self, item_id: str, events: Sequence[Event], holding: Sequence[Event]) -> tuple[Position, ...]:
        notes = {event.annotator_id: event for event in labels.live(events) if event.kind == "note"}
        texts = self.store.notes([event.id for event in notes.values()])
        contested = contested_intents(events)
        shuffled = sorted(holding, key=lambda event: hashlib.sha256(f"{item_id}{event.annotator_id}".encode()).digest())
        return tuple(
            Position(
                letter=LETTERS[place % len(LETTERS)],
                outcome=event.outcome,
                severity=str(event.body.get("severity", "")),
                clause=str(event.body.get("clause", "")),
                confidence=str(event.body.get("confidence", "")),
                mode=event.mode,
                note=texts.get(notes[event.annotator_id].id, "") if event.annotator_id in notes else "",
                contested=contested.get(event.annotator_id, ""),
            )
            for place, event in enumerate(shuffled)
        )
