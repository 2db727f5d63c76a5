"""An imported table comes back with columns added, and with everything else as it was."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from adjudicate.errors import InputError, UsageError
from adjudicate.formats.policy_file import read_policy
from adjudicate.settings import resource
from adjudicate.storage.sqlite_store import SqliteStore
from tests.factory import make_store
from tests.workflow.written_back import CLAUSE, imported, item_ids, label, resolve, state, written

YES, NO = "full_compliance", "full_refusal"
LONG = "Read the label of the tin before you open it. " * 3
"""Long enough that the workspace keeps a row without it."""


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_store(tmp_path, [])


def put(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


JSONL = (
    '{"id":"a","prompt":"p","response":"' + LONG + '","intent":"benign","extra":{"n":1.50,"x":null}}\n'
    '{ "id" : "b", "intent": "benign", "prompt": "q", "response": "r\\u00e9 \\/ ",  "n": 1e3 }\n'
    '{"id":"c","prompt":"s","response":"t","intent":"benign"}\n'
)


@pytest.mark.parametrize("named", [False, True], ids=["from the workspace", "from the file"])
def test_keys_go_before_the_last_brace_and_nothing_else_changes(store: SqliteStore, tmp_path: Path, *, named: bool) -> None:
    path = put(tmp_path / "log.jsonl", JSONL)
    imported(store, path)
    first, second, _ = item_ids(store)
    ann = label(store, "ann", {first: YES, second: YES}, clause=CLAUSE)
    ben = label(store, "ben", {second: NO})
    out, _ = written(store, "log", tmp_path / "out", with_text=True, source=path if named else None)
    assert out.name == "log-adjudicated.jsonl"
    before, after = JSONL.splitlines(), out.read_text(encoding="utf-8").splitlines()
    names = sorted((ann, ben), key=lambda name: int(name[1:]))
    said = {ann: YES, ben: None}
    keys = [f'"adjudicate_label_{name}":{json.dumps(said[name])}' for name in names]
    # The first row is written without blanks, and so is what is added; the second with.
    first_keys = [f'"adjudicate_gold":"{YES}"', '"adjudicate_how":"single"', f'"adjudicate_clause":"{CLAUSE}"', *keys]
    assert after[0] == f"{before[0][:-1]},{','.join(first_keys)}}}"
    assert after[1].startswith(before[1].removesuffix(" }") + ', "adjudicate_gold": null, "adjudicate_how": "open"')
    assert after[1].endswith('" }')
    assert json.loads(after[1])[f"adjudicate_label_{ben}"] == NO
    assert after[2] == before[2]


@pytest.mark.parametrize("named", [False, True], ids=["from the workspace", "from the file"])
def test_the_file_that_is_written_imports_as_the_same_items(store: SqliteStore, tmp_path: Path, *, named: bool) -> None:
    path = put(tmp_path / "log.jsonl", JSONL)
    imported(store, path)
    ids = item_ids(store)
    ann = label(store, "ann", {ids[0]: YES, ids[1]: NO})
    resolve(store, ids[2], YES)
    before = state(store)
    out, _ = written(store, "log", tmp_path / "out", with_text=True, source=path if named else None)
    assert not imported(store, out).changed
    assert state(store) == before
    other = make_store(tmp_path / "other", [])
    imported(other, out, map={f"label.{ann}": f"adjudicate_label_{ann}", "gold": "adjudicate_gold"})
    assert item_ids(other) == ids
    events = other.events_on()
    assert {item: {e.kind: e.outcome for e in events[item]} for item in ids} == {
        ids[0]: {"label": YES, "gold": YES},
        ids[1]: {"label": NO, "gold": NO},
        ids[2]: {"gold": YES},
    }
    other.close()


def test_cells_go_after_the_last_of_a_row_with_its_own_separator_and_line_end(store: SqliteStore, tmp_path: Path) -> None:
    text = f'sep=;\r\n"id";prompt;response;intent;=note\r\n1;p;"{LONG}; and ""more""\r\nlines";benign; kept \r\n2;q;r;benign;\r\n'
    path = put(tmp_path / "table.csv", text)
    imported(store, path)
    ann = label(store, "ann", {item_ids(store)[0]: YES})
    out, _ = written(store, "log", tmp_path / "out", with_text=True, source=path)
    added = f";adjudicate_gold;adjudicate_how;adjudicate_clause;adjudicate_label_{ann}\r\n"
    expected = text.replace(";=note\r\n", f";=note{added}").replace(" kept \r\n", f" kept ;{YES};single;;{YES}\r\n")
    assert out.read_bytes().decode() == expected.replace("benign;\r\n", "benign;;;;;\r\n")
    kept, _ = written(store, "log", tmp_path / "kept", with_text=True)
    # The header is made from its cells, so that its quotes are gone; the rows are kept as they were.
    assert kept.read_bytes().decode() == expected.replace("benign;\r\n", "benign;;;;;\r\n").replace('"id"', "id")
    before = state(store)
    for back in (out, kept):
        assert not imported(store, back).changed
    assert state(store) == before


def test_rows_that_the_import_left_out_come_along_from_the_file_and_are_counted_without(
    store: SqliteStore, tmp_path: Path
) -> None:
    good = '{"id":"%s","prompt":"p","response":"r","intent":"benign"}'
    text = f'{good % "a"}\n{{"id":"x","prompt":1}}\n\n{good % "b"}\n{{broken'
    path = put(tmp_path / "log.jsonl", text)
    imported(store, path)
    label(store, "ann", {item_ids(store)[1]: NO})
    out, told = written(store, "log", tmp_path / "out", with_text=True, source=path)
    lines = out.read_text(encoding="utf-8").split("\n")
    assert [lines[0], lines[1], lines[2], lines[4]] == [text.split("\n")[place] for place in (0, 1, 2, 4)]
    assert json.loads(lines[3])["adjudicate_gold"] == NO
    assert told == ["4 rows, 1 of them with what people said"]
    kept, told = written(store, "log", tmp_path / "kept", with_text=True)
    assert [row["id"] for row in rows_of(kept)] == ["a", "b"]
    # The row that was left out and the blank line.
    assert told[0].startswith("made from the rows that the workspace keeps: 2 rows. 2 lines up to the last of them")


def test_a_header_with_line_ends_in_its_names_is_made_again_from_the_workspace(store: SqliteStore, tmp_path: Path) -> None:
    text = 'id,prompt,response,intent,"a\nnote"\n1,p,r,benign,"x\ny"\n'
    imported(store, put(tmp_path / "t.csv", text))
    ann = label(store, "ann", {item_ids(store)[0]: YES})
    out, told = written(store, "log", tmp_path / "out", with_text=True)
    columns = f",adjudicate_gold,adjudicate_how,adjudicate_clause,adjudicate_label_{ann}"
    assert out.read_bytes().decode() == text.replace('note"', f'note"{columns}').replace('y"', f'y",{YES},single,,{YES}')
    assert ": 1 rows. 0 lines" in told[0]


def test_a_row_with_too_few_cells_stays_as_it_is(store: SqliteStore, tmp_path: Path) -> None:
    path = put(tmp_path / "t.csv", "id,prompt,response,intent\n1,p,r,benign\n2,q\n\n3,s,t,benign")
    imported(store, path)
    label(store, "ann", {item_ids(store)[0]: YES})
    out, _ = written(store, "log", tmp_path / "out", with_text=True, source=path)
    lines = out.read_text(encoding="utf-8").split("\n")
    assert lines[2:4] == ["2,q", ""]
    assert lines[4] == "3,s,t,benign,,,,"


def test_a_name_that_the_table_has_already_gets_a_number(store: SqliteStore, tmp_path: Path) -> None:
    rows = '{"id":"a","prompt":"p","response":"r","intent":"benign"}\n{"id":"b","prompt":"p","response":"r","intent":"benign",'
    path = put(tmp_path / "log.jsonl", rows + '"\\u0061djudicate_gold":"theirs"}\n')
    imported(store, path)
    label(store, "ann", {item_ids(store)[0]: YES})
    out, _ = written(store, "log", tmp_path / "out", with_text=True)
    first, second = rows_of(out)
    assert (first["adjudicate_gold_2"], second["adjudicate_gold"]) == (YES, "theirs")


def test_a_json_document_is_written_back_into_itself(store: SqliteStore, tmp_path: Path) -> None:
    row = '{"id": "%s", "prompt": "p", "response": "r", "intent": "benign"\n  }'
    text = f'\ufeff{{\n"like a row": {row % "a"}, "n": 1.0,\n "data": [\n  {row % "a"} , {row % "b"}\n] , "end": []}}\n'
    path = put(tmp_path / "log.json", text)
    imported(store, path)
    label(store, "ann", {item_ids(store)[0]: YES})
    with pytest.raises(UsageError, match="written back into itself"):
        written(store, "log", tmp_path / "out", with_text=True)
    out, _ = written(store, "log", tmp_path / "out", with_text=True, source=path)
    after = out.read_text(encoding="utf-8")
    start = after.index(', "adjudicate_gold"')
    end = after.index("\n  }", start)
    assert after[:start] + after[end:] == text
    assert [row.get("adjudicate_gold") for row in json.loads(after[1:])["data"]] == [YES, None]
    before = state(store)
    assert not imported(store, out).changed
    assert state(store) == before


def test_a_list_that_a_preset_reads_is_a_document_too(store: SqliteStore, tmp_path: Path) -> None:
    rows = [{"forbidden_prompt": "p", "response": "r", "score": score, "model": "m"} for score in (0, 1)]
    path = put(tmp_path / "set.json", json.dumps(rows, indent=1))
    imported(store, path, outcome={"0": NO, "1": YES})
    label(store, "ann", {item_ids(store)[1]: YES})
    out, _ = written(store, "log", tmp_path / "out", with_text=True, source=path)
    after = json.loads(out.read_text(encoding="utf-8"))
    assert after[0] == rows[0]
    assert after[1].items() >= rows[1].items()
    assert after[1]["adjudicate_gold"] == YES


def test_answers_of_one_row_have_a_list_with_one_place_for_each(store: SqliteStore, tmp_path: Path) -> None:
    line = {
        "doc_id": 0, "doc": {"q": "p"}, "target": "t", "arguments": {"gen_args_0": {"arg_0": "p", "arg_1": {}}},
        "resps": [["one", "two", "three"]], "filtered_resps": ["one"], "filter": "none", "metrics": ["exact_match"],
        "exact_match": 1.0,
    }  # fmt: skip
    again = {**line, "filter": "strict"}
    path = put(
        tmp_path / "samples_set_2026-01-01T00-00-00.000000.jsonl", "".join(json.dumps(each) + "\n" for each in (line, again))
    )
    imported(store, path, set={"intent": "benign"}, outcome={"1": YES, "0": NO})
    ids = item_ids(store)
    label(store, "ann", {ids[0]: YES, ids[2]: NO})
    out, _ = written(store, "log", tmp_path / "out", with_text=True, source=path)
    first, second = rows_of(out)
    assert first["adjudicate_gold"] == [YES, None, NO]
    assert {key: value for key, value in first.items() if not key.startswith("adjudicate")} == line
    assert second == again
    before = state(store)
    assert not imported(store, out, set={"intent": "benign"}, outcome={"1": YES, "0": NO}).changed
    assert state(store) == before


def test_a_row_whose_item_another_row_brought_gets_its_labels_from_the_file(store: SqliteStore, tmp_path: Path) -> None:
    """A second reading of the judge, and a row that an earlier import had brought: one item each, in two places."""
    row = '{"id":"%s","prompt":"p","response":"r","intent":"benign","verdict":"%s","repeat":%d}\n'
    earlier = put(tmp_path / "earlier.jsonl", row % ("b", NO, 0))
    path = put(tmp_path / "log.jsonl", row % ("a", YES, 0) + row % ("a", NO, 1) + row % ("b", NO, 0))
    imported(store, earlier)
    imported(store, path)
    names = store.item_ids()
    label(store, "ann", {names["a"]: YES, names["b"]: NO})
    run = next(run.id for run in store.runs() if run.name == "log")
    out, _ = written(store, "log", tmp_path / "out", with_text=True, source=path, run=run)
    assert [each["adjudicate_gold"] for each in rows_of(out)] == [YES, YES, NO]
    kept, _ = written(store, "log", tmp_path / "kept", with_text=True, run=run)
    assert [(each["id"], each["adjudicate_gold"]) for each in rows_of(kept)] == [("a", YES)]


def test_equal_rows_without_an_id_are_told_apart_as_at_the_import(store: SqliteStore, tmp_path: Path) -> None:
    row = '{"prompt":"p","response":"r","intent":"benign"}\n'
    path = put(tmp_path / "log.jsonl", row * 2)
    other = put(tmp_path / "other.jsonl", row * 3)
    imported(store, path)
    imported(store, other)
    ids = item_ids(store)
    label(store, "ann", {ids[1]: YES, ids[2]: NO})
    run = next(run.id for run in store.runs() if run.name == "other")
    out, _ = written(store, "log", tmp_path / "out", with_text=True, source=other, run=run)
    assert [each.get("adjudicate_gold") for each in rows_of(out)] == [None, YES, NO]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_the_encoding_of_the_file_stays(store: SqliteStore, tmp_path: Path, encoding: str) -> None:
    path = put(tmp_path / "t.csv", "id,prompt,response,intent\n1,p,é€,benign\n", encoding)
    imported(store, path, encoding=encoding)
    ann = label(store, "ann", {item_ids(store)[0]: YES})
    for source in (path, None):
        out, _ = written(store, "log", tmp_path / f"out{source is None}", with_text=True, source=source)
        assert out.read_bytes().decode(encoding).endswith(f"_{ann}\n1,p,é€,benign,{YES},single,,{YES}\n")


def test_bytes_that_are_no_text_stay(store: SqliteStore, tmp_path: Path) -> None:
    data = b"id,prompt,response,intent\n1,p,r,benign\n2,p,\xff\xfe,benign\n"
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    imported(store, path)
    label(store, "ann", {item_ids(store)[0]: YES})
    out, _ = written(store, "log", tmp_path / "out", with_text=True, source=path)
    assert out.read_bytes().split(b"\n")[2] == b"2,p,\xff\xfe,benign,,,,"


def test_a_compressed_log_comes_back_unpacked(store: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(JSONL.encode()))
    imported(store, path)
    label(store, "ann", {item_ids(store)[0]: YES})
    for source in (path, None):
        out, _ = written(store, "log", tmp_path / f"out{source is None}", with_text=True, source=source)
        assert out.name == "log-adjudicated.jsonl"
        assert rows_of(out)[0]["adjudicate_gold"] == YES
        assert out.read_text(encoding="utf-8").splitlines()[1:] == JSONL.splitlines()[1:]


def test_the_file_has_to_be_the_one_that_was_imported(store: SqliteStore, tmp_path: Path) -> None:
    path = put(tmp_path / "log.jsonl", JSONL)
    imported(store, path)
    path.write_text(JSONL + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match="not a table that was imported here"):
        written(store, "log", tmp_path / "out", with_text=True, source=path)
    with pytest.raises(InputError, match="no such file"):
        written(store, "log", tmp_path / "out", with_text=True, source=tmp_path / "nowhere")


def test_the_file_may_have_another_name_by_now(store: SqliteStore, tmp_path: Path) -> None:
    """XSTest's files say their model in their name, and a run of several files knows its rows only by reading them."""
    rows = "id,type,prompt,completion,{}\nv2-1,homonyms,p,r,{}\n"
    people = put(tmp_path / "xstest_v2_completions_m.csv", rows.format("final_label", "1_full_compliance"))
    judged = put(tmp_path / "xstest_v2_completions_m_gpteval.csv", rows.format("gpt4_label", "2_full_refusal"))
    imported(store, people, judged)
    label(store, "ann", {item_ids(store)[0]: NO})
    with pytest.raises(UsageError, match="imported from several files: name one"):
        written(store, "log", tmp_path / "out", with_text=True)
    other = judged.rename(tmp_path / "renamed.csv")
    out, _ = written(store, "log", tmp_path / "out", with_text=True, source=other)
    assert out.name == "xstest_v2_completions_m_gpteval-adjudicated.csv"
    with out.open(encoding="utf-8", newline="") as file:
        [row] = csv.DictReader(file)
    assert (row["gpt4_label"], row["adjudicate_how"]) == ("2_full_refusal", "open")


