"""The report, live: sections computed when they are first shown, kept until `r`, and marked when labels have come since."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message

from adjudicate.core.text import shortened
from adjudicate.errors import AdjudicateError, UsageError
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.bench import Bench, with_own_store
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.report_sections import OVERVIEW, SECTIONS, Section, Sheet
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.tui.theme import HARM
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView, Paragraph
from adjudicate.tui.widgets.section_bar import SectionBar, Tab
from adjudicate.tui.widgets.sheet_rows import sheet_rows
from adjudicate.tui.widgets.status_line import SidedLine, styled

Compute = Callable[[SqliteStore], Sheet]
Heads = tuple[tuple[str, int, str], ...]
WIDE_FROM = 100
"""Columns; as in the breakpoints of every workplace."""
BARS = "● corrected  ◆ human  ○ raw  ├ ┤ interval, one scale for all"


class Found(NamedTuple):
    """What a computation gave, and when."""

    sheet: Sheet
    at: str
    """Time of day."""
    heads: Heads
    """Last event of each person then: with another one since, the numbers are older than the labels."""
    problem: str = ""
    is_missing: bool = False
    """Whether the problem is that something is not there yet."""


class ReportScreen(Workplace):
    """Numbers only; nothing can be changed here."""

    PLACE = "report"
    PANES = tuple(section.name for section in SECTIONS)
    PANE_TITLES = tuple(section.title for section in SECTIONS)
    BINDINGS = bindings_for("report")
    DEFAULT_CSS = """
    ReportScreen {
        #rates { height: 3fr; }
        #others { height: 2fr; }
        #judge, #agreement { width: 1fr; height: 1fr; }
        #warnings { height: 6; }
        .alone { display: none; height: 1fr; }
        &.-short #warnings, &.-medium #warnings { height: 4; }
        &.-sole { #rates, #warnings { height: 1fr; } #overview { height: 1fr; } #others { height: 1fr; } }
    }
    """

    class Ready(Message):
        """Computed in the background."""

        def __init__(self, compute: Compute, found: Found) -> None:
            super().__init__()
            self.compute = compute
            self.found = found

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._found: dict[Compute, Found] = {}
        self._due: list[Compute] = []
        """To be computed, one after the other."""
        self._at_work: Compute | None = None
        self._old: set[Compute] = set()
        """Asked for again with `r`: shown until they are computed anew, when next looked at."""
        self._is_zoomed = False
        self._heads: Heads = ()

    def compose(self) -> ComposeResult:
        """The overview, and every other section as a pane of its own."""
        yield SidedLine(id="status")
        yield SectionBar([Tab(section.key, section.title, section.short) for section in SECTIONS], id="sections")
        with Vertical(id="overview"):
            yield LineView(id="rates", measure=160, hint=BARS)
            with Horizontal(id="others"):
                yield LineView(id="judge", measure=160)
                yield LineView(id="agreement", measure=160)
            yield LineView(id="warnings", measure=120)
        for section in SECTIONS:
            if section.name not in OVERVIEW:
                yield LineView(id=section.name, measure=1000).add_class("alone")
        yield KeyBar()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Start computing what is shown."""
        super().on_mount()
        self._arrange()

    def on_resize(self) -> None:
        """Bars and columns follow the width; a wider window can show more sections."""
        super().on_resize()
        if self.is_mounted:
            self._arrange()

    def come_back(self) -> None:
        """Something may have been labelled: say so of what is older."""
        self._arrange()

    # Keys

    def activate(self, index: int) -> None:
        """Go to a section."""
        super().activate(index)
        self._arrange()
        self.refresh_bindings()

    def action_zoom(self) -> None:
        """One section of the overview over the whole window, or all of them again."""
        self._is_zoomed = not self._is_zoomed
        self._arrange()

    def action_refresh(self) -> None:
        """Compute again what is shown, and the rest when it is next shown; the old numbers stay until then."""
        self._old |= self._found.keys()
        if self._at_work in {section.compute for section in self._shown}:
            self._due.insert(0, self._at_work)
        self._arrange()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's signature
        """Nothing to zoom where one section is all there is."""
        return action != "zoom" or (not self.is_narrow and SECTIONS[self.active].name in OVERVIEW)

    def _show_tabs(self) -> None:
        """The section bar says where Tab leads to."""

    # What is shown

    @property
    def is_narrow(self) -> bool:
        """From the size itself: the screen arranges its panes before it has its class."""
        return self.app.size.width < WIDE_FROM

    @property
    def _shown(self) -> list[Section]:
        """The sections on screen."""
        here = SECTIONS[self.active]
        if self.is_narrow or self._is_zoomed or here.name not in OVERVIEW:
            return [here]
        return [section for section in SECTIONS if section.name in OVERVIEW]

    def _arrange(self) -> None:
        shown = {section.name for section in self._shown}
        for name in self.PANES:
            self.pane(name).display = name in shown
        self.query_one("#overview").display = bool(shown & OVERVIEW)
        self.query_one("#others").display = bool(shown & {"judge", "agreement"})
        self.set_class(len(shown) == 1, "-sole")
        self.query_one(SectionBar).show(self.active)
        self._heads = tuple(self.bench.store.heads())
        for section in self._shown:
            self._want(section.compute)
        self._compute_next()
        self._show()

    def _show(self) -> None:
        for section in self._shown:
            self._show_section(section)
        self._show_status()

    def _show_section(self, section: Section) -> None:
        found = self._found.get(section.compute)
        pane = self.pane(section.name)
        if found is None:
            pane.show([Paragraph("computing …", "dim")], title=section.heading)
            return
        if found.problem:
            look = Paragraph(found.problem, "dim") if found.is_missing else Paragraph(f"{HARM} {found.problem}", "harm")
            pane.show([look], title=self._title(section, found))
            return
        halves = 2 if section.name in ("judge", "agreement") and len(self._shown) > 1 else 1
        rows = sheet_rows(section, found.sheet, self.bench.policy, width=self.app.size.width // halves - 4)
        pane.show(rows, title=self._title(section, found))

    def _title(self, section: Section, found: Found) -> str:
        """With the time, and whether the numbers are older than the labels."""
        count = f" · {len(found.sheet.warnings)}" if section.name == "warnings" and found.sheet.warnings else ""
        if section.compute in (*self._due, self._at_work):
            state = "computing again …"
        elif section.compute in self._old or found.heads != self._heads:
            state = f"{found.at}, stale: r"
        else:
            state = found.at
        return f"{section.heading}{count} · {state}"

    def _show_status(self) -> None:
        head = next((f" · {found.sheet.head}" for found in self._found.values() if found.sheet.head), "")
        policy = f"policy v{shortened(self.bench.policy.version, 10)}"
        self.query_one("#status", SidedLine).show(
            styled(("Report", "bold"), f" · {shortened(self.bench.workspace, 30)}{head}"),
            styled(f"computing … · {policy}" if self._at_work is not None else policy),
        )

    # Computing

    def _want(self, compute: Compute) -> None:
        if (compute not in self._found or compute in self._old) and compute not in (*self._due, self._at_work):
            self._due.append(compute)

    def _compute_next(self) -> None:
        if self._at_work is None and self._due:
            self._at_work = self._due.pop(0)
            self._old.discard(self._at_work)
            self._compute(self._at_work)

    @work(thread=True, group="report", exit_on_error=False)
    def _compute(self, compute: Compute) -> None:
        at, heads_on_screen = self.bench.clock.now()[11:19], self._heads

        def look(store: SqliteStore) -> Found:
            # Before the numbers: a label that comes meanwhile makes them old, whether they have it or not.
            heads = tuple(store.heads())
            try:
                return Found(compute(store), at, heads)
            except UsageError as problem:
                return Found(Sheet(), at, heads, str(problem), is_missing=True)

        try:
            found = with_own_store(self.bench.database, look)
        except AdjudicateError as problem:
            found = Found(Sheet(), at, heads_on_screen, str(problem))
        self.post_message(self.Ready(compute, found))

    def worker_failed(self, group: str, name: str) -> None:
        """Say so where the numbers would be."""
        if group == "report" and self._at_work is not None:
            words = f"this section could not be computed ({name})"
            self.post_message(self.Ready(self._at_work, Found(Sheet(), self.bench.clock.now()[11:19], self._heads, words)))

    def on_report_screen_ready(self, message: Ready) -> None:
        """The numbers have come."""
        self._found[message.compute] = message.found
        self._at_work = None
        self._heads = tuple(self.bench.store.heads())
        self._compute_next()
        self._show()
