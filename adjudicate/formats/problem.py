"""What is wrong with one row: raised where it is found, reported with line and field, and the row left out."""

from __future__ import annotations

import json

from adjudicate.core.text import code_points, shortened

QUOTED_LENGTH = 60


class RowProblem(Exception):
    """A row that cannot be used. `message` is safe to print."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


def quoted(value: object) -> str:
    """A foreign value, short and safe to print, with the code points of look-alike characters."""
    text = value if isinstance(value, str) else json_text(value)
    odd = code_points(text[:QUOTED_LENGTH])
    return f"'{shortened(text, QUOTED_LENGTH)}'{f' (holds {shortened(odd, QUOTED_LENGTH)})' if odd else ''}"


def json_text(value: object) -> str:
    """A foreign value as JSON; what JSON has no word for (a number out of range) as its file wrote it."""
    if value is not None and not isinstance(value, bool | int | float | str | list | dict):
        return repr(value)
    return json.dumps(value, ensure_ascii=False, default=repr)


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names: dict[type, str] = {int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return next((name for known, name in names.items() if isinstance(value, known)), "a number that cannot be used")
