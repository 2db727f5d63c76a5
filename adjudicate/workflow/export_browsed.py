"""What was selected in the list, as a file: ids, and texts only where they were asked for. Never what judges or people said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from adjudicate.formats.writers import Record, jsonl_text, write_whole
from adjudicate.storage import browse
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.export_prompts import turns_of

COLUMNS = ("item", "source_id", "run")
TEXT_COLUMNS = (*COLUMNS, "messages", "response")
AT_ONCE = 5000


def export_browsed(store: SqliteStore, rowids: Sequence[int], folder: Path, *, at: str, with_text: bool) -> Path:
    """Write items to a new file, one a line; which one.

    Args:
        store: An open store.
        rowids: The items, in their order.
        folder: The workspace's exports.
        at: Time, for the file's name.
        with_text: Prompts and responses too.

    Raises:
        InputError: It cannot be written; there is no such file then.
    """
    columns = TEXT_COLUMNS if with_text else COLUMNS
    path = _free(folder, f"items-{at[:19].replace(':', '').replace('T', '-')}")
    write_whole(path, jsonl_text(columns, _records(store, rowids, with_text=with_text)))
    return path


def _free(folder: Path, stem: str) -> Path:
    """A name that nothing in the folder has."""
    folder.mkdir(mode=0o700, exist_ok=True)
    names = (folder / (f"{stem}.jsonl" if number == 1 else f"{stem}-{number}.jsonl") for number in range(1, 10_000))
    return next(path for path in names if not path.exists())


def _records(store: SqliteStore, rowids: Sequence[int], *, with_text: bool) -> Iterator[Record]:
    for start in range(0, len(rowids), AT_ONCE):
        for item_id, source_id, run in browse.names_of(store.database, rowids[start : start + AT_ONCE]):
            record: dict[str, object] = {"item": item_id, "source_id": source_id or None, "run": run}
            if with_text:
                item = store.item(item_id)
                record |= {"messages": turns_of(item.prompt), "response": item.response}
            yield record
