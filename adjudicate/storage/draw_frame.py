"""The frame of a draw: the items it can be made from, and those that it is made from with their places in the queues.

Both are a million rows as soon as the workspace is, so both are read and written in the order of the keys: at random, each of
them would be looked up in pages that have left memory since.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from adjudicate.storage.place_codes import PLACE, places_read
from adjudicate.storage.rows import Place

# By the index of ids, in whose order verdicts and units are kept too: at random, each of them would be read from elsewhere.
FREE = f"""
SELECT i.id, {PLACE}, v.outcome, v.item_id IS NOT NULL, EXISTS (SELECT 1 FROM steering_signs AS s WHERE s.item_id = i.id)
FROM items AS i
LEFT JOIN verdicts AS v ON v.item_id = i.id AND v.judge_id = (SELECT id FROM judges WHERE name = :judge)
WHERE NOT EXISTS (SELECT 1 FROM draw_units AS u WHERE u.item_id = i.id)
ORDER BY i.id
"""
# Every unit of a draw is an item, and of one draw only.
FREE_COUNT = "SELECT (SELECT count(*) FROM items) - (SELECT count(*) FROM draw_units)"
INSERT_UNIT = "INSERT INTO draw_units VALUES (?, ?, ?, ?)"
DROP_INDEX = "DROP INDEX draw_units_by_stratum"
MAKE_INDEX = "CREATE INDEX draw_units_by_stratum ON draw_units (draw_id, stratum, place)"
"""As in `migrations`."""
MANY = 20_000
"""Units from which on their index is quicker made anew than added to."""


@dataclass(frozen=True, slots=True)
class FreeItems(Place):
    """Items outside every draw that share all of this."""

    judged: bool
    """Whether the judge gave a verdict."""
    verdict: str | None
    """Its outcome; None where it failed or gave none."""
    steering: bool
    """Whether the responses were seen to speak to a judge."""
    item_ids: Sequence[str]
    """In the order of the ids."""


def free_items(connection: sqlite3.Connection, judge: str | None) -> list[FreeItems]:
    """All of them, with the verdicts of a judge, where one is named."""
    alike: defaultdict[tuple[int, str | None, int, int], list[str]] = defaultdict(list)
    with places_read(connection) as places:
        for item_id, *shared in connection.execute(FREE, {"judge": judge}):
            alike[tuple(shared)].append(item_id)
        texts = places.texts()
    return [
        FreeItems(*[*texts[place], bool(judged), verdict, bool(steering), item_ids])
        for (place, verdict, judged, steering), item_ids in alike.items()
    ]


def free_count(connection: sqlite3.Connection) -> int:
    """How many items are outside every draw."""
    count: int = connection.execute(FREE_COUNT).fetchone()[0]
    return count


def insert_units(connection: sqlite3.Connection, draw_id: str, units: Mapping[str, Sequence[str]]) -> None:
    """Note the frame of a draw; inside a transaction.

    Args:
        connection: To the store.
        draw_id: The draw.
        units: Items by stratum, in queue order.
    """
    # The index holds the units in another order than the table, so rows that come in the table's order reach it at random.
    anew = sum(map(len, units.values())) >= MANY
    if anew:
        connection.execute(DROP_INDEX)
    connection.executemany(INSERT_UNIT, _rows_by_id(draw_id, units))
    if anew:
        connection.execute(MAKE_INDEX)


def _rows_by_id(draw_id: str, units: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str, str, int]]:
    """The units in the order of their ids: numbers are sorted rather than rows, which would take as much memory again."""
    names, items = list(units), list(chain.from_iterable(units.values()))
    firsts = [0, *accumulate(map(len, units.values()))]
    for at in sorted(range(len(items)), key=items.__getitem__):
        stratum = bisect_right(firsts, at) - 1
        yield draw_id, items[at], names[stratum], at - firsts[stratum]
