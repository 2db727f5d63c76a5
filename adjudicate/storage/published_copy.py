"""A copy of the database to be published: no names, and no texts unless they are asked for. Any SQLite tool opens it.

It is not a workspace: its application id is another one, so that nobody labels in it by mistake. Ids of events stay, but without
the texts that went into them their hashes cannot be checked.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from adjudicate.storage.connection import backup
from adjudicate.storage.sqlite_store import SqliteStore

NO_NAMES = """
UPDATE annotators SET name = 'A' || pseudonym, source = '';
DELETE FROM drafts;
DELETE FROM attempts;
DELETE FROM triage_items;
UPDATE runs SET options = '{}', source_name = '', name = '', dataset = '', imported_at = substr(imported_at, 1, 10);
UPDATE draws SET settings = json_remove(settings, '$.annotators'), drawn_at = substr(drawn_at, 1, 10);
UPDATE events SET at = substr(at, 1, 10);
UPDATE assignments SET assigned_at = substr(assigned_at, 1, 10);
UPDATE policies SET adopted_at = substr(adopted_at, 1, 10);
UPDATE adoptions SET adopted_at = substr(adopted_at, 1, 10);
UPDATE _sqlite_migrations SET applied_at = substr(applied_at, 1, 10);
UPDATE items SET source = '';
"""
"""Source rows may hold anything, people's names too. Options and file names of an import may name the people whose labels it
brought; times of day tell who worked when."""
NO_TEXTS = """
UPDATE prompts SET text = '', messages = NULL;
UPDATE items SET response = '';
UPDATE verdicts SET reason = '', raw = '';
UPDATE verdict_repeats SET reason = '', raw = '';
DELETE FROM notes;
UPDATE events SET body = json_remove(body, '$.rationale') WHERE json_type(body, '$.rationale') IS NOT NULL
"""
PLAIN = "PRAGMA application_id = 0; PRAGMA journal_mode = DELETE; VACUUM"


def published_copy(store: SqliteStore, target: Path, *, with_text: bool) -> None:
    """Write the copy to a new file; what stands there after an error is no copy.

    Args:
        store: An open store.
        target: The file to be made.
        with_text: Keep prompts, responses, reasons, notes and rationales.

    Raises:
        StoreError: It is there already, or cannot be written.
    """
    backup(store.database, target)
    _strip(target, with_text=with_text)


def _strip(copy: Path, *, with_text: bool) -> None:
    connection = sqlite3.connect(copy, isolation_level=None)
    try:
        # What is overwritten must not stay behind in free pages.
        connection.execute("PRAGMA secure_delete = ON")
        connection.executescript(NO_NAMES)
        if not with_text:
            connection.executescript(NO_TEXTS)
        connection.executescript(PLAIN)
    finally:
        connection.close()
