"""Wrapping long text to terminal cells: fast where every character is one cell wide, by grapheme where not."""

from __future__ import annotations

import re
from functools import lru_cache

from rich.cells import _is_single_cell_widths as single_cells
from rich.cells import split_graphemes


def wrap(text: str, width: int) -> list[str]:
    """The text in rows of at most `width` cells, broken at spaces where there are any.

    Args:
        text: Already `visible()`; newlines start a new row.
        width: Cells, at least 1.
    """
    rows: list[str] = []
    for line in text.split("\n"):
        if single_cells(line):
            if len(line) <= width:
                rows.append(line)
            else:
                rows.extend(_breaks(width).findall(line))
        else:
            rows.extend(_wrap_graphemes(line, width))
    return rows


@lru_cache(maxsize=32)
def _breaks(width: int) -> re.Pattern[str]:
    # Up to `width` characters before a space or the end, else cut at the width. A row keeps the spaces that broke it:
    # cells too many, which are cropped when it is painted, and none is left over to shift the next row.
    return re.compile(rf".{{1,{width}}}(?: +|$)|.{{{width}}}")


def _wrap_graphemes(line: str, width: int) -> list[str]:
    spans, cells = split_graphemes(line)
    if cells <= width:
        return [line]
    rows: list[str] = []
    start = used = 0
    space_end = -1
    used_at_space = 0
    for begin, end, size in spans:
        if used + size > width and begin > start:
            if space_end > start:
                rows.append(line[start:space_end].rstrip(" "))
                start, used = space_end, used - used_at_space
            else:
                rows.append(line[start:begin])
                start, used = begin, 0
            space_end = -1
        if rows and begin == start and line[begin:end] == " ":
            start = end  # more of the spaces that broke the row before: none is left over to shift this one
            continue
        used += size
        if line[begin:end] == " ":
            space_end, used_at_space = end, used
    rows.append(line[start:])
    return rows
