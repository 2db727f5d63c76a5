"""A table of text, and the words of a policy in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from adjudicate.core import present
from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Policy


@dataclass(frozen=True, slots=True)
class TextTable:
    """Rows of text under headers."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...]
    """Columns that hold numbers."""
    notes: tuple[str, ...] = ()
    """Below the table: how its values were made and what they assume."""
    about: tuple[Estimate | None, ...] = field(default=(), compare=False, repr=False)
    """What each row shows, for whoever asks for the items behind it; empty where that is not known."""


OPEN = "open either way"
"""Header of the bounds over items that wait for a ruling, or that nobody answered."""


def with_bounds(table: TextTable, estimates: Iterable[Estimate | None]) -> TextTable:
    """The table with a last column for the bounds over open items; as it was where nothing is open.

    Args:
        table: Any.
        estimates: What each row shows; None for a row without a value.
    """
    about = tuple(estimates)
    found = ["" if each is None else present.bounds(each) for each in about]
    if not any(found):
        return replace(table, about=about)
    rows = tuple((*row, bound) for row, bound in zip(table.rows, found, strict=True))
    return replace(table, headers=(*table.headers, OPEN), rows=rows, about=about)


def with_marks(table: TextTable, estimates: Iterable[Estimate | None]) -> TextTable:
    """The table with values on few items marked in a last column, and what the mark means; as it was where none is.

    Args:
        table: Any.
        estimates: What each row shows; None for a row without a value.
    """
    about = tuple(estimates)
    return marked(replace(table, about=about), ("" if each is None else present.few(each) for each in about))


def marked(table: TextTable, marks: Iterable[str]) -> TextTable:
    """The same with the marks themselves, one a row."""
    found = tuple(marks)
    if not any(found):
        return table
    rows = tuple((*row, mark) for row, mark in zip(table.rows, found, strict=True))
    return replace(table, headers=(*table.headers, ""), rows=rows, notes=(present.FEW_NOTE, *table.notes))


def rate_title(policy: Policy, rate: str) -> str:
    """Title of a rate, or its id where the policy has none of that id."""
    return next((each.title for each in policy.rates if each.id == rate), rate)


def outcome_title(policy: Policy, outcome: str) -> str:
    """Title of an outcome, or its id where the policy has none of that id."""
    return next((each.title for each in policy.outcomes if each.id == outcome), outcome)
