"""Whether a row agrees with what is here: the prompt as it was declared, what its judges said before, and its people just now."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple

from adjudicate.core.items import RowDraft, VerdictDraft
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import Finding
from adjudicate.storage.import_blocks import Values
from adjudicate.storage.import_labels import GOLD, Said, labels_said

SHOWN_ID = 60

STORED_VERDICTS = """
SELECT item_id, judge_id, 0, outcome, raw FROM verdicts WHERE item_id IN (SELECT value FROM json_each(?1))
UNION ALL
SELECT item_id, judge_id, repeat, outcome, raw FROM verdict_repeats WHERE item_id IN (SELECT value FROM json_each(?1))
"""
DECLARED = "SELECT intent, population, category, language, pair FROM prompts WHERE id = ?"

Key = tuple[str, str, int]
"""Item, judge and repeat."""
Meaning = Callable[[object, str], str | None]
"""The outcome that a judge's raw class means for an intent, or None."""


class SaidBefore(NamedTuple):
    """What a judge said."""

    outcome: str | None
    """None where it failed."""
    raw: str
    """Its own words, where they are no outcome."""


Given = dict[Key, SaidBefore]


def stored_verdicts(connection: sqlite3.Connection, ids: str) -> Given:
    """What judges said before of these items, given as a JSON list."""
    return {row[:3]: SaidBefore(*row[3:]) for row in connection.execute(STORED_VERDICTS, (ids,))}


def verdicts_said(row: RowDraft, verdicts: Sequence[Values]) -> Given:
    """What the judges of a row say in it, by item, judge and repeat."""
    return {(values[0], values[1], row.repeat): SaidBefore(values[2], values[7]) for values in verdicts}


def other_prompt(connection: sqlite3.Connection, row: RowDraft, prompt: str, stored_prompt: str) -> Finding | None:
    """The item of the row belongs to a prompt that was declared otherwise.

    Args:
        connection: Where the prompts are.
        row: Of an item that is here.
        prompt: Id of the prompt as the row declares it.
        stored_prompt: Id of the item's prompt.
    """
    if prompt == stored_prompt:
        return None
    here = connection.execute(DECLARED, (stored_prompt,)).fetchone()
    return _declared_otherwise(row, here or ())


def other_verdict(row: RowDraft, verdicts: Sequence[Values], given: Given, means: Meaning) -> Finding | None:
    """A verdict of the row that is not the one that its judge gave before, in the same reading.

    A class that meant nothing when it was stored and has been given a meaning since is no contradiction, see `mended`.
    """
    for verdict, values in zip(row.verdicts, verdicts, strict=True):
        key = (values[0], values[1], row.repeat)
        before = given.get(key)
        if before is not None and before.outcome != verdict.outcome and not _is_mended(before, verdict.outcome, row, means):
            return _said_otherwise(row, verdict, before.outcome)
    return None


def mended(row: RowDraft, verdicts: Sequence[Values], given: Given, means: Meaning) -> list[Key]:
    """Verdicts of the row that are here as *judge failed*, because nobody had said yet what their class means."""
    found = []
    for values in verdicts:
        key = (values[0], values[1], row.repeat)
        before = given.get(key)
        if before is not None and _is_mended(before, values[2], row, means):
            found.append(key)
    return found


def _is_mended(before: SaidBefore, outcome: str | None, row: RowDraft, means: Meaning) -> bool:
    return before.outcome is None and outcome is not None and bool(before.raw) and means(before.raw, row.intent) == outcome


def other_label(row: RowDraft, item: str, said: Said) -> Finding | None:
    """A label of the row that is not the one that an earlier row of this import gave for the same person.

    In another import it would be a change of mind; within one nobody can say which of the two holds.
    """
    for (_, name), outcome in labels_said(row, item).items():
        before = said.get((item, name), outcome)
        if before != outcome:
            return _labelled_otherwise(row, name, before, outcome)
    return None


def _declared_otherwise(row: RowDraft, here: tuple[str, ...]) -> Finding:
    name = _name(row)
    fields = ("intent", "population", "category", "language", "pair")
    declared = (row.intent, row.population, row.category, row.language, row.pair)
    # `here` is empty where both rows stand in one batch, whose prompts are not stored yet.
    differing = [each for each in zip(fields, here, declared, strict=False) if each[1] != each[2]]
    field_name, old, new = differing[0] if differing else ("intent", "something else", row.intent)
    return Finding(
        row.line,
        field_name,
        f"item{name} is here already with {field_name} '{visible_line(old)}', this row says '{visible_line(new)}':"
        " import it as it was declared, or use another workspace",
    )


def _said_otherwise(row: RowDraft, verdict: VerdictDraft, here: str | None) -> Finding:
    name = _name(row)
    reading = f"repeat {row.repeat} of the verdict" if row.repeat else "a verdict"
    judge, old, new = (visible_line(text) for text in (verdict.judge, here or "judge failed", verdict.outcome or "judge failed"))
    return Finding(
        row.line,
        "verdict",
        f"item{name} has {reading} of {judge} already: '{old}', this row says '{new}'; the first stays. Where the same judge was"
        f" asked again, say so (--set repeat={row.repeat + 1}); where it was changed, give it another name (--set judge=NAME, or"
        " --map verdict.NAME=COLUMN)",
    )


def _labelled_otherwise(row: RowDraft, person: str, before: str, outcome: str) -> Finding:
    whose = "a recorded gold label" if person == GOLD else f"a label of {visible_line(person)}"
    return Finding(
        row.line,
        "gold" if person == GOLD else "label",
        f"item{_name(row)} has {whose} in this import already: '{visible_line(before)}', this row says '{visible_line(outcome)}';"
        " the first stays. Leave one of the rows out, or give people who are not the same names of their own"
        " (--map label.NAME=COLUMN)",
    )


def _name(row: RowDraft) -> str:
    return f" {shortened(row.source_id, SHOWN_ID)}" if row.source_id else ""
