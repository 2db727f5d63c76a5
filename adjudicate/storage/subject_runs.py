"""Asking a subject model, as rows: which questions of a run are open, and the answers that came."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from adjudicate.core.items import content_id
from adjudicate.storage import attempts
from adjudicate.storage.attempts import IS_OPEN, SAID, Asked, Ended, Said, Sent
from adjudicate.storage.connection import Database, writing
from adjudicate.storage.import_rows import INSERT_RUN, RunDraft

TAKEN = f"SELECT a.question, a.repeat FROM attempts AS a WHERE a.run_id = ? AND (a.state = 'answered' OR {IS_OPEN})"
BEGUN = (
    "SELECT question, repeat, reply FROM attempts WHERE run_id = ? AND state = 'released' AND reply IS NOT NULL ORDER BY rowid"
)
ANSWERS = "SELECT question, repeat, reply FROM attempts WHERE run_id = ? AND state = 'answered'"


class SubjectClaim(NamedTuple):
    """A question that this runner, and no other, asks."""

    attempt: str
    asked: Asked
    begun: str | None
    """What a runner that stopped or died had noted of the answer (`attempts.Said`)."""


def claim(database: Database, run: str, owner: str, at: str, *, questions: Sequence[Asked], most: int) -> list[SubjectClaim]:
    """Claim the first of these questions that are neither answered nor asked by anybody."""
    with writing(database) as connection:
        taken = {Asked(*row) for row in connection.execute(TAKEN, (run,))}
        chosen = list(islice((each for each in questions if each not in taken), most))
        noted = begun(database, run)
        ids = attempts.add(connection, run, owner, at, chosen)
    return [SubjectClaim(attempt, asked, noted.get(asked)) for attempt, asked in zip(ids, chosen, strict=True)]


def write(database: Database, entries: Sequence[Sent | Said | Ended]) -> None:
    """Write what is about to be sent, what was said so far and what has ended, in one transaction."""
    with writing(database) as connection:
        connection.executemany(SAID, [(entry.reply, entry.attempt) for entry in entries if isinstance(entry, Said)])
        sent = [entry for entry in entries if isinstance(entry, Sent)]
        attempts.note(connection, sent, [entry for entry in entries if isinstance(entry, Ended)])


def declare(database: Database, draft: RunDraft, at: str, software: str) -> None:
    """Note a run that brings no items, as one of tasks does; what is noted already stays as it is."""
    said = (draft.name, draft.dataset, draft.format)
    run = content_id("run", *said, draft.source_sha256, draft.options)
    row = (run, *said, draft.source_name, draft.source_sha256, draft.options, at, software)
    with writing(database) as connection:
        connection.execute(INSERT_RUN, row)


def begun(database: Database, run: str) -> dict[Asked, str]:
    """What runners that stopped or died had noted of conversations, the latest of each."""
    return {Asked(row[0], row[1]): row[2] for row in database.connection.execute(BEGUN, (run,))}


def answers(database: Database, run: str) -> dict[Asked, str]:
    """Every answer of a run, as it was noted."""
    return {Asked(row[0], row[1]): row[2] for row in database.connection.execute(ANSWERS, (run,))}
