"""The way from a log of nested records to drafts: a reader lays each record out as a row of import fields, the rest is shared.

A row has the field names of `import_options.FIELDS`, ``verdict.JUDGE`` (a raw class or a `Said`) and ``label.PERSON``, and may
have the record's own keys besides, so that `--map` and `--set` work on it as on any file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from adjudicate.errors import Finding
from adjudicate.formats.fields import FieldMap
from adjudicate.formats.jsonl import refuse_surrogates
from adjudicate.formats.problem import RowProblem
from adjudicate.formats.source_run import Rows, finding


class FoundRow(NamedTuple):
    """One record of a log."""

    place: int
    """Line, sample or row where it stands, from 1."""
    row: Mapping[str, Any]
    """Values by import field, and by the record's own keys."""
    kept: str
    """What is kept of it for the way back: verbatim, or where it stands in its log as JSON."""


def drafts(found: Iterator[FoundRow | Finding], fields: FieldMap, unit: str = "line") -> Rows:
    """A draft for each row that can be used, a finding for each that cannot.

    Args:
        found: Rows, and findings of records that are none.
        fields: Made for the file, with ``cells_are_text=False``.
        unit: What `FoundRow.place` counts.
    """
    for each in found:
        if isinstance(each, Finding):
            yield each
            continue
        try:
            draft = fields.draft(each.row, each.place, partial(_kept, each.kept))
            refuse_surrogates(draft)
            yield draft
        except RowProblem as problem:
            yield finding(problem, each.place, unit)


def _kept(kept: str, _prompt: str, _response: str) -> str:
    return kept
