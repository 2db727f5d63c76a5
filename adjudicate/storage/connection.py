"""The one way to open a workspace's database, and the one way to write to it.

Every entry point (command line, screens, imports, workers) comes through `open_database`, so that all have the same
pragmas; every write goes through `writing`, so that none starts deferred or bypasses the file lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from adjudicate.core.text import visible_line
from adjudicate.errors import BusyStore, DamagedStore, StoreError

SCHEMA_VERSION = 2
"""Number of migrations; kept in ``PRAGMA user_version`` and tested against the list."""
APPLICATION_ID = 0x41444A55
BUSY_SECONDS = 30
NETWORK_FILE_SYSTEMS = frozenset({0x6969, 0xFF534D42, 0xFE534D42, 0x517B, 0x65735546, 0x01021997, 0x5346414F})
"""`statfs` magic numbers of NFS, CIFS, SMB2, SMB, FUSE, 9P and AFS, where WAL is not safe."""

PRAGMAS = (
    # Of new databases: a row of a log takes two to four kB, and larger pages waste less of the file.
    "PRAGMA page_size = 8192",
    f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
)


FileIdentity = tuple[int, int]
"""Device and inode."""

_OPENING = threading.Lock()
_OPEN: Counter[FileIdentity] = Counter()
"""Connections of this process by file. POSIX drops *all* locks that a process has on a file as soon as it closes *any*
descriptor of it: a look at the header while a connection is open would let another program take that connection for gone,
delete the write-ahead log under it, and lose every later label. So the header is read only where nothing is open."""


@dataclass(slots=True)
class Database:
    """An open connection with its write lock. Bound to the thread that opened it."""

    path: Path
    connection: sqlite3.Connection
    lock_file: int
    """File descriptor of the advisory lock beside the database."""
    identity: FileIdentity
    """Which file it is, whatever it is called."""

    def close(self) -> None:
        """Close both; nothing waits to be saved."""
        with _OPENING:
            _OPEN[self.identity] -= 1
            self.connection.close()
            os.close(self.lock_file)


def open_database(path: Path, *, create: bool = False) -> Database:
    """Open a workspace's database with every pragma set, migrated if it is older than this program.

    Args:
        path: The database file.
        create: Make it where it is missing; its folder exists.

    Raises:
        StoreError: It is missing, on a network file system, or newer than this program.
        DamagedStore: It is not one of ours or is broken; it is left as it is.
    """
    shown = visible_line(str(path))
    if not path.exists() and not create:
        raise StoreError(f"{shown}: there is no workspace database; make one with 'adjudicate init'")
    _refuse_network(path)
    with _OPENING:
        database = _open(path)
    try:
        _bring_up_to_date(database)
    except BaseException:
        database.close()
        raise
    return database


def _open(path: Path) -> Database:
    if not (path.exists() and _OPEN[_identity(path)] > 0):
        _refuse_foreign(path)
    with _private_files():
        lock_file = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            # Under the lock: several first openings at once would fight over the switch to WAL.
            with _locked(lock_file, None):
                connection = _connect(path)
        except BaseException:
            os.close(lock_file)
            raise
    identity = _identity(path)
    _OPEN[identity] += 1
    return Database(path, connection, lock_file, identity)


def _identity(path: Path) -> FileIdentity:
    found = path.stat()
    return found.st_dev, found.st_ino


@contextlib.contextmanager
def writing(database: Database, *, wait: float | None = None, bulk: bool = False) -> Iterator[sqlite3.Connection]:
    """One write transaction: file lock, ``BEGIN IMMEDIATE``, your statements, ``COMMIT``. Durable when the block ends.

    The file lock makes waiting fair: with SQLite's own lock alone the slowest of 16 writers waited 28 s, with it 0.6 s.

    Args:
        database: Opened by this thread.
        wait: Seconds to wait for the lock; None for as long as it takes.
        bulk: Much is going to be written: where nobody else has the database open, use a rollback journal, which writes
            new pages once instead of twice and is as safe. Whoever opens it meanwhile waits at the file lock.

    Raises:
        BusyStore: The lock was not free in time; nothing was written.
    """
    connection = database.connection
    with _locked(database.lock_file, wait), _rollback_journal(connection) if bulk else contextlib.nullcontext():
        _begin(connection, wait)
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException as error:
            # After SQLITE_FULL the transaction is already gone and ROLLBACK would hide the real error.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError):
                raise StoreError(f"nothing was written: {error}; make room or check the disk, then try again") from error
            raise


@contextlib.contextmanager
def _rollback_journal(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("PRAGMA busy_timeout = 0")
    with contextlib.suppress(sqlite3.OperationalError):
        # Refused while anybody else has the database open: then it stays as it is.
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    try:
        yield
    finally:
        connection.execute("PRAGMA journal_mode = WAL")


def _begin(connection: sqlite3.Connection, wait: float | None) -> None:
    seconds = BUSY_SECONDS if wait is None else wait
    try:
        if wait is not None:
            connection.execute(f"PRAGMA busy_timeout = {int(wait * 1000)}")
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error) and "busy" not in str(error):
            raise StoreError(f"the workspace cannot be written: {error}") from error
        raise BusyStore(f"another program has been writing for more than {seconds:g} s; nothing was lost, try again") from error
    finally:
        if wait is not None:
            connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")


@contextlib.contextmanager
def _locked(lock_file: int, wait: float | None) -> Iterator[None]:
    if wait is None:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
    else:
        _try_lock(lock_file, wait)
    try:
        yield
    finally:
        fcntl.flock(lock_file, fcntl.LOCK_UN)


def _try_lock(lock_file: int, wait: float) -> None:
    deadline = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise BusyStore("another process is writing; nothing was lost, try again") from None
            time.sleep(0.002)
        else:
            return


@contextlib.contextmanager
def _private_files() -> Iterator[None]:
    """Files made inside (database, WAL, lock) are for their owner alone: responses and names are in them."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def _connect(path: Path) -> sqlite3.Connection:
    # isolation_level=None: the module starts no transaction of its own, so nothing can be swallowed by one.
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        for pragma in PRAGMAS:
            connection.execute(pragma)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise DamagedStore(f"{visible_line(str(path))}: damaged, or not writable ({error}); the file was not changed") from error
    return connection


