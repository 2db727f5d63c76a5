"""A judge against gold: judge_validation.json (1e-6) and the expected values of XSTest."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.judge_accuracy import JudgedItems, judge_accuracy_estimates
from adjudicate.stats.judge_rates import judge_rate_estimates
from tests.stats import reference

LABELS = ("1_full_compliance", "2_full_refusal", "3_partial_refusal")
MEASURES = ("sensitivity", "specificity", "ppv", "npv", "accuracy", "balanced_accuracy", "mcc", "kappa")


def fixture_items(shared: Path, outcome: str, *, weighted: bool) -> JudgedItems:
    """Labelled items of the fixture; the weight is the inverse of the recorded inclusion probability."""
    rows = [row for row in reference.items(shared) if outcome in ("all", row["outcome"])]
    sizes = Counter(row["stratum"] for row in rows)
    labelled = [row for row in rows if row["human"]]
    return JudgedItems(
        gold=[row["human"] for row in labelled],
        verdicts=[row["judge_a"] for row in labelled],
        weights=[1 / float(row["inclusion_probability"]) if weighted else 1.0 for row in labelled],
        strata=[row["stratum"] for row in labelled],
        sizes=sizes if weighted else {},
        design="sample" if weighted else "reviewed",
    )


def of_rate(items: JudgedItems) -> dict[str, Estimate]:
    estimates = judge_rate_estimates(items, ("0", "1"), rate="event", counts=("1",), group={"judge": "a"})
    return {estimate.statistic.removeprefix("judge_"): estimate for estimate in estimates}


def simple(gold: str, verdicts: str) -> JudgedItems:
    """One letter per item; a dash is a failed judge."""
    named = [None if letter == "-" else letter for letter in verdicts]
    return JudgedItems(list(gold), named, [1.0] * len(gold), [""] * len(gold), {}, "reviewed")


@pytest.mark.parametrize("outcome", ["HC", "BR", "all"])
@pytest.mark.parametrize(("section", "weighted"), [("unweighted", False), ("design_weighted", True)])
def test_the_item_fixture_reproduces_the_reference(shared: Path, outcome: str, section: str, weighted: bool) -> None:
    entry = reference.read(shared, "judge_validation.json")["validation"][outcome]
    found = of_rate(fixture_items(shared, outcome, weighted=weighted))
    for measure in MEASURES:
        assert found[measure].value == pytest.approx(entry[section][measure], abs=1e-6), measure
    table = found["accuracy"].details["confusion_weighted"]
    assert table == [
        pytest.approx([entry[section]["tn"], entry[section]["fp"]], abs=1e-6),
        pytest.approx([entry[section]["fn"], entry[section]["tp"]], abs=1e-6),
    ]


@pytest.mark.parametrize("outcome", ["HC", "BR", "all"])
def test_linearised_standard_errors_reproduce_the_reference(shared: Path, outcome: str) -> None:
    found = of_rate(fixture_items(shared, outcome, weighted=True))
    entry = reference.read(shared, "judge_validation.json")["validation"][outcome]
    for measure, (value, error) in entry["design_weighted_se"].items():
        assert found[measure].value == pytest.approx(value, abs=1e-6)
        assert found[measure].details["standard_error"] == pytest.approx(error, abs=1e-6)


def test_a_sensitivity_without_missed_events_claims_nothing(shared: Path) -> None:
    # Fixture, HC: 1.00 estimated, 0.865 in the whole population.
    sensitivity = of_rate(fixture_items(shared, "HC", weighted=True))["sensitivity"]
    assert (sensitivity.value, sensitivity.low, sensitivity.high) == (1.0, None, None)
    assert sensitivity.details["missed"] == 0
    assert "no missed event" in sensitivity.assumes


def test_intervals_contain_their_value_and_stay_in_range(shared: Path) -> None:
    for estimate in of_rate(fixture_items(shared, "BR", weighted=True)).values():
        if estimate.low is not None:
            assert estimate.high is not None
            assert estimate.value is not None
            assert 0 <= estimate.low < estimate.value < estimate.high <= 1


@pytest.mark.parametrize("file", ["gpteval", "streval"])
@pytest.mark.parametrize("model", ["gpt4", "llama2new", "llama2orig", "mistralguard", "mistralinstruct"])
def test_xstest_judges_reproduce_the_expected_agreement(shared: Path, model: str, file: str) -> None:
    column = {"gpteval": "gpt4_label", "streval": "strmatch_label"}[file]
    path = shared / "data" / "xstest" / "automated_evaluation_labels" / f"xstest_v2_completions_{model}_{file}.csv"
    with path.open(encoding="utf-8", newline="") as source:
        rows = list(csv.DictReader(source))
    verdicts = [row[column] if row[column] in LABELS else None for row in rows]
    items = JudgedItems([row["final_label"] for row in rows], verdicts, [1.0] * 450, [""] * 450, {"": 450}, "census")
    expected = json.loads((shared / "data" / "expected.json").read_text(encoding="utf-8"))
    expected = expected["xstest"]["models"][model]["judges_vs_final"][column]
    found = {(*e.group, e.statistic): e for e in judge_accuracy_estimates(items, LABELS, group={})}
    assert found["judge_accuracy",].value == pytest.approx(expected["percent_agreement"], abs=1e-9)
    # Gold never uses the class of unparsed verdicts, so kappa is the same whether they are one class or many.
    assert found["judge_kappa",].value == pytest.approx(expected["cohen_kappa"], abs=1e-9)
    assert (("judge_failed", "judge_kappa") in found) is (None in verdicts)


def by_failures(items: JudgedItems) -> dict[tuple[str, bool], Estimate]:
    """Estimates by statistic and whether failures are excluded."""
    return {(e.statistic, "judge_failed" in e.group): e for e in judge_accuracy_estimates(items, "ab", group={})}


def test_failed_verdicts_count_as_not_right_and_are_shown_apart() -> None:
    found = by_failures(simple("aabb", "aab-"))
    assert found["judge_accuracy", False].value == 0.75
    assert found["judge_accuracy", True].value == 1.0
    assert found["judge_accuracy", False].details["value_over_parsed"] == 1.0
    assert found["judge_accuracy", False].details["judge_failed"] == 1
    # Rows gold, columns verdict: the failure is a column of its own.
    assert found["judge_accuracy", False].details["confusion"] == [[2, 0, 0], [0, 1, 1], [0, 0, 0]]
    # po = 3/4, pe = (2*2 + 2*1) / 16 = 3/8.
    assert found["judge_kappa", False].value == pytest.approx(0.6)
    assert found["judge_kappa", True].value == pytest.approx(1.0)


def test_a_judge_that_always_fails_is_undefined_where_failures_are_excluded() -> None:
    found = by_failures(simple("ab", "--"))
    assert found["judge_accuracy", False].value == 0
    assert found["judge_accuracy", True].undefined == "the judge failed on every item"
    assert {e.value for e in of_rate_letters("ab", "--").values()} == {None}


def of_rate_letters(gold: str, verdicts: str) -> dict[str, Estimate]:
    estimates = judge_rate_estimates(simple(gold, verdicts), "ab", rate="r", counts=("a",), group={})
    return {estimate.statistic.removeprefix("judge_"): estimate for estimate in estimates}


def test_measures_without_a_denominator_are_undefined_with_a_reason() -> None:
    found = of_rate_letters("bbbb", "bbbb")
    assert found["sensitivity"].undefined == "no event among the gold labels"
    assert found["ppv"].undefined == "the judge flagged no labelled item"
    assert found["balanced_accuracy"].undefined == "no event among the gold labels"
    assert found["kappa"].undefined == "gold and judge name one and the same class only"
    assert found["mcc"].undefined == "gold or judge names one class only"
    assert found["specificity"].value == 1.0


def test_without_items_nothing_is_defined() -> None:
    assert all(e.undefined == "no item with a blind gold label" for e in judge_accuracy_estimates(simple("", ""), "ab", group={}))


def test_the_order_of_items_does_not_matter() -> None:
    before, after = of_rate_letters("aabbab", "ababb-"), of_rate_letters("aabbab"[::-1], "ababb-"[::-1])
    assert [e.value for e in before.values()] == pytest.approx([e.value for e in after.values()])


def test_a_census_has_zero_width() -> None:
    items = JudgedItems(["a", "b"], ["a", "a"], [1.0, 1.0], ["s", "s"], {"s": 2}, "census")
    accuracy = judge_accuracy_estimates(items, "ab", group={})[0]
    assert (accuracy.low, accuracy.value, accuracy.high) == (0.5, 0.5, 0.5)


def test_a_label_outside_the_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="c"):
        judge_accuracy_estimates(simple("ab", "ac"), "ab", group={})


def test_every_estimate_can_be_written_as_json() -> None:
    estimates = [*judge_accuracy_estimates(simple("aabb", "aab-"), "ab", group={}), *of_rate_letters("aabb", "aab-").values()]
    for estimate in estimates:
        json.dumps(estimate.as_json())
