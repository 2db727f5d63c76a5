"""What waits for an adjudicator: items whose labels differ, and prompts whose declared intent somebody contests.

By what hangs on them, the older first where that is the same; what was called unclear comes last, until the next version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from adjudicate.core.gold import contested_intents, ruled_intents, settle
from adjudicate.stats.influence import Influence
from adjudicate.storage import dispute_rows
from adjudicate.storage.dispute_rows import Ruling
from adjudicate.storage.sqlite_store import SqliteStore


@dataclass(frozen=True, slots=True)
class Entry:
    """One item of the queue."""

    item_id: str
    since: str
    """When the first thing was said of it: UTC, ISO 8601."""
    labels_differ: bool
    """Whether its outcome has to be settled; else only the intent of its prompt."""
    intent_contested: bool
    """Whether somebody holds another intent than the declared one and nobody has ruled on it."""
    unclear: bool
    """Whether it was put on the list for the next version of the policy."""


def read_queue(store: SqliteStore, ruled: Mapping[str, str]) -> list[Entry]:
    """Everything that waits, oldest first.

    Args:
        store: An open store.
        ruled: Prompt id -> what it was ruled to be.
    """
    open_items = store.open_items()
    contested = _contested(store, ruled, frozenset(open_items))
    unclear = dispute_rows.unclear(store, store.policy().fingerprint)
    waiting = [*open_items, *sorted(contested - set(open_items))]
    since = dispute_rows.began(store, waiting)
    differing = frozenset(open_items)
    entries = [Entry(item, since.get(item, ""), item in differing, item in contested, item in unclear) for item in waiting]
    # The order of the store says more than a clock does, where both are open.
    return entries if not contested - differing else sorted(entries, key=lambda entry: entry.since)


def in_order(entries: Iterable[Entry], influence: Mapping[str, Influence]) -> list[Entry]:
    """By what hangs on them; entries of the same weight, or not weighed yet, stay in the order in which they came."""

    def weight(entry: Entry) -> float:
        found = influence.get(entry.item_id)
        return found.size if found is not None else 0.0

    return sorted(entries, key=lambda entry: (entry.unclear, -weight(entry)))


def ruled_by_prompt(rulings: Sequence[Ruling]) -> dict[str, str]:
    """What prompts were ruled to be, by prompt id; of several rulings the latest holds."""
    return ruled_intents((ruling.prompt_id, (ruling.event,)) for ruling in rulings)


def _contested(store: SqliteStore, ruled: Mapping[str, str], open_items: frozenset[str]) -> set[str]:
    """Items with a contested intent that wait for nobody's label any more."""
    rows = {row.item_id: row for row in dispute_rows.contested(store) if row.prompt_id not in ruled}
    found = set()
    for item, events in store.events_on(list(rows)).items():
        gold = settle(events)
        is_ready = item in open_items or (gold is not None and not gold.is_open)
        if is_ready and any(intent != rows[item].declared for intent in contested_intents(events).values()):
            found.add(item)
    return found
