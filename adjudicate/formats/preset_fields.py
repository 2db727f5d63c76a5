"""One record of a known table as a row of import fields, as its preset says; what the user says goes first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from adjudicate.formats.import_options import FIELDS, ImportOptions, Said
from adjudicate.formats.preset import IntentColumn, Judge, Preset
from adjudicate.formats.preset_columns import SeenColumns
from adjudicate.formats.problem import RowProblem, quoted

TEXT = "text"


class PresetFields:
    """Lays out the records of one file.

    Args:
        preset: What is known of the table.
        options: What the user says: a field or column named there is no longer the preset's.
        stem: Name of the file, which may hold the judge's.
        cells_are_text: Whether an empty cell is a missing one.
    """

    def __init__(self, preset: Preset, options: ImportOptions, stem: str, *, cells_are_text: bool) -> None:
        self.where: dict[str, str] = {}
        """Field -> where in the file it was found, so far."""
        self._preset = preset
        self._options = options
        self._cells = cells_are_text
        self._mapped = frozenset(options.columns.values())
        self._person = re.compile(preset.people) if preset.people else None
        self._intent = None if "intent" in options.constants or "intent" in options.columns else preset.intent
        found = re.fullmatch(preset.judge_in_name, stem) if preset.judge_in_name else None
        self._judge_in_name = found[1] if found else ""
        self._columns = SeenColumns(preset, options)

    def row(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a record by import field, and by its own keys.

        Raises:
            RowProblem: It cannot be used.
        """
        self._columns.meet(values)
        if self._preset.kind and values.get(self._preset.kind, TEXT) not in (TEXT, ""):
            found = quoted(values[self._preset.kind])
            raise RowProblem(self._preset.kind, f"expected {TEXT}, found {found}: only what a model wrote can be labelled")
        # A column that is called like an import field may be something else; what is meant by it is added below.
        row = {name: value for name, value in values.items() if name in self._mapped or name not in FIELDS}
        for name, columns in self._preset.columns.items():
            if name not in self._options.columns:
                self._take(row, name, columns, values)
        if self._intent is not None:
            row["intent"] = self._intent_of(self._intent, values)
        for judge in self._preset.judges:
            self._judge(row, judge, values)
        if self._person is not None:
            self._people(row, self._person, values)
        if self._preset.gold and "gold" not in self._options.columns and self._preset.gold not in self._mapped:
            self._take(row, "gold", (self._preset.gold,), values)
        if self._preset.blank_is_none and row.get("response") in ("", None) and "response" not in self._options.constants:
            raise RowProblem("response", "there is no response in this row: there is nothing to label")
        return row

    def unread(self) -> list[str]:
        """Columns of the first records that nothing is taken from; safe to print."""
        return self._columns.unread()

    def _take(self, row: dict[str, Any], name: str, columns: tuple[str, ...], values: Mapping[str, Any]) -> None:
        for column in columns:
            value = value_at(values, column)
            if value is not None and value != "":
                break
        else:
            # None is filled: an empty text and null say more than a missing column.
            column = next((column for column in columns if column in values), columns[0])
            value = values.get(column)
            if column not in values or (self._cells and name not in ("prompt", "response")):
                return
        row[name] = value
        if name not in self.where:
            self.where[name] = " or ".join(each for each in columns if each in values) or column

    def _intent_of(self, column: IntentColumn, values: Mapping[str, Any]) -> str:
        cell = values.get(column.column)
        found = column.intent_of(cell) if isinstance(cell, str) else ""
        if not found:
            expected = ", ".join((*column.values, *(f"{start}..." for start in column.prefixes)))
            raise RowProblem(
                column.column,
                f"expected {expected}, found {quoted(cell)}; say it of all rows with --set intent=benign (or harmful, dual_use)",
            )
        self.where.setdefault("intent", column.shown())
        return found

    def _judge(self, row: dict[str, Any], judge: Judge, values: Mapping[str, Any]) -> None:
        raw = value_at(values, judge.verdict)
        if judge.verdict in self._mapped or (raw is None and judge.verdict not in values):
            return
        name = f"verdict.{self._judge_name(judge, values)}"
        row[name] = Said(None if raw == "" else raw, _text(values, judge.reason), _fraction(values, judge.score))
        self.where.setdefault(name, judge.verdict)
        if judge.reason:
            self.where.setdefault("reason", judge.reason)

    def _judge_name(self, judge: Judge, values: Mapping[str, Any]) -> str:
        """What the judge is called: as the user says, as the table or its name says, or after its column."""
        if (said := self._options.constants.get("judge")) and len(self._preset.judges) == 1:
            return said
        if judge.name:
            return judge.name
        return _text(values, judge.named_in) or self._judge_in_name or judge.verdict

    def _people(self, row: dict[str, Any], person: re.Pattern[str], values: Mapping[str, Any]) -> None:
        for column, value in values.items():
            if person.fullmatch(column) and column not in self._mapped and value is not None and value != "":
                row[f"label.{column}"] = value
                self.where.setdefault(f"label.{column}", column)


def value_at(values: Mapping[str, Any], column: str) -> Any:
    """The value of a column or, where none has that name, at a dotted path into objects."""
    head, dot, rest = column.partition(".")
    if column in values or not dot:
        return values.get(column)
    inner = values.get(head)
    return value_at(inner, rest) if isinstance(inner, Mapping) else None


def _text(values: Mapping[str, Any], column: str) -> str:
    value = value_at(values, column) if column else None
    return value if isinstance(value, str) else ""


def _fraction(values: Mapping[str, Any], column: str) -> float | None:
    """A score from 0 to 1; None where the cell is none."""
    value = value_at(values, column) if column else None
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number <= 1 else None
