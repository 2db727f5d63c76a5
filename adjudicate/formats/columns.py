"""Where the fields of one file stand: under their own names or those of `--map`, and which of its columns were met or missed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import InputError
from adjudicate.formats import own_labels
from adjudicate.formats.import_options import FIELDS, LONG_FIELDS, NAMED, ImportOptions
from adjudicate.formats.open_questions import AskedFor, Question
from adjudicate.formats.problem import quoted

LISTED_COLUMNS = 30
ROWS_LOOKED_AT = 100
"""Lines whose columns a message about a missing one lists."""
UNNAMED = "judge"
"""What a judge is called that nothing names."""

Row = Mapping[str, Any]


class Named(NamedTuple):
    """A judge or person, and the column of theirs."""

    name: str
    column: str


class Columns:
    """The columns of one file."""

    def __init__(self, options: ImportOptions) -> None:
        self.constants = options.constants
        self.of = {name: options.columns.get(name, name) for name in FIELDS}
        """Column of each field."""
        self.long = tuple(options.columns[name] for name in LONG_FIELDS if name in options.columns)
        """Columns of the person and of the outcome, in a table with one label a row; else none."""
        named = [(NAMED.fullmatch(name), column) for name, column in options.columns.items()]
        self._judges = [Named(match[2], column) for match, column in named if match and match[1] == "verdict"]
        self._people = [Named(match[2], column) for match, column in named if match and match[1] == "label"]
        self._stated = frozenset((*options.columns, *options.columns.values()))
        self.are_plain = not (self._judges or self._people or self.long) and all(
            "." not in column for column in options.columns.values()
        )
        """Whether each row may be looked up by its keys alone."""
        self.gold_is_named = "gold" in options.columns
        self.judge_is_unnamed = False
        """Whether a verdict was met whose judge nothing names."""
        self._unseen = {column: name for name, column in options.columns.items()}
        self._inside: dict[str, dict[str, dict[str, None]]] = {}
        """Keys under the parts that exist of paths that were not found, by path and part."""
        self._found: dict[str, None] = {}

    def value(self, row: Row, name: str) -> Any:
        """What a row holds for a field."""
        column = self.of[name]
        return row.get(column) if self.are_plain else find(row, column)

    def meet(self, row: Row, line: int) -> None:
        """Note the columns of a row."""
        if line <= ROWS_LOOKED_AT:
            self._found.update(dict.fromkeys(row))
        if self._unseen:
            self._unseen = {c: name for c, name in self._unseen.items() if c not in row and find(row, c) is None}
            for column in self._unseen:
                if "." in column and line <= ROWS_LOOKED_AT:
                    part, keys = _deepest(row, column)
                    self._inside.setdefault(column, {}).setdefault(part, {}).update(dict.fromkeys(keys))

    def named(self, row: Row) -> tuple[list[Named], list[Named]]:
        """The judges and the people of a row: those of `--map`, and columns called as the fields are."""
        judges, people = self._judges, self._people
        for column in row:
            if column.startswith(("verdict.", "label.")) and column not in self._stated and (match := NAMED.fullmatch(column)):
                if match[1] == "verdict":
                    judges = [*judges, Named(match[2], column)]
                else:
                    people = [*people, Named(match[2], column)]
        return judges, people

    def check_header(self, names: Sequence[str]) -> None:
        """Refuse a table that lacks a needed or named column.

        Raises:
            InputError: Says which, and lists the columns that there are.
        """
        self._found = dict.fromkeys(names)
        found = f"the columns found are: {_listed(names)}"
        for column, name in self._unseen.items():
            if column not in names:
                raise InputError(f"line 1, {visible_line(name)}: there is no column {quoted(column)}; {found}")
        self._unseen = {}
        missing = [name for name in ("response", "prompt") if not self._is_given(name, names)]
        if missing:
            first = missing[0]
            raise AskedFor(
                f"line 1, {first}: no column is called {quoted(self.of[first])}: name the one that holds it with"
                f" '--map {first}=COLUMN' (a file without a header line needs one); {found}",
                [Question("map", name, f"the {name}", answers="column", columns=tuple(names)) for name in missing],
            )

    def _is_given(self, name: str, names: Sequence[str]) -> bool:
        """Whether a needed field has a column, or is said of all rows."""
        alternative = name == "prompt" and self.of["messages"] in names
        return self.of[name] in names or alternative or name in self.constants

    def check_seen(self) -> None:
        """Refuse a file in which a named column never occurred.

        Raises:
            InputError: Says which, and lists the columns of its rows, or the keys beside a path that leads nowhere.
        """
        for column, name in self._unseen.items():
            inside = self._inside.get(column, {})
            part = max(inside, key=len, default="")
            keys = inside.get(part, {})
            there = (
                f"under {quoted(part)} there are: {_listed(keys)}"
                if part and keys
                else f"the columns found are: {_listed(self._found)}"
            )
            raise InputError(f"{visible_line(name)}: no row has a column {quoted(column)}; {there}")

    def taken(self) -> dict[str, str]:
        """Where the fields of the file were found, by field: a column, or what was said of all rows. Safe to print."""
        found = {name: column for name, column in self.of.items() if self._is_there(column)}
        people = {f"{match[1]}.{match[2]}": column for column in self._found if (match := NAMED.fullmatch(column))}
        named = {
            **{f"verdict.{name}": column for name, column in self._judges},
            **{f"label.{name}": column for name, column in self._people},
            **dict(zip(LONG_FIELDS, self.long, strict=False)),
        }
        said = {name: f"--set {name}={value}" for name, value in self.constants.items()}
        unnamed = {"judge": f"'{UNNAMED}' (unnamed: --set judge=NAME names it)"} if self.judge_is_unnamed else {}
        return {
            visible_line(name): visible_line(where)
            for name, where in {**said, **found, **people, **named, **unnamed}.items()
        }  # fmt: skip

    def unread(self) -> list[str]:
        """Columns of the first rows that no field was taken from; safe to print."""
        ours = self.long or (self._people and self._found.keys() >= set(own_labels.COLUMNS))
        used = {*self.of.values(), *self._stated, *self.long, *(own_labels.COLUMNS if ours else ())}
        heads = used | {column.partition(".")[0] for column in used}
        return [visible_line(column) for column in self._found if column not in heads and not NAMED.fullmatch(column)]

    def _is_there(self, column: str) -> bool:
        return column in self._found or ("." in column and column.partition(".")[0] in self._found)


def find(row: Row, column: str) -> Any:
    """The value under a column name or, where none has that name, a dotted path (``output.choices.0.text``)."""
    if column in row or "." not in column:
        return row.get(column)
    value: Any = row
    for step in column.split("."):
        value, there = _inner(value, step)
        if not there:
            return None
    return value


def _inner(value: Any, step: str) -> tuple[Any, bool]:
    if isinstance(value, Mapping):
        return value.get(step), step in value
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        return value[int(step)], True
    return None, False


def _deepest(row: Row, path: str) -> tuple[str, list[str]]:
    """The longest part of a path that a row has, and the keys under it."""
    value: Any = row
    part: list[str] = []
    for step in path.split("."):
        inner, there = _inner(value, step)
        if not there:
            break
        value = inner
        part.append(step)
    keys = value if isinstance(value, Mapping) else range(len(value)) if isinstance(value, list) else ()
    return ".".join(part), [str(key) for key in keys]


def _listed(names: Iterable[str]) -> str:
    known = list(names)
    shown = ", ".join(shortened(name, 40) for name in known[:LISTED_COLUMNS])
    return shown + (f" and {len(known) - LISTED_COLUMNS} more" if len(known) > LISTED_COLUMNS else "") or "none"
