"""Exports that become data for others: prompts for the next run, a set for the judge, pairs for training, the database itself."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core import labels
from adjudicate.errors import UsageError
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.export_results import export
from adjudicate.workflow.import_items import import_files, options_for
from tests.factory import AT, make_store, xstest_policy

PAIRS = 40


def row(number: int, intent: str, outcome: str, verdict: str) -> dict[str, str]:
    return {
        "id": f"{intent}-{number}", "prompt": f"{intent} request {number}", "response": f"answer {number}", "intent": intent,
        "pair": f"pair-{number}", "verdict": verdict, "judge": "j", "gold": outcome, "model": "m",
    }  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    """Pairs answered and refused as they should be; pair 0 complied with harm, and the judge errs on every fourth benign item."""
    opened = make_store(tmp_path, [])
    rows = []
    for number in range(PAIRS):
        rows.append(row(number, "benign", "full_compliance", "full_compliance" if number % 4 else "full_refusal"))
        harmful = "full_refusal" if number else "full_compliance"
        rows.append(row(number, "harmful", harmful, "full_refusal"))
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    import_files(opened, xstest_policy(), [path], options_for({}, {}), AT)
    return opened


def exported(store: SqliteStore, name: str, folder: Path, **options: Any) -> list[dict[str, Any]]:
    (path,) = export(store, name, folder, ExportOptions(at=AT, **options))
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_pairs_hold_right_responses_of_complete_pairs_only(store: SqliteStore, tmp_path: Path) -> None:
    rows = exported(store, "pairs", tmp_path, with_text=True)
    assert {each["pair"] for each in rows} == {f"pair-{number}" for number in range(1, PAIRS)}
    assert {(each["intent"], each["outcome"]) for each in rows} == {("benign", "full_compliance"), ("harmful", "full_refusal")}
    assert rows[0]["messages"][-1] == {"role": "assistant", "content": f"answer {rows[0]['pair'].removeprefix('pair-')}"}


def test_no_pair_straddles_two_splits(store: SqliteStore, tmp_path: Path) -> None:
    splits: dict[str, set[str]] = {}
    for each in exported(store, "pairs", tmp_path, with_text=True):
        splits.setdefault(each["pair"], set()).add(each["split"])
    assert all(len(found) == 1 for found in splits.values())
    assert set.union(*splits.values()) == {"train", "test", "holdout"}


def test_pairs_are_refused_without_texts(store: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--with-text"):
        export(store, "pairs", tmp_path / "out", ExportOptions(at=AT))


def test_the_judge_set_shows_errors_and_tests_on_other_prompts(store: SqliteStore, tmp_path: Path) -> None:
    rows = exported(store, "judge-set", tmp_path)
    parts: dict[str, set[str]] = {"few_shot": set(), "regression": set()}
    for each in rows:
        parts[each["part"]].add(each["source_id"].partition("-")[2])
    assert parts["few_shot"]
    assert not parts["few_shot"] & parts["regression"]
    shown = [each for each in rows if each["part"] == "few_shot"]
    assert all(each["verdict"] != each["gold"] for each in shown)
    directions = {each["source_id"]: each["direction"] for each in rows}
    # The judge called pair 0's harmful compliance a refusal, every fourth benign answer a refusal, and was right elsewhere.
    wrong = {f"benign-{number}" for number in range(0, PAIRS, 4)} & directions.keys()
    assert {directions[name] for name in wrong} == {"false_alarm"}
    assert directions.get("harmful-0", "false_safe") == "false_safe"
    assert {directions[name] for name in directions.keys() - wrong - {"harmful-0"}} == {None}


def test_several_judges_need_one_to_be_named(store: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text(json.dumps({"id": "benign-1", "verdict": "full_refusal", "judge": "k"}) + "\n", encoding="utf-8")
    import_files(store, xstest_policy(), [path], options_for({}, {}), AT, join="id")
    with pytest.raises(UsageError, match="--judge"):
        exported(store, "judge-set", tmp_path)
    assert len(exported(store, "judge-set", tmp_path, judge="k")) <= 1


def test_prompts_carry_the_intent_that_was_ruled_and_import_again(store: SqliteStore, tmp_path: Path) -> None:
    policy = store.policy()
    item = store.item_ids()["harmful-0"]
    ruling = labels.resolution(
        policy, item_id=item, outcome="full_compliance", rationale="asks for first aid", settles=[], intent="benign"
    )
    store.append(store.annotator("lead").id, ruling, policy=policy.fingerprint, at=AT)
    rows = {each["id"]: each for each in exported(store, "prompts", tmp_path, with_text=True)}
    moved = rows["harmful-0"]
    assert (moved["intent"], moved["declared_intent"], moved["changed"]) == ("benign", "harmful", True)
    assert moved["reason"] == "asks for first aid"
    assert len(rows) == 2 * PAIRS
    assert sum(each["changed"] for each in rows.values()) == 1
    fresh = make_store(tmp_path / "fresh", [])
    path = tmp_path / "prompts.jsonl"
    report = import_files(fresh, xstest_policy(), [path], options_for({"set": {"response": ""}}, {}), AT)
    assert report.files[0].accepted == 2 * PAIRS
    assert fresh.populations() == {"benign": PAIRS + 1, "harmful": PAIRS - 1}


def test_the_published_database_opens_in_datasette(store: SqliteStore, tmp_path: Path) -> None:
    (path,) = export(store, "sqlite", tmp_path, ExportOptions(at=AT))
    query = [sys.executable, "-m", "datasette", str(path), "--get", "/adjudicate/gold_labels.json?_shape=array&_size=max"]
    answered = subprocess.run(query, capture_output=True, text=True, check=True)
    assert len(json.loads(answered.stdout)) == 2 * PAIRS


def test_the_published_database_is_sound_and_no_workspace(store: SqliteStore, tmp_path: Path) -> None:
    (path,) = export(store, "sqlite", tmp_path, ExportOptions(at=AT))
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("SELECT count(*) FROM items WHERE response <> '' OR source <> ''").fetchone() == (0,)
    connection.close()
    with pytest.raises(Exception, match="not"):
        SqliteStore.open(path)


def test_exporting_again_replaces_the_published_database(store: SqliteStore, tmp_path: Path) -> None:
    for _ in range(2):
        (path,) = export(store, "sqlite", tmp_path, ExportOptions(at=AT))
    assert sorted(each.name for each in tmp_path.iterdir() if "sqlite" in each.name) == [path.name]
