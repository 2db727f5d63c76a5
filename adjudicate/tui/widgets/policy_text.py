"""Clause text for a pane: the lines of a paragraph joined, so that it wraps to the pane and not to the policy's file."""

from __future__ import annotations

import re

from adjudicate.tui.widgets.text_layout import Paragraph

STRONG = re.compile(r"\*\*([^*\n]+)\*\*")
# A line that starts a block of its own: list, table, quote, heading, fence, or indented.
BLOCK = re.compile(r"\s|[-*+|>#]|```|\d+[.)]\s")


def reflowed(markdown: str) -> str:
    """The text with the lines of each paragraph joined by a blank; everything else stays line by line.

    The stars of strong words go, since a pane of plain text would show them as they are; code in fences keeps all of its own.

    >>> reflowed("one" + chr(10) + "two" + chr(10) * 2 + "- a" + chr(10) + "- b").split(chr(10))
    ['one two', '', '- a', '- b']
    """
    rows: list[str] = []
    fenced = False
    for line in markdown.split("\n"):
        fence = line.lstrip().startswith("```")
        words = line if fenced else STRONG.sub(r"\1", line)
        joins = not fenced and not fence and line.strip() and not BLOCK.match(line)
        if joins and rows and rows[-1].strip() and not rows[-1].startswith(("|", "#", "```")):
            rows[-1] = f"{rows[-1].rstrip()} {words}"
        else:
            rows.append(words)
        fenced ^= fence
    return "\n".join(rows)


def hanging(text: str) -> list[Paragraph]:
    """A paragraph a line; what goes on below an indented line is indented as it is.

    >>> [(each.text, len(each.indent)) for each in hanging("1  Refusal" + chr(10) + "   Declines.")]
    [('1  Refusal', 0), ('Declines.', 3)]
    """
    lines = [(line, line.lstrip(" ")) for line in text.split("\n")]
    return [Paragraph(words, "", line[: len(line) - len(words)]) for line, words in lines]
