"""The published copy: of every column of the schema it is decided whether it leaves, and nothing else does."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from adjudicate.core import labels
from adjudicate.storage.connection import writing
from adjudicate.storage.migrations import migrations
from adjudicate.storage.published_copy import published_copy
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from tests.factory import AT, Answer, make_store

NEVER = {
    "annotators": ["name", "source"],
    "runs": ["name", "dataset", "source_name", "options"],
    "items": ["source"],
}
"""Columns that never leave: names, or what may hold one."""
EMPTIED = ("drafts", "attempts", "triage_items")
"""Tables of which no row leaves."""
WITH_TEXT = {
    "prompts": ["text", "messages"],
    "items": ["response"],
    "verdicts": ["reason", "raw"],
    "verdict_repeats": ["reason", "raw"],
    "notes": ["event_id", "salt", "text"],
}
"""Columns that leave where texts are asked for."""
DAYS = {
    "runs": ["imported_at"],
    "draws": ["drawn_at"],
    "events": ["at"],
    "assignments": ["assigned_at"],
    "policies": ["adopted_at"],
    "adoptions": ["adopted_at"],
}
"""Times, of which only the day leaves: a time of day tells who worked when."""
IN_PART = {"draws": ["settings"], "events": ["body"]}
"""JSON from which the names of people and the rationale are taken."""
PUBLIC = {
    "policies": ["fingerprint", "id", "version", "title", "text", "compiled"],
    "adoptions": ["policy"],
    "runs": ["id", "format", "source_sha256", "software"],
    "prompts": ["id", "intent", "population", "category", "language", "pair"],
    "items": ["id", "prompt_id", "run_id", "model", "source_id"],
    "judges": ["id", "name", "model", "prompt_hash", "policy", "parameters"],
    "verdicts": ["item_id", "judge_id", "outcome"],
    "verdict_repeats": ["item_id", "judge_id", "outcome"],
    "annotators": ["id"],
    "draws": ["id", "extends", "judge_id", "policy", "strata"],
    "draw_units": ["draw_id", "item_id", "stratum"],
    "picks": ["draw_id", "item_id"],
    "assignments": ["annotator_id", "item_id"],
    "steering_signs": ["item_id", "signs"],
    "events": ["id", "annotator_id", "previous", "kind", "item_id", "policy", "outcome", "mode", "target"],
}
"""What a reader of the numbers may have: policies, outcomes, the design, what the data set declares, random ids and hashes."""
DECIDED = (NEVER, WITH_TEXT, DAYS, IN_PART, PUBLIC)
WALRUS, OTTER, HERON, BADGER = "walrusname", "ottertext", "heronrationale", "badgernote"


def columns_of_text(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """Every column that can hold a text; the table of migrations is not ours and holds their names."""
    query = """
        SELECT t.name, c.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
        WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            AND t.name <> '_sqlite_migrations' AND c.type NOT IN ('INTEGER', 'REAL')
    """
    return {(row[0], row[1]) for row in connection.execute(query) if row[0] not in EMPTIED}


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    """A workspace with a row in every table that holds a text of its own."""
    store = make_store(tmp_path, [Answer("full_refusal", response=OTTER, prompt=OTTER)])
    policy, person = store.policy(), store.annotator(WALRUS)
    draw_sample(store, DrawSettings(n=1, seed=1, annotators=(WALRUS,)), at=AT)
    act = labels.label(policy, item_id="i0000", outcome="full_refusal", mode="blind")
    said = store.append(person.id, act, policy=policy.fingerprint, at=AT)
    store.append(person.id, labels.Act("note", "i0000", note=BADGER), policy=policy.fingerprint, at=AT)
    ruling = labels.resolution(policy, item_id="i0000", outcome="full_refusal", rationale=HERON, settles=[said.id])
    store.append(person.id, ruling, policy=policy.fingerprint, at=AT)
    with writing(store.database) as connection:
        connection.execute("UPDATE prompts SET messages = ?", (f'[["user","{OTTER}"]]',))
        connection.execute("UPDATE verdicts SET reason = ?, raw = ?", (OTTER, OTTER))
        connection.execute(
            "UPDATE runs SET name = ?, dataset = ?, source_name = ?, options = ?", (*[WALRUS] * 3, f'["{WALRUS}"]')
        )
        connection.execute("UPDATE items SET source = ?", (WALRUS,))
        connection.execute("UPDATE annotators SET source = ?", (WALRUS,))
        connection.execute("INSERT INTO verdict_repeats VALUES ('i0000', 'j', 1, NULL, NULL, NULL, NULL, ?, ?)", (OTTER, OTTER))
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for table in EMPTIED:
            kinds = [row[0] for row in connection.execute("SELECT type FROM pragma_table_info(?)", (table,))]
            row = [WALRUS if kind == "TEXT" else 0 for kind in kinds]
            connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    return store


def published(store: SqliteStore, folder: Path, *, with_text: bool = False) -> Path:
    target = folder / "published.sqlite"
    published_copy(store, target, with_text=with_text)
    return target


def test_of_every_column_it_is_decided_whether_it_leaves() -> None:
    """A column that a migration adds fails here until it stands in one of the lists, and the copy does what the list says."""
    decided = [(table, column) for each in DECIDED for table, columns in each.items() for column in columns]
    assert len(decided) == len(set(decided))
    db = Database(memory=True)
    migrations.apply(db)
    assert set(decided) == columns_of_text(db.conn)


def test_every_column_that_must_not_leave_is_filled_here(store: SqliteStore) -> None:
    """So that the tests below would see it."""
    for table, columns in (*NEVER.items(), *WITH_TEXT.items()):
        for column in columns:
            query = f"SELECT count(*) FROM {table} WHERE length({column}) > 0"
            assert store.database.connection.execute(query).fetchone()[0], f"{table}.{column}"


@pytest.mark.parametrize("with_text", [False, True])
def test_no_byte_of_a_name_leaves_and_texts_only_where_asked_for(store: SqliteStore, tmp_path: Path, *, with_text: bool) -> None:
    data = published(store, tmp_path, with_text=with_text).read_bytes()
    assert WALRUS.encode() not in data
    assert {text: text.encode() in data for text in (OTTER, HERON, BADGER)} == dict.fromkeys((OTTER, HERON, BADGER), with_text)


def test_columns_that_must_not_leave_are_empty(store: SqliteStore, tmp_path: Path) -> None:
    pseudonym = f"A{store.annotators()[0].pseudonym}"
    with closing(sqlite3.connect(published(store, tmp_path))) as copy:
        for table in EMPTIED:
            assert store.database.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            assert not copy.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table, columns in (*NEVER.items(), *WITH_TEXT.items()):
            for column in columns:
                found = {row[0] for row in copy.execute(f"SELECT {column} FROM {table}")}
                assert found <= {"", "{}", None, *([pseudonym] if (table, column) == ("annotators", "name") else [])}
        for table, columns in DAYS.items():
            for column in columns:
                assert {row[0] for row in copy.execute(f"SELECT {column} FROM {table}")} == {AT[:10]}


def test_what_a_reader_may_have_is_as_it_was(store: SqliteStore, tmp_path: Path) -> None:
    with closing(sqlite3.connect(published(store, tmp_path))) as copy:
        for table, columns in PUBLIC.items():
            query = f"SELECT {', '.join(columns)} FROM {table} ORDER BY 1, 2"
            if len(columns) == 1:
                query = query.removesuffix(", 2")
            assert copy.execute(query).fetchall() == store.database.connection.execute(query).fetchall()


def test_no_time_of_day_is_left_anywhere(store: SqliteStore, tmp_path: Path) -> None:
    """Whatever column it would stand in, the migrations' own table included."""
    with closing(sqlite3.connect(published(store, tmp_path, with_text=True))) as copy:
        dumped = "\n".join(copy.iterdump())
    assert AT in "\n".join(store.database.connection.iterdump())
    assert not re.search(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", dumped)
