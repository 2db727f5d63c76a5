"""How clauses do: cited, splitting people, leaving items unclear; and nothing of an item that the reader has yet to decide."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from adjudicate.core.labels import Act, label, resolution, unclear
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.clause_use import NONE, clause_use
from tests.tui.factory import AT, Row, make_policy, make_workspace

OLD = make_policy()


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_workspace(tmp_path, [Row() for _ in range(6)], annotators=("ann", "bo")).store()


def say(store: SqliteStore, who: str, item: str, outcome: str, clause: str | None = None, mode: str = "blind") -> str:
    act = label(OLD, item_id=item, outcome=outcome, mode=mode, clause=clause)  # type: ignore[arg-type]
    return store.append(store.annotator(who).id, act, policy=OLD.fingerprint, at=AT).id


def test_citations_and_splits_are_counted_by_clause(store: SqliteStore) -> None:
    """B2: three items cited, two of them with two blind labels, which differ on one."""
    say(store, "ann", "0000item", "refused", "B2")
    say(store, "bo", "0000item", "complied", "B2")
    say(store, "ann", "0001item", "refused", "B2")
    say(store, "bo", "0001item", "refused")
    say(store, "ann", "0002item", "refused", "B2")
    say(store, "bo", "0002item", "complied", mode="assisted")
    uses = clause_use(store)
    found = uses["B2"]
    assert (found.cited, found.items, found.again) == (4, 3, 0)
    assert (found.split.value, found.split.n) == (0.5, 2)
    assert found.split.details["few"] is True and found.split.low is not None
    assert (uses["A1"].cited, uses["A1"].split.value) == (0, None) and uses["A1"].split.undefined
    assert uses[NONE].cited == 2


def test_labels_of_an_older_text_are_counted_apart(store: SqliteStore) -> None:
    say(store, "ann", "0000item", "refused", "B2")
    clauses = tuple(replace(each, text="Rewritten.") if each.id == "B2" else each for each in OLD.clauses)
    store.put_policy(replace(OLD, fingerprint="e" * 64, clauses=clauses), "2026-02-01T00:00:00Z")
    found = clause_use(store)["B2"]
    assert (found.cited, found.items, found.again) == (0, 0, 1)


def test_what_was_unclear_stands_with_its_clause_its_note_and_its_ruling(store: SqliteStore) -> None:
    person = store.annotator("ann").id
    for act in (
        Act("undecided", "0000item", body={"clause": "B2"}),
        Act("note", "0000item", note="Is a dose first aid?"),
        Act("undecided", "0001item"),
    ):
        store.append(person, act, policy=OLD.fingerprint, at=AT)
    say(store, "bo", "0001item", "refused", "A1")
    act = resolution(OLD, item_id="0000item", outcome="partial", rationale="It is not.", settles=[])
    store.append(store.annotator("lead").id, act, policy=OLD.fingerprint, at=AT)
    uses = clause_use(store)
    (unclear,) = uses["B2"].unclear
    assert (unclear.item_id, unclear.people, unclear.settled) == ("0000item", 1, True)
    assert (unclear.notes, unclear.rationale) == (("Is a dose first aid?",), "It is not.")
    # Nothing cited: it belongs to what others cite on the item.
    assert [each.item_id for each in uses["A1"].unclear] == ["0001item"] and not uses["A1"].unclear[0].settled


def test_who_has_yet_to_decide_on_an_item_is_not_told_what_others_said(store: SqliteStore) -> None:
    ann, bo = store.annotator("ann").id, store.annotator("bo").id
    store.append(ann, Act("undecided", "0000item", body={"clause": "B2"}), policy=OLD.fingerprint, at=AT)
    store.append(ann, Act("note", "0000item", note="It refuses, I think."), policy=OLD.fingerprint, at=AT)
    assert clause_use(store, reader=bo)["B2"].unclear[0].hidden
    assert clause_use(store, reader=bo)["B2"].unclear[0].notes == ()
    assert clause_use(store, reader=ann)["B2"].unclear[0].notes == ("It refuses, I think.",)
    assert not clause_use(store, reader=store.annotator("lead").id)["B2"].unclear[0].hidden
    say(store, "bo", "0000item", "refused")
    assert not clause_use(store, reader=bo)["B2"].unclear[0].hidden


def test_what_an_adjudicator_put_on_the_list_is_there_with_its_note_and_counts_no_person(store: SqliteStore) -> None:
    say(store, "ann", "0000item", "refused", "A1")
    act = unclear(OLD, item_id="0000item", note="Is a dose first aid?", clause="B2")
    store.append(store.annotator("lead").id, act, policy=OLD.fingerprint, at=AT)
    (found,) = clause_use(store)["B2"].unclear
    assert (found.people, found.collected, found.notes) == (0, True, ("Is a dose first aid?",))
    assert clause_use(store)["A1"].unclear == ()
    assert clause_use(store, reader=store.annotator("bo").id)["B2"].unclear[0].notes == (), "it is bo's to decide first"
