"""Opening and writing a workspace's database."""

from __future__ import annotations

import contextlib
import hashlib
import multiprocessing
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from adjudicate.core.labels import Act
from adjudicate.errors import BusyStore, DamagedStore, StoreError
from adjudicate.storage import connection as connection_module
from adjudicate.storage.connection import SCHEMA_VERSION, open_database, writing
from adjudicate.storage.database_file import told
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.draw_pairs import draw_pairs
from adjudicate.workflow.draw_sample import DrawSettings
from tests.factory import AT, Answer, make_store


def pragmas(connection: sqlite3.Connection) -> dict[str, object]:
    names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    return {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names}


def test_every_opening_has_wal_full_sync_foreign_keys_and_a_long_timeout(tmp_path: Path) -> None:
    path = tmp_path / "adjudicate.db"
    for _ in range(2):
        database = open_database(path, create=True)
        assert pragmas(database.connection) == {
            "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30_000,
        }  # fmt: skip
        database.close()


def test_all_files_of_the_database_are_for_their_owner_alone(tmp_path: Path) -> None:
    os.umask(0o022)
    store = make_store(tmp_path, [Answer("full_refusal")])
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in store.path.parent.iterdir()}
    assert {"adjudicate.db", "adjudicate.db-wal", "adjudicate.db.lock"} <= set(modes)
    assert set(modes.values()) == {0o600}


def unchanged(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "content", [b"not a database at all", b"SQLite format 3\x00" + b"garbage" * 40], ids=["text", "header only"]
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "adjudicate.db"
    path.write_bytes(content)
    before = unchanged(path)
    with pytest.raises(DamagedStore, match="was not changed"):
        open_database(path)
    assert unchanged(path) == before


def test_the_hostile_database_is_refused_and_left_alone(tmp_path: Path, shared: Path) -> None:
    path = tmp_path / "adjudicate.db"
    path.write_bytes((shared / "hostile" / "sqlite-header-garbage.db").read_bytes())
    before = unchanged(path)
    with pytest.raises(DamagedStore, match="damaged"):
        open_database(path)
    assert unchanged(path) == before


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.commit()
    other.close()
    before = unchanged(path)
    with pytest.raises(DamagedStore, match="another program"):
        open_database(path)
    assert unchanged(path) == before


def test_a_newer_schema_is_refused_with_both_versions_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "adjudicate.db"
    open_database(path, create=True).close()
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99999")
    newer.commit()
    newer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    newer.close()
    before = unchanged(path)
    with pytest.raises(StoreError, match=f"99999.*{SCHEMA_VERSION}"):
        open_database(path)
    assert unchanged(path) == before


def test_a_missing_database_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="adjudicate init"):
        open_database(tmp_path / "none.db")


def test_an_older_schema_is_backed_up_and_brought_up_to_date(tmp_path: Path) -> None:
    from sqlite_utils import Database

    from adjudicate.storage.migrations import migrations

    path = tmp_path / "adjudicate.db"
    old = Database(sqlite3.connect(path, isolation_level=None))
    migrations.apply(old, stop_before="m002_views")
    old.execute("INSERT INTO annotators VALUES ('a-1', 'ann', 'os user', 17)")
    old.close()
    database = open_database(path)
    assert database.connection.execute("SELECT name FROM annotators").fetchone() == ("ann",)
    assert database.connection.execute("SELECT count(*) FROM gold_labels").fetchone() == (0,)
    assert (tmp_path / "adjudicate.db.before-1").exists()


def _open_new(path: Path, barrier: object, failures: object) -> None:
    barrier.wait()  # type: ignore[attr-defined]
    try:
        open_database(path, create=True).close()
    except Exception as error:  # noqa: BLE001
        failures.put(repr(error))  # type: ignore[attr-defined]


