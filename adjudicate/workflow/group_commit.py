"""Many small writes of one event loop in few transactions: each waits for its commit, and shares it with those that wait too."""

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

    async def put(self, entry: Entry) -> None:
        """Write an entry; durable on return.

        Raises:
            StoreError: It was not written, nor were those beside it.
        """
        if self._committed is None:
            loop = asyncio.get_running_loop()
            self._committed = loop.create_future()
            loop.call_soon(self._flush)
        self._entries.append(entry)
        # Whoever is cancelled while waiting does not take the commit of the others with it.
        await asyncio.shield(self._committed)

    def _flush(self) -> None:
        entries, committed = self._entries, self._committed
        self._entries, self._committed = [], None
        if committed is None:
            return
        try:
            self._write(entries)
        except Exception as error:  # noqa: BLE001 - told to everyone who waits, who raise it
            committed.set_exception(error)
        else:
            committed.set_result(None)
