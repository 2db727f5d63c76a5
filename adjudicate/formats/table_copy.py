"""A table as pieces of text that make it up to the last byte, with the places where rows end: what adding columns needs.

The pieces come from the file itself, or, where only the workspace is at hand, from the rows that it keeps.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from adjudicate.core.text import visible_line
from adjudicate.errors import InputError
from adjudicate.formats.added_columns import csv_line
from adjudicate.formats.csv_records import layout, records
from adjudicate.formats.json_ import row_slices
from adjudicate.formats.json_document import whole_text
from adjudicate.formats.table_rows import unit
from adjudicate.formats.text_file import BOM, SourceFile, first_bytes, physical_lines, too_long

Form = Literal["csv", "lines", "document"]
HEADER = 0
"""Place of the header line of a CSV table; rows are counted from 1."""
WIDTHS = {"16": 2, "32": 4}
"""Bytes of a line end, by what the name of the encoding holds; one for all others."""


class Piece(NamedTuple):
    """One piece."""

    place: int | None
    """The row that it is or that ends with it; None where it is neither, such as a blank line or a row that is none."""
    text: str
    end: str
    """What follows it: a line end, or nothing."""


def form_of(source: SourceFile, kept: Mapping[str, Any]) -> Form:
    """What kind of table a file is.

    Args:
        source: The file.
        kept: What its run keeps of its layout.
    """
    if "delimiter" in kept:
        return "csv"
    return "document" if "rows" in kept or unit(source) == "row" else "lines"


def pieces(source: SourceFile, form: Form, path: str | None) -> Iterator[Piece]:
    """The whole file.

    Args:
        source: The file.
        form: As `form_of` says.
        path: Of the list of rows in a document; None where there is only one.

    Raises:
        InputError: It cannot be read to its end.
    """
    return PIECES[form](source, path)


def csv_pieces(header: Iterable[str], rows: Iterable[tuple[int, str]], *, delimiter: str, line_end: str) -> Iterator[Piece]:
    """A CSV table made of its rows; a separator that the header does not show is named above it."""
    first = csv_line(header, delimiter)
    if delimiter != ("\t" if "\t" in first and "," not in first else ","):
        yield Piece(None, f"sep={delimiter}", line_end)
    yield Piece(HEADER, first, line_end)
    for place, text in rows:
        yield Piece(place, text, line_end)


def line_pieces(rows: Iterable[tuple[int, str]], *, line_end: str) -> Iterator[Piece]:
    """JSON lines made of their rows."""
    for place, text in rows:
        yield Piece(place, text.removesuffix("\r"), line_end)


def write_text(path: Path, texts: Iterable[str], *, encoding: str | None, marked: bool) -> None:
    """Write text as its source was written.

    Args:
        path: The file.
        texts: In pieces; a byte that was no text comes and goes as half of a surrogate pair.
        encoding: None for UTF-8.
        marked: Whether the file begins with the mark of UTF-8.

    Raises:
        InputError: Something that was added cannot be written in the encoding.
    """
    encode = codecs.getincrementalencoder(encoding or "utf-8")("surrogateescape").encode
    with path.open("wb") as file:
        if marked:
            file.write(BOM)
        try:
            for text in texts:
                file.write(encode(text))
        except UnicodeEncodeError as error:
            found = visible_line(error.object[error.start : error.start + 1])
            raise InputError(f"{visible_line(path.name)}: {found} cannot be written in {encoding}; nothing was written") from None


def is_marked(source: SourceFile) -> bool:
    """Whether a file begins with the mark of UTF-8."""
    return source.encoding is None and first_bytes(source.content, len(BOM)) == BOM


def _of_csv(source: SourceFile, _path: str | None) -> Iterator[Piece]:
    found = layout(source)
    # Only the last line of a record can take more cells; one that is short of some would take them for its own.
    ends = {found.header_line + sum(name.count("\n") for name in found.header): HEADER}
    for record in records(source, found):
        if len(record.cells) == len(found.header):
            ends[record.line + record.raw.count("\n")] = record.line
    for number, text, end in _lines(source):
        yield Piece(ends.get(number), text, end)


def _of_lines(source: SourceFile, _path: str | None) -> Iterator[Piece]:
    for number, text, end in _lines(source):
        yield Piece(number if text.strip() else None, text, end)


def _of_document(source: SourceFile, path: str | None) -> Iterator[Piece]:
    text, place = whole_text(source), 0
    for number, each in enumerate(row_slices(source, path), start=1):
        yield Piece(None, text[place : each.start], "")
        yield Piece(number, each.text, "")
        place = each.start + len(each.text)
    yield Piece(None, text[place:], "")


PIECES: Mapping[Form, Callable[[SourceFile, str | None], Iterator[Piece]]] = {
    "csv": _of_csv,
    "lines": _of_lines,
    "document": _of_document,
}


def _lines(source: SourceFile) -> Iterator[tuple[int, str, str]]:
    """Number, text and end of each physical line."""
    before: tuple[int, str] | None = None
    for line in physical_lines(source):
        if line.size:
            raise source.refused(f"line {line.number}: {too_long(line)}")
        if before is not None:
            yield _ended(*before, "\n")
        before = line.number, line.data.decode("utf-8", "surrogateescape")
    if before is not None:
        yield _ended(*before, "\n" if _ends_a_line(source) else "")


def _ended(number: int, text: str, end: str) -> tuple[int, str, str]:
    return (number, text[:-1], f"\r{end}") if text.endswith("\r") else (number, text, end)


def _ends_a_line(source: SourceFile) -> bool:
    width = next((width for name, width in WIDTHS.items() if name in (source.encoding or "")), 1)
    with source.content.open("rb") as file:
        file.seek(-min(width, source.size), 2)
        return b"\n" in file.read()
