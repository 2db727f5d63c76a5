"""Estimates as intervals under each other on one scale with its ticks: shares from 0 up, or differences around 0."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.core.text import shortened
from adjudicate.tui.widgets.interval_bar import interval_bar
from adjudicate.tui.widgets.sheet_row import Cell, SheetRow, Target
from adjudicate.tui.widgets.tick_axis import STEPS, axis, with_guides

NARROWEST, WIDEST = 16, 60
COUNT = 10
"""Cells for ``n`` and the mark of few items."""
LONGEST_NAME = 44
_UNIT = re.compile(r" (?:points|%)(?= to )| points$")
"""What the heading, or the other end of an interval, says already."""


class Line(NamedTuple):
    """One estimate with its name."""

    name: str
    estimate: Estimate
    targets: tuple[Target, ...]


def interval_rows(lines: Sequence[Line], title: str, *, width: int) -> list[SheetRow]:
    """A heading, the scale, a row an estimate; nothing without one."""
    if not lines:
        return []
    defined = [line.estimate for line in lines if line.estimate.undefined is None]
    value = max((len(_short(present.value(each))) for each in defined), default=0) + 2
    interval = max((len(_short(present.interval(each))) for each in defined), default=0) + 4
    name = min(max(cell_len(line.name) for line in lines), LONGEST_NAME, max(width // 3, 12))
    room = min(width - name - value - interval - COUNT - 2, WIDEST)
    low, high = _scale([line.estimate for line in lines])
    rows = [SheetRow(title, "heading")] if title else []
    columns = _Columns(name, value, interval, room if room >= NARROWEST else 0)
    if columns.bar:
        rows.append(SheetRow(" " * (name + value + interval) + axis(low, high, room, points=low < 0), "dim"))
    return rows + [_row(line, columns, (low, high)) for line in lines]


class _Columns(NamedTuple):
    """Cells of each."""

    name: int
    value: int
    interval: int
    bar: int


def _row(line: Line, columns: _Columns, scale: tuple[float, float]) -> SheetRow:
    each = line.estimate
    head = shortened(line.name, columns.name)
    head += " " * (columns.name - cell_len(head))
    if each.undefined is not None:
        text = f"{head}  undefined: {each.undefined}"
        return SheetRow(text, "dim", cells=(Cell(0, len(text), line.targets),) if line.targets else ())
    text = f"{head}{_short(present.value(each)):>{columns.value}}  {_short(present.interval(each)):<{columns.interval - 2}}"
    if columns.bar:
        low, high = scale
        ends = [None if end is None else end - low for end in (each.value, each.low, each.high)]
        text += with_guides(interval_bar(*ends, top=high - low, width=columns.bar), low, high)
    text += f"  n {each.n:,} {present.few(each)}".rstrip()
    return SheetRow(text, "dim" if present.few(each) else "", cells=(Cell(0, len(text), line.targets),) if line.targets else ())


def _short(words: str) -> str:
    return _UNIT.sub("", words)


def _scale(estimates: Sequence[Estimate]) -> tuple[float, float]:
    ends = [value for each in estimates for value in (each.value, each.low, each.high) if value is not None]
    if min(ends, default=0.0) < 0 or any(each.statistic in present.DIFFERENCES for each in estimates):
        furthest = max((abs(end) for end in ends), default=1.0)
        most = next((step for step in STEPS if furthest <= step), 1.0)
        return -most, most
    return 0.0, next((step for step in STEPS if max(ends, default=1.0) <= step), 1.0)
