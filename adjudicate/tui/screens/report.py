"""The report, live: rates with their intervals, the judge against gold, agreement, and what to know before using them."""

from __future__ import annotations

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message

from adjudicate.core.estimates import Estimate
from adjudicate.core.text import shortened
from adjudicate.errors import AdjudicateError
from adjudicate.tui.bench import Bench, with_own_store
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.tui.theme import DONE, HARM
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView, Paragraph
from adjudicate.tui.widgets.rate_rows import estimate_rows, rate_paragraphs
from adjudicate.tui.widgets.status_line import SidedLine, styled

RATES = frozenset({"raw_rate", "human_rate", "corrected_rate"})
AGREEMENT = frozenset({"percent_agreement", "krippendorff_alpha", "cohen_kappa", "fleiss_kappa", "gwet_ac1", "self_agreement"})


class ReportScreen(Workplace):
    """Numbers only; nothing can be changed here."""

    PLACE = "report"
    PANES = ("rates", "judge", "agreement", "warnings")
    PANE_TITLES = ("1 Rates", "2 Judge", "3 Agreement", "4 Warnings")
    BINDINGS = bindings_for("report")
    DEFAULT_CSS = """
    ReportScreen {
        #rates { height: 3fr; }
        #others { height: 2fr; }
        #judge, #agreement { width: 1fr; height: 1fr; }
        #warnings { height: 6; }
        &.-short #warnings, &.-medium #warnings { height: 4; }
        &.-narrow {
            #rates, #judge, #agreement, #warnings, #others { display: none; }
            #others, #warnings { height: 1fr; }
        }
        &.-narrow.-at-rates #rates { display: block; height: 1fr; }
        &.-narrow.-at-judge { #others, #judge { display: block; } }
        &.-narrow.-at-agreement { #others, #agreement { display: block; } }
        &.-narrow.-at-warnings #warnings { display: block; }
    }
    """

    class Ready(Message):
        """Computed in the background."""

        def __init__(self, estimates: tuple[Estimate, ...], warnings: tuple[str, ...], head: str, problem: str = "") -> None:
            super().__init__()
            self.estimates = estimates
            self.warnings = warnings
            self.head = head
            self.problem = problem

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._ready: ReportScreen.Ready | None = None

    def compose(self) -> ComposeResult:
        """Rates above, the rest below."""
        yield SidedLine(id="status")
        yield LineView(id="rates", measure=160, hint="● corrected  ◆ human  ○ raw  ├ ┤ interval, one scale for all")
        with Horizontal(id="others"):
            yield LineView(id="judge", measure=120)
            yield LineView(id="agreement", measure=120)
        yield LineView(id="warnings", measure=120)
        yield KeyBar()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Start computing."""
        super().on_mount()
        self.action_refresh()

    def on_resize(self) -> None:
        """Bars follow the width."""
        super().on_resize()
        self._show()

    def come_back(self) -> None:
        """Something may have been labelled."""
        self.action_refresh()

    def action_refresh(self) -> None:
        """Compute again; the old numbers stay until the new ones are there."""
        self._status("computing …")
        self._show()
        self._compute()

    @work(thread=True, exclusive=True, group="report", exit_on_error=False)
    def _compute(self) -> None:
        from adjudicate.workflow.build_report import build_report

        try:
            report = with_own_store(self.bench.database, build_report)
        except AdjudicateError as problem:
            self.post_message(self.Ready((), (), "", str(problem)))
        else:
            head = f"{report.labelled:,} of {report.items:,} items labelled · {report.open_items} open disagreements"
            self.post_message(self.Ready(report.estimates, report.warnings, head))

    def worker_failed(self, group: str, name: str) -> None:
        """Say so where the numbers would be."""
        if group == "report":
            self.post_message(self.Ready((), (), "", f"the report could not be computed ({name})"))

    def on_report_screen_ready(self, message: Ready) -> None:
        """The numbers have come."""
        self._ready = message
        self._status(f"as of {self.bench.clock.now()[11:19]} UTC")
        self._show()

    def _status(self, state: str) -> None:
        policy = self.bench.policy
        head = f" · {self._ready.head}" if self._ready is not None else ""
        self.query_one("#status", SidedLine).show(
            styled(("Report", "bold"), f" · {shortened(self.bench.workspace, 30)}{head}"),
            styled(f"{state} · policy v{shortened(policy.version, 10)}"),
        )

    def _show(self) -> None:
        rates, judge, agreement, warnings = (self.pane(name) for name in self.PANES)
        titles = ("Rates, raw and corrected", "Judge against gold, blind labels", "Agreement between annotators", "Warnings")
        ready = self._ready
        if ready is None or ready.problem:
            words = Paragraph(f"{HARM} {ready.problem}", "harm") if ready is not None else Paragraph("computing …", "dim")
            for pane, title in zip((rates, judge, agreement, warnings), titles, strict=True):
                pane.show([words], title=title)
            return
        nothing = [Paragraph("nothing to show yet: label some items first", "dim")]
        found = ready.estimates
        rates.show(rate_paragraphs(found, self.bench.policy, width=self.size.width - 4) or nothing, title=titles[0])
        room = self.size.width - 4 if self.is_narrow else self.size.width // 2 - 4
        about_people = [each for each in found if each.statistic in AGREEMENT]
        about_judge = [each for each in found if each.statistic not in AGREEMENT | RATES]
        judge.show(estimate_rows(about_judge, width=room) or nothing, title=titles[1])
        agreement.show(estimate_rows(about_people, width=room) or nothing, title=titles[2])
        told = [Paragraph(f"{HARM} {warning}", "") for warning in ready.warnings]
        warnings.show(told or [Paragraph(f"{DONE} none", "done")], title=f"{titles[3]} · {len(told)}" if told else titles[3])
