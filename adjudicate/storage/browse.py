"""Which items a filter leaves, in which order, and the rows of a list: never by OFFSET, and nothing held but their numbers.

A list of a million items is an array of their rowids, eight bytes each; what is on screen is read by these. The statements are
the same for every filter: what a filter does not say is NULL.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from adjudicate.storage.connection import Database
from adjudicate.storage.rows import Place
from adjudicate.storage.text_functions import BYTES_A_CHARACTER, SAID_IN, beginning

Order = Literal["first", "newest", "longest", "shortest", "highest", "lowest"]

FIRST_CHUNK, CHUNK = 200, 50_000
"""Rowids given at once: a screenful soon, the rest by larger portions."""
STEPS = 20_000
"""Steps of SQLite's machine between two looks at whether anybody still waits: some hundredths of a second."""
BEGINNING = 400
"""Characters of prompt and response in a row of the list."""
BEGINNING_BYTES = BEGINNING * BYTES_A_CHARACTER

FITS = """
(:places IS NULL OR f.place IN (SELECT value FROM json_each(:places)))
AND (:verdicts IS NULL OR f.verdict IN (SELECT value FROM json_each(:verdicts)))
AND (:longer IS NULL OR f.length > :longer)
AND (:shorter IS NULL OR f.length < :shorter)
AND (:within IS NULL OR f.item IN (SELECT value FROM json_each(:within)))
AND (:without IS NULL OR f.item NOT IN (SELECT value FROM json_each(:without)))
"""
LISTED = f"SELECT f.item FROM search.facets AS f WHERE {FITS}"
FOUND = f"""
SELECT f.item FROM search.texts AS t CROSS JOIN search.facets AS f ON f.item = t.rowid WHERE t.texts MATCH :words AND {FITS}
"""
# Word by word through the texts themselves: for what an index of words does not know.
READ = f"""
SELECT f.item FROM search.facets AS f CROSS JOIN main.items AS i ON i.rowid = f.item JOIN main.prompts AS p ON p.id = i.prompt_id
WHERE {FITS} AND holds(i.response, {SAID_IN})
"""
FOUND_AND_READ = f"""
SELECT f.item FROM search.texts AS t CROSS JOIN search.facets AS f ON f.item = t.rowid
CROSS JOIN main.items AS i ON i.rowid = f.item JOIN main.prompts AS p ON p.id = i.prompt_id
WHERE t.texts MATCH :words AND {FITS} AND holds(i.response, {SAID_IN})
"""
BY_FIRST, BY_NEWEST = "f.item", "f.item DESC"
BY_WORDS_FIRST, BY_WORDS_NEWEST = "t.rowid", "t.rowid DESC"
BY_LONGEST, BY_SHORTEST = "f.length DESC, f.item DESC", "f.length, f.item"
BY_HIGHEST, BY_LOWEST = "f.score DESC, f.item DESC", "f.score IS NULL, f.score, f.item"

EXTENT = "SELECT (SELECT count(*) FROM items), (SELECT min(rowid) FROM items), (SELECT max(rowid) FROM items)"

# What a person must not see of an item yet: it is on their list to be labelled blind, or could still come onto it from a sample
# that is open to everyone, and they have said nothing of it in that round.
SPOKE = """
SELECT 1 FROM events AS e INDEXED BY events_by_item
WHERE e.item_id = k.item_id AND e.annotator_id = :person AND e.kind = 'label'
"""
ON_LIST = f"k.annotator_id = :person AND k.blind = 1 AND NOT EXISTS ({SPOKE} AND e.round = k.round)"
ON_OFFER = f"""
FROM picks AS k JOIN draws AS d ON d.id = k.draw_id
WHERE k.blind = 1 AND coalesce(json_array_length(d.settings, '$.annotators'), 0) = 0 AND NOT EXISTS ({SPOKE} AND e.round = 0)
"""
HIDDEN_ITEMS = f"""
SELECT i.rowid FROM items AS i
WHERE i.id IN (SELECT k.item_id FROM assignments AS k WHERE {ON_LIST} UNION SELECT k.item_id {ON_OFFER})
"""
# Item by item: however long the lists are, a page of rows costs the same.
HIDDEN_OF = f"""
SELECT wanted.value FROM json_each(:items) AS wanted
WHERE EXISTS (SELECT 1 FROM assignments AS k INDEXED BY assignments_by_item WHERE {ON_LIST} AND k.item_id = wanted.value)
    OR EXISTS (SELECT 1 {ON_OFFER} AND k.item_id = wanted.value)
"""