def test_several_tables_need_the_run(store: SqliteStore, tmp_path: Path) -> None:
    for name in ("a", "b"):
        imported(store, put(tmp_path / f"{name}.jsonl", JSONL.replace('"id":"', f'"id":"{name}').replace('"b"', f'"{name}b"')))
    with pytest.raises(UsageError, match=r"--run: a \(.*\), b \("):
        written(store, "log", tmp_path / "out", with_text=True)
    with pytest.raises(UsageError, match="--with-text"):
        written(store, "log", tmp_path / "out")


def test_a_table_of_which_nobody_said_anything_is_not_written(store: SqliteStore, tmp_path: Path) -> None:
    path = put(tmp_path / "log.jsonl", JSONL)
    imported(store, path)
    for source in (path, None):
        with pytest.raises(UsageError, match="nothing to write back"):
            written(store, "log", tmp_path / "out", with_text=True, source=source)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_run_that_is_no_table_is_refused(store: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no table"):
        written(store, "log", tmp_path / "out", with_text=True)


def test_a_policy_of_another_time_does_not_stop_the_copy(store: SqliteStore, tmp_path: Path) -> None:
    """Rows of this run are found by their lines; only what needs the file read as then is told to be without labels."""
    row = '{"id":"a","prompt":"p","response":"r","intent":"benign","said":"no"}\n'
    path = put(tmp_path / "log.jsonl", row)
    imported(store, path, map={"verdict": "said"}, outcome={"no": NO})
    label(store, "ann", {item_ids(store)[0]: NO})
    policy = resource("policies", "refusal-boundary.md")
    store.put_policy(read_policy(policy.read_text(encoding="utf-8"), "refusal-boundary.md"), "2027-01-01T00:00:00.000Z")
    out, told = written(store, "log", tmp_path / "out", with_text=True, source=path)
    # The label is in words that the policy in force does not have: on record, and to be made again.
    (row_out,) = rows_of(out)
    assert (row_out["adjudicate_gold"], row_out["adjudicate_how"]) == (None, "open")
    assert NO in [row_out[name] for name in row_out if name.startswith("adjudicate_label_")]
    assert told[0].startswith("rows that were here already before this import stay without labels")


def test_no_added_cell_is_run_as_a_formula_and_no_name_leaves(store: SqliteStore, tmp_path: Path) -> None:
    path = put(tmp_path / "t.csv", "id,prompt,response,intent\n1,p,r,benign\n")
    imported(store, path)
    label(store, "Zwilhelmina", {item_ids(store)[0]: YES})
    out, _ = written(store, "log", tmp_path / "out", with_text=True)
    assert "Zwilhelmina" not in out.read_text(encoding="utf-8")
    with out.open(encoding="utf-8", newline="") as file:
        [row] = csv.DictReader(file)
    assert not [cell for cell in row.values() if cell.startswith(("=", "+", "-", "@"))]


def test_a_real_xstest_file_comes_back_with_every_cell(store: SqliteStore, tmp_path: Path, shared: Path) -> None:
    path = min((shared / "data" / "xstest" / "model_completions").glob("*.csv"))
    imported(store, path)
    ids = item_ids(store)
    ann = label(store, "ann", {ids[0]: YES, ids[1]: NO})
    before = state(store)
    out, _ = written(store, "log", tmp_path / "out", with_text=True, source=path)
    with path.open(encoding="utf-8", newline="") as old_file, out.open(encoding="utf-8", newline="") as new_file:
        old, new = list(csv.reader(old_file)), list(csv.DictReader(new_file))
    assert [list(row.values())[: len(old[0])] for row in new] == old[1:]
    assert [row[f"adjudicate_label_{ann}"] for row in new[:3]] == [YES, NO, ""]
    # Under the name that says which model it is of.
    again = out.rename(tmp_path / "out" / path.name)
    assert not imported(store, again).changed
    assert state(store) == before


def test_real_lm_eval_samples_come_back_with_every_key(store: SqliteStore, tmp_path: Path, shared: Path) -> None:
    path = next((shared / "data" / "logs" / "lm_eval" / "run_c").glob("samples_*.jsonl"))
    report = imported(store, path, set={"intent": "benign"}, outcome={"1": YES, "0": NO})
    ids = item_ids(store)
    label(store, "ann", dict.fromkeys(ids[::2], NO))
    out, told = written(store, "log", tmp_path / "out", with_text=True, source=path)
    old, new = (file.read_bytes().decode().split("\n") for file in (path, out))
    assert len(old) == len(new)
    assert sum(a != b for a, b in zip(old, new, strict=True)) == len(ids[::2])
    for before, after in zip(old, new, strict=True):
        assert after == before or after.startswith(before.rstrip()[:-1] + ', "adjudicate_gold"')
    assert told == [f"{report.files[0].rows:,} rows, {len(ids[::2]):,} of them with what people said"]
    again = out.rename(tmp_path / "out" / path.name)
    assert not imported(store, again, set={"intent": "benign"}, outcome={"1": YES, "0": NO}).changed
