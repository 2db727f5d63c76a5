"""From one row of any file to a `RowDraft`: finds the fields, checks each value, and says what is wrong and where.

Nothing is guessed: a score outside its range or a missing intent leaves the row out. Where the fields stand is in `columns`,
what a row says of its prompt in `row_tags`, of its response in `row_verdicts`; what it leaves open is noted in `unsaid`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adjudicate.core.items import Message, RowDraft
from adjudicate.formats.columns import Columns, Row, find
from adjudicate.formats.content import text_of, turns
from adjudicate.formats.import_options import ImportOptions, Outcomes
from adjudicate.formats.problem import RowProblem, kind_of, quoted
from adjudicate.formats.row_tags import TAGS, RowTags
from adjudicate.formats.row_verdicts import RowVerdicts
from adjudicate.formats.strict_json import OddNumber
from adjudicate.formats.unsaid import Unsaid
from adjudicate.formats.usual_rows import Pack, UsualRows

__all__ = ["TAGS", "FieldMap"]

MOST_SHAPES = 100
"""Sets of columns that are remembered; in a file with more of them, rows of the others are read with care."""


class FieldMap:
    """How the rows of one file become drafts. `cells_are_text` is for files without types, where empty means missing."""

    def __init__(self, options: ImportOptions, outcomes: Outcomes, *, cells_are_text: bool) -> None:
        self.unsaid = Unsaid()
        self._columns = Columns(options)
        self._tags = RowTags(self._columns, self.unsaid)
        self._verdicts = RowVerdicts(self._columns, outcomes, self.unsaid, cells_are_text=cells_are_text)
        self._constants = options.constants
        self._cells = cells_are_text
        # What is said of all rows goes before what a column says.
        said = self._verdicts.said_repeat is not None
        self._usual_columns = {name: c for name, c in self._columns.of.items() if not (name == "repeat" and said)}
        self._may_be_usual = self._columns.are_plain and not cells_are_text
        self._usual: dict[tuple[str, ...], UsualRows] = {}

    def check_header(self, names: Sequence[str]) -> None:
        """Refuse a table that lacks a needed or named column, see `Columns.check_header`."""
        self._columns.check_header(names)

    def check_seen(self) -> None:
        """Refuse a file in which a named column never occurred, see `Columns.check_seen`."""
        self._columns.check_seen()

    def taken(self) -> dict[str, str]:
        """Where the fields of the file were found, see `Columns.taken`."""
        return self._columns.taken()

    def unread(self) -> list[str]:
        """Columns that nothing was taken from, see `Columns.unread`."""
        return self._columns.unread()

    def draft(self, row: Row, line: int, pack: Pack) -> RowDraft:
        """The row as a draft.

        Args:
            row: Values by column.
            line: Where it starts.
            pack: Makes what is kept of the row, given its prompt (empty where it is a conversation) and response.

        Raises:
            RowProblem: It cannot be used.
        """
        if not self._may_be_usual:
            return self._carefully(row, line, pack)
        usual = self._usual.get(names := tuple(row))
        draft = usual.draft(row, line, pack) if usual is not None else None
        if draft is None:
            draft = self._carefully(row, line, pack)
            if usual is None and len(self._usual) < MOST_SHAPES:
                usual = self._usual[names] = UsualRows(self._usual_columns, names)
            if usual is not None:
                usual.learn(row, draft)
        return draft

    def _carefully(self, row: Row, line: int, pack: Pack) -> RowDraft:
        self._columns.meet(row, line)
        columns = self._columns.of
        get = row.get if self._columns.are_plain else lambda column: find(row, column)
        judges, people = self._columns.named(row)
        problems: list[RowProblem] = []
        prompt, messages = self._prompt(get(columns["prompt"]), get(columns["messages"]))
        response = self._response(row, get(columns["response"]))
        tags = self._tags.of(get, problems)
        verdicts = self._verdicts.verdicts(row, get, judges, tags.intent)
        repeat = self._verdicts.repeat(get(columns["repeat"]))
        if repeat and not verdicts:
            raise RowProblem("repeat", f"repeat {repeat} of what? There is no verdict in the row")
        labels = self._verdicts.labels(row, people, tags.intent, problems)
        cell = get(columns["gold"]) if self._columns.gold_is_named or columns["gold"] in row else None
        gold, gold_event = self._verdicts.gold(row, cell, tags.intent, problems)
        source_id = self._id(row, get(columns["id"]))
        draft = RowDraft(
            line,
            source_id,
            prompt,
            messages,
            response,
            *tags,
            verdicts,
            labels,
            gold,
            pack(prompt if messages is None else "", response),
            repeat,
            gold_event,
        )
        if problems:
            self.unsaid.row(draft)
            raise problems[0]
        return draft

    def _id(self, row: Row, value: object) -> str | None:
        if type(value) is str:
            if not value.strip():
                if self._cells and not value:
                    return None
                raise RowProblem("id", "the id is blank: give each row its own, or leave the field out of all rows")
            return value
        if value is None:
            if self._columns.of["id"] in row:
                raise RowProblem("id", "the id is null: give each row its own, or leave the field out of all rows")
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, OddNumber) and value.token.lstrip("-").isdecimal():
            return value.token
        raise RowProblem("id", f"expected text or a whole number, found {kind_of(value)} {quoted(value)}")

    def _prompt(self, prompt: object, messages: object) -> tuple[str, tuple[Message, ...] | None]:
        if messages is None:
            if type(prompt) is str:
                return prompt, None
            if prompt is None:
                raise RowProblem("prompt", "there is no prompt (and no messages): name its column with '--map prompt=COLUMN'")
            if isinstance(prompt, list) and all(isinstance(part, Mapping) and "role" in part for part in prompt):
                messages = prompt
            else:
                return text_of(prompt, "prompt"), None
        conversation = turns(messages, "messages")
        if len(conversation) == 1 and conversation[0].role == "user":
            return conversation[0].content, None
        last = next((turn.content for turn in reversed(conversation) if turn.role == "user"), conversation[-1].content)
        return last, conversation

    def _response(self, row: Row, value: object) -> str:
        if type(value) is str:
            return value
        column = self._columns.of["response"]
        if value is None and column not in row:
            if "response" in self._constants:
                return self._constants["response"]
            raise RowProblem(
                "response",
                f"there is no field {quoted(column)}: name the one that holds the response with '--map response=COLUMN'",
            )
        return text_of(value, "response")
