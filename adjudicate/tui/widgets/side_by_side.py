"""Blocks of text beside each other, as far as there is room for columns that can be read; else below each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import cast

from rich.cells import cell_len

from adjudicate.tui.widgets.line_view import Look, Paragraph
from adjudicate.tui.widgets.right_to_left import holds_right_to_left
from adjudicate.tui.widgets.text_layout import Layout, lay_out

LEAST_COLUMN = 30
"""Cells below which a column cannot be read."""
GAP = 2


def side_by_side(blocks: Sequence[Sequence[Paragraph]], width: int) -> list[Paragraph]:
    """One paragraph a row, foreign text made visible.

    Args:
        blocks: Each for one column.
        width: Cells for all of them.

    Returns:
        The blocks one after the other where columns would be too narrow, and where a text reads from the right: a row that is
        put together from several reads in one direction only.
    """
    column = (width - GAP * (len(blocks) - 1)) // max(len(blocks), 1)
    right_to_left = any(holds_right_to_left(paragraph.text) for block in blocks for paragraph in block)
    if len(blocks) < 2 or column < LEAST_COLUMN or right_to_left:
        return [paragraph for block in blocks for paragraph in block]
    layouts = [lay_out(block, column) for block in blocks]
    rows = zip_longest(*(layout.rows for layout in layouts), fillvalue="")
    return [Paragraph(_joined(row, column), _look(layouts, at)) for at, row in enumerate(rows)]


def _joined(cells: Sequence[str], column: int) -> str:
    padded = [cell + " " * (column - cell_len(cell)) for cell in cells[:-1]]
    return (" " * GAP).join([*padded, cells[-1]]).rstrip()


def _look(layouts: Sequence[Layout], at: int) -> Look:
    """The look that everything in the row shares; plain where it differs."""
    looks = {layout.look_of(at) for layout in layouts if at < len(layout.rows)}
    return cast("Look", looks.pop()) if len(looks) == 1 else ""
