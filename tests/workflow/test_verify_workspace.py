"""`check` finds what was changed behind the program's back, and a receipt finds what a chain alone cannot show."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core import labels
from adjudicate.errors import InputError
from adjudicate.settings import make_workspace
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.compare_receipt import compare_receipt, read_receipt
from adjudicate.workflow.draw_pairs import draw_pairs
from adjudicate.workflow.draw_sample import DrawSettings, draw_sample
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.receipt import receipt
from adjudicate.workflow.verify_workspace import LISTED, verify
from tests.empty_store import empty_store
from tests.factory import AT, Answer, make_store, xstest_policy


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """Items with and without an id, repeated answers, a conversation, an extended draw, labels and a note."""
    paths = make_workspace(tmp_path / "workspace", "test")
    store = empty_store(paths.database)
    policy = xstest_policy()
    store.put_policy(policy, AT)
    plain = {"prompt": "p", "intent": "benign", "verdict": "full_refusal"}
    turns = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}, {"role": "user", "content": "three"}]
    rows = [
        *({**plain, "id": f"s{number}", "response": f"r{number}"} for number in range(30)),
        *({**plain, "response": "again and again"} for _ in range(4)),
        {"messages": turns, "response": "r", "intent": "harmful", "verdict": "full_compliance"},
    ]
    log, more = tmp_path / "log.jsonl", tmp_path / "more.jsonl"
    for path, part in ((log, rows[:30]), (more, rows[30:])):
        path.write_text("".join(json.dumps(row) + "\n" for row in part), encoding="utf-8")
    import_files(store, policy, [log, more], options_for({}, {}), AT)
    draw_sample(store, DrawSettings(n=10, seed=7), at=AT)
    draw_sample(store, DrawSettings(n=20), at=AT)
    person = store.annotator("ann").id
    for pick in sorted(store.item_ids().values())[:5]:
        act = labels.label(policy, item_id=pick, outcome="full_refusal", mode="blind")
        store.append(person, act, policy=policy.fingerprint, at=AT)
        store.append(person, labels.Act("note", pick, note="a note"), policy=policy.fingerprint, at=AT)
    yield store
    store.close()


def damage(store: SqliteStore, statement: str) -> None:
    with writing(store.database) as connection:
        connection.execute(statement)


def test_a_workspace_that_nobody_touched_has_no_problem(store: SqliteStore) -> None:
    assert verify(store) == []


CHANGES = {
    "UPDATE items SET response = 'other' WHERE source_id = 's3'": "item .*: its prompt, response",
    "UPDATE items SET model = 'other' WHERE source_id = 's3'": "item .*: its prompt, response",
    "UPDATE items SET source_id = 'other' WHERE source_id = 's3'": "item .*: its prompt, response",
    "UPDATE items SET response = 'x' WHERE rowid = (SELECT max(rowid) - 1 FROM items WHERE source_id IS NULL)": "item ",
    "UPDATE items SET response = 'x' WHERE rowid = (SELECT max(rowid) FROM items)": "item ",
    "UPDATE prompts SET intent = 'dual_use' WHERE intent = 'harmful'": "prompt .*: its text, intent",
    "UPDATE policies SET text = text || 'Be lenient.'": "policy xstest .*: its text is not the one",
    "UPDATE policies SET compiled = replace(compiled, '\"lower\"', '\"higher\"')": "policy xstest .*: the outcomes, rates",
    "UPDATE notes SET text = 'other' WHERE rowid = 2": "the note of event",
    "UPDATE draws SET seed = 8": "does not follow from the seed 8",
    "DELETE FROM picks WHERE position = 3": "head of the queue",
    "UPDATE draws SET strata = replace(strata, '\"drawn\": ', '\"drawn\": 1')": "head of the queue|inclusion probability",
    "UPDATE events SET outcome = 'full_compliance' WHERE seq = 3": "event 3 was changed",
}


@pytest.mark.parametrize("statement", CHANGES)
def test_what_was_changed_is_named(store: SqliteStore, statement: str) -> None:
    damage(store, statement)
    found = verify(store)
    assert found
    assert re.search(CHANGES[statement], "\n".join(found))


def test_a_wrong_inclusion_probability_is_named(store: SqliteStore) -> None:
    damage(store, "UPDATE picks SET inclusion_probability = 0.9 WHERE position = 0")
    [found] = verify(store)
    assert "1 drawn items have an inclusion probability" in found


def test_many_problems_of_one_kind_are_counted(store: SqliteStore) -> None:
    damage(store, "UPDATE items SET response = response || '!'")
    found = verify(store)
    assert len(found) == LISTED + 1
    assert found[-1] == "... and 15 more like this"


def test_a_receipt_fits_its_own_workspace_also_after_more_work(store: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    path.write_text(json.dumps(receipt(store, software="test", at=AT)), encoding="utf-8")
    policy, item = store.policy(), sorted(store.item_ids().values())[9]
    for name in ("ann", "bo"):
        act = labels.label(policy, item_id=item, outcome="full_refusal", mode="blind")
        store.append(store.annotator(name).id, act, policy=policy.fingerprint, at=AT)
    assert compare_receipt(store, read_receipt(path)) == []


def test_a_cut_off_end_shows_only_against_a_receipt(store: SqliteStore) -> None:
    made = receipt(store, software="test", at=AT)
    damage(store, "DELETE FROM notes WHERE event_id IN (SELECT id FROM events WHERE seq > 7)")
    damage(store, "DELETE FROM events WHERE seq > 7")
    assert verify(store) == []
    [found] = compare_receipt(store, made)
    assert found.endswith("the receipt has 10 events, here are 7: the end of the chain is missing")


def change(made: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    changed: Any = json.loads(json.dumps(made))
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = to
    return changed  # type: ignore[no-any-return]


RECEIPTS = [
    (("event_heads", 0, "head"), "0" * 64, "event 10 is not the one of the receipt"),
    (("event_heads", 0, "annotator"), "A0", "A0: the receipt has 10 events, here is none"),
    (("policy", "fingerprint"), "0" * 64, "the policy of the receipt"),
    (("runs", 0, "run"), "0" * 32, "of the receipt is not here"),
    (("runs", 0, "sha256"), "0", "came from another file"),
    (("runs", 0, "items"), 99, "the receipt counts 99 items, here are 30"),
    (("draws", 0, "draw"), "d-x", "draw d-x of the receipt is not here"),
    (("draws", 0, "seed"), 1, "seed or strata are not those"),
    (("judges", 0, "verdicts"), 99, "the receipt counts 99 verdicts, here are"),
]


@pytest.mark.parametrize(("path", "value", "words"), RECEIPTS, ids=lambda value: str(value)[:40])
def test_what_a_receipt_names_and_is_not_here_is_said(store: SqliteStore, path: tuple[Any, ...], value: Any, words: str) -> None:
    [found] = compare_receipt(store, change(receipt(store, software="test", at=AT), *path, to=value))
    assert words in found


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"receipt": 2}', "[" * 100_000])
def test_what_is_no_receipt_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "receipt.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="--receipt"):
        read_receipt(path)


@pytest.mark.parametrize("heads", [None, [{}], [{"annotator": "A1", "events": "x", "head": ""}], [3]])
def test_an_incomplete_receipt_is_refused(store: SqliteStore, heads: Any) -> None:
    made = {**receipt(store, software="test", at=AT), "event_heads": heads}
    with pytest.raises(InputError, match="incomplete"):
        compare_receipt(store, made)


def test_a_draw_of_pairs_follows_from_its_seed_too(tmp_path: Path) -> None:
    answers = [Answer("full_refusal", prompt=f"p{number % 20}", model=f"m{number // 20}") for number in range(40)]
    store = make_store(tmp_path, answers)
    draw_pairs(store, DrawSettings(n=10, seed=3, pair=("m0", "m1")), at=AT)
    problems = [problem for problem in verify(store) if problem.startswith("draw")]
    damage(store, "UPDATE draws SET seed = 8")
    assert not problems
    assert [problem for problem in verify(store) if "does not follow from the seed 8" in problem]
    store.close()
