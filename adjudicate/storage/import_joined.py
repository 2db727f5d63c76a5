"""Verdicts and labels of a file for items that are here already: finds the item of each row, by its id or its exact text.

Tools that know an Inspect sample by its uuid (Inspect Scout above all) are understood too: the item keeps it for the way back.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from typing import Literal

from adjudicate.core.items import RowDraft, content_id
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import Finding

JoinBy = Literal["id", "text"]

BY_ID = "SELECT id, model FROM items WHERE source_id = ? ORDER BY rowid"
BY_ITEM = "SELECT id, model FROM items WHERE id = ?"
UUIDS = """
SELECT i.id, i.model, json_extract(i.source, '$.uuid') FROM items AS i JOIN runs AS r ON r.id = i.run_id
WHERE r.format = 'inspect' AND json_valid(i.source) ORDER BY i.rowid
"""
TEXTS = "SELECT i.id, i.model, p.text, i.response FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id ORDER BY i.rowid"
SHOWN = 60
SHOWN_MODELS = 5

Places = list[tuple[str, str]]
"""Item ids with their models."""


class ItemFinder:
    """Finds items, each row of a file after the other."""

    def __init__(self, connection: sqlite3.Connection, by: JoinBy) -> None:
        self._connection = connection
        self._by = by
        self._met: Counter[tuple[str, str]] = Counter()
        self._texts: dict[str, Places] = {}
        self._uuids: dict[str, Places] | None = None
        if by == "text":
            # Whether a file compares the prompt, the response or both shows only in its rows.
            for item, model, prompt, response in connection.execute(TEXTS):
                for key in (content_id(prompt, response), content_id("", response), content_id(prompt, "")):
                    self._texts.setdefault(key, []).append((item, model))

    def find(self, row: RowDraft) -> str | Finding:
        """The id of the item that a row speaks of, or why there is none.

        Where several items have one text, the first row with it means the first of them, the second the second.
        """
        found = self._places(row)
        if row.model:
            found = [place for place in found if place[1] == row.model]
        if not found:
            return Finding(row.line, self._by, f"no item has {self._said(row)}: import the items first, or name the column"
                           f" that holds {'the id' if self._by == 'id' else 'the text'} with --map")  # fmt: skip
        models = sorted({model for _, model in found})
        if len(models) > 1:
            names = ", ".join(shortened(model, SHOWN) or "unnamed" for model in models[:SHOWN_MODELS])
            return Finding(
                row.line, "model", f"{self._said(row)} stands for items of {len(models)} models ({names}): say which is meant"
                " with --set model=NAME or --map model=COLUMN",
            )  # fmt: skip
        return self._next(row, found)

    def _places(self, row: RowDraft) -> Places:
        if self._by == "id":
            name = row.source_id or ""
            return next(filter(None, (self._by_id(each) for each in (name, *_only(name)))), [])
        return self._texts.get(content_id(row.prompt, row.response), [])

    def _by_id(self, name: str) -> Places:
        found = self._connection.execute(BY_ID, (name,)).fetchall() or self._connection.execute(BY_ITEM, (name,)).fetchall()
        return found or self._by_uuid(name)

    def _by_uuid(self, name: str) -> Places:
        """Items of Inspect samples with this uuid. All are read in one pass, at the first id that no source gave."""
        if self._uuids is None:
            self._uuids = {}
            for item, model, uuid in self._connection.execute(UUIDS):
                self._uuids.setdefault(uuid, []).append((item, model))
        return self._uuids.get(name, [])

    def _next(self, row: RowDraft, found: Places) -> str | Finding:
        if self._by == "id" and len(found) > 1:
            return Finding(row.line, "id", f"{self._said(row)} stands for {len(found)} items: join by text, with --join text")
        key = (row.prompt, row.response)
        place = self._met[key] if len(found) > 1 else 0
        self._met[key] += 1
        if place >= len(found):
            return Finding(row.line, "text", f"more rows than items have {self._said(row)}")
        return found[place][0]

    def _said(self, row: RowDraft) -> str:
        if self._by == "id":
            return f"the id '{shortened(row.source_id or '', SHOWN)}'"
        return f"the text '{shortened(visible_line(row.response or row.prompt), SHOWN)}'"


def _only(name: str) -> list[str]:
    """The id in a JSON list of one, as Scout has ids written that it would take for something else."""
    try:
        found = json.loads(name) if name.startswith('["') else []
    except (ValueError, RecursionError):
        return []
    return found if len(found) == 1 and isinstance(found[0], str) else []
