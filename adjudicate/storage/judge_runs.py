"""Asking a judge, as rows: the judge and what makes it this one, the items that lack its verdict, and the verdicts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from adjudicate.core.items import Item, Verdict
from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.storage import attempts, steering_rows
from adjudicate.storage.attempts import IS_OPEN, Asked, Sent
from adjudicate.storage.connection import Database, writing
from adjudicate.storage.rows import ITEM_COLUMNS, item_from

JUDGE = "SELECT id, name, model, prompt_hash, policy, parameters FROM judges WHERE name = ?"
INSERT_JUDGE = "INSERT INTO judges VALUES (?, ?, ?, ?, ?, ?)"
ONLY = "(:only IS NULL OR i.id IN (SELECT value FROM json_each(:only)))"
LACKING_VERDICT = "NOT EXISTS (SELECT 1 FROM verdicts AS v WHERE v.item_id = i.id AND v.judge_id = :judge)"
LACKING_REPEAT = (
    "NOT EXISTS (SELECT 1 FROM verdict_repeats AS r WHERE r.item_id = i.id AND r.judge_id = :judge AND r.repeat = :repeat)"
)
FREE = f"""
SELECT i.rowid, {ITEM_COLUMNS} FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id
WHERE i.rowid > :after
    AND NOT EXISTS (
        SELECT 1 FROM attempts AS a
        WHERE a.run_id = :judge AND a.question = i.id AND a.repeat = :repeat AND {IS_OPEN}
    )
    AND {ONLY}
"""
FREE_OF_VERDICT = f"{FREE} AND {LACKING_VERDICT} ORDER BY i.rowid LIMIT :most"
FREE_OF_REPEAT = f"{FREE} AND {LACKING_REPEAT} ORDER BY i.rowid LIMIT :most"
COUNT_VERDICT = f"SELECT count(*) FROM items AS i WHERE {LACKING_VERDICT} AND {ONLY}"
COUNT_REPEAT = f"SELECT count(*) FROM items AS i WHERE {LACKING_REPEAT} AND {ONLY}"
UNJUDGED = f"""
SELECT {ITEM_COLUMNS} FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id
WHERE {LACKING_VERDICT} ORDER BY i.rowid
"""
INSERT_VERDICT = "INSERT INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
INSERT_REPEAT = "INSERT INTO verdict_repeats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
SERVED = "UPDATE judges SET parameters = json_set(parameters, '$.served', ?) WHERE id = ?"


@dataclass(frozen=True, slots=True)
class JudgeIdentity:
    """What makes a judge the same one: any difference makes another judge."""

    name: str
    """What people call it; unique in a workspace."""
    model: str
    """The model that the server is asked for."""
    prompt_hash: str
    policy: str
    """Fingerprint."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """Temperature, seed, limits, and whether replies are to be held to a schema."""
    served: str = ""
    """The model that said it answered; empty before the first reply."""

    @property
    def id(self) -> str:
        """Hash of all but the model that answers, which only a reply can tell."""
        what = json.dumps([self.name, self.model, self.prompt_hash, self.policy, self.parameters], sort_keys=True)
        return sha256(what.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Claim(NamedTuple):
    """An item that this runner, and no other, asks about."""

    attempt: str
    place: int
    """Of the item in the order of import."""
    item: Item
    repeat: int


class Served(NamedTuple):
    """A model said that it answers for the judge."""

    model: str


class Judged(NamedTuple):
    """A judge's reply came."""

    claim: Claim
    verdict: Verdict
    """One without an outcome where the reply was no verdict."""
    reply: str | None
    signs: tuple[str, ...]
    """Signs that the response speaks to its judge."""
    at: str


Entry = Sent | attempts.Ended | Served | Judged
SERVED_KEY = "served"


def judge_named(database: Database, name: str) -> JudgeIdentity | None:
    """The judge with this name."""
    row = database.connection.execute(JUDGE, (name,)).fetchone()
    if row is None:
        return None
    parameters = json.loads(row[5])
    served = parameters.pop(SERVED_KEY, "")
    return JudgeIdentity(row[1], row[2], row[3], row[4], parameters, served)


