"""Items with one judge's verdict on each: what a benchmark is scored by, and what is published of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from adjudicate.core.items import Item, Verdict
from adjudicate.storage.paired_rows import Part
from adjudicate.storage.rows import ITEM_COLUMNS, VERDICT_COLUMNS, item_from, verdict_from
from adjudicate.storage.sqlite_store import SqliteStore

CLASSIFIED = f"""
SELECT {ITEM_COLUMNS}, {VERDICT_COLUMNS}
FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id JOIN runs AS r ON r.id = i.run_id
LEFT JOIN judges AS j ON j.name = :judge
LEFT JOIN verdicts AS v ON v.item_id = i.id AND v.judge_id = j.id
WHERE (:run IS NULL OR i.run_id = :run) AND (:model IS NULL OR i.model = :model)
ORDER BY r.rowid, i.line, i.rowid
"""
JUDGED_MOST = """
SELECT j.name FROM verdicts AS v JOIN judges AS j ON j.id = v.judge_id JOIN items AS i ON i.id = v.item_id
WHERE (:run IS NULL OR i.run_id = :run) AND (:model IS NULL OR i.model = :model)
GROUP BY j.id ORDER BY count(*) DESC, j.rowid
"""
MODELS = "SELECT DISTINCT model FROM items WHERE run_id = ? ORDER BY model"
ITEM_WIDTH = len(ITEM_COLUMNS.split(","))


@dataclass(frozen=True, slots=True)
class ClassifiedRow:
    """One item and what the judge said of it."""

    item: Item
    verdict: Verdict | None
    """None where this judge has given none; one without an outcome where it failed."""


def classified_rows(store: SqliteStore, judge: str | None, part: Part) -> Iterator[ClassifiedRow]:
    """Every item of a part, in the order in which its set lists them.

    Args:
        store: An open store.
        judge: Name of the judge; None for no verdicts.
        part: Which items.
    """
    for row in store.database.connection.execute(CLASSIFIED, {"judge": judge, "run": part.run, "model": part.model}):
        said = row[ITEM_WIDTH:]
        # A verdict has a reason, if an empty one; without a verdict every column is empty.
        yield ClassifiedRow(item_from(row[:ITEM_WIDTH]), verdict_from(said) if said[5] is not None else None)


def judges_of(store: SqliteStore, part: Part) -> list[str]:
    """Names of the judges with a verdict on the part, the one with the most first."""
    return [row[0] for row in store.database.connection.execute(JUDGED_MOST, {"run": part.run, "model": part.model})]


def models_of(store: SqliteStore, run: str) -> list[str]:
    """Models whose answers a run holds, sorted."""
    return [row[0] for row in store.database.connection.execute(MODELS, (run,))]
