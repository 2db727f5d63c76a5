"""What a row says about its response: the verdicts of judges, people's labels, the recorded gold label."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adjudicate.core.items import LabelDraft, VerdictDraft
from adjudicate.core.text import code_points, visible_line
from adjudicate.formats import own_labels
from adjudicate.formats.columns import UNNAMED, Columns, Named, Row, find
from adjudicate.formats.import_options import MOST_REPEATS, REPEAT_EXPECTED, NotedLabel, Outcomes, raw_text, repeat_number
from adjudicate.formats.problem import QUOTED_LENGTH, RowProblem, kind_of, quoted
from adjudicate.formats.unsaid import Unsaid

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
"""A number as tables have it whose cells are separated by semicolons. It is not guessed: 1,234 may be a thousand and more."""

Get = Callable[[str], Any]
"""A row's value under a column."""


class RowVerdicts:
    """Verdicts and labels in the rows of one file. `cells_are_text` is as for `FieldMap`."""

    def __init__(self, columns: Columns, outcomes: Outcomes, unsaid: Unsaid, *, cells_are_text: bool) -> None:
        self._columns = columns
        self._of = columns.of
        self._constants = columns.constants
        self._outcomes = outcomes
        self._unsaid = unsaid
        self._cells = cells_are_text
        self.said_repeat = repeat_number(columns.constants["repeat"]) if "repeat" in columns.constants else None
        """The reading of the judge that was said of all rows."""

    def verdicts(self, row: Row, get: Get, judges: Sequence[Named], intent: str) -> tuple[VerdictDraft, ...]:
        """The verdicts of a row. A class that is no outcome is kept as the judge's words: whoever counts them asks for it.

        Raises:
            RowProblem: A value of them cannot be used.
        """
        raw = get(self._of["verdict"])
        if isinstance(raw, Mapping):
            self._refuse_object(raw, judges)
            raw = None
        score = self._number(get(self._of["score"]), "score", 1)
        found: tuple[VerdictDraft, ...] = ()
        if raw is not None and not (self._cells and raw == ""):
            outcome = self._outcomes.find(raw, intent)
            if outcome is None and code_points(raw_text(raw)[:QUOTED_LENGTH]):
                # Look-alike letters: no class of its own, but one that somebody spoilt.
                raise RowProblem("verdict", self._outcomes.advice(raw))
            found = (self._verdict(get, outcome, score, "" if outcome is not None else raw_text(raw)),)
        elif raw is None and row.get(self._of["verdict"], "") is None:
            found = self._failed(get, score)
        for judge, column in judges:
            cell = find(row, column)
            if cell is not None and cell != "":
                found += (self._outcomes.verdict(judge, cell, intent),)
        if judges and len({verdict.judge for verdict in found}) < len(found):
            raise RowProblem("judge", "two verdicts of one judge in a row: give each verdict.NAME a name of its own")
        return found

    def repeat(self, value: object) -> int:
        """Which reading of the judge the verdicts are; 0, the one that counts, where nothing is said."""
        if self.said_repeat is not None:
            return self.said_repeat
        if value is None or (self._cells and value == ""):
            return 0
        number = repeat_number(value) if self._cells and isinstance(value, str) else value
        if type(number) is not int or not 0 <= number <= MOST_REPEATS:
            raise RowProblem("repeat", f"{REPEAT_EXPECTED}; found {kind_of(value)}: {quoted(value)}")
        return number

    def labels(self, row: Row, people: Sequence[Named], intent: str, problems: list[RowProblem]) -> tuple[LabelDraft, ...]:
        """The labels of a row; `problems` takes classes that are no outcome.

        Raises:
            RowProblem: It is no longer the person's label, or does not say whose it is.
        """
        found: tuple[LabelDraft, ...] = ()
        one = self._one_person(row)
        if people:
            own_labels.refuse_past_of_ours(row)
        for person, column in (*people, *one):
            cell = find(row, column)
            noted = cell if isinstance(cell, NotedLabel) else own_labels.noted(row, cell)
            if outcome := self._outcome(f"label.{person}", noted.raw, intent, problems):
                found += (LabelDraft(person, outcome, noted.event, noted.mode),)
        return found

    def gold(self, row: Row, cell: object, intent: str, problems: list[RowProblem]) -> tuple[str | None, str | None]:
        """The settled outcome that a cell names and the event that it is a copy of; `problems` takes a class that is none.

        Raises:
            RowProblem: It is a label of ours, and no longer the one that its person holds.
        """
        if cell is None or cell == "":
            return None, None
        own_labels.refuse_past_of_ours(row)
        noted = _noted(cell)
        return self._outcome("gold", noted.raw, intent, problems), noted.event

    def _one_person(self, row: Row) -> list[Named]:
        """Whose label stands in a row of a table with one label a row."""
        if not self._columns.long:
            return []
        own_labels.refuse_past(row)
        annotator, label = self._columns.long
        name = find(row, annotator)
        if not isinstance(name, str) or not name.strip():
            raise RowProblem("annotator", f"expected the name of a person, found {kind_of(name)}: {quoted(name)}")
        return [Named(name, label)]

    def _outcome(self, field: str, cell: object, intent: str, problems: list[RowProblem]) -> str | None:
        if cell is None or cell == "":
            return None
        outcome = self._outcomes.find(cell, intent)
        if outcome is None:
            self._unsaid.label(field, raw_text(cell))
            problems.append(RowProblem(visible_line(field), self._outcomes.advice(cell)))
        return outcome

    def _refuse_object(self, raw: Mapping[str, Any], judges: Sequence[Named]) -> None:
        inside = f"{self._of['verdict']}."
        if not any(column.startswith(inside) for _, column in judges):
            raise RowProblem(
                "verdict",
                f"expected a class, found an object: {quoted(raw)}; name the verdict of each judge in it with"
                f" '--map verdict.NAME={visible_line(inside)}KEY'",
            )

    def _failed(self, get: Get, score: float | None) -> tuple[VerdictDraft, ...]:
        """A verdict of null: the named judge failed; without a judge it is no verdict, and then there is no score either."""
        if "judge" in self._constants or get(self._of["judge"]):
            return (self._verdict(get, None, score, ""),)
        if score is not None:
            raise RowProblem(
                "verdict",
                f"the verdict is null but there is a score; {self._outcomes.advice(None)}; name the judge where it failed,"
                " or leave both out where no judge has spoken",
            )
        return ()

    def _verdict(self, get: Get, outcome: str | None, score: float | None, raw: str) -> VerdictDraft:
        columns = self._of
        judge, reason = self._constants.get("judge") or get(columns["judge"]), get(columns["reason"])
        if not judge:
            judge = UNNAMED
            self._columns.judge_is_unnamed = True
        if not isinstance(judge, str):
            raise RowProblem("judge", f"expected the name of the judge, found {kind_of(judge)}")
        if reason is not None and not isinstance(reason, str):
            raise RowProblem("reason", f"expected text, found {kind_of(reason)}")
        helpfulness = self._number(get(columns["helpfulness"]), "helpfulness", 100)
        safety = self._number(get(columns["safety"]), "safety", 100)
        return VerdictDraft(judge, outcome, score, helpfulness, safety, reason or "", raw)

    def _number(self, value: object, name: str, most: int) -> float | None:
        if type(value) is float and 0.0 <= value <= most:
            return value
        if value is None or (self._cells and value == ""):
            return None
        if self._cells and isinstance(value, str) and NUMBER.fullmatch(value):
            value = float(value)
        if type(value) is not float and type(value) is not int:
            hint = "; its decimal separator has to be a point" if isinstance(value, str) and COMMA.fullmatch(value) else ""
            raise RowProblem(name, f"expected a number from 0 to {most}, found {kind_of(value)}: {quoted(value)}{hint}")
        if not 0 <= value <= most:
            raise RowProblem(name, f"expected a number from 0 to {most}, found {quoted(value)}")
        return float(value)


def _noted(cell: object) -> NotedLabel:
    """A label with the event that it is a copy of, which only our own write-back notes."""
    return cell if isinstance(cell, NotedLabel) else NotedLabel(cell)
