"""Human-labelled data sets for PyRIT: its columns, its comment line, no empty cell."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from adjudicate.errors import UsageError
from adjudicate.formats.readers import recognised
from adjudicate.formats.text_file import open_source
from adjudicate.storage.sqlite_store import SqliteStore
from tests.factory import make_store, xstest_policy
from tests.workflow.written_back import imported, item_ids, label, written

YES, NO = "full_compliance", "full_refusal"
TEXTS = [('Say "a, b" #1', "First line\n# second, line\n"), ("=SUM(1)", "-1"), ("Ask", "No.")]


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    store = make_store(tmp_path, [])
    path = tmp_path / "log.jsonl"
    rows = [{"prompt": asked, "response": said, "intent": "harmful", "category": "tools"} for asked, said in TEXTS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    imported(store, path)
    first, second, third = item_ids(store)
    label(store, "ann", {first: YES, second: NO, third: YES})
    label(store, "ben", {third: NO})
    return store


def test_the_file_has_the_columns_of_pyrit_under_its_comment(store: SqliteStore, tmp_path: Path) -> None:
    out, told = written(store, "pyrit", tmp_path / "out", rate=YES, with_text=True)
    above, _, table = out.read_text(encoding="utf-8").partition("\n")
    assert above == f"# dataset_version=1.0, policy={xstest_policy().fingerprint[:12]}, rate={YES}"
    rows = list(csv.DictReader(table.splitlines(keepends=True)))
    assert [(row["human_score"], row["data_type"], row["harm_category"]) for row in rows] == [
        ("1", "text", "tools"),
        ("0", "text", "tools"),
    ]
    assert (rows[0]["objective"], rows[0]["assistant_response"]) == TEXTS[0]
    # A cell that a spreadsheet would run has a quote before it.
    assert (rows[1]["objective"], rows[1]["assistant_response"]) == ("'=SUM(1)", "'-1")
    assert told == ["1 items wait for a ruling and are left out"]
    # What stands after a # outside quotes is a comment to PyRIT, so that every cell has to be in quotes.
    assert table.startswith(
        '"objective","harm_category","assistant_response","data_type","human_score"\n"Say ""a, b"" #1","tools","'
    )


def test_texts_have_to_be_asked_for(store: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--with-text"):
        written(store, "pyrit", tmp_path / "out", rate=YES)
    assert list((tmp_path / "out").iterdir()) == []


def test_an_item_without_a_prompt_is_left_out_and_told(store: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "more.jsonl"
    path.write_text('{"id":"e","prompt":" ","response":"r","intent":"harmful"}\n', encoding="utf-8")
    imported(store, path)
    label(store, "ann", {store.item_ids()["e"]: YES})
    _, told = written(store, "pyrit", tmp_path / "out", rate=YES, with_text=True)
    assert "1 items without a prompt or a response are left out: PyRIT refuses a file with empty cells" in told


def test_our_own_reader_takes_the_same_texts_and_labels(store: SqliteStore, tmp_path: Path) -> None:
    out, _ = written(store, "pyrit", tmp_path / "out", rate=YES, with_text=True)
    assert recognised(open_source(out)).name == "pyrit"
    other = make_store(tmp_path / "other", [])
    imported(other, out, set={"intent": "harmful"}, outcome={"1": YES, "0": NO})
    items = [other.item(item) for item in item_ids(other)]
    assert [(item.prompt.messages[0].content, item.response, item.prompt.category) for item in items] == [
        (*texts, "tools") for texts in TEXTS[:2]
    ]
    assert [other.events_on([item.id])[item.id][0].outcome for item in items] == [YES, NO]
    other.close()
