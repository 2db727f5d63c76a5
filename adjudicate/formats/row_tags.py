"""What a row says about its prompt besides the text: model, intent, population, category, language, pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from adjudicate.core.policy import INTENTS
from adjudicate.formats.columns import Columns
from adjudicate.formats.import_options import INTENT_OF
from adjudicate.formats.problem import RowProblem, kind_of, quoted
from adjudicate.formats.unsaid import Unsaid

TAGS = ("model", "intent", "population", "category", "language", "pair")
"""Fields that repeat from row to row: each combination is checked once."""
MOST_KNOWN = 10_000

NO_INTENT = (
    "the row does not say whether the prompt is benign or harmful: add '--set intent=benign' (or harmful, dual_use)"
    " for all rows, or name the column that says it with '--map intent=COLUMN'"
)

NO_SUCH_INTENT = "is no intent; expected"


class Tags(NamedTuple):
    """The tags of a row, each empty where it has none."""

    model: str
    intent: str
    population: str
    category: str
    language: str
    pair: str


class RowTags:
    """The tags of the rows of one file."""

    def __init__(self, columns: Columns, unsaid: Unsaid) -> None:
        self._constants = columns.constants
        self._unsaid = unsaid
        said = columns.constants.items()
        self._intents = {name.removeprefix(INTENT_OF): value for name, value in said if name.startswith(INTENT_OF)}
        self._columns = [columns.of[name] for name in TAGS]
        self._known: dict[tuple[Any, ...], Tags] = {}

    def of(self, get: Callable[[str], Any], problems: list[RowProblem]) -> Tags:
        """The tags of a row.

        Args:
            get: The row's value under a column.
            problems: Takes what is wrong with the intent, which then is empty.

        Raises:
            RowProblem: One of the others cannot be used.
        """
        values = tuple([get(column) for column in self._columns])
        try:
            return self._known[values]
        except (KeyError, TypeError):
            pass
        tags = Tags(*[self._text(name, value) for name, value in zip(TAGS, values, strict=True)])
        try:
            intent = self._intent(tags.intent)
        except RowProblem as problem:
            problems.append(problem)
            return tags._replace(intent="")
        tags = tags._replace(intent=intent, population=tags.population or intent)
        # Numbers are left out, because 1, 1.0 and true would find each other.
        if len(self._known) < MOST_KNOWN and all(value is None or type(value) is str for value in values):
            self._known[values] = tags
        return tags

    def _intent(self, said: str) -> str:
        """The intent that a row says, by its own name or by what ``--set intent.CLASS=INTENT`` says of its class."""
        if not said:
            self._unsaid.without_intent += 1
            raise RowProblem("intent", NO_INTENT)
        begins = [each for each in self._intents if each.endswith("*") and said.startswith(each[:-1])]
        intent = self._intents.get(said) or (self._intents[max(begins, key=len)] if begins else said)
        if intent not in INTENTS:
            self._unsaid.intent(said)
            raise RowProblem(
                "intent",
                f"{quoted(said)} {NO_SUCH_INTENT} {', '.join(INTENTS)}. If it means one of these,"
                " add --set intent.CLASS=INTENT (CLASS may end in *)",
            )
        return intent

    def _text(self, name: str, value: object) -> str:
        if value is None or name in self._constants:
            return self._constants.get(name, "")
        if isinstance(value, int) and not isinstance(value, bool) and name in ("category", "pair", "intent"):
            return str(value)
        if not isinstance(value, str):
            raise RowProblem(name, f"expected text, found {kind_of(value)}")
        return value
