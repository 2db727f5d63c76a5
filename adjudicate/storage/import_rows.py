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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from adjudicate.core.items import RowDraft, VerdictDraft, content_id, item_id, messages_json, prompt_id
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import Finding
from adjudicate.storage.connection import Database, writing
from adjudicate.storage.import_blocks import MOST, Values, insert_items, insert_prompts, insert_verdicts
from adjudicate.storage.import_joined import ItemFinder, JoinBy
from adjudicate.storage.import_labels import LabelBook
from adjudicate.storage.read_ahead import read_ahead

BATCH = MOST
SHOWN_ID = 60
SEARCHED = 100_000
"""New objects between two searches for cycles of them, while importing; usually 700."""

BIG_CACHE = "PRAGMA cache_size = -32000"
"""In KiB, while importing: index pages stay in memory, and memory stays bounded."""
USUAL_CACHE = "PRAGMA cache_size = -2000"

INSERT_RUN = "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
INSERT_JUDGE = "INSERT INTO judges VALUES (?, ?, '', '', ?, '{}')"
LAST_ITEM = "SELECT coalesce(max(rowid), 0) FROM items"
STORED_ITEMS = "SELECT id, prompt_id, rowid FROM items WHERE id IN (SELECT value FROM json_each(?))"
STORED_VERDICTS = "SELECT item_id, judge_id, outcome FROM verdicts WHERE item_id IN (SELECT value FROM json_each(?))"
DECLARED = "SELECT intent, population, category, language, pair FROM prompts WHERE id = ?"
# Only the index is read: `rowid` is in it.
REPEATED_IDS = """
SELECT source_id FROM items WHERE source_id IS NOT NULL AND rowid > ? GROUP BY source_id HAVING count(*) > 1
"""
CLASHES = """
SELECT source_id, min(line), max(line) FROM items
WHERE rowid > ? AND source_id IN (SELECT value FROM json_each(?))
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
    labels: int = 0
    """New label and gold events."""
    duplicates: int = 0
    """Rows whose item was here already."""
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


@dataclass(slots=True)
class _Batch:
    """Rows with what is bound for them: four lists of one length."""

    rows: list[RowDraft]
    items: list[Values] = field(default_factory=list)
    prompts: list[Values] = field(default_factory=list)
    verdicts: list[tuple[Values, ...]] = field(default_factory=list)

    def take(self, row: RowDraft, item: Values, prompt: Values, verdicts: tuple[Values, ...]) -> None:
        """Take one more row."""
        self.rows.append(row)
        self.items.append(item)
        self.prompts.append(prompt)
        self.verdicts.append(verdicts)


@contextlib.contextmanager
def importing(database: Database, policy: str, at: str, software: str) -> Iterator[ImportTransaction]:
    """One write transaction for a whole import; an exception inside leaves the store as it was.

    Args:
        database: Opened by this thread.
        policy: Fingerprint of the policy in force.
        at: Time of the import.
        software: Name and version of this program.
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
            transaction = ImportTransaction(connection, policy, at, software)
            yield transaction
            transaction.finish()
    finally:
        gc.set_threshold(*thresholds)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(USUAL_CACHE)


