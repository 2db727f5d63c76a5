"""Mean points over strata: the mean, its scale, and limits that hold for graded outcomes."""

from __future__ import annotations

import numpy as np
import pytest

from adjudicate.stats.corrected import StratumCount, stratified_rate
from adjudicate.stats.design_effect import TOO_FEW, DesignEffect
from adjudicate.stats.mean_points import StratumPoints, bounded_limits, mean_points


def test_the_mean_is_weighted_by_stratum() -> None:
    estimate = mean_points([StratumPoints("a", 30, 10, 500), StratumPoints("b", 70, 10, 900)], statistic="h", group={})
    assert estimate.value == pytest.approx(0.3 * 50 + 0.7 * 90)
    assert (estimate.unit, estimate.n) == ("points", 20)


def test_all_or_nothing_points_are_a_rate() -> None:
    points = mean_points([StratumPoints("a", 93, 59, 2200), StratumPoints("b", 1907, 141, 0)], statistic="h", group={})
    rate = stratified_rate([StratumCount("a", 93, 59, 22), StratumCount("b", 1907, 141, 0)], statistic="h", group={})
    assert points.low is not None and points.high is not None
    assert [points.low / 100, points.high / 100] == pytest.approx([rate.low, rate.high])


@pytest.mark.parametrize("clusters", [None, 40])
def test_all_or_nothing_points_are_a_rate_for_the_process_too(clusters: int | None) -> None:
    effect = None if clusters is None else DesignEffect(1.5, clusters, 200, estimated=True)
    points = mean_points(
        [StratumPoints("a", 93, 59, 2200), StratumPoints("b", 1907, 141, 0)], statistic="h", group={}, target="process",
        effect=effect,
    )  # fmt: skip
    rate = stratified_rate(
        [StratumCount("a", 93, 59, 22), StratumCount("b", 1907, 141, 0)], statistic="h", group={}, target="process", effect=effect
    )
    assert points.low is not None and points.high is not None
    assert [points.low / 100, points.high / 100] == pytest.approx([rate.low, rate.high])
    assert points.details["target"] == "process" and "process target" in points.method
    assert points.details.get("design_effect") == rate.details.get("design_effect")


def test_labels_of_one_cluster_say_nothing_of_the_process() -> None:
    alone = DesignEffect(5.0, 1, 5, estimated=False)
    strata = [StratumPoints("a", 10, 5, 400)]
    assert mean_points(strata, statistic="h", group={}, target="process", effect=alone).undefined == TOO_FEW
    assert mean_points(strata, statistic="h", group={}, effect=alone).value == pytest.approx(80)


def test_what_is_open_bounds_the_mean() -> None:
    strata = [StratumPoints("a", 30, 8, 500, unresolved=1, non_response=1), StratumPoints("b", 70, 10, 900)]
    found = mean_points(strata, statistic="h", group={})
    assert found.value == pytest.approx(0.3 * 62.5 + 0.7 * 90)
    assert (found.details["unresolved"], found.details["non_response"]) == (1, 1)
    # Two of ten at 0 or at 100.
    assert found.details["unresolved_bounds"] == pytest.approx([0.3 * 50 + 0.7 * 90, 0.3 * 70 + 0.7 * 90])
    with pytest.raises(ValueError, match="impossible"):
        StratumPoints("a", 10, 9, 0, unresolved=1, non_response=1)


def test_a_full_review_leaves_no_width() -> None:
    estimate = mean_points([StratumPoints("a", 10, 10, 550)], statistic="h", group={})
    assert [estimate.low, estimate.value, estimate.high] == pytest.approx([55, 55, 55])


def test_undefined_states_have_reasons() -> None:
    assert mean_points([], statistic="h", group={}).undefined == "no items"
    part = [StratumPoints("a", 10, 0, 0), StratumPoints("b", 10, 2, 100)]
    assert mean_points(part, statistic="h", group={}).undefined == "1 of 2 strata have no settled label"
    with pytest.raises(ValueError, match="impossible"):
        StratumPoints("a", 10, 2, 201)


def test_limits_of_graded_values_hold() -> None:
    rng = np.random.default_rng(20275)
    covered = 0
    for _ in range(400):
        values = rng.choice([0, 0.25, 0.6, 1], size=80, p=[0.1, 0.2, 0.3, 0.4])
        limits = bounded_limits(float(values.mean()), 80, None)
        covered += limits.low <= 0.63 <= limits.high
    assert covered / 400 > 0.95
