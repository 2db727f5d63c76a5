"""Two texts compared word by word, with marks that need no colour: ``[-gone-]`` and ``{+new+}``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby

# A break is a word of its own where it ends a paragraph or begins an item of a list; elsewhere it is a blank.
WORDS = re.compile(r"\n[^\S\n]*(?:\n\s*)+|\n(?=[^\S\n]*(?:[-*+]\s|[|>#]|```|\d+[.)]\s))|\S+")
MOST = 8_000
"""Words of one text that are compared one by one; beyond, whole lines are, which takes a fraction of the time."""
GONE, NEW = ("[-", "-]"), ("{+", "+}")


def marked(before: str, after: str) -> str:
    """The newer text with what was taken out and put in.

    Args:
        before: Markdown; a line break inside a paragraph is a blank.
        after: The same, later.

    >>> marked("Answer them, always.", "Answer them, with care.")
    'Answer them, [-always.-] {+with care.+}'
    >>> marked("one", "one")
    'one'
    """
    old, new = _words(before), _words(after)
    if max(len(old), len(new)) > MOST:
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    pieces: list[str] = []
    for what, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            pieces += new[new_from:new_to]
            continue
        pieces += _between(old[old_from:old_to], GONE, breaks=False)
        pieces += _between(new[new_from:new_to], NEW, breaks=True)
    return _joined(pieces)


def _words(text: str) -> list[str]:
    return WORDS.findall(text.strip())


def _between(words: Sequence[str], marks: tuple[str, str], *, breaks: bool) -> Iterator[str]:
    """The words between marks; a mark never runs over a break. Breaks that are gone leave no gap in the newer text."""
    for is_word, run in groupby(words, key=lambda word: bool(word.strip())):
        if is_word:
            yield f"{marks[0]}{' '.join(word.strip() for word in run)}{marks[1]}"
        elif breaks:
            yield from run


def _joined(pieces: Sequence[str]) -> str:
    text = ""
    for piece in pieces:
        if piece.strip() and text and not text[-1].isspace():
            text += " "
        text += piece
    return text.strip()
