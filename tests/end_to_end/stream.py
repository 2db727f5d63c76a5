"""What may leave the program for a terminal: printing text, and the few sequences that Textual paints a screen with."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from tests.tui.test_hostile_screens import ACTING

SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-~]|\r\n"
    r"|[\x00-\x1f\x7f-\x9f]"
)
COLOUR = r"2;\d{1,3};\d{1,3};\d{1,3}"
ALLOWED = re.compile(
    r"\r\n"
    # Where to write, and in which colours: always a place by row and column, always a colour in full.
    r"|\x1b\[(?P<row>\d+);(?P<column>\d+)H"
    rf"|\x1b\[(?:0|(?:[1-9];)*(?:38;{COLOUR};)?48;{COLOUR})m"
    # A sign that terminals give different widths is anchored.
    r"|\x1b[78]|\x1b\[[12]C"
    # A frame begins and ends.
    r"|\x1b\[\?2026[hl]"
    # Of the pointer, which Textual shapes.
    r"|\x1b\]22;default\x07"
)
# At the beginning and at the end, once for every time that the program has the terminal.
ONCE = re.compile(
    r"\x1b\[\?(?:1049|25|7|1000|1003|1004|1006|1015|2004)[hl]|\x1b\[\?(?:2026|2048)\$p|\x1b\[>\d+u|\x1b\[<u|\x1b\[2[23];2t"
)
MOUSE = re.compile(r"\x1b\[\?10(?:00|03|06|15)[hl]")
"""Textual turns the mouse on and off twice."""
JOINS = "\u200c\u200d"


def told_off(sent: str, titles: Iterable[str], size: tuple[int, int]) -> list[str]:
    """Everything in a stream of one run that a terminal would act on and that is not Textual's own; empty if all is well.

    Args:
        sent: All that left the program.
        titles: What it may set the window's title to.
        size: Columns and rows of the window.
    """
    allowed_titles = {f"\x1b]2;{title}\x07" for title in titles}
    found, once = [], Counter[str]()
    for match in SEQUENCE.finditer(sent):
        sequence = match[0]
        if ONCE.fullmatch(sequence) or sequence in allowed_titles:
            once[sequence] += 1
        elif not (allowed := ALLOWED.fullmatch(sequence)) or not _is_inside(allowed, size):
            found.append(repr(sequence))
    found += [f"{times} times {sequence!r}" for sequence, times in once.items() if times > 1 + bool(MOUSE.fullmatch(sequence))]
    text = SEQUENCE.sub("", sent)
    acting = Counter(ACTING.findall(text)) + Counter(each for each in text if is_hidden(each))
    return found + [f"{times} times U+{ord(character):04X}" for character, times in acting.items()]


def _is_inside(place: re.Match[str], size: tuple[int, int]) -> bool:
    columns, rows = size
    return place["row"] is None or (int(place["row"]) <= rows and int(place["column"]) <= columns)


def is_hidden(character: str) -> bool:
    """Whether a character shows nothing by itself; joiners and variation selectors between letters are how they are written."""
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in JOINS
