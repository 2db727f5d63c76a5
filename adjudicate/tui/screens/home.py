"""Home: what is in the workspace, how far the work is, the rates so far, and the one next step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.worker import get_current_worker

from adjudicate.core.estimates import Estimate
from adjudicate.core.text import shortened
from adjudicate.storage.interruptible import Interrupted
from adjudicate.tui.bench import Bench, while_wanted
from adjudicate.tui.keys import bindings_for, commands_of
from adjudicate.tui.report_sections import RATES
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.tui.theme import CHOSEN, HARM
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView, Paragraph
from adjudicate.tui.widgets.overview_rows import people_rows, progress_rows, run_rows, waiting_rows
from adjudicate.tui.widgets.rate_rows import rate_paragraphs
from adjudicate.tui.widgets.status_line import SidedLine, styled
from adjudicate.workflow.overview import Overview, look_at

CORRECTED = ("corrected_rate", "guarded_rate")
LOG, SAMPLE = 0, 3
"""Steps of the way to the first label that can be begun with."""


class HomeScreen(Workplace):
    """The first screen of a workspace."""

    PLACE = "home"
    PANES = ("progress", "rates", "people", "runs")
    PANE_TITLES = ("Progress", "Rates", "People", "Runs")
    BINDINGS = bindings_for("home")
    DEFAULT_CSS = """
    HomeScreen {
        #upper { height: 2fr; }
        #rates { height: 3fr; }
        #lower { height: 7; }
        #progress { width: 1fr; height: 1fr; }
        #next { width: 44; height: 1fr; }
        #people { width: 1fr; height: 1fr; }
        #runs { width: 1fr; height: 1fr; }
        #next-line { display: none; border: none; height: 1; }
        &.-short #lower, &.-medium #lower { height: 6; }
        &.-narrow {
            #progress, #rates, #people, #runs, #next, #upper, #lower { display: none; }
            #next-line { display: block; }
            #upper, #lower { height: 1fr; }
        }
        &.-narrow.-at-progress { #upper, #progress { display: block; } }
        &.-narrow.-at-rates #rates { display: block; }
        &.-narrow.-at-people { #lower, #people { display: block; } }
        &.-narrow.-at-runs { #lower, #runs { display: block; } }
    }
    """

    class Rates(Message):
        """Computed in the background."""

        def __init__(self, estimates: tuple[Estimate, ...], problem: str = "") -> None:
            super().__init__()
            self.estimates = estimates
            self.problem = problem

    class Seen(Message):
        """Read in the background: counting a million items takes longer than a key may."""

        def __init__(self, overview: Overview | None, problem: str = "") -> None:
            super().__init__()
            self.overview = overview
            self.problem = problem

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._overview: Overview | None = None
        self._estimates: tuple[Estimate, ...] | None = None

    def compose(self) -> ComposeResult:
        """Work above, numbers in the middle, people and runs below."""
        yield SidedLine(id="status")
        with Vertical(classes="columns"):
            with Horizontal(id="upper"):
                yield LineView(id="progress", measure=120)
                yield LineView(id="next")
            yield LineView(id="rates", measure=160, hint="{go.report} the whole report")
            with Horizontal(id="lower"):
                yield LineView(id="people")
                yield LineView(id="runs", measure=120)
        yield LineView(id="next-line", measure=1000)
        yield KeyBar()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Show what is known at once and compute the rest."""
        super().on_mount()
        self._show()
        self._look()
        self._compute()

    def on_resize(self) -> None:
        """Bars follow the width."""
        super().on_resize()
        if self.is_mounted:
            self.call_after_refresh(self._show)

    def come_back(self) -> None:
        """Something was labelled or settled."""
        self._show()
        self._look()
        self._compute()

    def renew(self, bench: Bench) -> None:
        """Another policy is in force."""
        super().renew(bench)
        self._show()

    # Keys

    def action_import_log(self) -> None:
        """Read another log into this workspace."""
        self._begin(LOG)

    def action_draw(self) -> None:
        """Draw a sample."""
        self._begin(SAMPLE)

    def _begin(self, step: int) -> None:
        from adjudicate.tui.first.workspace import OpenWorkspace
        from adjudicate.tui.screens.first_time import FirstTimeScreen

        bench = self.bench
        target = OpenWorkspace(bench.database, bench.policy, bench.clock.now)
        name = bench.annotator.name
        self.app.push_screen(FirstTimeScreen(target, Path.cwd(), bench.workspace, name, bench.clock, start=step))

    # What is shown

    def _show(self) -> None:
        policy, person = self.bench.policy, shortened(self.bench.annotator.name, 24)
        self.query_one("#status", SidedLine).show(
            styled(("adjudicate", "bold"), f"  {shortened(self.bench.workspace, 40)}"),
            styled(f"{person} · policy {shortened(policy.id, 24)} v{shortened(policy.version, 10)}"),
        )
        self._show_rates()
        if self._overview is not None:
            self._show_overview(self._overview)
            return
        for name, title in zip(self.PANES, self.PANE_TITLES, strict=True):
            if name != "rates":
                self.pane(name).show([Paragraph("reading …", "dim")], title=title)

    def _show_overview(self, overview: Overview) -> None:
        # In a narrow window the next step is one line, and has no room for this.
        waiting = [Paragraph(""), *waiting_rows(overview)] if self.is_narrow else []
        self.pane("progress").show([*progress_rows(overview), *waiting], title="Progress")
        self.pane("people").show(people_rows(overview), title="People")
        self.pane("runs").show(run_rows(overview), title="Runs and judges")
        step = overview.next_step
        # The step names the key as shipped: a keymap may have moved it.
        command = next((each for each in commands_of("home") if step.key in each.keys.split(",")), None)
        do_it, click = (f"press {{{command.id}}}", command.action) if command is not None else (step.command, "")
        press = Paragraph(f"{CHOSEN} {do_it}", click=click, told=True)
        self.pane("next").show(
            [Paragraph(step.words, "strong"), press, Paragraph(""), *waiting_rows(overview)], title="Next step"
        )
        self.pane("next-line").show([Paragraph(f"{CHOSEN} {do_it}: {step.words}", "strong", click=click, told=True)])

    def _show_rates(self) -> None:
        rates = self.pane("rates")
        if self._estimates is None:
            rates.show([Paragraph("computing …", "dim")], title="Rates so far")
            return
        rows = rate_paragraphs(_at_a_glance(self._estimates), self.bench.policy, width=self.size.width - 4)
        rates.show(rows or [Paragraph("no rates yet: they need verdicts or labels", "dim")], title="Rates so far")

    @work(thread=True, exclusive=True, group="overview", exit_on_error=False)
    def _look(self) -> None:
        from adjudicate.errors import AdjudicateError

        annotator, worker = self.bench.annotator, get_current_worker()
        try:
            overview = while_wanted(
                self.bench.database, lambda: worker.is_cancelled, lambda store: look_at(store, annotator=annotator)
            )
        except AdjudicateError as problem:
            self.post_message(self.Seen(None, str(problem)))
        else:
            if overview is not None:
                self.post_message(self.Seen(overview))

    def on_home_screen_seen(self, message: Seen) -> None:
        """It has been read."""
        if message.overview is not None:
            self._overview = message.overview
            self._show_overview(message.overview)
        else:
            self.pane("progress").show([Paragraph(f"{HARM} {message.problem}", "harm")], title="Progress")

    @work(thread=True, exclusive=True, group="rates", exit_on_error=False)
    def _compute(self) -> None:
        from adjudicate.errors import AdjudicateError
        from adjudicate.workflow.build_report import ReportOptions, build_report

        # Agreement and accuracy cost most of a report and are not shown here.
        options, worker = ReportOptions(section="rates", only=RATES), get_current_worker()

        def told(_done: int, _total: int) -> None:
            if worker.is_cancelled:
                raise Interrupted

        try:
            report = while_wanted(
                self.bench.database, lambda: worker.is_cancelled, lambda store: build_report(store, options, told=told)
            )
        except AdjudicateError as problem:
            self.post_message(self.Rates((), str(problem)))
        else:
            if report is not None:
                self.post_message(self.Rates(report.estimates))

    def worker_failed(self, group: str, name: str) -> None:
        """Say so where the numbers would be."""
        if group == "rates":
            self.post_message(self.Rates((), f"the rates could not be computed ({name})"))
        elif group == "overview":
            self.post_message(self.Seen(None, f"the workspace could not be read ({name})"))

    def on_home_screen_rates(self, message: Rates) -> None:
        """The numbers have come."""
        self._estimates = message.estimates
        if message.problem:
            self.pane("rates").show([Paragraph(f"{HARM} {message.problem}", "harm")], title="Rates so far")
        else:
            self._show_rates()


def _at_a_glance(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Raw and corrected rates; where nothing corrects a rate, what people alone found, if they found anything."""
    corrected = {_of(each) for each in estimates if each.statistic in CORRECTED and each.undefined is None}
    return [
        each for each in estimates if each.statistic != "human_rate" or (each.undefined is None and _of(each) not in corrected)
    ]


def _of(estimate: Estimate) -> tuple[str | None, ...]:
    return tuple(estimate.group.get(name) for name in ("rate", "population", "model"))
