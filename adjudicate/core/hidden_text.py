"""What a text may hold that its reader does not see: characters that act or hide, and words of letters that look alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from adjudicate.core.text import hidden_stretches

# Cyrillic, and the Greek letters that look like Latin ones; not those that stand beside Latin letters in formulas.
_ALIKE = "\u0400-\u04ff\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf"
_MIXED = re.compile(f"[A-Za-z][{_ALIKE}]|[{_ALIKE}][A-Za-z]")
_LONGEST_WORD = 40
"""Characters of a word on either side of where its scripts meet."""


class Oddity(NamedTuple):
    """One thing in a text that its reader may not see."""

    start: int
    end: int
    line: int
    """From 1."""
    column: int
    """Characters from the start of the line, from 1."""


def hidden_places(text: str) -> Iterator[Oddity]:
    """Where characters act or hide, in order; those next to one another together."""
    stretches = hidden_stretches(text)
    start, end = next(stretches, (-1, -1))
    if start < 0:
        return
    places = []
    for begin, stop in stretches:
        if begin == end:
            end = stop
        else:
            places.append((start, end))
            start, end = begin, stop
    yield from _placed(text, [*places, (start, end)])


def lookalike_words(text: str) -> list[Oddity]:
    """Words that mix Latin letters with Cyrillic or Greek ones of the same looks, in order."""
    if text.isascii():
        return []
    words: list[tuple[int, int]] = []
    for match in _MIXED.finditer(text):
        if words and match.start() < words[-1][1]:
            continue
        start, end = match.span()
        while start > match.start() - _LONGEST_WORD and start > 0 and text[start - 1].isalnum():
            start -= 1
        while end < match.end() + _LONGEST_WORD and end < len(text) and text[end].isalnum():
            end += 1
        words.append((start, end))
    return list(_placed(text, words))


def character_name(character: str) -> str:
    """Unicode's name of a character, with its code point.

    >>> character_name(chr(0x202E))
    'U+202E RIGHT-TO-LEFT OVERRIDE'
    """
    code = ord(character)
    return f"U+{code:04X} {unicodedata.name(character, '') or _CONTROLS.get(code, 'control character or no character')}"


_CONTROLS = {
    0x00: "NULL", 0x07: "BELL", 0x08: "BACKSPACE", 0x0B: "LINE TABULATION", 0x0C: "FORM FEED", 0x0D: "CARRIAGE RETURN",
    0x1B: "ESCAPE", 0x7F: "DELETE", 0x85: "NEXT LINE", 0x9B: "CONTROL SEQUENCE INTRODUCER", 0x9D: "OPERATING SYSTEM COMMAND",
}  # fmt: skip
"""Controls have no name of their own in Unicode's list."""


def _placed(text: str, stretches: list[tuple[int, int]]) -> Iterator[Oddity]:
    line, line_start, at = 1, 0, 0
    for start, end in stretches:
        line += text.count("\n", at, start)
        line_start = max(text.rfind("\n", at, start) + 1, line_start)
        at = start
        yield Oddity(start, end, line, start - line_start + 1)
