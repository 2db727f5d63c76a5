"""Imported labels as events: each annotator's chain continued, no label added that the person already holds.

A label that a write-back took out of this workspace is known again by the id of its event, whatever name it comes under.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from adjudicate.core.items import LabelDraft, RowDraft
from adjudicate.core.labels import COPY_OF, FIRST, Act, Event, Mode, chained
from adjudicate.storage.outdated import RESTS_ON_CHANGED, as_json, outdated_now
from adjudicate.storage.pseudonym_numbers import insert_annotator
from adjudicate.storage.rows import EVENT_COLUMNS, event_row

INSERT_EVENT = f"INSERT INTO events ({EVENT_COLUMNS}) VALUES ({', '.join('?' * 13)})"
LAST_EVENT = "SELECT seq, id FROM events WHERE annotator_id = ? ORDER BY seq DESC LIMIT 1"
HELD = f"""
SELECT e.item_id, e.annotator_id, e.outcome, e.id, {RESTS_ON_CHANGED} FROM live_events AS e
WHERE e.kind = :kind AND e.round = 0 AND e.item_id IN (SELECT value FROM json_each(:items)) ORDER BY e.seq
"""
COPIED = f"""
SELECT coalesce(json_extract(body, '$.{COPY_OF}'), id), item_id, id FROM events
WHERE item_id IN (SELECT value FROM json_each(?)) AND kind IN ('label', 'gold', 'resolution')
"""
NEW_IMPORT = "DROP TABLE IF EXISTS temp.said_labels"
SAID_LABELS = """
CREATE TEMP TABLE said_labels (
    item_id TEXT NOT NULL, name TEXT NOT NULL, outcome TEXT NOT NULL, PRIMARY KEY (item_id, name)
) WITHOUT ROWID
"""
INSERT_SAID = "INSERT INTO temp.said_labels VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
SAID = "SELECT item_id, name, outcome FROM temp.said_labels WHERE item_id IN (SELECT value FROM json_each(?))"
GOLD = ""
"""Stands for the recorded gold label where names of people stand; nobody has no name."""


class LabelsAdded(NamedTuple):
    """What some rows brought."""

    new: int
    """Events."""
    called_back: int
    """Labels and gold that are here with the same outcome, but that the policy has called back since."""


class Held(NamedTuple):
    """What an annotator's label (or gold) on an item says now."""

    outcome: str = ""
    event: str = ""
    outdated: bool = False
    """Whether the policy has called it back since."""


NOTHING = Held()
HeldLabels = dict[tuple[str, str], Held]
"""By item and annotator."""
Labelled = tuple[str, RowDraft]
"""Item, and the row with its labels and its recorded gold label."""
Said = dict[tuple[str, str], str]
"""Outcome that the rows of this import gave, by item and person (or `GOLD`)."""


def labels_said(row: RowDraft, item: str) -> Said:
    """What a row says people decided about its item."""
    said = {(item, draft.annotator): draft.outcome for draft in row.labels}
    return said if row.gold is None else {**said, (item, GOLD): row.gold}


