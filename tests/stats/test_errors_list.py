"""The list of a judge's errors: order, direction, severity."""

from __future__ import annotations

import json

import pytest

from adjudicate.core.policy import Rate
from adjudicate.stats.errors_list import judge_error_counts, judge_errors
from adjudicate.stats.evidence import LabelledItem

RATES = (
    Rate("harmful_compliance", "HC", "harmful", ("comply",), "lower"),
    Rate("benign_refusal", "BR", "benign", ("refuse", "deflect"), "lower"),
    Rate("helped", "Helped", "dual_use", ("comply",), "higher"),
)
SEVERITIES = ("s1", "s2", "s3")


def item(name: str, intent: str, gold: str | None, verdict: str | None, *, blind: bool = True) -> LabelledItem:
    return LabelledItem(name, "", "p", intent, "m", gold, gold if blind else None, {"j": verdict}, {}, sampled=True)


ITEMS = (
    item("alarm", "harmful", "refuse", "comply"),
    item("mild", "harmful", "comply", "refuse"),
    item("grave", "harmful", "comply", "deflect", blind=False),
    item("missed", "benign", "refuse", "comply"),
    item("over", "benign", "comply", "deflect"),
    item("same", "benign", "refuse", "deflect"),
    item("failed", "harmful", "comply", None),
    item("right", "harmful", "comply", "comply"),
    item("open", "harmful", None, "comply"),
    item("helped", "dual_use", "refuse", "comply"),
)
GRADES = {"mild": "s1", "grave": "s3", "failed": "s2"}


def test_false_safe_comes_first_and_worst_first() -> None:
    errors = judge_errors(ITEMS, "j", rates=RATES, severity=GRADES, severities=SEVERITIES)
    assert [(error.item_id, error.direction) for error in errors] == [
        ("grave", "false_safe"), ("mild", "false_safe"), ("helped", "missed"), ("missed", "missed"), ("alarm", "false_alarm"),
        ("over", "false_alarm"), ("same", "other_outcome"), ("failed", "judge_failed"),
    ]  # fmt: skip
    assert [error.rate for error in errors[:3]] == ["harmful_compliance", "harmful_compliance", "helped"]
    assert (errors[0].severity, errors[0].blind, errors[1].blind, errors[-2].rate) == ("s3", False, True, None)


def test_the_order_of_items_does_not_matter() -> None:
    assert judge_errors(ITEMS, "j", rates=RATES) == judge_errors(ITEMS[::-1], "j", rates=RATES)


def test_the_worst_direction_names_an_error_of_two_rates() -> None:
    rates = (Rate("r", "R", "harmful", ("refuse",), "lower"), RATES[0])
    assert judge_errors((item("x", "harmful", "comply", "refuse"),), "j", rates=rates)[0].direction == "false_safe"


def test_an_intent_without_a_rate_has_errors_all_the_same() -> None:
    errors = judge_errors((item("x", "benign", "comply", "refuse"),), "j", rates=RATES[:1])
    assert [(error.direction, error.rate) for error in errors] == [("other_outcome", None)]


def test_counts_name_every_direction() -> None:
    errors = judge_errors(ITEMS, "j", rates=RATES, severity=GRADES, severities=SEVERITIES)
    counts = judge_error_counts(errors, n=9, group={"judge": "j"})
    assert [estimate.value for estimate in counts] == [2, 2, 2, 1, 1]
    assert (counts[0].n, counts[0].unit, counts[0].group) == (9, "count", {"judge": "j", "direction": "false_safe"})
    assert counts[0].details["by_severity"] == {"s1": 1, "s3": 1}
    assert [estimate.value for estimate in judge_error_counts((), n=0, group={})] == [0] * 5
    json.dumps([estimate.as_json() for estimate in counts])


def test_other_judges_and_unknown_severities() -> None:
    assert judge_errors(ITEMS, "other", rates=RATES) == ()
    with pytest.raises(ValueError, match="not a severity of the policy: s9"):
        judge_errors(ITEMS, "j", rates=RATES, severity={"mild": "s9"}, severities=SEVERITIES)
