"""Attempts to get an answer from a server, as rows: who asks what, what was sent, and what came of it.

An attempt is `claimed` by one runner, `sent`, and then `answered` or `parked`; `released` where its runner stopped or died.
It is committed before anything is sent and again with the reply, so that a run that is killed goes on without asking twice.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from adjudicate.storage.connection import Database, writing
from adjudicate.storage.runner_lock import is_alive

CLAIM = "INSERT INTO attempts VALUES (?, ?, ?, ?, ?, 'claimed', 0, '', NULL, ?, NULL)"
SENT = "UPDATE attempts SET state = 'sent', sends = sends + 1, request = ? WHERE id = ?"
ENDED = "UPDATE attempts SET state = ?, reply = ?, ended_at = ? WHERE id = ?"
SAID = "UPDATE attempts SET reply = ? WHERE id = ?"
RELEASE = "UPDATE attempts SET state = 'released', ended_at = ? WHERE owner = ? AND state IN ('claimed', 'sent')"
OPEN_OWNERS = "SELECT DISTINCT owner FROM attempts WHERE run_id = ? AND state IN ('claimed', 'sent')"
IS_OPEN = "a.state IN ('claimed', 'sent')"


class Asked(NamedTuple):
    """One question of a run."""

    question: str
    """Id of an item, or of a row of a prompt set."""
    repeat: int


class Sent(NamedTuple):
    """A request is about to be sent."""

    attempt: str
    request: str
    """Hash of its body."""


class Said(NamedTuple):
    """What a conversation under way has brought so far; kept where its runner stops or dies."""

    attempt: str
    reply: str


class Ended(NamedTuple):
    """What became of an attempt."""

    attempt: str
    answered: bool
    """False where it is parked: a later run asks again."""
    reply: str | None
    """The words of the model or the server; kept whatever they are."""
    at: str


def add(connection: sqlite3.Connection, run: str, owner: str, at: str, asked: Sequence[Asked]) -> list[str]:
    """Claim questions inside an open transaction; ids of the attempts."""
    ids = [secrets.token_hex(12) for _ in asked]
    rows = [(attempt, run, each.question, each.repeat, owner, at) for attempt, each in zip(ids, asked, strict=True)]
    connection.executemany(CLAIM, rows)
    return ids


def note(connection: sqlite3.Connection, sent: Sequence[Sent], ended: Sequence[Ended]) -> None:
    """Note what happens to attempts, each of them named once, inside an open transaction."""
    connection.executemany(SENT, [(each.request, each.attempt) for each in sent])
    rows = [("answered" if each.answered else "parked", each.reply, each.at, each.attempt) for each in ended]
    connection.executemany(ENDED, rows)


def release(database: Database, owner: str, at: str) -> int:
    """Let go of what a runner has claimed and not ended; how many attempts that were."""
    with writing(database) as connection:
        return connection.execute(RELEASE, (at, owner)).rowcount


def release_dead(database: Database, run: str, at: str) -> int:
    """Let go of what runners that no longer run had claimed; how many attempts that were."""
    owners = [row[0] for row in database.connection.execute(OPEN_OWNERS, (run,))]
    return sum(release(database, owner, at) for owner in owners if not is_alive(database.path, owner))
