"""Parquet tables: columns by field name or by `--map`, as in JSON lines. Read batch by batch; needs the extra ``parquet``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from adjudicate.core.policy import Policy
from adjudicate.core.text import visible_line
from adjudicate.errors import InputError, UsageError
from adjudicate.formats.fields import FieldMap
from adjudicate.formats.found_rows import FoundRow, drafts
from adjudicate.formats.import_options import ImportOptions, Outcomes
from adjudicate.formats.problem import json_text
from adjudicate.formats.source_run import Rows, SourceRun, read_part
from adjudicate.formats.text_file import SourceFile, ends_with

MAGIC = b"PAR1"
BATCH_ROWS = 1000
NOT_INSTALLED = "Parquet files need pyarrow: pip install 'adjudicate-tui[parquet]', or convert the table to JSON lines"


def detect(source: SourceFile) -> bool:
    """Whether the file begins as Parquet does."""
    return source.head.startswith(MAGIC)


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run a file.

    Raises:
        InputError: A file is no complete Parquet file.
        UsageError: pyarrow is not installed.
    """
    outcomes = Outcomes(policy, options.outcomes)
    runs = []
    for source in files:
        if not ends_with(source.content, MAGIC):
            raise source.refused("looks like Parquet, but is not a complete Parquet file: write it again")
        header = [str(name) for name in _opened(source).schema_arrow.names]
        fields = FieldMap(options, outcomes, cells_are_text=False)
        part = read_part(source, partial(_rows, source, fields), fields, {"header": header})
        runs.append(SourceRun(source.stem, source.stem, (part,)))
    return runs


def names(source: SourceFile) -> Sequence[str]:
    """Columns of the table; none where it cannot be opened, which its reader then explains."""
    try:
        return [str(name) for name in _opened(source).schema_arrow.names]
    except InputError:
        return ()


def layout(source: SourceFile) -> dict[str, Any]:
    """What a run keeps of the table's layout."""
    return {"header": list(names(source))}


def _rows(source: SourceFile, fields: FieldMap) -> Rows:
    return drafts(found(source), fields, "row")


def found(source: SourceFile) -> Iterator[FoundRow]:
    """All rows.

    Raises:
        InputError: The file is damaged.
        UsageError: pyarrow is not installed.
    """
    from pyarrow import ArrowException

    place = 0
    try:
        for batch in _opened(source).iter_batches(batch_size=BATCH_ROWS):
            for row in batch.to_pylist():
                place += 1
                yield FoundRow(place, row, json_text(row))
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        raise source.refused(f"damaged after row {place}: {visible_line(str(error))}") from None


def _opened(source: SourceFile) -> Any:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise UsageError(f"{source.shown}: {NOT_INSTALLED}") from None
    try:
        return ParquetFile(source.content)
    except (ArrowException, OSError) as error:
        raise source.refused(f"looks like Parquet, but cannot be read: {visible_line(str(error))}") from None
