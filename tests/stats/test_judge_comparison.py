"""Two judges: the test on the labels, the weighted difference, whom each speaks for. Reference values: test_reference_judge."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.design_effect import TOO_FEW
from adjudicate.stats.evidence import LabelledItem
from adjudicate.stats.judge_accuracy import Design
from adjudicate.stats.judge_comparison import CLUSTERED, ComparedItems, compared, judge_difference_estimates
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


def in_pairs(first: str, second: str, *, cluster: str = "") -> list[Estimate]:
    """Every item twice, the two of them in one cluster and alike; all of them in `cluster` where it is named."""
    one, other = ([letter == "+" for letter in letters for _ in range(2)] for letters in (first, second))
    n = len(one)
    clusters = [cluster or f"c{place // 2}" for place in range(n)]
    items = ComparedItems(one, other, [5.0] * n, ["s"] * n, {"s": 5 * n}, "sample", clusters=clusters)
    return judge_difference_estimates(items, group={"judge": "a", "against": "b"})


FIRST, SECOND = "+++++++++-", "++++++--+-"


def test_items_in_clusters_widen_both_intervals_by_the_design_effect() -> None:
    once = ComparedItems(
        [letter == "+" for letter in FIRST], [letter == "+" for letter in SECOND], [10.0] * 10, ["s"] * 10, {"s": 100}, "sample"
    )  # fmt: skip
    apart = judge_difference_estimates(once, group={})
    for found, single in zip(in_pairs(FIRST, SECOND), apart, strict=True):
        # Ten pairs that are alike: (2 * 10 - 1) / (10 - 1).
        assert found.details["design_effect"] == pytest.approx(19 / 9)
        assert found.details["clusters"] == 10 and CLUSTERED in found.assumes and "design effect" in found.method
        assert found.value == pytest.approx(single.value)
        assert (found.low or 0) < (single.low or 0) and (found.high or 0) > (single.high or 0), "twins that are alike add nothing"
    population = in_pairs(FIRST, SECOND)[1]
    # Two differences of 1 and eight of 0: variance 0.16 * 20 / 19 of 20 items, a fifth of the frame, times the design effect.
    assert population.details["standard_error"] == pytest.approx((0.8 * 0.16 / 19 * 19 / 9) ** 0.5)
    # t of 0.2 over that, with 9 degrees of freedom.
    assert population.details["z"] == pytest.approx(0.2 / (0.128 / 9) ** 0.5)
    assert population.details["p"] == pytest.approx(0.1279, abs=1e-3)


def test_of_one_cluster_nothing_is_said_of_others() -> None:
    assert {found.undefined for found in in_pairs(FIRST, SECOND, cluster="one")} == {TOO_FEW}


def test_items_that_stand_alone_are_as_without_clusters() -> None:
    items = ComparedItems(
        [True, False, True], [False, False, True], [2.0] * 3, ["s"] * 3, {"s": 6}, "sample", clusters=["a", "b", "c"]
    )
    plain = ComparedItems([True, False, True], [False, False, True], [2.0] * 3, ["s"] * 3, {"s": 6}, "sample")
    assert judge_difference_estimates(items, group={}) == judge_difference_estimates(plain, group={})


@pytest.mark.parametrize("told", [True, False])
def test_intervals_cover_the_difference_in_clusters_only_where_they_know_of_them(*, told: bool) -> None:
    """40 prompts with four responses; more than half of a judge's answers are the prompt's own, not the response's."""
    chance, n = np.random.default_rng(5), 160
    cluster = np.repeat(np.arange(40), 4)
    covered = [0, 0]
    for _ in range(300):
        own = chance.random(n) < 0.55
        rights = [np.where(own, (chance.random(40) < p)[cluster], chance.random(n) < p).tolist() for p in (0.85, 0.75)]
        clusters = [str(each) for each in cluster] if told else []
        items = ComparedItems(rights[0], rights[1], [50.0] * n, ["s"] * n, {"s": 50 * n}, "sample", clusters=clusters)
        for place, found in enumerate(judge_difference_estimates(items, group={})):
            assert found.low is not None and found.high is not None
            covered[place] += found.low <= 0.10 <= found.high
    # Of 300 intervals at 95 %, 285 cover, give or take 3.8: no fewer than 273 at three standard errors.
    assert all((each >= 273) == told for each in covered)
