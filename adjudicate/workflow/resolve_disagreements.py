"""Settling disagreements: labels side by side without names, one ruling with its reason. Unanimous items never come up.

What waits, and in which order, is in `dispute_queue`; how much hangs on it in `weigh_disputes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from adjudicate.core import labels
from adjudicate.core.gold import settle
from adjudicate.core.labels import Act, Event
from adjudicate.core.policy import INTENTS, Policy
from adjudicate.errors import LabelRefused
from adjudicate.storage import dispute_rows
from adjudicate.storage.dispute_rows import Ruling
from adjudicate.storage.rows import Annotator
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.acting import Acting, Clock
from adjudicate.workflow.dispute import Dispute, Intended, Known, letters_on, look
from adjudicate.workflow.dispute_queue import Entry, in_order, read_queue, ruled_by_prompt
from adjudicate.workflow.item_history import Past, history
from adjudicate.workflow.precedents import Precedent, latest
from adjudicate.workflow.weigh_disputes import IntentRuling, Weighed

NOTHING_OPEN = "nothing is open: every item with labels is unanimous or settled"


class ResolvingSession(Acting):
    """An adjudicator going through the open items."""

    def __init__(self, store: SqliteStore, *, policy: Policy, adjudicator: Annotator, clock: Clock) -> None:
        super().__init__(store, policy, adjudicator, clock)
        self._disputes = store
        self.adjudicator = adjudicator
        self.weighed: Weighed | None = None
        """What hangs on what; None until a worker has read it."""
        self.entries: list[Entry] = []
        """The queue, in its order."""
        self.index = 0
        self.settled = 0
        """Rulings made in this window."""
        self.collected = 0
        """Items put on the list for the next version of the policy in this window."""
        self._intended: dict[str, Intended] = {}
        self._rulings: list[Ruling] = []
        self._read_queue()

    @property
    def queue(self) -> list[str]:
        """Ids of what waits, in order."""
        return [entry.item_id for entry in self.entries]

    @property
    def entry(self) -> Entry | None:
        """The place in the queue that is on screen; None when nothing is open."""
        return self.entries[self.index] if self.entries else None

    @property
    def intended(self) -> Intended:
        """The ruling in the making on the item on screen; kept while moving between items."""
        entry = self.entry
        if entry is None:
            return Intended()
        return self._intended.get(entry.item_id) or self._proposed(entry)

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing from the ruling but its reason."""
        intended = self.intended
        return intended.unclear or (intended.outcome is not None and not self.needs_severity)

    @property
    def needs_severity(self) -> bool:
        """Whether the intended outcome waits for its severity."""
        outcome = self.policy.outcome(self.intended.outcome or "")
        return bool(outcome and outcome.severe and self.policy.severities and self.intended.severity is None)

    @property
    def dispute(self) -> Dispute | None:
        """The item on screen; None when nothing is open."""
        return None if self.entry is None else self._look(self.entry)

    @property
    def past(self) -> tuple[Past, ...]:
        """All that happened to the item on screen, in turn."""
        dispute = self.dispute
        if dispute is None:
            return ()
        events = self._events_on(dispute.item.id)
        who = letters_on(dispute.item.id, events) | {self.adjudicator.id: "you"}
        return history(self.store, events, who, dispute.verdict.outcome if dispute.verdict is not None else None)

    @property
    def rulings(self) -> tuple[Precedent, ...]:
        """All rulings so far, the most recent first."""
        return latest(self._rulings)

    @property
    def intent_ruling(self) -> IntentRuling | None:
        """The ruling on the intent in the making, where it would count the prompt as something else than it counts as now."""
        dispute, intended = self.dispute, self.intended
        if dispute is None or intended.intent is None or intended.intent == dispute.intent:
            return None
        return IntentRuling(dispute.item.id, dispute.item.prompt.id, intended.intent, intended.outcome)

    def intend(self, outcome: str) -> None:
        """Pick the outcome; nothing is saved yet."""
        self._intend(outcome=outcome, severity=None, unclear=False)

    def intend_unclear(self) -> None:
        """Put the item on the list for the next version of the policy instead; nothing is saved before it has its note."""
        self._intend(outcome=None, severity=None, intent=None, unclear=True)

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
        if self.entries and rationale != self.intended.rationale:
            self._intend(rationale=rationale)

    def withdraw(self) -> None:
        """Take back the picked outcome; clause and reason stay."""
        if self.entries:
            self._intend(outcome=None, severity=None, unclear=False)

    def rule(self) -> None:
        """Settle the item on screen as intended, or put it on the list for the next version.

        Raises:
            LabelRefused: No outcome is picked, or it lacks its severity or its reason.
        """
        intended = self.intended
        if intended.unclear:
            self._collect(intended)
            return
        if self.entry is not None and not self.entry.labels_differ and intended.intent is None:
            raise LabelRefused("the labels agree here: i rules on the intent, which is what is in dispute")
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
        if not self.entries:
            raise LabelRefused(NOTHING_OPEN)
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
        self._save(act, then=partial(self._ruled_on, item_id))

    def undo(self) -> Event | None:
        """Take back the last act that stands and show its item again; None where there is none."""
        last = self.last_act()
        if last is not None:
            self._save(Act("undo", last.item_id, target=last.id), then=partial(self._undone, last))
        return last

    def last_act(self) -> Event | None:
        """The ruling, or the item put on the list, that `undo` would take back."""
        return dispute_rows.last_act(self._disputes, self.adjudicator.id)

    def move(self, step: int) -> None:
        """Go to another open item without settling this one; around at the ends."""
        if self.entries:
            self.index = (self.index + step) % len(self.entries)

    def refresh(self) -> None:
        """Read what waits again, as other people label meanwhile; stay with the item, else near where we were."""
        entry = self.entry
        self._read_queue()
        if entry is not None:
            self._go_to(entry.item_id)

    def weigh(self, weighed: Weighed, *, to_front: bool) -> None:
        """Put the queue in order by what was weighed.

        Args:
            weighed: What hangs on what.
            to_front: Begin with the first; else the item on screen stays.
        """
        self.weighed = weighed
        self.refresh()
        if to_front:
            self.index = 0

    def _read_queue(self) -> None:
        self._rulings = dispute_rows.rulings(self._disputes)
        influence = self.weighed.influence if self.weighed is not None else {}
        self.entries = in_order(read_queue(self._disputes, self._ruled), influence)
        self.index = min(self.index, max(len(self.entries) - 1, 0))

    @property
    def _ruled(self) -> Mapping[str, str]:
        """Prompt id -> what it was ruled to be; prompts that say the same are known once the queue is weighed."""
        said_alike = self.weighed.ruled_intents if self.weighed is not None else {}
        return {**said_alike, **ruled_by_prompt(self._rulings)}

    def _go_to(self, item_id: str) -> bool:
        place = next((place for place, entry in enumerate(self.entries) if entry.item_id == item_id), None)
        if place is not None:
            self.index = place
        return place is not None

    def _item_id(self) -> str:
        return self.entries[self.index].item_id

    def _intend(self, **changes: object) -> None:
        if not self.entries:
            raise LabelRefused(NOTHING_OPEN)
        self._intended[self._item_id()] = replace(self.intended, **changes)  # type: ignore[arg-type]  # field by field above

    def _proposed(self, entry: Entry) -> Intended:
        """Where the labels agree, what they agree on stands already, and only the intent has to be ruled on."""
        if entry.labels_differ:
            return Intended()
        gold = settle(self._events_on(entry.item_id))
        if gold is None or gold.outcome is None or self.policy.outcome(gold.outcome) is None:
            return Intended()
        basis = gold.settlement or gold.labels[0]
        return Intended(
            gold.outcome, severity=str(basis.body.get("severity", "")) or None, clause=str(basis.body.get("clause", "")) or None
        )

    def _collect(self, intended: Intended) -> None:
        item_id = self._item_id()
        act = labels.unclear(self.policy, item_id=item_id, note=intended.rationale, clause=intended.clause)
        self._save(act, then=partial(self._collected, item_id))

    def _collected(self, item_id: str) -> None:
        self._intended.pop(item_id, None)
        self.collected += 1
        self._read_queue()

    def _ruled_on(self, item_id: str) -> None:
        self._intended.pop(item_id, None)
        self.settled += 1
        self._read_queue()

    def _undone(self, last: Event) -> None:
        if last.kind == "resolution":
            self.settled = max(self.settled - 1, 0)
        else:
            self.collected = max(self.collected - 1, 0)
        self._read_queue()
        self._go_to(last.item_id)

    def _events_on(self, item_id: str) -> list[Event]:
        return self.store.events_on([item_id]).get(item_id, [])

    def _on_the_table(self, item_id: str) -> list[str]:
        gold = settle(self._events_on(item_id))
        return [event.id for event in (*gold.labels, *gold.undecided)] if gold else []

    def _look(self, entry: Entry) -> Dispute:
        influence = self.weighed.influence.get(entry.item_id) if self.weighed is not None else None
        known = Known(self._rulings, self._ruled, influence)
        return look(self.store, self.policy, entry, known, cites=self.intended.clause)
