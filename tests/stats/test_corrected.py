"""The traps of a stratified estimate. Reference values: test_reference_intervals and test_reference_judge."""

from __future__ import annotations

import random
from typing import Any

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.corrected import StratumCount, stratified_rate
from tests.stats import reference


def rate(strata: list[StratumCount], **options: Any) -> Estimate:
    return stratified_rate(strata, statistic="corrected_rate", group={}, **options)


def limits(estimate: Estimate) -> list[float | None]:
    return [estimate.low, estimate.high]


def test_no_event_anywhere_still_leaves_an_upper_limit() -> None:
    estimate = rate(reference.strata([0, 0], [59, 141], [93, 1907]))
    assert (estimate.value, estimate.low) == (0.0, 0.0)
    # statistics.md 1.2: U = 1.56%
    assert estimate.high == pytest.approx(0.0156, abs=5e-5)


def test_a_census_has_a_zero_width_interval_and_says_so() -> None:
    estimate = rate(reference.strata([3, 1], [10, 20], [10, 20]))
    assert (estimate.value, estimate.low, estimate.high) == (4 / 30, 4 / 30, 4 / 30)
    assert estimate.method.startswith("census")
    assert estimate.details["standard_error"] == 0


def test_a_conservative_census_has_zero_width_too() -> None:
    estimate = rate(reference.strata([3], [10], [10]), limits="clopper_pearson")
    assert estimate.low == estimate.high == estimate.value


def test_a_census_keeps_an_interval_for_the_process() -> None:
    estimate = rate(reference.strata([3, 1], [10, 20], [10, 20]), target="process")
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low < 4 / 30 < estimate.high


def test_a_stratum_without_labels_makes_the_rate_undefined_with_bounds() -> None:
    estimate = rate(reference.strata([2, 0], [10, 0], [40, 60]))
    assert estimate.value is None
    assert estimate.undefined == "1 of 2 strata have no settled label"
    # 0.4 * 2/10 known; the other 60% may be all 0 or all 1.
    assert estimate.details["bounds"] == pytest.approx([0.08, 0.68])


def test_a_stratum_without_items_is_dropped() -> None:
    full = reference.strata([2, 1], [10, 10], [40, 60])
    assert rate([*full, StratumCount("empty", 0, 0, 0)]) == rate(full)


def test_without_strata_the_rate_is_undefined_not_zero() -> None:
    assert rate([]).undefined == "no items"


def test_unresolved_items_give_bounds_and_stay_out_of_the_value() -> None:
    estimate = rate([StratumCount("f", 40, 8, 2, unresolved=2), StratumCount("c", 60, 10, 1)])
    assert estimate.value == pytest.approx(0.4 * 2 / 8 + 0.6 * 0.1)
    assert estimate.details["unresolved"] == 2
    assert estimate.details["unresolved_bounds"] == pytest.approx([0.4 * 2 / 10 + 0.06, 0.4 * 4 / 10 + 0.06])


def test_an_unresolved_census_is_bounded_by_the_unresolved_items() -> None:
    estimate = rate([StratumCount("all", 20, 18, 3, unresolved=2)])
    assert limits(estimate) == pytest.approx([3 / 20, 5 / 20])
    assert estimate.value == pytest.approx(3 / 18)


def test_the_order_of_strata_does_not_matter() -> None:
    strata = reference.strata([3, 2, 1, 0], [24, 18, 55, 103], [54, 39, 346, 1561])
    shuffled = list(strata)
    random.Random(1).shuffle(shuffled)
    assert rate(strata) == rate(shuffled)


def test_one_label_in_a_stratum_gives_wide_but_defined_limits() -> None:
    estimate = rate(reference.strata([1, 0], [1, 1], [4, 6]))
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.high - estimate.low > 0.8


def test_intervals_contain_their_estimate() -> None:
    draw = random.Random(7)
    for _ in range(300):
        size = [draw.randint(1, 60) for _ in range(draw.randint(1, 4))]
        n = [draw.randint(1, most) for most in size]
        y = [draw.randint(0, most) for most in n]
        for options in ({}, {"limits": "clopper_pearson"}, {"target": "process"}):
            estimate = rate(reference.strata(y, n, size), **options)
            assert estimate.value is not None
            assert estimate.low is not None
            assert estimate.high is not None
            assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="impossible"):
        StratumCount("h", 10, 8, 2, unresolved=3)


def test_unknown_limits_are_refused() -> None:
    with pytest.raises(ValueError, match="wald"):
        rate(reference.strata([1], [5], [10]), limits="wald")
