"""Text of any length in a pane: wrapped once, painted row by row, scrolled without any layout.

Everything shown goes through `core.text.visible` here, so no caller can forget it. The pane keeps its size whatever it
shows; showing another item repaints it and moves nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget

from adjudicate.core.text import visible
from adjudicate.tui.widgets.line_wrap import wrap

Look = Literal["", "dim", "strong", "heading", "same", "differs", "harm", "done", "selected"]

MEASURE = 90
"""Columns beyond which a line of prose is hard to read."""
STAND_INS = re.compile("<U\\+[0-9A-F]{4,6}>|<[0-9]+ more marks>|[\u2400-\u241f\u2421]")


class Paragraph(NamedTuple):
    """A stretch of text in one look; newlines in it start new rows."""

    text: str
    look: Look = ""
    indent: str = ""
    """Put before each row."""


class LineView(Widget):
    """A pane of text. Scrolled by calls from its screen, or by the mouse wheel; it takes no focus."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--dim", "line--strong", "line--heading", "line--same", "line--differs", "line--harm", "line--done",
        "line--selected", "line--stand-in",
    }  # fmt: skip
    DEFAULT_CSS = """
    LineView {
        border: round $frame;
        border-title-color: $foreground;
        border-subtitle-color: $quiet;
        border-title-style: none;
        padding: 0 1;
        &.-active { border: round $focus; border-title-style: bold; }
        &.-active:ansi { border: heavy $focus; }
        & .line--dim { color: $quiet; }
        & .line--strong { text-style: bold; }
        & .line--heading { color: $quiet; text-style: bold; }
        & .line--same { color: $same; text-style: bold; }
        & .line--differs { color: $differs; text-style: bold; }
        & .line--harm { color: $harm; text-style: bold; }
        & .line--done { color: $done; }
        & .line--selected { text-style: bold reverse; }
        & .line--stand-in { color: $differs; text-style: reverse; }
    }
    """
    ALLOW_SELECT = False

    def __init__(self, *, id: str, hint: str = "", measure: int = MEASURE) -> None:
        super().__init__(id=id)
        self.hint = hint
        """What the keys do here, in the lower border."""
        self._tabs = ""
        self.measure = measure
        self._paragraphs: tuple[Paragraph, ...] = ()
        self._rows: list[str] = []
        self._first_rows: list[int] = []
        self._wrapped_at = 0
        self._top = 0
        self._wanted: int | None = None
        """Paragraph to start with once the width is known."""
        self._sought: int | None = None
        """Paragraph to keep in sight also after a resize."""

    # What it shows

    def show(self, paragraphs: Sequence[Paragraph], *, title: str = "", start: int = 0) -> None:
        """Show other text.

        Args:
            paragraphs: What to show, foreign text included as it is.
            title: For the upper border; made visible and put on one line.
            start: The paragraph to begin at.
        """
        shown = Content(visible(title).replace("\n", "␊"))
        if shown != self._border_title:
            self.border_title = shown
        if tuple(paragraphs) == self._paragraphs:
            self.start_at(start)
            return
        self._paragraphs = tuple(paragraphs)
        self._wrapped_at = 0
        self._sought = None
        self.start_at(start)
        self.refresh()

    @property
    def tabs(self) -> str:
        """The other panes, where only one is shown: in the lower border in place of the hint."""
        return self._tabs

    @tabs.setter
    def tabs(self, words: str) -> None:
        if words != self._tabs:
            self._tabs = words
            self._tell_position()

    def start_at(self, paragraph: int) -> None:
        """Scroll so that a paragraph is the first thing shown, as far as the text goes."""
        self._wanted = paragraph
        if self.size.width:
            self._wrap()
            self._move_to(self._top)

    @property
    def rows(self) -> list[str]:
        """The wrapped rows."""
        self._wrap()
        return self._rows

    def _wrap(self) -> None:
        width = min(self.size.width, self.measure)
        if not width:
            return
        if width != self._wrapped_at:
            before = max(len(self._rows), 1)
            share = self._top / before if self._wrapped_at else 0.0
            self._rows, self._first_rows = [], []
            for paragraph in self._paragraphs:
                self._first_rows.append(len(self._rows))
                room = max(width - len(paragraph.indent), 1)
                rows = wrap(visible(paragraph.text), room)
                self._rows += [paragraph.indent + row for row in rows] if paragraph.indent else rows
            self._wrapped_at = width
            self._top = int(share * len(self._rows))
        if self._wanted is not None:
            self._top = self._first_rows[self._wanted] if self._wanted < len(self._first_rows) else 0
            self._wanted = None

    def on_resize(self) -> None:
        """Wrap again at the new width, near where we were."""
        self._wrap()
        self._move_to(self._top)
        if self._sought is not None:
            self.keep_in_sight(self._sought)

    # Scrolling

    def scroll_rows(self, step: int) -> None:
        """Move by rows; stops at the ends."""
        self._sought = None
        self._wrap()
        self._move_to(self._top + step)

    def scroll_page(self, direction: int) -> None:
        """Move by a page less one row of overlap."""
        self.scroll_rows(direction * max(self.size.height - 1, 1))

    def scroll_to_end(self, direction: int) -> None:
        """To the beginning (-1) or the end (1)."""
        self._wrap()
        self._move_to(len(self._rows) if direction > 0 else 0)

    def keep_in_sight(self, paragraph: int) -> None:
        """Scroll as little as needed to show the first row of a paragraph."""
        self._sought = paragraph
        self._wrap()
        if not self.size.height or paragraph >= len(self._first_rows):
            return
        row = self._first_rows[paragraph]
        if row < self._top:
            self._move_to(row)
        elif row >= self._top + self.size.height:
            self._move_to(row - self.size.height + 1)

    def paragraph_at_top(self) -> int:
        """The paragraph that the first shown row belongs to."""
        self._wrap()
        return max(bisect_right(self._first_rows, self._top) - 1, 0)

    def _move_to(self, row: int) -> None:
        top = max(min(row, len(self._rows) - self.size.height), 0)
        if top != self._top:
            self._top = top
            self.refresh()
        self._tell_position()

    def _tell_position(self) -> None:
        height, rows = self.size.height, len(self._rows)
        if not height:
            return
        hint = self._tabs or self.hint
        wordings = [hint]
        if rows > height:
            below = rows - self._top - height
            more = f"▼ {below} more" if below else "end"
            where = f"{self._top + 1}-{min(self._top + height, rows)} of {rows} lines"
            wordings = [" · ".join(part for part in parts if part) for parts in ((more, where, hint), (more, hint), (more,))]
        room = self.size.width - 2
        subtitle = Content(next((words for words in wordings if cell_len(words) <= room), wordings[-1]))
        if subtitle != self._border_subtitle:
            self.border_subtitle = subtitle

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Three rows on."""
        event.stop()
        self.scroll_rows(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Three rows back."""
        event.stop()
        self.scroll_rows(-3)

    # Painting

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        width = self.size.width
        base = self.visual_style.rich_style
        rows = self.rows
        at = self._top + y
        if at >= len(rows):
            return Strip.blank(width, base)
        paragraph = self._paragraphs[bisect_right(self._first_rows, at) - 1]
        style = base + self.get_component_rich_style(f"line--{paragraph.look}", partial=True) if paragraph.look else base
        return Strip(self._segments(rows[at], style)).adjust_cell_length(width, style if paragraph.look == "selected" else base)

    def _segments(self, row: str, style: Style) -> list[Segment]:
        if row.isascii() and "<" not in row:
            return [Segment(row, style)]
        segments, end = [], 0
        for match in STAND_INS.finditer(row):
            segments.append(Segment(row[end : match.start()], style))
            segments.append(Segment(match[0], style + self.get_component_rich_style("line--stand-in", partial=True)))
            end = match.end()
        return [*segments, Segment(row[end:], style)]
