"""Scores of one judge by population and category, and the verdicts of several filters on the same items: columns to read off."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adjudicate.storage.paired_rows import Part
from adjudicate.storage.sqlite_store import SqliteStore

WHICH = "(:run IS NULL OR i.run_id = :run) AND (:model IS NULL OR i.model = :model)"
SCORE = "CASE :field WHEN 'safety' THEN v.safety ELSE v.score END"
# A prompt's id is a hash, so its last digit splits the prompts in halves that owe nothing to what they say.
SCORES = f"""
SELECT p.intent, p.population, p.category, {SCORE}, instr('02468ace', substr(p.id, -1)) > 0
FROM verdicts AS v JOIN judges AS j ON j.id = v.judge_id
JOIN items AS i ON i.id = v.item_id JOIN prompts AS p ON p.id = i.prompt_id
WHERE j.name = :judge AND {SCORE} IS NOT NULL AND {WHICH}
"""
SCORED = f"""
SELECT j.name, count({SCORE}) FROM judges AS j LEFT JOIN verdicts AS v ON v.judge_id = j.id GROUP BY j.id ORDER BY 2 DESC, j.rowid
"""
JUDGE_IDS = "SELECT id, name FROM judges"
LAYERS = f"""
SELECT i.id, p.intent, p.population, j.name, v.outcome
FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id
LEFT JOIN verdicts AS v ON v.item_id = i.id
    AND v.judge_id IN (SELECT value FROM json_each(:judges))
LEFT JOIN judges AS j ON j.id = v.judge_id
WHERE {WHICH} ORDER BY i.rowid
"""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The score of one item."""

    intent: str
    population: str
    category: str
    score: float
    first_half: bool
    """Which half of the prompts it belongs to, by a digit of their ids."""


def score_rows(store: SqliteStore, judge: str, field: str, part: Part) -> Iterator[ScoreRow]:
    """Scores of a judge; verdicts without one are left out.

    Args:
        store: An open store.
        judge: Its name.
        field: ``score`` or ``safety``.
        part: Which items.
    """
    values = {"judge": judge, "field": field, "run": part.run, "model": part.model}
    for row in store.database.connection.execute(SCORES, values):
        yield ScoreRow(*[*row[:4], bool(row[4])])


def scored_judges(store: SqliteStore, field: str) -> list[tuple[str, int]]:
    """Every judge with its number of scores, the one with the most first."""
    return [(row[0], row[1]) for row in store.database.connection.execute(SCORED, {"field": field})]


def layer_rows(store: SqliteStore, judges: Sequence[str], part: Part) -> Iterator[tuple[str, str, str, str | None, str | None]]:
    """Item, intent, population, filter and its outcome, an item's rows together; filter None where none has a verdict."""
    ids = [judge_id for judge_id, name in store.database.connection.execute(JUDGE_IDS) if name in judges]
    values = {"judges": json.dumps(ids), "run": part.run, "model": part.model}
    for row in store.database.connection.execute(LAYERS, values):
        yield row[0], row[1], row[2], row[3], row[4]
