"""Many small writes of one event loop in few transactions, in the order in which they come.

The commits are made in the loop's own thread: in another one, each would wait until the loop lets go of the interpreter, and
what waits for it is sent in bunches. Measured with 64 requests at a time, that and any pause to collect more cost more than the
disk does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Entry = TypeVar("Entry")


class GroupCommit(Generic[Entry]):
    """Collects the entries of one turn of the loop and writes them together."""

    def __init__(self, write: Callable[[Sequence[Entry]], None]) -> None:
        """Set up.

        Args:
            write: Writes entries durably, all or none; called in the loop's thread.
        """
        self._write = write
        self._entries: list[Entry] = []
        self._committed: asyncio.Future[None] | None = None
        self._error: Exception | None = None
        """Why nothing more is written: what is before an entry has to be on disk before it."""

    def note(self, entry: Entry) -> None:
        """Write an entry with the next one that somebody waits for, or in `flush`."""
        self._entries.append(entry)

    async def put(self, entry: Entry) -> None:
        """Write an entry; it, and everything before it, is durable on return.

        Raises:
            StoreError: Something of that was not written.
        """
        self.note(entry)
        if self._committed is None:
            loop = asyncio.get_running_loop()
            self._committed = loop.create_future()
            loop.call_soon(self._commit)
        # Whoever is cancelled while waiting does not take the commit of the others with it.
        await asyncio.shield(self._committed)

    def flush(self) -> None:
        """Write what is left.

        Raises:
            StoreError: Something was not written, now or before.
        """
        self._commit()
        if self._error is not None:
            raise self._error

    def _commit(self) -> None:
        entries, committed = self._entries, self._committed
        self._entries, self._committed = [], None
        if entries and self._error is None:
            try:
                self._write(entries)
            except Exception as error:  # noqa: BLE001 - told to everyone who waits from now on, who raise it
                self._error = error
        if committed is None or committed.done():
            return
        if self._error is None:
            committed.set_result(None)
        else:
            committed.set_exception(self._error)
            # Looked at here, for where nobody waits any longer.
            committed.exception()
