"""Gold against verdict as a heat table: each cell shaded by its share of the row, equal and different told by a sign too."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from adjudicate.core.text import shortened
from adjudicate.tui.theme import DIFFERS, QUIET, SAME
from adjudicate.tui.widgets.cells import padded
from adjudicate.tui.widgets.line_view import Look
from adjudicate.tui.widgets.line_wrap import wrap
from adjudicate.tui.widgets.sheet_row import Cell, SheetRow, Span
from adjudicate.workflow.plot_records import Confusion

SHADES = "░▒▓█"
"""By share of the row, in steps of a quarter."""
SHADE = 3
"""Cells of shade before a count where there is room, else one."""
TIGHT, ROOMY, WIDEST_CELL = 7, 10, 18
"""Cells of a column."""
NAME = 12
LONGEST_NAME = 26
MOST_LINES = 3
ARROW = "gold ↓  verdict →"


def heat_rows(table: Confusion, *, width: int) -> list[SheetRow]:
    """The table; nothing where its columns do not fit side by side.

    Args:
        table: Counts with what is behind them.
        width: Cells.
    """
    golds, verdicts = _used(table)
    if not golds:
        return []
    names = [shortened(name, LONGEST_NAME) for name in table.names]
    name = min(max(cell_len(ARROW), *(cell_len(names[place]) for place in golds)), LONGEST_NAME)
    name = min(name, width - len(verdicts) * (TIGHT + 1))
    if name < NAME:
        return []
    cell = min((width - name) // len(verdicts) - 1, WIDEST_CELL)
    rows = [SheetRow(table.title, "strong"), *_header([names[place] for place in verdicts], name, cell)]
    rows += [_row(table, gold, verdicts, padded(shortened(names[gold], name), name), cell) for gold in golds]
    return [*rows, *_notes(table)]


def heat_list(table: Confusion, *, width: int) -> list[SheetRow]:
    """The same as a list of what happened at all, for a window that is too narrow for a table."""
    golds, verdicts = _used(table)
    rows = [_listed(table, gold, verdict, width) for gold in golds for verdict in verdicts if table.counts[gold][verdict]]
    return [SheetRow(table.title, "strong"), *rows, *_notes(table)] if rows else []


def _listed(table: Confusion, gold: int, verdict: int, width: int) -> SheetRow:
    count = table.counts[gold][verdict]
    head = f"{count:>7,.0f} {_sign(gold, verdict)} {_shade(count, sum(table.counts[gold]))} "
    names = f"gold {table.names[gold]}, verdict {table.names[verdict]}"
    text = head + shortened(names, max(width - cell_len(head), NAME))
    cells = (Cell(0, len(text), (table.behind[gold][verdict],)),)
    return SheetRow(text, spans=(Span(0, len(head), _look(gold, verdict)),), cells=cells)


def _used(table: Confusion) -> tuple[list[int], list[int]]:
    """Outcomes that were given at all, each where it was: as gold, and as gold or verdict, so that what is alike stands level."""
    size = range(len(table.names))
    golds = [place for place in size if sum(table.counts[place])]
    return golds, [place for place in size if place in golds or any(row[place] for row in table.counts)]


def _header(names: Sequence[str], name: int, cell: int) -> list[SheetRow]:
    """Names of the verdicts, level at the bottom."""
    lines = [_stacked(each, cell) for each in names]
    rows = []
    for place in range(max(map(len, lines))):
        height = max(map(len, lines))
        told = [each[place - height + len(each)] if place >= height - len(each) else "" for each in lines]
        head = ARROW if place == height - 1 else ""
        rows.append(
            SheetRow(padded(shortened(head, name), name) + "".join(f" {padded(t, cell, right=True)}" for t in told), "dim")
        )
    return rows


def _stacked(name: str, cell: int) -> list[str]:
    """A name over three lines at most. A word that is cut says more than one that is broken."""
    lines = [line.strip() for line in wrap(" ".join(shortened(word, cell) for word in name.split()), cell)]
    return lines if len(lines) <= MOST_LINES else [shortened(name, cell)]


def _row(table: Confusion, gold: int, verdicts: Sequence[int], head: str, width: int) -> SheetRow:
    total = sum(table.counts[gold])
    text, spans, cells = head, [], []
    for verdict in verdicts:
        count = table.counts[gold][verdict]
        shown = _filled(count, total, _sign(gold, verdict), width) if count else QUIET
        text += " "
        start = len(text)
        text += padded(shown, width, right=True)
        spans.append(Span(start, len(text), _look(gold, verdict) if count else "dim"))
        cells.append(Cell(len(text) - len(shown), len(text), (table.behind[gold][verdict],)))
    return SheetRow(text, spans=tuple(spans), cells=tuple(cells))


def _sign(gold: int, verdict: int) -> str:
    return SAME if gold == verdict else DIFFERS


def _look(gold: int, verdict: int) -> Look:
    return "same" if gold == verdict else "differs"


def _filled(count: float, total: float, sign: str, width: int) -> str:
    return f"{_shade(count, total)} {count:,.0f} {sign}" if width >= ROOMY else f"{_shade(count, total)[0]} {count:,.0f}{sign}"


def _shade(count: float, total: float) -> str:
    share = count / total if total else 0.0
    return SHADES[min(int(share * len(SHADES)), len(SHADES) - 1)] * SHADE


def _notes(table: Confusion) -> list[SheetRow]:
    total = sum(map(sum, table.counts))
    right = sum(row[place] for place, row in enumerate(table.counts))
    shades = f"{SHADES}: share of the row in quarters"
    rows = [SheetRow(f"{right:,.0f} of {total:,.0f} alike ({SAME}, else {DIFFERS}) · {shades}", "dim")]
    if table.counts != table.weighted and (frame := sum(map(sum, table.weighted))):
        share = sum(row[place] for place, row in enumerate(table.weighted)) / frame
        rows.append(SheetRow(f"by the design's weights: {frame:,.0f} items, {100 * share:.1f} % of them alike", "dim"))
    return rows
