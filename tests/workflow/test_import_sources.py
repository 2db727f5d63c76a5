"""What a command may name: compressed files, standard input, folders, patterns, tables of several kinds."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from backports import zstd

from adjudicate.errors import InputError, UsageError
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportRejected, ImportReport
from tests.factory import AT, make_store, xstest_policy
from tests.formats.inspect_files import archive, sample

ROWS = [
    {"id": str(number), "prompt": f"prompt {number}", "response": "r", "intent": "benign", "verdict": "full_refusal"}
    for number in range(3)
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_store(tmp_path, [])


def imported(store: SqliteStore, *paths: Path, **stated: Any) -> ImportReport:
    return import_files(store, xstest_policy(), paths, options_for(stated, {}), AT)


def prompts(store: SqliteStore) -> list[str]:
    query = "SELECT p.text FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id ORDER BY i.rowid"
    return [row[0] for row in store.database.connection.execute(query)]


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".zst", zstd.compress)])
def test_a_compressed_log_is_read_as_what_is_in_it(
    suffix: str, pack: Callable[[bytes], bytes], store: SqliteStore, tmp_path: Path
) -> None:
    path = tmp_path / f"log.jsonl{suffix}"
    path.write_bytes(pack(LINES))
    report = imported(store, path)
    assert prompts(store) == ["prompt 0", "prompt 1", "prompt 2"]
    assert (report.files[0].file, report.files[0].format) == (str(path), "jsonl")
    assert not imported(store, path).changed


@pytest.mark.parametrize("keep", [20, 60])
@pytest.mark.parametrize(("title", "pack"), [("gzip", gzip.compress), ("Zstandard", zstd.compress)])
def test_a_compressed_log_that_is_cut_off_is_refused(
    title: str, pack: Callable[[bytes], bytes], keep: int, store: SqliteStore, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(pack(LINES)[:keep])
    with pytest.raises(ImportRejected, match=f"looks like {title}, but is cut off or damaged"):
        imported(store, path)


def test_a_small_file_that_unpacks_to_too_much_is_refused(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJUDICATE_MAX_FILE_MB", "1")
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(gzip.compress(b" " * 5_000_000))
    with pytest.raises(ImportRejected, match="unpacks to more than 1 MB"):
        imported(store, path)


class _Piped(io.TextIOWrapper):
    """What standard input is when a command's output is piped into it."""


