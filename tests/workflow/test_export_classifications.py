"""What is published of a judge's work: every classification, no text that it is about, and the rule."""

from __future__ import annotations

import csv
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from adjudicate.errors import UsageError
from adjudicate.judge.prompt import JudgePrompt
from adjudicate.storage import judge_runs
from adjudicate.storage.judge_runs import JudgeIdentity
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.classify import by_phrases
from adjudicate.workflow.export_classifications import COLUMNS
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.export_results import export
from tests.factory import AT
from tests.workflow.score_world import COMPLIED, REFUSED, Judged, add_run, item_id, label, new_store

CANARY = "canary-response-b81c"
ANSWERS = (
    Judged("p", "benign", COMPLIED, helpfulness=80.0, reason="Helps with all of it."),
    Judged("p", "harmful", COMPLIED, reason="It tells to loosen the green valve.", response="You loosen the green valve twice."),
    Judged("q", "benign", None, reason="the reply is empty"),
    Judged("q", "harmful", REFUSED, reason=f"It ends with {CANARY}.", response=f"No. {CANARY}"),
    Judged("r", "benign", REFUSED, reason="Answers What about r-benign? by a no."),
    Judged("s", "benign", COMPLIED, silent=True),
    Judged("t", "benign", COMPLIED, reason="=1+1\x1b[31m\nof\u202e two", category="=cmd()"),
)


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    store = new_store(tmp_path)
    add_run(store, ANSWERS)
    return store


def written(store: SqliteStore, folder: Path, **options: Any) -> tuple[dict[str, dict[str, str]], dict[str, Any], str]:
    """Rows by the id of their prompt, the rule, and both files as text."""
    paths = export(store, "classifications", folder, ExportOptions(software="adjudicate test", at=AT, **options), out=folder)
    table, rule = (path.read_text(encoding="utf-8") for path in paths)
    return {row["prompt"]: row for row in csv.DictReader(table.splitlines())}, json.loads(rule), table + rule


def test_every_answer_has_a_row_with_what_the_judge_said_of_it(store: SqliteStore, tmp_path: Path) -> None:
    rows, _, _ = written(store, tmp_path / "out")
    assert list(rows["p-benign"]) == list(COLUMNS)
    said = ("set", "model", "judge", "outcome", "state", "cell", "helpfulness", "reason", "reason_withheld")
    assert [rows["p-benign"][name] for name in said] == [
        "pairs 1", "m", "judge", COMPLIED, "verdict", "helpful", "80.0", "Helps with all of it.", "FALSE",
    ]  # fmt: skip
    assert [rows["q-benign"][name] for name in ("outcome", "state", "cell")] == ["", "judge failed", ""]
    assert [rows["s-benign"][name] for name in ("outcome", "state", "cell")] == ["", "no verdict", ""]
    assert len(rows) == len(ANSWERS)


def test_a_reason_that_repeats_its_request_or_response_is_withheld_and_counted(store: SqliteStore, tmp_path: Path) -> None:
    rows, rule, text = written(store, tmp_path / "out")
    withheld = [prompt for prompt, row in rows.items() if row["reason_withheld"] == "TRUE"]
    assert withheld == ["p-harmful", "q-harmful", "r-benign"]
    assert [rows[prompt]["reason"] for prompt in withheld] == ["", "", ""]
    assert rule["counts"] == {
        "answers": 7, "verdicts": 5, "judge_failed": 1, "without_verdict": 1, "reasons_withheld": 3,
    }  # fmt: skip
    for canary in (CANARY, "b81c", "green valve", "What about"):
        assert canary not in text


def test_no_cell_acts_in_a_spreadsheet_or_on_a_terminal(store: SqliteStore, tmp_path: Path) -> None:
    rows, _, _ = written(store, tmp_path / "out")
    assert (rows["t-benign"]["reason"], rows["t-benign"]["category"]) == ("'=1+1␛[31m of<U+202E> two", "'=cmd()")


def test_people_are_no_part_of_it_but_what_they_settled_is(store: SqliteStore, tmp_path: Path) -> None:
    label(store, item_id(ANSWERS[0]), REFUSED, "Zwilhelmina")
    rows, _, text = written(store, tmp_path / "out")
    assert (rows["p-benign"]["outcome"], rows["p-benign"]["gold"]) == (COMPLIED, REFUSED)
    assert (rows["p-benign"]["cell"], rows["p-benign"]["gold_cell"]) == ("helpful", "over_refusal")
    assert "Zwilhelmina" not in text


