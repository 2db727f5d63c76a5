"""Many rows in one statement, so that SQLite works for milliseconds at a time while another thread reads the next rows.

With a statement a row the two threads would hand the interpreter to each other for every row, which costs more than it gains.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import chain
from typing import Any

Values = tuple[Any, ...]
"""A row of eight columns, as bound: of `prompts`, `items` or `verdicts`."""

MOST = 256
SIZES = (MOST, 128, 64, 32, 16, 8, 4, 2, 1)
"""Rows a statement. Any number of rows is made of these, so few statements are prepared and kept."""
ROW = "(?, ?, ?, ?, ?, ?, ?, ?)"
# FAIL, because a transaction that is undone as a whole needs no journal for each statement; ABORT, the default, keeps one.
INSERT_PROMPTS = [f"INSERT OR FAIL INTO prompts VALUES {', '.join([ROW] * size)} ON CONFLICT DO NOTHING" for size in SIZES]
INSERT_ITEMS = [f"INSERT OR FAIL INTO items VALUES {', '.join([ROW] * size)} ON CONFLICT DO NOTHING" for size in SIZES]
INSERT_VERDICTS = [f"INSERT OR FAIL INTO verdicts VALUES {', '.join([ROW] * size)} ON CONFLICT DO NOTHING" for size in SIZES]


def insert_prompts(connection: sqlite3.Connection, rows: Sequence[Values]) -> int:
    """Insert the prompts that are not here yet; how many those were."""
    return _insert(connection, INSERT_PROMPTS, rows)


def insert_items(connection: sqlite3.Connection, rows: Sequence[Values]) -> int:
    """Insert the items that are not here yet, in order; how many those were."""
    return _insert(connection, INSERT_ITEMS, rows)


def insert_verdicts(connection: sqlite3.Connection, rows: Sequence[Values]) -> int:
    """Insert the verdicts that are not here yet; how many those were."""
    return _insert(connection, INSERT_VERDICTS, rows)


def _insert(connection: sqlite3.Connection, statements: Sequence[str], rows: Sequence[Values]) -> int:
    inserted, start, size = 0, 0, MOST
    for statement in statements:
        while len(rows) - start >= size:
            values = list(chain.from_iterable(rows[start : start + size]))
            inserted += connection.execute(statement, values).rowcount
            start += size
        size //= 2
    return inserted
