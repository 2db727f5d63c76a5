"""Sampling tables: recorded draws, their frames and queues, and each person's list."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from adjudicate.core.sampling import Assignment, Stratum
from adjudicate.errors import BusyStore, StoreError
from adjudicate.storage import draw_frame, steering_rows
from adjudicate.storage.connection import Database, writing
from adjudicate.storage.draw_frame import FreeItems
from adjudicate.storage.outdated import DEALT_WITH_NOW, Outdated, as_json, outdated_now
from adjudicate.storage.rows import Draw, Pick, draw_from, strata_json

DRAWS = """
SELECT d.id, d.extends, d.seed, j.name, d.policy, d.settings, d.strata, d.drawn_at
FROM draws AS d LEFT JOIN judges AS j ON j.id = d.judge_id ORDER BY d.rowid
"""
# A pick is dealt with once a live label, skip or undecided of the same round stands on it.
DEALT_WITH = """
EXISTS (
    SELECT 1 FROM events AS e INDEXED BY events_by_item
    WHERE e.item_id = a.item_id AND e.annotator_id = a.annotator_id AND e.round = a.round
        AND e.kind IN ('label', 'skip', 'undecided')
        AND NOT EXISTS (SELECT 1 FROM events AS u WHERE u.target = e.id AND u.kind = 'undo')
)
"""
PENDING = f"""
SELECT a.item_id, a.position, a.blind, a.round, u.stratum, j.name
FROM assignments AS a JOIN draw_units AS u ON u.item_id = a.item_id
JOIN draws AS d ON d.id = u.draw_id LEFT JOIN judges AS j ON j.id = d.judge_id
WHERE a.annotator_id = :annotator AND a.position > :after AND NOT {DEALT_WITH}
ORDER BY a.position, a.round LIMIT :limit
"""
# With several versions of the policy a label that rests on a changed clause comes back; with one this would cost for nothing.
PENDING_NOW = f"""
SELECT a.item_id, a.position, a.blind, a.round, u.stratum, j.name
FROM assignments AS a JOIN draw_units AS u ON u.item_id = a.item_id
JOIN draws AS d ON d.id = u.draw_id LEFT JOIN judges AS j ON j.id = d.judge_id
WHERE a.annotator_id = :annotator AND a.position > :after AND NOT {DEALT_WITH_NOW}
ORDER BY a.position, a.round LIMIT :limit
"""
ENTRY = """
SELECT a.item_id, a.position, a.blind, a.round, u.stratum, j.name
FROM assignments AS a JOIN draw_units AS u ON u.item_id = a.item_id
JOIN draws AS d ON d.id = u.draw_id LEFT JOIN judges AS j ON j.id = d.judge_id
WHERE a.annotator_id = ?
"""
PICK = f"{ENTRY} AND a.item_id = ? AND a.round = ?"
NEIGHBOUR_AFTER = f"{ENTRY} AND a.position > ? ORDER BY a.position LIMIT 1"
NEIGHBOUR_BEFORE = f"{ENTRY} AND a.position < ? ORDER BY a.position DESC LIMIT 1"
# Items are claimed in order and never given back, so what comes before a person's last one is theirs or full.
CLAIM = """
INSERT INTO assignments (annotator_id, position, round, item_id, blind, assigned_at)
SELECT :annotator, p.position, 0, p.item_id, p.blind, :at
FROM picks AS p
WHERE p.position > coalesce((SELECT max(position) FROM assignments WHERE annotator_id = :annotator), -1)
    AND p.draw_id IN (SELECT value FROM json_each(:draws))
    AND NOT EXISTS (SELECT 1 FROM assignments AS mine WHERE mine.item_id = p.item_id AND mine.annotator_id = :annotator)
    AND (SELECT count(*) FROM assignments AS taken WHERE taken.item_id = p.item_id AND taken.round = 0) < :overlap
ORDER BY p.position LIMIT :count
"""
# Counted from what is taken, so that it costs as much as was labelled, not as much as was drawn.
ON_OFFER = """
SELECT (SELECT count(*) FROM picks WHERE draw_id IN (SELECT value FROM json_each(:draws)))
    - (
        SELECT count(*) FROM (
            SELECT 1 FROM assignments AS a JOIN picks AS p ON p.item_id = a.item_id
            WHERE a.round = 0 AND p.draw_id IN (SELECT value FROM json_each(:draws))
            GROUP BY a.item_id HAVING count(*) >= :overlap OR sum(a.annotator_id = :annotator)
        )
    )
