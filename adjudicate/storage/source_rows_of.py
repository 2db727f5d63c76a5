"""The rows of a run as they stand in its file, put together again from what its items keep."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from adjudicate.core.items import RowDraft, item_id
from adjudicate.core.source_rows import source_text

ROWS = """
SELECT i.id, i.line, i.source, i.response, CASE WHEN p.messages IS NULL THEN p.text ELSE '' END
FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id WHERE i.run_id = ? ORDER BY i.rowid
"""
LINES = "SELECT id, line FROM items WHERE run_id = ? ORDER BY rowid"


class SourceRow(NamedTuple):
    """The row of one item. Several items may have come from one row."""

    item_id: str
    line: int
    """Line, or position in its list, from 1."""
    text: str
    """The row verbatim, without its line end; for logs that are no tables, where it stands in its log, as JSON."""


def source_rows(connection: sqlite3.Connection, run_id: str) -> Iterator[SourceRow]:
    """The rows of a run in the order of its file."""
    for item, line, kept, response, prompt in connection.execute(ROWS, (run_id,)):
        yield SourceRow(item, line, source_text(kept, prompt=prompt, response=response))


def item_lines(connection: sqlite3.Connection, run_id: str) -> Iterator[tuple[str, int]]:
    """Items of a run and the lines that they came from, in the order of its file."""
    return ((row[0], row[1]) for row in connection.execute(LINES, (run_id,)))


def items_of_rows(rows: Iterable[RowDraft]) -> Iterator[tuple[RowDraft, str]]:
    """Rows of a run that are read again, with the ids of their items as `import_batches` makes them."""
    met: Counter[str] = Counter()
    for row in rows:
        item = item_id(row)
        if row.source_id is None:
            name = f"{item} {row.repeat}" if row.repeat else item
            met[name] += 1
            item = item_id(row, met[name] - 1)
        yield row, item
