"""What SQL asks of texts and SQLite answers only up to the first U+0000: ``length()``, ``substr()``, JSON taken apart.

A response may hold that sign. Python's own functions see all of it, and count what `len` counts: code points.
"""

from __future__ import annotations

import json
import sqlite3

BYTES_A_CHARACTER = 4
"""At most, in UTF-8: so many bytes of a text, read as a BLOB, hold its beginning (see `beginning`)."""
SAID_IN = "CASE WHEN p.messages IS NULL THEN p.text ELSE said_in(p.messages) END"
"""SQL for what stands in a prompt ``p``, all turns of it."""


def add_text_functions(connection: sqlite3.Connection) -> None:
    """Let SQL call ``characters(text)`` and ``said_in(messages)``."""
    # `len` itself, so that no line of Python runs for each of a million texts.
    connection.create_function("characters", 1, len, deterministic=True)
    connection.create_function("said_in", 1, _said_in, deterministic=True)


def beginning(found: bytes | None, characters: int) -> str:
    """The first characters of a text.

    Args:
        found: Its first ``characters * BYTES_A_CHARACTER`` bytes; the last character in them may be cut, and lies beyond then.
            None for an empty text: that is what SQLite's ``substr()`` makes of a BLOB without a byte.
        characters: How many are wanted.
    """
    return (found or b"").decode("utf-8", errors="ignore")[:characters]


def _said_in(messages: str) -> str:
    """What stands in a conversation as the store keeps it: every turn, one below the other."""
    return "\n".join(text for _, text in json.loads(messages))
