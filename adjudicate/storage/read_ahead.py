"""Reads in a thread while the caller writes: SQLite works outside the interpreter's lock, so both get on at once."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Generator, Iterator
from queue import Empty, Queue
from typing import TypeVar

Item = TypeVar("Item")

AHEAD = 2
"""Items read before they are asked for: enough to overlap, few enough to keep memory small."""


def read_ahead(items: Iterator[Item]) -> Generator[Item, None, None]:
    """The items in order, each made in a thread while the one before is used.

    What the iterator raises is raised here, in its place. Close this iterator (or exhaust it) to end the thread.
    """
    ready: Queue[tuple[Item] | BaseException | None] = Queue(AHEAD)
    stopped = threading.Event()

    def fill() -> None:
        try:
            for item in items:
                if stopped.is_set():
                    return
                ready.put((item,))
            ready.put(None)
        except BaseException as error:  # noqa: BLE001  # told where it can be handled: by whoever uses the items
            ready.put(error)

    thread = threading.Thread(target=fill, name="read-ahead", daemon=True)
    thread.start()
    try:
        while (found := ready.get()) is not None:
            if isinstance(found, BaseException):
                raise found
            yield found[0]
    finally:
        stopped.set()
        while thread.is_alive():
            # A full queue would keep the thread from seeing that it should stop.
            with contextlib.suppress(Empty):
                ready.get(timeout=0.01)
