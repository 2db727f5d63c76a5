"""From one row of any file to a `RowDraft`: finds the fields, checks each value, and says what is wrong and where.

Nothing is guessed: a class that the policy lacks, a score outside its range or a missing intent leaves the row out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adjudicate.core.items import LabelDraft, Message, RowDraft, VerdictDraft
from adjudicate.core.policy import INTENTS
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import InputError
from adjudicate.formats.content import text_of, turns
from adjudicate.formats.import_options import (
    FIELDS,
    INTENT_OF,
    MOST_REPEATS,
    NAMED,
    REPEAT_EXPECTED,
    ImportOptions,
    Outcomes,
    repeat_number,
)
from adjudicate.formats.problem import RowProblem, kind_of, quoted
from adjudicate.formats.strict_json import OddNumber
from adjudicate.formats.usual_rows import Pack, UsualRows

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
LISTED_COLUMNS = 30
MOST_SHAPES = 100
"""Sets of columns that are remembered; in a file with more of them, rows of the others are read with care."""
ROWS_LOOKED_AT = 100
"""Lines whose columns a message about a missing one lists."""

TAGS = ("model", "intent", "population", "category", "language", "pair")
"""Fields that repeat from row to row: each combination is checked once."""

NO_INTENT = (
    "the row does not say whether the prompt is benign or harmful: add '--set intent=benign' (or harmful, dual_use)"
    " for all rows, or name the column that says it with '--map intent=COLUMN'"
)

Row = Mapping[str, Any]
Tags = tuple[str, str, str, str, str, str]
Columns = list[tuple[str, str]]
"""Name of a judge or person, and the column of theirs."""


class FieldMap:
    """How the rows of one file become drafts. `cells_are_text` is for files without types, where empty means missing."""

    def __init__(self, options: ImportOptions, outcomes: Outcomes, *, cells_are_text: bool) -> None:
        self._outcomes = outcomes
        self._constants = options.constants
        self._intents = {n.removeprefix(INTENT_OF): v for n, v in options.constants.items() if n.startswith(INTENT_OF)}
        self._cells = cells_are_text
        self._unseen = {column: name for name, column in options.columns.items()}
        self._columns = {name: options.columns.get(name, name) for name in FIELDS}
        self._said_repeat = repeat_number(self._constants["repeat"]) if "repeat" in self._constants else None
        # What is said of all rows goes before what a column says.
        self._usual_columns = {n: c for n, c in self._columns.items() if n != "repeat" or self._said_repeat is None}
        named = [(NAMED.fullmatch(name), column) for name, column in options.columns.items()]
        self._judges = [(match[2], column) for match, column in named if match and match[1] == "verdict"]
        self._people = [(match[2], column) for match, column in named if match and match[1] == "label"]
        self._stated = frozenset((*options.columns, *options.columns.values()))
        self._plain = not (self._judges or self._people) and all("." not in column for column in options.columns.values())
        self._may_be_usual = self._plain and not cells_are_text
        self._usual: dict[tuple[str, ...], UsualRows] = {}
        self._found_columns: dict[str, None] = {}
        self._tag_columns = [self._columns[name] for name in TAGS]
        self._tags: dict[tuple[Any, ...], Tags] = {}
        self._known_gold = "gold" in options.columns

    def check_header(self, names: Sequence[str]) -> None:
        """Refuse a table that lacks a needed or named column.

        Raises:
            InputError: Says which, and lists the columns that there are.
        """
        self._found_columns = dict.fromkeys(names)
        found = f"the columns found are: {_listed(names)}"
        for column, name in self._unseen.items():
            if column not in names:
                raise InputError(f"line 1, {visible_line(name)}: there is no column {quoted(column)}; {found}")
        for name in ("response", "prompt"):
            alternative = self._columns["messages"] in names and name == "prompt"
            if self._columns[name] not in names and not alternative and name not in self._constants:
                raise InputError(
                    f"line 1, {name}: no column is called {quoted(self._columns[name])}: name the one that holds it with"
                    f" '--map {name}=COLUMN' (a file without a header line needs one); {found}"
                )
        if self._columns["intent"] not in names and "intent" not in self._constants:
            raise InputError(f"line 1, intent: {NO_INTENT}; {found}")

    def check_seen(self) -> None:
        """Refuse a file in which a named column never occurred.

        Raises:
            InputError: Says which, and lists the columns of its rows.
        """
        for column, name in self._unseen.items():
            raise InputError(
                f"{visible_line(name)}: no row has a column {quoted(column)};"
                f" the columns found are: {_listed(self._found_columns)}"
            )

    def taken(self) -> dict[str, str]:
        """Where the fields of the file were found, by field: a column, or what was said of all rows. Safe to print."""
        found = {
            name: column
            for name, column in self._columns.items()
            if column in self._found_columns or ("." in column and column.partition(".")[0] in self._found_columns)
        }
        people = {f"{match[1]}.{match[2]}": column for column in self._found_columns if (match := NAMED.fullmatch(column))}
        named = {
            **{f"verdict.{name}": column for name, column in self._judges},
            **{f"label.{name}": c for name, c in self._people},
        }
        said = {name: f"--set {name}={value}" for name, value in self._constants.items()}
        return {visible_line(name): visible_line(where) for name, where in {**said, **found, **people, **named}.items()}

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
        if line <= ROWS_LOOKED_AT:
            self._found_columns.update(dict.fromkeys(row))
        if self._unseen:
            self._unseen = {c: name for c, name in self._unseen.items() if c not in row and _find(row, c) is None}
        columns = self._columns
        get = row.get if self._plain else lambda column: _find(row, column)
        judges, people = self._named(row)
        prompt, messages = self._prompt(get(columns["prompt"]), get(columns["messages"]))
        response = self._response(row, get(columns["response"]))
        model, intent, population, category, language, pair = self._tagged(get)
        verdicts = self._verdicts(row, get, judges)
        repeat = self._repeat(get(columns["repeat"]))
        if repeat and not verdicts:
            raise RowProblem("repeat", f"repeat {repeat} of what? There is no verdict in the row")
        return RowDraft(
            line,
            self._id(row, get(columns["id"])),
            prompt,
            messages,
            response,
            model,
            intent,
            population,
            category,
            language,
            pair,
            verdicts,
            self._labels(row, people),
            self._gold(get(columns["gold"])) if self._known_gold or columns["gold"] in row else None,
            pack(prompt if messages is None else "", response),
            repeat,
        )

    def _id(self, row: Row, value: object) -> str | None:
        if type(value) is str:
            if not value.strip():
                if self._cells and not value:
                    return None
                raise RowProblem("id", "the id is blank: give each row its own, or leave the field out of all rows")
            return value
        if value is None:
            if self._columns["id"] in row:
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
        column = self._columns["response"]
        if value is None and column not in row:
            if "response" in self._constants:
                return self._constants["response"]
            raise RowProblem(
                "response",
                f"there is no field {quoted(column)}: name the one that holds the response with '--map response=COLUMN'",
            )
        return text_of(value, "response")

    def _tagged(self, get: Any) -> Tags:
        values = tuple([get(column) for column in self._tag_columns])
        try:
            return self._tags[values]
        except (KeyError, TypeError):
            tags = self._checked_tags(values)
        # Numbers are left out, because 1, 1.0 and true would find each other.
        if len(self._tags) < 10_000 and all(value is None or type(value) is str for value in values):
            self._tags[values] = tags
        return tags

    def _checked_tags(self, values: tuple[Any, ...]) -> Tags:
        texts = []
        for name, value in zip(TAGS, values, strict=True):
            texts.append(self._tag(name, value))
        model, intent, population, category, language, pair = texts
        if not intent:
            raise RowProblem("intent", NO_INTENT)
        intent = self._intent(intent)
        return model, intent, population or intent, category, language, pair

    def _intent(self, said: str) -> str:
        """The intent that a row says, by its own name or by what ``--set intent.CLASS=INTENT`` says of its class."""
        begins = [each for each in self._intents if each.endswith("*") and said.startswith(each[:-1])]
        intent = self._intents.get(said) or (self._intents[max(begins, key=len)] if begins else said)
        if intent not in INTENTS:
            raise RowProblem(
                "intent",
                f"{quoted(said)} is no intent; expected {', '.join(INTENTS)}. If it means one of these,"
                " add --set intent.CLASS=INTENT (CLASS may end in *)",
            )
        return intent

    def _tag(self, name: str, value: object) -> str:
        if value is None or name in self._constants:
            return self._constants.get(name, "")
        if isinstance(value, int) and not isinstance(value, bool) and name in ("category", "pair", "intent"):
            return str(value)
        if not isinstance(value, str):
            raise RowProblem(name, f"expected text, found {kind_of(value)}")
        return value

    def _named(self, row: Row) -> tuple[Columns, Columns]:
        """Name and column of the judges and of the people in a row: those of `--map`, and columns called as the fields are."""
        judges, people = self._judges, self._people
        for column in row:
            if column.startswith(("verdict.", "label.")) and column not in self._stated and (match := NAMED.fullmatch(column)):
                if match[1] == "verdict":
                    judges = [*judges, (match[2], column)]
                else:
                    people = [*people, (match[2], column)]
        return judges, people

    def _verdicts(self, row: Row, get: Any, judges: Columns) -> tuple[VerdictDraft, ...]:
        columns = self._columns
        raw = get(columns["verdict"])
        if isinstance(raw, Mapping):
            inside = f"{columns['verdict']}."
            if not any(column.startswith(inside) for _, column in judges):
                raise RowProblem(
                    "verdict",
                    f"expected a class, found an object: {quoted(raw)}; name the verdict of each judge in it with"
                    f" '--map verdict.NAME={visible_line(inside)}KEY'",
                )
            raw = None
        score = self._number(get(columns["score"]), "score", 1)
        found: tuple[VerdictDraft, ...] = ()
        if raw is not None and not (self._cells and raw == ""):
            outcome = self._outcomes.find(raw)
            if outcome is None:
                raise RowProblem("verdict", self._outcomes.advice(raw))
            found = (self._verdict(get, outcome, score),)
        elif raw is None and row.get(columns["verdict"], "") is None:
            found = self._failed(get, score)
        for judge, column in judges:
            cell = _find(row, column)
            if cell is not None and cell != "":
                found += (self._outcomes.verdict(judge, cell),)
        if judges and len({verdict.judge for verdict in found}) < len(found):
            raise RowProblem("judge", "two verdicts of one judge in a row: give each verdict.NAME a name of its own")
        return found

    def _failed(self, get: Any, score: float | None) -> tuple[VerdictDraft, ...]:
        """A verdict of null: the named judge failed; without a judge it is no verdict, and then there is no score either."""
        if "judge" in self._constants or get(self._columns["judge"]):
            return (self._verdict(get, None, score),)
        if score is not None:
            raise RowProblem(
                "verdict",
                f"the verdict is null but there is a score; {self._outcomes.advice(None)}; name the judge where it failed,"
                " or leave both out where no judge has spoken",
            )
        return ()

    def _verdict(self, get: Any, outcome: str | None, score: float | None) -> VerdictDraft:
        columns = self._columns
        judge, reason = self._constants.get("judge") or get(columns["judge"]) or "judge", get(columns["reason"])
        if not isinstance(judge, str):
            raise RowProblem("judge", f"expected the name of the judge, found {kind_of(judge)}")
        if reason is not None and not isinstance(reason, str):
            raise RowProblem("reason", f"expected text, found {kind_of(reason)}")
        helpfulness = self._number(get(columns["helpfulness"]), "helpfulness", 100)
        safety = self._number(get(columns["safety"]), "safety", 100)
        return VerdictDraft(judge, outcome, score, helpfulness, safety, reason or "")

    def _number(self, value: object, name: str, most: int) -> float | None:
        if type(value) is float and 0.0 <= value <= most:
            return value
        if value is None or (self._cells and value == ""):
            return None
        if self._cells and isinstance(value, str) and NUMBER.fullmatch(value):
            value = float(value)
        if type(value) is not float and type(value) is not int:
            raise RowProblem(name, f"expected a number from 0 to {most}, found {kind_of(value)}: {quoted(value)}")
        if not 0 <= value <= most:
            raise RowProblem(name, f"expected a number from 0 to {most}, found {quoted(value)}")
        return float(value)

    def _repeat(self, value: object) -> int:
        """Which reading of the judge the verdicts are; 0, the one that counts, where nothing is said."""
        if self._said_repeat is not None:
            return self._said_repeat
        if value is None or (self._cells and value == ""):
            return 0
        number = repeat_number(value) if self._cells and isinstance(value, str) else value
        if type(number) is not int or not 0 <= number <= MOST_REPEATS:
            raise RowProblem("repeat", f"{REPEAT_EXPECTED}; found {kind_of(value)}: {quoted(value)}")
        return number

    def _labels(self, row: Row, people: Columns) -> tuple[LabelDraft, ...]:
        found: tuple[LabelDraft, ...] = ()
        for person, column in people:
            cell = _find(row, column)
            if cell is None or cell == "":
                continue
            outcome = self._outcomes.find(cell)
            if outcome is None:
                raise RowProblem(f"label.{visible_line(person)}", self._outcomes.advice(cell))
            found += (LabelDraft(person, outcome),)
        return found

    def _gold(self, cell: object) -> str | None:
        if cell is None or cell == "":
            return None
        outcome = self._outcomes.find(cell)
        if outcome is None:
            raise RowProblem("gold", self._outcomes.advice(cell))
        return outcome


def _find(row: Row, column: str) -> Any:
    """The value under a column name or, where none has that name, a dotted path (``output.choices.0.text``)."""
    if column in row or "." not in column:
        return row.get(column)
    value: Any = row
    for step in column.split("."):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _listed(names: Iterable[str]) -> str:
    known = list(names)
    shown = ", ".join(shortened(name, 40) for name in known[:LISTED_COLUMNS])
    return shown + (f" and {len(known) - LISTED_COLUMNS} more" if len(known) > LISTED_COLUMNS else "") or "none"
