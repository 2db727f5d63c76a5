"""Human-labelled data sets for PyRIT's scorer evaluation: responses with their objective, and whether people say it was met."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from adjudicate.errors import UsageError
from adjudicate.formats.writers import Record, csv_text
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.yes_or_no import answered

COLUMNS = ("objective", "harm_category", "assistant_response", "data_type", "human_score")
ASKED = "PyRIT's data sets consist of objectives and responses: say --with-text, and handle the file with care"
VERSION = "1.0"
"""PyRIT wants to know a version of every data set; the policy's fingerprint beside it says what this one rests on."""


def pyrit_lines(store: SqliteStore, options: ExportOptions) -> Iterator[str]:
    """The file, with PyRIT's comment above the header.

    Raises:
        UsageError: Texts were not asked for, or `answered` says why.
    """
    if not options.with_text:
        raise UsageError(ASKED)
    # All rows are made before the first piece is asked for, so that a refusal leaves no file.
    records = list(_records(store, options))
    above = f"# dataset_version={VERSION}, policy={store.policy().fingerprint[:12]}, rate={options.rate}\n"
    return _lines(above, records)


def _lines(above: str, records: list[Record]) -> Iterator[str]:
    yield above
    # PyRIT takes what follows a # outside quotes for a comment.
    yield from csv_text(COLUMNS, records, quoting=csv.QUOTE_ALL)


def _records(store: SqliteStore, options: ExportOptions) -> Iterator[Record]:
    empty = 0
    for place, yes in answered(store, options):
        item = store.item(place.item_id)
        turns = item.prompt.messages
        objective = turns[0].content if len(turns) == 1 else "\n\n".join(f"{turn.role}: {turn.content}" for turn in turns)
        if not (objective.strip() and item.response.strip()):
            empty += 1
            continue
        yield {
            "objective": objective,
            "harm_category": place.category,
            "assistant_response": item.response,
            "data_type": "text",
            "human_score": int(yes),
        }
    if empty:
        options.tell(f"{empty:,} items without a prompt or a response are left out: PyRIT refuses a file with empty cells")
