"""Which columns of a known table nothing is taken from, so that the import can name them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from adjudicate.core.text import visible_line
from adjudicate.formats.import_options import NAMED, ImportOptions
from adjudicate.formats.preset import Preset

RECORDS_LOOKED_AT = 100


class SeenColumns:
    """The columns of the first records of one file."""

    def __init__(self, preset: Preset, options: ImportOptions) -> None:
        self._used = {name.partition(".")[0] for name in (*_used(preset), *options.columns.values())}
        patterns = (preset.people, preset.shape.reads if preset.shape else "")
        self._patterns = [re.compile(each) for each in patterns if each]
        self._seen: dict[str, None] = {}
        self._records = 0

    def meet(self, values: Mapping[str, Any]) -> None:
        """Note the columns of a record."""
        if self._records < RECORDS_LOOKED_AT:
            self._records += 1
            self._seen.update(dict.fromkeys(values))

    def unread(self) -> list[str]:
        """Columns that no field was taken from; safe to print."""
        return [visible_line(column) for column in self._seen if not self._is_read(column)]

    def _is_read(self, column: str) -> bool:
        # A shape puts the verdict or label of a column of its own beside it, under the name of its field.
        laid_out = NAMED.fullmatch(column) or f"verdict.{column}" in self._seen or f"label.{column}" in self._seen
        return bool(laid_out) or column in self._used or any(each.fullmatch(column) for each in self._patterns)


def _used(preset: Preset) -> Iterator[str]:
    """Columns that the preset names."""
    for columns in preset.columns.values():
        yield from columns
    for judge in preset.judges:
        yield from (judge.verdict, judge.named_in, judge.reason, judge.score)
    yield from (preset.gold, preset.kind, *((preset.intent.column,) if preset.intent else ()))
