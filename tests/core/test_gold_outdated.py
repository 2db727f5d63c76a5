"""Labels that rest on what the policy in force has changed: on record, counting for nothing until they are made again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from adjudicate.core.gold import blind_outcome, current_labels, settle
from adjudicate.core.labels import Act, Event, chained

YES, NO = "complied", "refused"


class Said:
    """What people say of one item, in order."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, who: str, kind: Any, outcome: str | None = None, *, outdated: bool = False, **body: Any) -> Event:
        mode = body.pop("mode", "blind" if kind == "label" else None)
        act = Act(kind, "item", outcome=outcome, mode=mode, body=body)
        at = f"2027-01-01T00:00:{len(self.events):02d}Z"
        event = chained(act, annotator_id=who, seq=len(self.events) + 1, previous="", policy="old" if outdated else "new", at=at)
        self.events.append(replace(event, outdated=outdated))
        return self.events[-1]


def test_an_outdated_label_leaves_its_item_open_and_waiting_not_unlabelled() -> None:
    """Left out as never labelled it would be missing by what it says."""
    said = Said()
    said("a", "label", YES, outdated=True)
    gold = settle(said.events)
    assert gold is not None
    assert (gold.outcome, gold.how, gold.waits) == (None, "open", True)
    assert blind_outcome(said.events) is None


def test_the_others_do_not_settle_what_one_has_to_say_again() -> None:
    said = Said()
    said("a", "label", YES, outdated=True)
    said("b", "label", NO)
    gold = settle(said.events)
    assert gold is not None and gold.waits and gold.outcome is None
    again = Said()
    again.events = said.events
    again("a", "label", NO, mode="revealed")
    gold = settle(again.events)
    assert gold is not None and (gold.outcome, gold.how, gold.waits) == (NO, "unanimous", False)
    # What a said with the verdict in view says nothing of the judge; what b said blind does.
    assert blind_outcome(again.events) == NO


def test_labels_that_stand_and_differ_are_a_disagreement_at_once() -> None:
    said = Said()
    said("a", "label", YES, outdated=True)
    said("b", "label", NO)
    said("c", "label", YES)
    gold = settle(said.events)
    assert gold is not None and gold.is_open and not gold.waits


def test_an_older_label_of_the_same_person_does_not_come_back_instead() -> None:
    said = Said()
    said("a", "label", NO)
    said("a", "label", YES, outdated=True)
    gold = settle(said.events)
    assert gold is not None and gold.waits
    assert [label.outcome for label in current_labels(said.events)] == [YES]


def test_a_ruling_that_stands_settles_the_item_whatever_labels_wait() -> None:
    said = Said()
    one = said("a", "label", YES, outdated=True)
    said("lead", "resolution", NO, settles=[one.id], rationale="so")
    gold = settle(said.events)
    assert gold is not None and (gold.outcome, gold.how) == (NO, "adjudicated")


def test_an_outdated_ruling_falls_away_and_differing_labels_wait_for_another() -> None:
    said = Said()
    one, two = said("a", "label", YES), said("b", "label", NO)
    said("lead", "resolution", NO, outdated=True, settles=[one.id, two.id], rationale="so")
    gold = settle(said.events)
    assert gold is not None and gold.is_open and not gold.waits
    assert gold.settlement is not None and gold.settlement.outdated


def test_with_an_outdated_ruling_and_outdated_labels_the_labels_come_first() -> None:
    said = Said()
    one, two = said("a", "label", YES, outdated=True), said("b", "label", NO, outdated=True)
    said("lead", "resolution", NO, outdated=True, settles=[one.id, two.id], rationale="so")
    assert (gold := settle(said.events)) is not None and gold.waits
    said("a", "label", NO, mode="revealed")
    said("b", "label", NO, mode="revealed")
    gold = settle(said.events)
    assert gold is not None and (gold.outcome, gold.how) == (NO, "unanimous")


def test_a_final_label_of_a_data_set_that_is_outdated_waits_for_a_ruling() -> None:
    """Nobody's list can bring it back."""
    said = Said()
    said("source", "gold", YES, outdated=True)
    gold = settle(said.events)
    assert gold is not None and gold.is_open and not gold.waits


def test_who_could_not_decide_under_a_changed_clause_is_asked_again() -> None:
    said = Said()
    said("a", "undecided", outdated=True, clause="B2")
    assert (gold := settle(said.events)) is not None and gold.waits
    said("a", "label", YES)
    assert (gold := settle(said.events)) is not None and gold.outcome == YES