class ImportTransaction:
    """The open transaction. Call `run` before the first `add` of each run."""

    def __init__(self, connection: sqlite3.Connection, policy: str, at: str, software: str) -> None:
        self._connection = connection
        self._policy = policy
        self._at = at
        self._software = software
        self._judges = _Judges(connection)
        self._run = ""
        self._idle: set[str] = set()
        self._run_start = 0
        self._labels = LabelBook(connection, policy, at)

    def run(self, draft: RunDraft) -> str:
        """Begin a run; its id follows from its content, so that the same files make the same run."""
        parts = (draft.name, draft.dataset, draft.format, draft.source_sha256, draft.options)
        self._run = content_id("run", *parts)
        declared = (self._run, *parts[:3], draft.source_name, draft.source_sha256, draft.options, self._at, self._software)
        if _declare(self._connection, declared):
            self._idle.add(self._run)
        self._run_start = self._connection.execute(LAST_ITEM).fetchone()[0]
        self._labels.begin(mode=draft.mode, gold_by=draft.gold_by, source=draft.labels_from)
        return self._run

    def add(self, rows: Iterable[RowDraft]) -> Added:
        """Store the rows of one file of the run."""
        added = Added()
        with read_ahead(_batches(rows, self._run, self._judges)) as batches:
            for batch in batches:
                self._add_batch(self._connection, batch, added)
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
        given = {(row[0], row[1]): row[2] for row in self._connection.execute(STORED_VERDICTS, (ids,))}
        agreeing = _Batch([])
        for row, item in rows:
            verdicts = tuple([(item, self._judges.id_of(verdict[0]), *verdict[1:]) for verdict in row.verdicts])
            if finding := _contradiction(row, verdicts, given):
                added.findings.append(finding)
                continue
            agreeing.take(row, (item,), (), verdicts)
            given.update({(verdict[0], verdict[1]): verdict[2] for verdict in verdicts})
        added.duplicates += len(agreeing.rows)
        added.verdicts += insert_verdicts(self._connection, list(chain.from_iterable(agreeing.verdicts)))
        _count(agreeing, added)
        labelled = [(item[0], row.labels, row.gold) for row, item in zip(agreeing.rows, agreeing.items, strict=True)]
        added.labels += self._labels.add([each for each in labelled if each[1] or each[2]], all_new=False)

    def clashes(self) -> list[IdClash]:
        """Ids that the run gives to two different texts."""
        repeated = [row[0] for row in self._connection.execute(REPEATED_IDS, (self._run_start,))]
        if not repeated:
            return []
        return [IdClash(*row) for row in self._connection.execute(CLASHES, (self._run_start, json.dumps(repeated)))]

    def finish(self) -> None:
        """Write the new judges. A run that brought nothing is not kept: importing what is here changes nothing."""
        _close(self._connection, [(judge_id, name, self._policy) for name, judge_id in self._judges.new], self._idle)

    def _add_batch(self, connection: sqlite3.Connection, batch: _Batch, added: Added) -> None:
        last = connection.execute(LAST_ITEM).fetchone()[0]
        count = len(batch.rows)
        new = insert_items(connection, batch.items)
        added.items += new
        fresh = batch
        if new < count:
            added.duplicates += count - new
            batch, fresh = self._agreeing(batch, last, added)
        insert_prompts(connection, list({values[0]: values for values in fresh.prompts}.values()))
        verdicts = list(chain.from_iterable(batch.verdicts))
        added.verdicts += insert_verdicts(connection, verdicts)
        _count(batch, added)
        labelled = [
            (values[0], row.labels, row.gold)
            for row, values in zip(batch.rows, batch.items, strict=True)
            if row.labels or row.gold
        ]
        if labelled:
            added.labels += self._labels.add(labelled, all_new=fresh is batch)

    def _agreeing(self, batch: _Batch, last: int, added: Added) -> tuple[_Batch, _Batch]:
        """The rows of a batch that agree with what is stored, and those of them whose items are new."""
        ids = json.dumps([values[0] for values in batch.items])
        stored = {row[0]: (row[1], row[2]) for row in self._connection.execute(STORED_ITEMS, (ids,))}
        given = {(row[0], row[1]): row[2] for row in self._connection.execute(STORED_VERDICTS, (ids,))}
        agreeing, fresh = _Batch([]), _Batch([])
        for row, item, prompt, verdicts in zip(batch.rows, batch.items, batch.prompts, batch.verdicts, strict=True):
            stored_prompt, rowid = stored[item[0]]
            if finding := self._contradiction(row, prompt[0], stored_prompt, verdicts, given):
                added.findings.append(finding)
                added.duplicates -= 1
                continue
            agreeing.take(row, item, prompt, verdicts)
            if rowid > last:
                fresh.take(row, item, prompt, verdicts)
            given.update({(verdict[0], verdict[1]): verdict[2] for verdict in verdicts})
        return agreeing, fresh

    def _contradiction(
        self,
        row: RowDraft,
        prompt: str,
        stored_prompt: str,
        verdicts: Sequence[Values],
        given: Mapping[tuple[str, str], str | None],
    ) -> Finding | None:
        name = f" {shortened(row.source_id, SHOWN_ID)}" if row.source_id else ""
        if prompt != stored_prompt:
            here = self._connection.execute(DECLARED, (stored_prompt,)).fetchone()
            return _other_prompt(row, name, here or ())
        return _contradiction(row, verdicts, given)


