"""What differs between versions of a policy, and which differences reach labels: those in what a label says, no others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudicate.core.labels import Act, Event, chained
from adjudicate.core.policy import Clause, Outcome, Policy, Rate, Severity
from adjudicate.core.policy_changes import Change, Cited, policy_changes
from tests.tui.factory import make_policy

OLD = make_policy()


def newer(**changes: object) -> Policy:
    """The policy with something else in it, under another fingerprint."""
    return replace(OLD, version="4", fingerprint="e" * 64, **changes)  # type: ignore[arg-type]


def with_clause(clause_id: str, **changes: object) -> Policy:
    return newer(clauses=tuple(replace(each, **changes) if each.id == clause_id else each for each in OLD.clauses))  # type: ignore[arg-type]


def with_outcome(outcome_id: str, **changes: object) -> Policy:
    return newer(outcomes=tuple(replace(each, **changes) if each.id == outcome_id else each for each in OLD.outcomes))  # type: ignore[arg-type]


def only(new: Policy) -> Change:
    """The one difference."""
    (change,) = policy_changes(OLD, new).changes
    return change


def said(**body: str) -> Event:
    """A label of `complied` with this body."""
    act = Act("label", "item", outcome=body.pop("outcome", "complied"), mode="blind", body=body)
    return chained(act, annotator_id="a", seq=1, previous="", policy=OLD.fingerprint, at="")


def test_the_same_text_and_other_line_breaks_are_no_difference() -> None:
    assert policy_changes(OLD, OLD).changes == ()
    reflowed = with_clause("A1", text="Answer them.\nA cautious word is fine,\n   a lecture is not.")
    assert policy_changes(OLD, reflowed).changes == ()


def test_a_rewritten_clause_calls_back_the_labels_that_cite_it_and_no_others() -> None:
    changes = policy_changes(OLD, with_clause("B2", text="Allowed: symptoms and first aid. Not allowed: amounts."))
    assert changes.called_back == {Cited("clause", "B2")}
    assert changes.reasons(said(clause="B2")) == ["clause B2 was changed"]
    assert changes.reasons(said(clause="A1")) == [] and changes.reasons(said()) == []


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"title": "First aid only"}, "new title"),
        ({"categories": ()}, "every category"),
        ({"intents": ("benign",)}, "speaks to benign"),
    ],
)
def test_title_and_scope_are_part_of_what_a_clause_says(changed: dict[str, object], word: str) -> None:
    change = only(with_clause("B2", **changed))
    assert change.calls_back and word in change.words


def test_added_clauses_call_nobody_back_and_removed_ones_do() -> None:
    more = Clause("D1", "Endings", "Read to the end.", 40)
    assert not only(newer(clauses=(*OLD.clauses, more))).calls_back
    gone = only(newer(clauses=OLD.clauses[:1] + OLD.clauses[2:]))
    assert (gone.id, gone.how, gone.calls_back) == ("B2", "removed", True)


@pytest.mark.parametrize("changed", [{"meaning": "Does all of it."}, {"behaviour": "deflected"}, {"severe": True}])
def test_an_outcome_that_says_something_else_calls_its_labels_back(changed: dict[str, object]) -> None:
    new = with_outcome("complied", **changed)
    assert only(new).calls_back
    assert policy_changes(OLD, new).reasons(said()) == ["outcome complied was changed"]
    assert policy_changes(OLD, new).reasons(said(outcome="refused")) == []


@pytest.mark.parametrize("changed", [{"title": "Complied"}, {"key": "9"}, {"right_for": ("benign",)}])
def test_what_is_only_read_or_pressed_otherwise_calls_nobody_back(changed: dict[str, object]) -> None:
    change = only(with_outcome("complied", **changed))
    assert not change.calls_back and "labels that name it stand" in change.words


def test_a_severity_no_longer_asked_for_leaves_the_labels_that_gave_it() -> None:
    assert not only(with_outcome("harm", severe=False)).calls_back


def test_a_rate_that_counts_otherwise_moves_numbers_and_no_label() -> None:
    """It is told at the rate, and at the outcome that it counts now."""
    rates = (OLD.rates[0], replace(OLD.rates[1], counts=("refused", "partial")))
    changes = policy_changes(OLD, newer(rates=rates))
    assert {(each.part, each.id) for each in changes.changes} == {("rate", "benign_refusal"), ("outcome", "partial")}
    assert changes.called_back == frozenset()
    told = changes.of("rate", "benign_refusal")
    assert told is not None and "now counts partial too" in told.words and "the rate moves" in told.words


def test_a_new_id_is_a_removal_and_an_addition() -> None:
    """Renamed outcomes cannot be guessed."""
    renamed = with_outcome("partial", id="partly")
    found = {(each.id, each.how) for each in policy_changes(OLD, renamed).changes}
    assert found == {("partly", "added"), ("partial", "removed")}


def test_a_grade_with_another_meaning_calls_back_the_labels_that_give_it() -> None:
    grades = (replace(OLD.severities[0], meaning="Known to all."), *OLD.severities[1:])
    changes = policy_changes(OLD, newer(severities=grades))
    assert changes.reasons(said(outcome="harm", severity="1")) == ["severity 1 was changed"]
    assert changes.reasons(said(outcome="harm", severity="2")) == []


def test_rulings_and_people_who_could_not_decide_rest_on_clauses_too_and_skips_on_nothing() -> None:
    changes = policy_changes(OLD, with_clause("B2", text="Rewritten."))
    ruling = Act("resolution", "item", outcome="complied", body={"clause": "B2"})
    undecided = Act("undecided", "item", body={"clause": "B2"})
    skip = Act("skip", "item", body={"clause": "B2"})
    made = [chained(act, annotator_id="a", seq=1, previous="", policy="f" * 64, at="") for act in (ruling, undecided, skip)]
    assert [bool(changes.reasons(event)) for event in made] == [True, True, False]


def test_what_belongs_to_no_record_is_told_and_calls_nobody_back() -> None:
    changed = newer(
        id="other", title="Another", preamble="Read this first.", points={"benign": {"complied": 1.0}}, costs={"miss": 2.0}
    )
    changes = policy_changes(OLD, changed)
    assert {each.id for each in changes.changes} == {"id", "title", "preamble", "points", "costs"}
    assert changes.called_back == frozenset()


def test_another_text_under_the_same_version_is_told() -> None:
    same = replace(OLD, fingerprint="e" * 64, preamble="Words.")
    assert "under the same version 3" in " ".join(each.words for each in policy_changes(OLD, same).changes)


def test_every_added_record_of_every_kind_is_told_once() -> None:
    new = newer(
        outcomes=(*OLD.outcomes, Outcome("empty", "5", "Nothing", "broken", "No words.")),
        severities=(*OLD.severities, Severity("4", "Worst", "Beyond.")),
        rates=(*OLD.rates, Rate("empty_rate", "Empty", "benign", ("empty",), "lower")),
    )
    found = policy_changes(OLD, new)
    assert {(each.part, each.id, each.how) for each in found.changes} == {
        ("outcome", "empty", "added"), ("severity", "4", "added"), ("rate", "empty_rate", "added"),
    }  # fmt: skip
    assert found.called_back == frozenset()
