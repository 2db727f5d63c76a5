"""db/schema.sql shows the schema that the migrations make; the numbers that guard a database fit them."""

from __future__ import annotations

import re
from pathlib import Path

from sqlite_utils import Database

from adjudicate.storage import database_file
from adjudicate.storage.connection import SCHEMA_VERSION, open_database
from adjudicate.storage.migrations import APPLICATION_ID, migrations, schema_sql

SCHEMA_FILE = Path(__file__).parents[2] / "db" / "schema.sql"


def migrated() -> Database:
    """An empty database, up to date."""
    db = Database(memory=True)
    migrations.apply(db)
    return db


def test_the_schema_file_is_current() -> None:
    """`make schema` writes it."""
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_sql(migrated())


def test_the_schema_file_builds_the_same_schema() -> None:
    """It can be read by SQLite, and what it makes describes itself with the same words."""
    db = Database(memory=True)
    db.executescript(SCHEMA_FILE.read_text(encoding="utf-8"))
    assert schema_sql(db) == schema_sql(migrated())


def test_the_schema_version_is_the_number_of_migrations() -> None:
    assert len(migrations.pending(Database(memory=True))) == SCHEMA_VERSION
    assert migrated().execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION


def test_migrations_are_numbered_in_order() -> None:
    names = [migration.name for migration in migrations.pending(Database(memory=True))]
    assert [int(re.match(r"m(\d{3})_", name)[1]) for name in names] == list(range(1, SCHEMA_VERSION + 1))  # type: ignore[index]


def test_adoptions_begin_with_what_was_known_before_they_were_kept() -> None:
    db = Database(memory=True)
    migrations.apply(db, stop_before="m006_adoptions")
    for name, at in (("new", "2026-02-01T00:00:00Z"), ("old", "2026-01-01T00:00:00Z")):
        db.execute("INSERT INTO policies VALUES (?, 'p', '1', 'P', 'text', '{}', ?)", (name, at))
    migrations.apply(db)
    rows = db.execute("SELECT policy, adopted_at FROM adoptions ORDER BY rowid").fetchall()
    assert rows == [("old", "2026-01-01T00:00:00Z"), ("new", "2026-02-01T00:00:00Z")]


def test_a_new_database_carries_the_marks_of_ours(tmp_path: Path) -> None:
    database = open_database(tmp_path / "adjudicate.db", create=True)
    try:
        marks = [database.connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    finally:
        database.close()
    assert marks == [APPLICATION_ID, SCHEMA_VERSION]
    assert database_file.APPLICATION_ID == APPLICATION_ID


def test_every_table_is_strict() -> None:
    """A number in a text column is refused where it is written, not found years later."""
    query = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict"
    lax = [row["name"] for row in migrated().query(query)]
    assert {name for name in lax if not name.startswith("sqlite_")} <= {"_sqlite_migrations"}


def test_tables_have_plural_names() -> None:
    assert all(name.endswith("s") for name in migrated().table_names() if not name.startswith(("sqlite_", "_sqlite")))
