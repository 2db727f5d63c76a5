"""The report, live: sections computed when they are first shown, kept until `r`, and marked when labels have come since.

What the sections are is in `report_sections`; how a computation runs, is told of and is broken off in `report_work`.
"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content

from adjudicate.core.text import shortened
from adjudicate.tui.bench import Bench
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.report_sections import OVERVIEW, SECTIONS, Asked, Compute, Section
from adjudicate.tui.screens.report_work import Found, ReportWork
from adjudicate.tui.theme import HARM, QUIET
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.tui.widgets.section_bar import SectionBar, Tab
from adjudicate.tui.widgets.sheet_row import SheetRow, plain
from adjudicate.tui.widgets.sheet_rows import Room, sheet_rows
from adjudicate.tui.widgets.sheet_view import SheetView
from adjudicate.tui.widgets.status_line import SidedLine, styled
from adjudicate.workflow.behind import Behind, listing
from adjudicate.workflow.comparable import Pair
from adjudicate.workflow.freshness import since

WIDE_FROM = 100
"""Columns; as in the breakpoints of every workplace."""
BARS = "● corrected  ◆ human  ○ raw  ├ ┤ interval, one scale for all"
WATCH_SECONDS = 2.0
"""Between two looks whether somebody else has labelled meanwhile."""


class ReportScreen(ReportWork):
    """Numbers only; nothing can be changed here. Enter opens the items behind a number."""

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
        #overview { height: 1fr; }
        #overview.-sole { #rates, #warnings, #others { height: 1fr; } }
    }
    """

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._is_zoomed = False
        self._pair: Pair | None = None
        """What is compared."""
        self._message = ""
        """What became of the last key."""
        self._laid_out: dict[str, tuple[Found, Room, list[SheetRow]]] = {}
        """Rows of sections as they were last shown."""

    def compose(self) -> ComposeResult:
        """The overview, and every other section as a pane of its own."""
        yield SidedLine(id="status")
        yield SectionBar([Tab(section.key, section.title, section.short) for section in SECTIONS], id="sections")
        with Vertical(id="overview"):
            yield SheetView(id="rates", hint=BARS)
            with Horizontal(id="others"):
                yield SheetView(id="judge")
                yield SheetView(id="agreement")
            yield SheetView(id="warnings")
        for section in SECTIONS:
            if section.name not in OVERVIEW:
                yield SheetView(id=section.name).add_class("alone")
        yield SidedLine(id="last")
        yield KeyBar()
        yield self.too_small_notice()

    def on_mount(self) -> None:
        """Start computing what is shown."""
        super().on_mount()
        self._arrange()
        self.set_interval(WATCH_SECONDS, self.look_for_changes)

    def on_resize(self) -> None:
        """Bars and columns follow the width; a wider window can show more sections."""
        super().on_resize()
        if self.is_mounted:
            self._arrange()

    def come_back(self) -> None:
        """Something may have been labelled: say so of what is older."""
        self.look_for_changes(at_once=True)
        self._arrange()

    def renew(self, bench: Bench) -> None:
        """Another policy is in force: its titles, and numbers that are older than it."""
        super().renew(bench)
        self._laid_out.clear()
        self.look_for_changes(at_once=True)

    # Keys

    def activate(self, index: int) -> None:
        """Go to a section."""
        # Not as elsewhere: a class of the screen would have Textual style all panes again, which takes longer than a key may.
        self.active_pane.remove_class("-active")
        self.active = index % len(self.PANES)
        self.active_pane.add_class("-active")
        self._message = ""
        self._arrange()
        self.refresh_bindings()

    def action_zoom(self) -> None:
        """One section of the overview over the whole window, or all of them again."""
        self._is_zoomed = not self._is_zoomed
        self._arrange()

    def action_refresh(self) -> None:
        """Compute again what is shown, and the rest when it is next shown; the old numbers stay until then."""
        self._message = ""
        self.renew_numbers()
        self._arrange()

    def action_cancel(self) -> None:
        """End the computing; what is there stays."""
        if self.stop_computing():
            self._message = "stopped; r computes it again"
            self._show()

    def action_line(self, step: int) -> None:
        """To the next row with items behind it, or a line on."""
        self.active_pane.step(step)
        self._pointed()

    def action_page(self, direction: int) -> None:
        """Scroll a page; the cursor comes along."""
        super().action_page(direction)
        self._pointed()

    def action_end(self, direction: int) -> None:
        """Scroll to an end; the cursor comes along."""
        super().action_end(direction)
        self._pointed()

    def action_cell(self, step: int) -> None:
        """To what else can be opened in the row."""
        self.active_pane.sideways(step)
        self._pointed()

    def action_open(self) -> None:
        """Open what the cursor is on: the items behind a number, or a comparison."""
        target = self.active_pane.target
        if isinstance(target, Pair):
            self._pair = target
            self.ask_again(SECTIONS[self.active].compute)
            self._arrange()
        elif isinstance(target, Behind):
            self._open_items(target)
        else:
            self._say("nothing here has items behind it")

    def _open_items(self, wanted: Behind) -> None:
        from adjudicate.tui.screens.cell_items import CellItemsScreen

        if wanted.none:
            self._say(f"no items to list: {wanted.none}")
            return
        found = listing(self.bench.store, self.bench.annotator.id, wanted)
        if not found.line:
            self._say(f"{wanted.title}: you have yet to label all of these blind, so they are not listed")
            return
        told = [f"{found.left_out:,} more you have yet to label blind"] if found.left_out else []
        told += [f"{found.cut:,} more are beyond what a filter can name"] if found.cut else []
        self._message = ""
        self.app.push_screen(CellItemsScreen(self.bench, found.line))
        if told:
            self.app.notify("; ".join(told), markup=False)

    def on_sheet_view_picked(self, message: SheetView.Picked) -> None:
        """The mouse did what the keys do."""
        name = message.view.id
        if name in self.PANES and self.PANES[self.active] != name:
            self.activate(self.PANES.index(name))
        self._pointed()
        if message.opened:
            self.action_open()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's signature
        """Nothing to zoom where one section is all there is."""
        return action != "zoom" or (not self.is_narrow and SECTIONS[self.active].name in OVERVIEW)

    def _show_tabs(self) -> None:
        """The section bar says where Tab leads to."""

    # What is shown

    def pane(self, name: str) -> SheetView:
        """A pane by its id."""
        return self.query_one(f"#{name}", SheetView)

    @property
    def active_pane(self) -> SheetView:
        """The pane that the keys act on."""
        return self.pane(self.PANES[self.active])

    @property
    def is_narrow(self) -> bool:
        """From the size itself: the screen arranges its panes before it has its class."""
        return self.app.size.width < WIDE_FROM

    @property
    def shown(self) -> list[Section]:
        """The sections on screen."""
        here = SECTIONS[self.active]
        if self.is_narrow or self._is_zoomed or here.name not in OVERVIEW:
            return [here]
        return [section for section in SECTIONS if section.name in OVERVIEW]

    def asked(self, compute: Compute) -> Asked:
        """What a section is computed for."""
        is_comparison = any(section.compute == compute and section.name == "compare" for section in SECTIONS)
        return Asked(self.bench.annotator.id, self._pair if is_comparison else None)

    def _arrange(self) -> None:
        shown = {section.name for section in self.shown}
        for name in self.PANES:
            pane = self.pane(name)
            pane.display = name in shown
            pane.has_cursor = name == self.PANES[self.active]
        overview = self.query_one("#overview")
        overview.display = bool(shown & OVERVIEW)
        overview.set_class(len(shown) == 1, "-sole")
        self.query_one("#others").display = bool(shown & {"judge", "agreement"})
        self.query_one(SectionBar).show(self.active)
        for section in self.shown:
            self.want(section.compute)
        self.compute_next()
        self._show()

    def show_progress(self) -> None:
        """A computation has got on."""
        self._show_lines()

    def show_found(self) -> None:
        """A computation has ended, or numbers have become old."""
        self._show()

    def _show(self) -> None:
        for section in self.shown:
            self._show_section(section)
        self._show_lines()

    def _show_section(self, section: Section) -> None:
        found = self.found(section.compute)
        pane = self.pane(section.name)
        if found is None:
            waits = section.compute in self.waiting
            words = "computing …" if waits else f"{QUIET} not computed: r does it"
            pane.show_rows(plain([Paragraph(words, "dim")]), title=section.heading)
            return
        title = self._title(section, found)
        if found.problem:
            look = Paragraph(found.problem, "dim") if found.is_missing else Paragraph(f"{HARM} {found.problem}", "harm")
            pane.show_rows(plain([look]), title=title)
            return
        halves = 2 if section.name in ("judge", "agreement") and len(self.shown) > 1 else 1
        room = Room(self.app.size.width // halves - 4, self.app.size.height)
        pane.show_rows(self._rows(section, found, room), title=title)

    def _rows(self, section: Section, found: Found, room: Room) -> list[SheetRow]:
        """The rows of a section, laid out once: a key that only changes what is beside them must not wait for it."""
        known = self._laid_out.get(section.name)
        if known is None or known[0] is not found or known[1] != room:
            rows = sheet_rows(section, found.sheet, self.bench.policy, room)
            known = self._laid_out[section.name] = (found, room, rows)
        return known[2]

    def _title(self, section: Section, found: Found) -> str:
        """With the time, and what has come since that the numbers do not know."""
        renew = self.keyed("{report.refresh}")
        count = f" · {len(found.sheet.warnings)}" if section.name == "warnings" and found.sheet.warnings else ""
        if section.compute in self.waiting:
            state = "computing again …"
        elif news := since(self.bench.store, found.state, self.state):
            state = f"{news} since {found.at[:5]} · {renew} renews"
        elif self.is_old(section.compute):
            state = f"{found.at} UTC, old: {renew} renews"
        else:
            state = f"{found.at} UTC"
        return f"{section.heading}{count} · {state}"

    def _say(self, words: str) -> None:
        self._message = words
        self._show_lines()

    def _pointed(self) -> None:
        self._message = ""
        self._show_lines()

    def _show_lines(self) -> None:
        policy = f"policy v{shortened(self.bench.policy.version, 10)}"
        head = f" · {self.head}" if self.head else ""
        self.query_one("#status", SidedLine).show(
            styled(("Report", "bold"), f" · {shortened(self.bench.workspace, 30)}{head}"), styled(policy)
        )
        left = styled((self._message, "$differs bold")) if self._message else _pointing(self.active_pane)
        self.query_one("#last", SidedLine).show(left, styled((self.progress, "$quiet")))


def _pointing(pane: SheetView) -> Content:
    """What enter does here, and what left and right lead to."""
    cell, target = pane.cell, pane.target
    if cell is None or target is None:
        return Content("")
    if isinstance(target, Pair):
        return styled(("enter", "bold"), (f" compares {target.words}", "$quiet"))
    others = len(cell.targets) > 1
    parts: list[str | tuple[str, str]] = [("enter", "bold"), (" items: ", "$quiet")]
    for place, each in enumerate(cell.targets):
        parts += [(" · ", "$quiet")] if place else []
        parts.append(
            (each.words if isinstance(each, Pair) else each.title, "bold underline" if each == target and others else "$quiet")
        )
    return styled(*parts, ("  h l others" if others else "", "$quiet"))
