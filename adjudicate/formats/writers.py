"""Writers of records: each turns rows with named columns into text. `WRITERS` is the table of them."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from adjudicate.core.text import visible_line
from adjudicate.errors import InputError
from adjudicate.formats.spreadsheet import guarded

Record = Mapping[str, Any]
Lines = Iterator[str]


@dataclass(frozen=True, slots=True)
class Writer:
    """One way to write records."""

    name: str
    suffix: str
    write: Callable[[Sequence[str], Iterable[Record]], Lines]
    """Columns and records to pieces of text."""


def csv_text(
    columns: Sequence[str], records: Iterable[Record], *, line_end: str = "\n", quoting: Literal[0, 1] = csv.QUOTE_MINIMAL
) -> Lines:
    """Comma-separated values with a header; text cells are guarded against spreadsheets, numbers are not.

    Args:
        columns: In their order.
        records: Rows.
        line_end: After each.
        quoting: `csv.QUOTE_ALL` for readers to whom a sign in a cell without quotes means something.
    """
    yield _csv_line(columns, line_end, quoting)
    for record in records:
        yield _csv_line([_cell(record.get(column)) for column in columns], line_end, quoting)


def jsonl_text(columns: Sequence[str], records: Iterable[Record]) -> Lines:
    """One JSON object a line: the lossless form."""
    for record in records:
        yield json.dumps({column: record.get(column) for column in columns}, ensure_ascii=False, allow_nan=False) + "\n"


def json_text(columns: Sequence[str], records: Iterable[Record]) -> Lines:
    """One JSON list of objects."""
    rows = [{column: record.get(column) for column in columns} for record in records]
    yield json.dumps(rows, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def markdown_text(columns: Sequence[str], records: Iterable[Record]) -> Lines:
    """A Markdown table; every cell is escaped, so that nothing in it acts."""
    yield "| " + " | ".join(markdown_cell(column) for column in columns) + " |\n"
    yield "|" + " --- |" * len(columns) + "\n"
    for record in records:
        yield "| " + " | ".join(markdown_cell(_plain(record.get(column))) for column in columns) + " |\n"


def markdown_cell(text: str) -> str:
    """Text that Markdown and HTML leave alone: on one line, with every sign of theirs escaped."""
    escaped = visible_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~])", r"\\\1", escaped)


WRITERS: tuple[Writer, ...] = (
    Writer("csv", ".csv", csv_text),
    Writer("jsonl", ".jsonl", jsonl_text),
    Writer("json", ".json", json_text),
    Writer("md", ".md", markdown_text),
)


def write_whole(path: Path, pieces: Iterable[str]) -> None:
    """Write a file so that there is the old one or the new one, never half: temporary, synced, renamed, folder synced.

    Raises:
        InputError: The folder is missing or cannot be written, the disk is full, or a folder is in the way.
    """
    try:
        _write_whole(path, pieces)
    except OSError as error:
        reason = visible_line(error.strerror or str(error))
        raise InputError(f"{visible_line(str(path))}: cannot be written ({reason}); nothing was changed") from error


def _write_whole(path: Path, pieces: Iterable[str]) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    finally:
        # Gone already where it has its name.
        Path(temporary).unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_file(path: Path, write: Callable[[Path], None]) -> None:
    """The same for a file that is no text: `write` makes it under another name in the same folder.

    Raises:
        InputError: As for `write_whole`.
    """
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name[:40]}.") as folder:
            made = Path(folder) / path.name
            write(made)
            made.chmod(0o600)
            descriptor = os.open(made, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            made.replace(path)
    except OSError as error:
        reason = visible_line(error.strerror or str(error))
        raise InputError(f"{visible_line(str(path))}: cannot be written ({reason}); nothing was changed") from error


def _csv_line(cells: Sequence[str], line_end: str, quoting: Literal[0, 1]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator=line_end, quoting=quoting).writerow(cells)
    return line.getvalue()


def _cell(value: Any) -> str:
    """A guarded cell: a number stays as it is, since a minus sign is no formula there."""
    text = _plain(value)
    return text if isinstance(value, int | float) else guarded(text)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