GOLD = "SELECT i.rowid, g.outcome FROM gold_labels AS g JOIN items AS i ON i.id = g.item_id"
OPEN = "SELECT i.rowid, '' FROM disagreements AS d JOIN items AS i ON i.id = d.item_id"
BY = """
SELECT i.rowid, a.name FROM current_labels AS l JOIN annotators AS a ON a.id = l.annotator_id JOIN items AS i ON i.id = l.item_id
"""
CLAUSES = """
SELECT i.rowid, json_extract(e.body, '$.clause') FROM current_labels AS e JOIN items AS i ON i.id = e.item_id
WHERE json_extract(e.body, '$.clause') IS NOT NULL
UNION
SELECT i.rowid, json_extract(e.body, '$.clause') FROM settlements AS e JOIN items AS i ON i.id = e.item_id
WHERE json_extract(e.body, '$.clause') IS NOT NULL
"""
FLAGGED = """
SELECT i.rowid, '' FROM live_events AS e JOIN items AS i ON i.id = e.item_id
WHERE e.kind = 'flag' AND json_extract(e.body, '$.on') AND NOT EXISTS (
    SELECT 1 FROM live_events AS later
    WHERE later.item_id = e.item_id AND later.annotator_id = e.annotator_id AND later.kind = 'flag' AND later.seq > e.seq
)
"""

IN_TRIAGE = "SELECT i.rowid, '' FROM triage_items AS t JOIN items AS i ON i.id = t.item_id"

PAGE = f"""
SELECT p.population, p.intent, i.model, i.run_id, p.category, p.language, i.rowid, i.id, coalesce(i.source_id, ''),
    characters(i.response), substr(CAST(i.response AS BLOB), 1, {BEGINNING_BYTES}),
    substr(CAST(p.text AS BLOB), 1, {BEGINNING_BYTES}),
    v.item_id IS NOT NULL, v.outcome, v.score
FROM json_each(?) AS wanted CROSS JOIN items AS i ON i.rowid = wanted.value JOIN prompts AS p ON p.id = i.prompt_id
LEFT JOIN verdicts AS v ON v.item_id = i.id AND v.judge_id = (
    SELECT w.judge_id FROM verdicts AS w JOIN judges AS j ON j.id = w.judge_id WHERE w.item_id = i.id ORDER BY j.rowid LIMIT 1
)
ORDER BY wanted.key
"""
NAMES = """
SELECT i.id, coalesce(i.source_id, ''), i.run_id FROM json_each(?) AS wanted CROSS JOIN items AS i ON i.rowid = wanted.value
ORDER BY wanted.key
"""
DRAWN = "SELECT 1 FROM picks WHERE item_id = ?"

PLACES = "SELECT population, intent, model, run, category, language, code FROM search.places"
RUN_NAMES = "SELECT id, name FROM runs"
# Ids are hexadecimal, so that `g` comes after everything that begins alike.
NAMED = """
SELECT i.rowid FROM json_each(?) AS wanted CROSS JOIN items AS i ON i.id >= wanted.value AND i.id < wanted.value || 'g'
UNION
SELECT i.rowid FROM json_each(?) AS wanted CROSS JOIN items AS i ON i.source_id = wanted.value
"""

LabelFact = Literal["gold", "open", "by", "clause", "flagged", "triage"]


@dataclass(frozen=True, slots=True)
class CodedPlace(Place):
    """One combination of what is declared of items, with its number in the index."""

    code: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """A filter as the store reads it; None means any."""

    places: Collection[int] | None = None
    verdicts: Collection[int] | None = None
    longer: int | None = None
    """Characters of the response that it exceeds."""
    shorter: int | None = None
    within: Collection[int] | None = None
    """Rowids of the only items that may be in it."""
    without: Collection[int] | None = None
    """Rowids of items that may not."""
    words: str = ""
    """An expression of FTS5; empty for none."""
    holds: Callable[[str, str], bool] | None = None
    """Whether a response and its prompt are wanted, read word by word; None where the index says it all."""


@dataclass(frozen=True, slots=True)
class Listed(Place):
    """One row of the list."""

    rowid: int
    item_id: str
    source_id: str
    length: int
    """Characters of the response."""
    response: str
    """Its beginning."""
    prompt: str
    """Beginning of what was asked last."""
    judged: bool
    """Whether any judge said something of it."""
    verdict: str | None
    """Of the first judge that did; None where it failed, or where there is none."""
    score: float | None


class Interrupted(Exception):
    """Nobody waits for the search any more."""


def everything(database: Database) -> Sequence[int] | None:
    """Rowids of all items in the order of import, at no cost; None where they have gaps and have to be listed."""
    count, first, last = database.connection.execute(EXTENT).fetchone()
    if not count:
        return range(0)
    return range(first, last + 1) if last - first + 1 == count else None


def item_count(database: Database) -> int:
    """How many items there are."""
    count: int = database.connection.execute("SELECT count(*) FROM items").fetchone()[0]
    return count


def places(database: Database) -> list[CodedPlace]:
    """What combinations of declared fields there are; the index is attached."""
    return [CodedPlace(*row) for row in database.connection.execute(PLACES)]


