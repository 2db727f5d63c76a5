"""Import as a use case: all or nothing, told file by file, with mappings that can be saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudicate.errors import InputError
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportRejected, ImportReport
from tests.factory import AT, make_store, xstest_policy

GOOD = {"id": "1", "prompt": "p", "response": "r", "intent": "benign", "verdict": "full_refusal"}


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_store(tmp_path, [])


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def imported(store: SqliteStore, *paths: Path, dry_run: bool = False, **stated: Any) -> ImportReport:
    return import_files(store, xstest_policy(), paths, options_for(stated, {}), AT, dry_run=dry_run)


def items(store: SqliteStore) -> int:
    count: int = store.database.connection.execute("SELECT count(*) FROM items").fetchone()[0]
    return count


def test_a_bad_file_keeps_the_good_one_out(store: SqliteStore, tmp_path: Path) -> None:
    good = write(tmp_path / "good.jsonl", GOOD)
    bad = write(tmp_path / "bad.jsonl", {**GOOD, "score": 2})
    with pytest.raises(ImportRejected, match="none of its 1 rows") as caught:
        imported(store, good, bad)
    assert items(store) == 0
    assert "Nothing was stored" in str(caught.value)
    assert [each.skipped for each in caught.value.report.files] == [0, 1]


def test_bad_rows_are_counted_and_named(store: SqliteStore, tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", GOOD, {**GOOD, "id": "2", "intent": "nice"}, {**GOOD, "id": "3", "response": None})
    told = imported(store, path).as_json()["files"][0]
    assert (told["rows"], told["accepted"], told["skipped"], told["items"], told["verdicts"]) == (3, 1, 2, 1, 1)
    assert [(each["line"], each["field"]) for each in told["problems"]] == [(2, "intent"), (3, "response")]


def test_a_dry_run_shows_samples_and_stores_nothing(store: SqliteStore, tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", *({**GOOD, "id": str(number), "verdict": "x"} for number in range(5)))
    report = imported(store, path, dry_run=True, outcome={"x": "full_refusal"})
    assert items(store) == 0
    text = "\n".join(report.as_text())
    assert text.count("Sample") == 3
    assert "x is read as full_refusal" in text
    assert report.as_json()["outcomes"] == {"x": "full_refusal"}
    assert report.files[0].items == 5


def test_judge_whose_classes_all_mean_nothing_is_refused(store: SqliteStore, tmp_path: Path) -> None:
    """A forgotten --outcome must not turn every verdict into a failure of the judge."""
    path = write(tmp_path / "rows.jsonl", *({**GOOD, "id": str(number), "j": number % 2} for number in range(4)))
    with pytest.raises(InputError, match="--outcome 0=OUTCOME --outcome 1=OUTCOME"):
        imported(store, path, map={"verdict.gpt4": "j"})


def test_unknown_column_lists_those_there_are(store: SqliteStore, tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("id,prompt,response\n1,p,r\n", encoding="utf-8")
    for path in (write(tmp_path / "rows.jsonl", GOOD), table):
        with pytest.raises(InputError, match=r"category.*'topic'.*id, prompt, response"):
            imported(store, path, map={"category": "topic"}, set={"intent": "benign"})


def test_one_id_with_two_texts_names_both_lines(store: SqliteStore, tmp_path: Path) -> None:
    path = write(tmp_path / "rows.jsonl", GOOD, {**GOOD, "response": "other"})
    with pytest.raises(InputError, match="lines 1 and 2, id"):
        imported(store, path)
    assert items(store) == 0


def test_encoding_is_never_guessed(store: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes("id,prompt,response,intent\n1,Caf\u00e9?,Oui \u2013 bien s\u00fbr,benign\n".encode("mac_roman"))
    with pytest.raises(InputError, match="--encoding"):
        imported(store, path)
    imported(store, path, encoding="mac_roman")
    assert store.database.connection.execute("SELECT response FROM items").fetchone() == ("Oui \u2013 bien s\u00fbr",)


def test_utf16_can_be_named(store: SqliteStore, shared: Path) -> None:
    report = import_files(
        store,
        xstest_policy(),
        [shared / "hostile" / "jsonl-utf16le-bom.jsonl"],
        options_for(
            {
                "encoding": "utf-16",
                "set": {"intent": "benign"},
                "outcome": {"complies": "full_compliance", "violates": "full_refusal"},
            },
            {},
        ),
        AT,
    )
    assert report.files[0].accepted == 2


def test_a_saved_mapping_is_chosen_by_its_name(store: SqliteStore, tmp_path: Path) -> None:
    """What is said on the command line wins over what is saved."""
    saved = {"my-log": {"map": {"response": "output"}, "set": {"intent": "harmful", "model": "a"}}}
    path = write(tmp_path / "rows.jsonl", {"prompt": "p", "output": "r"})
    options = options_for({"format": "my-log", "set": {"model": "b"}}, saved)
    import_files(store, xstest_policy(), [path], options, AT)
    row = store.database.connection.execute("SELECT i.model, p.intent FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id")
    assert row.fetchone() == ("b", "harmful")
    with pytest.raises(InputError, match="--format nothing"):
        imported(store, path, format="nothing")


def test_every_odd_path_is_named_at_once(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError) as caught:
        imported(store, tmp_path / "absent.jsonl", tmp_path / "none")
    assert "absent.jsonl: there is no such file" in str(caught.value)
    assert "none: a folder with no file in it" in str(caught.value)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_verdict_and_label_columns_need_no_map(store: SqliteStore, tmp_path: Path, kind: str) -> None:
    rows = [
        {"id": str(number), "prompt": "p", "response": f"r{number}", "intent": "benign", "verdict.gpt4": "full_refusal",
         "verdict.other": "full_compliance", "label.ann": "full_refusal" if number else "full_compliance"}
        for number in range(3)
    ]  # fmt: skip
    path = tmp_path / f"rows.{kind}"
    if kind == "csv":
        lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        write(path, *rows)
    told = imported(store, path).as_json()["files"][0]
    assert (told["items"], told["verdicts"], told["labels"]) == (3, 6, 3)
    assert {judge.name: judge.verdicts for judge in store.judges() if judge.verdicts} == {"gpt4": 3, "other": 3}
    assert [event.outcome for event in store.chain(store.annotator("ann").id)] == ["full_compliance", *["full_refusal"] * 2]


def test_half_a_surrogate_pair_in_a_persons_name_is_refused(store: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(GOOD) + "\n" + json.dumps({**GOOD, "id": "2", "label.\ud800": "full_refusal"}) + "\n")
    [problem] = imported(store, path).as_json()["files"][0]["problems"]
    assert (problem["line"], problem["field"]) == (2, "label")
