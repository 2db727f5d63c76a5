"""The way from a log to the first label, in four steps on one screen: log, what was read, policy, sample.

What the steps show, take and bring about is theirs (`tui.first`); this screen shows them and hands them the keys. Nothing is
stored before the last step in a folder that is no workspace yet.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from adjudicate.core.text import shortened
from adjudicate.errors import AdjudicateError
from adjudicate.settings import WorkspacePaths
from adjudicate.tui.first.plan import Plan
from adjudicate.tui.first.step import Step, in_short, listed
from adjudicate.tui.first.turns import LOG, RECOGNISED, SAMPLE, Turns
from adjudicate.tui.first.work import Work, WorkDone, WorkFailed
from adjudicate.tui.first.workspace import Target
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.workplace import PaneScreen
from adjudicate.tui.theme import CHOSEN, HARM
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView, Paragraph
from adjudicate.tui.widgets.path_line import PathLine
from adjudicate.tui.widgets.status_line import SidedLine, styled
from adjudicate.workflow.acting import Clock
from adjudicate.workflow.command_lines import stated_from, written_flags

FLAGS = "flags of adjudicate import: --map FIELD=COLUMN --set FIELD=VALUE --outcome RAW=OUTCOME --format NAME --encoding E"
IDLE = (
    ("first.choose", "first.take_back", "first.flags"),
    ("first.mark",),
    ("first.choose", "first.take_back", "first.flags", "first.mark"),
    ("first.take_back", "first.flags", "first.mark"),
)
"""Commands that do nothing in a step and say so."""
LAST = 1_000_000
TELL_SECONDS = 0.2


class FirstTimeScreen(PaneScreen):
    """A list on the left, what belongs to its row on the right."""

    PLACE = "first"
    PANES = ("list", "beside")
    PANE_TITLES = ("List", "Beside")
    BINDINGS = bindings_for("first")
    DEFAULT_CSS = """
    FirstTimeScreen {
        #list { width: 1fr; }
        #beside { width: 1fr; }
        &.-narrow { #list, #beside { display: none; } }
        &.-narrow.-at-list #list { display: block; }
        &.-narrow.-at-beside #beside { display: block; }
    }
    """

    class Begun(Message):
        """For the app: the sample is drawn."""

        def __init__(self, paths: WorkspacePaths) -> None:
            super().__init__()
            self.paths = paths

    def __init__(self, target: Target, folder: Path, name: str, annotator: str, clock: Clock, *, start: int = LOG) -> None:
        """Begin.

        Args:
            target: Where the log goes.
            folder: Where logs are looked for.
            name: Of the workspace.
            annotator: Who sits here.
            clock: For the record, and to tell how long something takes.
            start: The step to begin with.
        """
        super().__init__()
        self.plan = Plan(folder, annotator, target, clock.now, people=(annotator,), policy=target.policy)
        self.workspace_name = name
        self._work = Work(self, clock, target.give_up)
        self.turns = Turns(self.plan, self, self._work)
        self._start = start
        self._rows = [0, 0, 0, 0]
        """The chosen row of each step."""
        self._types_flags = False

    def compose(self) -> ComposeResult:
        """Two panes, a line for what is typed, one for what happened, and the keys."""
        yield SidedLine(id="status")
        with Horizontal(classes="columns"):
            yield LineView(id="list", measure=200)
            yield LineView(id="beside", measure=110)
        yield PathLine(self.plan.folder)
        yield SidedLine(id="said")
        yield KeyBar()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Look for logs, or for what can be drawn from."""
        super().on_mount()
        self.set_interval(TELL_SECONDS, self._tell_progress)
        self.go_to(self._start)
        if self._start == SAMPLE:
            self.turns.count()
        else:
            self.turns.find_logs()

    def on_unmount(self) -> None:
        """Whoever leaves gives up what is not whole."""
        self._work.leave()

    def on_resize(self) -> None:
        """Columns follow the width."""
        super().on_resize()
        if self.is_mounted:
            self.call_after_refresh(self.show)

    # What is shown

    @property
    def step(self) -> Step:
        """The step on screen."""
        return self.turns.steps[self.turns.at]

    @property
    def row(self) -> int:
        """The chosen row, among those that can be."""
        return self._rows[self.turns.at]

    def show(self) -> None:
        """Show the step as it is now."""
        self._show_tabs()
        at, width = self.turns.at, max((self.pane("list").size.width or self.app.size.width // 2) - 2, 30)
        rows = self.step.rows(width)
        self._rows[at] = max(min(self.row, sum(row.can_be_chosen for row in rows) - 1), 0)
        painted, place = listed(rows, self.row)
        self.turns.sample.table_width = max((self.pane("beside").size.width or width) - 2, 40)
        title, text = self.step.beside(self.row)
        if self.is_narrow:
            painted += in_short(self.step, self.row, text if not any(row.can_be_chosen for row in rows) else ())
        pane = self.pane("list")
        pane.hint = self.step.hint
        pane.show(painted, title=f"{at + 1} {self.step.title}")
        if self.is_narrow and self.step.choices(self.row):
            pane.keep_in_sight(len(painted) - 1)
        pane.keep_in_sight(place if self.row else 0)
        self.pane("beside").show(text, title=title)
        names = [
            (f"{CHOSEN if at == place else ' '}{place + 1} {step.title} ", "bold" if at == place else "$quiet")
            for place, step in enumerate(self.turns.steps)
        ]
        where = "new workspace" if self.plan.target.policy is None else "workspace"
        self.query_one("#status", SidedLine).show(
            styled(("adjudicate", "bold"), f"  {where} {shortened(self.workspace_name, 30)}"), styled(*names)
        )

    def say(self, words: str, *, harm: bool = False) -> None:
        """Say something below the panes; where there is nothing to say, what the keys do here, as far as no border says it."""
        hint = self.keyed(self.step.hint) if self.is_narrow else ""
        shown = f"{HARM} {words}" if harm else words or hint
        self.query_one("#said", SidedLine).show(styled((shown, "$differs bold" if harm else "$quiet")), styled(""))

    def problem(self, problem: str) -> None:
        """Say what is wrong: the first line below, all of it beside."""
        first, *rest = problem.split("\n")
        self.say(f"{first}{' · all of it beside' if rest else ''}", harm=True)
        if rest:
            lines = [Paragraph(line, "harm" if line == first else "") for line in (first, *rest)]
            self.pane("beside").show(lines, title="That cannot be done")

    # Keys of the list

    def action_line(self, step: int) -> None:
        """Choose the next row; in the other pane, scroll."""
        if self.active_pane.id == "beside":
            super().action_line(step)
        else:
            self.go_to_row(self.row + step)

    def action_end(self, direction: int) -> None:
        """To the first or last row."""
        if self.active_pane.id == "beside":
            super().action_end(direction)
        else:
            self.go_to_row(0 if direction < 0 else LAST)

    def action_page(self, direction: int) -> None:
        """Scroll what stands beside."""
        (self.active_pane if self.is_narrow else self.pane("beside")).scroll_page(direction)

    def action_mark(self) -> None:
        """Mark a file."""
        if self.turns.at != LOG:
            self.say("space marks logs: step 1", harm=True)
        elif not self._is_at_work():
            self.turns.logs.mark(self.row)
            self.go_to_row(self.row + 1)

    def action_choose(self, digit: int) -> None:
        """Take what stands beside the digit."""
        if digit not in [choice.digit for choice in self.step.choices(self.row)]:
            self.say(f"{digit} stands for nothing in this row", harm=True)
        elif not self._is_at_work():
            self._take(lambda: self.step.choose(self.row, digit))

    def action_take_back(self) -> None:
        """Forget an answer."""
        if self.turns.at != RECOGNISED:
            self.say("answers are taken back where they were given: step 2", harm=True)
        elif not self._is_at_work():
            self.turns.recognised.take_back(self.row)
            self.say("taken back · enter reads the log again")
            self.show()

    def _take(self, act: Callable[[], None]) -> bool:
        """Change something in the step on screen, and what follows from it; whether it could be done."""
        by = self.plan.by
        try:
            act()
        except AdjudicateError as problem:
            self.problem(str(problem))
            return False
        self.say("")
        if self.turns.at == RECOGNISED:
            self.turns.answered(self.row)
        elif self.plan.by != by:
            self.turns.count()
        self.show()
        return True

    # Typing

    def action_type(self) -> None:
        """Open the line for what belongs to the row."""
        if not self._is_at_work():
            self._types_flags = False
            typed = self.step.typed(self.row)
            self._open_line(typed.asks, typed.text, completes=typed.is_path)

    def action_flags(self) -> None:
        """Open it for flags."""
        if self.turns.at != RECOGNISED:
            self.say("flags belong to what was read: step 2", harm=True)
        elif not self._is_at_work():
            self._types_flags = True
            self._open_line(FLAGS, written_flags(self.plan.stated), completes=False)

    def _open_line(self, asks: str, text: str, *, completes: bool) -> None:
        line = self.query_one(PathLine)
        line.open(asks, text, completes=completes)
        self.query_one(KeyBar).tell("enter takes it · esc back" + (" · tab completes" if completes else ""))

    def _close_line(self) -> None:
        self.query_one(PathLine).close()
        self.query_one(KeyBar).tell("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take what was typed; the line stays open where it cannot be used."""
        event.stop()
        text = event.value.strip()
        if self._types_flags:
            taken = self._take(lambda: self._state(text))
        else:
            taken = not text or self._take(lambda: self.step.take(self.row, text))
        if taken:
            self._close_line()
            if text and self.turns.at == LOG:
                self.go_to_row(0)

    def _state(self, flags: str) -> None:
        """Say all of it anew."""
        self.plan.stated = stated_from(flags)
        self.turns.recognised.asked.clear()

    def on_path_line_names(self, message: PathLine.Names) -> None:
        """What the path can go on with."""
        self.say("  ".join(message.names))

    # Moving between the steps

    def action_cancel(self) -> None:
        """Close the line, stop the work, or go a step back."""
        if self.query_one(PathLine).display:
            self._close_line()
        elif self._work.words and not self._work.can_be_stopped:
            self.say(f"{self._work.words}: this ends by itself", harm=True)
        elif self._work.words:
            self._work.stop()
            self.say("stopping …")
        elif self.plan.target.policy is not None and self.turns.at in (LOG, SAMPLE):
            # In a workspace that is there the log is whole by now; only the sample is not drawn.
            self.call_later(self.run_action, "app.leave")
        elif self.turns.at > LOG:
            self.plan.target.give_up()
            self.go_to(self.turns.at - 1)
        else:
            self.say(self.keyed("this is the first step: {back} leaves"))

    def action_go_on(self) -> None:
        """The next step."""
        if not self._is_at_work():
            self.turns.go_on(self.row)
            self.show()

    def go_to(self, step: int) -> None:
        """Show a step."""
        self.turns.at = step
        self.say("")
        self.activate(0)
        self.query_one(KeyBar).grey(IDLE[step])
        self.show()

    def go_to_row(self, row: int) -> None:
        """Choose a row of the step on screen."""
        self._rows[self.turns.at] = row
        self.show()

    def begun(self, paths: WorkspacePaths) -> None:
        """The sample is drawn: the app opens the workspace."""
        self.app.post_message(self.Begun(paths))

    # Work

    def _is_at_work(self) -> bool:
        if self._work.words:
            self.say(f"still {self._work.words}: this key did nothing", harm=True)
        return bool(self._work.words)

    def _tell_progress(self) -> None:
        if told := self._work.told():
            self.say(told)

    def on_work_done(self, message: WorkDone) -> None:
        """Go on with what has come."""
        self._work.end()
        self.say("")
        message.then(message.found)
        self.show()

    def on_work_failed(self, message: WorkFailed) -> None:
        """Say why nothing came."""
        self._work.end()
        self.show()
        self.problem(message.problem)

    def worker_failed(self, group: str, name: str) -> None:
        """Say so; nothing stays locked."""
        del group
        self.post_message(WorkFailed(f"that could not be done ({name}); nothing was stored"))
