"""Reads in a thread while the caller writes: SQLite works outside the interpreter's lock, so both get on at once."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterable, Iterator
from queue import SimpleQueue
from typing import Generic, TypeVar

Item = TypeVar("Item")

AHEAD = 2
"""Items made before they are asked for: enough for both to be busy, few enough to keep memory small."""
SWITCH_SECONDS = 0.0001
"""How long the writer waits for the interpreter after each statement. With Python's 5 ms it would mostly wait."""


@contextlib.contextmanager
def read_ahead(items: Iterable[Item]) -> Iterator[Iterator[Item]]:
    """The items in order, each made in a thread while the ones before are used.

    What the iterable raises is raised in its place. When the block ends, however it does, the thread has ended.

    >>> with read_ahead(range(3)) as numbers:
    ...     list(numbers)
    [0, 1, 2]
    """
    reader = _Reader(items)
    thread = threading.Thread(target=reader.run, name="read-ahead", daemon=True)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        thread.start()
        yield reader.made()
    finally:
        try:
            reader.stop()
            thread.join()
        finally:
            sys.setswitchinterval(interval)


class _Reader(Generic[Item]):
    """What the two threads share: a short queue, ended by what ended the iterable."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = items
        self._ready: SimpleQueue[tuple[Item] | BaseException | None] = SimpleQueue()
        self._room = threading.Semaphore(AHEAD)
        self._stopped = False

    def run(self) -> None:
        """In the thread: make items until there are none, or nobody wants them."""
        try:
            for item in self._items:
                self._room.acquire()
                if self._stopped:
                    return
                self._ready.put((item,))
            self._ready.put(None)
        except BaseException as error:  # noqa: BLE001  # told where it can be handled: by whoever uses the items
            self._ready.put(error)

    def made(self) -> Iterator[Item]:
        """In the caller's thread: the items."""
        while (found := self._ready.get()) is not None:
            if isinstance(found, BaseException):
                raise found
            self._room.release()
            yield found[0]

    def stop(self) -> None:
        """Want no more."""
        self._stopped = True
        self._room.release()
