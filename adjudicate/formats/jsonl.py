"""JSON lines: one object a line, columns by field name or by `--map`. The plain format of most logs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from adjudicate.core.items import RowDraft
from adjudicate.core.policy import Policy
from adjudicate.core.source_rows import MARK, PACKED, SHORTEST, packed
from adjudicate.formats.fields import FieldMap
from adjudicate.formats.import_options import ImportOptions, Outcomes
from adjudicate.formats.problem import RowProblem
from adjudicate.formats.source_run import Part, Rows, SourceRun, finding
from adjudicate.formats.strict_json import has_single_keys, read_strictly
from adjudicate.formats.text_file import Line, SourceFile, physical_lines, refuse_binary, too_long

KINDS = "ua"
_START = 48
_MARK = MARK.encode()
_PROMPT = f"{MARK}pu".encode()
_RESPONSE = f"{MARK}ru".encode()
_decode = msgspec.json.Decoder().decode
_token = msgspec.json.Encoder().encode


def detect(source: SourceFile) -> bool:
    """Whether the first thing in the file is an object, or its name says JSON and it is text."""
    start = source.head.lstrip(b" \t\r\n")[:1]
    return start == b"{" or (source.path.suffix.lower() in (".jsonl", ".ndjson", ".json") and start not in (b"", b"\x00"))


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run a file."""
    outcomes = Outcomes(policy, options.outcomes)
    runs = []
    for source in files:
        refuse_binary(source)
        _refuse_pretty(source)
        fields = FieldMap(options, outcomes, cells_are_text=False)
        part = Part(source, partial(_rows, source, fields), fields.check_seen, layout={"line_end": _line_end(source)})
        runs.append(SourceRun(source.path.stem, source.path.stem, (part,)))
    return runs


def _rows(source: SourceFile, fields: FieldMap) -> Rows:
    read = _RowReader(fields).read
    for line in physical_lines(source):
        try:
            if row := read(line):
                yield row
        except RowProblem as problem:
            yield finding(problem, line.number)


class _RowReader:
    """Reads one line: by the fast parser where its result is proven to be the whole truth, strictly where not."""

    def __init__(self, fields: FieldMap) -> None:
        self._draft = fields.draft

    def read(self, line: Line) -> RowDraft | None:
        """The row of a line; None for a blank line."""
        data = line.data
        if line.size:
            raise RowProblem("", too_long(line))
        if not data or data.isspace():
            return None
        try:
            value = _decode(data)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            return self._strict(line)
        if type(value) is not dict:
            return self._strict(line)
        draft = self._draft(value, line.number, "")
        prompt = _token(draft.prompt) if draft.messages is None else b""
        response = _token(draft.response)
        rest = _without(_without(data, response, _RESPONSE), prompt, _PROMPT)
        # Without the two long texts the rest is short, so the proof is cheap.
        if not has_single_keys(value, rest):
            return self._strict(line)
        if _kept_long(prompt, rest, _PROMPT) or _kept_long(response, rest, _RESPONSE) or _MARK in data:
            return draft._replace(source=packed(data.decode(), prompt=draft.prompt, response=draft.response, kinds=KINDS))
        return draft._replace(source=PACKED + rest.decode())

    def _strict(self, line: Line) -> RowDraft:
        value = read_strictly(line.data)
        draft = self._draft(value, line.number, "")
        prompt = draft.prompt if draft.messages is None else ""
        return draft._replace(source=packed(line.data.decode(), prompt=prompt, response=draft.response, kinds=KINDS))


def _without(line: bytes, token: bytes, mark: bytes) -> bytes:
    """The line with a mark in place of a long string token that stands in it; the line itself where it does not.

    A match that begins at the closing quote of another string could hide a key. Such a token begins, after blanks, with
    what may follow a string, and stays where it is.
    """
    if len(token) < SHORTEST or token[1:_START].lstrip(b" ")[:1] in b":,}]":
        return line
    start = line.find(token[:_START])
    if start < 0 or not line.startswith(token, start):
        return line
    return line[:start] + mark + line[start + len(token) :]


def _kept_long(token: bytes, rest: bytes, mark: bytes) -> bool:
    """Whether a long text could not be cut out as the usual writer writes it; another spelling may still fit."""
    return len(token) >= SHORTEST and mark not in rest


def _refuse_pretty(source: SourceFile) -> None:
    first, _, rest = source.head.lstrip(b" \t\r\n").partition(b"\n")
    if first.rstrip() == b"[" or (first.startswith(b"[") and not rest.strip()):
        raise source.refused(
            "line 1: looks like a JSON array, not JSON lines: write one object a line, e.g. with jq -c '.[]' FILE > rows.jsonl"
        )
    if first.rstrip() == b"{":
        raise source.refused(
            "line 1: looks like one JSON object over several lines: write one object a line, e.g. with jq -c . FILE > rows.jsonl"
        )


def _line_end(source: SourceFile) -> str:
    first, end, _ = source.head.partition(b"\n")
    return "\r\n" if end and first.endswith(b"\r") else "\n"
