"""Agreement over time."""

from __future__ import annotations

import json

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement_counts import Ratings
from adjudicate.stats.drift import drift_estimates, equal_windows


def run(first: str, second: str, windows: list[str], resamples: int = 500) -> list[Estimate]:
    code = {"a": 0, "b": 1, "-": -1}
    ratings = Ratings(("x", "y"), [[code[letter] for letter in word] for word in (first, second)])
    return drift_estimates(ratings, ("a", "b"), windows=windows, group={"model": "m"}, seed=1, resamples=resamples)


def test_windows_are_reported_in_order_and_compared() -> None:
    early, late = "ab" * 10, "ab" * 10
    estimates = run(early + late, early + "ab" * 5 + "ba" * 5, ["w1"] * 20 + ["w2"] * 20)
    percent = [(e.group["window"], e.value) for e in estimates if e.statistic == "percent_agreement"]
    assert percent == [("w1", 1.0), ("w2", 0.5)]
    change = estimates[-1]
    assert (change.statistic, change.value, change.n) == ("agreement_drift", -0.5, 40)
    assert change.low is not None and change.high is not None and change.low < -0.5 < change.high < 0
    assert (change.details["first"], change.details["last"]) == ("w1", "w2")
    json.dumps([estimate.as_json() for estimate in estimates])


def test_no_change_is_not_certainty() -> None:
    change = run("ab" * 20, "ab" * 20, ["w1"] * 20 + ["w2"] * 20)[-1]
    assert change.value == 0.0
    # Jeffreys for 20 of 20: lower limit 0.883.
    assert (change.low, change.high) == (pytest.approx(-0.1172, abs=1e-3), pytest.approx(0.1172, abs=1e-3))


def test_small_windows_give_no_interval_and_a_reason() -> None:
    change = run("ab" * 5, "aa" * 5, ["w1"] * 5 + ["w2"] * 5)[-1]
    assert change.value is not None and change.low is None
    assert "10 units" in change.details["no_interval"]


def test_one_window_with_pairs_is_not_a_comparison() -> None:
    change = run("abab", "ab--", ["w1", "w1", "w2", "w2"])[-1]
    assert change.undefined == "fewer than two windows hold a unit with two ratings"
    assert run("", "", [])[-1].undefined is not None


def test_every_unit_needs_a_window() -> None:
    with pytest.raises(ValueError, match="one window per unit, 2; found 1"):
        run("ab", "ab", ["w1"])


def test_equal_windows_follow_time_and_keep_equal_times_together() -> None:
    assert equal_windows([5, 1, 3, 3, 3, 9], 2) == ("2 of 2", "1 of 2", "1 of 2", "1 of 2", "1 of 2", "2 of 2")
    assert equal_windows([], 3) == ()
    assert equal_windows([1, 2], 12) == ("01 of 12", "07 of 12")
    with pytest.raises(ValueError, match="needs a window"):
        equal_windows([1], 0)


@pytest.mark.parametrize("runs", [300, pytest.param(4000, marks=pytest.mark.slow)])
def test_the_interval_covers_a_real_change(runs: int) -> None:
    # Agreement 0.9 then 0.75, 80 units each; at 300 seeded repetitions the standard error is 1.3 points.
    random, inside = np.random.default_rng(31), 0
    for repetition in range(runs):
        first = random.integers(0, 2, 160)
        agrees = random.random(160) < np.repeat([0.9, 0.75], 80)
        ratings = Ratings(("x", "y"), np.stack([first, np.where(agrees, first, 1 - first)]))
        windows = ["w1"] * 80 + ["w2"] * 80
        change = drift_estimates(ratings, ("a", "b"), windows=windows, group={}, seed=repetition, resamples=200)[-1]
        assert change.low is not None and change.high is not None
        inside += change.low <= -0.15 <= change.high
    assert 0.90 <= inside / runs <= 0.985
