"""Two judges: the test on the labels, the weighted difference, whom each speaks for. Reference values: test_reference_judge."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.evidence import LabelledItem
from adjudicate.stats.judge_accuracy import Design
from adjudicate.stats.judge_comparison import ComparedItems, compared, judge_difference_estimates
from adjudicate.stats.judged_items import Reviewed
from tests.stats import reference


def fixture(shared: Path, outcome: str) -> ComparedItems:
    rows = [row for row in reference.items(shared) if outcome in ("all", row["outcome"])]
    labelled = [row for row in rows if row["human"]]
    return ComparedItems(
        [row["judge_a"] == row["human"] for row in labelled], [row["judge_b"] == row["human"] for row in labelled],
        [1 / float(row["inclusion_probability"]) for row in labelled], [row["stratum"] for row in labelled],
        Counter(row["stratum"] for row in rows), "sample",
    )  # fmt: skip


def of(first: str, second: str, design: Design = "reviewed", size: int = 100) -> list[Estimate]:
    """One letter per item, ``+`` for right."""
    items = ComparedItems(
        [letter == "+" for letter in first], [letter == "+" for letter in second], [1.0] * len(first), ["s"] * len(first),
        {"s": size}, design,
    )  # fmt: skip
    return judge_difference_estimates(items, group={"judge": "a", "against": "b"})


def test_the_two_answers_disagree_and_say_whom_they_speak_for(shared: Path) -> None:
    # Note of the reference: p = 0.078 on the labelled items, z = 2.9 in the population.
    labels, population = judge_difference_estimates(fixture(shared, "HC"), group={"judge": "a", "against": "b"})
    assert (labels.group["speaks_for"], population.group["speaks_for"]) == ("labelled items", "population")
    assert labels.details["p"] > 0.05 > population.details["p"]
    assert "unequal probabilities" in labels.assumes
    assert labels.details["equal_probability"] is False
    json.dumps([estimate.as_json() for estimate in (labels, population)])


def test_the_mid_p_is_an_option(shared: Path) -> None:
    items = fixture(shared, "HC")
    exact, mid = (judge_difference_estimates(items, group={}, test=test)[0] for test in ("exact", "mid_p"))
    assert exact.details["p"] == exact.details["mcnemar_exact_p"] > mid.details["p"] == mid.details["mcnemar_mid_p"]
    assert "mid-p" in mid.method


def test_without_a_draw_only_the_labels_speak() -> None:
    labels, population = of("++-+", "+--+")
    assert labels.value == pytest.approx(0.25)
    assert population.undefined == "no draw is recorded, so the labels speak for themselves only"


def test_an_equal_probability_sample_speaks_for_the_population_too() -> None:
    labels, population = of("++-+", "+--+", "sample")
    assert labels.details["equal_probability"] is True
    assert "population as well" in labels.assumes
    assert labels.value == population.value == pytest.approx(0.25)


def test_a_census_has_no_width_in_the_population() -> None:
    population = of("++-+", "+--+", "census", 4)[1]
    assert population.value == population.low == population.high == 0.25


def test_equal_answers_claim_no_certainty() -> None:
    labels, population = of("++-+", "++-+", "sample")
    assert (labels.value, labels.details["p"]) == (0.0, 1.0)
    assert labels.low is not None and labels.high is not None and labels.low < 0 < labels.high
    assert (population.low, population.details["no_interval"]) == (None, "no spread was seen in the sample")


def test_no_common_item_is_undefined() -> None:
    assert [estimate.undefined for estimate in of("", "")] == ["no labelled item with a verdict of both judges"] * 2


def test_swapping_the_judges_turns_the_sign() -> None:
    there, back = of("+++-+-", "+--++-", "sample"), of("+--++-", "+++-+-", "sample")
    for first, second in zip(there, back, strict=True):
        assert first.value is not None and second.value is not None
        assert first.value == pytest.approx(-second.value)
        assert (first.low, first.high) == pytest.approx((-(second.high or 0), -(second.low or 0)), abs=1e-9)


def item(name: str, gold: str, **verdicts: str | None) -> LabelledItem:
    return LabelledItem(name, "s", "p", "harmful", "m", gold, gold, verdicts, {"x": gold}, sampled=True)


def test_items_that_both_judges_saw_are_compared_on_the_event_of_a_rate() -> None:
    items = (item("1", "bad", a="bad", b="worse"), item("2", "fine", a=None, b="fine"), item("3", "fine", a="fine"))
    part = Reviewed(items, ("s",) * 3, {"s": 30}, (10.0,) * 3, "sample", {})
    by_outcome, by_event = compared(part, "a", "b"), compared(part, "a", "b", counts=("bad", "worse"))
    assert (by_outcome.first_right, by_outcome.second_right) == ([True, False], [False, True])
    assert (by_event.first_right, by_event.second_right) == ([True, False], [True, True])
    assert (by_event.failed, by_event.weights) == ((1, 0), [15.0, 15.0])
    assert "names no outcome" in judge_difference_estimates(by_event, group={})[0].assumes


def test_parallel_sequences_must_fit() -> None:
    with pytest.raises(ValueError, match="one entry per item"):
        ComparedItems([True], [], [1.0], ["s"], {}, "reviewed")


@pytest.mark.parametrize("runs", [400, pytest.param(8000, marks=pytest.mark.slow)])
def test_the_weighted_interval_covers_the_difference_in_the_population(runs: int) -> None:
    # 2,000 items, two strata of unequal sampling; at 400 seeded samples the standard error is 1.1 points.
    random = np.random.default_rng(11)
    right = np.concatenate([random.random((2, 1700)) < [[0.95], [0.92]], random.random((2, 300)) < [[0.7], [0.55]]], axis=1)
    truth, names, inside = float(right[0].mean() - right[1].mean()), np.repeat(["clear", "flagged"], [1700, 300]), 0
    for _ in range(runs):
        chosen = np.concatenate([random.choice(1700, 100, replace=False), 1700 + random.choice(300, 100, replace=False)])
        items = ComparedItems(
            right[0, chosen].tolist(), right[1, chosen].tolist(), [17.0] * 100 + [3.0] * 100, names[chosen].tolist(),
            {"clear": 1700, "flagged": 300}, "sample",
        )  # fmt: skip
        estimate = judge_difference_estimates(items, group={})[1]
        assert estimate.low is not None and estimate.high is not None
        inside += estimate.low <= truth <= estimate.high
    assert 0.91 <= inside / runs <= 0.985
