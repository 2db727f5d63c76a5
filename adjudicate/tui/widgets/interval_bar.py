"""Bars drawn with characters: an interval on a shared scale, and how far something has got."""

from __future__ import annotations


def interval_bar(value: float | None, low: float | None, high: float | None, *, top: float, width: int, mark: str = "●") -> str:
    """``├──●────┤`` at its place between 0 and `top`, `width` cells wide; only the mark where there is no interval.

    >>> interval_bar(0.5, 0.25, 0.75, top=1.0, width=9)
    '  ├─●─┤  '
    """
    cells = [" "] * width

    def at(share: float) -> int:
        return min(max(round(share / top * (width - 1)), 0), width - 1) if top > 0 else 0

    if low is not None and high is not None:
        start, end = at(low), at(high)
        cells[start : end + 1] = ["─"] * (end - start + 1)
        cells[start], cells[end] = "├", "┤"
    if value is not None:
        cells[at(value)] = mark
    return "".join(cells)


def progress_bar(done: int, total: int, width: int) -> str:
    """``━━━━────``; full only when everything is done.

    >>> progress_bar(1, 4, 8)
    '━━──────'
    """
    filled = width * done // total if total else 0
    return "━" * filled + "─" * (width - filled)
