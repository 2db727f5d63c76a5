"""What the labelling screen asks in dialogs (a clause, a note, an intent) and shows in them (hidden signs, the pair twin)."""

from __future__ import annotations

from abc import abstractmethod

from textual import work

from adjudicate.tui.bench import Bench
from adjudicate.tui.drafts import DraftKeeper
from adjudicate.tui.screens.saving import SavingWorkplace
from adjudicate.workflow.label_items import LabellingSession


class LabellingDialogs(SavingWorkplace):
    """The half of the screen that asks. What a dialog returns becomes an act of the session."""

    session: LabellingSession

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.drafts = DraftKeeper(bench.database, bench.annotator.id)

    @abstractmethod
    def say(self, words: str) -> None:
        """Tell the person something that needs nothing done."""

    @property
    @abstractmethod
    def veiled(self) -> bool:
        """Whether the response is behind the veil."""

    def action_policy(self) -> None:
        """All clauses; Enter cites."""
        view = self.session.view
        if view is None:
            self.open_policy(())
            return
        self.open_policy(view.clauses, cited=self.session.clause, then=self._cite)

    def _cite(self, clause: str | None) -> None:
        if clause is not None:
            self.do(lambda: self.session.cite(None if clause == self.session.clause else clause))

    def action_note(self) -> None:
        """Write a note."""
        from adjudicate.tui.screens.note_dialog import NoteDialog

        view = self.session.view
        if view is None:
            self.refuse("there is no item to write a note on")
            return
        if self.cannot_open():
            return
        item_id = view.item.id

        def keep(text: str) -> None:
            self.drafts.put(item_id, text)
            self._write_draft()

        def keep_now(text: str) -> None:
            self.drafts.put(item_id, text)
            self.drafts.write()

        self.app.push_screen(NoteDialog(self.session.draft() or view.own.note, keep=keep, keep_now=keep_now), self._noted)

    def _noted(self, text: str | None) -> None:
        if text is not None:
            self.drafts.drop()
            self.do(lambda: self.session.note(text))
        elif self.session.view is not None:
            self.say("not saved as a note: what you typed stays as a draft ({label.note})")

    @work(thread=True, group="draft", exit_on_error=False)
    def _write_draft(self) -> None:
        self.drafts.write()

    def action_contest(self) -> None:
        """Contest the declared intent."""
        from adjudicate.tui.screens.intent_dialog import IntentDialog

        view = self.session.view
        if view is None:
            self.refuse("there is no item to contest")
            return
        if self.cannot_open():
            return
        self.app.push_screen(IntentDialog(view.item.prompt.intent, view.own.contested), self._contested)

    def _contested(self, intent: str | None) -> None:
        if intent is not None:
            self.do(lambda: self.session.contest(intent))

    def action_hidden(self) -> None:
        """What the item hides."""
        from adjudicate.tui.screens.hidden_dialog import HiddenDialog

        view = self.session.view
        if view is None:
            self.refuse("there is no item to look into")
            return
        turns = [(f"prompt [{place}]", turn.content) for place, turn in enumerate(view.item.prompt.messages, start=1)]
        self.app.push_screen(HiddenDialog([*([] if self.veiled else [("response", view.item.response)]), *turns]))

    def action_twin(self) -> None:
        """The other half of the pair."""
        from adjudicate.tui.screens.twin_dialog import TwinDialog

        view = self.session.view
        if view is None or not view.item.prompt.pair:
            self.refuse("this item has no pair twin")
        else:
            self.app.push_screen(TwinDialog(self.bench, view.item, raw=self.pane("response").raw))
