"""The twin of an item: the same model's response to the prompt that its data set pairs it with."""

from __future__ import annotations

from adjudicate.core.items import Item
from adjudicate.storage.rows import ITEM_COLUMNS, item_from
from adjudicate.storage.sqlite_store import SqliteStore

TWIN = f"""
WITH other AS MATERIALIZED (SELECT id FROM prompts WHERE pair = ? AND id <> ? AND intent <> ?)
SELECT {ITEM_COLUMNS} FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id
WHERE i.prompt_id IN (SELECT id FROM other) AND i.model = ? ORDER BY i.run_id <> ?, i.rowid LIMIT 1
"""


def twin_of(store: SqliteStore, item: Item) -> Item | None:
    """The twin: of another intent, by the same model, from the same run where that has one. None without a twin.

    Reads every item once, as pairs have no index: for another thread than the one that paints.
    """
    prompt = item.prompt
    if not prompt.pair:
        return None
    values = (prompt.pair, prompt.id, prompt.intent, item.model, item.run_id)
    row = store.database.connection.execute(TWIN, values).fetchone()
    return item_from(row) if row is not None else None


def interrupt(store: SqliteStore) -> None:
    """End a query of another thread's store that nobody waits for any more; that thread gets an error."""
    store.database.connection.interrupt()
