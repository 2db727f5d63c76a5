"""The frame that estimates speak for: counts by cell of everything imported, and the items that have been labelled."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict

from adjudicate.storage.store import FrameCell, FrameItem

STRATUM = "coalesce(u.draw_id || ' | ' || u.stratum, '')"
FIELDS = "p.population, p.intent, i.model, i.run_id, p.category, p.language"

ALL_ITEMS = f"""
SELECT {STRATUM}, {FIELDS}, '', NULL, count(*)
FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id LEFT JOIN draw_units AS u ON u.item_id = i.id
GROUP BY 1, 2, 3, 4, 5, 6, 7
"""
ALL_VERDICTS = f"""
SELECT {STRATUM}, {FIELDS}, j.name, v.outcome, count(*)
FROM verdicts AS v JOIN judges AS j ON j.id = v.judge_id
JOIN items AS i ON i.id = v.item_id JOIN prompts AS p ON p.id = i.prompt_id LEFT JOIN draw_units AS u ON u.item_id = i.id
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
"""
LABELLED = f"""
SELECT i.id, coalesce(i.source_id, ''), i.model, i.run_id, p.population, p.intent, p.category, p.language,
    {STRATUM}, k.item_id IS NOT NULL
FROM (SELECT DISTINCT item_id FROM events WHERE kind IN ('label', 'resolution', 'gold', 'undecided')) AS l
JOIN items AS i ON i.id = l.item_id
JOIN prompts AS p ON p.id = i.prompt_id
LEFT JOIN draw_units AS u ON u.item_id = i.id
LEFT JOIN picks AS k ON k.item_id = i.id
ORDER BY i.rowid
"""
VERDICTS_ON = """
SELECT v.item_id, j.name, v.outcome FROM verdicts AS v JOIN judges AS j ON j.id = v.judge_id
WHERE v.item_id IN (SELECT value FROM json_each(?))
"""


def cells(connection: sqlite3.Connection) -> list[FrameCell]:
    """Every item counted once under an empty judge, and every verdict once under its judge."""
    return [FrameCell(*row) for query in (ALL_ITEMS, ALL_VERDICTS) for row in connection.execute(query)]


def items(connection: sqlite3.Connection) -> list[FrameItem]:
    """Items that somebody has said something about, in the order of import, with strata and verdicts."""
    rows = connection.execute(LABELLED).fetchall()
    verdicts: dict[str, dict[str, str | None]] = defaultdict(dict)
    for item_id, judge, outcome in connection.execute(VERDICTS_ON, (json.dumps([row[0] for row in rows]),)):
        verdicts[item_id][judge] = outcome
    return [FrameItem(*[*row[:9], bool(row[9]), dict(verdicts[row[0]])]) for row in rows]
