"""Difference of two independent proportions: published limits, symmetry, and coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from adjudicate.stats.difference_interval import Bounded, independent_difference, newcombe_difference

counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("table", "limits"),
    [
        # Newcombe 1998, interval estimation for the difference between independent proportions, table II, method 10.
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((10, 10, 0, 20), (0.6791, 1.0000)),
        ((10, 10, 0, 10), (0.6075, 1.0000)),
        ((0, 10, 0, 20), (-0.1611, 0.2775)),
        ((0, 10, 0, 10), (-0.2775, 0.2775)),
    ],
)
def test_published_limits_are_reproduced(table: tuple[int, int, int, int], limits: tuple[float, float]) -> None:
    found = newcombe_difference(*table)
    assert (found.low, found.high) == pytest.approx(limits, abs=6e-5)


@given(counts, counts)
def test_the_interval_holds_the_value_and_turns_with_its_sign(first: tuple[int, int], second: tuple[int, int]) -> None:
    there, back = newcombe_difference(*first, *second), newcombe_difference(*second, *first)
    assert -1 - 1e-12 <= there.low <= there.value <= there.high <= 1 + 1e-12
    assert there.high > there.low
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


@pytest.mark.parametrize(("p1", "p2", "n"), [(0.05, 0.05, 60), (0.1, 0.3, 40), (0.5, 0.4, 80), (0.02, 0.1, 150)])
def test_coverage_is_near_nominal(p1: float, p2: float, n: int) -> None:
    """Exact: every pair of counts times its probability."""
    covered = 0.0
    first, second = (binom.pmf(np.arange(n + 1), n, p) for p in (p1, p2))
    for y1 in np.flatnonzero(first > 1e-7).tolist():
        for y2 in np.flatnonzero(second > 1e-7).tolist():
            found = newcombe_difference(y1, n, y2, n)
            covered += first[y1] * second[y2] * (found.low <= p1 - p2 <= found.high)
    assert 0.94 <= covered <= 0.985


def test_a_value_outside_its_limits_is_refused() -> None:
    with pytest.raises(ValueError, match="between its limits"):
        independent_difference(Bounded(0.5, 0.6, 0.7), Bounded(0.1, 0.0, 0.2))
    with pytest.raises(ValueError, match="events must be within"):
        newcombe_difference(3, 2, 0, 5)
