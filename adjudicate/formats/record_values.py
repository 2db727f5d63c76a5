"""Values inside the records of a log, asked for by path and kind. One of another kind is a problem that names its place."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from adjudicate.formats.problem import RowProblem, kind_of, quoted

Record = Mapping[str, Any]


def value_at(record: object, path: str) -> Any:
    """The value at the end of a dotted path of keys and list positions; None where there is none, or null.

    Raises:
        RowProblem: A step goes into something that is neither object nor list.
    """
    value, steps = record, path.split(".")
    for number, step in enumerate(steps):
        if value is None:
            return None
        if isinstance(value, list) and step.isdecimal():
            value = value[int(step)] if int(step) < len(value) else None
        elif isinstance(value, Mapping):
            value = value.get(step)
        else:
            raise _other(".".join(steps[:number]), "an object", value)
    return value


def text_at(record: object, path: str) -> str | None:
    """The text there, or None.

    Raises:
        RowProblem: Something else is there.
    """
    value = value_at(record, path)
    if value is not None and not isinstance(value, str):
        raise _other(path, "text", value)
    return value


def name_at(record: object, path: str) -> str | None:
    """The text or whole number there as text, or None; for ids.

    Raises:
        RowProblem: Something else is there.
    """
    value = value_at(record, path)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is not None and not isinstance(value, str):
        raise _other(path, "text or a whole number", value)
    return value


def object_at(record: object, path: str) -> Record:
    """The object there; an empty one where there is none.

    Raises:
        RowProblem: Something else is there.
    """
    value = value_at(record, path)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _other(path, "an object", value)
    return value


def list_at(record: object, path: str) -> list[Any]:
    """The list there; an empty one where there is none.

    Raises:
        RowProblem: Something else is there.
    """
    value = value_at(record, path)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _other(path, "a list", value)
    return value


def objects_at(record: object, path: str) -> list[Record]:
    """The objects of the list there; none where there is no list.

    Raises:
        RowProblem: It is no list, or holds something else.
    """
    found = list_at(record, path)
    for number, each in enumerate(found):
        if not isinstance(each, Mapping):
            raise _other(f"{path}.{number}", "an object", each)
    return found


def number_of(value: object) -> float | None:
    """The value where it is a number, which may be a verdict's score; else None."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _other(path: str, expected: str, found: object) -> RowProblem:
    return RowProblem(path, f"expected {expected}, found {kind_of(found)} {quoted(found)}")