def test_six_processes_opening_a_new_database_at_once_all_succeed(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    for turn in range(4):
        barrier, failures = context.Barrier(6), context.Queue()
        path = tmp_path / f"{turn}.db"
        processes = [context.Process(target=_open_new, args=(path, barrier, failures)) for _ in range(6)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        assert failures.empty(), failures.get()


def _label(path: Path, name: str, count: int, barrier: object, results: object) -> None:
    store = SqliteStore.open(path)
    person = store.annotator(name)
    policy = store.policy().fingerprint
    barrier.wait()  # type: ignore[attr-defined]
    slowest, error = 0.0, ""
    try:
        for number in range(count):
            began = time.monotonic()
            act = Act("label", f"i{number % 20:04d}", outcome="full_refusal", mode="blind")
            store.append(person.id, act, policy=policy, at=AT)
            slowest = max(slowest, time.monotonic() - began)
    except Exception as problem:  # noqa: BLE001
        error = repr(problem)
    results.put((name, slowest, error))  # type: ignore[attr-defined]
    store.close()


def test_sixteen_processes_saving_two_hundred_labels_each_lose_none(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_refusal")] * 20)
    context = multiprocessing.get_context("fork")
    barrier, results = context.Barrier(16), context.Queue()
    processes = [
        context.Process(target=_label, args=(store.path, f"person {number}", 200, barrier, results)) for number in range(16)
    ]
    for process in processes:
        process.start()
    outcomes = [results.get(timeout=120) for _ in processes]
    for process in processes:
        process.join()
    assert [error for _, _, error in outcomes if error] == []
    assert sum(len(store.chain(person.id)) for person in store.annotators()) == 3200
    assert store.problems() == []
    assert max(slowest for _, slowest, _ in outcomes) < 5


def test_a_write_that_finds_the_lock_taken_gives_up_in_time_and_writes_nothing(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_refusal")])
    person = store.annotator("ann")
    other = SqliteStore.open(store.path)
    with writing(other.database):
        began = time.monotonic()
        with pytest.raises(BusyStore, match="nothing was lost"):
            store.append(person.id, Act("skip", "i0000"), policy=store.policy().fingerprint, at=AT, wait=0.1)
        assert time.monotonic() - began < 2
    assert store.chain(person.id) == []
    assert pragmas(store.database.connection)["busy_timeout"] == 30_000


def test_a_program_that_does_not_know_our_lock_is_waited_for_too(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_refusal")])
    person = store.annotator("ann")
    foreign = sqlite3.connect(store.path, isolation_level=None)
    foreign.execute("BEGIN IMMEDIATE")
    with pytest.raises(BusyStore):
        store.append(person.id, Act("skip", "i0000"), policy=store.policy().fingerprint, at=AT, wait=0.1)
    foreign.execute("COMMIT")
    store.append(person.id, Act("skip", "i0000"), policy=store.policy().fingerprint, at=AT, wait=0.1)
    assert len(store.chain(person.id)) == 1


def test_a_failed_block_leaves_nothing_behind(tmp_path: Path) -> None:
    store = make_store(tmp_path, [])
    with pytest.raises(RuntimeError), writing(store.database) as connection:  # noqa: PT012  # the block is the subject
        connection.execute("INSERT INTO annotators VALUES ('a-1', 'ann', 'os user', 17)")
        raise RuntimeError
    assert store.annotators() == []


def test_a_flipped_byte_of_an_event_is_named_by_the_check(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_refusal")] * 3)
    person = store.annotator("ann")
    for number in range(3):
        act = Act("label", f"i000{number}", outcome="full_refusal", mode="blind")
        store.append(person.id, act, policy=store.policy().fingerprint, at=AT)
    with writing(store.database) as connection:
        connection.execute("UPDATE events SET outcome = 'full_compliance' WHERE seq = 2")
    assert store.problems() == [f"{person.id}: event 2 was changed after it was made"]


def test_a_backup_is_complete_and_never_overwrites(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_refusal")])
    store.backup(tmp_path / "copy.db")
    copy = SqliteStore.open(tmp_path / "copy.db")
    assert copy.item("i0000").response == "An answer."
    with pytest.raises(StoreError, match="never overwrites"):
        store.backup(tmp_path / "copy.db")


def test_a_second_opening_in_the_same_process_does_not_drop_the_locks_of_the_first(tmp_path: Path) -> None:
    """POSIX drops all of a process's locks on a file at the first close; another program would then delete the log."""
    store = make_store(tmp_path, [Answer("full_refusal")] * 3)
    person, policy = store.annotator("ann").id, store.policy().fingerprint
    SqliteStore.open(store.path).close()
    opening = "import pathlib; from adjudicate.storage.sqlite_store import SqliteStore as S"
    look = f"{opening}; s = S.open(pathlib.Path({str(store.path)!r}));"
    count = [sys.executable, "-c", f"{look} print(len(s.chain({person!r}))); s.close()"]
    for expected in (1, 2, 3):
        store.append(person, Act("skip", f"i000{expected - 1}"), policy=policy, at=AT)
        assert subprocess.run(count, check=True, capture_output=True, text=True).stdout == f"{expected}\n"


def test_nobody_waits_for_ever_to_open_or_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "BUSY_SECONDS", 0.2)
    store = make_store(tmp_path, [Answer("full_refusal")])
    person = store.annotator("ann")
    other = SqliteStore.open(store.path)
    with writing(other.database):
        began = time.monotonic()
        with pytest.raises(BusyStore, match="another program has been writing"):
            SqliteStore.open(store.path)
        with pytest.raises(BusyStore, match="nothing was lost"):
            store.put_draft(person.id, "i0000", "text")
        assert time.monotonic() - began < 2
    SqliteStore.open(store.path).close()


def test_an_empty_file_in_place_of_a_database_is_told_and_not_filled(tmp_path: Path) -> None:
    path = tmp_path / "adjudicate.db"
    path.touch()
    with pytest.raises(DamagedStore, match="empty file"):
        open_database(path)
    assert path.stat().st_size == 0


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """Without the superuser's right to read and write everything."""
    if os.getuid() != 0:
        yield
        return
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.fixture
def readable() -> Iterator[Path]:
    """A folder with a database that everybody may read and nobody may write."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        store = make_store(Path(folder), [Answer("full_refusal")])
        path = store.path
        store.close()
        for each in (path.parent.parent.parent, path.parent.parent, path.parent):
            each.chmod(0o555)
        for each in path.parent.iterdir():
            each.chmod(0o444)
        yield path
        for each in (path.parent.parent.parent, path.parent.parent, path.parent):
            each.chmod(0o755)


def test_a_database_that_may_only_be_read_can_be_read_and_backed_up(readable: Path, tmp_path: Path) -> None:
    before = unchanged(readable)
    with as_nobody():
        store = SqliteStore.open(readable)
        assert store.item("i0000").response == "An answer."
        assert store.problems() == []
        with pytest.raises(StoreError, match="opened read-only"):
            store.annotator("ann")
        store.close()
    reader = SqliteStore.open(readable)
    reader.backup(tmp_path / "copy.db")
    reader.close()
    assert unchanged(readable) == before


def test_a_database_that_may_not_even_be_read_is_told_with_advice(readable: Path) -> None:
    readable.chmod(0o000)
    with as_nobody(), pytest.raises(StoreError, match="check who owns"):
        SqliteStore.open(readable)


def test_a_folder_that_may_not_be_written_is_told_with_advice(readable: Path) -> None:
    with as_nobody(), pytest.raises(StoreError, match="check who owns"):
        open_database(readable.with_name("new.db"), create=True)


def test_a_full_disk_is_told_as_full_and_not_as_damage(tmp_path: Path) -> None:
    small = sqlite3.connect(tmp_path / "small.db", isolation_level=None)
    small.execute("PRAGMA max_page_count = 2")
    small.execute("CREATE TABLE t (x)")
    with pytest.raises(sqlite3.OperationalError) as caught:
        small.execute("INSERT INTO t VALUES (zeroblob(100000))")
    error = told(caught.value, tmp_path / "small.db")
    assert "the disk is full" in str(error) and not isinstance(error, DamagedStore)


@pytest.mark.parametrize("target", ["nowhere/copy.db", "folder"])
def test_a_backup_that_cannot_be_made_leaves_nothing(tmp_path: Path, target: str) -> None:
    store = make_store(tmp_path, [Answer("full_refusal")])
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(StoreError):
        store.backup(tmp_path / target)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_backup_that_breaks_off_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    store = make_store(tmp_path, [Answer("full_refusal")])
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        store.backup(tmp_path / "copy.db")
    assert [path.name for path in tmp_path.iterdir()] == ["workspace"]


def test_a_backup_is_for_its_owner_alone(tmp_path: Path) -> None:
    make_store(tmp_path, [Answer("full_refusal")]).backup(tmp_path / "copy.db")
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "workspace"]


def test_two_draws_at_once_are_told_as_such(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_refusal")] * 4)
    settings = DrawSettings(n=2)
    report = draw_pairs(store, settings, at=AT)
    again = replace(report.draw, id="d-other")
    units = {stratum.name: store.queue(report.draw.id, stratum.name) for stratum in again.strata}
    with pytest.raises(BusyStore, match="somebody else has drawn"):
        store.record_draw(again, units, [], [], {})
    assert [draw.id for draw in store.draws()] == [report.draw.id]