"""
ON_THE_LIST = "SELECT count(*) FROM assignments WHERE annotator_id = ?"
DONE = """
SELECT count(*) FROM (
    SELECT DISTINCT e.item_id, e.round FROM events AS e
    JOIN assignments AS a ON a.item_id = e.item_id AND a.annotator_id = e.annotator_id AND a.round = e.round
    WHERE e.annotator_id = ? AND e.kind IN ('label', 'skip', 'undecided')
        AND NOT EXISTS (SELECT 1 FROM events AS u WHERE u.target = e.id AND u.kind = 'undo')
)
"""
DONE_NOW = f"SELECT count(*) FROM assignments AS a WHERE a.annotator_id = :annotator AND {DEALT_WITH_NOW}"
JUDGE_OF_DRAW = """
SELECT j.name FROM draw_units AS u JOIN draws AS d ON d.id = u.draw_id LEFT JOIN judges AS j ON j.id = d.judge_id
WHERE u.item_id = ?
"""
# CROSS JOIN: from the few picks to their units, and not through every unit of the draw.
STRATUM_LABELLED = """
SELECT u.draw_id, u.stratum, count(*)
FROM picks AS p CROSS JOIN draw_units AS u ON u.item_id = p.item_id
WHERE EXISTS (
    SELECT 1 FROM events AS e
    WHERE e.item_id = p.item_id AND e.kind IN ('label', 'resolution', 'gold') AND e.round >= 0
        AND NOT EXISTS (SELECT 1 FROM events AS x WHERE x.target = e.id AND x.kind = 'undo')
)
GROUP BY u.draw_id, u.stratum
"""


@contextlib.contextmanager
def _first_come() -> Iterator[None]:
    """Of two draws at once the second finds its items or places taken: a matter of timing, to be told as such."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise BusyStore("somebody else has drawn a sample meanwhile; look at 'adjudicate status' and draw again") from error


