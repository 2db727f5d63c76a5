"""The versions of the policy that a workspace has known, and what was made under each: labels, verdicts, draws."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

# Labels that hold: the last of each person on each item.
VERSIONS = """
SELECT p.fingerprint, p.id, p.version, p.title, p.adopted_at, coalesce(l.labels, 0),
    (SELECT count(*) FROM draws AS d WHERE d.policy = p.fingerprint),
    (SELECT json_group_array(a.adopted_at) FROM (
        SELECT adopted_at FROM adoptions WHERE policy = p.fingerprint ORDER BY rowid
    ) AS a)
FROM policies AS p
LEFT JOIN (SELECT policy, count(*) AS labels FROM current_labels GROUP BY policy) AS l ON l.policy = p.fingerprint
ORDER BY p.adopted_at DESC, p.rowid DESC
"""
JUDGES = """
SELECT j.name, j.policy, count(*), sum(v.outcome IS NOT NULL AND v.outcome NOT IN (SELECT value FROM json_each(?)))
FROM judges AS j JOIN verdicts AS v ON v.judge_id = j.id GROUP BY j.id ORDER BY count(*) DESC, j.rowid
"""
STRATA = """
SELECT w.value, coalesce(u.stratum, ''), p.population
FROM json_each(?) AS w CROSS JOIN items AS i ON i.id = w.value JOIN prompts AS p ON p.id = i.prompt_id
LEFT JOIN draw_units AS u ON u.item_id = i.id
"""
ON_LISTS = """
SELECT a.item_id, a.annotator_id, a.round FROM assignments AS a WHERE a.item_id IN (SELECT value FROM json_each(?))
"""


JUDGE_POLICIES = "SELECT name, policy FROM judges ORDER BY rowid"


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """One version, as listed."""

    fingerprint: str
    id: str
    version: str
    title: str
    adopted_at: str
    """When it was last taken into use; UTC, ISO 8601."""
    labels: int
    """Labels that hold and were made under it."""
    draws: int
    """Samples drawn under it."""
    adoptions: tuple[str, ...] = ()
    """Every time that it was taken into use, the first one first; UTC, ISO 8601."""


class JudgeVerdicts(NamedTuple):
    """The verdicts of one judge, by what a policy can read of them."""

    judge: str
    policy: str
    """Fingerprint of the policy that was in force when its verdicts came in; empty where that is not on record."""
    verdicts: int
    unknown: int
    """Verdicts whose outcome the policy does not have."""


class Placed(NamedTuple):
    """Where an item stands."""

    stratum: str
    """Empty outside every draw."""
    population: str


def versions(connection: sqlite3.Connection) -> list[PolicyVersion]:
    """All versions; the first is in force."""
    return [replace(PolicyVersion(*row[:-1]), adoptions=tuple(json.loads(row[-1]))) for row in connection.execute(VERSIONS)]


def judge_verdicts(connection: sqlite3.Connection, outcomes: Iterable[str]) -> list[JudgeVerdicts]:
    """Every judge with the verdicts it gave, held against the outcomes of a policy."""
    return [JudgeVerdicts(*row) for row in connection.execute(JUDGES, (json.dumps(sorted(outcomes)),))]


def judge_policies(connection: sqlite3.Connection) -> dict[str, str]:
    """Fingerprint of the policy under which the verdicts of each judge came in, by its name."""
    return dict(connection.execute(JUDGE_POLICIES).fetchall())


def places(connection: sqlite3.Connection, item_ids: Iterable[str]) -> dict[str, Placed]:
    """Stratum and population of items."""
    return {row[0]: Placed(row[1], row[2]) for row in connection.execute(STRATA, (json.dumps(sorted(item_ids)),))}


def on_lists(connection: sqlite3.Connection, item_ids: Iterable[str]) -> set[tuple[str, str, int]]:
    """Item, annotator and round of every entry of a list that is about these items."""
    return {(row[0], row[1], row[2]) for row in connection.execute(ON_LISTS, (json.dumps(sorted(item_ids)),))}
