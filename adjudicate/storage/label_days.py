"""Labels by the day they were made on."""

from __future__ import annotations

from adjudicate.storage.connection import Database

DAYS = "SELECT substr(at, 1, 10), annotator_id, item_id FROM live_events WHERE kind = 'label' AND round >= 0 ORDER BY at"


def label_days(database: Database) -> list[tuple[str, str, str]]:
    """Day (UTC), annotator id and item of every label that was not undone, in the order of time.

    A label that came with a log stands at the time of its import.
    """
    return database.connection.execute(DAYS).fetchall()
