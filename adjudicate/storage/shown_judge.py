"""The judge whose verdicts the list of items shows: the one that came first."""

from __future__ import annotations

from adjudicate.storage.connection import Database

FIRST = "SELECT name FROM judges ORDER BY rowid LIMIT 1"


def shown_judge(database: Database) -> str:
    """Its name; empty where there is no judge."""
    row = database.connection.execute(FIRST).fetchone()
    return str(row[0]) if row else ""