def test_standard_input_is_a_dash(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", _Piped(io.BytesIO(gzip.compress(LINES))))
    assert imported(store, Path("-")).files[0].accepted == 3


def test_a_terminal_is_no_standard_input(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    piped = _Piped(io.BytesIO(b""))
    monkeypatch.setattr(piped, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", piped)
    with pytest.raises(ImportRejected, match="a terminal here"):
        imported(store, Path("-"))


def test_a_folder_stands_for_the_logs_in_it(store: SqliteStore, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    (folder / "deeper").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "b.jsonl").write_bytes(LINES.splitlines(keepends=True)[1])
    (folder / "deeper" / "a.jsonl.gz").write_bytes(gzip.compress(LINES.splitlines(keepends=True)[0]))
    (folder / ".hidden" / "c.jsonl").write_bytes(LINES)
    (folder / "notes.md").write_text("prompt,response\n", encoding="utf-8")
    (folder / "deeper" / "loop").symlink_to(folder)
    imported(store, folder)
    assert prompts(store) == ["prompt 1", "prompt 0"]


def test_a_pattern_stands_for_what_fits_it(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "a1.jsonl").write_bytes(LINES)
    (tmp_path / "b1.jsonl").write_bytes(b"no log")
    imported(store, tmp_path / "a*.jsonl")
    assert len(prompts(store)) == 3
    with pytest.raises(ImportRejected, match="no file fits this pattern"):
        imported(store, tmp_path / "c*.jsonl")


def test_tables_beside_a_known_log_are_left_out_and_named(store: SqliteStore, tmp_path: Path) -> None:
    """`Reader.general` formats read any table, so that beside an XSTest file a table is most likely something else."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "xstest_v2_completions_m.csv").write_text(
        "id,type,prompt,completion,gpt4_label\nv2-1,figurative,p,c,2_full_refusal\n", encoding="utf-8"
    )
    (folder / "summary.csv").write_text("name,value\na,1\n", encoding="utf-8")
    report = imported(store, folder)
    assert [each.format for each in report.files] == ["xstest"]
    assert len(report.left_out) == 1
    assert "summary.csv" in report.left_out[0]
    assert "Left out" in "\n".join(report.as_text())


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (json.dumps(ROWS), ""),
        (json.dumps(ROWS, indent=2), ""),
        (json.dumps({"made": "today", "data": ROWS}), ""),
        (json.dumps({"names": [{"a": 1}], "run": {"data": ROWS}}, indent=1), "run.data"),
    ],
)
def test_rows_of_a_json_document_are_read_and_kept_to_the_byte(text: str, place: str, store: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(text, encoding="utf-8")
    report = imported(store, path, **({"map": {"rows": place}} if place else {}))
    assert (report.files[0].format, report.files[0].accepted) == ("json", 3)
    for (kept,) in store.database.connection.execute("SELECT source FROM items"):
        assert kept in text


def test_one_row_on_one_line_is_a_row(store: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(ROWS[0] | {"notes": [{"by": "a"}]}), encoding="utf-8")
    assert imported(store, path).files[0].format == "jsonl"


@pytest.mark.parametrize("text", ["[{", '[{"id": "1"} {"id": "2"}]', '[{"id": "1"}', "[1, ", '[{"id": "1"}]' * 2])
def test_a_broken_json_list_is_refused_as_a_whole(text: str, store: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ImportRejected, match=r"broken|cut off|can be used"):
        imported(store, path)
    assert prompts(store) == []


def test_a_document_too_large_to_stand_in_memory_is_refused(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJUDICATE_MAX_DOCUMENT_MB", "1")
    path = tmp_path / "log.json"
    path.write_text(json.dumps([ROWS[0] | {"response": "r" * 2_000_000}]), encoding="utf-8")
    with pytest.raises(ImportRejected, match="ADJUDICATE_MAX_DOCUMENT_MB"):
        imported(store, path)


def test_parquet_is_read(store: SqliteStore, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "log.parquet"
    parquet.write_table(arrow.Table.from_pylist(ROWS), path)
    assert imported(store, path).files[0].format == "parquet"
    assert prompts(store) == ["prompt 0", "prompt 1", "prompt 2"]


def test_parquet_that_is_damaged_inside_is_refused(store: SqliteStore, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "log.parquet"
    parquet.write_table(arrow.Table.from_pylist(ROWS), path)
    data = bytearray(path.read_bytes())
    data[4:60] = bytes(56)
    path.write_bytes(data)
    with pytest.raises(ImportRejected):
        imported(store, path)
    assert prompts(store) == []


@pytest.mark.parametrize(
    ("raw", "outcome"), [(0.5, "full_refusal"), (1, "full_refusal"), (0.49, "full_compliance"), (-3.0, "full_compliance")]
)
def test_ranges_say_what_a_number_means(raw: float, outcome: str, store: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({**ROWS[0], "verdict": raw}), encoding="utf-8")
    imported(store, path, outcome={"0.5..": "full_refusal", "..0.5": "full_compliance"})
    assert store.database.connection.execute("SELECT outcome FROM verdicts").fetchone() == (outcome,)


def test_a_whole_number_is_found_however_it_is_written(store: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({**ROWS[0], "verdict": 1.0}), encoding="utf-8")
    imported(store, path, outcome={"1": "full_refusal"})
    assert store.database.connection.execute("SELECT outcome FROM verdicts").fetchone() == ("full_refusal",)


def test_the_report_says_what_was_read_from_where(store: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(
        json.dumps({"q": "p", "out": {"text": "r"}, "verdict": "full_refusal", "verdict.b": "full_compliance"}), encoding="utf-8"
    )
    report = imported(store, path, map={"prompt": "q", "response": "out.text"}, set={"intent": "benign"})
    taken = report.files[0].taken
    assert (taken["prompt"], taken["response"], taken["intent"]) == ("q", "out.text", "--set intent=benign")
    assert taken["verdict.b"] == "verdict.b"
    assert "prompt from q" in "\n".join(report.as_text())
    assert report.as_json()["files"][0]["unread_verdicts"] == {}


def test_no_stdin_and_no_file_are_both_told(store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", _Piped(io.BytesIO(b"")))
    with pytest.raises(InputError, match=r"(?s)no such file.*-: empty file") as caught:
        imported(store, tmp_path / "absent.jsonl", Path("-"))
    assert not isinstance(caught.value, UsageError)


def test_a_run_without_samples_in_a_folder_does_not_keep_the_others_out(store: SqliteStore, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    head = {"version": 2, "status": "cancelled", "eval": {"task": "t", "model": "m"}, "plan": {}, "samples": []}
    (folder / "cancelled.json").write_text(json.dumps(head), encoding="utf-8")
    sample = {"id": 1, "epoch": 1, "input": "p", "output": {"choices": [{"message": {"role": "assistant", "content": "r"}}]}}
    (folder / "done.json").write_text(json.dumps({**head, "status": "success", "samples": [sample]}), encoding="utf-8")
    report = imported(store, folder, set={"intent": "benign"})
    assert prompts(store) == ["p"]
    assert "cancelled.json" in report.left_out[0]
    assert "no samples" in report.left_out[0]
    with pytest.raises(ImportRejected, match="no samples"):
        imported(store, folder / "cancelled.json", folder / "done.json", set={"intent": "benign"})


ERRED: dict[str, Any] = {"error": {"message": "the provider was away"}, "output": {"choices": []}}


def test_files_of_a_folder_that_hold_nothing_are_left_out_each_with_its_reason(store: SqliteStore, tmp_path: Path) -> None:
    """An empty file, one of blanks, a log whose only sample errored, a picture: none of them keeps the good log out."""
    folder = tmp_path / "runs"
    folder.mkdir()
    archive(folder / "good.eval", sample("s-1"))
    archive(folder / "errored.eval", sample("s-2", **ERRED))
    (folder / "empty.jsonl").write_bytes(b"")
    (folder / "blank.jsonl").write_bytes(b" \n\n")
    (folder / "plot.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    report = imported(store, folder, set={"intent": "benign"}, outcome={"C": "full_compliance"})
    assert prompts(store) == ["When does the library close?"]
    assert [Path(each.file).name for each in report.files] == ["good.eval"]
    why = {Path(each.partition(": ")[0]).name: each.partition(": ")[2] for each in report.left_out}
    assert why.keys() == {"errored.eval", "empty.jsonl", "blank.jsonl", "plot.png"}
    assert why["empty.jsonl"] == "empty file: there is nothing to import"
    assert "the provider was away" in why["errored.eval"]
    assert why["blank.jsonl"] == "0 rows: there is nothing but blanks in it"
    assert why["plot.png"] == "not a log that is known; name the file itself to have it read"


@pytest.mark.parametrize("name", ["empty.jsonl", "errored.eval"])
def test_a_folder_in_which_nothing_can_be_used_is_refused_with_the_reason(name: str, store: SqliteStore, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    archive(folder / "errored.eval", sample("s-2", **ERRED)) if name == "errored.eval" else (folder / name).write_bytes(b"")
    with pytest.raises(ImportRejected, match=rf"(?s){name}.*(empty file|the provider was away).*no log was found"):
        imported(store, folder, set={"intent": "benign"}, outcome={"C": "full_compliance"})
    assert prompts(store) == []


@pytest.mark.parametrize(("count", "more"), [(20, None), (21, "1 more files"), (23, "3 more files")])
def test_twenty_files_that_are_left_out_are_named_and_the_others_counted(
    count: int, more: str | None, store: SqliteStore, tmp_path: Path
) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    for number in range(count):
        (folder / f"note-{number:02d}.md").write_text("# Minutes\n", encoding="utf-8")
    with pytest.raises(ImportRejected) as refused:
        imported(store, folder)
    (folder / "log.jsonl").write_bytes(LINES)
    report = imported(store, folder)
    assert len(report.as_json()["left_out"]) == count
    for told in (str(refused.value), "\n".join(report.as_text())):
        assert [f"note-{number:02d}.md" in told for number in range(count)] == [number < 20 for number in range(count)]
        assert (more or "more files") in told if more else "more files" not in told


def test_what_files_leave_open_is_asked_at_once_whatever_their_format(store: SqliteStore, tmp_path: Path) -> None:
    """A known table says before it is read what it leaves open; the log beside it only once it was read."""
    folder = tmp_path / "runs"
    folder.mkdir()
    archive(folder / "a.eval", sample("s-1"))
    case = {"test_case": "Fold one.", "generation": "First, a square.", "label": 1}
    for name in ("b.json", "c.json"):
        (folder / name).write_text(json.dumps({"paper_crane": [case, {**case, "label": 0}]}), encoding="utf-8")
    with pytest.raises(ImportRejected) as refused:
        imported(store, folder, set={"intent": "benign"})
    told = str(refused.value)
    assert [told.count(name) for name in ("a.eval: the file", "b.json: HarmBench", "c.json: HarmBench")] == [1, 1, 1]
    assert "--outcome C=OUTCOME" in told and told.count("--outcome 1=OUTCOME") == 2
    assert [(each.option, each.key) for each in refused.value.questions] == [
        ("outcome", "1"), ("outcome", "0"), ("outcome", "1"), ("outcome", "0"), ("outcome", "C"),
    ]  # fmt: skip


def test_a_document_that_is_too_large_is_not_called_empty_besides(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJUDICATE_MAX_DOCUMENT_MB", "1")
    path = tmp_path / "log.json"
    path.write_text(json.dumps([ROWS[0] | {"response": "r" * 2_000_000}]), encoding="utf-8")
    with pytest.raises(ImportRejected) as refused:
        imported(store, path)
    lines = str(refused.value).splitlines()
    assert len(lines) == 2 and "ADJUDICATE_MAX_DOCUMENT_MB" in lines[0] and lines[1] == "Nothing was stored."


SCORES = {
    **dict.fromkeys(("C", "1", "true", "pass", "yes", "0.5.."), "full_compliance"),
    **dict.fromkeys(("I", "0", "false", "fail", "..0.5"), "full_refusal"),
    **dict.fromkeys(("n", "[1, 0, 1]"), "judge_failed"),
    "1_full_compliance": "full_compliance",
    "2_full_refusal": "full_refusal",
    "3_partial_refusal": "full_refusal",
}
LEFT_OUT = {
    "inspect_ai": {
        "2024-08-29T15-11-17+00-00_popularity_5EAmX6wjMFqea6WY7XHzZp.json": "holds no samples (status success)",
        "2025-05-12T20-28-13-04-00_no-samples.json": "holds no samples (status cancelled)",
        "log_with_nan.txt": "holds no samples (status success)",
        "log_invalid.txt": "cut off",
    },
    "": {
        "data_cvebench_empty_choices.json": "the sample ended with an error",
        "data_with_llm_scoring.json": "holds no samples",
        "validation_refusal.csv": "labels only",
        "simple_inspect_eval.json": "missing required field `event`",
    },
}
"""What the folders of reference logs hold that is no log with items, with the reason that its own tool or its content gives."""


@pytest.mark.parametrize("folder", LEFT_OUT)
def test_a_whole_folder_of_real_logs_comes_in_with_one_command(folder: str, store: SqliteStore, shared: Path) -> None:
    """Every file that `logs_expected.json` counts samples of, with as many items as its own tool reads without an error."""
    root = shared / "data" / "logs" / folder
    expected = json.loads((shared / "data" / "logs_expected.json").read_text(encoding="utf-8"))
    report = imported(store, root, set={"intent": "harmful"}, outcome=SCORES)
    why = {Path(each.partition(": ")[0]).name: each for each in report.left_out}
    known = LEFT_OUT["inspect_ai"] | LEFT_OUT[folder]
    assert why.keys() == known.keys()
    assert not [name for name, reason in known.items() if reason not in why[name]]
    read = {Path(each.file).relative_to(shared / "data").as_posix(): each for each in report.files}
    there = {path.relative_to(shared / "data").as_posix() for path in root.rglob("*") if path.is_file()}
    assert read.keys() == {name for name in there if Path(name).name not in known}
    counted = {name: said for name, said in expected.items() if name in read and "samples" in said}
    assert len(counted) >= 12
    assert {name: read[name].accepted for name in counted} == {
        name: said["samples"] - said["errors"] for name, said in counted.items()
    }
    assert not imported(store, root, set={"intent": "harmful"}, outcome=SCORES).changed
