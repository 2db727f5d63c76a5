"""New databases for tests: the schema is made once a process and copied, since its migrations take as long as a short test."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

from adjudicate.storage.sqlite_store import SqliteStore


@cache
def _empty() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        SqliteStore.open(path, create=True).close()
        # The last to close writes everything into the file itself.
        assert [each.name for each in Path(folder).iterdir() if each.suffix == ".db-wal"] == []
        return path.read_bytes()


def empty_store(path: Path) -> SqliteStore:
    """A store with nothing in it, as opening one with ``create=True`` makes it; its folder exists, the file does not."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(file, "wb") as database:  # noqa: PTH123 - a descriptor has no path
        database.write(_empty())
    return SqliteStore.open(path)
