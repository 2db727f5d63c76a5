"""The index beside the database: filled by and by, brought up to date, thrown away where it fits no more, in nobody's way."""

from __future__ import annotations

import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from adjudicate.errors import StoreError
from adjudicate.storage import browse_index
from adjudicate.storage.browse_index import Filled, attach_index, fill, filled
from adjudicate.storage.connection import writing
from adjudicate.storage.published_copy import published_copy
from adjudicate.storage.sqlite_store import SqliteStore
from tests.factory import Answer, make_store


def go_on(_now: Filled) -> bool:
    return True


def lengths(store: SqliteStore) -> list[tuple[int, int]]:
    return store.database.connection.execute("SELECT item, length FROM search.facets ORDER BY item").fetchall()


def found(store: SqliteStore, word: str) -> list[int]:
    query = "SELECT rowid FROM search.texts WHERE texts MATCH ? ORDER BY rowid"
    return [row[0] for row in store.database.connection.execute(query, (word,))]


def add(store: SqliteStore, number: int, response: str) -> None:
    with writing(store.database) as connection:
        connection.execute(
            "INSERT INTO items VALUES (?, 'p0000', 'r', 'm', NULL, ?, ?, '')", (f"n{number:04d}", number, response)
        )


def index_file(store: SqliteStore) -> Path:
    return store.path.with_name(store.path.name + browse_index.SUFFIX)


def test_it_is_filled_a_batch_at_a_time_and_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browse_index, "BATCH", 2)
    store = make_store(tmp_path, [Answer(None, response="x" * number) for number in range(5)])
    attach_index(store.database)
    assert fill(store.database, "facets", lambda now: now.done < 4) == Filled(4, 5)
    assert lengths(store) == [(1, 0), (2, 1), (3, 2), (4, 3)]
    seen: list[Filled] = []
    assert fill(store.database, "facets", lambda now: not seen.append(now)).is_complete  # type: ignore[func-returns-value]
    assert seen == [Filled(4, 5)]
    assert lengths(store) == [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4)]


def test_new_items_are_added_to_what_is_there(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer(None, response="shade")])
    attach_index(store.database)
    fill(store.database, "texts", go_on)
    add(store, 2, "shade and water")
    assert filled(store.database, "texts") == Filled(1, 2)
    fill(store.database, "texts", go_on)
    assert found(store, "shade") == [1, 2] and found(store, "water") == [2]


def test_gaps_between_rows_stop_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browse_index, "BATCH", 3)
    store = make_store(tmp_path, [Answer(None)])
    with writing(store.database) as connection:
        connection.execute(
            "INSERT INTO items (rowid, id, prompt_id, run_id, model, line, response, source)"
            " VALUES (20, 'far', 'p0000', 'r', 'm', 1, 'far', '')"
        )
    attach_index(store.database)
    assert fill(store.database, "facets", go_on).is_complete
    assert [item for item, _ in lengths(store)] == [1, 20]


def test_every_turn_of_a_conversation_is_found(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer(None, prompt="last")])
    with writing(store.database) as connection:
        connection.execute("""UPDATE prompts SET messages = '[["user", "early\\u00e9"], ["user", "last"]]'""")
    attach_index(store.database)
    fill(store.database, "texts", go_on)
    assert found(store, "earlye") == [1] and found(store, "last") == [1] and found(store, "user") == []


