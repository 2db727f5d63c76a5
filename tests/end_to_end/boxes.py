"""The frames on a screen: whether their sides stand under their corners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Box(NamedTuple):
    """A frame by its corners, and what is wrong with it."""

    top: int
    left: int
    bottom: int
    right: int
    faults: tuple[str, ...]


def boxes(cells: Sequence[Sequence[str]]) -> list[Box]:
    """Every frame whose upper left corner is on screen; the bracket that a code block has is inside one and closed by none."""
    return [
        _box(cells, top, left)
        for top, row in enumerate(cells)
        for left, cell in enumerate(row[:-1])
        if cell == "╭" and row[left + 1] == "─" and row[left - 2 : left] != ["│", " "]
    ]


def _box(cells: Sequence[Sequence[str]], top: int, left: int) -> Box:
    right = next((column for column in range(left + 1, len(cells[top])) if cells[top][column] == "╮"), -1)
    if right < 0:
        return Box(top, left, top, left, (f"row {top}: no corner to the right of column {left}",))
    faults = []
    for row in range(top + 1, len(cells)):
        pair = cells[row][left], cells[row][right]
        if pair == ("╰", "╯"):
            return Box(top, left, row, right, tuple(faults))
        if pair != ("│", "│"):
            faults.append(f"row {row}: {pair[0]!r} and {pair[1]!r} at columns {left} and {right}")
    return Box(top, left, len(cells), right, (*faults, f"no lower corners under row {top}"))
