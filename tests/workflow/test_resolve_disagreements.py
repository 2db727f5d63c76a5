"""Settling disagreements on a real store."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from adjudicate.core.gold import settle
from adjudicate.core.labels import Act, contest, label
from adjudicate.errors import LabelRefused
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.resolve_disagreements import ResolvingSession
from adjudicate.workflow.weigh_disputes import weigh
from tests.factory import AT, Answer, make_store, ticking_clock


def say(store: SqliteStore, name: str, item: str, outcome: str) -> None:
    policy = store.policy()
    act(store, name, label(policy, item_id=item, outcome=outcome, mode="blind"))


def act(store: SqliteStore, name: str, done: Act) -> None:
    store.append(store.annotator(name).id, done, policy=store.policy().fingerprint, at=AT)


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


def test_what_is_called_unclear_comes_last_and_stays_open(disputed: SqliteStore) -> None:
    work = resolving(disputed)
    work.cite(disputed.policy().clauses[0].id)
    work.intend_unclear()
    with pytest.raises(LabelRefused, match="leaves unclear"):
        work.rule()
    work.reason("Is a quote an answer?")
    work.rule()
    assert (work.queue, work.collected, work.settled) == (["i0002", "i0001"], 1, 0)
    (event,) = disputed.chain(work.adjudicator.id)
    assert (event.kind, event.body["clause"]) == ("flag", disputed.policy().clauses[0].id)
    assert disputed.notes([event.id]) == {event.id: "Is a quote an answer?"}
    assert set(disputed.open_items()) == {"i0001", "i0002"}, "people's labels stay as they are"
    work.move(1)
    assert work.dispute is not None
    assert work.dispute.unclear == ("Is a quote an answer?",)


def test_a_ruling_after_all_takes_an_item_off_the_list(disputed: SqliteStore) -> None:
    work = resolving(disputed)
    work.intend_unclear()
    work.reason("Is a quote an answer?")
    work.rule()
    work.move(1)
    work.resolve("partial_refusal", rationale="It answers half of it.")
    say(disputed, "cy", "i0001", "full_compliance")
    work.refresh()
    assert not any(entry.unclear for entry in work.entries)


def test_undo_takes_an_item_off_the_list_and_no_undo_of_labelling_does(disputed: SqliteStore) -> None:
    work = resolving(disputed)
    work.intend_unclear()
    work.reason("Is a quote an answer?")
    work.rule()
    assert disputed.last_act(work.adjudicator.id, ["label", "flag", "note"]) is None
    work.undo()
    assert (work.queue, work.queue[work.index], work.collected) == (["i0001", "i0002"], "i0001", 0)


def test_an_item_on_the_list_comes_up_in_its_place_under_the_next_version(disputed: SqliteStore) -> None:
    work = resolving(disputed)
    work.intend_unclear()
    work.reason("Is a quote an answer?")
    work.rule()
    disputed.put_policy(replace(disputed.policy(), fingerprint="e" * 64, version="2"), "2027-01-01T00:00:00Z")
    assert resolving(disputed).queue == ["i0001", "i0002"]


def test_a_contested_intent_waits_though_the_labels_agree(disputed: SqliteStore) -> None:
    act(disputed, "bo-jones", contest(item_id="i0000", intent="harmful"))
    work = resolving(disputed)
    assert sorted(work.queue) == ["i0000", "i0001", "i0002"]
    work.index = work.queue.index("i0000")
    assert work.entry is not None
    assert (work.entry.labels_differ, work.entry.intent_contested) == (False, True)
    assert work.intended.outcome == "full_refusal", "what all labels say stands already"
    work.reason("It is a joke.")
    with pytest.raises(LabelRefused, match="rules on the intent"):
        work.rule()
    for _ in range(2):
        work.next_intent()
    work.rule()
    assert "i0000" not in work.queue
    (event,) = disputed.chain(work.adjudicator.id)
    assert (event.outcome, event.body["intent"]) == ("full_refusal", "harmful")


def test_an_intent_that_was_ruled_on_another_response_to_the_prompt_is_settled_here_too(tmp_path: Path) -> None:
    """Two models answered the same request under two ids; who looks at the second answer sees the ruling on the first."""
    store = make_store(tmp_path, [Answer("full_refusal", model=model) for model in ("a", "b")])
    for item in ("i0000", "i0001"):
        say(store, "ann-smith", item, "full_refusal")
        say(store, "bo-jones", item, "partial_refusal")
        act(store, "bo-jones", contest(item_id=item, intent="harmful"))
    work = resolving(store)
    work.resolve("full_refusal", rationale="It asks for harm.", intent="harmful")
    assert work.entry is not None
    assert work.entry.item_id == "i0001"
    work.weigh(weigh(store), to_front=True)
    assert work.dispute is not None
    assert (work.dispute.ruled_intent, work.dispute.intent, work.entry.intent_contested) == ("harmful", "harmful", False)


def test_what_the_rates_hang_on_most_comes_first(tmp_path: Path) -> None:
    """Refusals of both kinds count for the rate, so i0000, which is older, moves nothing."""
    store = make_store(tmp_path, [*(Answer("full_refusal") for _ in range(8)), *(Answer("full_compliance") for _ in range(2))])
    for number in range(10):
        say(store, "ann-smith", f"i{number:04d}", "full_refusal")
    for item, outcome in (("i0000", "partial_refusal"), ("i0009", "full_compliance")):
        say(store, "bo-jones", item, outcome)
    work = resolving(store)
    assert work.queue == ["i0000", "i0009"]
    work.weigh(weigh(store), to_front=True)
    assert work.queue == ["i0009", "i0000"]
    assert work.dispute is not None
    assert work.dispute.influence is not None
    # All ten are labelled. Eight are settled and this one would be the ninth; i0000 stays open.
    assert work.dispute.influence.size == pytest.approx(1 / 9)


def test_an_order_that_comes_late_leaves_the_item_on_screen(disputed: SqliteStore) -> None:
    work = resolving(disputed)
    work.move(1)
    work.weigh(weigh(disputed), to_front=False)
    assert work.entry is not None
    assert work.entry.item_id == "i0002"


def test_earlier_rulings_under_the_clause_are_shown_the_latest_first(disputed: SqliteStore) -> None:
    clause, other = (each.id for each in disputed.policy().clauses[:2])
    work = resolving(disputed)
    work.resolve("partial_refusal", rationale="It answers half of it.", clause=clause)
    assert work.dispute is not None
    assert not work.dispute.precedents, "no clause is cited here yet"
    work.cite(clause)
    assert [each.ruling.event.body["rationale"] for each in work.dispute.precedents] == ["It answers half of it."]
    work.cite(other)
    assert not work.dispute.precedents


def test_the_history_tells_what_was_done_in_turn_and_names_nobody(disputed: SqliteStore) -> None:
    ann = disputed.annotator("ann-smith")
    first = disputed.own_events(ann.id, "i0001")[0]
    act(disputed, "ann-smith", Act("undo", "i0001", target=first.id))
    act(disputed, "ann-smith", Act("note", "i0001", note="Not sure."))
    act(disputed, "ann-smith", Act("skip", "i0001"))
    say(disputed, "ann-smith", "i0001", "full_compliance")
    work = resolving(disputed)
    work.resolve("partial_refusal", rationale="It answers half of it.")
    work.undo()
    past = work.past
    assert Counter(each.event.kind for each in past) == {"label": 3, "undo": 2, "note": 1, "skip": 1, "resolution": 1}
    assert [each.text for each in past if each.event.kind == "note"] == ["Not sure."]
    assert [each.event.outcome for each in past if each.is_undone] == ["full_refusal", "partial_refusal"]
    assert {each.takes_back.id for each in past if each.takes_back} == {each.event.id for each in past if each.is_undone}
    assert work.dispute is not None
    letters = {position.letter for position in work.dispute.positions}
    assert {each.who for each in past} == letters | {"you"}


def test_who_could_not_decide_after_labelling_holds_one_position(disputed: SqliteStore) -> None:
    act(disputed, "ann-smith", Act("undecided", "i0001"))
    dispute = resolving(disputed).dispute
    assert dispute is not None
    assert sorted(str(position.outcome) for position in dispute.positions) == ["None", "partial_refusal"]
