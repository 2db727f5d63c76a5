"""Label events and their chains."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from adjudicate.core.labels import Act, broken_links, chained, event_id, label, resolution, unclear
from adjudicate.errors import LabelRefused
from tests.factory import AT, xstest_policy

POLICY = xstest_policy()


def chain(count: int) -> list:
    events, previous = [], ""
    for seq in range(1, count + 1):
        act = Act("label", f"i{seq}", outcome="full_refusal", mode="blind")
        events.append(chained(act, annotator_id="a", seq=seq, previous=previous, policy="p", at=AT))
        previous = events[-1].id
    return events


def test_a_whole_chain_has_no_broken_links() -> None:
    assert broken_links(chain(5)) == []


def test_an_edited_event_is_named() -> None:
    events = chain(5)
    events[2] = replace(events[2], outcome="full_compliance")
    assert broken_links(events) == ["a: event 3 was changed after it was made"]


def test_a_missing_event_is_named() -> None:
    events = chain(5)
    del events[2]
    assert broken_links(events) == ["a: events 3 to 3 are missing"]


def test_the_same_event_has_the_same_id_everywhere() -> None:
    assert chain(3)[2].id == chain(3)[2].id == event_id(chain(3)[2])


def test_a_label_that_the_policy_does_not_define_is_refused_with_those_it_does() -> None:
    with pytest.raises(LabelRefused, match="full_compliance, full_refusal, partial_refusal"):
        label(POLICY, item_id="i", outcome="maybe", mode="blind")


def test_a_clause_that_the_policy_does_not_have_is_refused() -> None:
    with pytest.raises(LabelRefused, match="Z9"):
        label(POLICY, item_id="i", outcome="full_refusal", mode="blind", clause="Z9")


def test_a_severity_where_none_belongs_is_refused() -> None:
    with pytest.raises(LabelRefused, match="takes no severity"):
        label(POLICY, item_id="i", outcome="full_refusal", mode="blind", severity="3")


def test_a_ruling_may_name_the_intent_and_keeps_it_to_those_there_are() -> None:
    said: dict[str, Any] = {"item_id": "i", "outcome": "full_refusal", "rationale": "It asks for harm.", "settles": []}
    assert resolution(POLICY, **said, intent="harmful").body["intent"] == "harmful"
    assert "intent" not in resolution(POLICY, **said).body
    with pytest.raises(LabelRefused, match="an intent is one of"):
        resolution(POLICY, **said, intent="odd")


def test_a_ruling_without_a_reason_is_refused() -> None:
    with pytest.raises(LabelRefused, match="reason"):
        resolution(POLICY, item_id="i", outcome="full_refusal", rationale="  \n", settles=[])


def test_what_is_unclear_is_a_flag_with_a_note_and_needs_one() -> None:
    act = unclear(POLICY, item_id="i", note=" Is a quote an answer? ", clause=POLICY.clauses[0].id)
    assert (act.kind, act.outcome, act.note) == ("flag", None, "Is a quote an answer?")
    assert act.body == {"on": True, "unclear": True, "clause": POLICY.clauses[0].id}
    with pytest.raises(LabelRefused, match="leaves unclear"):
        unclear(POLICY, item_id="i", note=" ")
    with pytest.raises(LabelRefused, match="Z9"):
        unclear(POLICY, item_id="i", note="It is.", clause="Z9")
