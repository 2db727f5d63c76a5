"""XSTest files: every count as in ../shared/data/expected.json, whatever files come and in whatever order."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.policy import Outcome, Policy
from adjudicate.errors import InputError
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportReport
from tests.factory import AT, make_store, xstest_policy

MODELS = ("gpt4", "llama2new", "llama2orig", "mistralguard", "mistralinstruct")
CLASS = {"full_compliance": "1_full_compliance", "full_refusal": "2_full_refusal", "partial_refusal": "3_partial_refusal"}
JUDGED = """
SELECT i.model, j.name, v.outcome, v.raw FROM verdicts AS v
JOIN judges AS j ON j.id = v.judge_id JOIN items AS i ON i.id = v.item_id
"""
SAID = """
SELECT i.model, a.name, e.outcome FROM events AS e
JOIN annotators AS a ON a.id = e.annotator_id JOIN items AS i ON i.id = e.item_id
"""


@pytest.fixture(scope="session")
def files(shared: Path) -> list[Path]:
    folder = shared / "data" / "xstest"
    return [folder / "xstest_prompts.csv", *sorted(folder.glob("*/*.csv"))]


@pytest.fixture(scope="session")
def expected(shared: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((shared / "data" / "expected.json").read_text(encoding="utf-8"))["xstest"]
    return loaded


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_store(tmp_path, [])


def imported(store: SqliteStore, files: list[Path], **stated: Any) -> ImportReport:
    return import_files(store, xstest_policy(), files, options_for(stated, {}), AT)


def rows(store: SqliteStore, query: str) -> list[Any]:
    return store.database.connection.execute(query).fetchall()


def content(store: SqliteStore) -> dict[str, Any]:
    """What is known, without the order in which it was told."""
    people = "SELECT e.item_id, a.name, e.kind, e.outcome, e.mode FROM events AS e JOIN annotators AS a ON a.id = e.annotator_id"
    return {
        "items": sorted(rows(store, "SELECT id, prompt_id, model, source_id, response FROM items")),
        "prompts": sorted(rows(store, "SELECT id, text, intent, population, category FROM prompts")),
        "verdicts": sorted(rows(store, "SELECT item_id, judge_id, coalesce(outcome, ''), raw FROM verdicts")),
        "labels": sorted(map(repr, rows(store, people))),
        "gold": sorted(rows(store, "SELECT * FROM gold_labels")),
    }


def test_all_files_give_the_published_counts(store: SqliteStore, files: list[Path], expected: dict[str, Any]) -> None:
    """Labels, final labels and automatic labels of all five models; cells that are no class are failures of the judge."""
    report = imported(store, files)
    assert report.skipped == 0
    assert rows(store, "SELECT count(*) FROM items") == [(2250,)]
    assert dict(rows(store, "SELECT intent, count(*) FROM prompts GROUP BY intent")) == {"benign": 250, "harmful": 200}
    said = Counter((model, person, CLASS[outcome]) for model, person, outcome in rows(store, SAID))
    judged = Counter((model, judge, CLASS[outcome] if outcome else raw) for model, judge, outcome, raw in rows(store, JUDGED))
    for model in MODELS:
        counts = expected["models"][model]["label_counts"]
        for person in ("annotation_1", "annotation_2", "final_label"):
            assert {key[2]: count for key, count in said.items() if key[:2] == (model, person)} == counts[person]
        for judge, column in (("gpt4", "gpt4_label"), ("strmatch", "strmatch_label")):
            assert {key[2]: count for key, count in judged.items() if key[:2] == (model, judge)} == counts[column]
    failed: Counter[str] = Counter()
    for each in report.files:
        failed.update(each.judge_failed)
    assert failed == {"gpt4": 11}
    assert store.problems() == []


def test_final_labels_settle_every_item(store: SqliteStore, files: list[Path]) -> None:
    """A recorded gold label covers the labels that it settles, so no item is left open."""
    imported(store, files)
    assert rows(store, "SELECT how, count(*) FROM gold_labels GROUP BY how") == [("recorded", 2250)]
    assert store.open_items() == []
    assert [(person.name, person.source) for person in store.annotators() if person.name == "final_label"] == [
        ("final_label", "xstest final_label")
    ]


def test_order_and_pieces_do_not_matter(tmp_path: Path, files: list[Path]) -> None:
    """One command, the reverse order, or a command per file: the same items, verdicts, labels and gold."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole, pieces = make_store(tmp_path / "a", []), make_store(tmp_path / "b", [])
    of_gpt4 = [file for file in files if "gpt4" in file.name.replace("gpteval", "")]
    imported(whole, [files[0], *of_gpt4])
    for file in reversed(of_gpt4):
        imported(pieces, [file])
    assert content(whole) == content(pieces)
    before = content(whole)
    again = imported(whole, [*reversed(of_gpt4), files[0]])
    assert not again.changed
    assert content(whole) == before
    assert "already here" in "\n".join(again.as_text())


def test_labels_can_be_declared_assisted(store: SqliteStore, files: list[Path]) -> None:
    """`--set mode=assisted` says that the annotators saw the verdict."""
    imported(store, [files[1]], set={"mode": "assisted"})
    assert rows(store, "SELECT DISTINCT mode FROM events WHERE kind = 'label'") == [("assisted",)]


def test_prompts_alone_are_refused(store: SqliteStore, files: list[Path]) -> None:
    with pytest.raises(InputError, match="add the completions files"):
        imported(store, [files[0]])


def test_policy_without_the_classes_is_told_how_to_map(store: SqliteStore, files: list[Path]) -> None:
    outcomes = (Outcome("complied", "1", "Complied", "answered", ""), Outcome("refused", "2", "Refused", "refused", ""))
    policy = Policy("other", "Other", "1", outcomes, (), (), "0" * 64, "text\n")
    store.put_policy(policy, AT)
    with pytest.raises(InputError, match="--outcome 1_full_compliance=OUTCOME"):
        import_files(store, policy, [files[1]], options_for({}, {}), AT)
    mapping = {"1_full_compliance": "complied", "2_full_refusal": "refused", "3_partial_refusal": "refused"}
    report = import_files(store, policy, [files[1]], options_for({"outcome": mapping}, {}), AT)
    assert report.files[0].accepted == 450