class _Judges:
    """Ids of judges by name, read once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._ids: dict[str, str] = dict(connection.execute("SELECT name, id FROM judges"))
        self.new: list[tuple[str, str]] = []
        """Name and id of those that are not in the database yet."""

    def id_of(self, name: str) -> str:
        """The judge's id; it follows from the name where the judge is new."""
        found = self._ids.get(name)
        if found is None:
            found = self._ids[name] = f"j-{content_id('judge', name)[:12]}"
            self.new.append((name, found))
        return found


def _batches(rows: Iterable[RowDraft], run: str, judges: _Judges) -> Iterator[_Batch]:
    """The rows with what is bound for them, some at a time."""
    occurrences: Counter[str] = Counter()
    rows = iter(rows)
    while taken := list(islice(rows, BATCH)):
        items: list[Values] = []
        prompts: list[Values] = []
        verdicts: list[tuple[Values, ...]] = []
        for row in taken:
            item, prompt = item_id(row), prompt_id(row)
            line, source_id, text, messages, response, model, *declared, judged, _, _, source = row
            if source_id is None:
                occurrences[item] += 1
                if occurrences[item] > 1:
                    item = item_id(row, occurrences[item] - 1)
            turns = None if messages is None else messages_json(messages)
            items.append((item, prompt, run, model, source_id, line, response, source))
            prompts.append((prompt, text, turns, *declared))
            verdicts.append(tuple([(item, judges.id_of(verdict[0]), *verdict[1:]) for verdict in judged]))
        yield _Batch(taken, items, prompts, verdicts)


def _contradiction(row: RowDraft, verdicts: Sequence[Values], given: Mapping[tuple[str, str], str | None]) -> Finding | None:
    """A verdict of the row that is not the one that its judge gave before."""
    name = f" {shortened(row.source_id, SHOWN_ID)}" if row.source_id else ""
    for verdict, values in zip(row.verdicts, verdicts, strict=True):
        key = (values[0], values[1])
        if key in given and given[key] != verdict.outcome:
            return _other_verdict(row.line, name, verdict, given[key])
    return None


def _declare(connection: sqlite3.Connection, run: Values) -> bool:
    """Note a run; whether it is new."""
    return _run(connection, INSERT_RUN, [run]) > 0


def _close(connection: sqlite3.Connection, judges: Sequence[Values], idle_runs: Iterable[str]) -> None:
    _run(connection, INSERT_JUDGE, judges)
    _run(connection, "DELETE FROM runs WHERE id = ?", [(run,) for run in idle_runs])


def _run(connection: sqlite3.Connection, statement: str, rows: Sequence[Values]) -> int:
    """Run a statement for each row; how many rows it changed."""
    return connection.executemany(statement, rows).rowcount if rows else 0


def _count(batch: _Batch, added: Added) -> None:
    verdicts = list(chain.from_iterable([row.verdicts for row in batch.rows]))
    # Given whole lists, a Counter counts in C.
    added.judged.update([verdict[0] for verdict in verdicts if verdict[1] is not None])
    added.judge_failed.update([verdict[0] for verdict in verdicts if verdict[1] is None])


def _other_prompt(row: RowDraft, name: str, here: tuple[str, ...]) -> Finding:
    fields = ("intent", "population", "category", "language", "pair")
    declared = (row.intent, row.population, row.category, row.language, row.pair)
    # `here` is empty where both rows stand in one batch, whose prompts are not stored yet.
    differing = [each for each in zip(fields, here, declared, strict=False) if each[1] != each[2]]
    field_name, old, new = differing[0] if differing else ("intent", "something else", row.intent)
    return Finding(
        row.line,
        field_name,
        f"item{name} is here already with {field_name} '{visible_line(old)}', this row says '{visible_line(new)}':"
        " import it as it was declared, or use another workspace",
    )


def _other_verdict(line: int, name: str, verdict: VerdictDraft, here: str | None) -> Finding:
    judge, old, new = (visible_line(text) for text in (verdict.judge, here or "judge failed", verdict.outcome or "judge failed"))
    return Finding(
        line,
        "verdict",
        f"item{name} has a verdict of {judge} already: '{old}', this row says '{new}'; the first stays. Where the judge was run"
        " again, give it another name (--set judge=NAME, or --map verdict.NAME=COLUMN)",
    )
