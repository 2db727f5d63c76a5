"""Validation sets for Inspect Scout: ids, True and False, as Scout and our own import read them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from adjudicate.errors import UsageError
from adjudicate.formats.import_options import ImportOptions
from adjudicate.formats.readers import recognised
from adjudicate.formats.text_file import open_source
from adjudicate.storage.sqlite_store import SqliteStore
from tests.factory import make_store, xstest_policy
from tests.formats.inspect_files import archive, sample
from tests.workflow.written_back import imported, item_ids, label, written

YES, NO, PART = "full_compliance", "full_refusal", "partial_refusal"
BENIGN = next(rate for rate in xstest_policy().rates if rate.among == "benign")
HARMFUL = next(rate for rate in xstest_policy().rates if rate.among == "harmful")


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_store(tmp_path, [])


def cases(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def log(tmp_path: Path, *ids: str, intent: str = "benign") -> Path:
    path = tmp_path / f"{intent}.jsonl"
    rows = [{"id": each, "prompt": f"p {intent}", "response": "r", "intent": intent} for each in ids]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_case_has_the_uuid_of_its_sample_and_whether_gold_counts(store: SqliteStore, tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", sample("s-1", uuid="uA1"), sample("s-2", uuid="uB2"), sample("s-3"))
    imported(store, path, set={"intent": "benign"}, outcome={"C": YES})
    first, second, third = item_ids(store)
    label(store, "ann", {first: NO, second: YES, third: PART})
    out, told = written(store, "scout", tmp_path / "out", rate=BENIGN.id)
    assert out.read_text(encoding="utf-8").splitlines()[0] == "id,target,predicate"
    said = {"uA1": NO, "uB2": YES, "s-3": PART}
    assert cases(out) == [
        {"id": name, "target": "True" if outcome in BENIGN.counts else "False", "predicate": "eq"}
        for name, outcome in said.items()
    ]
    assert told == []
    assert recognised(open_source(out)).name == "scout-validation"
    with pytest.raises(Exception, match="labels only"):
        recognised(open_source(out)).plan([open_source(out)], ImportOptions(), xstest_policy())


def test_a_rate_speaks_of_its_own_intent_and_an_outcome_of_all(store: SqliteStore, tmp_path: Path) -> None:
    imported(store, log(tmp_path, "a"), log(tmp_path, "h", intent="harmful"))
    label(store, "ann", dict.fromkeys(item_ids(store), YES))
    assert [row["id"] for row in cases(written(store, "scout", tmp_path / "one", rate=HARMFUL.id)[0])] == ["h"]
    found = cases(written(store, "scout", tmp_path / "two", rate=YES)[0])
    assert [(row["id"], row["target"]) for row in found] == [("a", "True"), ("h", "True")]
    assert [row["target"] for row in cases(written(store, "scout", tmp_path / "three", rate=NO)[0])] == ["False", "False"]


def test_ids_that_scout_would_read_otherwise_are_lists_of_one(store: SqliteStore, tmp_path: Path) -> None:
    """Scout splits an id at commas, and pandas reads numbers and missing values out of a column of ids."""
    imported(store, log(tmp_path, "a,b", "007", "12", "nan", "1e5", "plain-1.2", "21282d39-d884"))
    label(store, "ann", dict.fromkeys(item_ids(store), YES))
    found = [row["id"] for row in cases(written(store, "scout", tmp_path / "out", rate=YES)[0])]
    assert found == ['["a,b"]', '["007"]', "12", '["nan"]', '["1e5"]', "plain-1.2", "21282d39-d884"]


def test_what_is_open_or_nameless_is_left_out_and_told(store: SqliteStore, tmp_path: Path) -> None:
    path = log(tmp_path, "a", "b")
    path.write_text(path.read_text(encoding="utf-8") + '{"prompt":"q","response":"r","intent":"benign"}\n', encoding="utf-8")
    imported(store, path)
    first, second, third = item_ids(store)
    label(store, "ann", {first: YES, second: YES, third: YES})
    label(store, "ben", {second: NO})
    out, told = written(store, "scout", tmp_path / "out", rate=YES)
    assert [row["id"] for row in cases(out)] == ["a"]
    assert told == ["1 items wait for a ruling and are left out", "1 settled items have no id of their log and are left out"]


def test_the_question_has_to_be_asked_and_to_be_one(store: SqliteStore, tmp_path: Path) -> None:
    imported(store, log(tmp_path, "a"))
    with pytest.raises(UsageError, match=f"say with --rate.*{BENIGN.id}.*{YES}"):
        written(store, "scout", tmp_path / "out")
    with pytest.raises(UsageError, match="no rate and no outcome of the policy"):
        written(store, "scout", tmp_path / "out", rate="nope")
    with pytest.raises(UsageError, match="no item that it speaks of is settled"):
        written(store, "scout", tmp_path / "out", rate=YES)
    with pytest.raises(UsageError, match="asks no yes or no"):
        written(store, "gold.csv", tmp_path / "out", rate=YES)


def test_the_set_can_be_joined_to_the_log_again(store: SqliteStore, tmp_path: Path) -> None:
    path = log(tmp_path, "a", "b")
    imported(store, path)
    first, second = item_ids(store)
    label(store, "ann", {first: YES, second: NO})
    out, _ = written(store, "scout", tmp_path / "out", rate=YES)
    other = make_store(tmp_path / "other", [])
    imported(other, path)
    imported(other, out, join="id", map={"gold": "target"}, outcome={"True": YES, "False": NO})
    assert [other.events_on([item])[item][0].outcome for item in (first, second)] == [YES, NO]
    other.close()


def test_a_real_set_has_the_same_columns_and_kinds_of_cells(store: SqliteStore, tmp_path: Path, shared: Path) -> None:
    """The shape of a set that Scout's own users keep beside its logs, over the samples of one of those logs."""
    folder = shared / "data" / "logs" / "inspect_scout"
    imported(store, next(folder.glob("*popularity*.eval")), set={"intent": "benign"}, outcome={"C": YES, "I": NO})
    label(store, "ann", dict.fromkeys(item_ids(store), NO))
    found = cases(written(store, "scout", tmp_path / "out", rate=NO)[0])
    theirs = cases(folder / "validation_refusal.csv")
    assert found[0].keys() == theirs[0].keys()
    assert {row["target"] for row in found} < {row["target"] for row in theirs}
    assert {len(row["id"]) for row in found} == {len(row["id"]) for row in theirs}


def test_a_set_of_uuids_can_be_joined_to_the_log_again(store: SqliteStore, tmp_path: Path) -> None:
    """Scout knows samples by their uuids; the items by the ids of the samples."""
    path = archive(tmp_path / "log.eval", sample("s-1", uuid="uA1"), sample("s-2", uuid="007"), sample("s-3"))
    stated: dict[str, Any] = {"set": {"intent": "benign"}, "outcome": {"C": YES}}
    imported(store, path, **stated)
    ids = item_ids(store)
    label(store, "ann", dict(zip(ids, (NO, YES, NO), strict=True)))
    out, _ = written(store, "scout", tmp_path / "out", rate=YES)
    assert [row["id"] for row in cases(out)] == ["uA1", '["007"]', "s-3"]
    other = make_store(tmp_path / "other", [])
    imported(other, path, **stated)
    report = imported(other, out, join="id", map={"gold": "target"}, outcome={"True": YES, "False": NO})
    assert (report.files[0].accepted, report.files[0].skipped) == (3, 0)
    assert [other.events_on([item])[item][0].outcome for item in ids] == [NO, YES, NO]
    other.close()
