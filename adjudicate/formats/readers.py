"""The formats that `import` reads: one row each, recognised by content. Adding one is a file and a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.formats import csv_, json_, jsonl, parquet_, xstest
from adjudicate.formats.source_run import Plan
from adjudicate.formats.text_file import SourceFile, refuse_binary


@dataclass(frozen=True, slots=True)
class Reader:
    """One format."""

    name: str
    """As `--format` takes it."""
    title: str
    detect: Callable[[SourceFile], bool]
    """Whether a file is of this format, judged by its first bytes."""
    plan: Plan
    binary: bool = False
    """Whether its files are no text."""
    general: bool = False
    """Whether it reads any table, so that recognising a file says little of what it is."""


READERS: tuple[Reader, ...] = (
    Reader("xstest", "XSTest: prompts, completions and automatic labels", xstest.detect, xstest.plan),
    Reader("parquet", "Parquet table", parquet_.detect, parquet_.plan, binary=True, general=True),
    Reader("json", "JSON list of rows, alone or under a key", json_.detect, json_.plan, general=True),
    Reader("jsonl", "JSON lines", jsonl.detect, jsonl.plan, general=True),
    Reader("csv", "CSV or tab-separated table", csv_.detect, csv_.plan, general=True),
)
"""The first that recognises a file reads it, so special formats stand before general ones."""


def reader_named(name: str) -> Reader:
    """The format of this name.

    Raises:
        UsageError: There is none.
    """
    found = next((reader for reader in READERS if reader.name == name), None)
    if found is None:
        known = ", ".join(reader.name for reader in READERS)
        raise UsageError(f"--format {visible_line(name)}: not known; known are {known}, and names of saved mappings")
    return found


def recognised(source: SourceFile, readers: Sequence[Reader] = READERS) -> Reader:
    """The format of a file, by its content.

    Raises:
        InputError: It is none that can be read; says what it looks like.
    """
    found = next((reader for reader in readers if reader.binary and reader.detect(source)), None)
    if found is None:
        refuse_binary(source)
        found = next((reader for reader in readers if not reader.binary and reader.detect(source)), None)
    if found is not None:
        return found
    if not source.head.strip():
        raise source.refused("0 rows: there is nothing but blanks in it")
    known = ", ".join(f"{reader.name} ({reader.title})" for reader in readers)
    raise source.refused(f"not recognised by its first line; name its format with --format: {known}")
