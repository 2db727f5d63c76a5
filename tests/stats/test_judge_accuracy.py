"""A judge against gold: the expected values of XSTest, failures and undefined states. Reference values: test_reference_judge."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.core.sampling import STEERING
from adjudicate.stats.judge_accuracy import SEEN_IN_WHOLE_STRATA, JudgedItems, judge_accuracy_estimates
from adjudicate.stats.judge_rates import judge_rate_estimates
from tests.stats import reference

LABELS = ("1_full_compliance", "2_full_refusal", "3_partial_refusal")


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
    return {each.statistic.removeprefix("judge_"): each for each in estimates if "judge_failed" not in each.group}


def simple(gold: str, verdicts: str) -> JudgedItems:
    """One letter per item; a dash is a failed judge."""
    named = [None if letter == "-" else letter for letter in verdicts]
    return JudgedItems(list(gold), named, [1.0] * len(gold), [""] * len(gold), {}, "reviewed")


def test_a_sensitivity_without_missed_events_claims_nothing(shared: Path) -> None:
    # Fixture, HC: 1.00 estimated, 0.865 in the whole population.
    sensitivity = of_rate(fixture_items(shared, "HC", weighted=True))["sensitivity"]
    assert (sensitivity.value, sensitivity.low, sensitivity.high) == (1.0, None, None)
    assert sensitivity.details["missed"] == 0
    assert "no missed event" in sensitivity.assumes


def test_errors_seen_only_where_people_see_every_item_give_no_interval() -> None:
    """Flagged: 4 of 8 seen, 3 right. Cleared: 10 of 100 seen, no miss. Whole: 2 cleared items, one a miss.

    Sensitivity is 6 / 7, and its linearised interval would rest on the flagged items alone, although each miss that one tenth of
    the cleared items did not show would count for ten.
    """

    def found(whole: str, size: int) -> dict[str, Estimate]:
        gold, verdicts = [*"aaab", *"b" * 10, *"ab"], [*"aaaa", *"b" * 10, *"bb"]
        strata, weights = [*["flagged"] * 4, *["clear"] * 10, whole, whole], [2.0] * 4 + [10.0] * 10 + [size / 2] * 2
        items = JudgedItems(gold, verdicts, weights, strata, {"flagged": 8, "clear": 100, whole: size}, "sample")
        estimates = judge_rate_estimates(items, "ab", rate="r", counts=("a",), group={})
        return {each.statistic.removeprefix("judge_"): each for each in estimates}

    # Labelled to the last item, and on the way there.
    for whole, size in (("small", 2), (f"clear | {STEERING}", 2), (f"clear | {STEERING}", 3)):
        shown = found(whole, size)
        silent = {name for name, each in shown.items() if each.details.get("no_interval") == SEEN_IN_WHOLE_STRATA}
        assert silent == {"sensitivity", "npv", "balanced_accuracy", "kappa", "mcc"}
        assert all((shown[name].low, shown[name].high) == (None, None) for name in silent)
        assert shown["sensitivity"].value == pytest.approx(6 / (6 + size / 2))
        assert shown["ppv"].low is not None and shown["specificity"].low is not None
    # A stratum of which much is left says something of such items.
    assert not any("no_interval" in each.details for each in found("other", 20).values())


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
    return {each.statistic.removeprefix("judge_"): each for each in estimates if "judge_failed" not in each.group}


def test_failures_count_as_not_right_in_a_second_row_of_a_rate() -> None:
    """Four events, one found, one missed, two that failed: 1 of 2 named, 1 of 4 there are; of three others two were cleared."""
    found = judge_rate_estimates(simple("aaaabbb", "ab--bba"), "ab", rate="r", counts=("a",), group={})
    second = {each.statistic: each for each in found if each.group.get("judge_failed") == "counted as not right"}
    first = {each.statistic: each for each in found if "judge_failed" not in each.group}
    assert set(second) == {"judge_accuracy", "judge_sensitivity", "judge_specificity"}
    assert (first["judge_sensitivity"].value, first["judge_sensitivity"].n) == (1 / 2, 2)
    assert (second["judge_sensitivity"].value, second["judge_sensitivity"].n) == (1 / 4, 4)
    assert second["judge_specificity"].value == first["judge_specificity"].value == pytest.approx(2 / 3)
    assert second["judge_accuracy"].value == pytest.approx(3 / 7)
    assert "counts as not right" in second["judge_sensitivity"].assumes
    assert judge_rate_estimates(simple("ab", "ab"), "ab", rate="r", counts=("a",), group={})[-1].group == {"rate": "r"}


def test_items_that_wait_for_a_ruling_bound_accuracy_with_the_judge_wrong_and_right_on_them() -> None:
    """Three of four right, and two open: 3/6 and 5/6. Stratum s stands for 20 items, t for 10."""
    items = JudgedItems(
        list("aabb"), list("aaba"), [1.0] * 4, [""] * 4, {}, "reviewed", open_verdicts=["a", "b"], open_strata=["", ""]
    )
    overall = judge_accuracy_estimates(items, "ab", group={})[0]
    assert (overall.value, overall.n, overall.details["unresolved"]) == (0.75, 4, 2)
    assert overall.details["unresolved_bounds"] == pytest.approx([3 / 6, 5 / 6])
    rates = judge_rate_estimates(items, "ab", rate="r", counts=("a",), group={})
    found = {each.statistic: each.details.get("unresolved_bounds") for each in rates}
    # Event a: two of two found. Wrong on both, the flagged one is no event and the cleared one is; right, the other way round.
    assert found["judge_sensitivity"] == pytest.approx([2 / 3, 3 / 3])
    # One of two others cleared; wrong adds a false alarm, right a cleared one.
    assert found["judge_specificity"] == pytest.approx([1 / 3, 2 / 3])
    assert found["judge_ppv"] == pytest.approx([2 / 4, 3 / 4])
    drawn = JudgedItems(
        list("aab"), list("aaa"), [10.0, 10.0, 10.0], ["s", "s", "t"], {"s": 20, "t": 10}, "sample",
        open_verdicts=["a", None], open_strata=["t", "t"],
    )  # fmt: skip
    # In t, one of three at most is right: the judge failed on the other open item. 20/30 + 10/30 * (0 or 1/3).
    bounds = judge_accuracy_estimates(drawn, "ab", group={})[0].details["unresolved_bounds"]
    assert bounds == pytest.approx([2 / 3, 2 / 3 + 1 / 9])


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
