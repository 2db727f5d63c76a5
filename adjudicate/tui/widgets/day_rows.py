"""Labels by day as bars, with who made them."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicate.tui.widgets.sheet_row import Cell, SheetRow, Span
from adjudicate.workflow.plot_records import Day

BAR = 40
DATE, COUNT = 10, 7
MOST_PEOPLE = 6
EIGHTHS = "▏▎▍▌▋▊▉█"


def day_rows(days: Sequence[Day], *, width: int) -> list[SheetRow]:
    """A row a day, newest last; nothing without a day."""
    if not days:
        return []
    most = max(day.labels for day in days)
    room = max(min(width - DATE - COUNT - 30, BAR), 8)
    total = sum(day.labels for day in days)
    title = f"Labels by day (UTC): {total:,} on {len(days)} day{'' if len(days) == 1 else 's'}, most {most:,}"
    rows = [SheetRow(title, "heading"), SheetRow(f"{'day':<{DATE}}{'labels':>{COUNT}}", "dim")]
    return rows + [_row(day, most, room, width) for day in days]


def _row(day: Day, most: int, room: int, width: int) -> SheetRow:
    head = f"{day.date:<{DATE}}{day.labels:>{COUNT},}  "
    bar = _bar(day.labels / most * room).ljust(room)
    people = [f"{name} {count:,}" for name, count in sorted(day.people.items(), key=lambda each: (-each[1], each[0]))]
    more = [f"{len(people) - MOST_PEOPLE} more"] if len(people) > MOST_PEOPLE else []
    said = "  " + " · ".join([*people[:MOST_PEOPLE], *more])
    text = f"{head}{bar}{said}" if len(head) + room + len(said) <= width else f"{head}{bar}".rstrip()
    spans = (Span(len(head), len(head) + room, "same"), Span(len(head) + room, len(text), "dim"))
    return SheetRow(text, spans=spans, cells=(Cell(0, DATE + COUNT, (day.behind,)),))


def _bar(length: float) -> str:
    whole, rest = int(length), round((length - int(length)) * 8)
    bar = "█" * whole + (EIGHTHS[rest - 1] if rest else "")
    return bar or EIGHTHS[0]
