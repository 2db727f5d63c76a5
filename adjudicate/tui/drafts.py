"""Unfinished notes, kept while they are typed: written by one thread at a time, the newest last."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from adjudicate.tui.bench import with_own_store


class DraftKeeper:
    """Keeps the newest text of one person's note on an item, without making the screen wait for a lock."""

    def __init__(self, database: Path, annotator_id: str) -> None:
        self.database = database
        self.annotator_id = annotator_id
        self._lock = Lock()
        self._newest: tuple[str, str] | None = None

    def put(self, item_id: str, text: str) -> None:
        """Remember what is to be written; call `write` from a worker, or at once when there is no time left."""
        self._newest = (item_id, text)

    def drop(self) -> None:
        """Forget what was not written yet: the note itself has been saved. Waits for a write under way."""
        with self._lock:
            self._newest = None

    def write(self) -> None:
        """Write the newest text, if none has written it yet."""
        with self._lock:
            newest, self._newest = self._newest, None
            if newest is not None:
                item_id, text = newest
                with_own_store(self.database, lambda store: store.put_draft(self.annotator_id, item_id, text))
