"""What a section of the report found, as rows of its pane."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from adjudicate.core.policy import Policy
from adjudicate.core.present import FEW_NOTE
from adjudicate.core.text import shortened
from adjudicate.tui.report_blocks import Bars, Block, Choices, Days, Drawn, Heat, Intervals, Sheet, Tabled, Words
from adjudicate.tui.report_sections import Section
from adjudicate.tui.theme import CHOSEN, DONE, HARM
from adjudicate.tui.widgets.curve_rows import curve_rows
from adjudicate.tui.widgets.day_rows import day_rows
from adjudicate.tui.widgets.heat_rows import heat_list, heat_rows
from adjudicate.tui.widgets.interval_rows import interval_rows
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.tui.widgets.rate_rows import rate_lines
from adjudicate.tui.widgets.sheet_row import SheetRow, beside, opening, plain
from adjudicate.tui.widgets.table_rows import placed_rows

LOWEST_WINDOW = 20
"""Rows of a window below which plots give way to their numbers."""
NUMBERS_BESIDE = 100
"""Cells from which on the numbers of a plot stand beside it."""
PLOT_SHARE = 0.55
"""Of the width, where they do."""


class Room(NamedTuple):
    """What there is to fill."""

    width: int
    """Cells of the pane."""
    height: int
    """Rows of the window."""


def sheet_rows(section: Section, sheet: Sheet, policy: Policy, room: Room) -> list[SheetRow]:
    """Every block and the notes, a blank row between them; the reason where there is nothing."""
    if section.name == "warnings":
        return plain([Paragraph(f"{HARM} {each}") for each in sheet.warnings] or [Paragraph(f"{DONE} none", "done")])
    blocks = [drawn for block in sheet.blocks if (drawn := DRAWN[type(block)](block, policy, room))]
    few = [FEW_NOTE] if any(_marks_few(block) for block in sheet.blocks) else []
    notes = plain(Paragraph(note, "dim") for note in (*sheet.notes, *few))
    if not blocks:
        return plain([Paragraph(section.empty, "dim"), *([Paragraph("")] if notes else [])]) + notes
    rows: list[SheetRow] = []
    for block in (*blocks, *([notes] if notes else [])):
        rows += [*block, SheetRow("")]
    return rows[:-1]


def _bars(block: Bars, policy: Policy, room: Room) -> list[SheetRow]:
    targets = {id(rate.estimate): rate.targets for rate in block.rates}
    lines = rate_lines([rate.estimate for rate in block.rates], policy, width=room.width)
    return [opening(line.paragraph, targets.get(id(line.estimate), ()) if line.estimate else ()) for line in lines]


def _table(block: Tabled, _policy: Policy, room: Room) -> list[SheetRow]:
    placed = placed_rows(block.grouped, width=room.width)
    return [
        opening(each.paragraph, block.targets[each.row] if each.row is not None and each.row < len(block.targets) else ())
        for each in placed
    ]


def _plot(block: Drawn, policy: Policy, room: Room) -> list[SheetRow]:
    is_beside = block.numbers is not None and room.width >= NUMBERS_BESIDE
    width = int(room.width * PLOT_SHARE) if is_beside else room.width
    # Axes, legend and a few of the numbers stay on one screen.
    drawn = curve_rows(block.curve, width=width, height=room.height * 2 // 3) if room.height >= LOWEST_WINDOW else []
    if block.numbers is None:
        return drawn
    if not drawn or not is_beside:
        head = [] if drawn else [SheetRow(shortened(block.curve.title, room.width), "strong")]
        return [*drawn, *head, *_table(block.numbers, policy, room)]
    numbers = _table(block.numbers, policy, room._replace(width=room.width - max(len(row.text) for row in drawn) - 4))
    return beside(drawn, [SheetRow(""), *numbers])


def _intervals(block: Intervals, _policy: Policy, room: Room) -> list[SheetRow]:
    return interval_rows(block.lines, block.title, width=room.width)


def _heat(block: Heat, _policy: Policy, room: Room) -> list[SheetRow]:
    return heat_rows(block.table, width=room.width) or heat_list(block.table, width=room.width)


def _days(block: Days, _policy: Policy, room: Room) -> list[SheetRow]:
    return day_rows(block.days, width=room.width)


def _choices(block: Choices, _policy: Policy, room: Room) -> list[SheetRow]:
    rows = [SheetRow("Compare (enter):", "heading")]
    kind = ""
    for pair in block.pairs:
        if pair.kind != kind:
            kind = str(pair.kind)
            rows.append(SheetRow(kind, "dim"))
        words = f"{CHOSEN if pair == block.chosen else ' '} {shortened(pair.words, room.width - 4)}"
        rows.append(opening(Paragraph(words, "strong" if pair == block.chosen else ""), (pair,)))
    more = f"{block.more:,} more pairs: adjudicate gate --baseline RUN --candidate RUN, adjudicate report accuracy"
    return [*rows, *([SheetRow(more, "dim")] if block.more else [])]


def _words(block: Words, _policy: Policy, _room: Room) -> list[SheetRow]:
    return [SheetRow(block.text, "heading")]


def _marks_few(block: Block) -> bool:
    return isinstance(block, Tabled) and FEW_NOTE in block.grouped.table.notes


DRAWN: Mapping[type, Callable[[Any, Policy, Room], list[SheetRow]]] = {
    Bars: _bars,
    Tabled: _table,
    Drawn: _plot,
    Intervals: _intervals,
    Heat: _heat,
    Days: _days,
    Choices: _choices,
    Words: _words,
}
"""Kind of a block -> its rows."""
