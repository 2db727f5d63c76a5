"""What may reach a terminal, a log line or an error: `visible()` turns every acting or hidden character into a stand-in.

Stored text is never changed; this is applied where text is shown. Widgets, reports and messages call nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# C0 but newline, DEL, C1, line and paragraph separators, lone surrogates: they act on a terminal or break a line.
_ACTING = "\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
# Bidirectional controls: they reorder what is read (CVE-2021-42574).
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# Invisible: they hide letters or split words. Joiners are judged by their neighbours, see `_stand_in`.
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_JOINERS = "\u200c\u200d\ufe00-\ufe0f"
_LONG_STACK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{9,}"

_SHOWN = re.compile(f"\r\n|[{_ACTING}{_BIDI}{_INVISIBLE}{_JOINERS}]|{_LONG_STACK}")
_KEPT_MARKS = 4

TAB = "    "
"""What a tab is shown as: four spaces, whatever its column."""


def visible(text: str) -> str:
    r"""The text with every acting or hidden character replaced by a visible stand-in; newlines stay.

    >>> visible("a\x1b[31mb")
    'a␛[31mb'
    >>> visible("a\u202eb")
    'a<U+202E>b'
    """
    return _SHOWN.sub(_stand_in, text)


def visible_line(text: str) -> str:
    """As `visible`, on one line: a newline becomes ``␊``. For names, titles, cells and messages."""
    return visible(text).replace("\n", "␊")


def hidden_characters(text: str) -> int:
    """How many characters `visible` shows by a stand-in because they act or hide (tabs and CRLF are neither)."""
    return sum(end - start for start, end in hidden_stretches(text))


def hidden_stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where those characters are: first one, and the one after the last."""
    for match in _SHOWN.finditer(text):
        if match[0] not in ("\t", "\r\n") and _stand_in(match) != match[0]:
            yield match.start() + (_KEPT_MARKS if len(match[0]) > 2 else 0), match.end()


def shortened(text: str, limit: int) -> str:
    """`visible_line`, cut to `limit` characters with an ellipsis. For lists and messages."""
    line = visible_line(text[: limit * 4])
    return line if len(line) <= limit and len(text) <= limit * 4 else line[: limit - 1] + "…"


def code_points(text: str) -> str:
    """The non-ASCII characters of a word by code point, so that look-alikes can be told apart: ``U+043E``."""
    return ", ".join(f"U+{ord(character):04X}" for character in text if ord(character) > 126)


def _stand_in(match: re.Match[str]) -> str:
    found = match[0]
    if found == "\r\n":
        return "\n"
    if found == "\t":
        return TAB
    if len(found) > 1:
        return f"{found[:_KEPT_MARKS]}<{len(found) - _KEPT_MARKS} more marks>"
    code = ord(found)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code in (0x200C, 0x200D) or 0xFE00 <= code <= 0xFE0F:
        return found if _joins(match) else f"<U+{code:04X}>"
    return f"<U+{code:04X}>"


def _joins(match: re.Match[str]) -> bool:
    """Whether a joiner or variation selector does its ordinary work: between letters that join, or in an emoji."""
    text, start, end = match.string, match.start(), match.end()
    before = text[start - 1] if start else ""
    after = text[end : end + 1]
    if "\ufe00" <= match[0] <= "\ufe0f":
        return before > "\x7f" or before in ("#", "*", *"0123456789")
    return before > "\u00ff" and after > "\u00ff" and not before.isspace() and not after.isspace()
