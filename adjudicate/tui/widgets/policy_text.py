"""Clause text for a pane: the lines of a paragraph joined, so that it wraps to the pane and not to the policy's file."""

from __future__ import annotations

import re

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