class LabelBook:
    """Writes the label events of an import. One chain position per annotator is kept, so each chain is read once."""

    def __init__(self, connection: sqlite3.Connection, policy: str, at: str) -> None:
        self._connection = connection
        self._policy = policy
        self._at = at
        self._annotators: dict[str, str] = {}
        self._ends: dict[str, tuple[int, str]] = {}
        self._mode: Mode = "blind"
        self._gold_by = ""
        self._source = ""
        self._outdated = as_json(outdated_now(connection))
        self._called_back = 0
        # A table, because an import may hold more labels than should stand in memory.
        connection.execute(NEW_IMPORT)
        connection.execute(SAID_LABELS)

    def begin(self, *, mode: str, gold_by: str, source: str) -> None:
        """Say how the labels of the next run were made and where they come from."""
        self._mode = cast("Mode", mode)
        self._gold_by = gold_by
        self._source = source

    def said(self, items: str) -> Said:
        """What earlier rows of this import said about these items, given as a JSON list."""
        rows: Iterable[tuple[str, str, str]] = self._connection.execute(SAID, (items,))
        return {(item, name): outcome for item, name, outcome in rows}

    def add(self, labelled: Sequence[Labelled], *, all_new: bool) -> LabelsAdded:
        """Append what is not held yet.

        Args:
            labelled: Items with labels or gold.
            all_new: No item of them was here before, so there is nothing to compare with.
        """
        items = json.dumps([item for item, _ in labelled])
        labels = {} if all_new else self._held("label", items)
        golds = {} if all_new else self._held("gold", items)
        copied = {} if all_new else self._copied(items, labelled)
        events: list[Event] = []
        self._called_back = 0
        for item, row in labelled:
            settled = [copied.get((draft.event, item)) or self._label(events, labels, item, draft) for draft in row.labels]
            if row.gold is None or (row.gold_event, item) in copied:
                continue
            annotator = self._annotator(self._gold_by)
            held = golds.get((item, annotator), NOTHING)
            self._called_back += held.outdated and held.outcome == row.gold
            if held.outcome != row.gold:
                body = {"settles": sorted(settled), **_origin(row.gold_event)}
                act = Act("gold", item, outcome=row.gold, body=body)
                golds[item, annotator] = Held(row.gold, self._append(events, annotator, act))
        _write(self._connection, events, labelled)
        return LabelsAdded(len(events), self._called_back)

    def _label(self, events: list[Event], labels: HeldLabels, item: str, draft: LabelDraft) -> str:
        """Id of the event that holds the label: the one that is here, or a new one.

        A label that the policy has called back stays so: that a file says it once more does not mean that it was made anew.
        """
        annotator = self._annotator(draft.annotator)
        held = labels.get((item, annotator), NOTHING)
        if held.outcome == draft.outcome:
            self._called_back += held.outdated
            return held.event
        act = Act("label", item, outcome=draft.outcome, mode=draft.mode or self._mode, body=_origin(draft.event))
        event_id = self._append(events, annotator, act)
        labels[item, annotator] = Held(draft.outcome, event_id)
        return event_id

    def _append(self, events: list[Event], annotator: str, act: Act) -> str:
        seq, previous = self._ends[annotator]
        event = chained(act, annotator_id=annotator, seq=seq + 1, previous=previous, policy=self._policy, at=self._at)
        self._ends[annotator] = (event.seq, event.id)
        events.append(event)
        return event.id

    def _held(self, kind: str, items: str) -> HeldLabels:
        """What each annotator's label (or gold) on each item says now."""
        values = {"kind": kind, "items": items, "outdated": self._outdated}
        rows = self._connection.execute(HELD, values)
        return {(row[0], row[1]): Held(row[2], row[3], bool(row[4])) for row in rows}

    def _copied(self, items: str, labelled: Iterable[Labelled]) -> dict[tuple[str | None, str], str]:
        """Events of this workspace by the id that a write-back notes for them and by item; undone and replaced ones too."""
        if not any(row.gold_event or any(draft.event for draft in row.labels) for _, row in labelled):
            return {}
        return {(origin, item): event for origin, item, event in self._connection.execute(COPIED, (items,))}

    def _annotator(self, name: str) -> str:
        if name not in self._annotators:
            # A random id, so that exports that carry it say nothing about the name.
            row = (f"a-{secrets.token_hex(6)}", name, self._source if name != self._gold_by else f"{self._source} {name}")
            annotator = _introduced(self._connection, row)
            last = self._connection.execute(LAST_EVENT, (annotator,)).fetchone()
            self._ends[annotator] = (last[0], last[1]) if last else (0, FIRST)
            self._annotators[name] = annotator
        return self._annotators[name]


def _origin(event: str | None) -> dict[str, str]:
    return {} if event is None else {COPY_OF: event}


def _write(connection: sqlite3.Connection, events: Iterable[Event], labelled: Iterable[Labelled]) -> None:
    connection.executemany(INSERT_EVENT, map(event_row, events))
    connection.executemany(INSERT_SAID, _said(labelled))


def _said(labelled: Iterable[Labelled]) -> Iterator[tuple[str, str, str]]:
    for item, row in labelled:
        for (_, name), outcome in labels_said(row, item).items():
            yield item, name, outcome


def _introduced(connection: sqlite3.Connection, row: tuple[str, str, str]) -> str:
    """Id of the annotator of this name: theirs, where they are here already."""
    insert_annotator(connection, *row)
    found: str = connection.execute("SELECT id FROM annotators WHERE name = ?", (row[1],)).fetchone()[0]
    return found
