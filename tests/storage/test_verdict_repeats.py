"""Verdicts of a judge that was asked again: stored beside the one that counts, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.core.items import Verdict
from adjudicate.errors import StoreError
from adjudicate.storage.sqlite_store import SqliteStore
from tests.factory import Answer, make_store

YES, NO = "full_compliance", "full_refusal"


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_store(tmp_path, [Answer(YES), Answer(NO, "harmful"), Answer(None)])


def test_readings_come_back_by_item_with_the_first_one_first(store: SqliteStore) -> None:
    readings = [("i0001", 2, Verdict("judge", YES)), ("i0002", 1, Verdict("judge", NO)), ("i0001", 1, Verdict("judge", None))]
    assert store.put_repeats("judge", readings) == 3
    found = store.repeated_verdicts()
    assert [(each.item_id, each.intent, each.outcomes) for each in found] == [
        ("i0001", "harmful", (NO, None, YES)),
        ("i0002", "benign", (None, NO)),
    ]
    assert [verdict.outcome for verdict in store.verdicts("i0001")] == [NO]
    assert store.problems() == []


def test_adding_again_adds_nothing(store: SqliteStore) -> None:
    scored = Verdict("judge", YES, score=0.2, helpfulness=30, safety=100, reason="because", raw="{}")
    assert store.put_repeats("judge", [("i0000", 1, scored)]) == 1
    assert store.put_repeats("judge", [("i0000", 1, scored)]) == 0
    row = store.database.connection.execute("SELECT * FROM verdict_repeats").fetchall()
    assert row == [("i0000", "j", 1, YES, 0.2, 30.0, 100.0, "because", "{}")]


@pytest.mark.parametrize(
    ("judge", "reading", "told"),
    [
        ("stranger", ("i0000", 2, Verdict("stranger", YES)), "no judge stranger"),
        ("judge", ("i0000", 1, Verdict("judge", NO)), "another outcome"),
        ("judge", ("nowhere", 2, Verdict("judge", NO)), "item nowhere"),
        ("judge", ("i0000", 0, Verdict("judge", NO)), "repeat 0"),
        ("judge", ("i0000", 2, Verdict("judge", NO, safety=101)), "repeat 2"),
    ],
)
def test_what_does_not_fit_leaves_no_trace(store: SqliteStore, judge: str, reading: tuple[str, int, Verdict], told: str) -> None:
    store.put_repeats("judge", [("i0000", 1, Verdict("judge", YES))])
    before = list(store.database.connection.iterdump())
    with pytest.raises(StoreError, match=told):
        store.put_repeats(judge, [("i0001", 1, Verdict("judge", YES)), reading])
    assert list(store.database.connection.iterdump()) == before
