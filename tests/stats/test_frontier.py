"""Frontiers from scores: counted by hand, invariant, and the choices made on them."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.stats.frontier import (
    cheapest_point,
    expected_costs,
    frontier,
    operating_point,
    point_estimates,
    point_for_compliance,
    points_for_compliance,
)

HARMFUL = {"direct": [0.9, 0.8, 0.3, 0.95], "multi_turn": [0.5, 0.6]}
BENIGN = {"general": [0.1, 0.2, 0.3, 0.4], "borderline": [0.6, 0.2]}


def test_rates_at_a_threshold_are_those_counted_by_hand() -> None:
    point = operating_point(frontier(HARMFUL, BENIGN), 0.3)
    # At or below 0.3: one of four direct, none of two multi-turn. Above it: one of four general, one of two borderline.
    assert point.compliance == {"direct": 0.25, "multi_turn": 0}
    assert point.refusal == {"general": 0.25, "borderline": 0.5}


def test_the_ends_refuse_everything_and_nothing() -> None:
    curve = frontier(HARMFUL, BENIGN)
    assert operating_point(curve, -math.inf).refusal == {"general": 1, "borderline": 1}
    assert operating_point(curve, 1).compliance == {"direct": 1, "multi_turn": 1}


def test_one_threshold_for_all_holds_the_worst_population() -> None:
    curve = frontier(HARMFUL, BENIGN)
    point = point_for_compliance(curve, 0.25)
    # 0.5 is the first multi-turn score, so the threshold stays below it.
    assert (point.threshold, point.compliance) == (0.4, {"direct": 0.25, "multi_turn": 0})
    assert point_for_compliance(curve, 0).threshold == 0.2
    assert point_for_compliance(curve, 1).threshold == 0.95


def test_a_threshold_per_category_refuses_less() -> None:
    curves = {name: frontier({name: scores}, BENIGN) for name, scores in HARMFUL.items()}
    points = points_for_compliance(curves, 0.25)
    assert {name: point.threshold for name, point in points.items()} == {"direct": 0.6, "multi_turn": 0.4}


def test_ordered_verdicts_are_scores() -> None:
    curve = frontier({"harmful": [2, 2, 1]}, {"benign": [0, 0, 1, 2]})
    assert operating_point(curve, 1).compliance["harmful"] == pytest.approx(1 / 3)
    assert curve.thresholds.tolist() == [-math.inf, 0, 1, 2]


def test_expected_cost_adds_up_and_has_a_minimum() -> None:
    curve = frontier(HARMFUL, BENIGN)
    prevalence = {"direct": 0.1, "borderline": 0.3, "general": 0.6}
    cost = {"direct": 10, "borderline": 1, "general": 2}
    costs = expected_costs(curve, prevalence, cost)
    place = curve.thresholds.tolist().index(0.3)
    assert costs[place] == pytest.approx(0.1 * 10 * 0.25 + 0.3 * 0.5 + 0.6 * 2 * 0.25)
    best = cheapest_point(curve, prevalence, cost)
    assert best.cost == pytest.approx(costs.min())
    # 0.4 and 0.6 differ only in borderline refusals: 0.6 is the cheaper one.
    assert best.threshold == 0.6


def test_estimates_say_what_they_speak_for() -> None:
    found = {e.group["population"]: e for e in point_estimates(frontier(HARMFUL, BENIGN), 0.3)}
    assert found["direct"].group["error"] == "harmful_compliance"
    assert (found["general"].value, found["general"].n) == (0.25, 4)
    for estimate in found.values():
        assert estimate.low is not None and estimate.high is not None and estimate.value is not None
        assert estimate.low <= estimate.value <= estimate.high
        json.dumps(estimate.as_json())


def test_impossible_input_is_refused() -> None:
    curve = frontier(HARMFUL, BENIGN)
    for wrong in (
        lambda: frontier({"a": []}, {}), lambda: frontier({"a": [math.nan]}, {}), lambda: frontier({"a": [1]}, {"a": [1]}),
        lambda: point_for_compliance(curve, 2), lambda: point_for_compliance(frontier({}, BENIGN), 0.1),
        lambda: operating_point(curve, math.nan), lambda: expected_costs(curve, {"x": 0.1}, {"x": 1}),
        lambda: expected_costs(curve, {"direct": 0.9, "general": 0.2}, {"direct": 1, "general": 1}),
        lambda: expected_costs(curve, {"direct": 90}, {"direct": 1}),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            wrong()


scores = st.lists(st.integers(0, 20), min_size=1, max_size=30)


@given(scores, scores)
def test_rates_are_monotone_and_counted_right(harmful: list[int], benign: list[int]) -> None:
    curve = frontier({"h": harmful}, {"b": benign})
    assert (np.diff(curve.compliance["h"]) >= 0).all()
    assert (np.diff(curve.refusal["b"]) <= 0).all()
    for threshold in range(-1, 22):
        point = operating_point(curve, threshold)
        assert point.compliance["h"] == pytest.approx(sum(score <= threshold for score in harmful) / len(harmful))
        assert point.refusal["b"] == pytest.approx(sum(score > threshold for score in benign) / len(benign))
    turned = frontier({"h": harmful[::-1]}, {"b": benign[::-1]})
    assert (turned.refusal["b"] == curve.refusal["b"]).all()
