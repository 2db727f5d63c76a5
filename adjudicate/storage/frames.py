"""The frame that estimates speak for: counts by cell of everything imported, and the items that have been labelled."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Sequence

from adjudicate.storage.rows import ITEM_COLUMNS, item_from
from adjudicate.storage.store import FrameCell, FrameItem

CELLS = """
SELECT coalesce(u.draw_id || ' | ' || u.stratum, ''), p.population, p.intent, i.model, i.run_id, p.category, p.language,
    coalesce(j.name, ''), v.outcome, count(*)
FROM items AS i
JOIN prompts AS p ON p.id = i.prompt_id
LEFT JOIN draw_units AS u ON u.item_id = i.id
LEFT JOIN verdicts AS v ON v.item_id = i.id
LEFT JOIN judges AS j ON j.id = v.judge_id
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
"""
LABELLED = f"""
SELECT {ITEM_COLUMNS}, coalesce(u.draw_id || ' | ' || u.stratum, ''), k.item_id IS NOT NULL
FROM (SELECT DISTINCT item_id FROM events WHERE kind IN ('label', 'resolution', 'gold', 'undecided')) AS l
JOIN items AS i ON i.id = l.item_id
JOIN prompts AS p ON p.id = i.prompt_id
LEFT JOIN draw_units AS u ON u.item_id = i.id
LEFT JOIN picks AS k ON k.item_id = i.id
ORDER BY i.rowid
"""
VERDICTS = """
SELECT v.item_id, j.name, v.outcome FROM verdicts AS v JOIN judges AS j ON j.id = v.judge_id
WHERE v.item_id IN (SELECT value FROM json_each(?))
"""


def cells(connection: sqlite3.Connection) -> list[FrameCell]:
    """Every item once per judge (once with an empty judge where none spoke), counted by cell."""
    return [FrameCell(*row) for row in connection.execute(CELLS)]


def items(connection: sqlite3.Connection, item_ids: Sequence[str] | None) -> list[FrameItem]:
    """Labelled items, or those of them that are named, with strata and verdicts."""
    wanted = None if item_ids is None else set(item_ids)
    rows = [row for row in connection.execute(LABELLED) if wanted is None or row[0] in wanted]
    verdicts: dict[str, dict[str, str | None]] = defaultdict(dict)
    for item_id, judge, outcome in connection.execute(VERDICTS, (json.dumps([row[0] for row in rows]),)):
        verdicts[item_id][judge] = outcome
    return [FrameItem(item_from(row), row[13], bool(row[14]), dict(verdicts[row[0]])) for row in rows]
