"""Prompts that say the same and are declared alike, but were imported with different tags and so have ids of their own."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

# The few that are asked about are held ready, and all prompts read once: there is no index of texts.
SAME_PROMPTS = """
WITH asked AS MATERIALIZED (
    SELECT id, text, intent, population, coalesce(messages, '') AS messages FROM prompts
    WHERE id IN (SELECT value FROM json_each(?))
)
SELECT q.id, p.id FROM prompts AS q CROSS JOIN asked AS p ON p.text = q.text
WHERE q.intent = p.intent AND q.population = p.population AND coalesce(q.messages, '') = p.messages AND q.id <> p.id
"""


def same_prompts(connection: sqlite3.Connection, prompts: Iterable[str]) -> dict[str, str]:
    """The other ids of some prompts: id -> the one of `prompts` that it repeats, as in `paired_rows`."""
    return dict(connection.execute(SAME_PROMPTS, (json.dumps(sorted(prompts)),)).fetchall())
