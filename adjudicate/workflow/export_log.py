"""The imported table itself with what people said in columns of its own: everything that stood in it stays as it was.

Made from the rows that the workspace keeps or, where the file is named, from the file, so that rows that no item came from
are in it too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from adjudicate.core.text import visible_line
from adjudicate.errors import AdjudicateError, UsageError
from adjudicate.formats.packed_file import open_any
from adjudicate.formats.table_copy import Form, Piece, csv_pieces, form_of, is_marked, line_pieces, pieces, write_text
from adjudicate.formats.text_file import SourceFile, open_source
from adjudicate.storage.source_rows_of import item_lines, source_rows
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.imported_table import ImportedTable, imported_table
from adjudicate.workflow.log_columns import LogColumns, Values, said_of_items
from adjudicate.workflow.read_again import CANNOT, read_again

OF_LINES = ("csv", "jsonl", "lm_eval")
ASKED = "a log is full of prompts and responses, which come along: say --with-text, and handle the file with care"
NOT_KEPT = (
    "made from the rows that the workspace keeps: {rows:,} rows. {gaps:,} lines up to the last of them are not here (rows that"
    " the import left out or had already, blank lines); lines after it or above the header cannot be counted. Name the file with"
    " --source FILE to have all of it"
)


def log_files(store: SqliteStore, options: ExportOptions) -> Iterator[tuple[str, Callable[[Path], None]]]:
    """The one file: the table with columns added.

    Args:
        store: An open store.
        options: ``run`` names the import, where there are several; ``source`` the file.

    Raises:
        UsageError: Texts were not asked for, it is not clear which table is meant, or it needs the file itself.
        InputError: The file cannot be read.
    """
    if not options.with_text:
        raise UsageError(ASKED)
    sha256 = open_source(options.source).sha256 if options.source else None
    table = imported_table(store, options.run, sha256)
    # A known table that came as .json is most likely a list; what these formats read is never one.
    lines = table.run.format in OF_LINES or Path(table.name).suffix.lower() != ".json"
    if sha256 is None and ("rows" in table.file or not lines):
        raise UsageError(f"{visible_line(table.name)}: a JSON document is written back into itself: name it with --source FILE")
    yield table.name, partial(_write, store, table, options)


def _write(store: SqliteStore, table: ImportedTable, options: ExportOptions, path: Path) -> None:
    if options.source is None:
        _write_kept(store, table, options, path)
    else:
        _write_copy(store, table, options, options.source, path)


def _write_kept(store: SqliteStore, table: ImportedTable, options: ExportOptions, path: Path) -> None:
    """From the rows that the workspace keeps."""
    said = said_of_items(store, options.model)
    places = _own_places(store, table, said)
    _refuse_nothing(table, places)
    form: Form = "csv" if "delimiter" in table.file else "lines"
    rows = _KeptRows(store, table, form)
    write = LogColumns(form, table.file, places, said)
    write_text(path, write.texts(rows.pieces), encoding=table.kept.get("encoding"), marked=False)
    options.tell(NOT_KEPT.format(rows=rows.count, gaps=rows.gaps))


def _write_copy(store: SqliteStore, table: ImportedTable, options: ExportOptions, file: Path, path: Path) -> None:
    """From the file itself."""
    said = said_of_items(store, options.model)
    with tempfile.TemporaryDirectory(prefix="adjudicate-") as scratch:
        source = open_any(file, table.kept.get("encoding"), Path(scratch))
        if source.sha256 != table.file["sha256"]:
            raise source.refused("the file changed while it was written back; export again")
        form = form_of(source, table.file)
        places = _own_places(store, table, said)
        places |= _places_read_again(store, table, source, said, options.tell)
        _refuse_nothing(table, places)
        write = LogColumns(form, table.file, places, said)
        parts = partial(pieces, source, form, table.file.get("rows"))
        write_text(path, write.texts(parts), encoding=source.encoding, marked=is_marked(source))
    options.tell(f"{write.rows:,} rows, {write.labelled:,} of them with what people said")


def _refuse_nothing(table: ImportedTable, places: Mapping[int, list[str]]) -> None:
    if not places:
        raise UsageError(f"{visible_line(table.name)}: no item of this table is labelled here, so there is nothing to write back")


def _own_places(store: SqliteStore, table: ImportedTable, said: Mapping[str, Values]) -> dict[int, list[str]]:
    """Items by the row they came from, for rows of which anything was said."""
    if not table.alone:
        return {}
    lines = partial(item_lines, store.database.connection, table.run.id)
    places: dict[int, list[str]] = {line: [] for item, line in lines() if item in said}
    for item, line in lines():
        if line in places:
            places[line].append(item)
    return places


def _places_read_again(
    store: SqliteStore, table: ImportedTable, source: SourceFile, said: Mapping[str, Values], tell: Callable[[str], None]
) -> dict[int, list[str]]:
    """The same for rows whose item another row or run brought first."""
    own = {line for _, line in item_lines(store.database.connection, table.run.id)} if table.alone else set()
    read = read_again(source, str(table.file["name"]), table.run.format, table.kept, store.policy())
    try:
        rows = [(row.line, item) for row, item in read if row.line not in own]
    except AdjudicateError as error:
        tell(f"{CANNOT}: {error}")
        return {}
    places: dict[int, list[str]] = {line: [] for line, item in rows if item in said}
    for line, item in rows:
        if line in places:
            places[line].append(item)
    return places


class _KeptRows:
    """The rows that the workspace keeps, and how many lines between them it does not."""

    def __init__(self, store: SqliteStore, table: ImportedTable, form: Form) -> None:
        self.count = 0
        self.gaps = 0
        self._store = store
        self._table = table
        self._form = form

    def pieces(self) -> Iterator[Piece]:
        """The table made of them."""
        file = self._table.file
        if self._form == "csv":
            return csv_pieces(file["header"], self._rows(), delimiter=file["delimiter"], line_end=file["line_end"])
        return line_pieces(self._rows(), line_end=file["line_end"])

    def _rows(self) -> Iterator[tuple[int, str]]:
        self.count = self.gaps = 0
        header = sum(name.count("\n") for name in self._table.file["header"]) + 1 if self._form == "csv" else 0
        last, after = 0, header + 1
        for _, line, text in source_rows(self._store.database.connection, self._table.run.id):
            if line == last:
                # Another answer of the same row.
                continue
            lines = text.count("\n") + 1
            if lines > 1 and self._form == "lines":
                raise UsageError(
                    "the rows are those of a JSON document, which is written back into itself: name it with --source FILE"
                )
            self.count += 1
            self.gaps += line - after
            last, after = line, line + lines
            yield line, text
