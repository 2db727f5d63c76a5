"""What leaves a workspace: no name and no text unless asked for, no formula, nothing overwritten, people under stable numbers."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core import labels
from adjudicate.errors import UsageError
from adjudicate.formats.spreadsheet import unguarded
from adjudicate.formats.writers import write_whole
from adjudicate.settings import make_workspace
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.export_results import export
from adjudicate.workflow.exports import EXPORTS
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.pseudonyms import pseudonyms
from adjudicate.workflow.receipt import receipt
from tests.empty_store import empty_store
from tests.factory import AT, xstest_policy

NAMES = ("Zwilhelmina", "Quentinius", "Ruxandra")
PROMPT, RESPONSE, NOTE, RATIONALE = "marzipanprompt", "walrusresponse", "heronnote", "otterrationale"
PUBLIC, XSTEST_RESPONSE = "publiclantern", "badgercompletion"
TRIGGERS = ("=", "+", "-", "@", "\t")
OPTIONS = ExportOptions(software="adjudicate test", at=AT)


def rows() -> list[dict[str, Any]]:
    """Items whose model, category and id would each be run as a formula by a spreadsheet."""
    plain = {"prompt": PROMPT, "intent": "benign", "verdict": "full_refusal", "judge": "gpt"}
    return [
        {**plain, "id": f"{sign}id", "response": f"{RESPONSE}{sign}", "model": f"{sign}model", "category": f"{sign}category"}
        for sign in TRIGGERS
    ]


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    """A rich workspace: two imports, three people, notes, a disagreement with a ruling, a draw."""
    paths = make_workspace(tmp_path / "workspace", "test")
    store = empty_store(paths.database)
    policy = xstest_policy()
    store.put_policy(policy, AT)
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
    import_files(store, policy, [log], options_for({}, {}), AT)
    xstest = tmp_path / "xstest_v2_completions_public.csv"
    xstest.write_text(
        f"id,type,prompt,completion,annotation_1,annotation_2,agreement,final_label\nv2-1,homonyms,{PUBLIC},{XSTEST_RESPONSE},"
        "1_full_compliance,2_full_refusal,FALSE,1_full_compliance\n",
        encoding="utf-8",
    )
    import_files(store, policy, [xstest], options_for({}, {}), AT)
    said: dict[str, list[str]] = {}
    for item_id in store.item_ids().values():
        for name, outcome in zip(NAMES[:2], ("full_refusal", "full_compliance"), strict=True):
            person = store.annotator(name).id
            act = labels.label(policy, item_id=item_id, outcome=outcome, mode="blind")
            said.setdefault(item_id, []).append(store.append(person, act, policy=policy.fingerprint, at=AT).id)
            store.append(person, labels.Act("note", item_id, note=NOTE), policy=policy.fingerprint, at=AT)
        ruling = labels.resolution(policy, item_id=item_id, outcome="full_refusal", rationale=RATIONALE, settles=said[item_id])
        store.append(store.annotator(NAMES[2]).id, ruling, policy=policy.fingerprint, at=AT)
    draw_sample(store, DrawSettings(n=6, seed=1), at=AT)
    return store


def exports(store: SqliteStore) -> Path:
    return store.path.parents[1] / "exports"


def written(store: SqliteStore, name: str, **options: Any) -> str:
    rate = "full_refusal" if any(each.needs_rate for each in EXPORTS if each.name == name) else None
    paths = export(store, name, exports(store), ExportOptions(software="test", at=AT, rate=rate, **options))
    return "".join(path.read_bytes().decode("utf-8", "replace") for path in paths)


TEXTS_ONLY = ("pairs", "log", "pyrit")
"""They consist of texts and are refused without `--with-text`."""
WITHOUT_SOURCE = [each.name for each in EXPORTS if each.name not in TEXTS_ONLY and not each.needs_source]
"""A log that is written back holds its texts already."""


@pytest.mark.parametrize("name", WITHOUT_SOURCE)
def test_no_name_and_no_text_leaves_unless_asked_for(store: SqliteStore, name: str) -> None:
    text = written(store, name)
    for secret in (*NAMES, PROMPT, RESPONSE, NOTE, RATIONALE, XSTEST_RESPONSE, *(["annotation_1"] if name != "xstest" else [])):
        assert secret not in text
    assert (PUBLIC in text) == (name == "xstest")


WITH_TEXT = {
    "labels": (PROMPT, RESPONSE, NOTE, PUBLIC, XSTEST_RESPONSE),
    "gold": (PROMPT, RESPONSE, RATIONALE, PUBLIC, XSTEST_RESPONSE),
    "xstest": (PROMPT, RESPONSE, PUBLIC, XSTEST_RESPONSE),
    "sample": (PROMPT, RESPONSE, PUBLIC, XSTEST_RESPONSE),
    "prompts": (PROMPT, PUBLIC),
    "judge-set": (PROMPT, RESPONSE, RATIONALE),
    "sqlite": (PROMPT, RESPONSE, NOTE, RATIONALE, PUBLIC, XSTEST_RESPONSE),
}


@pytest.mark.parametrize("name", WITHOUT_SOURCE)
def test_texts_come_along_where_asked_for_and_names_never(store: SqliteStore, name: str) -> None:
    text = written(store, name, with_text=True)
    expected = WITH_TEXT.get(name.partition(".")[0], ())
    for secret in (PROMPT, RESPONSE, NOTE, RATIONALE, PUBLIC, XSTEST_RESPONSE):
        assert (secret in text) == (secret in expected)
    assert not [person for person in NAMES if person in text]


CSV_EXPORTS = [each.name for each in EXPORTS if each.name.endswith(".csv") or each.name == "xstest"]


@pytest.mark.parametrize("name", CSV_EXPORTS)
def test_no_cell_of_a_table_is_run_as_a_formula_and_each_comes_back(store: SqliteStore, name: str) -> None:
    found: list[str] = []
    for path in export(store, name, exports(store), ExportOptions(software="test", at=AT)):
        with path.open(encoding="utf-8", newline="") as file:
            table = csv.DictReader(file)
            found += [cell for row in table for column, cell in row.items() if column not in ("value", "low", "high")]
    assert not [cell for cell in found if cell.startswith(TRIGGERS)]
    back = {unguarded(cell) for cell in found}
    expected = {"rates": ("model",), "xstest": ("id", "category")}.get(name.partition(".")[0], ("id", "category", "model"))
    assert {f"{sign}{column}" for sign in TRIGGERS for column in expected} <= back


def test_a_newcomer_renames_nobody(store: SqliteStore) -> None:
    before = pseudonyms(store)
    for number in range(40):
        store.annotator(f"newcomer {number}")
    after = pseudonyms(store)
    assert {person: after[person] for person in before} == before
    assert len(set(after.values())) == len(after)


def test_pseudonyms_do_not_tell_who_came_first(store: SqliteStore) -> None:
    numbers = [store.annotator(f"newcomer {number:03d}").pseudonym for number in range(60)]
    assert numbers != sorted(numbers)
    assert numbers != sorted(numbers, reverse=True)
    assert all(1 <= number <= 999 for number in numbers)


def test_half_of_the_numbers_taken_makes_more_of_them(store: SqliteStore) -> None:
    for number in range(520):
        store.annotator(f"newcomer {number}")
    assert max(person.pseudonym for person in store.annotators()) > 999


def test_labels_and_receipt_call_people_the_same(store: SqliteStore) -> None:
    rows = [json.loads(line) for line in written(store, "labels.jsonl").splitlines()]
    heads = receipt(store, software="test", at=AT)["event_heads"]
    assert {row["annotator"] for row in rows} < {head["annotator"] for head in heads}


def test_annotation_columns_are_the_imported_first_then_by_pseudonym(store: SqliteStore) -> None:
    policy = store.policy()
    people = sorted((store.annotator(name) for name in NAMES[:2]), key=lambda person: person.pseudonym)
    item = store.item_ids()["v2-1"]
    act = labels.label(policy, item_id=item, outcome="partial_refusal", mode="blind")
    store.append(people[1].id, act, policy=policy.fingerprint, at=AT)
    [path] = export(store, "xstest", exports(store), ExportOptions(model="public", software="test", at=AT))
    with path.open(encoding="utf-8", newline="") as file:
        [row] = csv.DictReader(file)
    first = "2_full_refusal" if people[0].name == NAMES[0] else "1_full_compliance"
    assert [row[f"annotation_{number}"] for number in range(1, 5)] == [
        "1_full_compliance", "2_full_refusal", first, "3_partial_refusal",
    ]  # fmt: skip


def test_a_run_narrows_an_export(store: SqliteStore) -> None:
    run = store.runs()[1]
    rows = [json.loads(line) for line in written(store, "gold.jsonl", run=run.id).splitlines()]
    assert [row["source_id"] for row in rows] == ["v2-1"]


@pytest.mark.parametrize("name", [each.name for each in EXPORTS if not each.whole])
def test_an_unknown_model_is_refused_with_those_that_there_are(store: SqliteStore, name: str) -> None:
    with pytest.raises(UsageError, match=r"no such model; there is .*public"):
        written(store, name, model="nope")


def test_a_receipt_is_never_narrowed(store: SqliteStore) -> None:
    with pytest.raises(UsageError, match="speaks for the whole workspace"):
        written(store, "receipt", model="public")


@pytest.mark.parametrize("place", ["db/adjudicate.db", "db/adjudicate.db.lock", "adjudicate.toml", "policies/new.csv", "new.csv"])
def test_nothing_is_written_over_the_workspace(store: SqliteStore, place: str) -> None:
    root = exports(store).parent
    target = root / place
    before = target.read_bytes() if target.exists() else None
    with pytest.raises(UsageError, match="inside the workspace"):
        export(store, "gold.csv", exports(store), OPTIONS, out=root / "exports" / ".." / place, force=True)
    assert (target.read_bytes() if target.exists() else None) == before


@pytest.mark.parametrize("hard", [True, False])
@pytest.mark.parametrize("inside", [True, False])
def test_a_link_to_the_database_is_refused(store: SqliteStore, tmp_path: Path, *, hard: bool, inside: bool) -> None:
    link = (exports(store) if inside else tmp_path) / "link.csv"
    if hard:
        link.hardlink_to(store.path)
    else:
        link.symlink_to(store.path)
    with pytest.raises(UsageError, match="stay as"):
        export(store, "gold.csv", exports(store), OPTIONS, out=link, force=True)
    assert link.samefile(store.path)


def test_a_folder_inside_the_workspace_is_not_even_made(store: SqliteStore) -> None:
    with pytest.raises(UsageError, match="inside the workspace"):
        export(store, "gold.csv", exports(store), OPTIONS, out=store.path.parent / "made")
    assert not (store.path.parent / "made").exists()


def test_a_file_of_others_is_replaced_only_with_force(store: SqliteStore, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.csv"
    theirs.write_text("thesis", encoding="utf-8")
    for out in (theirs, tmp_path):
        (tmp_path / "gold.csv").write_text("thesis", encoding="utf-8")
        with pytest.raises(UsageError, match="--force replaces it"):
            export(store, "gold.csv", exports(store), OPTIONS, out=out)
    assert theirs.read_text(encoding="utf-8") == "thesis"
    export(store, "gold.csv", exports(store), OPTIONS, out=theirs, force=True)
    assert theirs.read_text(encoding="utf-8").startswith("item,")


def test_exports_of_the_workspace_are_replaced_without_a_word(store: SqliteStore) -> None:
    for out in (None, None, exports(store) / "mine.csv", exports(store) / "mine.csv", exports(store)):
        export(store, "gold.csv", exports(store), OPTIONS, out=out)


def test_a_file_is_on_the_disk_before_its_name_and_the_name_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def recorded_fsync(descriptor: int) -> None:
        done.append("folder" if os.path.isdir(f"/dev/fd/{descriptor}") else "file")  # noqa: PTH112
        fsync(descriptor)

    def recorded_replace(self: Path, target: Path) -> Path:
        done.append("rename")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", recorded_fsync)
    monkeypatch.setattr(Path, "replace", recorded_replace)
    write_whole(tmp_path / "x.txt", ["text"])
    assert done == ["file", "rename", "folder"]