def outcomes(database: Database) -> dict[str, int]:
    """Codes of the outcomes that judges have given; the index is attached."""
    return dict(database.connection.execute("SELECT outcome, code FROM search.outcomes").fetchall())


def run_names(database: Database) -> dict[str, str]:
    """Names of runs by id."""
    return dict(database.connection.execute(RUN_NAMES).fetchall())


def named(database: Database, ids: Collection[str]) -> set[int]:
    """Rowids of the items whose id begins with one of these, or whose log gave it to them."""
    wanted = json.dumps(list(ids))
    return {row[0] for row in database.connection.execute(NAMED, (wanted, wanted))}


def label_facts(database: Database, fact: LabelFact) -> list[tuple[int, str]]:
    """Rowids of items with what people have said of them: a gold outcome, a person's name, a clause; empty for yes or no."""
    match fact:
        case "gold":
            query = GOLD
        case "open":
            query = OPEN
        case "by":
            query = BY
        case "clause":
            query = CLAUSES
        case "flagged":
            query = FLAGGED
        case "triage":
            query = IN_TRIAGE
    return [(row[0], str(row[1])) for row in database.connection.execute(query)]


def hidden_items(database: Database, person: str) -> set[int]:
    """Rowids of the items whose verdict and labels the person may not see yet."""
    return {row[0] for row in database.connection.execute(HIDDEN_ITEMS, {"person": person})}


def hidden_of(database: Database, person: str, item_ids: Collection[str]) -> set[str]:
    """Those among some items whose verdict and labels the person may not see yet."""
    values = {"person": person, "items": json.dumps(list(item_ids))}
    return {row[0] for row in database.connection.execute(HIDDEN_OF, values)}


def search(database: Database, wanted: Wanted, order: Order, is_cancelled: Callable[[], bool]) -> Iterator[array[int]]:
    """Rowids of what a filter leaves, in portions; the index is attached and its facets are complete.

    Raises:
        Interrupted: `is_cancelled` said so.
    """
    connection = database.connection
    # SQLite may be long over a row that nobody wants: it is asked in between, not only at the rows it gives.
    connection.set_progress_handler(is_cancelled, STEPS)
    if wanted.holds is not None:
        connection.create_function("holds", 2, wanted.holds)
    try:
        rows = _rows(connection, wanted, order)
        size = FIRST_CHUNK
        while portion := rows.fetchmany(size):
            if is_cancelled():
                raise Interrupted
            yield array("q", [row[0] for row in portion])
            size = CHUNK
    except sqlite3.OperationalError as error:
        if "interrupted" in str(error):
            raise Interrupted from error
        raise
    finally:
        connection.set_progress_handler(None, 0)


def _rows(connection: sqlite3.Connection, wanted: Wanted, order: Order) -> sqlite3.Cursor:
    values = {
        "places": _listed(wanted.places),
        "verdicts": _listed(wanted.verdicts),
        "longer": wanted.longer,
        "shorter": wanted.shorter,
        "within": _listed(wanted.within),
        "without": _listed(wanted.without),
        "words": wanted.words,
    }
    indexed = FOUND if wanted.holds is None else FOUND_AND_READ
    plain = LISTED if wanted.holds is None else READ
    source = indexed if wanted.words else plain
    match order:
        case "first":
            by = BY_WORDS_FIRST if wanted.words else BY_FIRST
        case "newest":
            by = BY_WORDS_NEWEST if wanted.words else BY_NEWEST
        case "longest":
            by = BY_LONGEST
        case "shortest":
            by = BY_SHORTEST
        case "highest":
            by = BY_HIGHEST
        case "lowest":
            by = BY_LOWEST
    return connection.execute(f"{source} ORDER BY {by}", values)


def _listed(codes: Collection[int] | None) -> str | None:
    return None if codes is None else json.dumps(list(codes))


def page(database: Database, rowids: Sequence[int]) -> list[Listed]:
    """The rows of some items, in the order of their rowids as given; the index is not needed."""
    rows: list[Any] = database.connection.execute(PAGE, (json.dumps(list(rowids)),)).fetchall()
    texts = [(beginning(row[10], BEGINNING), beginning(row[11], BEGINNING)) for row in rows]
    return [Listed(*[*row[:10], *begun, bool(row[12]), *row[13:]]) for row, begun in zip(rows, texts, strict=True)]


def names_of(database: Database, rowids: Sequence[int]) -> list[tuple[str, str, str]]:
    """Id, id in the source and run of some items, in the order of their rowids as given."""
    return database.connection.execute(NAMES, (json.dumps(list(rowids)),)).fetchall()


def is_drawn(database: Database, item_id: str) -> bool:
    """Whether a sample has the item."""
    return database.connection.execute(DRAWN, (item_id,)).fetchone() is not None
