"""The number by which a person is called in exports: random, given once, and kept, so that a newcomer renames nobody."""

from __future__ import annotations

import secrets
import sqlite3

FEWEST = 999
"""Numbers are chosen among 1 to this; among ten times as many as soon as half of them are taken."""
INSERT_ANNOTATOR = "INSERT INTO annotators VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING"


def insert_annotator(connection: sqlite3.Connection, annotator_id: str, name: str, source: str) -> None:
    """Introduce a person, unless one of this name is here; call it inside a write transaction."""
    connection.execute(INSERT_ANNOTATOR, (annotator_id, name, source, _free_number(connection)))


def _free_number(connection: sqlite3.Connection) -> int:
    """A random number that nobody has: it tells neither who came first nor who comes first in the alphabet."""
    taken = {row[0] for row in connection.execute("SELECT pseudonym FROM annotators")}
    most = FEWEST
    while 2 * len(taken) > most:
        most = 10 * most + 9
    while (number := 1 + secrets.randbelow(most)) in taken:
        pass
    return number
