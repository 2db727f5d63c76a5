"""All prompts of a workspace with the items on each, in the order in which they came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from adjudicate.core.items import Item, Prompt
from adjudicate.storage.rows import ITEM_COLUMNS, item_from
from adjudicate.storage.sqlite_store import SqliteStore

PROMPTS_WITH_ITEMS = f"""
SELECT {ITEM_COLUMNS} FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id
WHERE (:run IS NULL OR i.run_id = :run) AND (:model IS NULL OR i.model = :model)
ORDER BY p.rowid, i.rowid
"""


@dataclass(frozen=True, slots=True)
class PromptRow:
    """One prompt as declared, with what was answered to it."""

    prompt: Prompt
    items: tuple[Item, ...]


def prompt_rows(store: SqliteStore, *, run: str | None = None, model: str | None = None) -> Iterator[PromptRow]:
    """Every prompt that fits; None fits all."""
    found = (item_from(row) for row in store.database.connection.execute(PROMPTS_WITH_ITEMS, {"run": run, "model": model}))
    for _, items in groupby(found, key=lambda item: item.prompt.id):
        inside = tuple(items)
        yield PromptRow(inside[0].prompt, inside)
