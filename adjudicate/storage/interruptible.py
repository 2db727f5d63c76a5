"""Reading that can be broken off while SQLite is at it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from adjudicate.storage.browse import STEPS, Interrupted
from adjudicate.storage.connection import Database

__all__ = ["Interrupted", "interruptible"]


@contextmanager
def interruptible(database: Database, is_cancelled: Callable[[], bool]) -> Iterator[None]:
    """Break off what is read inside as soon as nobody waits for it.

    Args:
        database: One that nobody else reads from meanwhile.
        is_cancelled: Asked every few hundredths of a second, on the reading thread.

    Raises:
        Interrupted: `is_cancelled` said so.
    """
    database.connection.set_progress_handler(is_cancelled, STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if "interrupted" in str(error):
            raise Interrupted from error
        raise
    finally:
        database.connection.set_progress_handler(None, 0)
