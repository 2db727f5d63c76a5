"""What of the drawn items is labelled in turn, and what was skipped by everyone; the rule of turns is `core.queue_turns`."""

from __future__ import annotations

import sqlite3

from adjudicate.core import queue_turns
from adjudicate.core.queue_turns import Listed, Turn
from adjudicate.storage.draws import DEALT_WITH
from adjudicate.storage.store import FrameCell

LIVE = "NOT EXISTS (SELECT 1 FROM events AS x WHERE x.target = e.id AND x.kind = 'undo')"
SPOKEN = "e.round = 0 AND e.kind IN ('label', 'resolution', 'gold', 'undecided')"

LABELLED_PICKS = f"""
SELECT k.item_id, k.draw_id, u.stratum
FROM picks AS k CROSS JOIN draw_units AS u ON u.item_id = k.item_id
WHERE EXISTS (SELECT 1 FROM events AS e INDEXED BY events_by_item WHERE e.item_id = k.item_id AND {SPOKEN} AND {LIVE})
"""
BATCHES = """
SELECT k.draw_id, u.stratum, count(*) FROM picks AS k CROSS JOIN draw_units AS u ON u.item_id = k.item_id GROUP BY 1, 2
"""
ON_LISTS = f"""
SELECT a.annotator_id, a.item_id, a.position, k.draw_id, u.stratum, {DEALT_WITH}
FROM assignments AS a
CROSS JOIN picks AS k ON k.item_id = a.item_id
CROSS JOIN draw_units AS u ON u.item_id = a.item_id
WHERE a.round = 0
"""
# Clocks of several machines may differ, but a label with a time taken was made on the screen, which serves lists only.
IN_TURN = f"""
SELECT DISTINCT a.annotator_id, a.item_id
FROM assignments AS a
CROSS JOIN picks AS k ON k.item_id = a.item_id
CROSS JOIN draws AS d ON d.id = k.draw_id
CROSS JOIN events AS e INDEXED BY events_by_item ON e.item_id = a.item_id AND e.annotator_id = a.annotator_id AND e.round = 0
WHERE a.round = 0 AND e.kind IN ('label', 'skip', 'undecided') AND {LIVE}
    AND (e.kind <> 'label' OR json_extract(e.body, '$.seconds') IS NOT NULL OR e.at >= d.drawn_at)
"""
SKIPPED = f"""
SELECT p.population, p.intent, i.model, i.run_id, p.category, p.language, coalesce(u.draw_id || ' | ' || u.stratum, ''), count(*)
FROM picks AS k
CROSS JOIN draw_units AS u ON u.item_id = k.item_id
CROSS JOIN items AS i ON i.id = k.item_id
CROSS JOIN prompts AS p ON p.id = i.prompt_id
WHERE EXISTS (
    SELECT 1 FROM events AS e INDEXED BY events_by_item WHERE e.item_id = k.item_id AND e.kind = 'skip' AND e.round = 0 AND {LIVE}
)
    AND NOT EXISTS (SELECT 1 FROM events AS e INDEXED BY events_by_item WHERE e.item_id = k.item_id AND {SPOKEN} AND {LIVE})
    AND NOT EXISTS (SELECT 1 FROM assignments AS a WHERE a.item_id = k.item_id AND a.round = 0 AND NOT {DEALT_WITH})
GROUP BY 1, 2, 3, 4, 5, 6, 7
"""


def turns(connection: sqlite3.Connection) -> dict[str, Turn]:
    """Of every drawn item with a label, whether its labels were made in turn (`core.queue_turns`)."""
    batch_of = {item: (draw, stratum) for item, draw, stratum in connection.execute(LABELLED_PICKS)}
    if not batch_of:
        return {}
    made = set(connection.execute(IN_TURN).fetchall())
    return queue_turns.turns(
        batch_of,
        {(draw, stratum): size for draw, stratum, size in connection.execute(BATCHES)},
        (
            Listed(annotator, item, position, (draw, stratum), bool(dealt_with), (annotator, item) in made)
            for annotator, item, position, draw, stratum, dealt_with in connection.execute(ON_LISTS)
        ),
    )


def skipped_cells(connection: sqlite3.Connection) -> list[FrameCell]:
    """Drawn items that everyone who was given them has skipped, and nobody labelled, counted by cell: the non-response."""
    return [FrameCell(*[*row[:7], "", None, row[7]]) for row in connection.execute(SKIPPED)]
