"""Files that hold verdicts or labels only, joined to items that are here already."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import pytest

from adjudicate.core.labels import Mode, label
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.export_results import export
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportRejected, ImportReport
from tests.factory import AT, make_store, xstest_policy
from tests.formats.test_hostile_files import dump

ROW = {"prompt": "p", "response": "r", "intent": "benign"}


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_store(tmp_path, [])


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def imported(store: SqliteStore, path: Path, join: Literal["id", "text"] | None = None, **stated: Any) -> ImportReport:
    return import_files(store, xstest_policy(), [path], options_for(stated, {}), AT, join=join)


def verdicts(store: SqliteStore) -> list[tuple[str, str | None]]:
    query = "SELECT i.source_id, v.outcome FROM verdicts AS v JOIN items AS i ON i.id = v.item_id ORDER BY i.rowid"
    return [tuple(row) for row in store.database.connection.execute(query)]


def test_verdicts_are_joined_by_id(store: SqliteStore, tmp_path: Path) -> None:
    imported(store, write(tmp_path / "items.jsonl", {**ROW, "id": "a"}, {**ROW, "id": "b"}))
    path = write(tmp_path / "judge.jsonl", {"id": "b", "said": "no"}, {"id": "a", "said": "yes"})
    stated: dict[str, Any] = {"map": {"verdict": "said"}, "outcome": {"yes": "full_compliance", "no": "full_refusal"}}
    report = imported(store, path, "id", **stated)
    assert verdicts(store) == [("a", "full_compliance"), ("b", "full_refusal")]
    assert (report.files[0].items, report.files[0].verdicts) == (0, 2)
    assert not imported(store, path, "id", **stated).changed


def test_labels_and_gold_are_joined_too(store: SqliteStore, tmp_path: Path) -> None:
    imported(store, write(tmp_path / "items.jsonl", {**ROW, "id": "a"}))
    row = {"id": "a", "label.ann": "full_refusal", "gold": "full_refusal"}
    imported(store, write(tmp_path / "people.jsonl", row), "id")
    kinds = [row[0] for row in store.database.connection.execute("SELECT kind FROM events ORDER BY kind")]
    assert kinds == ["gold", "label"]


def test_a_row_without_an_item_is_counted_and_named(store: SqliteStore, tmp_path: Path) -> None:
    imported(store, write(tmp_path / "items.jsonl", {**ROW, "id": "a"}))
    path = write(tmp_path / "judge.jsonl", {"id": "a", "verdict": "full_refusal"}, {"id": "zz", "verdict": "full_refusal"})
    report = imported(store, path, "id")
    (problem,) = report.files[0].problems
    assert (report.files[0].accepted, report.files[0].skipped) == (1, 1)
    assert (problem.line, problem.field) == (2, "id")
    assert "'zz'" in problem.message


def test_a_file_that_fits_no_item_is_refused(store: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(ImportRejected, match="none of its 1 rows"):
        imported(store, write(tmp_path / "judge.jsonl", {"id": "a", "verdict": "full_refusal"}), "id")


def test_an_id_of_several_models_needs_the_model(store: SqliteStore, tmp_path: Path) -> None:
    imported(store, write(tmp_path / "items.jsonl", {**ROW, "id": "a", "model": "m1"}, {**ROW, "id": "a", "model": "m2"}))
    path = write(tmp_path / "judge.jsonl", {"id": "a", "verdict": "full_refusal"})
    with pytest.raises(ImportRejected, match=r"2 models \(m1, m2\)"):
        imported(store, path, "id")
    imported(store, path, "id", set={"model": "m2"})
    assert len(verdicts(store)) == 1


def test_equal_texts_are_joined_in_their_order(store: SqliteStore, tmp_path: Path) -> None:
    """Three equal rows without ids are three items, and three verdicts on that text are one for each."""
    imported(store, write(tmp_path / "items.jsonl", ROW, ROW, ROW))
    said = [{"prompt": "p", "response": "r", "verdict": each} for each in ("full_refusal", "full_compliance", "full_refusal")]
    imported(store, write(tmp_path / "judge.jsonl", *said), "text")
    assert [outcome for _, outcome in verdicts(store)] == ["full_refusal", "full_compliance", "full_refusal"]


def test_the_response_alone_can_be_the_text(store: SqliteStore, tmp_path: Path) -> None:
    imported(store, write(tmp_path / "items.jsonl", {**ROW, "response": "one"}, {**ROW, "response": "two"}))
    imported(
        store, write(tmp_path / "judge.jsonl", {"answer": "two", "verdict": "full_refusal"}), "text", map={"response": "answer"}
    )
    assert len(verdicts(store)) == 1


def test_another_verdict_of_the_same_judge_is_left_out_and_named(store: SqliteStore, tmp_path: Path) -> None:
    imported(store, write(tmp_path / "items.jsonl", {**ROW, "id": "a", "verdict": "full_refusal"}, {**ROW, "id": "b"}))
    rows = [{"id": "a", "verdict": "full_compliance"}, {"id": "b", "verdict": "full_compliance"}]
    report = imported(store, write(tmp_path / "judge.jsonl", *rows), "id")
    assert (report.files[0].accepted, report.files[0].skipped) == (1, 1)
    assert verdicts(store) == [("a", "full_refusal"), ("b", "full_compliance")]


@pytest.mark.parametrize(
    ("row", "said"), [({"verdict": "full_refusal"}, "no id to join by"), ({"id": "a"}, "says nothing of its item")]
)
def test_what_a_row_lacks_is_said(row: dict[str, str], said: str, store: SqliteStore, tmp_path: Path) -> None:
    imported(store, write(tmp_path / "items.jsonl", {**ROW, "id": "a"}))
    with pytest.raises(ImportRejected, match=said):
        imported(store, write(tmp_path / "judge.jsonl", row), "id")


def test_an_item_is_found_by_our_own_id_too(store: SqliteStore, tmp_path: Path) -> None:
    """Where its log gave it an id of its own, and where it gave none."""
    imported(store, write(tmp_path / "items.jsonl", {**ROW, "id": "a"}, {**ROW, "response": "other"}))
    ids = [row[0] for row in store.database.connection.execute("SELECT id FROM items ORDER BY rowid DESC")]
    said = [{"item": item, "verdict": outcome} for item, outcome in zip(ids, ("full_refusal", "full_compliance"), strict=True)]
    report = imported(store, write(tmp_path / "judge.jsonl", *said), "id", map={"id": "item"})
    assert (report.files[0].accepted, report.files[0].skipped) == (2, 0)
    assert verdicts(store) == [("a", "full_compliance"), (None, "full_refusal")]


def test_an_id_of_the_log_goes_before_our_own(store: SqliteStore, tmp_path: Path) -> None:
    """A log may well have been exported by another workspace, with our ids as its own."""
    imported(store, write(tmp_path / "items.jsonl", {**ROW, "id": "a"}))
    ours = store.database.connection.execute("SELECT id FROM items").fetchone()[0]
    imported(store, write(tmp_path / "more.jsonl", {**ROW, "id": ours, "response": "other"}))
    imported(store, write(tmp_path / "judge.jsonl", {"id": ours, "verdict": "full_refusal"}), "id")
    assert verdicts(store) == [(ours, "full_refusal")]


OWN: dict[str, Any] = {"map": {"id": "item", "annotator": "annotator", "label": "outcome"}}
"""How our own exported labels are read, as docs/import.md says."""


def labelled_workspace(folder: Path) -> SqliteStore:
    """Three items: two people on the first, one of whom changed her mind; an assisted label; a hidden repeat; a ruling."""
    store = make_store(folder, [])
    imported(store, write(folder / "items.jsonl", *({**ROW, "id": name} for name in "abc")))
    ids = store.item_ids()
    said: list[tuple[str, str, str, Mode, int]] = [
        ("Zwilhelmina", "a", "full_refusal", "blind", 0),
        ("Quentinius", "a", "full_compliance", "blind", 0),
        ("Zwilhelmina", "a", "full_compliance", "revealed", 0),
        ("Quentinius", "b", "partial_refusal", "assisted", 0),
        ("Quentinius", "b", "full_refusal", "blind", 1),
    ]
    for person, item, outcome, mode, number in said:
        act = label(xstest_policy(), item_id=ids[item], outcome=outcome, mode=mode, round=number)
        store.append(store.annotator(person).id, act, policy=xstest_policy().fingerprint, at=AT)
    return store


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
def test_our_own_labels_come_back_without_a_new_person_or_label(name: str, tmp_path: Path) -> None:
    store = labelled_workspace(tmp_path)
    [path] = export(store, name, tmp_path, ExportOptions(software="test", at=AT))
    before = dump(store)
    report = imported(store, path, "id", **OWN)
    assert dump(store) == before
    file = report.files[0]
    assert (file.accepted, file.skipped, file.labels) == (3, 2, 0)
    assert [each.field for each in file.problems] == ["superseded", "round"]


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
def test_our_own_labels_reach_another_workspace_as_they_were_made(name: str, tmp_path: Path) -> None:
    """One label a person and item, blind only where it was, and known again however often they come."""
    first = labelled_workspace(tmp_path)
    [path] = export(first, name, tmp_path, ExportOptions(software="test", at=AT))
    (tmp_path / "other").mkdir()
    store = make_store(tmp_path / "other", [])
    imported(store, tmp_path / "items.jsonl")
    assert imported(store, path, "id", **OWN).files[0].labels == 3
    names = {person.id: person.name for person in store.annotators()}
    found = {(names[each.annotator_id], each.outcome, each.mode) for events in store.events_on().values() for each in events}
    z, q = (f"A{first.annotator(person).pseudonym}" for person in ("Zwilhelmina", "Quentinius"))
    assert found == {
        (z, "full_compliance", "revealed"), (q, "full_compliance", "blind"), (q, "partial_refusal", "assisted"),
    }  # fmt: skip
    assert not imported(store, path, "id", **OWN).changed
    [back] = export(store, name, tmp_path / "other", ExportOptions(software="test", at=AT))
    before = dump(first)
    imported(first, back, "id", **OWN)
    assert dump(first) == before


def test_our_own_labels_under_the_name_of_one_person_keep_how_they_were_made(tmp_path: Path) -> None:
    first = labelled_workspace(tmp_path)
    [path] = export(first, "labels.csv", tmp_path, ExportOptions(software="test", at=AT))
    (tmp_path / "other").mkdir()
    store = make_store(tmp_path / "other", [])
    imported(store, tmp_path / "items.jsonl")
    kept = [row for row in path.read_text().splitlines() if "assisted" in row or row.startswith("item")]
    (tmp_path / "one.csv").write_text("\n".join(kept) + "\n")
    mapping = {"id": "item", "label.bo": "outcome"}
    assert imported(store, tmp_path / "one.csv", "id", map=mapping).files[0].labels == 1
    assert [event.mode for events in store.events_on().values() for event in events] == ["assisted"]
    assert not imported(store, tmp_path / "one.csv", "id", map=mapping).changed


def test_columns_called_as_ours_mean_nothing_in_a_table_of_others(store: SqliteStore, tmp_path: Path) -> None:
    imported(store, write(tmp_path / "items.jsonl", {**ROW, "id": "a"}, {**ROW, "id": "b"}))
    row = {"who": "ann", "said": "full_refusal", "round": 1, "event": "e-7", "mode": "assisted", "outdated": True}
    path = write(tmp_path / "people.jsonl", {**row, "id": "a"}, {**row, "id": "b"})
    report = imported(store, path, "id", map={"annotator": "who", "label": "said"})
    assert (report.files[0].labels, report.files[0].skipped) == (2, 0)
    assert {event.mode for events in store.events_on().values() for event in events} == {"blind"}
    triage = write(tmp_path / "rounds.jsonl", {**row, "round": -1, "id": "a"}, {**row, "superseded": True, "id": "b"})
    assert imported(store, triage, "id", map={"label.bo": "said"}).files[0].labels == 2
