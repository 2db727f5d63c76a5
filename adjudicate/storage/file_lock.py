"""The advisory lock beside a database: one writer at a time, and nobody waits for ever."""

from __future__ import annotations

import contextlib
import fcntl
import time
from collections.abc import Iterator

from adjudicate.errors import BusyStore

LOOK_EVERY = 0.004
SOONEST = 0.0002


@contextlib.contextmanager
def locked(lock_file: int, wait: float) -> Iterator[None]:
    """Hold the lock for the block.

    Args:
        lock_file: Descriptor of the lock file.
        wait: Seconds to wait for it.

    Raises:
        BusyStore: It was not free in time.
    """
    _take(lock_file, wait)
    try:
        yield
    finally:
        fcntl.flock(lock_file, fcntl.LOCK_UN)


def _take(lock_file: int, wait: float) -> None:
    """Look again and again: a blocking wait would be in order of arrival, but could not be given up.

    Who has waited longer looks more often, so that nobody is passed over for long.
    """
    began = time.monotonic()
    while True:
        try:
            fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waited = time.monotonic() - began
            if waited >= wait:
                raise BusyStore(
                    f"another program has been writing to this workspace for more than {wait:g} s (an import may take minutes);"
                    " nothing was lost, try again when it is done"
                ) from None
            time.sleep(max(SOONEST, LOOK_EVERY / (1 + 50 * waited)))
        else:
            return
