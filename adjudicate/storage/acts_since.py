"""What was done since somebody last looked: labels, rulings, and verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from adjudicate.storage.connection import Database

SINCE = "SELECT kind, count(*) FROM events WHERE annotator_id = ? AND seq > ? AND round >= 0 GROUP BY kind"
VERDICTS = "SELECT count(*) FROM verdicts"
WRITES = "PRAGMA data_version"

Head = tuple[str, int, str]
"""Annotator id, number of that person's events, id of the last one."""


@dataclass(frozen=True, slots=True)
class Acts:
    """What people did between two looks."""

    labels: int = 0
    """Made, changed or taken back."""
    rulings: int = 0
    others: int = 0
    """Skips, flags, notes, contested intents, and *cannot decide*."""


def writes(database: Database) -> int:
    """A number that changes whenever another connection has written; looking costs nothing."""
    number: int = database.connection.execute(WRITES).fetchone()[0]
    return number


def verdict_count(database: Database) -> int:
    """Verdicts of all judges; passes over all of them."""
    count: int = database.connection.execute(VERDICTS).fetchone()[0]
    return count


def acts_since(database: Database, then: Iterable[Head], now: Iterable[Head]) -> Acts:
    """What people did.

    Args:
        database: As it is now.
        then: Ends of the chains at the earlier look.
        now: Ends of the chains now.
    """
    before = {person: seq for person, seq, _ in then}
    kinds: dict[str, int] = {}
    for person, seq, _ in now:
        if seq > before.get(person, 0):
            for kind, count in database.connection.execute(SINCE, (person, before.get(person, 0))):
                kinds[kind] = kinds.get(kind, 0) + count
    labels = kinds.pop("label", 0) + kinds.pop("undo", 0)
    rulings = kinds.pop("resolution", 0) + kinds.pop("gold", 0)
    return Acts(labels, rulings, sum(kinds.values()))
