"""What an adjudicator's queue is made of besides open labels: rulings so far, contested intents, what is called unclear."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from adjudicate.core.labels import Event
from adjudicate.storage.outdated import Outdated, marked
from adjudicate.storage.queue_turns import LIVE
from adjudicate.storage.rows import EVENT_COLUMNS, event_from
from adjudicate.storage.sqlite_store import SqliteStore

COLUMNS = ", ".join(f"e.{column}" for column in EVENT_COLUMNS.split(", "))
RULINGS = f"""
SELECT {COLUMNS}, i.prompt_id, p.population
FROM events AS e CROSS JOIN items AS i ON i.id = e.item_id CROSS JOIN prompts AS p ON p.id = i.prompt_id
WHERE e.kind = 'resolution' AND {LIVE} ORDER BY e.at, e.rowid
"""
CONTESTED = f"""
SELECT DISTINCT e.item_id, i.prompt_id, p.intent
FROM events AS e CROSS JOIN items AS i ON i.id = e.item_id CROSS JOIN prompts AS p ON p.id = i.prompt_id
WHERE e.kind = 'contest' AND {LIVE}
"""
# Until it is ruled on after all; what another version of the policy left unclear is looked at again under the one in force.
UNCLEAR = f"""
SELECT DISTINCT e.item_id FROM events AS e
WHERE e.kind = 'flag' AND json_extract(e.body, '$.unclear') AND e.policy = ? AND {LIVE} AND NOT EXISTS (
    SELECT 1 FROM events AS r WHERE r.item_id = e.item_id AND r.kind = 'resolution' AND r.rowid > e.rowid
        AND NOT EXISTS (SELECT 1 FROM events AS u WHERE u.target = r.id AND u.kind = 'undo')
)
"""
BEGAN = "SELECT item_id, min(at) FROM events WHERE item_id IN (SELECT value FROM json_each(?)) GROUP BY item_id"
LAST_ACT = f"""
SELECT {COLUMNS} FROM events AS e
WHERE e.annotator_id = ? AND (e.kind = 'resolution' OR e.kind = 'flag' AND json_extract(e.body, '$.unclear')) AND {LIVE}
ORDER BY e.seq DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Ruling:
    """One ruling that stands."""

    event: Event
    prompt_id: str
    population: str


@dataclass(frozen=True, slots=True)
class Contested:
    """An item on which somebody contested the intent."""

    item_id: str
    prompt_id: str
    declared: str


def rulings(store: SqliteStore) -> list[Ruling]:
    """All rulings that nobody took back, oldest first; those that rest on an older text are marked."""
    outdated: Outdated = store.outdated
    rows = store.database.connection.execute(RULINGS)
    return [Ruling(marked(event_from(row[:13]), outdated), row[13], row[14]) for row in rows]


def contested(store: SqliteStore) -> list[Contested]:
    """Items on which somebody contested the declared intent."""
    return [Contested(*row) for row in store.database.connection.execute(CONTESTED)]


def unclear(store: SqliteStore, policy: str) -> frozenset[str]:
    """Items that an adjudicator put on the list for the next version instead of ruling on them.

    Args:
        store: An open store.
        policy: Fingerprint of the one in force.
    """
    return frozenset(row[0] for row in store.database.connection.execute(UNCLEAR, (policy,)))


def began(store: SqliteStore, items: Sequence[str]) -> dict[str, str]:
    """When the first thing was said of each item: UTC, ISO 8601."""
    return dict(store.database.connection.execute(BEGAN, (json.dumps(list(items)),)).fetchall())


def last_act(store: SqliteStore, annotator_id: str) -> Event | None:
    """The adjudicator's latest ruling, or item put on the list for the next version, that no undo has taken back."""
    row = store.database.connection.execute(LAST_ACT, (annotator_id,)).fetchone()
    return event_from(row) if row else None
