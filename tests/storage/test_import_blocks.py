"""Many rows a statement: any number of rows, those that are here left out, the whole given up where one cannot be stored."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from adjudicate.storage.connection import writing
from adjudicate.storage.import_blocks import MOST, SIZES, Values, insert_prompts
from tests.factory import make_store


def prompt(number: int, intent: str = "benign") -> Values:
    return (f"p{number}", "text", None, intent, "benign", "", "", "")


def test_sizes_halve_from_the_most_to_one() -> None:
    """So that the statements of a table, in order, make up any number of rows."""
    assert [MOST >> place for place in range(len(SIZES))] == list(SIZES)
    assert SIZES[-1] == 1


@pytest.mark.parametrize("count", [0, 1, 2, 3, MOST - 1, MOST, 2 * MOST + 77])
def test_every_row_goes_in_once_and_in_order(tmp_path: Path, count: int) -> None:
    store = make_store(tmp_path, [])
    rows = [prompt(number) for number in range(count)]
    with writing(store.database) as connection:
        assert insert_prompts(connection, rows[: count // 2]) == count // 2
        assert insert_prompts(connection, rows) == count - count // 2
        found = connection.execute("SELECT id FROM prompts ORDER BY rowid").fetchall()
    assert found == [(row[0],) for row in rows]


def test_a_row_that_cannot_be_stored_undoes_the_transaction(tmp_path: Path) -> None:
    store = make_store(tmp_path, [])
    rows = [*map(prompt, range(9)), prompt(9, intent="good"), *map(prompt, range(10, 20))]
    with pytest.raises(sqlite3.IntegrityError), writing(store.database) as connection:
        insert_prompts(connection, rows)
    assert store.database.connection.execute("SELECT count(*) FROM prompts").fetchone() == (0,)
