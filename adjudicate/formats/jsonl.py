"""JSON lines: one object a line, columns by field name or by `--map`. The plain format of most logs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from adjudicate.core.items import RowDraft
from adjudicate.core.policy import Policy
from adjudicate.core.source_rows import MARK, PACKED, SHORTEST, packed
from adjudicate.formats.fields import TAGS, FieldMap
from adjudicate.formats.import_options import ImportOptions, Outcomes
from adjudicate.formats.packed_file import plain_suffix
from adjudicate.formats.problem import RowProblem
from adjudicate.formats.source_run import Rows, SourceRun, finding, read_part
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
    return start == b"{" or (plain_suffix(source.path) in (".jsonl", ".ndjson", ".json") and start not in (b"", b"\x00"))


def plan(files: Sequence[SourceFile], options: ImportOptions, policy: Policy) -> list[SourceRun]:
    """One run a file."""
    outcomes = Outcomes(policy, options.outcomes)
    runs = []
    for source in files:
        refuse_binary(source)
        fields = FieldMap(options, outcomes, cells_are_text=False)
        part = read_part(source, partial(_rows, source, fields), fields, {"line_end": line_end(source)})
        runs.append(SourceRun(source.path.stem, source.path.stem, (part,)))
    return runs


def _rows(source: SourceFile, fields: FieldMap) -> Rows:
    read = RowReader(fields).read
    for line in physical_lines(source):
        try:
            if row := read(line):
                yield row
        except RowProblem as problem:
            yield finding(problem, line.number)


class RowReader:
    """Reads one line, or one row of a document.

    By the fast parser where its result is proven to be the whole truth, strictly where not.
    """

    def __init__(self, fields: FieldMap) -> None:
        self._draft = fields.draft
        self._packer = _Packer()

    def read(self, line: Line) -> RowDraft | None:
        """The row of a line; None for a blank line."""
        number, data, size = line
        if size:
            raise RowProblem("", too_long(line))
        if not data or data.isspace():
            return None
        packer = self._packer
        packer.line = packer.rest = data
        try:
            value = _decode(data)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            return self._strict(line)
        if type(value) is not dict:
            return self._strict(line)
        # The long texts are cut out while the draft is made; what is left is short, so the proof is cheap.
        draft = self._draft(value, number, packer.pack)
        return draft if has_single_keys(value, packer.rest) else self._strict(line)

    def _strict(self, line: Line) -> RowDraft:
        draft = self._draft(read_strictly(line.data), line.number, self._packer.pack_slowly)
        refuse_surrogates(draft)
        return draft


class _Packer:
    """Makes what is kept of a line, see `core.source_rows`, and remembers the line without its long texts.

    One for all lines of a file, since making one for each would cost as much as the packing.
    """

    __slots__ = ("line", "rest")

    def __init__(self) -> None:
        self.line = self.rest = b""

    def pack(self, prompt: str, response: str) -> str:
        """By bytes, in the spelling that most writers use."""
        line = self.line
        rest = line
        if len(response) >= SHORTEST:
            rest = _without(line, response, _RESPONSE)
            if rest is line:
                return self.pack_slowly(prompt, response)
        if len(prompt) >= SHORTEST:
            rest = _without(rest, prompt, _PROMPT)
        self.rest = rest
        if rest is line or _MARK in line:
            return self.pack_slowly(prompt, response)
        return PACKED + rest.decode()

    def pack_slowly(self, prompt: str, response: str) -> str:
        """By every spelling that is known."""
        return packed(self.line.decode(), prompt=prompt, response=response, kinds=KINDS)


def _without(line: bytes, text: str, mark: bytes) -> bytes:
    """The line with a mark in place of the token of a long text; the line itself where it does not hold it.

    A match that begins at the closing quote of another string could hide a key. Such a token begins, after blanks, with
    what may follow a string, and stays where it is.
    """
    if text[0] in " :,}]" and text[:_START].lstrip(" ")[:1] in ":,}]":
        return line
    token = _token(text)
    start = line.find(token[:_START])
    if start < 0 or not line.startswith(token, start):
        return line
    return b"%b%b%b" % (line[:start], mark, line[start + len(token) :])


def refuse_surrogates(draft: RowDraft) -> None:
    """Half a surrogate pair is legal JSON but no text that can be stored. The fast parser refuses it by itself."""
    texts = {
        "id": draft.source_id or "",
        "prompt": draft.prompt,
        "messages": "".join(f"{turn.role}{turn.content}" for turn in draft.messages or ()),
        "response": draft.response,
        **{name: getattr(draft, name) for name in TAGS},
        "label": "".join(label.annotator for label in draft.labels),
        "verdict": "".join(f"{verdict.judge}{verdict.reason}{verdict.raw}" for verdict in draft.verdicts),
    }
    for field, text in texts.items():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise RowProblem(
                field,
                f"half of a surrogate pair (U+{ord(text[error.start]):04X}) at character {error.start + 1}: it is no character"
                " and cannot be stored; write the text again from its source",
            ) from None


def line_end(source: SourceFile) -> str:
    """How the lines of a file end."""
    first, end, _ = source.head.partition(b"\n")
    return "\r\n" if end and first.endswith(b"\r") else "\n"
