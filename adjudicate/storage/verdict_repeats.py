"""Verdicts that a judge gave when it was asked again about the same item.

The first reading stays in `verdicts`: it is the one that rates count, that strata are made of and that people see. What is
here tells only how steady the judge is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from adjudicate.core.items import Verdict
from adjudicate.core.text import visible_line
from adjudicate.errors import StoreError
from adjudicate.storage.store import RepeatedVerdict

INSERT = "INSERT INTO verdict_repeats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
STORED = "SELECT outcome FROM verdict_repeats WHERE item_id = ? AND judge_id = ? AND repeat = ?"
PLACE = "p.population, p.intent, i.model, i.run_id, p.category, p.language, i.id, j.name"
READINGS = f"""
SELECT i.rowid, j.rowid, r.repeat, {PLACE}, r.outcome
FROM (
    SELECT item_id, judge_id, repeat, outcome FROM verdict_repeats
    UNION ALL
    SELECT a.item_id, a.judge_id, 0, v.outcome
    FROM (SELECT DISTINCT item_id, judge_id FROM verdict_repeats) AS a
    JOIN verdicts AS v ON v.item_id = a.item_id AND v.judge_id = a.judge_id
) AS r
JOIN items AS i ON i.id = r.item_id JOIN prompts AS p ON p.id = i.prompt_id JOIN judges AS j ON j.id = r.judge_id
ORDER BY 1, 2, 3
"""


def insert_repeats(connection: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> int:
    """Insert the repeats that are not here yet, as rows of the table; how many those were."""
    return connection.executemany(INSERT, rows).rowcount if rows else 0


def put(connection: sqlite3.Connection, judge: str, readings: Sequence[tuple[str, int, Verdict]]) -> int:
    """Add repeats of a judge inside an open transaction; see `Store.put_repeats`."""
    found = connection.execute("SELECT id FROM judges WHERE name = ?", (judge,)).fetchone()
    if found is None:
        raise StoreError(f"there is no judge {visible_line(judge)}")
    added = 0
    for item_id, repeat, verdict in readings:
        scores = (verdict.score, verdict.helpfulness, verdict.safety)
        row = (item_id, found[0], repeat, verdict.outcome, *scores, verdict.reason, verdict.raw)
        try:
            new = connection.execute(INSERT, row).rowcount
        except sqlite3.IntegrityError as error:
            raise StoreError(f"repeat {repeat} of item {item_id} cannot be stored: {error}") from error
        if not new and connection.execute(STORED, row[:3]).fetchone()[0] != verdict.outcome:
            raise StoreError(f"repeat {repeat} of item {item_id} by {visible_line(judge)} is here already, with another outcome")
        added += new
    return added


def read(connection: sqlite3.Connection) -> list[RepeatedVerdict]:
    """Every item that a judge was asked about again, with all its readings, in the order of import."""
    found = []
    for _, rows in groupby(connection.execute(READINGS), key=itemgetter(0, 1)):
        readings = list(rows)
        outcomes, counted = tuple([row[11] for row in readings]), readings[0][2] == 0
        found.append(RepeatedVerdict(*[*readings[0][3:11], outcomes, counted]))
    return found
