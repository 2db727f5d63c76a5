"""What has to be read to check that everything is still as it was recorded: streamed, so that a frame of any size fits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from adjudicate.core.policy import Policy
from adjudicate.storage.rows import policy_from
from adjudicate.storage.sqlite_store import SqliteStore

ITEMS = """
SELECT i.id, coalesce(p.messages, p.text), i.response, i.model, i.source_id
FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id ORDER BY i.rowid
"""
PROMPTS = "SELECT id, coalesce(messages, text), intent, population, category, language, pair FROM prompts"
POLICIES = "SELECT fingerprint, text, compiled FROM policies"
NOTES = """
SELECT e.annotator_id, e.seq, coalesce(json_extract(e.body, '$.note_digest'), ''), n.salt, n.text
FROM notes AS n JOIN events AS e ON e.id = n.event_id ORDER BY e.annotator_id, e.seq
"""
UNITS = """
SELECT u.draw_id, u.stratum, u.item_id, u.place, k.draw_id, k.inclusion_probability
FROM draw_units AS u LEFT JOIN picks AS k ON k.item_id = u.item_id ORDER BY u.draw_id, u.stratum, u.place
"""


class StoredItem(NamedTuple):
    """What the id of an item was made from."""

    id: str
    text: str
    """The prompt as hashed: its text, or the JSON of a conversation."""
    response: str
    model: str
    source_id: str | None


class StoredNote(NamedTuple):
    """A note beside the event that holds its digest."""

    annotator_id: str
    seq: int
    digest: str
    salt: str
    text: str


class StoredUnit(NamedTuple):
    """One place of a queue."""

    item_id: str
    place: int
    picked_by: str | None
    """The draw or extension that picked it; None where none did."""
    inclusion_probability: float | None


def stored_items(store: SqliteStore) -> Iterator[StoredItem]:
    """Items in the order of import."""
    return map(StoredItem._make, store.database.connection.execute(ITEMS))


def stored_prompts(store: SqliteStore) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Ids of prompts with the parts that each was made from."""
    return ((row[0], tuple(row[1:])) for row in store.database.connection.execute(PROMPTS))


def stored_policies(store: SqliteStore) -> Iterator[tuple[str, str, Policy]]:
    """Fingerprint, text, and the policy as it is used."""
    return ((row[0], row[1], policy_from(row[2])) for row in store.database.connection.execute(POLICIES))


def stored_notes(store: SqliteStore) -> Iterator[StoredNote]:
    """Notes that were not erased."""
    return map(StoredNote._make, store.database.connection.execute(NOTES))


def stored_queues(store: SqliteStore) -> Iterator[tuple[str, str, list[StoredUnit]]]:
    """Draw, stratum and units in recorded order, one stratum at a time."""
    rows: Iterator[Any] = store.database.connection.execute(UNITS)
    for (draw, stratum), units in groupby(rows, key=itemgetter(0, 1)):
        yield draw, stratum, [StoredUnit(*unit[2:]) for unit in units]


def event_ids(store: SqliteStore, annotator_id: str) -> dict[int, str]:
    """A person's events: place in the chain to id."""
    query = "SELECT seq, id FROM events WHERE annotator_id = ? ORDER BY seq"
    return dict(store.database.connection.execute(query, (annotator_id,)).fetchall())
