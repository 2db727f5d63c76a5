"""The way from an item to its twin: the same answer with and without an index, which is made once and kept up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.storage import browse_index
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.storage.twins import has_pairs, know_pairs, twin_of
from tests.factory import Answer, make_store


def paired(folder: Path) -> SqliteStore:
    """Two models answer both prompts of a pair, the first of them again with another answer; one more prompt has no pair."""
    answers = [
        Answer(None, "benign", model="a"),
        Answer(None, "harmful", model="a"),
        Answer(None, "benign", model="b"),
        Answer(None, "harmful", model="b"),
        Answer(None, "harmful", model="a", response="Another."),
        Answer(None, "benign", model="a", prompt="Alone?"),
    ]
    store = make_store(folder, answers)
    with writing(store.database) as connection:
        connection.execute("UPDATE prompts SET pair = 'p' WHERE text <> 'Alone?'")
    return store


EXPECTED = {"i0000": "i0001", "i0001": "i0000", "i0002": "i0003", "i0003": "i0002", "i0004": "i0000", "i0005": None}


def twins(store: SqliteStore) -> dict[str, str | None]:
    return {item: twin.id if (twin := twin_of(store, store.item(item))) else None for item in EXPECTED}


def test_the_twin_is_the_same_models_first_response_to_the_prompt_of_another_intent(tmp_path: Path) -> None:
    store = paired(tmp_path)
    assert has_pairs(store) and twins(store) == EXPECTED


def test_where_there_can_be_no_index_every_item_is_read(tmp_path: Path) -> None:
    store = paired(tmp_path)
    # A folder where the index would be: it can be neither made nor thrown away.
    store.path.with_name(store.path.name + browse_index.SUFFIX).mkdir()
    assert not know_pairs(store)
    assert twins(store) == EXPECTED


def test_items_that_come_later_are_found_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browse_index, "BATCH", 2)
    store = paired(tmp_path)
    assert know_pairs(store)
    with writing(store.database) as connection:
        connection.execute("INSERT INTO prompts VALUES ('px', 'x', NULL, 'harmful', 'harmful', '', 'en', 'q')")
        connection.execute("INSERT INTO prompts VALUES ('py', 'y', NULL, 'benign', 'benign', '', 'en', 'q')")
        for item, prompt in (("ix", "px"), ("iy", "py")):
            connection.execute("INSERT INTO items VALUES (?, ?, 'r', 'a', NULL, 9, '', '')", (item, prompt))
    found = twin_of(store, store.item("ix"))
    assert found is not None and found.id == "iy"


def test_a_reading_that_nobody_waits_for_any_more_ends_and_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browse_index, "BATCH", 2)
    store = paired(tmp_path)
    looks = iter([False, True])
    assert not know_pairs(store, is_cancelled=lambda: next(looks))
    assert browse_index.filled(store.database, "pairs").done == 2


def test_without_pairs_there_is_nothing_to_know(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer(None)])
    assert not has_pairs(store) and twin_of(store, store.item("i0000")) is None
    assert not store.path.with_name(store.path.name + browse_index.SUFFIX).exists()
