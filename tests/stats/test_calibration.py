"""Calibration of scores: bins, cross-fitting, refusals, coverage. Reference values: test_reference_judge."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta
from sklearn.isotonic import IsotonicRegression

from adjudicate.stats.calibration import calibration_estimates, ece_if_calibrated, expected_calibration_error
from adjudicate.stats.isotonic import cross_fitted, isotonic_estimates, isotonic_fit
from adjudicate.stats.judge_accuracy import Design
from adjudicate.stats.reliability import ScoredItems, reliability_table
from adjudicate.stats.score_roc import weighted_roc
from tests.stats import reference


def fixture(shared: Path, outcome: str, *, weighted: bool = True) -> ScoredItems:
    rows = [row for row in reference.items(shared) if outcome in ("all", row["outcome"])]
    return reference.scored(rows, weighted=weighted)


def scored(scores: list[float], events: list[int], design: Design = "reviewed") -> ScoredItems:
    n = len(scores)
    return ScoredItems(scores, [bool(event) for event in events], [1.0] * n, ["s"] * n, {}, design)


def test_edges_belong_to_the_bin_above_and_one_to_the_last() -> None:
    # 0.7 * 10 is 7.000000000000001 in some orders of operation and 0.29 * 100 is 28.999999999999996.
    table = reliability_table(scored([0.0, 0.1, 0.7, 1.0], [0, 0, 1, 1]))
    assert [row.bin for row in table] == [0, 1, 7, 9]
    assert [row.bin for row in reliability_table(scored([0.29], [0]), bins=100)] == [29]


def test_limits_of_a_bin_are_jeffreys_at_the_effective_number() -> None:
    # Equal weights: n. 0 of 4: the upper limit is the 97.5 % quantile of Beta(0.5, 4.5).
    row = reliability_table(scored([0.05] * 4, [0] * 4))[0]
    assert (row.event_low, row.event_high) == (0.0, pytest.approx(float(beta.ppf(0.975, 0.5, 4.5))))
    uneven = ScoredItems([0.05] * 4, [False] * 4, [9.0, 1, 1, 1], ["s"] * 4, {}, "reviewed")
    assert reliability_table(uneven)[0].event_high > row.event_high


def test_a_census_has_no_width() -> None:
    items = scored([0.05, 0.05, 0.9], [0, 1, 1], "census")
    assert all(row.event_low == row.event_rate == row.event_high for row in reliability_table(items))
    brier = calibration_estimates(items, group={}, seed=1, simulations=20)[1]
    assert brier.low == brier.value == brier.high


def test_the_error_of_a_small_sample_is_large_under_perfect_calibration_too() -> None:
    random = np.random.default_rng(4)
    scores = random.random(60)
    items = scored(scores.tolist(), (random.random(60) < scores).astype(int).tolist())
    ece = calibration_estimates(items, group={}, seed=1)[0]
    assert ece.value is not None and (ece.low, ece.high) == (None, None)
    # About sqrt(2 / pi) * sqrt(0.17 / 6) = 0.13 per bin of six.
    assert 0.09 < ece.details["if_calibrated"] < 0.16
    assert ece.value < ece.details["if_calibrated_high"]
    assert ece.details["share_at_least_as_large"] > 0.05
    json.dumps(ece.as_json())


def test_the_error_carries_what_the_score_finds_at_every_threshold() -> None:
    # Events at 0.3 and 0.8, others at 0.1 and 0.5.
    ece = calibration_estimates(scored([0.3, 0.8, 0.1, 0.5], [1, 1, 0, 0]), group={}, seed=1, simulations=20)[0]
    found = {row["threshold"]: (row["sensitivity"], row["specificity"]) for row in ece.details["thresholds"]}
    assert len(found) == 21
    assert [found[each] for each in (0.0, 0.2, 0.4, 0.6, 0.9)] == [(1, 0), (1, 0.5), (0.5, 0.5), (0.5, 1), (0, 1)]
    # From 0.15 to 0.3 all events and one of two others, from 0.55 to 0.8 one of two events and nothing else: the first of them.
    assert ece.details["highest_youden"] == 0.15
    nothing = calibration_estimates(scored([0.3, 0.8], [1, 1]), group={}, seed=1, simulations=20)[0]
    assert "thresholds" not in nothing.details


def test_a_miscalibrated_judge_stands_out_from_perfect_calibration(shared: Path) -> None:
    ece = calibration_estimates(fixture(shared, "all"), group={}, seed=1)[0]
    assert ece.value is not None and ece.value > 2 * ece.details["if_calibrated_high"]
    assert ece.details["share_at_least_as_large"] == 0.0


def test_equal_seeds_give_equal_simulations(shared: Path) -> None:
    items = fixture(shared, "HC")
    first, same, other = (ece_if_calibrated(items, seed=seed, simulations=30) for seed in (1, 1, 2))
    assert np.array_equal(first, same) and not np.array_equal(first, other)


def test_neither_order_nor_the_scale_of_weights_matters(shared: Path) -> None:
    items = fixture(shared, "BR")
    turned = replace(
        items, scores=items.scores[::-1], events=items.events[::-1], weights=[3 * w for w in items.weights[::-1]],
        strata=items.strata[::-1],
    )  # fmt: skip
    assert expected_calibration_error(items) == pytest.approx(expected_calibration_error(turned))
    assert isotonic_fit(items).values == pytest.approx(isotonic_fit(turned).values)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 1), st.integers(1, 9)), min_size=12, max_size=60), st.randoms())
@settings(max_examples=60, deadline=None)
def test_the_fit_is_that_of_scikit_learn(rows: list[tuple[int, int, int]], chance: Any) -> None:
    """On the items themselves, and between and beyond their scores for those of another fold."""
    rows = [*rows, *((score, event, 1) for score in (0, 6, 12) for event in (0, 1) for _ in range(3))]
    chance.shuffle(rows)
    items = ScoredItems(
        [score / 12 for score, _, _ in rows], [bool(event) for _, event, _ in rows], [float(weight) for _, _, weight in rows],
        ["s"] * len(rows), {}, "sample",
    )  # fmt: skip
    fit = isotonic_fit(items)
    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    model.fit(items.scores, items.events, sample_weight=items.weights)
    assert fit.values == pytest.approx(model.predict(fit.scores))
    crossed = cross_fitted(items, seed=3, folds=2)
    assert crossed is not None
    for fold in (0, 1):
        rest = [place for place, number in enumerate(crossed.folds) if number != fold]
        model.fit(*([values[place] for place in rest] for values in (items.scores, items.events, items.weights)))
        held = [place for place, number in enumerate(crossed.folds) if number == fold]
        expected = model.predict([items.scores[place] for place in held])
        assert [crossed.items.scores[place] for place in held] == pytest.approx(list(expected))


def test_cross_fitting_mends_the_scores_and_names_what_it_rests_on(shared: Path) -> None:
    items = fixture(shared, "all")
    before = calibration_estimates(items, group={}, seed=1, simulations=50)
    after = isotonic_estimates(items, group={"judge": "a"}, seed=1, simulations=50)
    for raw, mended in zip(before, after, strict=True):
        assert raw.value is not None and mended.value is not None and mended.value < raw.value
        assert mended.group == {"judge": "a", "calibration": "isotonic, cross-fitted"}
        # 36 events among 260 labels.
        assert mended.details["few_events"] is True and mended.details["folds"] == 5
        json.dumps(mended.as_json())


def test_no_item_is_calibrated_by_a_fit_that_saw_it() -> None:
    random = np.random.default_rng(2)
    scores = np.round(random.random(80), 2)
    items = scored(scores.tolist(), (random.random(80) < scores**2).astype(int).tolist())
    whole = cross_fitted(items, seed=3)
    assert whole is not None and set(whole.folds) == set(range(5))
    for place in range(0, 80, 7):
        others = [n for n in range(80) if whole.folds[n] != whole.folds[place]]
        fit = isotonic_fit(scored([items.scores[n] for n in others], [int(items.events[n]) for n in others]))
        assert whole.items.scores[place] == pytest.approx(float(np.interp(items.scores[place], fit.scores, fit.values)))


def test_cross_fitting_needs_events_in_every_fold() -> None:
    few = scored([0.1, 0.9] * 10, [0, 0, 1, 0] + [0, 0] * 8)
    assert cross_fitted(few, seed=1) is None
    reasons = {estimate.undefined for estimate in isotonic_estimates(few, group={}, seed=1)}
    assert reasons == {"cross-fitting needs an event and a non-event per fold, 5"}
    with pytest.raises(ValueError, match="two folds"):
        cross_fitted(few, seed=1, folds=1)


def test_no_item_is_undefined_everywhere() -> None:
    nothing = scored([], [])
    estimates = calibration_estimates(nothing, group={}, seed=1) + isotonic_estimates(nothing, group={}, seed=1)
    assert {estimate.undefined for estimate in estimates} == {"no labelled item with a score"}
    assert reliability_table(nothing) == ()
    assert weighted_roc(nothing, [0.5]) is None
    for refused in (lambda: expected_calibration_error(nothing), lambda: isotonic_fit(nothing)):
        with pytest.raises(ValueError, match="no labelled item"):
            refused()


def test_scores_are_fractions_never_percent() -> None:
    with pytest.raises(ValueError, match="probabilities, 0 to 1; found 35"):
        scored([0.2, 35], [0, 1])
    with pytest.raises(ValueError, match="positive"):
        ScoredItems([0.5], [True], [0.0], ["s"], {}, "sample")
    with pytest.raises(ValueError, match="one entry per item"):
        ScoredItems([0.5], [True], [], ["s"], {}, "sample")
    with pytest.raises(ValueError, match="needs a bin"):
        reliability_table(scored([0.5], [1]), bins=0)


@pytest.mark.parametrize("runs", [400, pytest.param(8000, marks=pytest.mark.slow)])
def test_the_brier_interval_covers_the_score_of_the_population(runs: int) -> None:
    # Seeded samples of 150 from 3,000 items; at 400 the standard error is 1.1 points.
    random = np.random.default_rng(21)
    scores = random.random(3000)
    events = random.random(3000) < scores**1.5
    truth, inside = float(((scores - events) ** 2).mean()), 0
    for _ in range(runs):
        chosen = random.choice(3000, 150, replace=False)
        items = ScoredItems(scores[chosen].tolist(), events[chosen].tolist(), [20.0] * 150, ["s"] * 150, {"s": 3000}, "sample")
        brier = calibration_estimates(items, group={}, seed=1, simulations=1)[1]
        assert brier.low is not None and brier.high is not None
        inside += brier.low <= truth <= brier.high
    assert 0.92 <= inside / runs <= 0.985
