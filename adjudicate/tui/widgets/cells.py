"""Columns of text: padded and cut by the cells that a terminal gives to signs, of which a wide one takes two."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len, set_cell_size

from adjudicate.core.text import visible_line


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Text with spaces to so many cells; a longer one stays as it is."""
    missing = " " * max(width - cell_len(text), 0)
    return missing + text if right else text + missing


def fitted(text: str, width: int, *, right: bool = False) -> str:
    """A foreign text in exactly so many cells, on one line; what does not fit ends in an ellipsis."""
    line = visible_line(text[: width * 4])
    if cell_len(line) > width or len(text) > width * 4:
        # A wide sign at the edge is left out whole: a space takes its place.
        line = set_cell_size(line, width - 1) + "…"
    return padded(line, width, right=right)


def end_fitted(text: str, width: int) -> str:
    """As `fitted`, but where it does not fit its end is kept: of a path that says most."""
    line = visible_line(text)
    if cell_len(line) <= width:
        return padded(line, width)
    line = line[-width:]
    while cell_len(line) >= width:
        line = line[1:]
    return padded(f"…{line}", width)


def widest(texts: Iterable[str], most: int) -> int:
    """Cells that a column of foreign texts needs, at most so many."""
    return min(max((cell_len(visible_line(text[: most * 4])) for text in texts), default=0), most)
