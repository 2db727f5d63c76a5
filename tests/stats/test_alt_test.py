"""The alternative annotator test: what stands beside it, and its undefined states. Reference values: test_reference_agreement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement_counts import Ratings
from adjudicate.stats.alt_test import alt_test
from tests.stats import reference


def sensitivity(value: float | None = 0.8) -> Estimate:
    """A sensitivity to carry along."""
    reason = None if value is not None else "no event among the gold labels"
    return Estimate("judge_sensitivity", value, 20, "design-weighted", undefined=reason)


def run(labels: Any, verdicts: Any, epsilon: float, categories: int = 3, **more: Any) -> list[Estimate]:
    rows = [[-1 if value is None else value for value in row] for row in labels]
    ratings = Ratings(tuple(f"r{number}" for number in range(len(rows))), rows)
    more = {"sensitivity": sensitivity()} | more
    return alt_test(ratings, verdicts, categories=categories, epsilon=epsilon, group={"judge": "j"}, **more)


def rare() -> tuple[np.ndarray, np.ndarray]:
    """The reference's 1,000 items: 2 % positive, three raters with 3 % error, a judge that always says 0."""
    random = np.random.default_rng(20273)
    truth = (random.random(1000) < 0.02).astype(int)
    return np.where(random.random((3, 1000)) < 0.03, 1 - truth, truth), np.zeros(1000, dtype=int)


def test_the_sensitivity_stands_beside_every_result() -> None:
    raters, judge = rare()
    for estimate in run(raters.tolist(), judge.tolist(), 0.1, 2, sensitivity=sensitivity(0.0)):
        assert (estimate.details["sensitivity"], estimate.details["sensitivity_n"]) == (0.0, 20)
        assert estimate.details["passed"] is True
        assert "sensitivity" in estimate.assumes
        json.dumps(estimate.as_json())


def test_without_a_sensitivity_there_is_no_result() -> None:
    raters, judge = rare()
    for estimate in run(raters.tolist(), judge.tolist(), 0.1, 2, sensitivity=sensitivity(None)):
        assert estimate.undefined == "never shown without sensitivity, which is undefined: no event among the gold labels"
    accuracy = Estimate("judge_accuracy", 0.9, 10, "m")
    with pytest.raises(ValueError, match="never shown without judge_sensitivity"):
        run(raters.tolist(), judge.tolist(), 0.1, 2, sensitivity=accuracy)


@pytest.mark.parametrize(("epsilon", "winning"), [(0.0, 0.0), (0.1, 1.0)])
def test_zero_variance_is_an_infinite_statistic_not_an_error(epsilon: float, winning: float) -> None:
    # Everybody agrees, so every difference is 0: below an epsilon of 0.1 for certain, not below one of 0.
    same = [[0, 1] * 20] * 3
    estimate = run(same, [0, 1] * 20, epsilon, 2)[0]
    assert estimate.value == winning
    assert all(test["zero_variance"] and test["p"] == 1 - winning for test in estimate.details["per_rater"])


def test_a_judge_that_is_always_worse_never_wins() -> None:
    estimate, advantage = run([[0] * 40] * 3, [1] * 40, 0.2, 2)
    assert (estimate.value, advantage.value) == (0.0, 0.0)
    assert [test["mean_d"] for test in estimate.details["per_rater"]] == [1.0] * 3


def test_a_failed_verdict_matches_nobody_and_is_counted() -> None:
    estimate, advantage = run([[0] * 40] * 3, [-1] * 40, 0.2, 2)
    assert (estimate.value, advantage.value, estimate.details["judge_failed"]) == (0.0, 0.0, 40)


def test_annotators_with_few_items_are_left_out_and_named() -> None:
    labels = [[0, 1] * 20, [0, 1] * 20, [0] * 5 + [None] * 35]
    estimate = run(labels, [0, 1] * 20, 0.1, 2)[0]
    assert estimate.details["too_few_items"] == [{"rater": "r2", "n": 5}]
    assert estimate.details["few_raters"] is True


def test_undefined_states_are_named() -> None:
    assert run([[0] * 40], [0] * 40, 0.1, 2)[0].undefined == "needs two annotators, found 1"
    assert run([[0] * 29] * 2, [0] * 29, 0.1, 2)[0].undefined == "no annotator shares 30 items with another one"
    assert run([], [], 0.1, 2)[0].undefined == "needs two annotators, found 0"


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="epsilon"):
        run([[0]] * 2, [0], 1.0, 2)
    with pytest.raises(ValueError, match="one verdict per unit"):
        run([[0, 1]] * 2, [0], 0.1, 2)


def test_the_order_of_annotators_and_items_does_not_matter(shared: Path) -> None:
    entry = reference.read(shared, "agreement.json")["alt_test"]
    labels, verdicts = entry["humans"], entry["judges"]["good"]["labels"]
    before, after = run(labels, verdicts, 0.1), run([row[::-1] for row in labels[::-1]], verdicts[::-1], 0.1)
    assert [estimate.value for estimate in before] == pytest.approx([estimate.value for estimate in after])
