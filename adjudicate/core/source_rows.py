"""A source row as it is kept: verbatim, but without the prompt and response that its item holds already.

A row of a log is mostly its two long texts. Where their tokens stand in the row exactly as a known writer would write
them, a mark takes their place, and `source_text` puts them back to the last character.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

MARK = "\x1e"
"""Record separator: strict JSON cannot hold it raw, and a row of another kind that does is kept whole."""
WHOLE = MARK + "="
PACKED = MARK + "~"
SHORTEST = 24
"""Tokens shorter than this stay where they are."""

_MARKED = re.compile(MARK + "([pr])([a-z])")


def json_token(text: str) -> str:
    """The JSON string that a writer of UTF-8 makes of a text."""
    return json.dumps(text, ensure_ascii=False)


def ascii_token(text: str) -> str:
    """The JSON string that a writer of pure ASCII makes of a text."""
    return json.dumps(text)


def quoted_cell(text: str) -> str:
    """The CSV cell with quotes around a text."""
    return '"' + text.replace('"', '""') + '"'


def plain_cell(text: str) -> str:
    """The CSV cell without quotes around a text."""
    return text


TOKENS: Mapping[str, Callable[[str], str]] = {
    "u": json_token,
    "a": ascii_token,
    "q": quoted_cell,
    "c": plain_cell,
}
"""How a text may be written in a row, by the letter that stands for it in a mark."""


def packed(row: str, *, prompt: str, response: str, kinds: str) -> str:
    """The row as kept.

    Args:
        row: The row verbatim.
        prompt: Text that the item keeps as its prompt; empty where it keeps a conversation.
        response: Text that the item keeps as its response.
        kinds: Letters of `TOKENS` to try, e.g. ``ua``.
    """
    if MARK in row:
        return WHOLE + row
    kept = row
    for field, text in (("r", response), ("p", prompt)):
        if len(text) < SHORTEST:
            continue
        for kind in kinds:
            before, token, after = kept.partition(TOKENS[kind](text))
            if token:
                kept = f"{before}{MARK}{field}{kind}{after}"
                break
    return kept if kept is row else PACKED + kept


def source_text(kept: str, *, prompt: str, response: str) -> str:
    """The row verbatim, from what is kept of it and the texts of its item."""
    if not kept.startswith(MARK):
        return kept
    if kept.startswith(WHOLE):
        return kept[len(WHOLE) :]
    texts = {"p": prompt, "r": response}
    return _MARKED.sub(lambda mark: TOKENS[mark[2]](texts[mark[1]]), kept[len(PACKED) :])