def add_judge(database: Database, judge: JudgeIdentity) -> JudgeIdentity:
    """Make a judge known, and return it as it is known: with the model that served it before.

    Raises:
        UsageError: Its name is that of another one.
    """
    with writing(database) as connection:
        found = connection.execute("SELECT id FROM judges WHERE name = ?", (judge.name,)).fetchone()
        if found is None:
            parameters = json.dumps(judge.parameters, sort_keys=True)
            row = (judge.id, judge.name, judge.model, judge.prompt_hash, judge.policy, parameters)
            connection.execute(INSERT_JUDGE, row)
        elif found[0] != judge.id:
            raise UsageError(
                f"the judge {visible_line(judge.name)} was asked by another model, prompt, policy or setting before:"
                " give this one another --name"
            )
    known = judge_named(database, judge.name)
    return judge if known is None else known


def claim(
    database: Database, judge: str, owner: str, at: str, *, repeat: int, after: int, most: int, only: Sequence[str] | None = None
) -> list[Claim]:
    """Claim the next items that lack a verdict of this judge and that nobody else asks about.

    Args:
        database: Opened by this thread.
        judge: Its id.
        owner: Id of the runner.
        at: Time.
        repeat: 0 for the verdict that counts, then the number of the repeat.
        after: Place of the last item that was claimed before; 0 at the beginning.
        most: How many.
        only: Ids of the items that matter; None for all.
    """
    query = FREE_OF_REPEAT if repeat else FREE_OF_VERDICT
    values = {"judge": judge, "repeat": repeat, "after": after, "most": most, "only": None if only is None else json.dumps(only)}
    with writing(database) as connection:
        found = [(row[0], item_from(row[1:])) for row in connection.execute(query, values).fetchall()]
        ids = attempts.add(connection, judge, owner, at, [Asked(item.id, repeat) for _, item in found])
    return [Claim(attempt, place, item, repeat) for attempt, (place, item) in zip(ids, found, strict=True)]


def write(database: Database, judge: str, entries: Sequence[Entry]) -> None:
    """Write what is about to be sent, what has ended and who answers, in one transaction."""
    sent = [entry for entry in entries if isinstance(entry, Sent)]
    judged = [entry for entry in entries if isinstance(entry, Judged)]
    ended = [attempts.Ended(each.claim.attempt, answered=True, reply=each.reply, at=each.at) for each in judged]
    ended += [entry for entry in entries if isinstance(entry, attempts.Ended)]
    with writing(database) as connection:
        connection.executemany(SERVED, [(entry.model, judge) for entry in entries if isinstance(entry, Served)])
        attempts.note(connection, sent, ended)
        _judge(connection, judge, judged)


def waiting(database: Database, judge: str, repeats: int, only: Sequence[str] | None = None) -> int:
    """How many questions of this judge lack an answer: one an item and repeat."""
    connection = database.connection
    values = {"judge": judge, "only": None if only is None else json.dumps(only)}
    return sum(
        connection.execute(COUNT_REPEAT if repeat else COUNT_VERDICT, {**values, "repeat": repeat}).fetchone()[0]
        for repeat in range(repeats + 1)
    )


def unjudged(database: Database, judge: str) -> Iterator[Item]:
    """Items that lack a verdict of this judge, in the order of import; to be read to the end before anything is written."""
    for row in database.connection.execute(UNJUDGED, {"judge": judge}):
        yield item_from(row)


def put(database: Database, judge: str, verdicts: Iterable[tuple[str, Verdict]]) -> None:
    """Add the verdicts of a judge that needs no server: item and verdict, all in one transaction."""
    with writing(database) as connection:
        connection.executemany(INSERT_VERDICT, ((item, judge, *_values(verdict)) for item, verdict in verdicts))


def _values(said: Verdict) -> tuple[str | float | None, ...]:
    return said.outcome, said.score, said.helpfulness, said.safety, said.reason, said.raw


def _judge(connection: sqlite3.Connection, judge: str, judged: Sequence[Judged]) -> None:
    steering_rows.note(connection, [(each.claim.item.id, each.signs) for each in judged if each.signs])
    verdicts = [(each.claim.item.id, judge, *_values(each.verdict)) for each in judged if not each.claim.repeat]
    connection.executemany(INSERT_VERDICT, verdicts)
    repeats = [(each.claim.item.id, judge, each.claim.repeat, *_values(each.verdict)) for each in judged if each.claim.repeat]
    connection.executemany(INSERT_REPEAT, repeats)
