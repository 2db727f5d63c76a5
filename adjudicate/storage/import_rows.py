"""Bulk import: everything that one command brings, in one transaction that is stored whole or not at all.

Rows are read by batches in a thread, while the batch before goes in. A batch whose items are all new (the usual case) is a
statement a table; one that meets items that are here already is compared with them, so that nothing is doubled and nothing
that contradicts them slips in.
"""

from __future__ import annotations

import contextlib
import gc
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import attrgetter, itemgetter
from typing import NamedTuple

from adjudicate.core.items import RowDraft, content_id
from adjudicate.errors import Finding
from adjudicate.storage.connection import Database, writing
from adjudicate.storage.import_agreement import (
    Meaning,
    mended,
    other_label,
    other_prompt,
    other_verdict,
    stored_verdicts,
    verdicts_said,
)
from adjudicate.storage.import_batches import BATCH, Batch, JudgeIds, batches
from adjudicate.storage.import_blocks import Values, insert_items, insert_prompts, insert_verdicts
from adjudicate.storage.import_joined import ItemFinder, JoinBy
from adjudicate.storage.import_labels import LabelBook, Labelled, labels_said
from adjudicate.storage.mended_verdicts import mend
from adjudicate.storage.read_ahead import read_ahead
from adjudicate.storage.verdict_repeats import insert_repeats

SEARCHED = 100_000
"""New objects between two searches for cycles of them, while importing; usually 700."""

BIG_CACHE = "PRAGMA cache_size = -80000"
"""In KiB, while importing: ids come in no order, so most index pages of a million rows have to stay in memory, but not all."""
MOST_WAITING = 50_000
"""Verdicts that are held back to be inserted in the order of their keys."""
USUAL_CACHE = "PRAGMA cache_size = -2000"

INSERT_RUN = "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
INSERT_JUDGE = "INSERT INTO judges VALUES (?, ?, '', '', ?, '{}')"
RUNS_OF_FILE = "SELECT id FROM runs WHERE source_sha256 = ?"
LAST_ITEM = "SELECT coalesce(max(rowid), 0) FROM items"
STORED_ITEMS = "SELECT id, prompt_id, rowid, run_id FROM items WHERE id IN (SELECT value FROM json_each(?))"
# Only the index is read: `rowid` is in it.
REPEATED_IDS = """
SELECT source_id FROM items WHERE source_id IS NOT NULL AND rowid > ?1 GROUP BY source_id HAVING count(*) > 1
"""
CLASHES = f"""
SELECT source_id, min(line), max(line) FROM items
WHERE rowid > ?1 AND source_id IN ({REPEATED_IDS})
GROUP BY source_id, model HAVING count(*) > 1 ORDER BY min(line)
"""


@dataclass(frozen=True, slots=True)
class RunDraft:
    """One run as its files declare it."""

    name: str
    dataset: str
    format: str
    source_name: str
    source_sha256: str
    options: str
    """JSON: how the files were read and how they are laid out."""
    mode: str = "blind"
    """How its labels were made."""
    gold_by: str = "gold"
    labels_from: str = "import"


@dataclass(slots=True)
class Added:
    """What one file brought."""

    items: int = 0
    verdicts: int = 0
    """New verdicts, repeats among them."""
    repeats: int = 0
    """New repeats of a verdict, which no rate counts."""
    labels: int = 0
    """New label and gold events."""
    called_back: int = 0
    """Labels and gold that are here, but that the policy has called back since; they stay so."""
    duplicates: int = 0
    """Rows whose item was here already."""
    shared: int = 0
    """Those of them whose item another file had brought."""
    judge_failed: Counter[str] = field(default_factory=Counter)
    """Rows in which a judge gave no outcome, by judge."""
    judged: Counter[str] = field(default_factory=Counter)
    """Rows with an outcome, by judge."""
    findings: list[Finding] = field(default_factory=list)
    """Rows that contradict what is here already; they were left out."""


class IdClash(NamedTuple):
    """One id with two different texts in one run."""

    source_id: str
    first_line: int
    second_line: int


@contextlib.contextmanager
def importing(
    database: Database, policy: str, at: str, software: str, means: Meaning = lambda _raw, _intent: None
) -> Iterator[ImportTransaction]:
    """One write transaction for a whole import; an exception inside leaves the store as it was.

    Args:
        database: Opened by this thread.
        policy: Fingerprint of the policy in force.
        at: Time of the import.
        software: Name and version of this program.
        means: What raw classes of judges mean now, for verdicts that are here without an outcome.
    """
    connection = database.connection
    connection.execute(BIG_CACHE)
    # What rows refer to is inserted right here; looking each reference up again would cost a tenth of the import.
    connection.execute("PRAGMA foreign_keys = OFF")
    thresholds = gc.get_threshold()
    # Rows hold no cycles; to search each of them for some would cost a twentieth of the import.
    gc.set_threshold(SEARCHED, *thresholds[1:])
    try:
        with writing(database, bulk=True):
            transaction = ImportTransaction(connection, policy, at, software, means)
            yield transaction
            transaction.finish()
    finally:
        gc.set_threshold(*thresholds)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(USUAL_CACHE)


