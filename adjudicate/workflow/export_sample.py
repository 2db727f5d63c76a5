"""The drawn items as a list, for labelling them blind with another tool: nothing that a judge or a person said of them.

Not even the stratum is in it, nor the chance to be drawn, since both tell what the judge's verdict counts as.

Labels made elsewhere come back with `import --join`, under the names of the people whose lists the items are on.
"""

from __future__ import annotations

from collections.abc import Iterator

from adjudicate.formats.writers import Record
from adjudicate.storage.sample_rows import sample_rows
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.export_records import ExportOptions, texts_of
from adjudicate.workflow.pseudonyms import pseudonyms

COLUMNS = (
    "position", "draw", "item", "source_id", "model", "population", "intent", "category", "language", "people", "labelled",
)  # fmt: skip
TEXT = ("prompt", "response")


def sample_records(store: SqliteStore, options: ExportOptions) -> Iterator[Record]:
    """One row a drawn item, in the order of presentation."""
    names = pseudonyms(store)
    for row in sample_rows(store):
        if options.model not in (None, row.model) or options.run not in (None, row.run_id):
            continue
        yield {
            **{name: getattr(row, name) for name in COLUMNS if name != "people"},
            "people": " ".join(names[person] for person in row.people),
            **(texts_of(store, row.item) if options.with_text else {}),
        }
