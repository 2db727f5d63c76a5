"""Rows of our own exported `labels.csv` and `labels.jsonl`: what stands beside the label, and which of them are past.

A row is ours where its event has the form of our ids; in a table of others these columns may mean anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from adjudicate.formats.import_options import NotedLabel
from adjudicate.formats.problem import RowProblem

SUPERSEDED, OUTDATED, ROUND, EVENT, MODE = "superseded", "outdated", "round", "event", "mode"
COLUMNS = (SUPERSEDED, OUTDATED, ROUND, EVENT, MODE)
"""Columns that are read besides the person and the outcome."""
LATER = "a label that the same person replaced later: the later one is taken"
TRIAGE = "-1"
"""A round in which people label what somebody picked."""
PICKED = "a label made in triage, on an item that somebody picked: it is in no rate, and does not come back as one that is"
YES = frozenset({"true", "1", "yes"})
PAST = {
    OUTDATED: "a label that its policy's changes have called back: it counts for nothing until the person makes it again",
    ROUND: "a label of a hidden repeat, which says how steady the person is: the first one is taken",
}
"""What a row of ours is that holds no label of its item now, by the column that says so."""
_EVENT_ID = re.compile("[0-9a-f]{64}")


def noted(row: Mapping[str, Any], cell: object) -> NotedLabel:
    """The label of a row with its event and how it was made, where the row is ours."""
    return NotedLabel.of(cell, row[EVENT], row.get(MODE)) if _is_ours(row) else NotedLabel(cell)


def refuse_past(row: Mapping[str, Any]) -> None:
    """Leave a label out that is not the one that its person holds.

    Raises:
        RowProblem: Says why.
    """
    if _says(row, SUPERSEDED):
        raise RowProblem(SUPERSEDED, LATER)
    if str(row.get(ROUND)).strip() == TRIAGE and _is_ours(row):
        raise RowProblem(ROUND, PICKED)
    past = next((column for column in PAST if _says(row, column)), None)
    if past is not None and _is_ours(row):
        raise RowProblem(past, PAST[past])


def refuse_past_of_ours(row: Mapping[str, Any]) -> None:
    """The same for a table that is not said to hold one label a row: only where the row is ours.

    Raises:
        RowProblem: Says why.
    """
    if _is_ours(row):
        refuse_past(row)


def _is_ours(row: Mapping[str, Any]) -> bool:
    event = row.get(EVENT)
    return isinstance(event, str) and _EVENT_ID.fullmatch(event) is not None


def _says(row: Mapping[str, Any], column: str) -> bool:
    return str(row.get(column) or "").casefold() in YES
