"""Imported labels as events: each annotator's chain continued, no label added that the person already holds."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable, Sequence
from typing import cast

from adjudicate.core.items import LabelDraft
from adjudicate.core.labels import FIRST, Act, Event, Mode, chained
from adjudicate.storage.pseudonym_numbers import insert_annotator
from adjudicate.storage.rows import EVENT_COLUMNS, event_row

INSERT_EVENT = f"INSERT INTO events ({EVENT_COLUMNS}) VALUES ({', '.join('?' * 13)})"
LAST_EVENT = "SELECT seq, id FROM events WHERE annotator_id = ? ORDER BY seq DESC LIMIT 1"
HELD = """
SELECT e.item_id, e.annotator_id, e.outcome, e.id FROM live_events AS e
WHERE e.kind = ? AND e.round = 0 AND e.item_id IN (SELECT value FROM json_each(?)) ORDER BY e.seq
"""

Labelled = tuple[str, tuple[LabelDraft, ...], str | None]
"""Item, its labels, its recorded gold label."""


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

    def begin(self, *, mode: str, gold_by: str, source: str) -> None:
        """Say how the labels of the next run were made and where they come from."""
        self._mode = cast("Mode", mode)
        self._gold_by = gold_by
        self._source = source

    def add(self, labelled: Sequence[Labelled], *, all_new: bool) -> int:
        """Append what is not held yet; how many events that were.

        Args:
            labelled: Items with labels or gold.
            all_new: No item of them was here before, so there is nothing to compare with.
        """
        items = json.dumps([item for item, _, _ in labelled])
        labels = {} if all_new else self._held("label", items)
        golds = {} if all_new else self._held("gold", items)
        events: list[Event] = []
        for item, drafts, gold in labelled:
            settled = [self._label(events, labels, item, draft) for draft in drafts]
            if gold is None:
                continue
            annotator = self._annotator(self._gold_by)
            if golds.get((item, annotator), ("", ""))[0] != gold:
                act = Act("gold", item, outcome=gold, body={"settles": sorted(settled)})
                golds[item, annotator] = (gold, self._append(events, annotator, act))
        _write(self._connection, events)
        return len(events)

    def _label(self, events: list[Event], held: dict[tuple[str, str], tuple[str, str]], item: str, draft: LabelDraft) -> str:
        """Id of the event that holds the label: the one that is here, or a new one."""
        annotator = self._annotator(draft.annotator)
        outcome, event_id = held.get((item, annotator), ("", ""))
        if outcome == draft.outcome:
            return event_id
        event_id = self._append(events, annotator, Act("label", item, outcome=draft.outcome, mode=self._mode))
        held[item, annotator] = (draft.outcome, event_id)
        return event_id

    def _append(self, events: list[Event], annotator: str, act: Act) -> str:
        seq, previous = self._ends[annotator]
        event = chained(act, annotator_id=annotator, seq=seq + 1, previous=previous, policy=self._policy, at=self._at)
        self._ends[annotator] = (event.seq, event.id)
        events.append(event)
        return event.id

    def _held(self, kind: str, items: str) -> dict[tuple[str, str], tuple[str, str]]:
        """What each annotator's label (or gold) on each item says now."""
        rows: Iterable[tuple[str, str, str, str]] = self._connection.execute(HELD, (kind, items))
        return {(item, annotator): (outcome, event_id) for item, annotator, outcome, event_id in rows}

    def _annotator(self, name: str) -> str:
        if name not in self._annotators:
            # A random id, so that exports that carry it say nothing about the name.
            row = (f"a-{secrets.token_hex(6)}", name, self._source if name != self._gold_by else f"{self._source} {name}")
            annotator = _introduced(self._connection, row)
            last = self._connection.execute(LAST_EVENT, (annotator,)).fetchone()
            self._ends[annotator] = (last[0], last[1]) if last else (0, FIRST)
            self._annotators[name] = annotator
        return self._annotators[name]


def _write(connection: sqlite3.Connection, events: Iterable[Event]) -> None:
    connection.executemany(INSERT_EVENT, map(event_row, events))


def _introduced(connection: sqlite3.Connection, row: tuple[str, str, str]) -> str:
    """Id of the annotator of this name: theirs, where they are here already."""
    insert_annotator(connection, *row)
    found: str = connection.execute("SELECT id FROM annotators WHERE name = ?", (row[1],)).fetchone()[0]
    return found
