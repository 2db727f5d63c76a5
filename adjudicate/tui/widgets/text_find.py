"""Finding words in a text that is laid out."""

from __future__ import annotations

import re
from bisect import bisect_left

from adjudicate.tui.widgets.text_layout import Layout, Place

MOST = 10_000
"""Places that are found at most; the words are too common to be looked for beyond that."""


class Found:
    """Where words stand in a text, and the one that is looked at."""

    def __init__(self, words: str, layout: Layout, *, near: int) -> None:
        """Look for words.

        Args:
            words: Looked for as they are, upper and lower case alike.
            layout: The text.
            near: Row to begin at: the first place in it or below is the one looked at.
        """
        self.words = words
        self.places: list[Place] = []
        pattern = re.compile(re.escape(words), re.IGNORECASE)
        for number, block in enumerate(layout.blocks):
            for match in pattern.finditer(block.text):
                self.places.append(Place(number, match.start(), match.end()))
                if len(self.places) == MOST:
                    break
            else:
                continue
            break
        self.at = next((at for at, place in enumerate(self.places) if layout.row_of(place) >= near), 0)

    @property
    def place(self) -> Place | None:
        """The place looked at; None where the words are nowhere."""
        return self.places[self.at] if self.places else None

    def move(self, step: int) -> None:
        """To the next or previous place, from an end to the other one."""
        if self.places:
            self.at = (self.at + step) % len(self.places)

    def told(self) -> str:
        """Which of how many."""
        if not self.places:
            return "not found"
        return f"match {self.at + 1} of {len(self.places):,}{' or more' if len(self.places) == MOST else ''}"

    def in_row(self, layout: Layout, row: int) -> list[tuple[int, int, bool]]:
        """Stretches of a row to mark: first and last character in the row, and whether it is the one looked at."""
        block, start, lead = layout.block_of(row), layout.start_of(row), layout.lead_of(row)
        end = start + len(layout.rows[row]) - lead
        marks = []
        # One that began in a row above may go on here; it is no longer than the words, but for what case makes of them.
        begin = bisect_left(self.places, Place(block, max(start - 2 * len(self.words), 0), 0))
        for place in range(begin, len(self.places)):
            found = self.places[place]
            if found.block != block or found.start >= end:
                break
            if found.end > start:
                marks.append((max(found.start - start, 0) + lead, min(found.end, end) - start + lead, place == self.at))
        return marks
