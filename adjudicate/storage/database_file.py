"""What can be said of a database file before and beside SQLite: whose it is, where it lies, what an error about it means."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from adjudicate.core.text import visible_line
from adjudicate.errors import BusyStore, DamagedStore, StoreError

APPLICATION_ID = 0x41444A55
NETWORK_FILE_SYSTEMS = frozenset({0x6969, 0xFF534D42, 0xFE534D42, 0x517B, 0x65735546, 0x01021997, 0x5346414F})
"""`statfs` magic numbers of NFS, CIFS, SMB2, SMB, FUSE, 9P and AFS, where WAL is not safe."""


def refuse_foreign(path: Path, tables: Callable[[Path], set[str] | None], *, create: bool) -> None:
    """Look at the header with plain reads, so that a file that is not ours is not touched, not even by SQLite.

    Args:
        path: The file.
        tables: Looks up the names of a file's tables, without changing it; None where it cannot be read as a database.
        create: Whether an empty file may become a database.

    Raises:
        DamagedStore: It is not one of ours, or is broken.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        header = file.read(100)
    shown = visible_line(str(path))
    if not header:
        # A killed first start leaves an empty file, which SQLite takes as a new database; so does a copy that failed.
        if create:
            return
        raise DamagedStore(f"{shown}: an empty file, no database; put a backup in its place")
    if len(header) < 100 or not header.startswith(b"SQLite format 3\x00"):
        raise DamagedStore(f"{shown}: damaged, or not a database; the file was not changed")
    application = int.from_bytes(header[68:72], "big")
    if application not in (0, APPLICATION_ID):
        raise DamagedStore(f"{shown}: damaged, or a database of another program; the file was not changed")
    if application == 0 and not _is_first_start(tables(path)):
        raise DamagedStore(f"{shown}: damaged, or a database of another program; the file was not changed")
    page_size = int.from_bytes(header[16:18], "big")
    if page_size not in (1, *(1 << power for power in range(9, 16))):
        raise DamagedStore(f"{shown}: damaged (impossible page size); the file was not changed")


def _is_first_start(names: set[str] | None) -> bool:
    """Whether an unmarked database holds no more than a first start that was killed leaves behind."""
    return names is not None and names <= {"_sqlite_migrations", "sqlite_sequence"}


def refuse_network(path: Path) -> None:
    """Raise StoreError where the file lies on a network file system."""
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


def told(error: sqlite3.Error, path: Path | None = None) -> StoreError:
    """An error of SQLite as what it means to a person.

    Args:
        error: As SQLite raised it.
        path: The database, where known.
    """
    name = getattr(error, "sqlite_errorname", "")
    place = f"{visible_line(str(path))}: " if path is not None else ""
    said = visible_line(str(error))
    if name == "SQLITE_FULL" or (name.startswith("SQLITE_IOERR") and not _has_room(path)):
        return StoreError(f"{place}the disk is full ({said}); nothing was lost. Make room, then try again")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return BusyStore(f"{place}another program is using the database ({said}); nothing was lost, try again")
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return StoreError(f"{place}cannot be opened or written ({said}); check who owns the folder and its files (chmod u+rw)")
    if name.startswith("SQLITE_IOERR"):
        return StoreError(f"{place}the disk could not be read or written ({said}); nothing was changed. Check the disk")
    return DamagedStore(f"{place}damaged ({said}); the file was not changed. Look with 'adjudicate check', or use a backup")


def _has_room(path: Path | None) -> bool:
    try:
        found = os.statvfs(path.parent if path is not None else Path())
    except OSError:
        return True
    return found.f_bavail > 0 and (found.f_files == 0 or found.f_favail > 0)
