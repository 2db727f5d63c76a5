"""The records of a known table as drafts: laid out by its preset, checked like the rows of any file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from adjudicate.core.text import visible_line
from adjudicate.errors import Finding
from adjudicate.formats.fields import FieldMap
from adjudicate.formats.import_options import ImportOptions, Outcomes
from adjudicate.formats.jsonl import refuse_surrogates
from adjudicate.formats.preset import Preset, Records
from adjudicate.formats.preset_fields import PresetFields
from adjudicate.formats.problem import RowProblem
from adjudicate.formats.source_run import Rows, finding
from adjudicate.formats.table_rows import TableRow, cells_are_text, table_rows, unit
from adjudicate.formats.text_file import SourceFile

SHOWN_PEOPLE = 5
OF_THE_SET = "what is known of this data set"


class LaidOut(NamedTuple):
    """A record with its values by import field."""

    record: TableRow
    row: Mapping[str, Any]


class PresetRows:
    """The rows of one file."""

    def __init__(self, preset: Preset, source: SourceFile, options: ImportOptions, outcomes: Outcomes) -> None:
        self._preset = preset
        self._source = source
        self._options = options
        self._known = {name: value for name, value in preset.constants.items() if name not in options.columns}
        said = replace(options, constants={**self._known, **options.constants})
        cells = cells_are_text(source)
        self.fields = FieldMap(said, outcomes, cells_are_text=cells)
        self._layout = PresetFields(preset, options, source.stem, cells_are_text=cells)

    @cached_property
    def unit(self) -> str:
        """What the place of a record counts."""
        if self._preset.shape is not None:
            return self._preset.shape.unit
        return unit(self._source)

    def drafts(self) -> Rows:
        """A draft for each record that can be used, a finding for each that cannot."""
        for each in self.laid_out():
            if isinstance(each, Finding):
                yield each
                continue
            try:
                draft = self.fields.draft(each.row, each.record.place, each.record.pack)
                refuse_surrogates(draft)
                yield draft
            except RowProblem as problem:
                yield finding(problem, each.record.place, self.unit)

    def laid_out(self) -> Iterator[LaidOut | Finding]:
        """The records by import field."""
        for record in self._records():
            if isinstance(record, Finding):
                yield record
                continue
            try:
                yield LaidOut(record, self._layout.row(record.values))
            except RowProblem as problem:
                yield finding(problem, record.place, self.unit)

    def taken(self) -> dict[str, str]:
        """Where each field was found, by field; safe to print."""
        known = {name: OF_THE_SET for name in self._known if name not in self._options.constants}
        found = {**self.fields.taken(), **known, **{visible_line(n): visible_line(w) for n, w in self._layout.where.items()}}
        people = [name for name in found if name.startswith("label.")]
        if len(people) > SHOWN_PEOPLE:
            found = {name: where for name, where in found.items() if name not in people[1:-1]}
            found[people[0]] += f" (and so on: {len(people)} people)"
        return found

    def unread(self) -> list[str]:
        """Columns that nothing was taken from; safe to print."""
        return self._layout.unread()

    def _records(self) -> Records:
        shape = self._preset.shape
        return table_rows(self._source) if shape is None else shape.records(self._source, self._options)
