"""Where the items stand as small numbers: each combination of declared texts, model and run is one, to be counted and joined by.

Sorting the texts themselves, or looking up every item's prompt at random, takes three times as long.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, starmap
from typing import Any

FIELDS = "p.population, p.intent, i.model, i.run_id, p.category, p.language"
# Prompt and place of an item as one number, so that there is one to look up: the rowid of the prompt, then 31 bits of place.
PLACES = f"""
SELECT i.rowid, (p.rowid << 31) | place_code(json_array({FIELDS})) FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id
"""
SIZE = "SELECT coalesce(max(rowid), 0) + 1 FROM items"
NOTHING = -1
PLACE_BITS = 2**31 - 1
PLACE = f"asked_of(i.rowid) & {PLACE_BITS}"


class Codes:
    """Texts as small numbers, given out in order of appearance; looking one up runs no line of Python."""

    def __init__(self) -> None:
        numbers = count()
        self.of: defaultdict[str, int] = defaultdict(numbers.__next__)

    def texts(self) -> list[list[Any]]:
        """The JSON behind each number."""
        return [json.loads(text) for text in self.of]


@dataclass(frozen=True, slots=True)
class Places:
    """Where the items stand."""

    of: array[int]
    """Prompt and place of each item by its rowid, as `PLACES` makes them."""
    codes: Codes

    @property
    def asked_again(self) -> bool:
        """Whether one model was asked a prompt several times in one run: such items share prompt and place."""
        return len(set(self.of)) - (NOTHING in self.of) < len(self.of) - self.of.count(NOTHING)

    def texts(self) -> list[list[Any]]:
        """Population, intent, model, run, category and language behind each number of a place."""
        return self.codes.texts()


def by_rowid(kind: str, size: int, rows: Iterable[tuple[int, int]]) -> array[int]:
    """Numbers by rowid, `NOTHING` where there is none; a hundredth of the memory of a dictionary, and as much quicker to read."""
    found = array(kind, [NOTHING]) * size
    deque(starmap(found.__setitem__, rows), maxlen=0)
    return found


@contextmanager
def places_read(connection: sqlite3.Connection) -> Iterator[Places]:
    """`asked_of(rowid)` inside the block: prompt and place of an item as one number, as `PLACES` makes it."""
    codes = Codes()
    connection.create_function("place_code", 1, codes.of.__getitem__, deterministic=True)
    size = connection.execute(SIZE).fetchone()[0]
    places = Places(by_rowid("q", size, connection.execute(PLACES)), codes)
    connection.create_function("asked_of", 1, places.of.__getitem__, deterministic=True)
    try:
        yield places
    finally:
        for name in ("place_code", "asked_of"):
            connection.create_function(name, 1, None)
