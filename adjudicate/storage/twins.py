"""The twin of an item: the same model's response to the prompt that its data set pairs it with."""

from __future__ import annotations

from collections.abc import Callable

from adjudicate.core.items import Item
from adjudicate.errors import StoreError
from adjudicate.storage.browse_index import attach_index, fill
from adjudicate.storage.rows import ITEM_COLUMNS, item_from
from adjudicate.storage.sqlite_store import SqliteStore

THE_OTHER = "p.id <> :prompt AND p.intent <> :intent AND i.model = :model ORDER BY i.run_id <> :run, i.rowid LIMIT 1"
INDEXED = f"""
SELECT {ITEM_COLUMNS} FROM search.pairs AS s CROSS JOIN main.items AS i ON i.rowid = s.item
CROSS JOIN main.prompts AS p ON p.id = i.prompt_id WHERE s.pair = :pair AND {THE_OTHER}
"""
ANY_PAIR = "SELECT 1 FROM prompts WHERE pair <> '' LIMIT 1"
# Reads every item once: where there can be no index.
UNINDEXED = f"""
SELECT {ITEM_COLUMNS} FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id WHERE p.pair = :pair AND {THE_OTHER}
"""


def has_pairs(store: SqliteStore) -> bool:
    """Whether any prompt is declared to have a twin."""
    return store.database.connection.execute(ANY_PAIR).fetchone() is not None


def know_pairs(store: SqliteStore, *, is_cancelled: Callable[[], bool] = lambda: False) -> bool:
    """Bring the index of pairs up to date, seconds for a million new items; whether it is.

    Args:
        store: A store of the worker's own.
        is_cancelled: Whether nobody waits any more; what is done until then is kept.
    """
    try:
        attach_index(store.database)
        return fill(store.database, "pairs", lambda _now: not is_cancelled()).is_complete
    except StoreError:
        return False


def twin_of(store: SqliteStore, item: Item) -> Item | None:
    """The twin: of another intent, by the same model, from the same run where that has one. None without a twin.

    For another thread than the one that paints: the first time it makes the index.
    """
    prompt = item.prompt
    if not prompt.pair:
        return None
    query = INDEXED if know_pairs(store) else UNINDEXED
    values = {"pair": prompt.pair, "prompt": prompt.id, "intent": prompt.intent, "model": item.model, "run": item.run_id}
    row = store.database.connection.execute(query, values).fetchone()
    return item_from(row) if row is not None else None


def interrupt(store: SqliteStore) -> None:
    """End a query of another thread's store that nobody waits for any more; that thread gets an error."""
    store.database.connection.interrupt()
