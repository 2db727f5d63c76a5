"""Labelling, blind first: what the labelling screen holds and asks. The screen decides nothing; this does.

An item is *deciding* until a digit is pressed. A blind label is committed at once; where it differs from the verdict the
item is *revealed* and stays until the person keeps or changes the label. All acts are durable when a method returns.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from adjudicate.core import labels
from adjudicate.core.items import Verdict
from adjudicate.core.labels import Act, Event, Mode
from adjudicate.core.policy import Policy
from adjudicate.core.policy_changes import policy_changes
from adjudicate.errors import LabelRefused
from adjudicate.storage.rows import Annotator, Pick
from adjudicate.storage.store import Store
from adjudicate.workflow.acting import Acting, Clock
from adjudicate.workflow.item_view import ItemView, dealt_with, own_acts, shown_verdict
from adjudicate.workflow.own_list import OwnList, Progress, WorkList

Phase = Literal["deciding", "severity", "revealed", "finished", "empty"]

BEYOND_THE_END = 2**62
"""A position that no list reaches."""
LABELLING_ACTS = ("label", "skip", "undecided", "flag", "note", "contest")


class LabellingSession(Acting):
    """One person labelling their list in one window."""

    def __init__(
        self,
        store: Store,
        *,
        policy: Policy,
        annotator: Annotator,
        clock: Clock,
        assisted: bool = False,
        work: WorkList | None = None,
    ) -> None:
        super().__init__(store, policy, annotator, clock)
        self.work: WorkList = work or OwnList(store, annotator.id)
        """What is gone through: the person's list of the samples, or what is given."""
        self.annotator = annotator
        self.assisted = assisted
        """Show the verdict at once, whatever the draw says (the labels then count as assisted)."""
        self.phase: Phase = "deciding"
        self.view: ItemView | None = None
        self.severe: str | None = None
        """The outcome that waits for its severity."""
        self.low_confidence = False
        self.clause: str | None = None
        """Cited for the label to come."""
        self.label_times: list[float] = []
        """Steady-clock times of the labels of this window, for the pace."""
        self._shown_at = 0.0
        self._progress = Progress(0, 0)
        self._count_again()
        self._forward(after=-1)

    # What the screen shows

    @property
    def progress(self) -> Progress:
        """Items done and in all, without a query."""
        return self._progress

    @property
    def number(self) -> int:
        """Place of the item on screen, from 1. A hidden repeat counts like any item, so that nothing gives it away."""
        view, progress = self.view, self._progress
        if view is None:
            return progress.total
        if self.phase == "revealed":
            return progress.done
        return min(self.work.place(view.pick), progress.total) if dealt_with(view.own) else progress.done + 1

    @property
    def pace(self) -> float | None:
        """Labels per hour over the last 20 labels of this window; None before the third."""
        times = self.label_times[-20:]
        if len(times) < 3 or times[-1] <= times[0]:
            return None
        return (len(times) - 1) / (times[-1] - times[0]) * 3600

    @property
    def why_again(self) -> str:
        """What changed in the policy so that the person's label here has to be made again; empty where it stands."""
        again = self.view.own.again if self.view is not None else None
        if again is None:
            return ""
        return ", ".join(policy_changes(self.store.policy(again.policy), self.policy).reasons(again))

    # Acts

    def choose(self, outcome: str, severity: str | None = None) -> Phase:
        """Label the current item; the first key of a severe outcome only asks for the grade.

        Raises:
            LabelRefused: The policy does not define it, or there is nothing to label.
            BusyStore: Not saved; the item stays, try again.
        """
        view = self._current()
        defined = self.policy.outcome(outcome)
        if defined is not None and defined.severe and severity is None and self.policy.severities:
            self.phase, self.severe = "severity", outcome
            return self.phase
        act = labels.label(
            self.policy,
            item_id=view.item.id,
            outcome=outcome,
            mode=view.mode,
            severity=severity,
            clause=self.clause,
            confidence="low" if self.low_confidence else None,
            seconds=round(self.clock.tick() - self._shown_at, 2),
            round=view.pick.round,
        )
        self._save(act, then=partial(self._labelled, view, outcome))
        return self.phase

    def grade(self, severity: str) -> Phase:
        """The second key of a severe outcome."""
        if self.severe is None:
            raise LabelRefused("no outcome waits for a severity")
        outcome, self.severe = self.severe, None
        self.phase = "deciding"
        return self.choose(outcome, severity)

    def cancel(self) -> Phase:
        """Step back from the severity question; nothing was saved."""
        if self.phase == "severity":
            self.severe = None
            self.phase = "revealed" if self.view is not None and self.view.mode == "revealed" else "deciding"
        return self.phase

    def keep(self) -> Phase:
        """Let a label that stands be and go on; labels nothing."""
        view = self._current()
        if self.phase != "revealed" and view.own.label is None:
            raise LabelRefused("nothing is waiting to be kept: choose an outcome with its digit")
        self._forward(after=view.pick.position)
        return self.phase

    def confirm(self) -> Phase:
        """Label as the verdict says. Only where the verdict is on screen."""
        verdict = self._current().verdict
        if verdict is None:
            raise LabelRefused("the verdict is hidden until you decide: choose an outcome with its digit")
        if verdict.outcome is None:
            raise LabelRefused("the judge failed on this item: choose an outcome with its digit")
        own = self._current().own.label
        if self.phase == "revealed" and own is not None and own.outcome == verdict.outcome:
            return self.keep()
        return self.choose(verdict.outcome)

    def skip(self) -> Phase:
        """Leave the item for now: a recorded non-response unless it is labelled later."""
        return self._set_aside("skip")

    def undecided(self) -> Phase:
        """Say that the policy does not settle this item; it goes to the adjudicator."""
        return self._set_aside("undecided")

    def flag(self) -> None:
        """Flag the item for a second look, or take the flag away."""
        view = self._current()
        act = Act("flag", view.item.id, round=view.pick.round, body={"on": not view.own.flagged})
        self._save(act, then=self._look_again)

    def note(self, text: str) -> None:
        """Save a note on the item and drop its draft; an empty note is not saved."""
        view = self._current()
        if text.strip():
            self._save(Act("note", view.item.id, round=view.pick.round, note=text), then=partial(self._noted, view.item.id))
        else:
            self._noted(view.item.id)

    def keep_draft(self, text: str) -> None:
        """Keep an unfinished note, so that a closed terminal loses nothing."""
        self.store.put_draft(self.annotator.id, self._current().item.id, text)

    def draft(self) -> str:
        """The unfinished note on the current item."""
        return self.store.draft(self.annotator.id, self._current().item.id)

    def toggle_low_confidence(self) -> None:
        """Mark the label (made or to be made) as of low confidence, or not."""
        self.low_confidence = not self.low_confidence
        self._revise()

    def cite(self, clause: str | None) -> None:
        """Cite a clause for the label (made or to be made); None takes it away."""
        if clause is not None and self.policy.clause(clause) is None:
            raise LabelRefused(f"the policy has no clause {clause!r}")
        self.clause = clause
        self._revise()

    def contest(self, intent: str) -> None:
        """Hold that the declared intent is wrong and which one is right."""
        view = self._current()
        self._save(labels.contest(item_id=view.item.id, intent=intent, round=view.pick.round), then=self._look_again)

    def last_act(self) -> Event | None:
        """What `undo` would take back."""
        return self.store.last_act(self.annotator.id, LABELLING_ACTS, triage=self.work.is_triage)

    def undo(self) -> Event | None:
        """Take back the last act that stands, however old, and go to its item; None where there is none."""
        last = self.last_act()
        if last is None:
            return None
        self._save(Act("undo", last.item_id, target=last.id, round=last.round), then=partial(self._undone, last))
        return last

    # Moving

    def next(self) -> Phase:
        """On to the next open item without deciding this one; from the end back to the first open one."""
        self._forward(after=self._current().pick.position)
        return self.phase

    def previous(self) -> Phase:
        """Back to the item before, decided or not."""
        position = self.view.pick.position if self.view is not None else BEYOND_THE_END
        pick = self.work.before(position)
        if pick is not None:
            self._show(pick)
        return self.phase

    def visit(self, item_id: str) -> Phase:
        """Show an item of the list out of its turn, to look at it again.

        Raises:
            StoreError: It is not on the list.
        """
        self._show(self.work.entry(item_id, 0))
        return self.phase

    def refresh(self) -> None:
        """Read again what may have changed meanwhile: the list, and the item on screen."""
        self._count_again()
        if self.view is None:
            self._forward(after=-1)
        else:
            self._look_again()

    def resumed(self) -> None:
        """The program was in the background: what passed meanwhile is no time spent on the item."""
        self._shown_at = self.clock.tick()

    # Inside

    def _current(self) -> ItemView:
        if self.view is None:
            more = "send more to triage from the list of items" if self.work.is_triage else "draw more with 'adjudicate draw'"
            raise LabelRefused(f"there is nothing left to label; {more}")
        return self.view

    def _differs(self, view: ItemView, outcome: str) -> bool:
        verdict = self._verdict(view.pick)
        return verdict is not None and verdict.outcome is not None and verdict.outcome != outcome

    def _verdict(self, pick: Pick) -> Verdict | None:
        return shown_verdict(self.store.verdicts(pick.item_id), pick.judge)

    def _labelled(self, view: ItemView, outcome: str) -> None:
        self.label_times.append(self.clock.tick())
        if not dealt_with(view.own):
            self._count(1)
        if view.mode == "blind" and self._differs(view, outcome):
            self.phase = "revealed"
            self.view = self._look(view.pick)
        else:
            self._forward(after=view.pick.position)

    def _noted(self, item_id: str) -> None:
        self.store.put_draft(self.annotator.id, item_id, "")
        self._look_again()

    def _undone(self, last: Event) -> None:
        self._count_again()
        self._show(self.work.entry(last.item_id, last.round))

    def _set_aside(self, kind: Literal["skip", "undecided"]) -> Phase:
        view = self._current()
        # The clause that was cited is the one that does not settle it: whoever writes the next version looks for it.
        body = {"clause": self.clause} if kind == "undecided" and self.clause else {}
        self._save(Act(kind, view.item.id, round=view.pick.round, body=body), then=partial(self._passed, view))
        return self.phase

    def _passed(self, view: ItemView) -> None:
        if not dealt_with(view.own):
            self._count(1)
        self._forward(after=view.pick.position)

    def _revise(self) -> None:
        """Carry a changed clause or confidence into a label that already stands; its mode stays what it was."""
        view = self._current()
        own = view.own.label
        if own is None or own.outcome is None:
            return
        act = labels.label(
            self.policy,
            item_id=view.item.id,
            outcome=own.outcome,
            mode=own.mode or "blind",
            severity=own.body.get("severity"),
            clause=self.clause,
            confidence="low" if self.low_confidence else None,
            seconds=own.body.get("seconds"),
            round=view.pick.round,
        )
        self._save(act, then=self._look_again)

    def _count(self, more: int) -> None:
        self._progress = Progress(self._progress.done + more, self._progress.total)

    def _forward(self, after: int) -> None:
        """Show the next open item of the list, claiming more from an open sample when it runs out."""
        pick = self.work.next(after) or self.work.next(-1)
        if pick is None and self.work.more(self.clock.now()):
            pick = self.work.next(-1)
            self._count_again()
        if pick is None:
            self.view = None
            self.phase = "finished" if self._progress.total else "empty"
            return
        self._show(pick)

    def _count_again(self) -> None:
        self._progress = self.work.progress()

    def _show(self, pick: Pick) -> None:
        self.view = self._look(pick)
        self.phase = "deciding"
        self.severe = None
        label = self.view.own.label
        self.low_confidence = bool(label and label.body.get("confidence") == "low")
        self.clause = label.body.get("clause") if label else None
        self._shown_at = self.clock.tick()

    def _look_again(self) -> None:
        self.view = self._look(self._current().pick)

    def _look(self, pick: Pick) -> ItemView:
        item = self.store.item(pick.item_id)
        own = own_acts(self.store.own_events(self.annotator.id, pick.item_id), pick.round, self._note_text)
        mode: Mode = "assisted" if self.assisted or not pick.blind else "blind"
        if mode == "blind" and own.touched:
            mode = "revealed"
        verdict = self._verdict(pick) if mode != "blind" else None
        clauses = self.policy.clauses_for(item.prompt.intent, item.prompt.category)
        return ItemView(item, pick, clauses, own, verdict, mode)

    def _note_text(self, event: Event) -> str:
        return self.store.notes([event.id]).get(event.id, "")
