"""Disagreements: positions side by side without names, one ruling with its reason. The session decides; this shows and asks."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from adjudicate.core.grades import keyed_grades
from adjudicate.tui.bench import Bench
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.case_dialog import CaseDialog
from adjudicate.tui.screens.disagreements_view import BROAD_FROM, WHY, DisagreementsView
from adjudicate.tui.screens.disagreements_work import DisputeWork
from adjudicate.tui.screens.reading import ReadingPlace
from adjudicate.tui.screens.saving import QUICK_SECONDS, SavingWorkplace
from adjudicate.tui.screens.workplace import PaneScreen
from adjudicate.tui.theme import HARM
from adjudicate.tui.widgets import dispute_rows
from adjudicate.tui.widgets.find_line import FindLine
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView
from adjudicate.tui.widgets.status_line import SidedLine
from adjudicate.workflow.precedents import with_texts
from adjudicate.workflow.resolve_disagreements import ResolvingSession

READING_SECONDS = 4.0
"""On screen for longer than this an item is being read, also where no key was pressed yet."""
MOST_PRECEDENTS = 30
"""Earlier rulings that are opened with their texts."""
NOTHING_OPEN = "nothing is open"


class DisagreementsScreen(SavingWorkplace, ReadingPlace, DisputeWork):
    """An adjudicator going through what waits."""

    PLACE = "resolve"
    PANES = ("text", "who", "settle")
    PANE_TITLES = ("Text", "Who said what", "Settle")
    TEXTS = ("text",)
    BINDINGS = bindings_for("resolve")
    HORIZONTAL_BREAKPOINTS = [*PaneScreen.HORIZONTAL_BREAKPOINTS, (BROAD_FROM, "-broad")]  # noqa: RUF012 - Textual's declaration
    DEFAULT_CSS = """
    DisagreementsScreen {
        #open { width: 38; height: 1fr; }
        #right { width: 1fr; }
        #reading { height: 1fr; }
        #text { height: 1fr; }
        #who { height: 1fr; }
        #settle { height: 7; }
        &.-broad #reading { layout: horizontal; }
        &.-broad #text, &.-broad #who { width: 1fr; height: 100%; }
        #reason { height: 3; border: round $frame; background: $background; padding: 0 1; border-title-color: $foreground; }
        #reason:focus { border: round $focus; background-tint: $background 0%; }
        #reason > .input--placeholder { color: $quiet; }
        #outcome-line { display: none; border: none; height: 4; padding: 0 1; }
        &.-narrow {
            #open, #text, #who, #settle { display: none; }
            #reading { height: 1fr; }
            #text, #who, #settle { height: 1fr; }
            #outcome-line { display: block; }
        }
        &.-narrow.-at-text #text { display: block; }
        &.-narrow.-at-who #who { display: block; }
        &.-narrow.-at-settle { #reading { display: none; } #settle { display: block; } }
    }
    """

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.session = ResolvingSession(bench.store, policy=bench.policy, adjudicator=bench.annotator, clock=bench.clock)
        self.session.wait = QUICK_SECONDS
        self._view = DisagreementsView(self)
        self._is_touched = False
        """Whether the person has pressed a key here: then no order of the queue takes the item on screen away."""
        self._shown_at = 0.0

    def compose(self) -> ComposeResult:
        """The queue, the item, who said what, and the ruling."""
        yield SidedLine(id="status")
        with Horizontal(classes="columns"):
            yield LineView(id="open", hint="{move.next} {move.previous} move")
            with Vertical(id="right"):
                with Vertical(id="reading"):
                    yield LineView(id="text", hint="{read.page} page · {read.find} find · {read.raw} raw")
                    yield LineView(id="who", hint="{resolve.rulings} earlier rulings · {resolve.history} history")
                hint = "digit, then the reason; enter saves · {resolve.unclear} policy unclear"
                yield LineView(id="settle", measure=1000, hint=hint)
        yield LineView(id="outcome-line", measure=1000)
        reason = Input(placeholder=WHY, id="reason")
        reason.border_title = "Reason"
        yield reason
        yield SidedLine(id="last")
        yield KeyBar()
        yield FindLine()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Show the oldest item; the order by what hangs on it comes from a worker."""
        super().on_mount()
        self._view.show()
        self._shown_at = self.bench.clock.tick()
        self.start_weighing(self.session.weighed)

    def on_resize(self) -> None:
        """Positions stand side by side where there is room."""
        super().on_resize()
        self._view.show()

    def come_back(self) -> None:
        """Someone may have labelled meanwhile."""
        self.session.refresh()
        self._view.show()
        self.start_weighing(self.session.weighed)

    # Keys

    def on_key(self, event: events.Key) -> None:
        """From the first key on the item on screen stays until the person leaves it."""
        super().on_key(event)
        self._is_touched = True

    def action_digit(self, digit: str) -> None:
        """Pick the outcome, or the severity that it waits for; the reason comes next."""
        session = self.session
        dispute = session.dispute
        if dispute is not None and self._view.is_veiled(dispute):
            self.refuse("the response is behind the veil: {label.unveil} lifts it; nothing is settled unread")
            return
        if session.needs_severity:
            grade = keyed_grades(session.policy).get(digit)
            if grade is None:
                self.refuse(f"{digit} is no severity: choose one of {', '.join(keyed_grades(session.policy))}")
                return
            self.do(lambda: session.grade(grade.id))
        else:
            outcome = session.policy.outcome_for_key(digit)
            if outcome is None:
                self.refuse(f"{digit} is no outcome of this policy")
                return
            self.do(lambda: session.intend(outcome.id))
        if session.is_complete:
            self.action_reason()

    def action_unclear(self) -> None:
        """Put the item on the list for the next version of the policy; what is unclear comes next."""
        self.do(self.session.intend_unclear)
        self.action_reason()

    def action_intent(self) -> None:
        """Rule on the intent of the prompt as well."""
        self.do(self.session.next_intent)

    def action_reason(self) -> None:
        """Write the reason."""
        if not self.session.entries:
            self.refuse(NOTHING_OPEN)
        elif not self.cannot_open():
            self.query_one("#reason", Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """The reason stays with its item."""
        self.session.reason(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in the reason saves the ruling."""
        event.stop()
        self.do(self.session.rule)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """While the reason is written the keys are its letters."""
        if event.widget.id == "reason":
            self.query_one(KeyBar).tell("enter saves · esc back to the keys, what you wrote stays")

    def on_descendant_blur(self) -> None:
        """Keys again."""
        self.query_one(KeyBar).tell("")

    def action_cancel(self) -> None:
        """From the reason, or from what is looked for, back to the keys; then take the picked outcome back. The reason stays."""
        if self.focused is not None and self.focused.id == "reason":
            self.set_focus(None)
        elif not self.forget_words():
            self.do(self.session.withdraw)

    def action_undo(self) -> None:
        """Take back the last ruling, or what was put on the list."""
        if self.session.last_act() is None:
            self.refuse("there is no ruling of yours to undo")
        else:
            self.do(self.session.undo)

    def action_move(self, step: int) -> None:
        """To another open item."""
        if len(self.session.entries) > 1:
            self.do(lambda: self.session.move(step))
        else:
            self.refuse("no other item is open" if self.session.entries else NOTHING_OPEN)

    # Reading

    def action_turn(self, step: int) -> None:
        """To another turn of the conversation."""
        self.pane("text").to_heading(step)

    def action_unveil(self) -> None:
        """Lift the veil from the response."""
        dispute = self.session.dispute
        if dispute is None or not self._view.is_veiled(dispute):
            self.refuse("there is no veil on this response")
        else:
            self._view.lift_veil(dispute)

    def action_rulings(self) -> None:
        """Earlier rulings under the same clause, in full; all of them where nothing is open."""
        dispute = self.session.dispute
        found = self.session.rulings if dispute is None else dispute.precedents
        under = "" if dispute is None else f" under {', '.join(clause.id for clause in dispute.cited) or 'no clause'}"
        shown = with_texts(self.session.store, found[:MOST_PRECEDENTS])
        many = f" · the latest {len(shown)} of {len(found)}" if len(found) > len(shown) else ""
        rows = dispute_rows.precedents_in_full(self.session.policy, shown)
        self.app.push_screen(CaseDialog(f"Earlier rulings{under}{many}", rows))

    def action_history(self) -> None:
        """All that happened to the item."""
        dispute = self.session.dispute
        if dispute is None:
            self.refuse(NOTHING_OPEN)
            return
        rows = dispute_rows.history_rows(self.session.policy, self.session.past)
        self.app.push_screen(CaseDialog(f"History of {dispute.item.id[:12]} · times in UTC", rows))

    def action_policy(self) -> None:
        """All clauses; Enter cites."""
        dispute = self.session.dispute
        fitting = dispute.clauses if dispute is not None else ()
        then = self._cite if dispute is not None else None
        self.open_policy(fitting, cited=self.session.intended.clause, then=then)

    def _cite(self, clause: str | None) -> None:
        if clause is not None:
            self.do(lambda: self.session.cite(None if clause == self.session.intended.clause else clause))

    # Counted in a worker

    def on_dispute_work_weighing(self, message: DisputeWork.Weighing) -> None:
        """What hangs on what is known: the queue gets its order. The item stays where somebody reads it or is at work on it."""
        is_read = self._is_touched or self.bench.clock.tick() - self._shown_at > READING_SECONDS
        self.session.weigh(message.weighed, to_front=not is_read)
        self._view.show()
        self._foresee()

    def on_dispute_work_foresight(self, message: DisputeWork.Foresight) -> None:
        """What the ruling moves is counted."""
        self._view.foreseen = (message.ruling, message.foreseen)
        self._view.show()

    def _foresee(self) -> None:
        ruling, weighed = self.session.intent_ruling, self.session.weighed
        known = self._view.foreseen
        if ruling is not None and weighed is not None and (known is None or known[0] != ruling):
            self.start_foreseeing(weighed, ruling)

    def worker_failed(self, group: str, name: str) -> None:
        """Without its weights the queue stays in the order of age."""
        super().worker_failed(group, name)
        if group in ("weigh", "foresee"):
            self._view.say(
                f"{HARM} what the rates hang on could not be counted ({name}): the oldest comes first", "$differs bold"
            )

    # Saving and showing

    @property
    def acting(self) -> ResolvingSession:
        """The session."""
        return self.session

    def refuse(self, words: str) -> None:
        """Say why a key did nothing."""
        self._view.say(f"{HARM} {words}", "$differs bold")

    def show_saving(self) -> None:
        """The item stays until it is saved."""
        self._view.say("someone else is writing: saving as soon as they are done", "$differs")

    def show_not_saved(self, reason: str) -> None:
        """The item stays; Enter tries again."""
        self._view.say(f"{HARM} not saved: {reason}", "$harm bold")

    def show_session(self, key: str) -> None:  # noqa: ARG002 - no key repeats here: every ruling has its reason
        """Show the item on screen and what is intended for it."""
        self._view.message = None
        self._view.show()
        self._foresee()

    def new_item(self) -> None:
        """Another item is on screen: the keys are commands again."""
        self.forget_words()
        self.set_focus(None)
