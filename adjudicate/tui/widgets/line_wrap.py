"""Wrapping long text to terminal cells: fast where every character is one cell wide, by grapheme where not."""

from __future__ import annotations

import re
from array import array
from functools import lru_cache
from typing import NamedTuple

from rich.cells import _is_single_cell_widths as single_cells
from rich.cells import split_graphemes


class Wrapped(NamedTuple):
    """A text in rows."""

    rows: list[str]
    starts: array[int]
    """Where each row starts in the text: its first character's index."""


def wrap(text: str, width: int) -> list[str]:
    """The text in rows of at most `width` cells, broken at spaces where there are any.

    Args:
        text: Already `visible()`; newlines start a new row.
        width: Cells, at least 1.
    """
    return wrapped(text, width).rows


def wrapped(text: str, width: int) -> Wrapped:
    """As `wrap`, with the place of each row in the text."""
    found = Wrapped([], array("i"))
    rows, starts = found
    at = 0
    for line in text.split("\n"):
        if not single_cells(line):
            for start, row in _wrap_graphemes(line, width):
                rows.append(row)
                starts.append(at + start)
        elif len(line) <= width:
            rows.append(line)
            starts.append(at)
        else:
            for match in _breaks(width).finditer(line):
                rows.append(match[0])
                starts.append(at + match.start())
        at += len(line) + 1
    return found


@lru_cache(maxsize=128)
def _breaks(width: int) -> re.Pattern[str]:
    # Up to `width` characters before a space or the end, else cut at the width. A row keeps the spaces that broke it:
    # cells too many, which are cropped when it is painted, and none is left over to shift the next row.
    return re.compile(rf".{{1,{width}}}(?: +|$)|.{{{width}}}")


def _wrap_graphemes(line: str, width: int) -> list[tuple[int, str]]:
    spans, cells = split_graphemes(line)
    if cells <= width:
        return [(0, line)]
    rows: list[tuple[int, str]] = []
    start = used = 0
    space_end = -1
    used_at_space = 0
    for begin, end, size in spans:
        if used + size > width and begin > start:
            if space_end > start:
                rows.append((start, line[start:space_end].rstrip(" ")))
                start, used = space_end, used - used_at_space
            else:
                rows.append((start, line[start:begin]))
                start, used = begin, 0
            space_end = -1
        if rows and begin == start and line[begin:end] == " ":
            start = end  # more of the spaces that broke the row before: none is left over to shift this one
            continue
        used += size
        if line[begin:end] == " ":
            space_end, used_at_space = end, used
    rows.append((start, line[start:]))
    return rows
