"""One line of JSON, read strictly: duplicate keys, deep nesting and trailing data are errors; odd numbers stay recognisable.

Readers take the fast parser's word where `has_single_keys` proves that nothing is odd, and `read_strictly` where not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from adjudicate.formats.problem import RowProblem, kind_of, quoted

MAX_DEPTH = 64
MAX_DIGITS = 300

_KEY = re.compile(rb'"[ \t\r\n]*:')


class OddNumber:
    """A number that no field can take: NaN, an infinity, or one too large to hold. `repr` is how the file wrote it."""

    def __init__(self, token: str) -> None:
        self.token = token

    def __repr__(self) -> str:
        return self.token


def has_single_keys(value: dict[str, Any] | list[Any], line: bytes) -> bool:
    """Whether it is proven that no object in the line has a key twice, and that nothing is nested too deep.

    Each key of the line is followed by a colon; so where a line has no more colons than the decoded objects have keys,
    no key was dropped.
    """
    if isinstance(value, dict) and line.count(b":") == len(value):
        # Lists hold no colon, so their depth is still open.
        return line.count(b"[") < MAX_DEPTH
    keys = _count_keys(value, 1)
    return keys is not None and len(_KEY.findall(line)) == keys


def _count_keys(value: object, depth: int) -> int | None:
    """Keys of all objects inside; None where they are nested too deep."""
    if depth > MAX_DEPTH:
        return None
    total = 0
    if isinstance(value, Mapping):
        total, value = len(value), list(value.values())
    if isinstance(value, list):
        for member in value:
            if isinstance(member, list | dict):
                inner = _count_keys(member, depth + 1)
                if inner is None:
                    return None
                total += inner
    return total


def read_strictly(line: bytes) -> dict[str, Any]:
    """The object that a line holds, or what exactly is wrong with it.

    Raises:
        RowProblem: It is no strict JSON object; the message says why and where.
    """
    value = read_strictly_any(line)
    if not isinstance(value, dict):
        raise RowProblem("", f"expected a JSON object {{...}}, found {kind_of(value)}")
    return value


def read_strictly_any(data: bytes) -> Any:
    """The JSON value of any kind that the bytes hold, or what exactly is wrong with it.

    Raises:
        RowProblem: It is no strict JSON; the message says why and where.
    """
    text = _text(data)
    _refuse_depth(text)
    try:
        return json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=OddNumber,
            parse_int=lambda token: int(token) if len(token) <= MAX_DIGITS else OddNumber(token),
            parse_float=_finite,
        )
    except json.JSONDecodeError as error:
        raise RowProblem("", _complaint(text, error)) from None
    except RecursionError:
        raise RowProblem("", f"nested more than {MAX_DEPTH} levels deep") from None


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        byte = f"byte 0x{line[error.start]:02X} at column {error.start + 1}"
        raise RowProblem(
            "", f"not valid UTF-8 ({byte}): if the file is in another encoding, name it with --encoding, e.g. --encoding cp1252"
        ) from None


def _refuse_depth(text: str) -> None:
    """Count brackets outside strings, so that no parser has to descend into them."""
    depth = 0
    for bracket in re.sub(r'"(?:[^"\\]|\\.)*"', "", text) if text.count("[") + text.count("{") > MAX_DEPTH else "":
        depth += (bracket in "[{") - (bracket in "]}")
        if depth > MAX_DEPTH:
            raise RowProblem("", f"nested more than {MAX_DEPTH} levels deep")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise RowProblem(key, f"the key {quoted(key)} stands twice in one object; keep one of the two")
            seen.add(key)
    return found


def _finite(token: str) -> float | OddNumber:
    value = float(token)
    return value if abs(value) != float("inf") else OddNumber(token)


def _complaint(text: str, error: json.JSONDecodeError) -> str:
    where = f"at column {error.colno}" if error.lineno == 1 else f"at line {error.lineno}, column {error.colno}"
    if error.msg == "Extra data":
        return f"a second value begins {where}: write one object a line"
    if error.msg.startswith("Invalid control character"):
        return f"a raw control character (U+{ord(text[error.pos]):04X}) {where}: it has to be escaped"
    if error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip()):
        return f"the line ends in the middle of a value that begins {where}: it seems cut off; copy the file again"
    return f"not JSON ({error.msg[0].lower()}{error.msg[1:]} {where})"
