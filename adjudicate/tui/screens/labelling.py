"""Labelling: the item large on the left, what can be decided on the right. The session decides; this shows and asks."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from adjudicate.core.grades import keyed_grades
from adjudicate.tui.bench import Bench
from adjudicate.tui.key_gate import KeyGate
from adjudicate.tui.keys import bindings_for, commands_of
from adjudicate.tui.screens.labelling_dialogs import LabellingDialogs
from adjudicate.tui.screens.labelling_view import LabellingView
from adjudicate.tui.screens.labelling_widths import LabellingWidths
from adjudicate.tui.screens.reading import ReadingPlace
from adjudicate.tui.screens.saving import QUICK_SECONDS
from adjudicate.tui.widgets import item_text
from adjudicate.tui.widgets.find_line import FindLine
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView
from adjudicate.tui.widgets.status_line import SidedLine
from adjudicate.workflow.label_items import LabellingSession
from adjudicate.workflow.own_list import OwnList, WorkList

GATED = ("outcome.", "label.keep")
"""Commands that neither a bounce nor a paste may give."""
REVEALING = frozenset({"label.confirm", "label.overrule"})


class LabellingScreen(LabellingDialogs, LabellingWidths, ReadingPlace):
    """One person going through their list."""

    PLACE = "label"
    PANES = ("response", "prompt", "clauses", "verdict")
    PANE_TITLES = ("Response", "Prompt", "Policy", "Verdict")
    TEXTS = ("response", "prompt")
    BINDINGS = bindings_for("label")
    DEFAULT_CSS = """
    LabellingScreen {
        #left { width: 1fr; }
        #right { width: 35%; min-width: 42; max-width: 64; }
        #prompt { height: 24%; min-height: 5; }
        #response { height: 1fr; }
        #clauses { height: 1fr; min-height: 4; }
        #verdict { height: 10; }
        &.-short #verdict, &.-medium #verdict { height: 7; }
        #outcome-line, #clause-line, #verdict-line { display: none; border: none; padding: 0 1; }
        &.-narrow {
            #decide, #prompt, #response, #clauses, #verdict, #left, #right { display: none; }
            #left, #right { width: 1fr; max-width: 100%; }
            #prompt, #response, #clauses, #verdict { height: 1fr; }
            #outcome-line { display: block; height: 2; }
            #clause-line, #verdict-line { display: block; height: 1; }
        }
        &.-narrow.-at-response { #left, #response { display: block; } }
        &.-narrow.-at-response.-medium #prompt, &.-narrow.-at-response.-tall #prompt { display: block; height: 5; }
        &.-narrow.-at-prompt { #left, #prompt { display: block; } }
        &.-narrow.-at-clauses { #right, #clauses { display: block; } }
        &.-narrow.-at-verdict { #right, #verdict { display: block; } #verdict-line { display: none; } }
    }
    """

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.session = LabellingSession(
            bench.store,
            policy=bench.policy,
            annotator=bench.annotator,
            clock=bench.clock,
            assisted=bench.assisted,
            work=self.work_of(bench),
        )
        self.session.wait = QUICK_SECONDS
        self.gate = KeyGate(bench.clock.tick)
        self._view = LabellingView(self)
        self._pressed = ""
        self._gated: frozenset[str] = frozenset()

    @staticmethod
    def work_of(bench: Bench) -> WorkList:
        """What is gone through."""
        return OwnList(bench.store, bench.annotator.id)

    def compose(self) -> ComposeResult:
        """Panes in their places; which of them show is the stylesheet's business."""
        yield SidedLine(id="status")
        with Horizontal(classes="columns"):
            with Vertical(id="left"):
                yield LineView(id="prompt")
                yield LineView(id="response", hint="{read.page} page · {read.find} find · {read.raw} raw")
            with Vertical(id="right"):
                decide = LineView(id="decide", hint="digit saves · {undo} undo")
                # Border and rows; the number of outcomes is the policy's and does not change while labelling.
                decide.styles.height = max(len(self.bench.policy.outcomes), 5) + 2
                yield decide
                yield LineView(id="clauses", hint="{policy.show} all clauses")
                yield LineView(id="verdict")
        yield LineView(id="outcome-line", measure=1000)
        yield LineView(id="clause-line", measure=1000)
        yield LineView(id="verdict-line", measure=1000)
        yield SidedLine(id="last")
        yield KeyBar()
        yield FindLine()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Show the first item; statistics wait."""
        keymap = self.app._keymap  # noqa: SLF001  # Textual keeps it there and nowhere else
        gated = (command for command in commands_of("label") if command.id.startswith(GATED))
        self._gated = frozenset(key for command in gated for key in keymap.get(command.id, command.keys).split(","))
        self.app.app_resume_signal.subscribe(self, lambda _app: self.session.resumed())
        self.show_session("")

    def on_resize(self) -> None:
        """The lines that depend on the width."""
        super().on_resize()
        self._view.show_lines()

    def come_back(self) -> None:
        """A ruling, or a draw, may have been made meanwhile."""
        self.session.refresh()
        self.show_session("")

    # Keys

    def on_key(self, event: events.Key) -> None:
        """Stop what nobody meant before any binding sees it."""
        super().on_key(event)
        burst = self.gate.is_burst(event.time)
        self._pressed = event.key
        if event.key in self._gated and (burst or self.gate.is_repeat(event.key)):
            event.stop()
            event.prevent_default()

    def action_digit(self, digit: str) -> None:
        """An outcome, or the grade that a severe outcome waits for."""
        session = self.session
        if self.veiled:
            self._refuse_veiled()
            return
        if session.phase == "severity":
            grade = keyed_grades(session.policy).get(digit)
            if grade is None:
                self.refuse(f"{digit} is no severity: choose one of {', '.join(keyed_grades(session.policy))}, or esc")
                return
            self.do(lambda: session.grade(grade.id), key=digit)
            return
        outcome = session.policy.outcome_for_key(digit)
        if outcome is None:
            self.refuse(f"{digit} is no outcome of this policy")
            return
        self.do(lambda: session.choose(outcome.id), key=digit)

    def action_keep(self) -> None:
        """Let the label stand."""
        self.do(self.session.keep, key="enter")

    def action_confirm(self) -> None:
        """Label as the verdict says."""
        if self.veiled:
            self._refuse_veiled()
        else:
            self.do(self.session.confirm, key="a")

    def action_overrule(self) -> None:
        """Say that the verdict is wrong; the outcome follows."""
        view = self.session.view
        if view is not None and view.mode == "blind":
            self.refuse("the verdict is hidden until you decide: choose an outcome with its digit")
        elif view is not None:
            self._view.say("overruling: choose the outcome that holds with its digit")

    def action_undo(self) -> None:
        """Take back the last act."""
        if self.session.last_act() is None:
            self.refuse("there is nothing of yours to undo")
        else:
            self.do(self.session.undo)

    def action_skip(self) -> None:
        """Leave the item for now."""
        self.do(self.session.skip, key="s")

    def action_undecided(self) -> None:
        """The policy does not settle it."""
        self.do(self.session.undecided, key="S")

    def action_flag(self) -> None:
        """Flag, or not."""
        self.do(self.session.flag)

    def action_low_confidence(self) -> None:
        """Low confidence, or not."""
        self.do(self.session.toggle_low_confidence)

    def action_move(self, step: int) -> None:
        """On, or back, without deciding."""
        self.do(self.session.next if step > 0 else self.session.previous, shown=not self.terminal.same_key_follows)

    def action_cancel(self) -> None:
        """Step back: from the words that are looked for, or from the question of severity."""
        if not self.forget_words():
            self.do(self.session.cancel)

    # Reading

    def action_turn(self, step: int) -> None:
        """To another turn of the conversation."""
        if self.is_narrow:
            self.activate(self.PANES.index("prompt"))
        self.pane("prompt").to_heading(step)

    def action_fold(self) -> None:
        """Unfold what is folded in the conversation, or fold it again."""
        view = self.session.view
        if view is None or not item_text.can_fold(view.item.prompt):
            self.refuse("this conversation has no system or tool turn that could be folded")
        else:
            self._view.fold(view, folded=not self._view.folded)

    def action_unveil(self) -> None:
        """Lift the veil from the response."""
        view = self.session.view
        if view is None or not self.veiled:
            self.refuse("there is no veil on this response")
        else:
            self._view.lift_veil(view)

    def _refuse_veiled(self) -> None:
        self.refuse(
            "the response is behind the veil: {label.unveil} lifts it, {label.skip} leaves the item; nothing is labelled unread"
        )

    def action_copy_out(self) -> None:
        """Hand the response to the terminal's clipboard, where the workspace allows it."""
        view = self.session.view
        if view is None:
            self.refuse("there is no response to copy")
        elif not self.bench.settings.copy_out:
            self.refuse("copying out is off: copy_out = true under [label] in adjudicate.toml allows it")
        elif self.veiled:
            self._refuse_veiled()
        else:
            self._view.say(self.terminal.copy_out(view.item.response))

    # Saving and showing

    @property
    def acting(self) -> LabellingSession:
        """The session."""
        return self.session

    def refuse(self, words: str) -> None:
        """Say why a key did nothing."""
        self._view.refuse(words)

    def say(self, words: str) -> None:
        """Tell the person something that needs nothing done."""
        self._view.say(words)

    @property
    def veiled(self) -> bool:
        """Whether the response is behind the veil."""
        return self._view.veiled

    def show_saving(self) -> None:
        """The item stays until it is saved."""
        self._view.saving()

    def show_not_saved(self, reason: str) -> None:
        """The item stays; the same key tries again."""
        self._view.not_saved(reason)

    def show_session(self, key: str) -> None:
        """Show what the session holds now; another item starts the clock for repeated keys."""
        if self._view.show_item():
            self.gate.new_item(self._pressed if key else "")
            self.call_after_refresh(self.gate.painted)
        view = self.session.view
        standing = view is not None and view.own.label is not None
        self.query_one(KeyBar).grey(
            {*(REVEALING if view is None or view.mode == "blind" else ()), *(() if standing else ("label.keep",))}
        )
        self.acted_at = self.bench.clock.tick()

    def on_labelling_widths_widths(self, message: LabellingWidths.Widths) -> None:
        """Show the width for the population on screen, never a rate."""
        self._view.standing = message.standing
        self.bench.sitting.measured_today(message.standing.today)
        self._view.show_lines()
