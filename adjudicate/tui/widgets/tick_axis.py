"""The scale over interval bars: where its round numbers are, and a guide below each of them."""

from __future__ import annotations

STEPS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
"""Ends of a scale; the smallest that holds every limit is taken."""
PARTS = {0.05: 5, 0.1: 5, 0.2: 4, 0.3: 3, 0.5: 5, 0.75: 3, 1.0: 4}
"""End of the scale -> parts between its ticks, so that these are round."""
GUIDE = "┊"
TIGHT = 9
"""Cells that a tick with its number needs."""


def axis(low: float, high: float, width: int, *, points: bool = False) -> str:
    """The numbers at their ticks, `width` cells wide.

    Args:
        low: Left end; 0, or the negative of `high`.
        high: Right end, one of `STEPS`.
        width: Cells.
        points: Whether they are differences, told in points.

    >>> axis(0.0, 0.2, 41)
    '0 %      5 %      10 %      15 %     20 %'
    """
    cells = [" "] * width
    for place, value in _ticks(low, high, width):
        # What rounds to nothing is nothing.
        number = round(100 * value, 6) + 0.0
        words = f"{number:+g}" if points and number else f"{number:g}" if points else f"{number:g} %"
        start = min(max(place - len(words) // 2, 0), width - len(words))
        cells[start : start + len(words)] = words
    return "".join(cells)


def with_guides(bar: str, low: float, high: float) -> str:
    """The bar with a guide at each tick where nothing is drawn.

    >>> with_guides("   ├●┤   ", 0.0, 0.2)
    '┊  ├●┤  ┊'
    """
    cells = list(bar)
    for place, _ in _ticks(low, high, len(bar)):
        if cells[place] == " ":
            cells[place] = GUIDE
    return "".join(cells)


def _ticks(low: float, high: float, width: int) -> list[tuple[int, float]]:
    """Cell and value of each tick; fewer where they would run into each other."""
    sides = 2 if low < 0 else 1
    parts = PARTS.get(high, 4)
    while parts > 1 and (width - 1) / (parts * sides) < TIGHT:
        # Halves stay round; the ends, and nothing in the middle of differences, are always there.
        parts = parts // 2 if parts % 2 == 0 else 1
    every = parts * sides
    return [(round(part * (width - 1) / every), low + (high - low) * part / every) for part in range(every + 1)]