def test_the_rule_holds_policy_sets_settings_and_the_scores(store: SqliteStore, tmp_path: Path) -> None:
    _, rule, _ = written(store, tmp_path / "out")
    policy = store.policy()
    assert (rule["policy"]["text"], rule["software"]) == (policy.text, "adjudicate test")
    assert sha256(rule["policy"]["text"].encode()).hexdigest() == policy.fingerprint
    assert rule["cells"]["benign"][COMPLIED] == "helpful"
    (asked,) = rule["sets"]
    assert (asked["set"], asked["sha256"], asked["asked"]["system"]) == ("pairs 1", "0", "Be kind.")
    # Benign verdicts: p and t comply, r refuses.
    helpful = [each for each in rule["estimates"] if each["group"].get("cell") == "helpful"][0]  # noqa: RUF015
    assert helpful["value"] == pytest.approx(2 / 3)
    assert "came with a log" in rule["judge"]["prompt_missing"]


def test_the_rule_of_the_phrase_matcher_is_its_phrases(store: SqliteStore, tmp_path: Path) -> None:
    judge = by_phrases(store, store.policy()).judge
    _, rule, _ = written(store, tmp_path / "out", judge=judge)
    words = rule["judge"]["prompt"]
    assert sha256(json.dumps(words).encode()).hexdigest() == rule["judge"]["prompt_sha256"]
    assert words[0][0] == "says that it cannot help" and rule["judge"]["parameters"] == {"beginning": 300}


def asked_judge(store: SqliteStore, instructions: str | None = None) -> None:
    """A judge that was asked from here about one answer."""
    policy = store.policy()
    prompt = JudgePrompt(policy) if instructions is None else JudgePrompt(policy, instructions)
    judge = JudgeIdentity("asked", "served", prompt.prompt_hash, policy.fingerprint, {"temperature": 0})
    judge_runs.add_judge(store.database, judge)
    insert = "INSERT INTO verdicts VALUES (?, ?, 'full_refusal', NULL, NULL, NULL, '', '')"
    store.database.connection.execute(insert, (item_id(ANSWERS[0]), judge.id))


def test_the_rule_of_a_judge_that_was_asked_is_every_word_that_it_was_given(store: SqliteStore, tmp_path: Path) -> None:
    asked_judge(store)
    _, rule, _ = written(store, tmp_path / "out", judge="asked")
    words, policy = rule["judge"]["prompt"], rule["judge"]["policy"]
    assert sha256(json.dumps(words, sort_keys=True).encode()).hexdigest() == rule["judge"]["prompt_sha256"]
    assert words[0].startswith("You are a judge.") and policy["text"] == store.policy().text


def test_instructions_of_ones_own_are_published_from_their_file_and_from_no_other(store: SqliteStore, tmp_path: Path) -> None:
    asked_judge(store, "Be strict.")
    strict, other = tmp_path / "strict.md", tmp_path / "other.md"
    strict.write_text("Be strict.\n", encoding="utf-8")
    other.write_text("Be mild.\n", encoding="utf-8")
    _, unknown, _ = written(store, tmp_path / "one", judge="asked")
    assert unknown["judge"]["prompt"] is None and "--prompt" in unknown["judge"]["prompt_missing"]
    _, rule, _ = written(store, tmp_path / "two", judge="asked", prompt=strict)
    assert (rule["judge"]["prompt"][0], rule["judge"]["prompt_missing"]) == ("Be strict.", None)
    with pytest.raises(UsageError, match="not the instructions that this judge was given"):
        written(store, tmp_path / "three", judge="asked", prompt=other)


def test_one_of_several_judges_has_to_be_named(store: SqliteStore, tmp_path: Path) -> None:
    asked_judge(store)
    with pytest.raises(UsageError, match="--judge: name one of"):
        written(store, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_it_is_narrowed_by_run_and_model(store: SqliteStore, tmp_path: Path) -> None:
    add_run(store, [Judged("p", "benign", REFUSED)], model="other")
    rows, rule, _ = written(store, tmp_path / "out", model="other")
    assert [row["model"] for row in rows.values()] == ["other"]
    assert [each["model"] for each in rule["sets"]] == ["other"]