class ImportTransaction:
    """The open transaction. Call `run` before the first `add` of each run."""

    def __init__(self, connection: sqlite3.Connection, policy: str, at: str, software: str, means: Meaning) -> None:
        self._connection = connection
        self._policy = policy
        self._at = at
        self._software = software
        self._judges = JudgeIds(connection)
        self._means = means
        self._run = ""
        self._same_file: frozenset[str] = frozenset()
        self._idle: set[str] = set()
        self._run_start = 0
        self._labels = LabelBook(connection, policy, at)
        self._waiting: list[Values] = []
        """Verdicts of new items, not inserted yet."""

    def run(self, draft: RunDraft) -> str:
        """Begin a run; its id follows from its content, so that the same files make the same run."""
        parts = (draft.name, draft.dataset, draft.format, draft.source_sha256, draft.options)
        self._run = content_id("run", *parts)
        declared = (self._run, *parts[:3], draft.source_name, draft.source_sha256, draft.options, self._at, self._software)
        if _declare(self._connection, declared):
            self._idle.add(self._run)
        self._same_file = frozenset(row[0] for row in self._connection.execute(RUNS_OF_FILE, (draft.source_sha256,)))
        self._run_start = self._connection.execute(LAST_ITEM).fetchone()[0]
        self._labels.begin(mode=draft.mode, gold_by=draft.gold_by, source=draft.labels_from)
        return self._run

    def add(self, rows: Iterable[RowDraft]) -> Added:
        """Store the rows of one file of the run."""
        added = Added()
        with read_ahead(batches(rows, self._run, self._judges)) as read:
            for batch in read:
                self._add_batch(self._connection, batch, added)
        self._insert_waiting(added)
        if added.items or added.verdicts or added.labels:
            self._idle.discard(self._run)
        return added

    def join(self, rows: Iterable[RowDraft], by: JoinBy) -> Added:
        """Store the verdicts and labels of rows whose items are here already; each row is found by its id or text."""
        added = Added()
        finder = ItemFinder(self._connection, by)
        rows = iter(rows)
        while taken := list(islice(rows, BATCH)):
            found = [(row, finder.find(row)) for row in taken]
            added.findings += [place for _, place in found if isinstance(place, Finding)]
            self._join_batch([(row, place) for row, place in found if isinstance(place, str)], added)
        if added.verdicts or added.labels:
            self._idle.discard(self._run)
        return added

    def _join_batch(self, rows: Sequence[tuple[RowDraft, str]], added: Added) -> None:
        ids = json.dumps([item for _, item in rows])
        given, labelled_so = stored_verdicts(self._connection, ids), self._labels.said(ids)
        agreeing = Batch([])
        for row, item in rows:
            verdicts = tuple([(item, self._judges.id_of(verdict[0]), *verdict[1:]) for verdict in row.verdicts])
            if finding := other_verdict(row, verdicts, given, self._means) or other_label(row, item, labelled_so):
                added.findings.append(finding)
                continue
            added.verdicts += mend(self._connection, mended(row, verdicts, given, self._means), verdicts)
            agreeing.take(row, (item,), (), verdicts)
            given.update(verdicts_said(row, verdicts))
            labelled_so.update(labels_said(row, item))
        added.duplicates += len(agreeing.rows)
        _add_verdicts(self._connection, agreeing, added)
        _count(agreeing, added)
        labelled = [(item[0], row) for row, item in zip(agreeing.rows, agreeing.items, strict=True) if row.labels or row.gold]
        self._add_labels(labelled, added, all_new=False)

    def clashes(self) -> list[IdClash]:
        """Ids that the run gives to two different texts."""
        # Most runs repeat no id, which the index alone tells.
        if self._connection.execute(REPEATED_IDS, (self._run_start,)).fetchone() is None:
            return []
        return [IdClash(*row) for row in self._connection.execute(CLASHES, (self._run_start,))]

    def finish(self) -> None:
        """Write the new judges. A run that brought nothing is not kept: importing what is here changes nothing."""
        _close(self._connection, [(judge_id, name, self._policy) for name, judge_id in self._judges.new], self._idle)

    def _add_batch(self, connection: sqlite3.Connection, batch: Batch, added: Added) -> None:
        last = connection.execute(LAST_ITEM).fetchone()[0]
        count = len(batch.rows)
        new = insert_items(connection, batch.items)
        added.items += new
        fresh = batch
        if new < count:
            added.duplicates += count - new
            batch, fresh = self._agreeing(batch, last, added)
        insert_prompts(connection, list({values[0]: values for values in fresh.prompts}.values()))
        if fresh is batch and not any(map(attrgetter("repeat"), batch.rows)):
            self._waiting += chain.from_iterable(batch.verdicts)
            if len(self._waiting) >= MOST_WAITING:
                self._insert_waiting(added)
        else:
            _add_verdicts(connection, batch, added)
        _count(batch, added)
        labelled = [(values[0], row) for row, values in zip(batch.rows, batch.items, strict=True) if row.labels or row.gold]
        if labelled:
            self._add_labels(labelled, added, all_new=fresh is batch)

    def _add_labels(self, labelled: Sequence[Labelled], added: Added, *, all_new: bool) -> None:
        found = self._labels.add(labelled, all_new=all_new)
        added.labels += found.new
        added.called_back += found.called_back

    def _insert_waiting(self, added: Added) -> None:
        """Insert the verdicts that wait, in the order of their keys, so that each page of the table is met once and not often."""
        self._waiting.sort(key=itemgetter(0, 1))
        added.verdicts += insert_verdicts(self._connection, self._waiting)
        self._waiting.clear()

    def _agreeing(self, batch: Batch, last: int, added: Added) -> tuple[Batch, Batch]:
        """The rows of a batch that agree with what is stored, and those of them whose items are new."""
        self._insert_waiting(added)
        ids = json.dumps([values[0] for values in batch.items])
        stored = {row[0]: row[1:] for row in self._connection.execute(STORED_ITEMS, (ids,))}
        given, labelled_so = stored_verdicts(self._connection, ids), self._labels.said(ids)
        agreeing, fresh = Batch([]), Batch([])
        brought: set[str] = set()
        for row, item, prompt, verdicts in zip(batch.rows, batch.items, batch.prompts, batch.verdicts, strict=True):
            stored_prompt, rowid, run = stored[item[0]]
            finding = (
                other_prompt(self._connection, row, prompt[0], stored_prompt)
                or other_verdict(row, verdicts, given, self._means)
                or other_label(row, item[0], labelled_so)
            )
            if finding is not None:
                added.findings.append(finding)
                added.duplicates -= 1
                continue
            agreeing.take(row, item, prompt, verdicts)
            added.verdicts += mend(self._connection, mended(row, verdicts, given, self._means), verdicts)
            added.shared += run not in self._same_file and not row.repeat
            said = verdicts_said(row, verdicts)
            if row.repeat and (rowid <= last or item[0] in brought) and not said.keys() <= given.keys():
                # Its item is here, as it should be; the repeat is not.
                added.duplicates -= 1
            if rowid > last:
                brought.add(item[0])
                fresh.take(row, item, prompt, verdicts)
            given.update(said)
            labelled_so.update(labels_said(row, item[0]))
        return agreeing, fresh


