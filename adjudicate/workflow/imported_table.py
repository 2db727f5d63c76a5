"""Which imported table an export writes back: its run, how it was read, and the file that its rows came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.formats.packed_file import PACKINGS
from adjudicate.storage.rows import Run
from adjudicate.storage.sqlite_store import SqliteStore


@dataclass(frozen=True, slots=True)
class ImportedTable:
    """The table that is written back."""

    run: Run
    kept: Mapping[str, Any]
    """How the run was imported."""
    file: Mapping[str, Any]
    """Name, hash and layout of the file."""
    alone: bool
    """Whether all items of the run came from this file."""

    @property
    def name(self) -> str:
        """Name of the new file: that of the table, without a suffix of compression."""
        name = "standard input" if self.file["name"] == "-" else str(self.file["name"])
        for suffix in (suffix for packing in PACKINGS for suffix in packing.suffixes):
            name = name[: -len(suffix)] if name.lower().endswith(suffix) else name
        return f"{Path(name).stem}-adjudicated{Path(name).suffix}"


def imported_table(store: SqliteStore, run_id: str | None, sha256: str | None) -> ImportedTable:
    """The table that is meant.

    Args:
        store: An open store.
        run_id: The run that is named; None where none is.
        sha256: Hash of the file that is named; None where none is.

    Raises:
        UsageError: There is none, or several could be meant.
    """
    found = []
    for run in store.runs():
        if run.items and run_id in (None, run.id):
            kept = json.loads(store.run_options(run.id))
            files = [file for file in kept.get("files", ()) if "line_end" in file or "rows" in file]
            found += [ImportedTable(run, kept, file, len(files) == 1) for file in files if sha256 in (None, file["sha256"])]
    if not found:
        raise UsageError(
            f"not a table that was imported here: its SHA-256, {sha256[:12]}..., is that of none"
            if sha256
            else "no table (CSV, JSON lines, JSON list) was imported here; Inspect and promptfoo logs have exports of their own"
        )
    runs = {table.run.id: table.run for table in found}
    if len(runs) > 1:
        names = ", ".join(f"{visible_line(run.name)} ({run.id[:12]})" for run in runs.values())
        raise UsageError(f"several tables were imported: say which with --run: {names}")
    if len(found) > 1:
        names = visible_line(", ".join(str(table.file["name"]) for table in found))
        raise UsageError(
            f"{visible_line(found[0].run.name)} was imported from several files: name one with --source FILE: {names}"
        )
    return found[0]