def test_the_verdict_of_the_first_judge_that_gave_one_is_kept(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_refusal"), Answer(None), Answer("full_refusal")])
    with writing(store.database) as connection:
        connection.execute("INSERT INTO judges VALUES ('j2', 'other', '', '', '', '')")
        connection.execute("DELETE FROM verdicts WHERE item_id = 'i0002'")
        connection.execute("INSERT INTO verdicts SELECT id, 'j2', 'full_compliance', NULL, NULL, NULL, '', '' FROM items")
    attach_index(store.database)
    fill(store.database, "facets", go_on)
    query = (
        "SELECT f.verdict, o.outcome FROM search.facets AS f LEFT JOIN search.outcomes AS o ON o.code = f.verdict ORDER BY f.item"
    )
    rows = store.database.connection.execute(query).fetchall()
    assert [outcome for _, outcome in rows] == ["full_refusal", None, "full_compliance"]
    assert rows[1][0] == browse_index.FAILED


def test_verdicts_that_come_later_are_known_when_it_is_next_opened(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_refusal")])
    attach_index(store.database)
    fill(store.database, "facets", go_on)
    fill(store.database, "texts", go_on)
    with writing(store.database) as connection:
        connection.execute("UPDATE verdicts SET outcome = 'full_compliance'")
        connection.execute("INSERT INTO runs VALUES ('r2', 'r2', 'set', 'test', 't', '0', '{}', '', 'test')")
    store.close()
    again = SqliteStore.open(store.path)
    attach_index(again.database)
    assert filled(again.database, "facets").done == 0, "verdicts may have come to items that are in it"
    assert filled(again.database, "texts").is_complete, "texts never change"


def test_an_index_of_other_items_is_emptied(tmp_path: Path) -> None:
    """The database was put back from a backup, or another one was put in its place."""
    first, second = make_store(tmp_path / "a", [Answer(None, response="shade")] * 3), make_store(tmp_path / "b", [Answer(None)])
    with writing(second.database) as connection:
        connection.execute("DELETE FROM verdicts")
        connection.execute("UPDATE items SET id = 'other'")
    attach_index(first.database)
    fill(first.database, "facets", go_on)
    fill(first.database, "texts", go_on)
    first.close()
    index_file(second).write_bytes(index_file(first).read_bytes())
    attach_index(second.database)
    assert filled(second.database, "facets").done == filled(second.database, "texts").done == 0
    fill(second.database, "texts", go_on)
    assert found(second, "shade") == []


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_broken_index_is_made_anew(tmp_path: Path, content: bytes) -> None:
    store = make_store(tmp_path, [Answer(None)])
    index_file(store).write_bytes(content)
    attach_index(store.database)
    assert fill(store.database, "facets", go_on).is_complete


def test_an_index_of_another_version_is_made_anew(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer(None)])
    other = sqlite3.connect(index_file(store))
    other.execute("CREATE TABLE facets (x)")
    other.execute("PRAGMA user_version = 99")
    other.close()
    attach_index(store.database)
    assert fill(store.database, "facets", go_on).is_complete


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer(None)])
    index_file(store).mkdir()
    with pytest.raises(StoreError, match="no index for searching"):
        attach_index(store.database)


def test_it_is_for_its_owner_alone(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer(None)])
    attach_index(store.database)
    fill(store.database, "texts", go_on)
    for path in store.path.parent.glob(f"*{browse_index.SUFFIX}*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name


def test_neither_a_backup_nor_a_published_copy_has_it(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer(None, response="sesame")])
    attach_index(store.database)
    fill(store.database, "texts", go_on)
    store.backup(tmp_path / "backup.db")
    published_copy(store, tmp_path / "published.db", with_text=False)
    for name in ("backup.db", "published.db"):
        made = sqlite3.connect(tmp_path / name)
        assert not made.execute("SELECT 1 FROM sqlite_master WHERE name LIKE '%texts%' OR name LIKE '%facets%'").fetchall()
    assert b"sesame" not in (tmp_path / "published.db").read_bytes()


def test_filling_it_keeps_nobody_from_labelling(tmp_path: Path) -> None:
    """Its transactions lock its own file only."""
    store = make_store(tmp_path, [Answer(None)])
    attach_index(store.database)
    other = SqliteStore.open(store.path)
    with browse_index._batch(store.database.connection, "facets"), writing(other.database, wait=0.0) as connection:
        connection.execute("UPDATE prompts SET language = 'de'")
    other.close()


def test_two_who_fill_it_at_once_add_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browse_index, "BATCH", 5)
    store = make_store(tmp_path, [Answer(None, response="shade")] * 200)
    problems: list[BaseException] = []

    def work() -> None:
        mine = SqliteStore.open(store.path)
        try:
            attach_index(mine.database)
            for part in ("facets", "texts"):
                fill(mine.database, part, go_on)  # type: ignore[arg-type]
        except BaseException as error:  # noqa: BLE001 - told below
            problems.append(error)
        finally:
            mine.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    attach_index(store.database)
    assert len(lengths(store)) == 200 and found(store, "shade") == list(range(1, 201))
