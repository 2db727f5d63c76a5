"""A list of items of any length: only the rows on screen are read and painted.

The list holds rowids; what stands in a row is asked for by its screen's `read`, a stretch at a time, and kept while it is near.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Container, Sequence
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from textual import events
from textual.content import Content
from textual.message import Message
from textual.strip import Strip

from adjudicate.tui.theme import CHOSEN, DONE
from adjudicate.tui.widgets.cells import fitted
from adjudicate.tui.widgets.framed_pane import FramedPane
from adjudicate.tui.widgets.line_view import Look

STRETCH = 64
"""Rows read at once."""
KEPT = 16
"""Stretches kept: a thousand rows."""


class Cell(NamedTuple):
    """What stands in one column of one row."""

    text: str
    look: Look = ""


class Column(NamedTuple):
    """One column; the last one takes what room is left."""

    header: str
    width: int
    is_right: bool = False


Read = Callable[[Sequence[int]], list[tuple[Cell, ...]]]


class ItemList(FramedPane):
    """Rows with a cursor. Moved by calls from its screen, or by the mouse; it takes no focus."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "list--dim", "list--same", "list--differs", "list--harm", "list--done", "list--header", "list--cursor", "list--mark",
    }  # fmt: skip
    DEFAULT_CSS = """
    ItemList {
        & .list--dim { color: $quiet; }
        & .list--same { color: $same; }
        & .list--differs { color: $differs; }
        & .list--harm { color: $harm; }
        & .list--done { color: $done; }
        & .list--header { color: $quiet; text-style: bold; }
        & .list--mark { color: $done; text-style: bold; }
        & .list--cursor { text-style: bold reverse; }
    }
    """

    class Picked(Message):
        """A row was clicked: the cursor is on it. Twice means to open it."""

        def __init__(self, *, opened: bool) -> None:
            super().__init__()
            self.opened = opened

    def __init__(self, read: Read, columns: Callable[[int], Sequence[Column]], *, id: str) -> None:
        """An empty list.

        Args:
            read: Cells of the items with some rowids, in their order.
            columns: The columns for a width.
            id: Of the widget.
        """
        super().__init__(id=id)
        self._read = read
        self._columns = columns
        self.items: Sequence[int] = ()
        self.cursor = 0
        """Index of the current row."""
        self.marked: Container[int] = frozenset()
        """Rowids of selected items."""
        self._top = 0
        self._stretches: OrderedDict[int, list[tuple[Cell, ...]]] = OrderedDict()

    # What it shows

    def show(self, items: Sequence[int], *, cursor: int = 0) -> None:
        """Show other items, or the same ones read anew."""
        self.items = items
        self._stretches.clear()
        self.cursor = self._within(cursor)
        self._keep_in_sight()
        self.refresh()

    def grew(self) -> None:
        """The items have become more: what was shown stays."""
        last = len(self.items) // STRETCH
        for stretch in [each for each, rows in self._stretches.items() if each == last or len(rows) < STRETCH]:
            del self._stretches[stretch]
        self._tell_position()
        self.refresh()

    def forget(self) -> None:
        """Read again what is shown."""
        self._stretches.clear()
        self.refresh()

    @property
    def current(self) -> int | None:
        """Rowid of the current item; None in an empty list."""
        return self.items[self.cursor] if len(self.items) else None

    @property
    def room(self) -> int:
        """Rows of items that fit."""
        return max(self.size.height - 1, 1)

    # Moving

    def move(self, step: int) -> None:
        """Move the cursor; stops at the ends."""
        self.move_to(self.cursor + step)

    def move_to(self, index: int) -> None:
        """Put the cursor on a row, the nearest one there is."""
        self.cursor = self._within(index)
        self._keep_in_sight()
        self.refresh()

    def page(self, direction: int) -> None:
        """Move by a page less one row of overlap."""
        step = direction * max(self.room - 1, 1)
        self._top = max(min(self._top + step, len(self.items) - self.room), 0)
        self.move(step)

    def on_resize(self) -> None:
        """Other columns fit, and the cursor stays in sight."""
        self._keep_in_sight()
        self.refresh()

    def _within(self, index: int) -> int:
        return max(min(index, len(self.items) - 1), 0)

    def _keep_in_sight(self) -> None:
        top = max(min(self._top, self.cursor), self.cursor - self.room + 1)
        self._top = max(min(top, len(self.items) - self.room), 0)
        self._tell_position()

    def _tell_position(self) -> None:
        count = len(self.items)
        self.tell_below(Content(f"row {self.cursor + 1:,} of {count:,}" if count else ""))

    def wheel(self, step: int) -> None:
        """Move the cursor."""
        self.move(step)
        self.post_message(self.Picked(opened=False))

    def on_click(self, event: events.Click) -> None:
        """The cursor goes to the row."""
        event.stop()
        index = self._top + event.get_content_offset_capture(self).y - 1
        if self._top <= index < len(self.items):
            self.move_to(index)
            self.post_message(self.Picked(opened=event.chain == 2))

    # Painting

    def render_line(self, y: int) -> Strip:
        """The header, or one item."""
        width = self.size.width
        base = self.visual_style.rich_style
        columns = self._fitted(width)
        if y == 0:
            header = base + self.get_component_rich_style("list--header", partial=True)
            cells = "".join(f"{_fit(Cell(column.header), column)} " for column in columns)
            return Strip([Segment(f"  {cells}", header)]).adjust_cell_length(width, base)
        index = self._top + y - 1
        if index >= len(self.items):
            return Strip.blank(width, base)
        is_marked = self.items[index] in self.marked
        if index == self.cursor:
            cursor = base + self.get_component_rich_style("list--cursor", partial=True)
            cells = "".join(f"{_fit(cell, column)} " for cell, column in zip(self._cells(index), columns, strict=False))
            return Strip([Segment(f"{DONE if is_marked else CHOSEN} {cells}", cursor)]).adjust_cell_length(width, cursor)
        mark = base + self.get_component_rich_style("list--mark", partial=True)
        segments = [Segment(f"{DONE} " if is_marked else "  ", mark)]
        for cell, column in zip(self._cells(index), columns, strict=False):
            look = base + self.get_component_rich_style(f"list--{cell.look}", partial=True) if cell.look else base
            segments.append(Segment(f"{_fit(cell, column)} ", look))
        return Strip(segments).adjust_cell_length(width, base)

    def _fitted(self, width: int) -> list[Column]:
        *others, last = self._columns(width)
        taken = sum(column.width + 1 for column in others) + 2
        return [*others, last._replace(width=max(width - taken - 1, 1))]

    def _cells(self, index: int) -> tuple[Cell, ...]:
        number, place = divmod(index, STRETCH)
        stretch = self._stretches.get(number)
        if stretch is None:
            stretch = self._read(self.items[number * STRETCH : (number + 1) * STRETCH])
            self._stretches[number] = stretch
            while len(self._stretches) > KEPT:
                self._stretches.popitem(last=False)
        row = stretch[place] if place < len(stretch) else ()
        return (Cell(f"{index + 1:,}", "dim"), *row)


def _fit(cell: Cell, column: Column) -> str:
    """The cell at the width of its column."""
    return fitted(cell.text, column.width, right=column.is_right)
