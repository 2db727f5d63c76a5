"""Labelling: the item large on the left, what can be decided on the right. The session decides; this shows and asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message

from adjudicate.core.labels import Event
from adjudicate.errors import AdjudicateError, BusyStore, LabelRefused
from adjudicate.tui.bench import Bench, with_own_store
from adjudicate.tui.drafts import DraftKeeper
from adjudicate.tui.key_gate import KeyGate
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.labelling_view import LabellingView
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView
from adjudicate.tui.widgets.outcome_list import keyed_grades
from adjudicate.tui.widgets.status_line import SidedLine
from adjudicate.workflow.label_items import LabellingSession, Unsaved

QUICK_SECONDS = 0.1
"""How long the screen itself waits for the lock; then a worker does, and the screen says so."""
PATIENT_SECONDS = 30
WIDTHS_AFTER_SECONDS = 2.0
"""Statistics load after the first item is up, not before."""
WIDTHS_EVERY = 10
DIGITS = frozenset("123456789")
REVEALING = frozenset({"label.confirm", "label.overrule"})


class LabellingScreen(Workplace):
    """One person going through their list."""

    PLACE = "label"
    PANES = ("response", "prompt", "clauses", "verdict")
    BINDINGS = bindings_for("label")  # noqa: RUF012 - Textual's declaration
    DEFAULT_CSS = """
    LabellingScreen {
        #left { width: 1fr; }
        #right { width: 35%; min-width: 42; max-width: 64; }
        #prompt { height: 24%; min-height: 5; }
        #response { height: 1fr; }
        #clauses { height: 1fr; min-height: 4; }
        #verdict { height: 10; }
        &.-short #verdict { height: 7; }
        #outcome-line, #clause-line, #verdict-line { display: none; border: none; padding: 0 1; }
        &.-narrow {
            #decide, #prompt, #response, #clauses, #verdict, #left, #right { display: none; }
            #left, #right { width: 1fr; max-width: 100%; }
            #prompt, #response, #clauses, #verdict { height: 1fr; }
            #outcome-line { display: block; height: 2; }
            #clause-line, #verdict-line { display: block; height: 1; }
        }
        &.-narrow.-at-response { #left, #response { display: block; } }
        &.-narrow.-at-prompt { #left, #prompt { display: block; } }
        &.-narrow.-at-clauses { #right, #clauses { display: block; } }
        &.-narrow.-at-verdict { #right, #verdict { display: block; } #verdict-line { display: none; } }
    }
    """

    class Saved(Message):
        """A worker saved what the screen could not."""

        def __init__(self, event: Event) -> None:
            super().__init__()
            self.event = event

    class NotSaved(Message):
        """Nobody could save it; the item stays."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    class Widths(Message):
        """How wide the intervals are by now."""

        def __init__(self, widths: Mapping[str, float | None]) -> None:
            super().__init__()
            self.widths = widths

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.session = LabellingSession(
            bench.store, policy=bench.policy, annotator=bench.annotator, clock=bench.clock, assisted=bench.assisted
        )
        self.session.wait = QUICK_SECONDS
        self.saving = False
        self.gate = KeyGate(bench.clock.tick)
        self.drafts = DraftKeeper(bench.database, bench.annotator.id)
        self._view = LabellingView(self)
        self._measured_at = 0

    def compose(self) -> ComposeResult:
        """Panes in their places; which of them show is the stylesheet's business."""
        yield SidedLine(id="status")
        with Horizontal(classes="columns"):
            with Vertical(id="left"):
                yield LineView(id="prompt", hint="[ ] turn")
                yield LineView(id="response", hint="space page")
            with Vertical(id="right"):
                decide = LineView(id="decide", hint="digit saves · u undo")
                # Border and rows; the number of outcomes is the policy's and does not change while labelling.
                decide.styles.height = max(len(self.bench.policy.outcomes), 5) + 2
                yield decide
                yield LineView(id="clauses", hint="p all clauses · / search")
                yield LineView(id="verdict")
        yield LineView(id="outcome-line", measure=1000)
        yield LineView(id="clause-line", measure=1000)
        yield LineView(id="verdict-line", measure=1000)
        yield SidedLine(id="last")
        yield KeyBar()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Show the first item; statistics wait."""
        super().on_mount()
        self._show("")
        self.set_timer(WIDTHS_AFTER_SECONDS, self._measure)

    def on_resize(self) -> None:
        """The lines that depend on the width."""
        self._view.show_lines()

    def come_back(self) -> None:
        """A ruling, or a draw, may have been made meanwhile."""
        self.session.refresh()
        self._show("")

    # Keys

    def on_key(self, event: events.Key) -> None:
        """Stop what nobody meant before any binding sees it."""
        super().on_key(event)
        burst = self.gate.is_burst(event.time)
        labels = event.key in DIGITS or event.key == "enter"
        if labels and (burst or self.gate.is_repeat(event.key)):
            event.stop()
            event.prevent_default()

    def action_digit(self, digit: str) -> None:
        """An outcome, or the grade that a severe outcome waits for."""
        session = self.session
        if session.phase == "severity":
            grade = keyed_grades(session.policy).get(digit)
            if grade is None:
                self._view.refuse(f"{digit} is no severity: choose one of {', '.join(keyed_grades(session.policy))}, or esc")
                return
            self._do(lambda: session.grade(grade.id), key=digit)
            return
        outcome = session.policy.outcome_for_key(digit)
        if outcome is None:
            self._view.refuse(f"{digit} is no outcome of this policy")
            return
        self._do(lambda: session.choose(outcome.id), key=digit)

    def action_keep(self) -> None:
        """Let the label stand."""
        self._do(self.session.keep, key="enter")

    def action_confirm(self) -> None:
        """Label as the verdict says."""
        self._do(self.session.confirm, key="a")

    def action_overrule(self) -> None:
        """Say that the verdict is wrong; the outcome follows."""
        view = self.session.view
        if view is not None and view.mode == "blind":
            self._view.refuse("the verdict is hidden until you decide: choose an outcome with its digit")
        elif view is not None:
            self._view.say("overruling: choose the outcome that holds with its digit")

    def action_undo(self) -> None:
        """Take back the last act."""
        self._do(lambda: self.session.undo() or self._view.refuse("there is nothing of yours to undo"))

    def action_skip(self) -> None:
        """Leave the item for now."""
        self._do(self.session.skip, key="s")

    def action_undecided(self) -> None:
        """The policy does not settle it."""
        self._do(self.session.undecided, key="S")

    def action_flag(self) -> None:
        """Flag, or not."""
        self._do(self.session.flag)

    def action_low_confidence(self) -> None:
        """Low confidence, or not."""
        self._do(self.session.toggle_low_confidence)

    def action_next(self) -> None:
        """On, without deciding."""
        self._do(self.session.next)

    def action_previous(self) -> None:
        """Back."""
        self._do(self.session.previous)

    def action_cancel(self) -> None:
        """Step back from the question of severity."""
        self._do(self.session.cancel)

    def action_turn(self, step: int) -> None:
        """To another turn of the conversation."""
        if self.is_narrow:
            self.activate(self.PANES.index("prompt"))
        prompt = self.pane("prompt")
        heading = prompt.paragraph_at_top() // 2 * 2
        prompt.start_at(max(heading + 2 * step, 0))

    # Dialogs

    def action_policy(self) -> None:
        """All clauses; Enter cites."""
        self._open_policy(searching=False)

    def action_search(self) -> None:
        """Search the clauses."""
        self._open_policy(searching=True)

    def _open_policy(self, *, searching: bool) -> None:
        view = self.session.view
        if view is None:
            self.open_policy((), searching=searching)
            return
        self.open_policy(view.clauses, cited=self.session.clause, searching=searching, then=self._cite)

    def _cite(self, clause: str | None) -> None:
        if clause is not None:
            self._do(lambda: self.session.cite(None if clause == self.session.clause else clause))

    def action_note(self) -> None:
        """Write a note."""
        from adjudicate.tui.screens.note_dialog import NoteDialog

        view = self.session.view
        if view is None or self.saving:
            self._view.refuse("there is no item to write a note on")
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
            self._do(lambda: self.session.note(text))
        elif self.session.view is not None:
            self._view.say("not saved as a note: what you typed stays as a draft (c)")

    @work(thread=True, group="draft", exit_on_error=False)
    def _write_draft(self) -> None:
        self.drafts.write()

    def action_contest(self) -> None:
        """Contest the declared intent."""
        from adjudicate.tui.screens.intent_dialog import IntentDialog

        view = self.session.view
        if view is None or self.saving:
            self._view.refuse("there is no item to contest")
            return
        self.app.push_screen(IntentDialog(view.item.prompt.intent, view.own.contested), self._contested)

    def _contested(self, intent: str | None) -> None:
        if intent is not None:
            self._do(lambda: self.session.contest(intent))

    # Saving

    def _do(self, act: Callable[[], object], key: str = "") -> None:
        """One act of the session: what it saved is safe when it returns; then the screen follows."""
        if self.saving:
            self._view.refuse("still saving your last act: this key did nothing")
            return
        try:
            act()
        except LabelRefused as refusal:
            self._view.refuse(str(refusal))
            return
        except BusyStore as busy:
            if self.session.unsaved is None:
                self._view.not_saved(str(busy))
                return
            self.saving = True
            self._view.saving()
            self._save_elsewhere(self.session.unsaved)
            return
        except AdjudicateError as problem:
            self._view.not_saved(str(problem))
            return
        self._show(key)

    @work(thread=True, group="save", exit_on_error=False)
    def _save_elsewhere(self, unsaved: Unsaved) -> None:
        """Wait for the lock where nobody is kept waiting."""
        person, policy = self.session.annotator.id, self.session.policy.fingerprint
        try:
            event = with_own_store(
                self.bench.database,
                lambda store: store.append(person, unsaved.act, policy=policy, at=unsaved.at, wait=PATIENT_SECONDS),
            )
        except AdjudicateError as problem:
            self.post_message(self.NotSaved(str(problem)))
        else:
            self.post_message(self.Saved(event))

    def on_labelling_screen_saved(self, message: Saved) -> None:
        """Go on where the act left off."""
        self.saving = False
        self._do(lambda: self.session.saved(message.event))

    def on_labelling_screen_not_saved(self, message: NotSaved) -> None:
        """The item stays; the same key tries again."""
        self.saving = False
        self.session.unsaved = None
        self._view.not_saved(message.reason)

    # Showing

    def _show(self, key: str) -> None:
        if self._view.show_item():
            self.gate.new_item(key)
            self.call_after_refresh(self.gate.painted)
        self.query_one(KeyBar).grey(REVEALING if self.session.view is None or self.session.view.mode == "blind" else ())
        if self.session.progress.done - self._measured_at >= WIDTHS_EVERY:
            self._measure()

    def _measure(self) -> None:
        self._measured_at = self.session.progress.done
        self._compute_widths()

    @work(thread=True, exclusive=True, group="widths", exit_on_error=False)
    def _compute_widths(self) -> None:
        from adjudicate.workflow.build_report import interval_widths

        self.post_message(self.Widths(with_own_store(self.bench.database, interval_widths)))

    def on_labelling_screen_widths(self, message: Widths) -> None:
        """Show the width for the population on screen, never a rate."""
        self._view.widths = message.widths
        self._view.show_lines()
