"""The one way to open a workspace's database, and the one way to write to it.

Every entry point (command line, screens, imports, workers) comes through `open_database`, so that all have the same
pragmas; every write goes through `writing`, so that none starts deferred or bypasses the file lock.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from adjudicate.core.text import visible_line
from adjudicate.errors import BusyStore, StoreError
from adjudicate.storage.database_file import refuse_foreign, refuse_network, told
from adjudicate.storage.file_lock import locked
from adjudicate.storage.text_functions import add_text_functions

SCHEMA_VERSION = 6
"""Number of migrations; kept in ``PRAGMA user_version`` and tested against the list."""
BUSY_SECONDS = 30
"""Nobody waits longer than this for another program."""
UNWRITABLE = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})

PRAGMAS = (
    # Of new databases: a row of a log takes two to four kB, and larger pages waste less of the file.
    "PRAGMA page_size = 8192",
    f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
)

READING_PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}",
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
    lock_file: int | None
    """File descriptor of the advisory lock beside the database; None where it could only be opened for reading."""
    identity: FileIdentity
    """Which file it is, whatever it is called."""

    def close(self) -> None:
        """Close both; nothing waits to be saved."""
        with _OPENING:
            _OPEN[self.identity] -= 1
            self.connection.close()
            if self.lock_file is not None:
                os.close(self.lock_file)


def open_database(path: Path, *, create: bool = False) -> Database:
    """Open a workspace's database with every pragma set, migrated if it is older than this program.

    Where it may be read but not written, it is opened for reading alone, and `writing` refuses.

    Args:
        path: The database file.
        create: Make it where it is missing; its folder exists.

    Raises:
        StoreError: It is missing, cannot be read, is on a network file system, or newer than this program.
        BusyStore: Another program has been writing for too long.
        DamagedStore: It is not one of ours or is broken; it is left as it is.
    """
    shown = visible_line(str(path))
    try:
        if not path.exists() and not create:
            raise StoreError(
                f"{shown}: there is no workspace database; put a backup of it there, or make a workspace with 'adjudicate init'"
            )
        refuse_network(path)
        with _OPENING:
            database = _open(path, create=create)
    except OSError as error:
        raise StoreError(
            f"{shown}: cannot be opened ({visible_line(error.strerror or str(error))}); check who owns the folder and its files"
        ) from error
    with contextlib.ExitStack() as undo:
        undo.callback(database.close)
        try:
            _bring_up_to_date(database)
        except sqlite3.Error as error:
            raise told(error, path) from error
        undo.pop_all()
    return database


def _open(path: Path, *, create: bool) -> Database:
    if not (path.exists() and _OPEN[_identity(path)] > 0):
        refuse_foreign(path, _tables, create=create)
    with _private_files(), contextlib.ExitStack() as undo:
        lock_file = _lock_file(path)
        if lock_file is not None:
            undo.callback(os.close, lock_file)
        try:
            if lock_file is None:
                connection = _connect_to_read(path)
            else:
                # Under the lock: several first openings at once would fight over the switch to WAL.
                with locked(lock_file, BUSY_SECONDS):
                    connection = _connect(path, "rwc" if create else "rw")
        except sqlite3.Error as error:
            raise told(error, path) from error
        undo.pop_all()
    identity = _identity(path)
    _OPEN[identity] += 1
    return Database(path, connection, lock_file, identity)


def _lock_file(path: Path) -> int | None:
    """The descriptor of the lock; None where a database that is there may not be written."""
    if path.exists() and not os.access(path, os.W_OK):
        return None
    try:
        return os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno in UNWRITABLE and path.exists():
            return None
        raise


def _connect_to_read(path: Path) -> sqlite3.Connection:
    try:
        return _connect(path, "ro")
    except sqlite3.OperationalError:
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size > 0:
            raise
        # The shared memory of the write-ahead log cannot be made here; all there is stands in the file itself.
        return _connect(path, "ro&immutable=1")


def _identity(path: Path) -> FileIdentity:
    found = path.stat()
    return found.st_dev, found.st_ino


@contextlib.contextmanager
def writing(database: Database, *, wait: float | None = None, bulk: bool = False) -> Iterator[sqlite3.Connection]:
    """One write transaction: file lock, ``BEGIN IMMEDIATE``, your statements, ``COMMIT``. Durable when the block ends.

    The file lock makes waiting fair: with SQLite's own lock alone the slowest of 16 writers waited 28 s, with it 0.6 s.

    Args:
        database: Opened by this thread.
        wait: Seconds to wait for the lock; None for `BUSY_SECONDS`.
        bulk: Much is going to be written: where nobody else has the database open, use a rollback journal, which writes
            new pages once instead of twice and is as safe. Whoever opens it meanwhile waits at the file lock.

    Raises:
        BusyStore: The lock was not free in time; nothing was written.
        StoreError: The database was opened for reading alone, or the disk is full.
    """
    connection = database.connection
    if database.lock_file is None:
        raise StoreError(
            f"{visible_line(str(database.path))}: opened read-only, because you may not write it; nothing was written."
            " Check who owns the folder and its files"
        )
    seconds = BUSY_SECONDS if wait is None else wait
    with locked(database.lock_file, seconds), _rollback_journal(connection) if bulk else contextlib.nullcontext():
        _begin(connection, wait)
        try:
            with _rolled_back_unless_committed(connection):
                yield connection
                connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise StoreError(f"nothing was written: {error}; make room or check the disk, then try again") from error


@contextlib.contextmanager
def _rolled_back_unless_committed(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    finally:
        # After SQLITE_FULL the transaction is already gone and ROLLBACK would hide the real error.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


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
def _private_files() -> Iterator[None]:
    """Files made inside (database, WAL, lock) are for their owner alone: responses and names are in them."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    # isolation_level=None: the module starts no transaction of its own, so nothing can be swallowed by one.
    address = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        add_text_functions(connection)
        for pragma in READING_PRAGMAS if mode.startswith("ro") else PRAGMAS:
            connection.execute(pragma)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _tables(path: Path) -> set[str] | None:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        return {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.DatabaseError:
        return None
    finally:
        connection.close()


def _bring_up_to_date(database: Database) -> None:
    version = _version(database)
    if version == SCHEMA_VERSION:
        return
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{visible_line(str(database.path))}: made by a newer adjudicate (schema {version}; this one knows"
            f" {SCHEMA_VERSION}); the file was not changed. Upgrade adjudicate"
        )
    if database.lock_file is None:
        raise StoreError(
            f"{visible_line(str(database.path))}: made by an older adjudicate, and you may not write it to bring it up to date;"
            " let its owner open it once"
        )
    with locked(database.lock_file, BUSY_SECONDS):
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
    shown = visible_line(str(target))
    exists = StoreError(f"{shown}: already exists; a backup never overwrites")
    try:
        if target.exists():
            raise exists
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".part")
        os.close(descriptor)
        temporary = Path(name)
        try:
            database.connection.execute("VACUUM INTO ?", (str(temporary),))
            _sync(temporary)
            _place(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
        _sync(target.parent)
    except FileExistsError:
        raise exists from None
    except OSError as error:
        raise StoreError(f"{shown}: no backup was made ({visible_line(error.strerror or str(error))})") from error
    except sqlite3.Error as error:
        raise StoreError(f"no backup was made: {told(error, target)}") from error


def _place(temporary: Path, target: Path) -> None:
    """Give a finished file its name, never over another one."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links.
        if target.exists():
            raise FileExistsError from None
        temporary.replace(target)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _version(database: Database) -> int:
    version: int = database.connection.execute("PRAGMA user_version").fetchone()[0]
    return version
