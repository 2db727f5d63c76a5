"""Paragraphs laid out in rows at a width: what is painted, what a row looks like, and where in the text it is."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from rich.cells import cell_len

from adjudicate.core.text import visible, visible_line
from adjudicate.tui.widgets.cells import fitted
from adjudicate.tui.widgets.line_wrap import wrapped
from adjudicate.tui.widgets.markdown_blocks import Block, blocks
from adjudicate.tui.widgets.right_to_left import holds_right_to_left, reads_right_to_left

Look = Literal["", "dim", "strong", "heading", "same", "differs", "harm", "done", "selected"]


class Paragraph(NamedTuple):
    """A stretch of text in one look; newlines in it start new rows."""

    text: str
    look: Look = ""
    indent: str = ""
    """Put before each row."""
    markdown: bool = False
    """Whether its Markdown is rendered, unless the pane shows raw text."""
    lead: str = ""
    """Put before the first row, in bold; the other rows begin below the text and not below this."""
    click: str = ""
    """What a click on it does: an action of the screen."""
    told: bool = False
    """Whether it is said by the program and names keys: commands in braces are shown as their keys."""
    row_end: str | None = None
    """Where given, the paragraph takes one row that ends in this: what is too long gives way to it."""


class Place(NamedTuple):
    """A stretch of the text that is shown."""

    block: int
    start: int
    """Characters from the start of the block."""
    end: int


class Layout:
    """Rows at one width."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.rows: list[str] = []
        """What is painted, with what stands before the text of a block."""
        self.blocks: list[Block] = []
        self.looks: list[str] = []
        """Look of each block."""
        self.lead_looks: list[str] = []
        """Look of what stands before each block."""
        self.first_rows: list[int] = []
        """First row of each paragraph."""
        self._block_rows: list[int] = []
        self._starts = array("i")
        self._leads = array("i")

    def block_of(self, row: int) -> int:
        """The block that a row belongs to."""
        return bisect_right(self._block_rows, row) - 1

    def paragraph_of(self, row: int) -> int:
        """The paragraph that a row belongs to."""
        return max(bisect_right(self.first_rows, row) - 1, 0)

    def look_of(self, row: int) -> str:
        """Look of a row as a whole."""
        return self.looks[self.block_of(row)]

    def lead_of(self, row: int) -> int:
        """Characters of a row that are not its text: indent, bullet, frame."""
        return self._leads[row]

    def lead_look_of(self, row: int) -> str:
        """Look of these."""
        return self.lead_looks[self.block_of(row)]

    def start_of(self, row: int) -> int:
        """Where in the text of its block a row starts."""
        return self._starts[row]

    def spans_of(self, row: int) -> Iterator[tuple[int, int, str]]:
        """Stretches of a row that look otherwise: first and last character in the row, look."""
        spans = self.blocks[self.block_of(row)].spans
        if not spans:
            return
        lead, start = self._leads[row], self._starts[row]
        end = start + len(self.rows[row]) - lead
        for place in range(max(bisect_right(spans, start, key=lambda span: span.start) - 1, 0), len(spans)):
            span = spans[place]
            if span.start >= end:
                return
            if span.end > start:
                yield max(span.start - start, 0) + lead, min(span.end, end) - start + lead, span.look

    def row_of(self, place: Place) -> int:
        """The row in which a place starts."""
        first = self._block_rows[place.block]
        last = self._block_rows[place.block + 1] if place.block + 1 < len(self._block_rows) else len(self.rows)
        return max(bisect_right(self._starts, place.start, first, last) - 1, first)

    def add(self, block: Block, look: str, indent: str, lead_look: str = "frame") -> None:
        """Add a block below."""
        self._block_rows.append(len(self.rows))
        self.lead_looks.append(lead_look)
        self.blocks.append(block)
        self.looks.append(look)
        first, hang = indent + block.first, indent + block.hang
        room = max(self.width - len(first), 1)
        if not first and holds_right_to_left(block.text):
            self._add_aligned(block.text, room)
            return
        found = wrapped(block.text, room)
        if not first:
            self.rows += found.rows
            self._leads.extend([0] * len(found.rows))
        else:
            for row, start in zip(found.rows, found.starts, strict=True):
                begins = start == 0 or block.text[start - 1] == "\n"
                self.rows.append((first if begins else hang) + row)
                self._leads.append(len(first) if begins else len(hang))
        self._starts.extend(found.starts)

    def _add_aligned(self, text: str, room: int) -> None:
        """Lines that read from the right end at the right; the others in between stay on the left."""
        found = wrapped(text, room)
        line_start, right = -1, False
        for row, start in zip(found.rows, found.starts, strict=True):
            if start == 0 or text[start - 1] == "\n":
                line_start = start
                line_end = text.find("\n", start)
                right = reads_right_to_left(text[line_start : line_end if line_end >= 0 else None])
            pad = max(room - cell_len(row.rstrip(" ")), 0) if right else 0
            self.rows.append(" " * pad + row)
            self._leads.append(pad)
        self._starts.extend(found.starts)


def _in_one_row(text: str, end: str, width: int) -> str:
    """The text, cut where it has to be, and what the row ends in."""
    return fitted(text, max(width - cell_len(end), 1)).rstrip() + end


def lay_out(paragraphs: Sequence[Paragraph], width: int, *, raw: bool = False) -> Layout:
    """The paragraphs in rows of at most `width` cells. Foreign text is made visible here, so that no caller can forget it.

    Args:
        paragraphs: Foreign text included as it is.
        width: Cells, at least 1.
        raw: Show Markdown as it is written.
    """
    layout = Layout(width)
    for paragraph in paragraphs:
        layout.first_rows.append(len(layout.rows))
        shown = visible(paragraph.text)
        if paragraph.row_end is not None:
            shown = _in_one_row(shown, visible_line(paragraph.row_end), width - cell_len(paragraph.indent))
        if paragraph.lead:
            lead = visible_line(paragraph.lead)
            block = Block(shown, first=lead, hang=" " * cell_len(lead))
            layout.add(block, paragraph.look, paragraph.indent, "strong")
            continue
        for block in blocks(shown) if paragraph.markdown and not raw else [Block(shown)]:
            layout.add(block, paragraph.look or block.look, paragraph.indent)
    return layout
