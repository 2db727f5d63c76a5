"""Disagreements: positions side by side without names, one ruling with its reason. The session decides; this shows and asks."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input

from adjudicate.core.grades import keyed_grades
from adjudicate.core.text import shortened, visible_line
from adjudicate.tui.bench import Bench
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.saving import QUICK_SECONDS, SavingWorkplace
from adjudicate.tui.theme import CHOSEN, DONE, HARM
from adjudicate.tui.widgets import item_text
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView, Paragraph
from adjudicate.tui.widgets.outcome_list import outcome_line
from adjudicate.tui.widgets.positions import intent_row, moves_rates, outcome_words, position_rows, ruling_rows
from adjudicate.tui.widgets.status_line import SidedLine, styled
from adjudicate.workflow.resolve_disagreements import Dispute, ResolvingSession

LISTED = 200
"""Rows of the list on either side of the item on screen."""
MOVES = f"{HARM} moves the prompt's rates: shown under both intents in the report"


class DisagreementsScreen(SavingWorkplace):
    """An adjudicator going through the open items."""

    PLACE = "resolve"
    PANES = ("text", "who", "settle")
    PANE_TITLES = ("Text", "Who said what", "Settle")
    BINDINGS = bindings_for("resolve")
    DEFAULT_CSS = """
    DisagreementsScreen {
        #open { width: 30; height: 1fr; }
        #right { width: 1fr; }
        #text { height: 1fr; }
        #who { height: 45%; }
        #settle { height: 6; }
        #reason { height: 3; border: round $frame; background: $background; padding: 0 1; border-title-color: $foreground; }
        #reason:focus { border: round $focus; background-tint: $background 0%; }
        #outcome-line { display: none; border: none; height: 4; padding: 0 1; }
        &.-narrow {
            #open, #text, #who, #settle { display: none; }
            #text, #who, #settle { height: 1fr; }
            #outcome-line { display: block; }
        }
        &.-narrow.-at-text #text { display: block; }
        &.-narrow.-at-who #who { display: block; }
        &.-narrow.-at-settle #settle { display: block; }
    }
    """

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.session = ResolvingSession(bench.store, policy=bench.policy, adjudicator=bench.annotator, clock=bench.clock)
        self.session.wait = QUICK_SECONDS
        self._message: tuple[str, str] | None = None
        self._shown: str | None = None

    def compose(self) -> ComposeResult:
        """The list, the item, who said what, and the ruling."""
        yield SidedLine(id="status")
        with Horizontal(classes="columns"):
            yield LineView(id="open", hint="n N move")
            with Vertical(id="right"):
                yield LineView(id="text", hint="space page")
                yield LineView(id="who")
                yield LineView(id="settle", measure=1000, hint="digit, then the reason; enter saves")
        yield LineView(id="outcome-line", measure=1000)
        reason = Input(placeholder="why this outcome holds under the policy (needed)", id="reason")
        reason.border_title = "Reason"
        yield reason
        yield SidedLine(id="last")
        yield KeyBar()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Show the first open item."""
        super().on_mount()
        self._show()

    def come_back(self) -> None:
        """Someone may have labelled meanwhile."""
        self.session.refresh()
        self._show()

    # Keys

    def action_digit(self, digit: str) -> None:
        """Pick the outcome, or the severity that it waits for; the reason comes next."""
        session = self.session
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
        if session.intended.outcome is not None and not session.needs_severity:
            self.action_reason()

    def action_intent(self) -> None:
        """Rule on the intent of the prompt as well."""
        self.do(self.session.next_intent)

    def action_reason(self) -> None:
        """Write the reason."""
        if self.session.queue and not self.saving:
            self.query_one("#reason", Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """The reason stays with its item."""
        self.session.reason(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in the reason saves the ruling."""
        event.stop()
        self.do(self.session.rule)

    def on_descendant_focus(self) -> None:
        """While the reason is written the keys are its letters."""
        self.query_one(KeyBar).tell("enter saves the ruling · esc back to the keys, the reason stays")

    def on_descendant_blur(self) -> None:
        """Keys again."""
        self.query_one(KeyBar).tell("")

    def action_cancel(self) -> None:
        """From the reason back to the keys; from there take the picked outcome back. The reason stays."""
        if self.focused is not None:
            self.set_focus(None)
        else:
            self.do(self.session.withdraw)

    def action_undo(self) -> None:
        """Take back the last ruling."""
        if self.session.last_act() is None:
            self.refuse("there is no ruling of yours to undo")
        else:
            self.do(self.session.undo)

    def action_next(self) -> None:
        """To the next open item."""
        self.do(lambda: self.session.move(1))

    def action_previous(self) -> None:
        """To the one before."""
        self.do(lambda: self.session.move(-1))

    def action_turn(self, step: int) -> None:
        """To another turn of the conversation."""
        text = self.pane("text")
        text.start_at(max(text.paragraph_at_top() // 2 * 2 + 2 * step, 0))

    def action_policy(self) -> None:
        """All clauses; Enter cites."""
        self._open_policy(searching=False)

    def action_search(self) -> None:
        """Search the clauses."""
        self._open_policy(searching=True)

    def _open_policy(self, *, searching: bool) -> None:
        dispute = self.session.dispute
        fitting = dispute.clauses if dispute is not None else ()
        then = self._cite if dispute is not None else None
        self.open_policy(fitting, cited=self.session.intended.clause, searching=searching, then=then)

    def _cite(self, clause: str | None) -> None:
        if clause is not None:
            self.do(lambda: self.session.cite(None if clause == self.session.intended.clause else clause))

    # Saving and showing

    @property
    def acting(self) -> ResolvingSession:
        """The session."""
        return self.session

    def refuse(self, words: str) -> None:
        """Say why a key did nothing."""
        self._say(f"{HARM} {words}", "$differs bold")

    def show_saving(self) -> None:
        """The item stays until it is saved."""
        self._say("someone else is writing: saving as soon as they are done", "$differs")

    def show_not_saved(self, reason: str) -> None:
        """The item stays; Enter tries again."""
        self._say(f"{HARM} not saved: {reason}", "$harm bold")

    def _say(self, words: str, style: str) -> None:
        self._message = (words, style)
        self._show_lines(self.session.dispute)

    def show_session(self, key: str) -> None:  # noqa: ARG002 - no key repeats here: every ruling has its reason
        """Show the item on screen and what is intended for it."""
        self._message = None
        self._show()

    def _show(self) -> None:
        session = self.session
        dispute = session.dispute
        self._show_lines(dispute)
        self._show_list()
        if dispute is None:
            self._show_nothing()
            return
        intended = session.intended
        is_new = dispute.item.id != self._shown
        self._shown = dispute.item.id
        if is_new:
            heading = [] if len(dispute.item.prompt.messages) > 1 else [Paragraph("prompt", "heading")]
            turns = [*heading, *item_text.turns(dispute.item.prompt)]
            text = [*turns, Paragraph("response", "heading"), *item_text.response(dispute.item)]
            title = f"{item_text.prompt_title(dispute.item.prompt)} · and its response"
            self.pane("text").show(text, title=title)
            self.set_focus(None)
        self.pane("who").show(position_rows(session.policy, dispute), title="Who said what")
        waiting = session.policy.outcome(intended.outcome or "") if session.needs_severity else None
        rows = (
            ruling_rows(session.policy, dispute, intended)
            if waiting is None
            else [outcome_line(session.policy, None, waiting), intent_row(dispute, intended)]
        )
        self.pane("settle").show(rows, title="Settle" if waiting is None else "Settle · severity")
        self.pane("outcome-line").show(rows)
        reason = self.query_one("#reason", Input)
        if reason.value != intended.rationale:
            reason.value = intended.rationale

    def _show_nothing(self) -> None:
        self._shown = None
        self.set_focus(None)
        words = [
            Paragraph(f"{DONE} Nothing is open: every item with labels is unanimous or settled.", "done"),
            Paragraph(""),
            Paragraph("u takes your last ruling back. Next:  adjudicate report"),
        ]
        self.pane("text").show(words, title="Disagreements")
        for name in ("who", "settle", "outcome-line"):
            self.pane(name).show([], title="")
        self.query_one("#reason", Input).value = ""

    def _show_list(self) -> None:
        session = self.session
        start = max(session.index - LISTED, 0)
        window = session.queue[start : session.index + LISTED]
        rows = [
            Paragraph(
                f"{CHOSEN if place == session.index else ' '} {place + 1:>3}  {visible_line(item_id[:12])}",
                "selected" if place == session.index else "",
            )
            for place, item_id in enumerate(window, start=start)
        ]
        pane = self.pane("open")
        pane.show(
            [*rows, Paragraph(""), Paragraph(f"settled here: {session.settled}", "dim")], title=f"Open · {len(session.queue)}"
        )
        pane.keep_in_sight(session.index - start)

    def _show_lines(self, dispute: Dispute | None) -> None:
        session = self.session
        where: list[str | tuple[str, str]] = [("Disagreements", "bold")]
        if dispute is not None:
            where += [" · ", (f"{session.index + 1} of {len(session.queue)}", "bold")]
            where.append(f" · {visible_line(dispute.item.id[:12])} · {shortened(dispute.item.prompt.population, 28)}")
        person = shortened(session.adjudicator.name, 20)
        mark = ("saving …", "$differs bold") if self.saving else (f"saved {DONE}", "$done")
        right = styled(f"{person} · policy v{shortened(session.policy.version, 10)} · ", mark)
        self.query_one("#status", SidedLine).show(styled(*where), right)
        self.query_one("#last", SidedLine).show(*self._last_line(dispute))

    def _last_line(self, dispute: Dispute | None) -> tuple[Content, Content]:
        """What was just said, else what the ruling does beyond this item; and the last act, which gives way to a warning."""
        if self._message is not None:
            return styled(self._message), self._last()
        if dispute is not None and moves_rates(dispute, self.session.intended):
            return styled((MOVES, "$differs bold")), styled(("u undo", "$quiet"))
        return styled(("a ruling settles the gold label only; the labels above stay as they are", "$quiet")), self._last()

    def _last(self) -> Content:
        last = self.session.last
        if last is None:
            return styled(("u undo", "$quiet"))
        what = "ruling taken back" if last.kind == "undo" else outcome_words(self.session.policy, last.outcome or "", "")
        return styled(("last: ", "$quiet"), f"{last.item_id[:5]} → {what}", (" · u undo", "$quiet"))
