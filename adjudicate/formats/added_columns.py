"""Columns added to the rows of a table: cells after the last of a CSV row, keys before the closing brace of a JSON object.

What stands in a row already stays as it is, to the last byte.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from adjudicate.formats.spreadsheet import guarded


def free_names(wanted: Sequence[str], taken: Collection[str]) -> dict[str, str]:
    """A name for each column: the wanted one, or with a number after it where the table has a column of that name.

    >>> free_names(["gold"], ["id", "gold"])
    {'gold': 'gold_2'}
    """
    used, found = set(taken), {}
    for name in wanted:
        names = (name if number == 1 else f"{name}_{number}" for number in count(1))
        found[name] = next(each for each in names if each not in used)
        used.add(found[name])
    return found


def with_cells(row: str, cells: Iterable[Any], delimiter: str) -> str:
    """A CSV row (or the last line of one) with cells after its last.

    >>> with_cells('1,"a, b"', ["x,y", None], ",")
    '1,"a, b","x,y",'
    """
    # An empty cell before them makes the separator, and keeps a single empty cell from being written as quotes.
    return row + csv_line(["", *(_cell(each) for each in cells)], delimiter)


def csv_line(cells: Iterable[str], delimiter: str) -> str:
    """A CSV row without its line end."""
    line = io.StringIO(newline="")
    # The writer quotes a line end in a cell only where it is part of its own.
    csv.writer(line, delimiter=delimiter, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n")


def with_keys(row: str, values: Mapping[str, Any]) -> str:
    """The text of a JSON object with keys after its last, written as its own are: with or without blanks.

    >>> with_keys('{"id": 1}', {"gold": "yes"})
    '{"id": 1, "gold": "yes"}'
    """
    before, brace, after = row.rpartition("}")
    if not brace:
        return row
    kept = before.rstrip(" \t\r\n")
    blank = " " if '": ' in kept or kept.endswith("{") else ""
    members = [f"{json.dumps(name)}:{blank}{json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    joined = f",{blank}".join(members)
    return f"{kept}{'' if kept.endswith('{') else f',{blank}'}{joined}{before[len(kept) :]}{brace}{after}"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return guarded(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
