"""Limits of one proportion: published values, the boundary rule and refusals. Reference values: test_reference_intervals."""

from __future__ import annotations

import pytest

from adjudicate.core.estimates import Interval
from adjudicate.stats.intervals import (
    LIMITS,
    clopper_pearson,
    effective_size,
    finite_jeffreys,
    jeffreys,
    normal_quantile,
    wilson,
)


def limits(interval: Interval) -> list[float]:
    return [interval.low, interval.high]


# Newcombe (1998), table of two-sided 95% limits.
@pytest.mark.parametrize(
    ("function", "y", "n", "published"),
    [
        (wilson, 81, 263, [0.2553, 0.3662]),
        (wilson, 15, 148, [0.0624, 0.1605]),
        (wilson, 0, 20, [0.0, 0.1611]),
        (wilson, 1, 29, [0.0061, 0.1718]),
        (clopper_pearson, 13, 16, [0.5435, 0.9595]),
        (clopper_pearson, 0, 10, [0.0, 0.3085]),
        (clopper_pearson, 10, 10, [0.6915, 1.0]),
    ],
)
def test_published_limits_are_reproduced(function: type[Interval], y: int, n: int, published: list[float]) -> None:
    assert limits(function(y, n)) == pytest.approx(published, abs=5e-5)


@pytest.mark.parametrize("name", LIMITS)
def test_limits_contain_the_rate_and_keep_the_boundary_rule(name: str) -> None:
    for n, size in ((1, None), (1, 7), (10, None), (10, 11), (50, 2000)):
        for y in range(n + 1):
            interval = LIMITS[name].function(y, n, size, 0.95)
            assert 0 <= interval.low <= y / n <= interval.high <= 1
            assert interval.width > 0
            assert (interval.low == 0) is (y == 0)
            assert (interval.high == 1) is (y == n)


def test_a_fully_labelled_stratum_has_no_sampling_error_left() -> None:
    assert limits(finite_jeffreys(5, 60, 60)) == [5 / 60, 5 / 60]
    assert effective_size(60, 60) == float("inf")


def test_effective_size_of_an_endless_population_is_the_sample_size() -> None:
    assert effective_size(50, None) == 50
    # 50 * 59 / 10
    assert effective_size(50, 60) == 295


@pytest.mark.parametrize(("y", "n"), [(0, 0), (-1, 5), (6, 5)])
def test_impossible_counts_are_refused(y: int, n: int) -> None:
    for function in (jeffreys, clopper_pearson, wilson):
        with pytest.raises(ValueError, match="events"):
            function(y, n)


def test_more_labels_than_items_are_refused() -> None:
    with pytest.raises(ValueError, match="stratum of 4"):
        finite_jeffreys(1, 5, 4)


def test_confidence_is_a_fraction_not_a_percentage() -> None:
    with pytest.raises(ValueError, match="fraction"):
        jeffreys(1, 5, 95)
    assert normal_quantile(0.95) == pytest.approx(1.959963984540054, abs=1e-12)
