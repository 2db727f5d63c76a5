"""Records of a CSV file with their line and their raw text: strict quoting, any cell length, one header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from adjudicate.core.text import visible_line
from adjudicate.errors import InputError
from adjudicate.formats.problem import RowProblem, quoted
from adjudicate.formats.spreadsheet import unguarded
from adjudicate.formats.text_file import MEGABYTE, ROW_LIMIT, SourceFile, limit, physical_lines, refuse_binary

DELIMITERS = ",;\t|"


class Record(NamedTuple):
    """One record."""

    line: int
    """Physical line where it starts."""
    cells: tuple[str, ...]
    raw: str
    """Its text without the final line end."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a file is laid out: what is needed to read it, and to write it again."""

    header: tuple[str, ...]
    header_line: int
    delimiter: str
    line_end: str
    skipped: int
    """Physical lines before the header."""


def layout(source: SourceFile) -> Layout:
    """Header, delimiter and line ends of a file.

    Raises:
        InputError: It has no header that can be used.
    """
    refuse_binary(source)
    delimiter, skipped = delimiter_of(source)
    first = next(_records(source, delimiter, skipped), None)
    if first is None:
        raise source.refused("0 rows: there is no header and no row in it")
    header = first.cells
    if len(header) == 1 and ";" in header[0]:
        raise source.refused(
            "line 1: the separator seems to be a semicolon: save the file with commas, or put 'sep=;' on a line before the header"
        )
    for name in header:
        if header.count(name) > 1:
            raise source.refused(f"line {first.line}, {visible_line(name)}: two columns have this name; rename one of them")
    line_end = "\r\n" if source.head.split(b"\n")[skipped].endswith(b"\r") else "\n"
    return Layout(header, first.line, delimiter, line_end, skipped)


def delimiter_of(source: SourceFile) -> tuple[str, int]:
    """The separator of cells, and how many physical lines stand before the header."""
    first, _, rest = source.head.partition(b"\n")
    first = first.rstrip(b"\r")
    if first.startswith(b"sep=") and len(first) == 5 and first[4:].decode("latin-1") in DELIMITERS:
        return first[4:].decode("latin-1"), 1
    if _is_comment(first, rest.partition(b"\n")[0]):
        return ",", 1
    if b"," in first:
        return ",", 0
    if b";" in first and _all_split_by_semicolons(source):
        return ";", 0
    return ("\t" if b"\t" in first else ","), 0


def records(source: SourceFile, found: Layout) -> Iterator[Record]:
    """All records below the header, blank lines left out.

    Raises:
        InputError: The quoting is broken: from there on nobody can say where a record ends.
    """
    rows = _records(source, found.delimiter, found.skipped)
    next(rows, None)
    yield from rows


def cells_of(record: Record, header: Sequence[str]) -> dict[str, str]:
    """The cells by column, one spreadsheet guard removed from each.

    Raises:
        RowProblem: There are more or fewer than columns, or a cell holds what no text file holds.
    """
    if len(record.cells) != len(header):
        raise RowProblem("", f"{len(record.cells)} cells, but the header has {len(header)}: is a comma in a cell not quoted?")
    for name, cell in zip(header, record.cells, strict=True):
        if "\x00" in cell:
            raise RowProblem(name, "holds a raw NUL byte, which is no text: write the file again from its source")
        if not cell.isascii() and any("\ud800" <= character <= "\udfff" for character in cell):
            raise RowProblem(name, f"not valid UTF-8: {quoted(cell)}; name the file's encoding, e.g. --encoding cp1252")
    return {name: unguarded(cell) for name, cell in zip(header, record.cells, strict=True)}


def _records(source: SourceFile, delimiter: str, skipped: int) -> Iterator[Record]:
    taken: list[str] = []
    lines = _text_lines(source, taken, skipped)
    # The default limit of 131,072 characters a cell is a setting of the module, not of the reader.
    csv.field_size_limit(limit(ROW_LIMIT) * MEGABYTE)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    start = skipped + 1
    while True:
        taken.clear()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _broken(source, start, error) from None
        if cells and (len(cells) > 1 or cells[0].strip()):
            yield Record(start, tuple(cells), "".join(taken).removesuffix("\n").removesuffix("\r"))
        start += len(taken)


def _text_lines(source: SourceFile, taken: list[str], skipped: int) -> Iterator[str]:
    for line in physical_lines(source):
        if line.number <= skipped:
            continue
        if line.size:
            raise source.refused(f"line {line.number}: longer than {limit(ROW_LIMIT)} MB; set {ROW_LIMIT} to raise the limit")
        # Bytes that are no UTF-8 must not tear the record: its cell is reported when the record is whole.
        text = line.data.decode("utf-8", "surrogateescape") + "\n"
        taken.append(text)
        yield text


def _broken(source: SourceFile, line: int, error: csv.Error) -> InputError:
    if "unexpected end" in str(error):
        return source.refused(
            f"line {line}: a quote opens in this record and never closes; close it, or double each quote in a cell"
        )
    return source.refused(f"line {line}: the quoting of this record is broken ({visible_line(str(error))}); write the file again")


def _all_split_by_semicolons(source: SourceFile) -> bool:
    """Whether the first records of a file all have as many cells as its header where semicolons part them."""
    text = source.head.decode("utf-8", "replace")
    whole = text if len(source.head) >= source.size else text.rpartition("\n")[0]
    try:
        cells = [len(record) for record in csv.reader(io.StringIO(whole, newline=""), delimiter=";", strict=True) if record]
    except csv.Error:
        return False
    return len(cells) > 1 and cells[0] > 1 and set(cells) == {cells[0]}


def _is_comment(first: bytes, second: bytes) -> bool:
    """Whether a first line is a note about the table (PyRIT: ``# dataset_version=1.0``) and not its header."""
    return first.startswith(b"# ") and second.count(b",") > first.count(b",")
