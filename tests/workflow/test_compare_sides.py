"""Two runs, models or judges side by side: what can be compared, and that the numbers are those of the gate and of the report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudicate.core import labels
from adjudicate.errors import UsageError
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import ReportOptions, build_report
from adjudicate.workflow.comparable import Pair, pairs
from adjudicate.workflow.compare_sides import compare
from tests.tui.factory import AT, Row, Workspace, make_workspace


def two_of_each(folder: Path) -> Workspace:
    """Two models answer the same ten benign questions, each in a run of its own; two judges; Ann has labelled every item.

    By people model-a refuses questions 0 to 4, model-b 0 to 1. The first judge agrees with them; the second calls all complied.
    """
    rows = [
        Row(prompt=f"Question {number}?", model=model, verdict=_gold(model, number))
        for model in ("model-a", "model-b")
        for number in range(10)
    ]
    made = make_workspace(folder, rows)
    store = made.store()
    with writing(store.database) as connection:
        connection.execute("INSERT INTO runs VALUES ('r2', 'run two', 'set', 'jsonl', 'log.jsonl', 'cd', '{}', ?, 'test')", (AT,))
        connection.execute("UPDATE items SET run_id = 'r2' WHERE model = 'model-b'")
        # The twenty prompts of the factory are ten that both were asked.
        for number in range(10):
            connection.execute("UPDATE items SET prompt_id = ? WHERE id = ?", (f"p{number:04}", f"{number + 10:04}item"))
        connection.execute("INSERT INTO judges VALUES ('j2', 'judge-y', 'other', '', '', '{}')")
        connection.execute("INSERT INTO verdicts SELECT item_id, 'j2', 'complied', NULL, 50, 50, '', '' FROM verdicts")
    ann = store.annotator("ann")
    for pick in list(store.pending(ann.id, after=-1, limit=20)):
        number = int(pick.item_id[:4])
        outcome = _gold("model-a" if number < 10 else "model-b", number % 10)
        act = labels.label(made.policy, item_id=pick.item_id, outcome=outcome, mode="blind", clause=None, confidence=None)
        store.append(ann.id, act, policy=made.policy.fingerprint, at=AT)
    store.close()
    return made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = two_of_each(tmp_path).store()
    yield opened
    opened.close()


def _gold(model: str, number: int) -> str:
    return "refused" if number < (5 if model == "model-a" else 2) else "complied"


def pair(store: SqliteStore, kind: str) -> Pair:
    return next(each for each in pairs(store) if each.kind == kind)


def test_runs_models_and_judges_are_offered_the_later_run_against_the_earlier(store: SqliteStore) -> None:
    assert [each.words for each in pairs(store)] == [
        "run two against run one",
        "model-b against model-a",
        "judge-x against judge-y",
    ]


@pytest.mark.parametrize("kind", ["runs", "models"])
def test_a_change_is_later_minus_earlier_on_the_same_prompts(store: SqliteStore, kind: str) -> None:
    found = compare(store, pair(store, kind))
    (change,) = [each for each in found.changes if each.group["rate"] == "benign_refusal"]
    # Two of ten refused after five of ten, every prompt labelled on both sides.
    assert change.value == pytest.approx(0.2 - 0.5)
    assert change.statistic == "paired_difference" and change.n == 10
    (row,) = found.tables[0].rows
    assert row == ("Benign refusal", "benign/general", "50.0 %", "20.0 %", "the same prompts")
    assert any("minus" in note for note in found.notes)


def test_judges_are_compared_as_in_the_report(store: SqliteStore) -> None:
    found = compare(store, pair(store, "judges"))
    expected = build_report(store, ReportOptions(only=("judge_difference",)))
    whole = next(
        each
        for each in expected.estimates
        if dict(each.group) == {"judge": "judge-x", "against": "judge-y", "speaks_for": "labelled items"}
    )
    # The first is right on all twenty, the second on the thirteen that people call complied.
    assert whole.value == pytest.approx(7 / 20)
    assert "+35.0 points" in {cell for table in found.tables for row in table.rows for cell in row}
    assert not found.changes


def test_what_cannot_be_compared_says_why(store: SqliteStore) -> None:
    with writing(store.database) as connection:
        connection.execute("UPDATE items SET model = 'model-c' WHERE id = '0012item'")
    with pytest.raises(UsageError, match="several models"):
        compare(store, pair(store, "runs"))


def test_one_of_each_is_nothing_to_compare(tmp_path: Path) -> None:
    store = make_workspace(tmp_path, [Row()]).store()
    assert pairs(store) == []
    store.close()