def _bring_up_to_date(database: Database) -> None:
    version = _version(database)
    if version == SCHEMA_VERSION:
        return
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{visible_line(str(database.path))}: made by a newer adjudicate (schema {version}; this one knows"
            f" {SCHEMA_VERSION}); the file was not changed. Upgrade adjudicate"
        )
    with _locked(database.lock_file, None):
        if _version(database) != SCHEMA_VERSION:
            _migrate(database)


def _migrate(database: Database) -> None:
    from sqlite_utils import Database as UtilsDatabase

    from adjudicate.storage.migrations import migrations

    if version := _version(database):
        backup(database, database.path.with_name(f"{database.path.name}.before-{version}"))
    migrations.apply(UtilsDatabase(database.connection))


def backup(database: Database, target: Path) -> None:
    """A complete copy of the database (never a copy of the file, which would lack the write-ahead log).

    Raises:
        StoreError: The target exists or cannot be written.
    """
    if target.exists():
        raise StoreError(f"{visible_line(str(target))}: already exists; a backup never overwrites")
    with _private_files():
        database.connection.execute("VACUUM INTO ?", (str(target),))


def _version(database: Database) -> int:
    try:
        version: int = database.connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise DamagedStore(f"{visible_line(str(database.path))}: damaged ({error}); the file was not changed") from error
    return version


def _refuse_foreign(path: Path) -> None:
    """Look at the header with plain reads, so that a file that is not ours is not touched, not even by SQLite."""
    if not path.exists():
        return
    with path.open("rb") as file:
        header = file.read(100)
    shown = visible_line(str(path))
    if not header:
        # Nothing but a killed first start leaves an empty file; SQLite takes it as a new database.
        return
    if len(header) < 100 or not header.startswith(b"SQLite format 3\x00"):
        raise DamagedStore(f"{shown}: damaged, or not a database; the file was not changed")
    application = int.from_bytes(header[68:72], "big")
    if application not in (0, APPLICATION_ID):
        raise DamagedStore(f"{shown}: damaged, or a database of another program; the file was not changed")
    if application == 0 and _has_foreign_tables(path):
        raise DamagedStore(f"{shown}: damaged, or a database of another program; the file was not changed")
    page_size = int.from_bytes(header[16:18], "big")
    if page_size not in (1, *(1 << power for power in range(9, 16))):
        raise DamagedStore(f"{shown}: damaged (impossible page size); the file was not changed")


def _has_foreign_tables(path: Path) -> bool:
    """Whether an unmarked database holds more than a first start that was killed leaves behind."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.DatabaseError:
        return True
    finally:
        connection.close()
    return not names <= {"_sqlite_migrations", "sqlite_sequence"}


def _refuse_network(path: Path) -> None:
    if os.environ.get("ADJUDICATE_ALLOW_NETWORK_FS") == "1":
        return
    if _file_system_magic(path.parent) in NETWORK_FILE_SYSTEMS:
        raise StoreError(
            f"{visible_line(str(path))}: on a network file system, where several writers can damage the file."
            " Keep the workspace on a local disk"
        )


def _file_system_magic(folder: Path) -> int:
    """`f_type` of statfs(2), which Python's os.statvfs leaves out; 0 where it cannot be known."""
    import ctypes

    buffer = ctypes.create_string_buffer(256)
    try:
        if ctypes.CDLL(None).statfs(os.fsencode(folder), buffer) != 0:
            return 0
    except AttributeError:
        return 0
    return int.from_bytes(buffer.raw[:8], "little") & 0xFFFFFFFF
