"""Which of the programs that ask a model are still alive: each holds a lock on a file of its own, which dies with it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

_OWNER = re.compile(r"[0-9a-f]{16}")


@contextlib.contextmanager
def running(database: Path) -> Iterator[str]:
    """Be a runner for the block; its id.

    Args:
        database: The workspace's database; the lock files lie beside it.
    """
    owner = secrets.token_hex(8)
    path = _path(database, owner)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield owner
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def is_alive(database: Path, owner: str) -> bool:
    """Whether the runner with this id still runs; the file of one that does not is removed."""
    if not _OWNER.fullmatch(owner):
        return False
    path = _path(database, owner)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        path.unlink(missing_ok=True)
        return False
    finally:
        os.close(descriptor)


def _path(database: Path, owner: str) -> Path:
    return database.with_name(f"{database.name}.runner-{owner}")
