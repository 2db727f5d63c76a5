"""One row of a report: text in one line, stretches of it with a look of their own, and cells that have items behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from adjudicate.tui.widgets.line_view import Look, Paragraph
from adjudicate.workflow.behind import Behind
from adjudicate.workflow.comparable import Pair

Target = Behind | Pair
"""What enter opens: items, or a comparison."""


class Span(NamedTuple):
    """A stretch of a row in a look of its own."""

    start: int
    end: int
    look: str


class Cell(NamedTuple):
    """A stretch of a row that can be opened."""

    start: int
    end: int
    targets: tuple[Target, ...]
    """The most telling one first; never empty."""


class SheetRow(NamedTuple):
    """A row; its text is safe to show as it is wherever spans or cells point into it."""

    text: str
    look: Look = ""
    spans: tuple[Span, ...] = ()
    cells: tuple[Cell, ...] = ()
    indent: str = ""
    """Put before each line where the text is too long for one; with spans or cells there is none."""

    @property
    def paragraph(self) -> Paragraph:
        """The row as a pane of text takes it."""
        return Paragraph(self.text, self.look, self.indent)


def plain(paragraphs: Iterable[Paragraph]) -> list[SheetRow]:
    """Rows that nothing can be opened in."""
    return [SheetRow(each.text, each.look, indent=each.indent) for each in paragraphs]


def opening(paragraph: Paragraph, targets: Sequence[Target]) -> SheetRow:
    """A row that opens as a whole; a row in which nothing can be opened where there are no targets."""
    text = f"{paragraph.indent}{paragraph.text}"
    start = len(text) - len(text.lstrip())
    cells = (Cell(start, len(text), tuple(targets)),) if targets and text.strip() else ()
    return SheetRow(text, paragraph.look, cells=cells)


def beside(left: Sequence[SheetRow], right: Sequence[SheetRow], *, gap: int = 4) -> list[SheetRow]:
    """Two blocks side by side, the upper edges level."""
    width = max((cell_len(row.text) for row in left), default=0) + gap
    rows = []
    for place in range(max(len(left), len(right))):
        one = left[place] if place < len(left) else SheetRow("")
        two = right[place] if place < len(right) else SheetRow("")
        pad = one.text + " " * (width - cell_len(one.text))
        shift = len(pad)
        looks = [Span(0, len(one.text), one.look)] if one.look and one.text else []
        looks += [Span(shift, shift + len(two.text), two.look)] if two.look and two.text else []
        spans = (*looks, *one.spans, *(Span(s.start + shift, s.end + shift, s.look) for s in two.spans))
        cells = (*one.cells, *(Cell(c.start + shift, c.end + shift, c.targets) for c in two.cells))
        rows.append(SheetRow((pad + two.text).rstrip(), spans=spans, cells=cells))
    return rows
