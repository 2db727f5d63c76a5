"""The columns that a log gets: what people said of the item of each row, put into the pieces of a table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from adjudicate.core.gold import Gold, settle
from adjudicate.formats.added_columns import free_names, with_cells, with_keys
from adjudicate.formats.table_copy import HEADER, Form, Piece
from adjudicate.storage.store import Store
from adjudicate.workflow.pseudonyms import pseudonyms

GOLD, HOW, CLAUSE = "adjudicate_gold", "adjudicate_how", "adjudicate_clause"
LABEL = "adjudicate_label_"
"""Before the pseudonym of a person."""

Values = Mapping[str, Any]


def said_of_items(store: Store, model: str | None) -> dict[str, Values]:
    """What people said of each item, by column."""
    names = pseudonyms(store)
    events = store.events_on()
    found: dict[str, Values] = {}
    for place in store.frame_items():
        gold = settle(events.get(place.item_id, ()))
        if gold is not None and model in (None, place.model):
            labels = {f"{LABEL}{names[event.annotator_id]}": event.outcome for event in gold.labels}
            found[place.item_id] = {GOLD: gold.outcome, HOW: gold.how, CLAUSE: _clause(gold), **labels}
    return found


def _clause(gold: Gold) -> object:
    basis = gold.settlement or (gold.labels[0] if gold.labels else None)
    return basis.body.get("clause") if basis and not gold.is_open else None


class LogColumns:
    """Puts the columns into the pieces of a table."""

    def __init__(
        self, form: Form, file: Mapping[str, Any], places: Mapping[int, Sequence[str]], said: Mapping[str, Values]
    ) -> None:
        """Columns for one table.

        Args:
            form: Of the table.
            file: Its layout: ``header`` and ``delimiter`` of a CSV table.
            places: Items by the row they came from; rows of which nothing was said are left out.
            said: As `said_of_items` gives it.
        """
        self.rows = 0
        """Rows written so far."""
        self.labelled = 0
        """Those of them with anything in the columns."""
        self._form = form
        self._file = file
        self._places = places
        self._said = said
        self._columns = _columns(said[item] for items in places.values() for item in items if item in said)

    def texts(self, table: Callable[[], Iterator[Piece]]) -> Iterator[str]:
        """The new text of the table; `table` gives its pieces, and is called twice."""
        names = free_names(self._columns, self._taken(table))
        self.rows = self.labelled = 0
        for place, text, end in table():
            if place is None:
                yield text + end
                continue
            self.rows += place != HEADER or self._form != "csv"
            self.labelled += place in self._places
            yield (self._csv(place, text, names) if self._form == "csv" else self._json(place, text, names)) + end

    def _csv(self, place: int, text: str, names: Mapping[str, str]) -> str:
        values = self._values(place)
        cells = names.values() if place == HEADER else [values.get(name) for name in names]
        return with_cells(text, cells, self._file["delimiter"])

    def _json(self, place: int, text: str, names: Mapping[str, str]) -> str:
        if place not in self._places:
            return text
        values = self._values(place)
        return with_keys(text, {name: values.get(column) for column, name in names.items()})

    def _values(self, place: int) -> Values:
        """By column: of the item of a row, or a list with one value for each of its items."""
        items = self._places.get(place, ())
        if len(items) == 1:
            return self._said[items[0]]
        return {column: [self._said.get(item, {}).get(column) for item in items] for column in self._columns} if items else {}

    def _taken(self, table: Callable[[], Iterator[Piece]]) -> Collection[str]:
        """Names of columns that the table has and that ours could be mistaken for."""
        if self._form == "csv":
            return list(self._file["header"])
        # A key may be written with escapes; in no other text can a key of ours hide.
        rows = (text for place, text, _ in table() if place is not None and ("adjudicate_" in text or "\\u" in text))
        return {key for text in rows for key in _keys(text)}


def _columns(said: Iterable[Values]) -> list[str]:
    """Columns to add: gold, how, clause, and everyone's labels in the order of their pseudonyms."""
    labels = {name for values in said for name in values if name.startswith(LABEL)}
    return [GOLD, HOW, CLAUSE, *sorted(labels, key=lambda name: int(re.sub(r"\D", "", name)))]


def _keys(text: str) -> Collection[str]:
    """Keys of an object; none where the row is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return value if isinstance(value, dict) else ()
