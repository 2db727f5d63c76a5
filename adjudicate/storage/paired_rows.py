"""The prompts that two parts of a workspace share, counted by cell and listed where somebody said something on both sides.

A part is a run, a model, or both. Prompts are the same where their text and declared intent and population are: ids differ
as soon as one file declares a tag that the other does not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from adjudicate.storage.sqlite_store import SqliteStore

PART = """
SELECT p.population AS population, p.intent AS intent, p.text || char(31) || coalesce(p.messages, '') AS prompt, i.id AS id,
    coalesce(u.draw_id || ' | ' || u.stratum, '') AS stratum, k.item_id IS NOT NULL AS picked
FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id
LEFT JOIN draw_units AS u ON u.item_id = i.id LEFT JOIN picks AS k ON k.item_id = i.id
"""
BEFORE = f"{PART} WHERE (:run_before IS NULL OR i.run_id = :run_before) AND (:model_before IS NULL OR i.model = :model_before)"
AFTER = f"{PART} WHERE (:run_after IS NULL OR i.run_id = :run_after) AND (:model_after IS NULL OR i.model = :model_after)"
PARTS = f"WITH one AS MATERIALIZED ({BEFORE}), two AS MATERIALIZED ({AFTER})"
SAME = "one.prompt = two.prompt AND one.population = two.population AND one.intent = two.intent"

PAIR_CELLS = f"""
{PARTS}
SELECT one.population, one.intent, one.stratum, two.stratum, count(*) FROM one JOIN two ON {SAME} GROUP BY 1, 2, 3, 4
"""
PAIRS_NAMED = f"""
{PARTS}
SELECT one.population, one.intent, one.stratum, two.stratum, one.id, two.id, one.picked, two.picked
FROM one JOIN two ON {SAME}
WHERE one.id IN (SELECT value FROM json_each(:items)) AND two.id IN (SELECT value FROM json_each(:items))
"""
FREE_PAIRS = f"""
{PARTS}
SELECT one.population, one.intent, one.id, two.id, v.outcome, v.item_id IS NOT NULL, w.outcome, w.item_id IS NOT NULL
FROM one JOIN two ON {SAME}
LEFT JOIN verdicts AS v ON v.item_id = one.id AND v.judge_id = (SELECT id FROM judges WHERE name = :judge)
LEFT JOIN verdicts AS w ON w.item_id = two.id AND w.judge_id = (SELECT id FROM judges WHERE name = :judge)
WHERE one.stratum = '' AND two.stratum = ''
"""
PROMPTS = f"""
{PARTS}
SELECT 'before', population, intent, count(*), count(DISTINCT prompt) FROM one GROUP BY 2, 3
UNION ALL SELECT 'after', population, intent, count(*), count(DISTINCT prompt) FROM two GROUP BY 2, 3
"""


@dataclass(frozen=True, slots=True)
class Part:
    """Which items; None means any."""

    run: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class PairCell:
    """How many prompts share one cell."""

    population: str
    intent: str
    before: str
    """Recorded stratum on the one side; empty outside every draw."""
    after: str
    """Recorded stratum on the other side."""
    size: int


@dataclass(frozen=True, slots=True)
class NamedPair:
    """A prompt with both of its items."""

    population: str
    intent: str
    before: str
    after: str
    before_item: str
    after_item: str
    before_picked: bool
    after_picked: bool


@dataclass(frozen=True, slots=True)
class FreePair:
    """A shared prompt of which no draw has either item."""

    population: str
    intent: str
    before_item: str
    after_item: str
    before: str | None
    """The judge's outcome; None where it failed or said nothing."""
    before_judged: bool
    """Whether it said anything."""
    after: str | None
    after_judged: bool


@dataclass(frozen=True, slots=True)
class SidePrompts:
    """Items and different prompts of one population on one side."""

    side: str
    """``before`` or ``after``."""
    population: str
    intent: str
    items: int
    prompts: int


def pair_cells(store: SqliteStore, before: Part, after: Part) -> list[PairCell]:
    """Shared prompts by population, intent and the strata of both sides."""
    return [PairCell(*row) for row in store.database.connection.execute(PAIR_CELLS, _values(before, after))]


def named_pairs(store: SqliteStore, before: Part, after: Part, items: Iterable[str]) -> list[NamedPair]:
    """Shared prompts whose items are both among `items`."""
    values = {**_values(before, after), "items": json.dumps(list(items))}
    rows = store.database.connection.execute(PAIRS_NAMED, values)
    return [NamedPair(*[*row[:6], bool(row[6]), bool(row[7])]) for row in rows]


def free_pairs(store: SqliteStore, before: Part, after: Part, judge: str | None) -> list[FreePair]:
    """Shared prompts outside every draw, with the judge's outcomes."""
    rows = store.database.connection.execute(FREE_PAIRS, {**_values(before, after), "judge": judge})
    return [FreePair(*[*row[:5], bool(row[5]), row[6], bool(row[7])]) for row in rows]


def prompt_counts(store: SqliteStore, before: Part, after: Part) -> list[SidePrompts]:
    """How many prompts each side has, per population and intent."""
    return [SidePrompts(*row) for row in store.database.connection.execute(PROMPTS, _values(before, after))]


def _values(before: Part, after: Part) -> dict[str, str | None]:
    return {
        "run_before": before.run, "model_before": before.model, "run_after": after.run, "model_after": after.model,
    }  # fmt: skip