def _add_verdicts(connection: sqlite3.Connection, batch: Batch, added: Added) -> None:
    """The verdicts that count, and those that judges gave when asked again."""
    first = batch.verdicts
    if any(map(attrgetter("repeat"), batch.rows)):
        by_row = list(zip(batch.rows, batch.verdicts, strict=True))
        first = [verdicts for row, verdicts in by_row if not row.repeat]
        again = [(*each[:2], row.repeat, *each[2:]) for row, verdicts in by_row if row.repeat for each in verdicts]
        new = insert_repeats(connection, again)
        added.repeats += new
        added.verdicts += new
    added.verdicts += insert_verdicts(connection, list(chain.from_iterable(first)))


def _declare(connection: sqlite3.Connection, run: Values) -> bool:
    """Note a run; whether it is new."""
    return _run(connection, INSERT_RUN, [run]) > 0


def _close(connection: sqlite3.Connection, judges: Sequence[Values], idle_runs: Iterable[str]) -> None:
    _run(connection, INSERT_JUDGE, judges)
    _run(connection, "DELETE FROM runs WHERE id = ?", [(run,) for run in idle_runs])


def _run(connection: sqlite3.Connection, statement: str, rows: Sequence[Values]) -> int:
    """Run a statement for each row; how many rows it changed."""
    return connection.executemany(statement, rows).rowcount if rows else 0


def _count(batch: Batch, added: Added) -> None:
    verdicts = list(chain.from_iterable([row.verdicts for row in batch.rows]))
    # Given whole lists, a Counter counts in C.
    added.judged.update([verdict[0] for verdict in verdicts if verdict[1] is not None])
    added.judge_failed.update([verdict[0] for verdict in verdicts if verdict[1] is None])
