"""Recognising a known table by its columns, from the first bytes of a file."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence

from adjudicate.formats import parquet_
from adjudicate.formats.csv_records import delimiter_of
from adjudicate.formats.json_document import first_keys
from adjudicate.formats.preset import Preset
from adjudicate.formats.text_file import SourceFile


def is_of(preset: Preset, source: SourceFile) -> bool:
    """Whether a file is the table that a preset knows."""
    # Most files are told apart here, before anything is parsed; Parquet has its columns at the end.
    if not (parquet_.detect(source) or all(name.encode() in source.head for name in preset.signature)):
        return False
    if preset.marks and not any(mark.encode() in source.head for mark in preset.marks):
        return False
    if preset.shape is not None:
        return preset.shape.detect(source)
    found = head_columns(source)
    return preset.signature <= set(found) and not preset.without & set(found)


def head_columns(source: SourceFile) -> Sequence[str]:
    """Columns of a table as far as the first bytes of its file show them; none where it is no table."""
    if parquet_.detect(source):
        return parquet_.names(source)
    head = source.head.lstrip(b" \t\r\n")
    if head.startswith((b"{", b"[")):
        return _first_object(source, head)
    lines = source.head.decode("utf-8", "replace").split("\n")
    delimiter, skipped = delimiter_of(source)
    try:
        return next(csv.reader(lines[skipped : skipped + 1], delimiter=delimiter), [])
    except csv.Error:
        return []


def _first_object(source: SourceFile, head: bytes) -> Sequence[str]:
    text = head.decode("utf-8", "replace").lstrip("[ \t\r\n")
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (json.JSONDecodeError, RecursionError):
        return first_keys(source)  # a first row longer than what was read of the file
    return list(value) if isinstance(value, dict) else []
