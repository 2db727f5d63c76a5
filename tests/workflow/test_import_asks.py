"""What a file leaves open is asked for at once, with the flags to copy; what was stored as a failure is filled in later."""

from __future__ import annotations

import json
import re
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


def judged(*classes: object, **more: str) -> Rows:
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


@pytest.mark.parametrize("single", ["perhaps", [None, True]])
def test_a_judge_with_one_verdict_is_asked_about_it(single: Any, store: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(ImportRejected, match=r"=OUTCOME") as refused:
        imported(store, tmp_path / "a.jsonl", judged(single, intent="benign"))
    assert ("'perhaps' (1): --outcome perhaps=OUTCOME" in str(refused.value)) is (single == "perhaps")
    assert verdicts(store) == []


def test_what_a_failed_verdict_said_is_reported(store: SqliteStore, tmp_path: Path) -> None:
    report = imported(store, tmp_path / "a.jsonl", judged(*["full_refusal"] * 30, "I cannot", intent="benign"))
    assert report.as_json()["files"][0]["unread_verdicts"] == {"judge": {"I cannot": 1}}
    assert "judge failed: judge 1 times; instead of an outcome it said 'I cannot' (1)" in "\n".join(report.as_text())


@pytest.mark.parametrize("rare", ["I", "0.5", "false", "a-short-word"])
def test_one_verdict_of_a_class_among_hundreds_is_asked_for(rare: str, store: SqliteStore, tmp_path: Path) -> None:
    """A judge that flags one response in three hundred must not have failed there."""
    rows = judged(*["full_compliance"] * 299, rare, intent="harmful")
    with pytest.raises(ImportRejected, match=re.escape(f"'{rare}' (1): --outcome {rare}=OUTCOME")):
        imported(store, tmp_path / "a.jsonl", rows)
    assert imported(store, tmp_path / "a.jsonl", rows, outcome={rare: "judge_failed"}).files[0].judge_failed == {"judge": 1}


def test_garbage_of_many_words_is_not_asked_for_word_by_word(store: SqliteStore, tmp_path: Path) -> None:
    rows = judged(*["full_compliance"] * 291, *[f"x{number}y" for number in range(9)], intent="harmful")
    assert imported(store, tmp_path / "a.jsonl", rows).files[0].judge_failed == {"judge": 9}
    eight = judged(*["full_compliance"] * 291, *[f"x{number}y" for number in range(8)], intent="harmful", model="b")
    with pytest.raises(ImportRejected, match="--outcome x0y=OUTCOME"):
        imported(store, tmp_path / "b.jsonl", eight)


def test_intents_are_asked_for_beside_the_classes_even_where_some_rows_have_one(store: SqliteStore, tmp_path: Path) -> None:
    """The file is refused for its classes anyway, so the second question must not wait for the answer to the first."""
    rows = [*judged("C", "I", intent="benign"), *judged("C", "I", intent="homonym")]
    with pytest.raises(ImportRejected) as refused:
        imported(store, tmp_path / "a.jsonl", rows)
    told = str(refused.value)
    assert "'homonym' (2): --set intent.homonym=INTENT" in told and "'C' (2), 'I' (2): --outcome C=OUTCOME" in told
    assert "line 3" not in told, "said once, as a question"
    assert [(each.option, each.key) for each in refused.value.questions] == [
        ("set", "intent.homonym"), ("outcome", "C"), ("outcome", "I"),
    ]  # fmt: skip


def test_where_the_classes_are_known_a_row_without_an_intent_is_left_out_and_nothing_is_asked(
    store: SqliteStore, tmp_path: Path
) -> None:
    rows = [*judged("full_refusal", intent="benign"), *judged("full_refusal", intent="homonym")]
    file = imported(store, tmp_path / "a.jsonl", rows).files[0]
    assert (file.accepted, [(each.line, each.field) for each in file.problems]) == (1, [(2, "intent")])
