"""Lines and marks drawn with characters. Braille gives two by four dots in a cell, which is enough for a curve.

Drawn here rather than by a plotting library: its rows scroll, take the theme's colours and survive `NO_COLOR` like any other
row of a pane, and a line without colour is told apart by its dots.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from adjudicate.tui.widgets.sheet_row import Span

DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of a Braille cell, by row and column of the dot."""
BLANK = 0x2800


class Stroke(NamedTuple):
    """How a line is dotted: so many dots drawn, so many left out."""

    on: int
    off: int
    look: str


class Canvas:
    """A field of cells; both axes run from 0 to 1, upwards and to the right."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        """Cells."""
        self.height = height
        self._bits = [[0] * width for _ in range(height)]
        self._marks: dict[tuple[int, int], str] = {}
        self._looks: dict[tuple[int, int], str] = {}

    def line(self, points: list[tuple[float, float]], stroke: Stroke) -> None:
        """Join points by a line of dots."""
        columns, rows = self.width * 2 - 1, self.height * 4 - 1
        walked = 0
        for (x0, y0), (x1, y1) in pairwise(points):
            start, end = (x0 * columns, y0 * rows), (x1 * columns, y1 * rows)
            steps = max(round(max(abs(end[0] - start[0]), abs(end[1] - start[1]))), 1)
            for step in range(steps + 1):
                walked += step > 0
                if walked % (stroke.on + stroke.off) < stroke.on:
                    share = step / steps
                    self._dot(start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]), stroke.look)
        if len(points) == 1:
            self._dot(points[0][0] * columns, points[0][1] * rows, stroke.look)

    def upright(self, x: float, low: float, high: float, look: str) -> None:
        """An interval as an upright line of characters."""
        column, (bottom, top) = self._column(x), (self._row(low), self._row(high))
        for row in range(top, bottom + 1):
            ends = {top: "┬", bottom: "┴"} if top != bottom else {top: "┼"}
            self._put(row, column, ends.get(row, "│"), look)

    def mark(self, x: float, y: float, sign: str, look: str) -> None:
        """One sign."""
        self._put(self._row(y), self._column(x), sign, look)

    def rows(self) -> list[tuple[str, tuple[Span, ...]]]:
        """Text of each row, from the top, with the looks in it."""
        return [self._text(row) for row in range(self.height)]

    def _text(self, row: int) -> tuple[str, tuple[Span, ...]]:
        text, spans = "", []
        for column in range(self.width):
            bits = self._bits[row][column]
            text += self._marks.get((row, column)) or (chr(BLANK + bits) if bits else " ")
            if look := self._looks.get((row, column)):
                spans.append(Span(column, column + 1, look))
        return text, tuple(spans)

    def _put(self, row: int, column: int, sign: str, look: str) -> None:
        self._marks[row, column] = sign
        self._looks[row, column] = look

    def _dot(self, x: float, y: float, look: str) -> None:
        across, up = min(max(round(x), 0), self.width * 2 - 1), min(max(round(y), 0), self.height * 4 - 1)
        down = self.height * 4 - 1 - up
        row, column = down // 4, across // 2
        self._bits[row][column] |= DOTS[down % 4][across % 2]
        if (row, column) not in self._marks:
            self._looks[row, column] = look

    def _column(self, x: float) -> int:
        return min(max(round(x * (self.width - 1)), 0), self.width - 1)

    def _row(self, y: float) -> int:
        return self.height - 1 - min(max(round(y * (self.height - 1)), 0), self.height - 1)
