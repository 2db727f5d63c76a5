"""Markdown as a terminal can show it: headings, lists, quotes, fenced code, strong and emphasised words, code in a line.

Nothing but marks is taken away, and only where they can be nothing else: a star or underscore inside a word stays, links,
tables and HTML stay as they are written. Linear in the length of the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

BlockLook = Literal["", "title", "strong", "code", "frame"]
SpanLook = Literal["bold", "italic", "bold italic", "snippet"]

# Whether there is anything to render at all: most text has nothing, and is one block.
_ANY = re.compile(r"^[ ]*(?:#{1,6} |```|~~~|>|[-*+] |[0-9]{1,9}[.)] |(?:[-*_] ?){3,}$)|(?<!\w)[*_`]{1,3}[^\s*_`]", re.MULTILINE)
# Nothing here may look twice at the same stretch of a line: a response can be one line of a megabyte, written to be slow.
_FENCE = re.compile(r"( *)(`{3,}+|~{3,}+)([^`]*)$")
_HEADING = re.compile(r" {0,3}(#{1,6}) +(?=\S)(.*)$")
_RULE = re.compile(r" {0,3}([-*_])(?: *\1){2,} *$")
_QUOTE = re.compile(r" {0,3}((?:> ?)+)(.*)$")
_BULLET = re.compile(r"( *)[-*+] +(?=\S)(.*)$")
_NUMBER = re.compile(r"( *)([0-9]{1,9}[.)]) +(?=\S)(.*)$")
_MARKS = re.compile(r"(?<!\\)(?:\*{1,3}|_{1,3}|`+)")
_FIRST_OF_BLOCK = frozenset(" #>-*+_`~0123456789")

DEEPEST = 24
"""Columns of indentation kept before a list item; deeper ones would leave no room for its words."""
RULE = "─" * 24
_SPAN_LOOKS: tuple[SpanLook, ...] = ("italic", "bold", "bold italic")
"""By the number of stars or underscores."""


class Span(NamedTuple):
    """A stretch of a block in a look of its own; spans are in order and do not overlap."""

    start: int
    end: int
    look: SpanLook


class Block(NamedTuple):
    """A stretch of text in one look. Newlines in it start new rows."""

    text: str
    look: BlockLook = ""
    first: str = ""
    """Put before the first row of each of its lines."""
    hang: str = ""
    """Put before the rows that continue a line."""
    spans: tuple[Span, ...] = ()


def has_markdown(text: str) -> bool:
    """Whether `blocks` would show anything but the text as it is."""
    return _ANY.search(text) is not None


def blocks(text: str) -> list[Block]:
    """The text in blocks.

    Args:
        text: Already `visible()`.

    Returns:
        Blocks whose texts hold every character of the text but the marks that are rendered.
    """
    if not has_markdown(text):
        return [Block(text)]
    found: list[Block] = []
    plain: list[str] = []
    lines = iter(text.split("\n"))
    for line in lines:
        block = _block(line, lines) if line and line[0] in _FIRST_OF_BLOCK else None
        if block is None:
            plain.append(line)
            continue
        if plain:
            found.append(_plain(plain))
            plain = []
        found += block
    return [*found, _plain(plain)] if plain else found


def _block(line: str, lines: Iterator[str]) -> list[Block] | None:
    """What a line begins, taking the lines that belong to it; None for plain text."""
    if fence := _FENCE.match(line):
        return _code(fence, lines)
    if heading := _HEADING.match(line):
        return [_inline(_unclosed(heading[2]), "title" if len(heading[1]) <= 2 else "strong")]
    if _RULE.match(line):
        return [Block(RULE, "frame")]
    if quote := _QUOTE.match(line):
        bar = "┃ " * min(quote[1].count(">"), DEEPEST // 2)
        return [_inline(quote[2], "", bar, bar)]
    if bullet := _BULLET.match(line):
        indent = bullet[1][:DEEPEST]
        return [_inline(bullet[2], "", f"{indent}• ", f"{indent}  ")]
    if number := _NUMBER.match(line):
        first = f"{number[1][:DEEPEST]}{number[2]} "
        return [_inline(number[3], "", first, " " * len(first))]
    return None


def _unclosed(heading: str) -> str:
    """A heading without the number signs that close it."""
    words = heading.rstrip(" ")
    bare = words.rstrip("#")
    return bare.rstrip(" ") if bare.endswith(" ") else words


def _code(fence: re.Match[str], lines: Iterator[str]) -> list[Block]:
    """A fenced block in a frame, whose upper edge has the words after the fence. Without an end it goes on to the last line."""
    indent, mark = fence[1], fence[2]
    margin = indent[:DEEPEST]
    end = re.compile(rf" *{mark[0]}{{{len(mark)},}} *$")
    inside: list[str] = []
    closed = False
    for line in lines:
        if end.match(line):
            closed = True
            break
        inside.append(line.removeprefix(indent))
    head = Block(fence[3].strip(), "frame", f"{margin}╭─ ", f"{margin}│  ")
    foot = Block("" if closed else "(no end of the code)", "frame", f"{margin}╰─ ", f"{margin}   ")
    return [head, *([Block("\n".join(inside), "code", f"{margin}│ ", f"{margin}┆ ")] if inside else []), foot]


def _plain(lines: list[str]) -> Block:
    """Lines of plain text as one block."""
    texts, spans, at = [], [], 0
    for line in lines:
        text, own = emphasis(line)
        texts.append(text)
        spans += [Span(span.start + at, span.end + at, span.look) for span in own]
        at += len(text) + 1
    return Block("\n".join(texts), spans=tuple(spans))


def _inline(line: str, look: BlockLook, first: str = "", hang: str = "") -> Block:
    text, spans = emphasis(line)
    return Block(text, look, first, hang, tuple(spans))


# Inside a line


class _Mark(NamedTuple):
    start: int
    end: int
    sign: str
    opens: bool
    closes: bool


def emphasis(line: str) -> tuple[str, list[Span]]:
    """The line without the marks of strong, emphasised and code words, and where those are.

    >>> emphasis("a **b** c")
    ('a b c', [Span(start=2, end=3, look='bold')])
    >>> emphasis("2*3*4 and snake_case_name")
    ('2*3*4 and snake_case_name', [])
    """
    if "*" not in line and "_" not in line and "`" not in line:
        return line, []
    pairs = _pairs(_marks(line))
    return _without(line, pairs) if pairs else (line, [])


def _marks(line: str) -> list[_Mark]:
    found = []
    for match in _MARKS.finditer(line):
        before = line[match.start() - 1] if match.start() else " "
        after = line[match.end() : match.end() + 1] or " "
        # Not inside a word, where a star may multiply and an underscore may be part of a name.
        opens = not after.isspace() and not before.isalnum()
        closes = not before.isspace() and not after.isalnum()
        found.append(_Mark(match.start(), match.end(), match[0], opens, closes))
    return found


def _pairs(marks: list[_Mark]) -> list[tuple[_Mark, _Mark]]:
    """Marks that belong together, none across another. Code wins, as nothing inside it is a mark."""
    following: dict[str, list[int]] = {}
    for place in range(len(marks) - 1, -1, -1):
        if marks[place].sign[0] == "`":
            following.setdefault(marks[place].sign, []).append(place)
    pairs: list[tuple[_Mark, _Mark]] = []
    opened: dict[str, int] = {}
    place = 0
    while place < len(marks):
        mark = marks[place]
        if mark.sign[0] == "`":
            same = following[mark.sign]
            same.pop()
            if same:
                pairs.append((mark, marks[same[-1]]))
                closing = same.pop()
                for skipped in range(place + 1, closing):
                    if marks[skipped].sign[0] == "`":
                        following[marks[skipped].sign].pop()
                place = closing
        elif mark.closes and mark.sign in opened and marks[opened[mark.sign]].end < mark.start:
            start = opened.pop(mark.sign)
            pairs.append((marks[start], mark))
            opened = {sign: at for sign, at in opened.items() if at < start}
        elif mark.opens:
            opened[mark.sign] = place
        place += 1
    return pairs


def _without(line: str, pairs: list[tuple[_Mark, _Mark]]) -> tuple[str, list[Span]]:
    """Cut the marks out; the flat spans between them."""
    edges: list[tuple[_Mark, SpanLook, bool]] = []
    for opening, closing in pairs:
        look: SpanLook = "snippet" if opening.sign[0] == "`" else _SPAN_LOOKS[len(opening.sign) - 1]
        edges += [(opening, look, True), (closing, look, False)]
    edges.sort(key=lambda edge: edge[0].start)
    parts: list[str] = []
    spans: list[Span] = []
    active: list[SpanLook] = []
    at = length = 0
    for mark, look, begins in edges:
        part = line[at : mark.start]
        if part and active:
            spans.append(Span(length, length + len(part), _joined(active)))
        parts.append(part)
        length += len(part)
        at = mark.end
        if begins:
            active.append(look)
        else:
            active.remove(look)
    return "".join([*parts, line[at:]]), spans


def _joined(active: list[SpanLook]) -> SpanLook:
    """What several looks, one inside the other, come to."""
    if "snippet" in active:
        return "snippet"
    words = {word for look in active for word in look.split()}
    return "bold italic" if len(words) == 2 else ("bold" if "bold" in words else "italic")
