"""Signs whose width terminals do not agree on are anchored, so that what follows in a row stands where it belongs.

Where Textual counts two cells for a sign and the terminal paints one or four, everything to the right of it would shift: the
frame of the pane, and the pane beside it. Such a sign goes through Textual as one character that stands for it, so that it is
never cut in two; where it leaves, it is written over cleared cells and the cursor is put where Textual takes it to be, by
saving and restoring it (DECSC, DECRC), which every terminal knows.
"""

from __future__ import annotations

import re

from rich.cells import split_graphemes
from rich.segment import Segment
from textual.color import Color
from textual.driver import Driver
from textual.filter import LineFilter

SAVE, RESTORE = "\x1b7", "\x1b8"
# Scripts with marks that take cells of their own; Hangul in parts; joiners, keycaps and signs that ask for a colour picture;
# emoji, skin tones and flags, of which terminals know those of their own year. From the third plane on also what stands in.
UNSURE = re.compile(
    "[\u0900-\u109f\u1100-\u11ff\u1780-\u17ff\u1900-\u1cff\u200c\u200d\u20e3\ua800-\uabff\ud7b0-\ud7ff\ufe00-\ufe0f"
    "\U00010000-\U0001ffff\U00030000-\U0010ffff]"
)
PLACES = {1: (0xF0000, 0xFFFFD), 2: (0x38000, 0x3FFFD)}
"""First and last character that stands in for a sign of so many cells; Textual counts the same for each of them. A sign without
a cell, which is a mark that has lost its letter, goes as it is."""
STAND_IN = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in PLACES.values()) + "]")
NOTHING_LEFT = "\ufffd"


class SteadyCells(LineFilter):
    """Puts a character in for each unsure sign of a line; `write_out` puts the signs back. One for the life of an app."""

    def __init__(self) -> None:
        super().__init__()
        self._stand_ins: dict[str, str] = {}
        self._written: dict[str, str] = {}
        """What is written for each character that stands in."""
        self._next = {cells: first for cells, (first, _) in PLACES.items()}

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        """The segments with every unsure sign as one character."""
        return [
            Segment(self._replaced(segment.text), segment.style, segment.control) if UNSURE.search(segment.text) else segment
            for segment in segments
        ]

    def write_out(self, painted: str) -> str:
        """What Textual painted, with the signs back in their places."""
        return STAND_IN.sub(lambda match: self._written.get(match[0], NOTHING_LEFT), painted)

    def driver(self, driver: type[Driver]) -> type[Driver]:
        """A driver that puts the signs back in all that it writes."""

        def write(itself: Driver, data: str) -> None:
            driver.write(itself, self.write_out(data))

        return type(driver.__name__, (driver,), {"write": write})

    def _replaced(self, text: str) -> str:
        spans, _ = split_graphemes(text)
        return "".join(
            self._stand_in(text[start:end], cells) if UNSURE.search(text, start, end) else text[start:end]
            for start, end, cells in spans
        )

    def _stand_in(self, sign: str, cells: int) -> str:
        # A line comes through here again where a widget lies in another; what stands in by then stays.
        known = sign if sign in self._written or cells not in PLACES else self._stand_ins.get(sign)
        if known is not None:
            return known
        number = self._next[cells]
        if number > PLACES[cells][1]:
            return NOTHING_LEFT * cells
        self._next[cells] = number + 1
        self._stand_ins[sign] = chr(number)
        # Saved anew for each way back: some terminals forget a place once they have returned to it.
        self._written[chr(number)] = f"{SAVE}{' ' * cells}{RESTORE}{SAVE}{sign}{RESTORE}\x1b[{cells}C"
        return chr(number)
