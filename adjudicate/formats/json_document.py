"""JSON documents: one value in a file, as against a value a line. Reads them whole and strictly, or cuts out their rows.

Readers of logs that are documents (promptfoo, HELM, artifacts) start from here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from adjudicate.formats.problem import RowProblem
from adjudicate.formats.strict_json import OddNumber, has_single_keys, read_strictly_any
from adjudicate.formats.text_file import DOCUMENT_LIMIT, MEGABYTE, SourceFile, limit, physical_lines

_SPACE = re.compile(r"[ \t\r\n]*")
_KEY_AT_ONE = re.compile(rb'"((?:[^"\\]|\\.)*)"|([{\[])|([}\]])')


class Slice(NamedTuple):
    """One value cut out of a document, not yet read."""

    line: int
    """Physical line on which it starts, from 1."""
    text: str
    start: int
    """Where it starts in the text of the document."""


def is_document(source: SourceFile) -> bool:
    """Whether the file is one JSON value, and not a row a line: a list, or an object that its first line does not end.

    A single line may be both; it is a document here.
    """
    head = source.head.lstrip(b" \t\r\n")
    if head.startswith(b"["):
        return True
    if not head.startswith(b"{"):
        return False
    first, end, _ = head.partition(b"\n")
    if end and first.rstrip().endswith((b"{", b"[", b",", b":")):
        return True
    lines = (line for line in physical_lines(source) if line.size or line.data.strip())
    return next(lines, None) is not None and next(lines, None) is None


def first_keys(source: SourceFile) -> tuple[str, ...]:
    """Keys of the outermost object, in their order, as far as the first bytes of the file show them."""
    depth, found, last = 0, [], None
    for match in _KEY_AT_ONE.finditer(source.head):
        text, opening, closing = match.groups()
        if text is not None:
            last = text if depth == 1 else None
            if last is not None and source.head[match.end() : match.end() + 16].lstrip(b" \t\r\n").startswith(b":"):
                found.append(last.decode("utf-8", "replace"))
        elif opening is not None:
            depth += 1
        elif closing is not None:
            depth -= 1
            if depth == 0:
                break
    return tuple(found)


def document(source: SourceFile) -> Any:
    """The value that a file holds. Numbers that no field can take (NaN) are `OddNumber`.

    Raises:
        InputError: It is no strict JSON, or larger than a document may be.
    """
    data = _content(source)
    try:
        value = msgspec.json.decode(data)
        if not isinstance(value, dict | list) or has_single_keys(value, data):
            return value
    except (msgspec.MsgspecError, RecursionError, ValueError):
        pass
    try:
        return read_strictly_any(data)
    except RowProblem as problem:
        raise source.refused(f"not a JSON document that can be read: {problem.message}") from None


def slices(source: SourceFile, text: str, start: int) -> Iterator[Slice]:
    """The members of a list, verbatim.

    Args:
        source: The file, for errors.
        text: Its whole text.
        start: Where the ``[`` of the list stands.

    Raises:
        InputError: The list is broken: from there on nobody can say where a member ends.
    """
    decoder = json.JSONDecoder(parse_constant=OddNumber)
    line, counted = 1, 0
    place = _skip(text, start + 1)
    while place < len(text) and text[place] != "]":
        line, counted = line + text.count("\n", counted, place), place
        try:
            _, end = decoder.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError) as error:
            where = error.lineno if isinstance(error, json.JSONDecodeError) else line
            raise source.refused(f"line {where}: the list is broken or cut off here; copy the file again") from None
        yield Slice(line, text[place:end], place)
        place = _skip(text, end)
        if place >= len(text) or text[place] not in ",]":
            raise source.refused(f"line {line}: the list is broken or cut off after this row; copy the file again")
        if text[place] == ",":
            place = _skip(text, place + 1)
    if place >= len(text):
        raise source.refused("the list has no end: the file is cut off; copy it again")


def member_start(text: str, place: int, key: str) -> int | None:
    """Where the value of a key begins; None where there is no such key, or no object.

    Args:
        text: A valid JSON document.
        place: Where the object begins in it.
        key: The key to look for.
    """
    decoder = json.JSONDecoder(parse_constant=OddNumber)
    if text[place] != "{":
        return None
    place = _skip(text, place + 1)
    while text[place] != "}":
        name, end = decoder.raw_decode(text, place)
        start = _skip(text, _skip(text, end) + 1)
        if name == key:
            return start
        place = _skip(text, decoder.raw_decode(text, start)[1])
        if text[place] == ",":
            place = _skip(text, place + 1)
    return None


def whole_text(source: SourceFile) -> str:
    """The text of a document.

    Raises:
        InputError: It is not in its encoding, or larger than a document may be.
    """
    data = _content(source)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise source.refused(
            f"not valid UTF-8 (byte 0x{data[error.start]:02X} at byte {error.start + 1}): name its encoding with --encoding"
        ) from None


def _content(source: SourceFile) -> bytes:
    if source.size > limit(DOCUMENT_LIMIT) * MEGABYTE:
        raise source.refused(
            f"a JSON document of more than {limit(DOCUMENT_LIMIT):,} MB, which has to stand in memory whole:"
            f" write it as JSON lines, or set {DOCUMENT_LIMIT}"
        )
    data = source.content.read_bytes()
    if len(data) != source.size:
        raise source.refused("the file changed while it was read; wait until its writer is done and import it again")
    if source.encoding is None:
        return data.removeprefix(b"\xef\xbb\xbf")
    try:
        return data.decode(source.encoding).removeprefix("\ufeff").encode()
    except UnicodeError:
        raise source.refused(f"the bytes are not {source.encoding}; give the encoding it was written in") from None


def _skip(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place
