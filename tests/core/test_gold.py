"""From labels to gold."""

from __future__ import annotations

from typing import Any

from adjudicate.core.gold import adjudicated_intent, blind_outcome, contested_intents, ruled_intents, settle
from adjudicate.core.labels import Act, Event, chained


class Table:
    """Events on one item by several people, in order."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def act(self, person: str, kind: str, outcome: str | None = None, **rest: Any) -> Event:
        mine = [event for event in self.events if event.annotator_id == person]
        act = Act(kind, "item", outcome=outcome, **rest)  # type: ignore[arg-type]
        previous = mine[-1].id if mine else ""
        at = f"2026-01-01T00:00:{len(self.events):02d}Z"
        event = chained(act, annotator_id=person, seq=len(mine) + 1, previous=previous, policy="p", at=at)
        self.events.append(event)
        return event

    def label(self, person: str, outcome: str, mode: str = "blind") -> Event:
        return self.act(person, "label", outcome, mode=mode)

    def settled(self, person: str, outcome: str, *covered: Event, kind: str = "resolution") -> Event:
        return self.act(person, kind, outcome, body={"settles": [event.id for event in covered]})


def test_one_label_is_gold_of_a_single_person() -> None:
    table = Table()
    table.label("a", "x")
    assert (gold := settle(table.events)) is not None
    assert (gold.outcome, gold.how) == ("x", "single")


def test_equal_labels_are_unanimous_and_different_ones_are_open_however_many_agree() -> None:
    table = Table()
    table.label("a", "x")
    table.label("b", "x")
    assert (gold := settle(table.events)) is not None
    assert gold.how == "unanimous"
    table.label("c", "y")
    assert (gold := settle(table.events)) is not None
    assert gold.is_open
    assert gold.outcome is None


def test_a_ruling_settles_and_a_later_different_label_opens_again() -> None:
    table = Table()
    one, two = table.label("a", "x"), table.label("b", "y")
    table.settled("lead", "y", one, two)
    assert (gold := settle(table.events)) is not None
    assert (gold.outcome, gold.how) == ("y", "adjudicated")
    table.label("c", "y")
    assert (gold := settle(table.events)) is not None
    assert not gold.is_open
    table.label("d", "x")
    assert (gold := settle(table.events)) is not None
    assert gold.is_open


def test_a_ruling_outranks_a_recorded_final_label_whenever_it_was_made() -> None:
    table = Table()
    one, two = table.label("a", "x"), table.label("b", "y")
    table.settled("lead", "y", one, two)
    table.settled("file", "x", one, two, kind="gold")
    assert (gold := settle(table.events)) is not None
    assert gold.outcome == "y"


def test_an_undone_label_does_not_count() -> None:
    table = Table()
    table.label("a", "x")
    wrong = table.label("a", "y")
    table.act("a", "undo", target=wrong.id)
    assert (gold := settle(table.events)) is not None
    assert gold.outcome == "x"


def test_somebody_who_cannot_decide_sends_the_item_to_the_adjudicator() -> None:
    table = Table()
    table.label("a", "x")
    table.act("b", "undecided")
    assert (gold := settle(table.events)) is not None
    assert gold.is_open
    table.label("b", "x")
    assert (gold := settle(table.events)) is not None
    assert gold.how == "unanimous"


def test_a_hidden_repeat_never_replaces_the_label() -> None:
    table = Table()
    table.label("a", "x")
    table.act("a", "label", "y", mode="blind", round=1)
    assert (gold := settle(table.events)) is not None
    assert gold.outcome == "x"


def test_the_blind_outcome_is_the_one_before_the_reveal() -> None:
    table = Table()
    table.label("a", "x")
    table.label("a", "y", mode="revealed")
    assert (gold := settle(table.events)) is not None
    assert gold.outcome == "y"
    assert blind_outcome(table.events) == "x"


def test_a_ruling_over_blind_labels_counts_as_blind_and_over_assisted_ones_does_not() -> None:
    blind, assisted = Table(), Table()
    for table, mode in ((blind, "blind"), (assisted, "assisted")):
        one, two = table.label("a", "x", mode), table.label("b", "y", mode)
        table.settled("lead", "y", one, two)
    assert blind_outcome(blind.events) == "y"
    assert blind_outcome(assisted.events) is None


def test_a_skip_alone_says_nothing() -> None:
    table = Table()
    table.act("a", "skip")
    assert settle(table.events) is None


def test_the_latest_standing_ruling_that_names_an_intent_holds() -> None:
    table = Table()
    table.label("a", "x")
    assert adjudicated_intent(table.events) is None
    table.act("lead", "resolution", "x", body={"settles": [], "intent": "harmful"})
    table.act("lead", "resolution", "y", body={"settles": []})
    assert adjudicated_intent(table.events) == "harmful"
    last = table.act("lead", "resolution", "x", body={"settles": [], "intent": "dual_use"})
    assert adjudicated_intent(table.events) == "dual_use"
    table.act("lead", "undo", target=last.id)
    assert adjudicated_intent(table.events) == "harmful"


def test_a_ruling_on_an_intent_holds_for_every_response_to_the_prompt() -> None:
    one, two, other, none = Table(), Table(), Table(), Table()
    one.act("lead", "resolution", "x", body={"settles": [], "intent": "harmful"})
    other.act("lead", "resolution", "x", body={"settles": []})
    none.act("lead", "resolution", "x", body={"settles": [], "intent": "harmful"})
    two.label("a", "x")
    said = [("p", one.events), ("p", two.events), ("q", other.events), ("", none.events)]
    assert ruled_intents(said) == ruled_intents(reversed(said)) == {"p": "harmful"}


def test_a_contested_intent_is_what_each_person_held_last() -> None:
    table = Table()
    table.act("a", "contest", body={"intent": "harmful"})
    table.act("a", "contest", body={"intent": "dual_use"})
    withdrawn = table.act("b", "contest", body={"intent": "harmful"})
    table.act("b", "undo", target=withdrawn.id)
    assert contested_intents(table.events) == {"a": "dual_use"}
    assert adjudicated_intent(table.events) is None
