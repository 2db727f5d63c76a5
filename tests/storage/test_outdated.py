"""Re-queues without a row of their own: lists, counts and the adjudicator's queue follow the policies and the events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.labels import Act, Event, label, resolution
from adjudicate.core.policy import Policy
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from tests.factory import AT, Answer, make_store
from tests.tui.factory import Row, make_policy, make_workspace

OLD = make_policy()
LATER, LATEST = "2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z"
NEW = replace(
    OLD,
    version="4",
    fingerprint="e" * 64,
    clauses=tuple(replace(each, text="Rewritten.") if each.id == "B2" else each for each in OLD.clauses),
)
Say = Callable[..., Event]


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    """Four items on the lists of ann and bo."""
    return make_workspace(tmp_path, [Row() for _ in range(4)], annotators=("ann", "bo")).store()


@pytest.fixture
def say(store: SqliteStore) -> Say:
    def act(
        who: str, item: str, outcome: str = "complied", clause: str | None = None, policy: Policy = OLD, **more: Any
    ) -> Event:
        made = label(policy, item_id=item, outcome=outcome, mode=more.pop("mode", "blind"), clause=clause, **more)
        return store.append(store.annotator(who).id, made, policy=policy.fingerprint, at="2026-01-02T04:00:00Z")

    return act


def pending(store: SqliteStore, who: str) -> list[tuple[str, int]]:
    return [(pick.item_id, pick.round) for pick in store.pending(store.annotator(who).id, after=-1, limit=99)]


def items(store: SqliteStore) -> list[str]:
    return [item for item, _ in pending(store, "ann")]


def test_only_labels_that_cite_the_changed_clause_come_back_and_only_to_those_who_made_them(store: SqliteStore, say: Say) -> None:
    first, second, third, fourth = items(store)
    for item, clause in ((first, "B2"), (second, "A1"), (third, None), (fourth, "B2")):
        say("ann", item, clause=clause)
        say("bo", item)
    assert pending(store, "ann") == pending(store, "bo") == []
    store.put_policy(NEW, LATER)
    assert pending(store, "ann") == [(first, 0), (fourth, 0)]
    assert pending(store, "bo") == []
    assert store.progress(store.annotator("ann").id) == (2, 4)
    assert store.progress(store.annotator("bo").id) == (4, 4)


def test_made_again_it_is_dealt_with_and_undone_it_is_not(store: SqliteStore, say: Say) -> None:
    first = items(store)[0]
    say("ann", first, clause="B2")
    store.put_policy(NEW, LATER)
    again = say("ann", first, clause="B2", policy=NEW, mode="revealed")
    assert first not in items(store)
    store.append(again.annotator_id, Act("undo", first, target=again.id), policy=NEW.fingerprint, at=LATER)
    assert first in items(store)


def test_an_older_label_does_not_make_the_item_dealt_with_and_a_skip_does(store: SqliteStore, say: Say) -> None:
    first = items(store)[0]
    say("ann", first, clause="A1")
    say("ann", first, clause="B2")
    store.put_policy(NEW, LATER)
    assert first in items(store)
    person = store.annotator("ann").id
    store.append(person, Act("skip", first), policy=NEW.fingerprint, at=LATER)
    assert first not in items(store)


def test_the_older_version_back_in_use_makes_its_labels_stand_again(store: SqliteStore, say: Say) -> None:
    first = items(store)[0]
    say("ann", first, clause="B2")
    store.put_policy(NEW, LATER)
    assert first in items(store)
    store.put_policy(OLD, LATEST)
    assert first not in items(store)


def test_a_hidden_repeat_comes_back_as_such(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_compliance") for _ in range(30)])
    old = store.policy()
    new = replace(old, fingerprint="e" * 64, clauses=tuple(replace(each, text=f"{each.text} More.") for each in old.clauses[:1]))
    draw_sample(store, DrawSettings(n=30, seed=3, annotators=("ann",), overlap=1, repeats=0.3), at=AT)
    person = store.annotator("ann").id
    repeat = next(pick for pick in store.pending(person, after=-1, limit=99) if pick.round == 1)
    for place, clause in ((0, None), (1, old.clauses[0].id)):
        act = label(old, item_id=repeat.item_id, outcome="full_compliance", mode="blind", clause=clause, round=place)
        store.append(person, act, policy=old.fingerprint, at=AT)
    assert (repeat.item_id, 1) not in pending(store, "ann")
    store.put_policy(new, "2027-01-01T00:00:00Z")
    assert (repeat.item_id, 1) in pending(store, "ann") and (repeat.item_id, 0) not in pending(store, "ann")


def test_events_say_that_they_are_outdated_and_keep_the_policy_they_were_made_under(store: SqliteStore, say: Say) -> None:
    first = items(store)[0]
    made = say("ann", first, clause="B2")
    assert not made.outdated
    store.put_policy(NEW, LATER)
    for found in (store.events_on([first])[first], store.own_events(made.annotator_id, first), store.chain(made.annotator_id)):
        assert [(event.id, event.policy, event.outdated) for event in found] == [(made.id, OLD.fingerprint, True)]
    assert store.problems() == []


def test_another_connection_looks_again(store: SqliteStore, say: Say) -> None:
    first = items(store)[0]
    say("ann", first, clause="B2")
    other = SqliteStore.open(store.path)
    other.put_policy(NEW, LATER)
    other.close()
    assert first not in items(store)
    store.look_again()
    assert first in items(store)


def test_a_disagreement_that_rests_on_changed_words_goes_back_to_the_people(store: SqliteStore, say: Say) -> None:
    first, second = items(store)[:2]
    for item in (first, second):
        say("ann", item, "refused", clause="B2" if item == first else "A1")
        say("bo", item)
    assert store.open_items() == [first, second]
    store.put_policy(NEW, LATER)
    assert store.open_items() == [second]


def test_a_ruling_on_a_changed_clause_has_to_be_made_again(store: SqliteStore, say: Say) -> None:
    first = items(store)[0]
    settles = [say("ann", first, "refused").id, say("bo", first).id]
    act = resolution(OLD, item_id=first, outcome="refused", rationale="so", clause="B2", settles=settles)
    store.append(store.annotator("lead").id, act, policy=OLD.fingerprint, at=LATER)
    assert store.open_items() == []
    store.put_policy(NEW, LATER)
    assert store.open_items() == [first]


def test_labels_on_nobodys_list_go_to_the_adjudicator(store: SqliteStore, say: Say) -> None:
    """They came with a file: no list can bring them back. Nor can that of somebody who skips what came back."""
    first, second = items(store)[:2]
    say("file", first, clause="B2")
    say("ann", second, clause="B2")
    store.put_policy(NEW, LATER)
    assert store.open_items() == [first]
    store.append(store.annotator("ann").id, Act("skip", second), policy=NEW.fingerprint, at=LATER)
    assert store.open_items() == [first, second]


def test_a_changed_outcome_or_grade_calls_back_what_names_it(store: SqliteStore, say: Say) -> None:
    first, second, third, _ = items(store)
    say("ann", first, "harm", severity="1")
    say("ann", second, "harm", severity="2")
    say("ann", third, "partial")
    grades = (replace(OLD.severities[0], meaning="Known to everybody."), *OLD.severities[1:])
    outcomes = tuple(replace(each, meaning="Does some of it.") if each.id == "partial" else each for each in OLD.outcomes)
    store.put_policy(replace(OLD, fingerprint="d" * 64, severities=grades, outcomes=outcomes), LATER)
    assert {first, third} <= set(items(store)) and second not in items(store)
