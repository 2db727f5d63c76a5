"""Home: what is in the workspace, how far the work is, the rates so far, and the one next step."""

from __future__ import annotations

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message

from adjudicate.core.estimates import Estimate
from adjudicate.core.text import shortened
from adjudicate.tui.bench import Bench, with_own_store
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.report_sections import RATES
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.tui.theme import CHOSEN, HARM
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView, Paragraph
from adjudicate.tui.widgets.overview_rows import people_rows, progress_rows, run_rows
from adjudicate.tui.widgets.rate_rows import rate_paragraphs
from adjudicate.tui.widgets.status_line import SidedLine, styled
from adjudicate.workflow.overview import look_at


class HomeScreen(Workplace):
    """The first screen of a workspace."""

    PLACE = "home"
    PANES = ("progress", "rates", "people", "runs")
    PANE_TITLES = ("Progress", "Rates", "People", "Runs")
    BINDINGS = bindings_for("home")
    DEFAULT_CSS = """
    HomeScreen {
        #upper { height: 1fr; }
        #rates { height: 1fr; }
        #lower { height: 9; }
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

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._estimates: tuple[Estimate, ...] | None = None

    def compose(self) -> ComposeResult:
        """Work above, numbers in the middle, people and runs below."""
        yield SidedLine(id="status")
        with Vertical(classes="columns"):
            with Horizontal(id="upper"):
                yield LineView(id="progress", measure=120)
                yield LineView(id="next")
            yield LineView(id="rates", measure=160, hint="t the whole report")
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
        self._compute()

    def on_resize(self) -> None:
        """Bars follow the width."""
        super().on_resize()
        if self.is_mounted:
            self._show_rates()

    def come_back(self) -> None:
        """Something was labelled or settled."""
        self._show()
        self._compute()

    def _show(self) -> None:
        overview = look_at(self.bench.store, annotator=self.bench.annotator)
        policy, person = overview.policy, shortened(self.bench.annotator.name, 24)
        self.query_one("#status", SidedLine).show(
            styled(("adjudicate", "bold"), f"  {shortened(self.bench.workspace, 40)}"),
            styled(f"{person} · policy {shortened(policy.id, 24)} v{shortened(policy.version, 10)}"),
        )
        self.pane("progress").show(progress_rows(overview), title="Progress")
        self.pane("people").show(people_rows(overview), title="People")
        self.pane("runs").show(run_rows(overview), title="Runs and judges")
        step = overview.next_step
        do_it = f"press {step.key}" if step.key else step.command
        self.pane("next").show(
            [Paragraph(step.words, "strong"), Paragraph(""), Paragraph(f"{CHOSEN} {do_it}")], title="Next step"
        )
        self.pane("next-line").show([Paragraph(f"{CHOSEN} {step.words} {step.key or step.command}", "strong")])
        self._show_rates()

    def _show_rates(self) -> None:
        rates = self.pane("rates")
        if self._estimates is None:
            rates.show([Paragraph("computing …", "dim")], title="Rates so far")
            return
        rows = rate_paragraphs(self._estimates, self.bench.policy, width=self.size.width - 4)
        rates.show(rows or [Paragraph("no rates yet: they need verdicts or labels", "dim")], title="Rates so far")

    @work(thread=True, exclusive=True, group="rates", exit_on_error=False)
    def _compute(self) -> None:
        from adjudicate.errors import AdjudicateError
        from adjudicate.workflow.build_report import ReportOptions, build_report

        # Agreement and accuracy cost most of a report and are not shown here.
        options = ReportOptions(section="rates", only=RATES)
        try:
            report = with_own_store(self.bench.database, lambda store: build_report(store, options))
        except AdjudicateError as problem:
            self.post_message(self.Rates((), str(problem)))
        else:
            self.post_message(self.Rates(report.estimates))

    def worker_failed(self, group: str, name: str) -> None:
        """Say so where the numbers would be."""
        if group == "rates":
            self.post_message(self.Rates((), f"the rates could not be computed ({name})"))

    def on_home_screen_rates(self, message: Rates) -> None:
        """The numbers have come."""
        self._estimates = message.estimates
        if message.problem:
            self.pane("rates").show([Paragraph(f"{HARM} {message.problem}", "harm")], title="Rates so far")
        else:
            self._show_rates()
