"""The triage queue: items that somebody picked to be looked at, whatever a sample says. What is said of them is in no rate.

One queue for everybody, in the order of picking. A person is not offered what a sample gives them: it is labelled there, in its
turn, and seen first there.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from adjudicate.core.labels import TRIAGE
from adjudicate.errors import StoreError
from adjudicate.storage.connection import writing
from adjudicate.storage.draws import DEALT_WITH
from adjudicate.storage.outdated import DEALT_WITH_NOW, as_json
from adjudicate.storage.rows import Pick
from adjudicate.storage.sqlite_store import SqliteStore

# A sample that names nobody is everybody's: who has not had the item from it yet may still get it.
FROM_A_SAMPLE = """
(
    EXISTS (
        SELECT 1 FROM assignments AS m INDEXED BY assignments_by_item
        WHERE m.item_id = t.item_id AND m.annotator_id = :annotator
    )
    OR EXISTS (
        SELECT 1 FROM picks AS k JOIN draws AS d ON d.id = k.draw_id
        WHERE k.item_id = t.item_id AND coalesce(json_array_length(d.settings, '$.annotators'), 0) = 0
    )
)
"""
OFFERED = f"""
SELECT t.item_id, t.position, :annotator AS annotator_id, {TRIAGE} AS round FROM triage_items AS t WHERE NOT {FROM_A_SAMPLE}
"""
JUDGE = """
(
    SELECT j.name FROM draw_units AS u JOIN draws AS d ON d.id = u.draw_id JOIN judges AS j ON j.id = d.judge_id
    WHERE u.item_id = a.item_id
)
"""
ENTRY = f"SELECT a.item_id, a.position, {JUDGE} FROM ({OFFERED}) AS a"
PENDING = f"{ENTRY} WHERE a.position > :after AND NOT {DEALT_WITH} ORDER BY a.position LIMIT 1"
# With several versions of the policy a label that rests on what was changed is made again here too.
PENDING_NOW = f"{ENTRY} WHERE a.position > :after AND NOT {DEALT_WITH_NOW} ORDER BY a.position LIMIT 1"
BEFORE = f"{ENTRY} WHERE a.position < :before ORDER BY a.position DESC LIMIT 1"
# Also what has left the queue since: somebody takes a label back.
ONE = f"""
SELECT a.item_id, coalesce((SELECT position FROM triage_items AS t WHERE t.item_id = a.item_id), -1), {JUDGE}
FROM (SELECT id AS item_id FROM items WHERE id = :item) AS a
"""
COUNTS = f"SELECT count(*), coalesce(sum({DEALT_WITH}), 0) FROM ({OFFERED}) AS a"
COUNTS_NOW = f"SELECT count(*), coalesce(sum({DEALT_WITH_NOW}), 0) FROM ({OFFERED}) AS a"
PLACE = f"SELECT count(*) FROM ({OFFERED}) AS a WHERE a.position <= :position"
# Behind everything that is there: whoever is at one position finds what is new beyond it.
ADD = """
INSERT INTO triage_items
SELECT i.id, (SELECT coalesce(max(position), -1) FROM triage_items) + 1 + wanted.key, :annotator, :at
FROM json_each(:items) AS wanted CROSS JOIN items AS i ON i.rowid = wanted.value
WHERE NOT EXISTS (SELECT 1 FROM triage_items AS t WHERE t.item_id = i.id) ORDER BY wanted.key
"""
REMOVE = """
DELETE FROM triage_items
WHERE item_id IN (SELECT i.id FROM json_each(?) AS wanted CROSS JOIN items AS i ON i.rowid = wanted.value)
"""
ROWIDS = "SELECT i.rowid FROM triage_items AS t JOIN items AS i ON i.id = t.item_id ORDER BY t.position"
IN_QUEUE = "SELECT item_id FROM triage_items WHERE item_id IN (SELECT value FROM json_each(?))"
THEIRS = f"""
SELECT count(*) FROM json_each(:items) AS wanted CROSS JOIN items AS i ON i.rowid = wanted.value
CROSS JOIN triage_items AS t ON t.item_id = i.id WHERE {FROM_A_SAMPLE}
"""


@dataclass(frozen=True, slots=True)
class TriageCounts:
    """How far one person is with the queue."""

    offered: int
    """Those that the person may label here; the others are of a sample that is theirs."""
    done: int
    """Those that they have labelled or skipped."""


def add(store: SqliteStore, rowids: Sequence[int], annotator_id: str, at: str) -> int:
    """Put items at the end of the queue; how many were not in it yet."""
    with writing(store.database) as connection:
        values = {"items": json.dumps(list(rowids)), "annotator": annotator_id, "at": at}
        return connection.execute(ADD, values).rowcount


def remove(store: SqliteStore, rowids: Sequence[int]) -> int:
    """Take items out of the queue; how many were in it. What was said of them stays on record."""
    with writing(store.database) as connection:
        return connection.execute(REMOVE, (json.dumps(list(rowids)),)).rowcount


def rowids(store: SqliteStore) -> list[int]:
    """Rowids of the items in the queue, in its order."""
    return [row[0] for row in store.database.connection.execute(ROWIDS)]


def in_queue(store: SqliteStore, item_ids: Collection[str]) -> set[str]:
    """Those among some items that are in the queue."""
    return {row[0] for row in store.database.connection.execute(IN_QUEUE, (json.dumps(list(item_ids)),))}


def of_a_sample(store: SqliteStore, rowids: Sequence[int], annotator_id: str) -> int:
    """Those among some items in the queue that the person has from a sample, or could get from one."""
    values = {"items": json.dumps(list(rowids)), "annotator": annotator_id}
    count: int = store.database.connection.execute(THEIRS, values).fetchone()[0]
    return count


def counts(store: SqliteStore, annotator_id: str) -> TriageCounts:
    """How far a person is."""
    query = COUNTS_NOW if store.outdated else COUNTS
    values = {"annotator": annotator_id, "outdated": as_json(store.outdated)}
    return TriageCounts(*store.database.connection.execute(query, values).fetchone())


def pending(store: SqliteStore, annotator_id: str, *, after: int) -> Pick | None:
    """The next item beyond a position that the person has not dealt with; None without one."""
    query = PENDING_NOW if store.outdated else PENDING
    values = {"annotator": annotator_id, "after": after, "outdated": as_json(store.outdated)}
    return _pick(store.database.connection.execute(query, values).fetchone())


def before(store: SqliteStore, annotator_id: str, position: int) -> Pick | None:
    """The item before a position, dealt with or not; None at the beginning."""
    return _pick(store.database.connection.execute(BEFORE, {"annotator": annotator_id, "before": position}).fetchone())


def entry(store: SqliteStore, item_id: str) -> Pick:
    """An item as triage shows it, also where it has left the queue.

    Raises:
        StoreError: There is no such item.
    """
    found = _pick(store.database.connection.execute(ONE, {"item": item_id}).fetchone())
    if found is None:
        raise StoreError(f"there is no item {item_id}")
    return found


def place(store: SqliteStore, annotator_id: str, position: int) -> int:
    """How many of the items that the person may label here stand up to a position, that one counted in."""
    values = {"annotator": annotator_id, "position": position}
    number: int = store.database.connection.execute(PLACE, values).fetchone()[0]
    return number


def _pick(row: tuple[str, int, str | None] | None) -> Pick | None:
    return None if row is None else Pick(row[0], row[1], blind=True, round=TRIAGE, stratum="", judge=row[2])
