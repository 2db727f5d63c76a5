"""Closed forms against the general search, and their refusals. The note's own numbers are in test_frontier_example."""

from __future__ import annotations

import pytest

from adjudicate.stats.normal_frontier import (
    ScorePopulation,
    Weighted,
    best_threshold,
    equal_spread_optimum,
    expected_cost,
    refusal_at_compliance,
)

LOW, HIGH = ScorePopulation(0, 1), ScorePopulation(2, 1)


def test_the_closed_form_is_the_optimum_for_equal_spreads() -> None:
    harmful, benign = Weighted(HIGH, 0.3), Weighted(LOW, 0.7)
    closed = equal_spread_optimum(harmful, benign, sd=1)
    assert best_threshold([harmful], [benign]) == pytest.approx(closed, abs=1e-9)
    assert expected_cost(closed, [harmful], [benign]) < min(
        expected_cost(closed + step, [harmful], [benign]) for step in (-0.01, 0.01)
    )


def test_equal_weights_meet_in_the_middle() -> None:
    assert equal_spread_optimum(Weighted(HIGH, 1), Weighted(LOW, 1), sd=3) == 1


def test_the_frontier_is_consistent_with_its_threshold() -> None:
    threshold = HIGH.threshold_for(0.05)
    assert HIGH.below(threshold) == pytest.approx(0.05)
    assert refusal_at_compliance(HIGH, LOW, 0.05) == pytest.approx(LOW.above(threshold))
    assert LOW.below(0.3) + LOW.above(0.3) == pytest.approx(1)


def test_where_no_threshold_helps_it_says_so() -> None:
    with pytest.raises(ValueError, match="higher on average"):
        equal_spread_optimum(Weighted(LOW, 1), Weighted(HIGH, 1), sd=1)
    with pytest.raises(ValueError, match="no threshold"):
        best_threshold([Weighted(LOW, 1)], [Weighted(HIGH, 1)])
    with pytest.raises(ValueError, match="needs"):
        best_threshold([], [Weighted(LOW, 1)])
