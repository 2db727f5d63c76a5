"""What browsing looks things up in: a file beside the database that may be thrown away and is made again from it.

Three parts, each filled when it is first needed and from then on with what is new: *facets* (one narrow row an item: where it
stands, its verdict, its length), *texts* (the words of prompt and response, for full-text search), and *pairs* (the items on
each pair of prompts, for the way from an item to its twin). They are no part of the workspace's own database, so that an import
is not slower, a label waits for no index, and neither a backup nor a copy to be published carries the words.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from adjudicate.core.text import visible_line
from adjudicate.errors import StoreError
from adjudicate.storage.connection import Database
from adjudicate.storage.text_functions import SAID_IN

SUFFIX = ".index"
FORMAT = 3
"""Changes with the tables below; an index of another one is made anew."""
BATCH = 10_000
"""Items read between two looks at whether anybody still waits: a tenth of a second."""

Part = Literal["facets", "texts", "pairs"]
PARTS: tuple[Part, ...] = ("facets", "texts", "pairs")

TABLES = """
CREATE TABLE search.marks (part TEXT PRIMARY KEY, done INTEGER NOT NULL, last TEXT, runs INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO search.marks VALUES ('facets', 0, NULL, 0), ('texts', 0, NULL, 0), ('pairs', 0, NULL, 0);
CREATE TABLE search.places (
    code INTEGER PRIMARY KEY,
    population TEXT NOT NULL,
    intent TEXT NOT NULL,
    category TEXT NOT NULL,
    language TEXT NOT NULL,
    model TEXT NOT NULL,
    run TEXT NOT NULL,
    UNIQUE (population, intent, category, language, model, run)
) STRICT;
CREATE TABLE search.outcomes (code INTEGER PRIMARY KEY, outcome TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE search.facets (
    item INTEGER PRIMARY KEY,
    place INTEGER NOT NULL,
    verdict INTEGER NOT NULL,
    score REAL,
    length INTEGER NOT NULL
) STRICT;
CREATE INDEX search.facets_by_length ON facets (length);
CREATE INDEX search.facets_by_score ON facets (score);
CREATE INDEX search.facets_by_lowest ON facets (score IS NULL, score);
CREATE TABLE search.pairs (pair TEXT NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (pair, item)) STRICT, WITHOUT ROWID
"""
# Without its own copy of the texts, and without what ranking needs: the list has its own order.
WORDS = """
CREATE VIRTUAL TABLE search.texts USING fts5(
    prompt, response, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2'
)
"""
NO_VERDICT, FAILED = 0, -1
"""Codes of a verdict that is not there, and of one in which the judge failed."""
# Of several judges the one that was imported first and said anything of the item, as on the other screens.
FIRST_VERDICT = """
v.judge_id = (
    SELECT w.judge_id FROM main.verdicts AS w JOIN main.judges AS j ON j.id = w.judge_id
    WHERE w.item_id = i.id ORDER BY j.rowid LIMIT 1
)
"""
ADD_FACETS = f"""
INSERT INTO search.facets
SELECT i.rowid, place_code(p.population, p.intent, p.category, p.language, i.model, i.run_id),
    CASE WHEN v.item_id IS NULL THEN {NO_VERDICT} WHEN v.outcome IS NULL THEN {FAILED} ELSE outcome_code(v.outcome) END,
    v.score, characters(i.response)
FROM main.items AS i JOIN main.prompts AS p ON p.id = i.prompt_id
LEFT JOIN main.verdicts AS v ON v.item_id = i.id AND {FIRST_VERDICT}
WHERE i.rowid > :done AND i.rowid <= :upto
"""
ADD_TEXTS = f"""
INSERT INTO search.texts (rowid, prompt, response)
SELECT i.rowid, {SAID_IN}, i.response FROM main.items AS i JOIN main.prompts AS p ON p.id = i.prompt_id
WHERE i.rowid > :done AND i.rowid <= :upto
"""
ADD_PAIRS = """
INSERT INTO search.pairs
SELECT p.pair, i.rowid FROM main.items AS i CROSS JOIN main.prompts AS p ON p.id = i.prompt_id
WHERE i.rowid > :done AND i.rowid <= :upto AND p.pair <> ''
"""
MARK = "SELECT done, last, runs FROM search.marks WHERE part = ?"
LAST_ITEM = "SELECT rowid, id FROM main.items WHERE rowid <= ? ORDER BY rowid DESC LIMIT 1"
NEWEST = "SELECT coalesce(max(rowid), 0) FROM main.items"
RUNS = "SELECT count(*) FROM main.runs"


class Filled(NamedTuple):
    """How far a part of the index is."""

    done: int
    """Rowid of the last item in it."""
    total: int
    """Rowid of the last item there is."""

    @property
    def is_complete(self) -> bool:
        """Whether every item is in it."""
        return self.done >= self.total


def has_full_text(database: Database) -> bool:
    """Whether this Python's SQLite was built with FTS5."""
    return database.connection.execute("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").fetchone() is not None


def attach_index(database: Database) -> None:
    """Open the index of a database as schema ``search`` of its connection, empty where there is none yet.

    Raises:
        StoreError: It cannot be made here, for want of the right to write beside the database.
    """
    path = database.path.with_name(database.path.name + SUFFIX)
    connection = database.connection
    if "search" in {row[1] for row in connection.execute("PRAGMA database_list")}:
        return
    try:
        if not _is_ours(connection, path):
            # Of another version, or broken: nothing in it is lost.
            with contextlib.suppress(sqlite3.Error):
                connection.execute("DETACH search")
            _throw_away(path)
            _attach(connection, path)
        _make_tables(connection, has_words=has_full_text(database))
        _forget_what_changed(connection)
    except sqlite3.Error as error:
        raise _unusable(path, str(error)) from error


def filled(database: Database, part: Part) -> Filled:
    """How far a part is; the index is attached."""
    done = database.connection.execute(MARK, (part,)).fetchone()[0]
    return Filled(done, database.connection.execute(NEWEST).fetchone()[0])


def fill(database: Database, part: Part, told: Callable[[Filled], bool]) -> Filled:
    """Bring a part of the index up to date, a batch at a time, each of them kept.

    Args:
        database: With the index attached.
        part: Which one.
        told: Called before each batch; where it says False, the rest is left for another time.

    Raises:
        StoreError: The index cannot be written.
    """
    try:
        while not (now := filled(database, part)).is_complete and told(now):
            with _batch(database.connection, part) as done:
                ADDING[part](database.connection, done)
    except sqlite3.OperationalError as error:
        raise _unusable(database.path.with_name(database.path.name + SUFFIX), str(error)) from error
    return now


def _is_ours(connection: sqlite3.Connection, path: Path) -> bool:
    """Attach what is there; whether it can be read, and is new or of this version."""
    try:
        _attach(connection, path)
        return connection.execute("PRAGMA search.user_version").fetchone()[0] in (0, FORMAT)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        return False


def _attach(connection: sqlite3.Connection, path: Path) -> None:
    try:
        # For its owner alone, like the database: the words of responses are in it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    connection.execute("ATTACH ? AS search", (f"{path.absolute().as_uri()}?mode=rw",))
    connection.execute("PRAGMA search.journal_mode = WAL")
    connection.execute("PRAGMA search.synchronous = NORMAL")


def _unusable(path: Path, reason: str) -> StoreError:
    return StoreError(
        f"no index for searching ({visible_line(reason)}): the list can be read, but neither filtered nor sorted;"
        f" check {visible_line(str(path))}"
    )


def _throw_away(path: Path) -> None:
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, first: str) -> Iterator[None]:
    """A transaction of the index alone: ``BEGIN IMMEDIATE`` would lock the workspace's database too.

    Its first statement is a write, so that it waits for whoever fills the index just now instead of failing.
    """
    connection.execute("BEGIN")
    try:
        connection.execute(first)
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


TAKE_LOCK = "UPDATE search.marks SET done = done WHERE part = 'facets'"


def _make_tables(connection: sqlite3.Connection, *, has_words: bool) -> None:
    with _transaction(connection, f"PRAGMA search.user_version = {FORMAT}"):
        made = {row[0] for row in connection.execute("SELECT name FROM search.sqlite_master")}
        if "marks" not in made:
            for statement in TABLES.split(";\n"):
                connection.execute(statement)
        if has_words and "texts" not in made:
            connection.execute(WORDS)


def _forget_what_changed(connection: sqlite3.Connection) -> None:
    """Empty a part that was made from other items: the database was put back from a backup, or verdicts have come since."""
    runs = connection.execute(RUNS).fetchone()[0]
    for part in PARTS:
        done, last, then = connection.execute(MARK, (part,)).fetchone()
        found = connection.execute(LAST_ITEM, (done,)).fetchone()
        is_same = found is not None and found[1] == last
        if done and (not is_same or (part == "facets" and then != runs)):
            _empty(connection, part)


def _empty(connection: sqlite3.Connection, part: Part) -> None:
    with _transaction(connection, TAKE_LOCK):
        connection.execute("UPDATE search.marks SET done = 0, last = NULL WHERE part = ?", (part,))
        match part:
            case "facets":
                connection.execute("DELETE FROM search.facets")
            case "texts":
                connection.execute("INSERT INTO search.texts (texts) VALUES ('delete-all')")
            case "pairs":
                connection.execute("DELETE FROM search.pairs")


@contextlib.contextmanager
def _batch(connection: sqlite3.Connection, part: Part) -> Iterator[int]:
    """One more stretch of items: gives the last rowid that was in the index before."""
    with _transaction(connection, TAKE_LOCK):
        done = connection.execute(MARK, (part,)).fetchone()[0]
        # Before the items are read: an import that ends meanwhile must not be taken for known.
        runs = connection.execute(RUNS).fetchone()[0]
        yield done
        upto, last = connection.execute(LAST_ITEM, (done + BATCH,)).fetchone()
        if upto <= done:
            # No item in this stretch of rowids: on to the next one.
            upto = done + BATCH
        connection.execute(
            "UPDATE search.marks SET done = ?, last = ?, runs = CASE ? WHEN 0 THEN ? ELSE runs END WHERE part = ?",
            (upto, last, done, runs, part),
        )


def _add_facets(connection: sqlite3.Connection, done: int) -> None:
    places = {tuple(row[1:]): row[0] for row in connection.execute("SELECT * FROM search.places")}
    outcomes = {row[1]: row[0] for row in connection.execute("SELECT code, outcome FROM search.outcomes")}
    known, said = len(places), len(outcomes)
    # Codes are given out in the order of appearance; `setdefault` counts on before it looks.
    connection.create_function("place_code", 6, lambda *place: places.setdefault(place, len(places) + 1), deterministic=True)
    connection.create_function("outcome_code", 1, lambda word: outcomes.setdefault(word, len(outcomes) + 1), deterministic=True)
    connection.execute(ADD_FACETS, {"done": done, "upto": done + BATCH})
    new_places = [(code, *place) for place, code in places.items() if code > known]
    new_outcomes = [(code, word) for word, code in outcomes.items() if code > said]
    connection.executemany("INSERT INTO search.places VALUES (?, ?, ?, ?, ?, ?, ?)", new_places)
    connection.executemany("INSERT INTO search.outcomes VALUES (?, ?)", new_outcomes)


def _add_texts(connection: sqlite3.Connection, done: int) -> None:
    connection.execute(ADD_TEXTS, {"done": done, "upto": done + BATCH})


def _add_pairs(connection: sqlite3.Connection, done: int) -> None:
    connection.execute(ADD_PAIRS, {"done": done, "upto": done + BATCH})


ADDING: Mapping[Part, Callable[[sqlite3.Connection, int], None]] = {
    "facets": _add_facets,
    "texts": _add_texts,
    "pairs": _add_pairs,
}
