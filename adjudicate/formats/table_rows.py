"""Rows of a table in whatever form it comes: CSV, JSON lines, a JSON list, Parquet. Presets of known tables read from here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from adjudicate.core.source_rows import packed
from adjudicate.errors import Finding, InputError
from adjudicate.formats import csv_, json_, jsonl, parquet_
from adjudicate.formats.csv_records import cells_of, layout, records
from adjudicate.formats.json_document import is_document
from adjudicate.formats.problem import RowProblem
from adjudicate.formats.source_run import finding
from adjudicate.formats.strict_json import read_strictly
from adjudicate.formats.text_file import SourceFile, physical_lines, too_long
from adjudicate.formats.usual_rows import Pack


class TableRow(NamedTuple):
    """One row."""

    place: int
    values: Mapping[str, Any]
    """By column; text where the file has no types."""
    pack: Pack
    """Makes what is kept of it, given its prompt and response."""


def columns(source: SourceFile) -> frozenset[str]:
    """Columns of a table: its header, or the keys of its first row; none where it is no table."""
    if parquet_.detect(source):
        return frozenset(parquet_.names(source))
    try:
        if _is_json(source):
            row = next((each for each in table_rows(source) if isinstance(each, TableRow)), None)
            return frozenset(row.values) if row else frozenset()
        return frozenset(layout(source).header) if csv_.detect(source) else frozenset()
    except InputError:
        return frozenset()


def cells_are_text(source: SourceFile) -> bool:
    """Whether the table has no types: an empty cell is a missing one then."""
    return not (_is_json(source) or parquet_.detect(source))


def unit(source: SourceFile) -> str:
    """What the place of a row counts."""
    listed = source.head.lstrip(b" \t\r\n").startswith(b"[") and is_document(source)
    return "row" if listed or parquet_.detect(source) else "line"


def table_rows(source: SourceFile) -> Iterator[TableRow | Finding]:
    """All rows.

    Raises:
        InputError: The table is broken.
    """
    if parquet_.detect(source):
        return (TableRow(place, row, partial(_kept, kept)) for place, row, kept in parquet_.found(source))
    if not _is_json(source):
        return _of_csv(source)
    if is_document(source) and source.head.lstrip(b" \t\r\n").startswith(b"["):
        return _of_texts(((place, each.text, "") for place, each in enumerate(json_.row_slices(source, None), start=1)), "row")
    lines = ((line.number, line.data.decode("utf-8", "surrogateescape"), too_long(line) if line.size else "")
             for line in physical_lines(source))  # fmt: skip
    return _of_texts(lines, "line")


def table_layout(source: SourceFile) -> Mapping[str, Any]:
    """What a run keeps of a table's layout for the way back."""
    if parquet_.detect(source):
        return parquet_.layout(source)
    return {"line_end": jsonl.line_end(source)} if _is_json(source) else csv_.layout_json(layout(source))


def _is_json(source: SourceFile) -> bool:
    return source.head.lstrip(b" \t\r\n").startswith((b"{", b"["))


def _of_csv(source: SourceFile) -> Iterator[TableRow | Finding]:
    found = layout(source)
    for record in records(source, found):
        try:
            yield TableRow(record.line, cells_of(record, found.header), partial(_packed, record.raw, csv_.KINDS))
        except RowProblem as problem:
            yield finding(problem, record.line)


def _of_texts(rows: Iterator[tuple[int, str, str]], unit: str) -> Iterator[TableRow | Finding]:
    for place, text, refused in rows:
        if not refused and not text.strip():
            continue
        if refused:
            yield finding(RowProblem("", refused), place, unit)
            continue
        try:
            yield TableRow(place, read_strictly(text.encode("utf-8", "surrogateescape")), partial(_packed, text, jsonl.KINDS))
        except RowProblem as problem:
            yield finding(problem, place, unit)


def _kept(kept: str, _prompt: str, _response: str) -> str:
    return kept


def _packed(raw: str, kinds: str, prompt: str, response: str) -> str:
    return packed(raw, prompt=prompt, response=response, kinds=kinds)
