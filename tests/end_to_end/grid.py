"""A terminal that knows no more than what Textual paints with, and counts the cells of every character by itself.

That is how the plainest of terminals do it: a picture made of several characters takes the cells of all of them. It is many
times faster than a whole emulator, and what it does not know is told off in `stream` anyway.
"""

from __future__ import annotations

import re
from functools import lru_cache

from wcwidth import wcwidth

PART = re.compile(
    r"\x1b\[(\d+);(\d+)H|\x1b\[(\d+)C|\x1b([78])|(\r\n)|(\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b.)|([^\x1b\r]+)",
    re.DOTALL,
)
UNFINISHED = re.compile(r"(?:\x1b(?:\[[0-?]*[ -/]*|\][^\x07]*)?|\r)$")
"""A sequence whose end has not come yet."""


@lru_cache(maxsize=1 << 16)
def cells_of(character: str) -> int:
    """How many a character takes by itself."""
    return max(wcwidth(character), 0)


class Grid:
    """What is on the screen, cell by cell; the second cell of a wide character is empty."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self._at = self._saved = (0, 0)
        self._rest = ""

    @property
    def text(self) -> str:
        """All rows, without what fills them to the right."""
        return "\n".join("".join(row).rstrip() for row in self.cells)

    def feed(self, text: str) -> None:
        """Paint."""
        text = self._rest + text
        cut = UNFINISHED.search(text)
        end = cut.start() if cut else len(text)
        self._rest = text[end:]
        for row, column, on, kept, new_line, _, printed in PART.findall(text[:end]):
            if printed:
                self._print(printed)
            elif row:
                self._at = int(row) - 1, int(column) - 1
            elif on:
                self._at = self._at[0], min(self._at[1] + int(on), self.columns - 1)
            elif new_line:
                self._at = self._at[0] + 1, 0
            elif kept == "7":
                self._saved = self._at
            elif kept == "8":
                self._at = self._saved

    def _print(self, text: str) -> None:
        """Without wrapping: what would go beyond the edge stays in its last cell."""
        row, column = self._at
        line = self.cells[row] if row < self.rows else [" "] * self.columns
        for character in text:
            width = 1 if " " <= character <= "~" else cells_of(character)
            if not width:
                continue
            column = min(column, self.columns - width)
            if line[column] == "" and column:
                line[column - 1] = " "
            line[column] = character
            if width == 2:
                line[column + 1] = ""
            column += width
            if column < self.columns and line[column] == "":
                line[column] = " "
        self._at = row, column
