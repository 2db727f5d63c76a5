"""Which import brought a log, so that labels can be written back into it: the run that was read from exactly this file."""

from __future__ import annotations

from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.formats.text_file import SourceFile
from adjudicate.storage.rows import Run
from adjudicate.storage.sqlite_store import SqliteStore

HOW = {
    "adjudicated": "settled by an adjudicator",
    "recorded": "recorded with the data set",
    "unanimous": "all annotators agree",
    "single": "one annotator",
    "open": "annotators disagree; not settled",
}
"""How an outcome came to hold, as a log that is written back says it."""


def imported_log(store: SqliteStore, source: SourceFile, *, of: str, title: str, run_id: str | None) -> Run:
    """The run that a log was imported as.

    Args:
        store: An open store.
        source: The log.
        of: Name of its format.
        title: Of the format, for people.
        run_id: The run that is named; None where none is.

    Raises:
        UsageError: The file is not what was imported, or was imported more than once.
    """
    runs = [run for run in store.runs() if run.format == of and run_id in (None, run.id)]
    found = [run for run in runs if run.source_sha256 == source.sha256]
    if not found:
        known = ", ".join(f"{visible_line(run.source_name)} (SHA-256 {run.source_sha256[:12]}...)" for run in runs)
        raise UsageError(
            f"{source.shown}: not a log that was imported here (its SHA-256 begins {source.sha256[:12]}); "
            + (f"imported are {known}" if known else f"no log of {title} was imported")
        )
    with_items = [run for run in found if run.items] or found
    if len(with_items) > 1:
        raise UsageError(f"{source.shown}: imported {len(with_items)} times; say which with --run {with_items[0].id[:12]}")
    return with_items[0]
