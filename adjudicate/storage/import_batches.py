"""Rows of a file with what is bound for them, some at a time, so that a statement stores many."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from adjudicate.core.items import RowDraft, content_id, item_id, messages_json, prompt_id
from adjudicate.storage.import_blocks import MOST, Values

BATCH = MOST


@dataclass(slots=True)
class Batch:
    """Rows with what is bound for them: four lists of one length."""

    rows: list[RowDraft]
    items: list[Values] = field(default_factory=list)
    prompts: list[Values] = field(default_factory=list)
    verdicts: list[tuple[Values, ...]] = field(default_factory=list)

    def take(self, row: RowDraft, item: Values, prompt: Values, verdicts: tuple[Values, ...]) -> None:
        """Take one more row."""
        self.rows.append(row)
        self.items.append(item)
        self.prompts.append(prompt)
        self.verdicts.append(verdicts)


class JudgeIds:
    """Ids of judges by name, read once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._ids: dict[str, str] = dict(connection.execute("SELECT name, id FROM judges"))
        self.new: list[tuple[str, str]] = []
        """Name and id of those that are not in the database yet."""

    def id_of(self, name: str) -> str:
        """The judge's id; it follows from the name where the judge is new."""
        found = self._ids.get(name)
        if found is None:
            found = self._ids[name] = f"j-{content_id('judge', name)[:12]}"
            self.new.append((name, found))
        return found


def batches(rows: Iterable[RowDraft], run: str, judges: JudgeIds) -> Iterator[Batch]:
    """The rows with what is bound for them, some at a time."""
    occurrences: Counter[str] = Counter()
    rows = iter(rows)
    while taken := list(islice(rows, BATCH)):
        items: list[Values] = []
        prompts: list[Values] = []
        verdicts: list[tuple[Values, ...]] = []
        for row in taken:
            item, prompt = item_id(row), prompt_id(row)
            line, source_id, text, messages, response, model, *declared, judged, _, _, source, repeat, _ = row
            if source_id is None:
                # The first row of a repeat is about the same item as the first one of the verdicts, and so on.
                met = f"{item} {repeat}" if repeat else item
                occurrences[met] += 1
                if occurrences[met] > 1:
                    item = item_id(row, occurrences[met] - 1)
            turns = None if messages is None else messages_json(messages)
            items.append((item, prompt, run, model, source_id, line, response, source))
            prompts.append((prompt, text, turns, *declared))
            verdicts.append(tuple([(item, judges.id_of(verdict[0]), *verdict[1:]) for verdict in judged]))
        yield Batch(taken, items, prompts, verdicts)
