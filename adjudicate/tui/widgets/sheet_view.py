"""A pane of report rows with a cursor on what can be opened; everything else is a pane of text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip

from adjudicate.tui.widgets.line_view import LineView
from adjudicate.tui.widgets.sheet_row import Cell, SheetRow, Target
from adjudicate.workflow.behind import Behind


class SheetView(LineView):
    """Rows of a section. The cursor stays in what is on screen: scrolling takes it along."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"sheet--cursor", "sheet--row"}
    DEFAULT_CSS = """
    SheetView {
        & .sheet--cursor { text-style: bold reverse; }
        & .sheet--row { text-style: bold; }
    }
    """

    class Picked(Message):
        """A cell was clicked: the cursor is on it. Twice means to open it."""

        def __init__(self, view: SheetView, *, opened: bool) -> None:
            super().__init__()
            self.view = view
            self.opened = opened

    def __init__(self, *, id: str, hint: str = "") -> None:
        super().__init__(id=id, hint=hint, measure=1000)
        self.sheet: tuple[SheetRow, ...] = ()
        self._row: int | None = None
        """Index of the row that the cursor is in; None where nothing can be opened."""
        self._cell = 0
        self._target = 0
        self._is_shown = False

    def show_rows(self, rows: Sequence[SheetRow], *, title: str) -> None:
        """Show other rows, or the same ones; the cursor stays at its place where there is one."""
        if tuple(rows) != self.sheet:
            is_same_size = len(rows) == len(self.sheet)
            self.sheet = tuple(rows)
            top = self.paragraph_at_top() if is_same_size and self.size.width else 0
            self.show([row.paragraph for row in rows], title=title, start=top)
            self._settle()
            self.refresh()
        else:
            self.show([row.paragraph for row in rows], title=title, start=self.paragraph_at_top() if self.size.width else 0)

    @property
    def has_cursor(self) -> bool:
        """Whether the cursor is painted: in the active pane."""
        return self._is_shown

    @has_cursor.setter
    def has_cursor(self, shown: bool) -> None:
        if shown != self._is_shown:
            self._is_shown = shown
            self.refresh()

    # Where the cursor is

    @property
    def cell(self) -> Cell | None:
        """The cell under the cursor."""
        if self._row is None or self._row >= len(self.sheet):
            return None
        cells = self.sheet[self._row].cells
        return cells[min(self._cell, len(cells) - 1)] if cells else None

    @property
    def target(self) -> Target | None:
        """What enter opens."""
        cell = self.cell
        return cell.targets[min(self._target, len(cell.targets) - 1)] if cell else None

    def step(self, direction: int) -> None:
        """To the next row that opens, as long as it is on screen; else a line on."""
        found = next((row for row in self._after(direction) if self.sheet[row].cells), None)
        if found is not None and self._is_visible(found):
            self._go(found)
            return
        self.scroll_rows(direction)

    def sideways(self, direction: int) -> None:
        """To the next thing to open in the row."""
        row = self._row
        if row is None:
            return
        places = [(cell, target) for cell, each in enumerate(self.sheet[row].cells) for target in range(len(each.targets))]
        at = places.index((self._cell, self._target)) if (self._cell, self._target) in places else 0
        self._cell, self._target = places[max(min(at + direction, len(places) - 1), 0)]
        self.refresh()

    def scroll_rows(self, step: int) -> None:
        """Move by rows, and take the cursor along."""
        super().scroll_rows(step)
        self._settle()

    def scroll_to_end(self, direction: int) -> None:
        """To an end; the cursor goes to the first or the last row there that opens."""
        super().scroll_to_end(direction)
        seen = self._visible()
        self._go(next(iter(seen if direction < 0 else reversed(seen)), None))

    def on_resize(self) -> None:
        """Other rows are on screen."""
        super().on_resize()
        self._settle()

    def on_click(self, event: events.Click) -> None:
        """The cursor goes to what is clicked."""
        offset = event.get_content_offset(self)
        if offset is None or not self.size.width:
            return
        row = self._layout.paragraph_of(self._top + offset.y) if self._top + offset.y < len(self.rows) else None
        if row is None or row >= len(self.sheet) or not self.sheet[row].cells:
            return
        event.stop()
        cells = self.sheet[row].cells
        at = next((place for place, cell in enumerate(cells) if cell.start <= offset.x < cell.end), 0)
        self._row, self._cell, self._target = row, at, _first(cells[at].targets)
        self.refresh()
        self.post_message(self.Picked(self, opened=event.chain == 2))

    def _after(self, direction: int) -> range:
        start = (self._row if self._row is not None else self.paragraph_at_top() - 1) + direction
        return range(max(start, 0), len(self.sheet)) if direction > 0 else range(min(start, len(self.sheet) - 1), -1, -1)

    def _go(self, row: int | None) -> None:
        if row != self._row:
            # A column keeps its place from row to row, as in a table.
            self._row = row
            if row is not None:
                self._cell = min(self._cell, len(self.sheet[row].cells) - 1)
                self._target = _first(self.sheet[row].cells[self._cell].targets)
        self.refresh()

    def _settle(self) -> None:
        """Back into what is on screen: to the nearest row there that opens."""
        if not self.size.width or not self.size.height:
            return
        seen = self._visible()
        if not seen:
            self._row = None
        elif self._row is None:
            self._go(seen[0])
        elif self._row not in seen:
            at = self._row
            self._go(min(seen, key=lambda row: abs(row - at)))
        self.refresh()

    def _visible(self) -> list[int]:
        return [row for row in range(len(self.sheet)) if self.sheet[row].cells and self._is_visible(row)]

    def _is_visible(self, row: int) -> bool:
        self._wrap()
        firsts = self._layout.first_rows
        return row < len(firsts) and self._top <= firsts[row] < self._top + self.size.height

    # Painting

    def render_line(self, y: int) -> Strip:
        """One row of the screen, with its own looks and the cursor."""
        rows = self.rows
        at = self._top + y
        if at >= len(rows):
            return super().render_line(y)
        place = self._layout.paragraph_of(at)
        if place >= len(self.sheet):
            return super().render_line(y)
        row = self.sheet[place]
        is_current = self._is_shown and place == self._row and self.cell is not None
        if not row.spans and not is_current:
            return super().render_line(y)
        base = self.visual_style.rich_style
        is_whole = rows[at] == row.text
        layers: list[tuple[int, int, str]] = [(0, len(rows[at]), f"line--{row.look}")] if row.look else []
        layers += [(span.start, span.end, f"line--{span.look}") for span in row.spans] if is_whole else []
        if is_current:
            cell = self.cell
            assert cell is not None
            start, end = (cell.start, cell.end) if is_whole else (0, len(rows[at]))
            layers.append((start, end, "sheet--cursor"))
        cuts = sorted({0, len(rows[at]), *(min(edge, len(rows[at])) for layer in layers for edge in layer[:2])})
        segments = []
        for first, last in pairwise(cuts):
            style = base
            for start, end, name in layers:
                if start <= first and last <= end:
                    style += self.get_component_rich_style(name, partial=True)
            segments.append(Segment(rows[at][first:last], style))
        return Strip(segments).adjust_cell_length(self.size.width, base)


def _first(targets: Sequence[Target]) -> int:
    """The first that there is something to open of; the first of all where there is none."""
    return next((place for place, each in enumerate(targets) if not (isinstance(each, Behind) and each.none)), 0)
