"""CSV and tab-separated tables: a header line, columns by field name or by `--map`. Cells are text and stay text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from adjudicate.core.policy import Policy
from adjudicate.core.source_rows import packed
from adjudicate.errors import InputError
from adjudicate.formats.csv_records import Layout, cells_of, layout, records
from adjudicate.formats.fields import FieldMap
from adjudicate.formats.import_options import ImportOptions, Outcomes
from adjudicate.formats.open_questions import AskedFor
from adjudicate.formats.problem import RowProblem
from adjudicate.formats.source_run import Rows, SourceRun, finding, read_part
from adjudicate.formats.text_file import SourceFile

KINDS = "qc"


def detect(source: SourceFile) -> bool:
    """Whether the first line could be a header: text with a separator in it."""
    first = source.head.partition(b"\n")[0]
    return b"\x00" not in first and any(separator in first for separator in (b",", b"\t", b";", b"sep="))


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run a file."""
    outcomes = Outcomes(policy, options.outcomes)
    runs = []
    for source in files:
        found = layout(source)
        fields = FieldMap(options, outcomes, cells_are_text=True)
        try:
            fields.check_header(found.header)
        except InputError as error:
            open_questions = error.questions if isinstance(error, AskedFor) else ()
            raise AskedFor(str(source.refused(str(error))), open_questions) from None
        part = read_part(source, partial(_rows, source, found, fields), fields, layout_json(found))
        runs.append(SourceRun(source.path.stem, source.path.stem, (part,)))
    return runs


def layout_json(found: Layout) -> dict[str, object]:
    """What a run keeps of a table's layout."""
    return {"header": list(found.header), "delimiter": found.delimiter, "line_end": found.line_end}


def _rows(source: SourceFile, found: Layout, fields: FieldMap) -> Rows:
    for record in records(source, found):
        try:
            yield fields.draft(cells_of(record, found.header), record.line, partial(_pack, record.raw))
        except RowProblem as problem:
            yield finding(problem, record.line)


def _pack(raw: str, prompt: str, response: str) -> str:
    return packed(raw, prompt=prompt, response=response, kinds=KINDS)
