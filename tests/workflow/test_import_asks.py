"""What a file leaves open is asked for at once, with the flags to copy; what was stored as a failure is filled in later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportRejected, ImportReport
from tests.factory import AT, make_store, xstest_policy

Rows = list[dict[str, Any]]


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_store(tmp_path, [])


def imported(store: SqliteStore, path: Path, rows: Rows, *, dry_run: bool = False, **stated: Any) -> ImportReport:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return import_files(store, xstest_policy(), [path], options_for(stated, {}), AT, dry_run=dry_run)


def judged(*classes: str, **more: str) -> Rows:
    return [{"id": str(n), "prompt": "p", "response": f"r{n}", "verdict": each, **more} for n, each in enumerate(classes)]


def verdicts(store: SqliteStore) -> list[str | None]:
    return [row[0] for row in store.database.connection.execute("SELECT outcome FROM verdicts ORDER BY item_id, outcome")]


@pytest.mark.parametrize("dry_run", [False, True])
def test_intent_and_classes_are_asked_for_at_once(store: SqliteStore, tmp_path: Path, *, dry_run: bool) -> None:
    with pytest.raises(ImportRejected) as caught:
        imported(store, tmp_path / "a.jsonl", judged("C", "C", "I"), dry_run=dry_run)
    told = str(caught.value)
    assert "(3 rows): --set intent=benign" in told
    assert "'C' (2), 'I' (1): --outcome C=OUTCOME --outcome I=OUTCOME" in told
    assert told.count("partial_refusal") == 1
    assert ("Sample 3" in told) is dry_run


def test_a_class_that_comes_back_is_asked_for_beside_known_ones(store: SqliteStore, tmp_path: Path) -> None:
    rows = judged(*["full_refusal"] * 30, "I", "I", intent="benign")
    with pytest.raises(ImportRejected, match="--outcome I=OUTCOME"):
        imported(store, tmp_path / "a.jsonl", rows)
    report = imported(store, tmp_path / "a.jsonl", rows, outcome={"I": "judge_failed"})
    assert report.files[0].judge_failed == {"judge": 2}


def test_a_text_that_occurs_once_fails_and_is_filled_in_later(store: SqliteStore, tmp_path: Path) -> None:
    rows = judged(*["full_refusal"] * 30, "I cannot", intent="benign")
    assert imported(store, tmp_path / "a.jsonl", rows).files[0].judge_failed == {"judge": 1}
    mended = imported(store, tmp_path / "a.jsonl", rows, outcome={"I cannot": "full_compliance"}).files[0]
    assert (mended.verdicts, mended.skipped) == (1, 0)
    assert None not in verdicts(store)
    assert not imported(store, tmp_path / "a.jsonl", rows, outcome={"I cannot": "full_compliance"}).changed


def test_a_class_may_depend_on_the_intent(store: SqliteStore, tmp_path: Path) -> None:
    rows = [*judged("pass", intent="benign"), *judged("pass", intent="harmful")]
    rows[1]["id"] = "other"
    imported(store, tmp_path / "a.jsonl", rows, outcome={"pass": "full_compliance", "harmful:pass": "full_refusal"})
    assert sorted(map(str, verdicts(store))) == ["full_compliance", "full_refusal"]


def test_only_rows_of_another_file_are_told_to_stay_with_it(store: SqliteStore, tmp_path: Path) -> None:
    rows = judged("full_refusal", intent="benign")
    assert "--set model=NAME" not in imported(store, tmp_path / "a.jsonl", [*rows, *rows]).files[0].remark
    assert "--set model=NAME" in imported(store, tmp_path / "b.jsonl", [{**rows[0], "judge": "other"}]).files[0].remark