class DrawTables:
    """The part of the SQLite store that keeps draws and lists."""

    database: Database
    _outdated: Outdated | None = None

    @property
    def outdated(self) -> Outdated:
        """What labels of older policies must not rest on; read once, and again after `put_policy` or `look_again`."""
        if self._outdated is None:
            self._outdated = outdated_now(self.database.connection)
        return self._outdated

    def look_again(self) -> None:
        """Another connection has adopted a policy."""
        self._outdated = None

    def free_items(self, judge: str | None) -> list[FreeItems]:
        """Items outside every draw, those together that are alike in what strata are made of, with a judge's verdicts."""
        return draw_frame.free_items(self.database.connection, judge)

    def free_count(self) -> int:
        """How many items are outside every draw."""
        return draw_frame.free_count(self.database.connection)

    def free_responses(self) -> Iterator[tuple[str, str]]:
        """Items outside every draw with responses in which no sign was found so far."""
        return steering_rows.free_responses(self.database.connection)

    def note_signs(self, found: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Note the signs that responses speak to a judge, by item."""
        with writing(self.database) as connection:
            steering_rows.note(connection, found)

    def steering(self) -> set[str]:
        """Items whose responses were seen to speak to a judge."""
        return steering_rows.flagged(self.database.connection)

    def steering_count(self) -> int:
        """How many those are."""
        return steering_rows.count(self.database.connection)

    def steering_undrawn(self) -> int:
        """How many of them no sample holds so far."""
        return steering_rows.undrawn(self.database.connection)

    def record_draw(
        self,
        draw: Draw,
        units: Mapping[str, Sequence[str]],
        picks: Sequence[Assignment],
        assignments: Sequence[Assignment],
        stratum_of: Mapping[str, str],
    ) -> None:
        """Record a draw in one transaction: frame, drawn items with their probabilities, and lists.

        Raises:
            BusyStore: Somebody else has drawn a sample since this one was thought out; nothing was written.
        """
        with _first_come(), writing(self.database, bulk=len(units) > 0) as connection:
            connection.execute(
                "INSERT INTO draws VALUES (?, ?, ?, (SELECT id FROM judges WHERE name = ?), ?, ?, ?, ?)",
                (
                    draw.id,
                    draw.extends,
                    draw.seed,
                    draw.judge,
                    draw.policy,
                    json.dumps(draw.settings, sort_keys=True),
                    strata_json(draw.strata),
                    draw.drawn_at,
                ),
            )
            if units:
                draw_frame.insert_units(connection, draw.id, units)
            chances = {stratum.name: stratum.inclusion_probability for stratum in draw.strata}
            connection.executemany(
                "INSERT INTO picks VALUES (?, ?, ?, ?, ?)",
                ((draw.id, pick.item_id, pick.position, int(pick.blind), chances[stratum_of[pick.item_id]]) for pick in picks),
            )
            connection.executemany(
                "INSERT INTO assignments VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (each.annotator, each.position, each.round, each.item_id, int(each.blind), draw.drawn_at)
                    for each in assignments
                ),
            )

    def draws(self) -> list[Draw]:
        """Recorded draws, first first."""
        return [draw_from(row) for row in self.database.connection.execute(DRAWS)]

    def last_position(self) -> int:
        """The highest position on any list; -1 before the first draw."""
        query = (
            "SELECT max(coalesce((SELECT max(position) FROM picks), -1), coalesce((SELECT max(position) FROM assignments), -1))"
        )
        position: int = self.database.connection.execute(query).fetchone()[0]
        return position

    def queue(self, draw_id: str, stratum: str) -> list[str]:
        """The recorded order of one stratum."""
        query = "SELECT item_id FROM draw_units WHERE draw_id = ? AND stratum = ? ORDER BY place"
        return [row[0] for row in self.database.connection.execute(query, (draw_id, stratum))]

    def pending(self, annotator_id: str, *, after: int, limit: int) -> list[Pick]:
        """The next items on a person's list that they have not dealt with, beyond position `after`.

        An item whose label rests on what the policy in force has changed is not dealt with until it is labelled again.
        """
        values = {"annotator": annotator_id, "after": after, "limit": limit}
        if self.outdated:
            rows = self.database.connection.execute(PENDING_NOW, {**values, "outdated": as_json(self.outdated)})
        else:
            rows = self.database.connection.execute(PENDING, values)
        return [Pick(row[0], row[1], bool(row[2]), *row[3:]) for row in rows]

    def pick(self, annotator_id: str, item_id: str, round: int) -> Pick:
        """One entry of a person's list. Raises StoreError where the item is not on it."""
        row = self.database.connection.execute(PICK, (annotator_id, item_id, round)).fetchone()
        if row is None:
            raise StoreError(f"item {item_id} is not on this list")
        return Pick(row[0], row[1], bool(row[2]), *row[3:])

    def neighbour(self, annotator_id: str, position: int, *, forward: bool) -> Pick | None:
        """The entry after or before a position on a person's list, dealt with or not; None at the ends."""
        query = NEIGHBOUR_AFTER if forward else NEIGHBOUR_BEFORE
        row = self.database.connection.execute(query, (annotator_id, position)).fetchone()
        return Pick(row[0], row[1], bool(row[2]), *row[3:]) if row else None

    def claim(self, annotator_id: str, draw_ids: Sequence[str], *, count: int, overlap: int, at: str) -> int:
        """Take items of open samples onto a person's list; how many there were to take."""
        values = {"annotator": annotator_id, "draws": json.dumps(list(draw_ids)), "overlap": overlap}
        with writing(self.database) as connection:
            return connection.execute(CLAIM, {**values, "at": at, "count": count}).rowcount

    def on_offer(self, annotator_id: str, draw_ids: Sequence[str], *, overlap: int) -> int:
        """Items of open samples that the person could still claim."""
        values = {"annotator": annotator_id, "draws": json.dumps(list(draw_ids)), "overlap": overlap}
        offered: int = self.database.connection.execute(ON_OFFER, values).fetchone()[0]
        return offered

    def progress(self, annotator_id: str) -> tuple[int, int]:
        """Items dealt with and items on the list of a person."""
        connection = self.database.connection
        if self.outdated:
            row = connection.execute(DONE_NOW, {"annotator": annotator_id, "outdated": as_json(self.outdated)}).fetchone()
        else:
            row = connection.execute(DONE, (annotator_id,)).fetchone()
        done: int = row[0]
        total: int = connection.execute(ON_THE_LIST, (annotator_id,)).fetchone()[0]
        return done, total

    def judge_of_draw(self, item_id: str) -> str | None:
        """The judge whose verdicts an item was drawn by; None outside every draw."""
        row = self.database.connection.execute(JUDGE_OF_DRAW, (item_id,)).fetchone()
        return row[0] if row else None

    def strata_progress(self) -> list[tuple[Stratum, int]]:
        """Every stratum of every draw, as last extended, with the number of its drawn items that have a label."""
        labelled = {(row[0], row[1]): row[2] for row in self.database.connection.execute(STRATUM_LABELLED)}
        latest: dict[str, Draw] = {}
        for draw in self.draws():
            latest[draw.extends or draw.id] = draw
        return [(stratum, labelled.get((root, stratum.name), 0)) for root, draw in latest.items() for stratum in draw.strata]
