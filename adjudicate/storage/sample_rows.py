"""The drawn items in the order in which they are presented, for those who label them elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from adjudicate.storage.rows import Place
from adjudicate.storage.sqlite_store import SqliteStore

SAMPLE = """
SELECT p.population, p.intent, i.model, i.run_id, p.category, p.language,
    k.position, u.draw_id, i.id, coalesce(i.source_id, ''),
    (SELECT group_concat(a.annotator_id, ' ') FROM assignments AS a WHERE a.item_id = k.item_id AND a.round = 0),
    EXISTS (SELECT 1 FROM current_labels AS l WHERE l.item_id = k.item_id)
FROM picks AS k JOIN draw_units AS u ON u.item_id = k.item_id
JOIN items AS i ON i.id = k.item_id JOIN prompts AS p ON p.id = i.prompt_id
ORDER BY k.position, i.id
"""


@dataclass(frozen=True, slots=True)
class SampleRow(Place):
    """One drawn item."""

    position: int
    """Place in the order of presentation."""
    draw: str
    item: str
    source_id: str
    people: tuple[str, ...]
    """Ids of the annotators on whose lists it is."""
    labelled: bool


def sample_rows(store: SqliteStore) -> Iterator[SampleRow]:
    """Every drawn item; nothing of what a judge or a person said of it."""
    for row in store.database.connection.execute(SAMPLE):
        yield SampleRow(*[*row[:10], tuple((row[10] or "").split()), bool(row[11])])
