"""Settling disagreements on a real store."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.core.gold import settle
from adjudicate.core.labels import label
from adjudicate.errors import LabelRefused
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.resolve_disagreements import ResolvingSession
from tests.factory import AT, Answer, make_store, ticking_clock


def say(store: SqliteStore, name: str, item: str, outcome: str) -> None:
    policy = store.policy()
    act = label(policy, item_id=item, outcome=outcome, mode="blind")
    store.append(store.annotator(name).id, act, policy=policy.fingerprint, at=AT)


@pytest.fixture
def disputed(tmp_path: Path) -> SqliteStore:
    """Three items: i0000 unanimous, i0001 and i0002 disputed."""
    store = make_store(tmp_path, [Answer("full_refusal")] * 3)
    for item, one, two in (
        ("i0000", "full_refusal", "full_refusal"),
        ("i0001", "full_refusal", "partial_refusal"),
        ("i0002", "full_compliance", "full_refusal"),
    ):
        say(store, "ann-smith", item, one)
        say(store, "bo-jones", item, two)
    return store


def resolving(store: SqliteStore) -> ResolvingSession:
    return ResolvingSession(store, policy=store.policy(), adjudicator=store.annotator("lead"), clock=ticking_clock())


def test_unanimous_items_are_never_asked(disputed: SqliteStore) -> None:
    assert resolving(disputed).queue == ["i0001", "i0002"]


def test_labels_stand_side_by_side_under_letters_and_no_name_is_read(disputed: SqliteStore) -> None:
    dispute = resolving(disputed).dispute
    assert dispute is not None
    assert [position.letter for position in dispute.positions] == ["A", "B"]
    assert {position.outcome for position in dispute.positions} == {"full_refusal", "partial_refusal"}
    shown = repr(dispute)
    assert all(person.name not in shown and person.id not in shown for person in disputed.annotators())


def test_a_ruling_settles_the_item_and_moves_on(disputed: SqliteStore) -> None:
    work = resolving(disputed)
    work.resolve("partial_refusal", rationale="It answers half of it.", clause=disputed.policy().clauses[0].id)
    assert work.queue == ["i0002"]
    gold = settle(disputed.events_on(["i0001"])["i0001"])
    assert gold is not None
    assert (gold.outcome, gold.how) == ("partial_refusal", "adjudicated")


def test_a_ruling_without_a_reason_is_refused_and_nothing_is_saved(disputed: SqliteStore) -> None:
    work = resolving(disputed)
    with pytest.raises(LabelRefused, match="reason"):
        work.resolve("partial_refusal", rationale="")
    assert disputed.chain(work.adjudicator.id) == []


def test_an_undone_ruling_opens_the_item_again(disputed: SqliteStore) -> None:
    work = resolving(disputed)
    work.resolve("partial_refusal", rationale="It answers half of it.")
    work.undo()
    assert work.queue == ["i0001", "i0002"]
    assert work.dispute is not None
    assert work.dispute.item.id == "i0001"


def test_a_later_label_that_differs_opens_a_settled_item_with_its_ruling_shown(disputed: SqliteStore) -> None:
    work = resolving(disputed)
    work.resolve("partial_refusal", rationale="It answers half of it.")
    say(disputed, "cy", "i0001", "full_compliance")
    work.refresh()
    assert "i0001" in work.queue
    work.index = work.queue.index("i0001")
    assert work.dispute is not None
    assert work.dispute.reopened
    assert work.dispute.ruling is not None


def test_the_views_of_the_database_say_the_same_as_the_rules(disputed: SqliteStore) -> None:
    """`gold_labels` and `disagreements` are read by SQL users; `core.gold` by the program: one truth."""
    work = resolving(disputed)
    work.resolve("partial_refusal", rationale="It answers half of it.")
    say(disputed, "cy", "i0002", "full_refusal")
    say(disputed, "cy", "i0001", "partial_refusal")
    view = {row[0]: (row[1], row[2]) for row in disputed.database.connection.execute("SELECT * FROM gold_labels")}
    rules = {item: settle(events) for item, events in disputed.events_on().items()}
    assert view == {item: (gold.outcome, gold.how) for item, gold in rules.items() if gold and not gold.is_open}
    assert set(disputed.open_items()) == {item for item, gold in rules.items() if gold and gold.is_open}
