"""Tables of text in a pane: columns that fit the width, groups as headings, reasons in place of numbers that are undefined.

What is the same in every row stands once above them; what does not fit a column goes on below it in the same column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len

from adjudicate.core.text import visible_line
from adjudicate.tui.widgets.cells import padded
from adjudicate.tui.widgets.line_view import Look, Paragraph
from adjudicate.tui.widgets.line_wrap import wrap
from adjudicate.workflow.text_table import TextTable

GAP = 2
ORDINARY = 20
"""Cells of a word that no column breaks; longer ones are broken where there is no room."""
HANG = "  "
"""Before the rows that go on with a row of a table that is told in words."""
NARROWEST = 12
"""Cells that a reason gets at least."""
SPARE = ("n", "units")
"""Headers of columns that are left out before names are broken over rows."""
INTERVALS = ("interval", "95% interval")
REASONED = (*INTERVALS, "")
"""Headers of columns that hold the reason where the value before is undefined."""
UNDEFINED = "undefined"
_INTERVAL = re.compile(r"[+-]?[\d.]+ ?(%|points)? to ")
_UNIT_TWICE = re.compile(r"([+-]?[\d.]+) (%|points) to ([+-]?[\d.]+) \2")


class Grouped(NamedTuple):
    """A table, and the columns that become headings over its rows."""

    table: TextTable
    by: tuple[str, ...] = ()
    """Headers; rows of one group stand together already."""


class _Column(NamedTuple):
    header: str
    cells: tuple[str, ...]
    is_right: bool
    reasons: frozenset[int]
    """Rows in which the cell says why there is no value or no interval; a reason may run on to the edge."""

    @property
    def measured(self) -> list[str]:
        """The cells that have to fit the column."""
        return [cell for row, cell in enumerate(self.cells) if row not in self.reasons]


class Placed(NamedTuple):
    """One line of a table as it is shown."""

    paragraph: Paragraph
    row: int | None = None
    """Index of the row of the table that it shows, or goes on with; None for titles and headings."""


def table_rows(grouped: Grouped, *, width: int) -> list[Paragraph]:
    """The table as rows of at most `width` cells, its title first; nothing where it has no rows."""
    return [placed.paragraph for placed in placed_rows(grouped, width=width)]


def placed_rows(grouped: Grouped, *, width: int) -> list[Placed]:
    """The same, each line with the row of the table that it belongs to."""
    table = grouped.table
    if not table.rows:
        return []
    columns = [
        _Column(
            header,
            tuple(_cell(row[place]) for row in table.rows),
            place in table.right,
            frozenset(at for at, row in enumerate(table.rows) if _is_reason(table, row, place)),
        )
        for place, header in enumerate(table.headers)
    ]
    columns = [column for column in columns if any(column.cells)]
    constant = [column for column in columns if _is_constant(column)]
    groups = [column for column in columns if column.header in grouped.by and column not in constant]
    shown = [column for column in columns if column not in constant and column not in groups]
    rows = [Placed(Paragraph(table.title, "heading"))] if table.title else []
    said = [f"{column.header} {column.cells[0]}" for column in constant if column.cells[0] != "all"]
    rows += [Placed(Paragraph(" · ".join(said), "dim"))] if said else []
    return rows + _body(groups, shown, len(table.rows), width)


def _is_reason(table: TextTable, row: Sequence[str], place: int) -> bool:
    """Whether a cell says why its value, or its interval, is not there."""
    header, cell = table.headers[place], row[place]
    is_of_value = place > 0 and row[place - 1] == UNDEFINED and header in REASONED
    return bool(cell) and (is_of_value or (header in INTERVALS and not _INTERVAL.match(cell)))


def _cell(text: str) -> str:
    """One line, and an interval with its unit once: ``56.7 to 84.4 %``."""
    return _UNIT_TWICE.sub(r"\1 to \3 \2", visible_line(text))


def _is_constant(column: _Column) -> bool:
    """Whether a column of words says the same in every one of several rows."""
    return not column.is_right and len(column.cells) > 1 and len(set(column.cells)) == 1 and column.header not in REASONED


def _body(groups: Sequence[_Column], shown: Sequence[_Column], count: int, width: int) -> list[Placed]:
    indent = " " if groups else ""
    room = width - len(indent)
    columns, widths = _fitted(shown, room) or ([], [])
    headers = _lines(_headers(columns, widths), columns, widths) if columns else []
    rows = [Placed(Paragraph(line, "dim", indent)) for line in headers]
    for heading, places in groupby(range(count), key=lambda row: " · ".join(g.cells[row] for g in groups if g.cells[row])):
        if groups:
            rows.append(Placed(Paragraph(heading, "strong")))
        for row in places:
            lines = _row(columns, widths, row, room) if columns else _hanging(_as_record(shown, row), room)
            rows += [Placed(Paragraph(line.rstrip(), _look(shown, row), indent), row) for line in lines]
    return rows


def _look(columns: Sequence[_Column], row: int) -> Look:
    """Dim where there is no number, or a caveat in a last column without a name."""
    last = columns[-1]
    is_caveat = not last.header and not last.is_right and bool(last.cells[row])
    return "dim" if is_caveat or any(column.cells[row] == UNDEFINED for column in columns) else ""


def _fitted(columns: Sequence[_Column], room: int) -> tuple[list[_Column], list[int]] | None:
    """Columns with their widths; None where they cannot stand side by side."""
    kept = list(columns)
    if _needed(kept, [_natural(column) for column in kept]) > room:
        kept = [column for column in kept if column.header not in SPARE] or kept
    widths = [_natural(column) for column in kept]
    least = [_least(column) for column in kept]
    while _needed(kept, widths) > room:
        spare = [width - smallest for width, smallest in zip(widths, least, strict=True)]
        if not any(more > 0 for more in spare):
            return None
        widths[max(range(len(kept)), key=lambda place: (spare[place] > 0, widths[place]))] -= 1
    return kept, widths


def _needed(columns: Sequence[_Column], widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(columns) - 1)


def _natural(column: _Column) -> int:
    """Cells of the longest cell, or of the header over two rows; reasons do not count."""
    return max([*map(cell_len, column.measured), _header_width(column.header)])


def _least(column: _Column) -> int:
    """Cells below which a number, an interval or a word of ordinary length would break."""
    is_whole = column.is_right or column.header in INTERVALS
    cells = [cell_len(cell) if is_whole and "(" not in cell else min(_longest_word(cell), ORDINARY) for cell in column.measured]
    return min(_natural(column), max([*cells, _longest_word(_broken(column.header))]))


def _header_width(header: str) -> int:
    """The least width at which a header takes two rows at most."""
    least = max(_longest_word(header), 1)
    return next(width for width in range(least, cell_len(header) + 2) if len(wrap(header, width)) <= 2)


def _longest_word(text: str) -> int:
    return max((cell_len(word) for word in text.split()), default=0)


def _headers(columns: Sequence[_Column], widths: Sequence[int]) -> list[str]:
    """Headers, long names in them broken where they may be."""
    return [
        column.header if _longest_word(column.header) <= width else _broken(column.header)
        for column, width in zip(columns, widths, strict=True)
    ]


def _broken(header: str) -> str:
    return header.replace("/", "/ ").replace("/  ", "/ ")


def _row(columns: Sequence[_Column], widths: Sequence[int], row: int, room: int) -> list[str]:
    """One row of the table, with a reason across the columns that it leaves empty."""
    cells = [column.cells[row] for column in columns]
    at = next((place for place, column in enumerate(columns) if row in column.reasons), None)
    if at is None:
        return _lines(cells, columns, widths)
    is_of_value = at > 0 and cells[at - 1] == UNDEFINED
    words = f"{UNDEFINED}: {cells[at]}" if is_of_value else cells[at]
    after = [f"{column.header} {cell}".strip() for column, cell in zip(columns[at + 1 :], cells[at + 1 :], strict=True) if cell]
    first = at - 1 if is_of_value else at
    start = sum(widths[:first]) + GAP * first
    before = _lines(cells[:first], columns[:first], widths[:first]) if first else [""]
    reason = wrap(" · ".join([words, *after]), max(room - start, NARROWEST))
    height = max(len(before), len(reason))
    left = [padded(line, start) for line in [*before, *[""] * (height - len(before))]]
    return [f"{one}{two}".rstrip() for one, two in zip(left, [*reason, *[""] * (height - len(reason))], strict=True)]


def _lines(cells: Sequence[str], columns: Sequence[_Column], widths: Sequence[int]) -> list[str]:
    """Cells side by side, each in its column, over as many lines as the longest needs."""
    parts = [[line.rstrip() for line in wrap(cell, width)] for cell, width in zip(cells, widths, strict=True)]
    height = max((len(part) for part in parts), default=1)
    lines = []
    for place in range(height):
        line = (
            padded(part[place] if place < len(part) else "", width, right=column.is_right)
            for part, width, column in zip(parts, widths, columns, strict=True)
        )
        lines.append((" " * GAP).join(line).rstrip())
    return lines


def _hanging(text: str, room: int) -> list[str]:
    """Rows of which the first stands out."""
    first, *rest = wrap(text, max(room - len(HANG), 1))
    return [first, *(f"{HANG}{row}" for row in rest)]


def _as_record(columns: Sequence[_Column], row: int) -> str:
    """``en: judge minus people +0.0 points · n 8``: what the first column names, then the others with their headers."""
    first, *others = columns
    return f"{first.cells[row]}: " + " · ".join(f"{each.header} {each.cells[row]}".strip() for each in others if each.cells[row])
