"""The workspace at a glance: each kind of waiting is counted on its own, and the next step follows from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.core.labels import Act, contest, label
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow import triage
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.label_items import LabellingSession
from adjudicate.workflow.overview import look_at
from adjudicate.workflow.triage import TriageList
from tests.factory import AT, Answer, make_store, ticking_clock

YES, NO = "full_compliance", "full_refusal"


def act(store: SqliteStore, name: str, done: Act) -> None:
    store.append(store.annotator(name).id, done, policy=store.policy().fingerprint, at=AT)


def say(store: SqliteStore, name: str, item: str, outcome: str) -> None:
    act(store, name, label(store.policy(), item_id=item, outcome=outcome, mode="blind"))


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    """Three items, all drawn and labelled by ann and bo, who agree."""
    store = make_store(tmp_path, [Answer(NO)] * 3)
    draw_sample(store, DrawSettings(n=3, annotators=("ann", "bo"), overlap=2, seed=1, repeats=0.0), at=AT)
    for name in ("ann", "bo"):
        for number in range(3):
            say(store, name, f"i{number:04d}", NO)
    return store


def test_where_nothing_waits_the_report_is_next(store: SqliteStore) -> None:
    seen = look_at(store)
    assert (seen.open_items, seen.contested, seen.triage.queued, seen.triage.labels) == (0, 0, 0, 0)
    assert seen.next_step.command == "adjudicate report"


def test_an_item_of_which_only_the_intent_is_contested_is_no_disagreement_but_waits(store: SqliteStore) -> None:
    act(store, "bo", contest(item_id="i0001", intent="harmful"))
    seen = look_at(store)
    assert (seen.open_items, seen.contested) == (0, 1)
    assert (seen.next_step.command, seen.next_step.key) == ("adjudicate resolve", "r")
    assert "1 items of which only the intent" in seen.next_step.words


def test_an_item_on_which_outcomes_differ_too_is_counted_once(store: SqliteStore) -> None:
    act(store, "bo", contest(item_id="i0001", intent="harmful"))
    say(store, "bo", "i0001", YES)
    seen = look_at(store)
    assert (seen.open_items, seen.contested) == (1, 0)


def test_triage_is_counted_apart_from_the_sample(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer(NO)] * 3)
    ann = store.annotator("ann")
    triage.send(store, [1, 3], ann, at=AT)
    session = LabellingSession(store, policy=store.policy(), annotator=ann, clock=ticking_clock(), work=TriageList(store, ann.id))
    session.choose(YES)
    seen = look_at(store)
    assert (seen.triage.queued, seen.triage.labels) == (2, 1)
    assert (seen.labelled, seen.open_items, seen.contested) == (0, 0, 0)
