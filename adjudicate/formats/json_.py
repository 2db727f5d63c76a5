"""JSON documents of rows: a list of objects, alone or under a key. Columns by field name or by `--map`, as in JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from adjudicate.core.policy import Policy
from adjudicate.core.text import visible_line
from adjudicate.formats.fields import FieldMap
from adjudicate.formats.import_options import ImportOptions, Outcomes
from adjudicate.formats.json_document import Slice, document, is_document, member_start, slices, whole_text
from adjudicate.formats.jsonl import RowReader
from adjudicate.formats.problem import RowProblem
from adjudicate.formats.source_run import Rows, SourceRun, finding, read_part
from adjudicate.formats.text_file import Line, SourceFile

ROWS = "rows"
"""The field of `--map` that names the list: ``--map rows=data.items``."""
FIELDS_OF_A_ROW = frozenset({"response", "prompt", "messages", "completion"})


def detect(source: SourceFile) -> bool:
    """Whether the file is one JSON value with a list of objects in it."""
    if not is_document(source):
        return False
    if source.head.lstrip(b" \t\r\n").startswith(b"["):
        return True
    value = document(source)
    return isinstance(value, dict) and not FIELDS_OF_A_ROW & set(value) and bool(_lists(value))


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run a file."""
    outcomes = Outcomes(policy, options.outcomes)
    path = options.columns.get(ROWS)
    of_rows = replace(options, columns={name: column for name, column in options.columns.items() if name != ROWS})
    runs = []
    for source in files:
        fields = FieldMap(of_rows, outcomes, cells_are_text=False)
        part = read_part(source, partial(_rows, source, path, fields), fields, {"rows": path})
        runs.append(SourceRun(source.stem, source.stem, (part,)))
    return runs


def row_slices(source: SourceFile, path: str | None) -> Iterator[Slice]:
    """The rows of a document, verbatim.

    Args:
        source: A JSON document.
        path: Dotted path of the list of rows; None where the document is the list or holds one list of objects only.

    Raises:
        InputError: There is no such list, or several.
    """
    text = whole_text(source)
    start = len(text) - len(text.lstrip(" \t\r\n"))
    if path is None and text[start : start + 1] == "[":
        return slices(source, text, start)
    value = document(source)
    steps = path.split(".") if path is not None else [_only_list(source, value)]
    return slices(source, text, _place(source, text, start, steps))


def _rows(source: SourceFile, path: str | None, fields: FieldMap) -> Rows:
    read = RowReader(fields).read
    for number, each in enumerate(row_slices(source, path), start=1):
        try:
            if row := read(Line(number, each.text.encode(), 0)):
                yield row
        except RowProblem as problem:
            yield finding(problem, number, "row")


def _lists(value: dict[str, object]) -> list[str]:
    return [name for name, inner in value.items() if isinstance(inner, list) and inner and isinstance(inner[0], dict)]


def _only_list(source: SourceFile, value: object) -> str:
    found = _lists(value) if isinstance(value, dict) else []
    if len(found) != 1:
        named = f"; there are {', '.join(map(visible_line, found))}" if found else ""
        raise source.refused(f"a JSON document; name the list that holds its rows with '--map rows=PATH'{named}")
    return found[0]


def _place(source: SourceFile, text: str, start: int, steps: Sequence[str]) -> int:
    """Where the list at the end of the steps begins in the text."""
    place: int | None = start
    for step in steps:
        place = None if place is None else member_start(text, place, step)
    if place is None or text[place] != "[":
        raise source.refused(f"--map rows={visible_line('.'.join(steps))}: there is no such list in the document")
    return place
