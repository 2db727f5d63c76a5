"""An imported file read once more as it was read then, to find the items that its rows are about.

A row whose item another row, file or run had brought first is not among the rows that the workspace keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from adjudicate.core.items import RowDraft
from adjudicate.core.policy import Policy
from adjudicate.formats.import_options import OPTION_TABLES, ImportOptions
from adjudicate.formats.readers import reader_named
from adjudicate.formats.text_file import SourceFile
from adjudicate.storage.source_rows_of import items_of_rows

CANNOT = "rows that were here already before this import stay without labels, since the file cannot be read as then"


def read_again(
    source: SourceFile, name: str, reader: str, kept: Mapping[str, Any], policy: Policy
) -> Iterator[tuple[RowDraft, str]]:
    """Rows of a file with the ids of their items, whether or not the workspace has these.

    Args:
        source: The file.
        name: What it was called at the import: some formats say a model or judge there.
        reader: Name of the format.
        kept: How it was read, as its run keeps it.
        policy: The policy in force.

    Raises:
        InputError: It cannot be read under this policy.
    """
    options = ImportOptions.of(
        {table: kept[table] for table in OPTION_TABLES if kept.get(table) is not None} | {"format": reader}
    )
    named = replace(source, path=source.path.with_name(name), name=name, unpacked=source.content)
    for run in reader_named(reader).plan([named], options, policy):
        for part in run.parts:
            yield from items_of_rows(row for row in part.rows() if isinstance(row, RowDraft))
