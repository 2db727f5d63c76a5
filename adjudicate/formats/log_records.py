"""Records of a log file in whatever JSON form it has, and the part of a run that is made of them.

A reader of a tool's log says how to lay one record out; reading, options, checks and the account of what was taken are here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import msgspec

from adjudicate.errors import Finding
from adjudicate.formats.fields import FieldMap
from adjudicate.formats.found_rows import FoundRow, drafts
from adjudicate.formats.import_options import FIELDS, NAMED, ImportOptions, Outcomes, Said
from adjudicate.formats.json_document import document, is_document
from adjudicate.formats.problem import RowProblem, kind_of
from adjudicate.formats.record_values import Record
from adjudicate.formats.source_run import Part, Rows, finding
from adjudicate.formats.strict_json import has_single_keys, read_strictly
from adjudicate.formats.text_file import Line, SourceFile, physical_lines, too_long
from adjudicate.formats.unkept import Unkept


class LogRecord(NamedTuple):
    """One value of a log."""

    place: int
    """Line, or position in its list, from 1."""
    value: Any
    text: str = ""
    """Its line verbatim; empty in a document."""


Records = Iterator[LogRecord | Finding]
Found = Iterator[FoundRow | Finding]
_ASKED = "(asked)"
LayOut = Callable[[LogRecord], Iterator[FoundRow]]


def line_records(source: SourceFile) -> Records:
    """The objects of a file of JSON lines; blank lines are passed over.

    Raises:
        InputError: The file cannot be read to its end.
    """
    for line in physical_lines(source):
        if not line.size and not line.data.strip():
            continue
        try:
            yield LogRecord(line.number, _object(line), line.data.decode())
        except RowProblem as problem:
            yield finding(problem, line.number)


def records(source: SourceFile) -> Records:
    """The values of a file: objects of its lines, members of its list, or the one object that it is.

    Raises:
        InputError: It is a document that is no strict JSON, or the file cannot be read to its end.
    """
    if not is_document(source):
        yield from line_records(source)
        return
    value = document(source)
    for place, each in enumerate(value if isinstance(value, list) else [value], start=1):
        yield LogRecord(place, each)


def unit_of(source: SourceFile) -> str:
    """What `LogRecord.place` counts."""
    return "row" if is_document(source) else "line"


def laid_out(found: Records, lay_out: LayOut, unit: str) -> Found:
    """The rows that a reader makes of its records; a record that it cannot use becomes a finding."""
    for record in found:
        if isinstance(record, Finding):
            yield record
            continue
        try:
            yield from lay_out(record._replace(value=_checked(record.value)))
        except RowProblem as problem:
            yield finding(problem, record.place, unit)


def _checked(value: object) -> Record:
    if not isinstance(value, Mapping):
        raise RowProblem("", f"expected an object, found {kind_of(value)}")
    return value


def row_of(record: Record, asked: Callable[[], Mapping[str, Any]], **fields: Any) -> dict[str, Any]:
    """A row: import fields, and the record's own keys beside them.

    A key of the record that is called like an import field would be taken for it, so its members stand under dotted names.

    Args:
        record: The record.
        asked: Finds the prompt or messages. Only called where no option says where they stand, since it may find none.
        fields: By import field; None stands for none, ``verdicts`` and ``labels`` are by name. A ``response`` may be a function
            too.
    """
    row = {key: value for key, value in record.items() if key not in FIELDS and NAMED.fullmatch(key) is None}
    for name in FIELDS:
        if isinstance(inner := record.get(name), Mapping):
            row |= {f"{name}.{key}": value for key, value in inner.items()}
    row |= {f"verdict.{name}": said for name, said in fields.pop("verdicts", {}).items()}
    row |= {f"label.{name}": said for name, said in fields.pop("labels", {}).items()}
    return row | {_ASKED: asked} | {name: value for name, value in fields.items() if value is not None}


def numbered(found: Container[str], name: str) -> str:
    """A judge's name for its next verdict on one item: the name itself, then ``name#2`` and so on, so that none is lost."""
    names = (f"{name}#{number}" if number > 1 else name for number in count(1))
    return next(each for each in names if each not in found)


def place_json(**place: Any) -> str:
    """Where a record stands in its log, as an item keeps it for the way back."""
    return json.dumps(place, separators=(",", ":"))


def part_of(
    source: SourceFile,
    rows: Callable[[], Found],
    options: ImportOptions,
    outcomes: Outcomes,
    *,
    where: Mapping[str, str],
    unit: str,
    layout: Mapping[str, Any] | None = None,
    remark: str = "",
    unkept: Unkept | None = None,
) -> Part:
    """The part of a run that one log is.

    Args:
        source: The log.
        rows: Reads it.
        options: What was said about it. Where it names judges or people, these are the only ones taken:
            ``--map verdict.J=verdict.J`` keeps one of several.
        outcomes: What its classes mean.
        where: Import field -> where the reader finds it, in words that are safe to print; ``verdict.*`` and ``label.*`` stand for
            those of every judge and person.
        unit: What the places of the rows count.
        layout: What the way back needs besides the rows.
        remark: What else a person has to know.
        unkept: Counts what the reader leaves out of its records; begun again whenever the rows are read.
    """
    fields = FieldMap(options, outcomes, cells_are_text=False)
    counted = Unkept() if unkept is None else unkept

    def read() -> Rows:
        counted.clear()
        return drafts(_settled(rows(), options, unit, counted), fields, unit)

    return Part(
        source,
        read,
        fields.check_seen,
        layout=layout or {},
        taken=partial(_taken, fields, where),
        remark=remark,
        unsaid=fields.unsaid,
        unkept=counted.told,
    )


def _settled(rows: Found, options: ImportOptions, unit: str, unkept: Unkept) -> Found:
    """Rows in which what the options say stands in place of what the reader found."""
    chosen = _without_unnamed(options)
    for each in rows:
        if isinstance(each, Finding):
            yield each
            continue
        try:
            row = chosen(_with_texts(each.row, options.columns))
            yield each._replace(row={name: unkept.checked(v) if isinstance(v, Said) else v for name, v in row.items()})
        except RowProblem as problem:
            yield finding(problem, each.place, unit)


def _with_texts(row: Record, columns: Mapping[str, str]) -> Record:
    found = dict(row)
    asked, response = found.pop(_ASKED), found.get("response")
    if "prompt" not in columns and "messages" not in columns:
        found |= asked()
    if callable(response):
        del found["response"]
        if "response" not in columns:
            found["response"] = response()
    return found


def _without_unnamed(options: ImportOptions) -> Callable[[Record], Record]:
    """Takes the verdicts and labels that a reader found out of a row, where some of them or others were named."""
    stated = {column.partition(".")[0] for column in options.columns}
    kinds = tuple(f"{kind}." for kind in ("verdict", "label") if kind in stated)
    named = frozenset(options.columns.values())
    if not kinds:
        return lambda row: row
    return lambda row: {key: value for key, value in row.items() if key in named or not key.startswith(kinds)}


def _taken(fields: FieldMap, where: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for name, column in fields.taken().items():
        kind = f"{name.partition('.')[0]}.*"
        found[name] = where.get(column, where.get(kind, column) if name == column and kind in where else column)
    return found


def _object(line: Line) -> dict[str, Any]:
    if line.size:
        raise RowProblem("", too_long(line))
    try:
        value = msgspec.json.decode(line.data)
        if isinstance(value, dict) and has_single_keys(value, line.data):
            return value
    except (msgspec.MsgspecError, RecursionError, ValueError):
        pass
    return read_strictly(line.data)
