"""Prompts that say the same and are declared alike, but were imported with different tags and so have ids of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable

from adjudicate.storage.sqlite_store import SqliteStore

SAME_PROMPTS = """
SELECT q.id, p.id FROM prompts AS p JOIN prompts AS q ON q.text = p.text AND q.intent = p.intent
    AND q.population = p.population AND coalesce(q.messages, '') = coalesce(p.messages, '')
WHERE p.id IN (SELECT value FROM json_each(?)) AND q.id <> p.id
"""


def same_prompts(store: SqliteStore, prompts: Iterable[str]) -> dict[str, str]:
    """The other ids of some prompts: id -> the one of `prompts` that it repeats, as in `paired_rows`."""
    return dict(store.database.connection.execute(SAME_PROMPTS, (json.dumps(sorted(prompts)),)).fetchall())
