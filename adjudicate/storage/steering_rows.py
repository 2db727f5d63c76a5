"""Responses that speak to their judge, as rows: those that are still to be searched, and the signs that were found."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

INSERT = "INSERT INTO steering_signs VALUES (?, ?) ON CONFLICT DO UPDATE SET signs = excluded.signs"
FREE = """
SELECT i.id, i.response FROM items AS i
WHERE NOT EXISTS (SELECT 1 FROM draw_units AS u WHERE u.item_id = i.id)
    AND NOT EXISTS (SELECT 1 FROM steering_signs AS s WHERE s.item_id = i.id)
ORDER BY i.rowid
"""
FLAGGED = "SELECT item_id FROM steering_signs"
COUNT = "SELECT count(*) FROM steering_signs"
UNDRAWN = "SELECT count(*) FROM steering_signs AS s WHERE NOT EXISTS (SELECT 1 FROM picks AS p WHERE p.item_id = s.item_id)"


def free_responses(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Items outside every draw with responses in which no sign was found so far; to be read to the end before a write."""
    yield from connection.execute(FREE)


def note(connection: sqlite3.Connection, found: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Note the signs of items, inside an open transaction."""
    connection.executemany(INSERT, ((item, json.dumps(signs)) for item, signs in found))


def flagged(connection: sqlite3.Connection) -> set[str]:
    """Items whose responses were seen to speak to a judge."""
    return {row[0] for row in connection.execute(FLAGGED)}


def count(connection: sqlite3.Connection) -> int:
    """How many those are."""
    found: int = connection.execute(COUNT).fetchone()[0]
    return found


def undrawn(connection: sqlite3.Connection) -> int:
    """How many of them no sample holds so far."""
    found: int = connection.execute(UNDRAWN).fetchone()[0]
    return found
