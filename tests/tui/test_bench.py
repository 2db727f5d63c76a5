"""Reading in a worker ends as soon as nobody waits for it."""

from __future__ import annotations

import time
from pathlib import Path

from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.bench import while_wanted

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def made(folder: Path) -> Path:
    path = folder / "adjudicate.db"
    SqliteStore.open(path, create=True).close()
    return path


def test_a_query_that_never_ends_is_broken_off(tmp_path: Path) -> None:
    started = time.monotonic()
    found = while_wanted(
        made(tmp_path),
        lambda: time.monotonic() - started > 0.2,
        lambda store: store.database.connection.execute(ENDLESS).fetchone()[0],
    )
    assert found is None
    assert time.monotonic() - started < 5


def test_what_is_wanted_to_the_end_is_returned(tmp_path: Path) -> None:
    assert while_wanted(made(tmp_path), lambda: False, lambda store: store.models()) == {}


def test_what_came_too_late_is_not_returned(tmp_path: Path) -> None:
    given_up = False

    def compute(store: SqliteStore) -> dict[str, int]:
        nonlocal given_up
        found = store.models()
        given_up = True
        return found

    assert while_wanted(made(tmp_path), lambda: given_up, compute) is None
