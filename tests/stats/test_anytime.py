"""Anytime-valid sets by brute force, and their behaviour. Reference values: test_reference_intervals."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudicate.stats.anytime import OTHER_PRIOR, PRIORS, Prior, anytime_rate, anytime_set, log_e_values, prior_of
from adjudicate.stats.corrected import StratumCount
from tests.stats import reference


@st.composite
def strata_lists(draw: st.DrawFn) -> list[StratumCount]:
    strata = []
    for number in range(draw(st.integers(1, 3))):
        size = draw(st.integers(1, 12))
        labelled = draw(st.integers(0, size))
        strata.append(StratumCount(f"s{number} | {draw(st.sampled_from(['flagged', 'clear', 'x']))}", size, labelled,
                                   draw(st.integers(0, labelled))))  # fmt: skip
    return strata


def test_the_priors_of_the_sequential_study_are_the_fixed_ones(shared: Path) -> None:
    priors = reference.read(shared, "sequential.json")["prior_by_stratum"]
    assert Prior(*priors["judged_harmful"]) == PRIORS["flagged"] == prior_of("harmful/direct | flagged")
    assert Prior(*priors["judged_not_harmful"]) == PRIORS["clear"] == prior_of("draw-1\x1fharmful | clear")
    assert prior_of("harmful") == OTHER_PRIOR


@given(strata_lists())
@settings(max_examples=60, deadline=None)
def test_the_set_is_that_of_all_splits_tried_one_by_one(strata: list[StratumCount]) -> None:
    priors = [prior_of(stratum.stratum) for stratum in strata]
    curves = [log_e_values(s.events, s.labelled, s.size, prior) for s, prior in zip(strata, priors, strict=True)]
    best: dict[int, float] = {}
    for split in product(*(range(len(curve)) for curve in curves)):
        total = sum(split) + sum(stratum.events for stratum in strata)
        value = sum(curve[place] for curve, place in zip(curves, split, strict=True))
        best[total] = min(best.get(total, math.inf), value)
    inside = [total for total, value in best.items() if value < math.log(20)]
    size = sum(stratum.size for stratum in strata)
    found = anytime_set(strata, priors)
    assert (found.low, found.high) == pytest.approx((min(inside) / size, max(inside) / size))


@given(strata_lists())
@settings(max_examples=100, deadline=None)
def test_the_limits_contain_the_estimate_and_do_not_depend_on_the_order(strata: list[StratumCount]) -> None:
    estimate = anytime_rate(strata, group={})
    assert anytime_rate(strata[::-1], group={}) == estimate
    if estimate.value is None:
        low, high = estimate.details["anytime_bounds"]
        assert 0 <= low <= high <= 1
        return
    assert estimate.low is not None and estimate.high is not None
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    # A census leaves nothing open.
    if all(stratum.labelled == stratum.size for stratum in strata):
        assert estimate.low == pytest.approx(estimate.high)


def test_the_expected_e_value_at_the_truth_is_one() -> None:
    # Sum over y of P(y; truth) E(truth) = sum over y of BetaBinomial(y) over the possible y, at most 1.
    size, truth, n = 30, 7, 11
    mean = 0.0
    for y in range(max(0, n - (size - truth)), min(n, truth) + 1):
        chance = math.comb(truth, y) * math.comb(size - truth, n - y) / math.comb(size, n)
        mean += chance * math.exp(log_e_values(y, n, size, Prior(1, 1.5))[truth - y])
    assert 0 < mean <= 1 + 1e-12


def test_no_event_never_gives_zero_width_before_the_end() -> None:
    estimate = anytime_rate([StratumCount("clear", 100, 99, 0)], group={})
    assert (estimate.low, estimate.value) == (0, 0)
    assert estimate.high is not None and estimate.high > 0
    done = anytime_rate([StratumCount("clear", 100, 100, 0)], group={})
    assert (done.low, done.high) == (0, 0)


def test_a_stratum_without_labels_is_undefined_but_bounded() -> None:
    estimate = anytime_rate([StratumCount("flagged", 10, 5, 5), StratumCount("clear", 90, 0, 0)], group={})
    assert estimate.value is None
    assert estimate.undefined == "1 of 2 strata have no settled label"
    low, high = estimate.details["anytime_bounds"]
    assert low >= 0.05 and high <= 1


def test_a_million_items_take_no_time() -> None:
    strata = [StratumCount("flagged", 50_000, 400, 150), StratumCount("clear", 950_000, 3000, 20)]
    estimate = anytime_rate(strata, group={})
    assert estimate.low is not None and estimate.high is not None
    assert 0 < estimate.high - estimate.low < 0.02


def test_impossible_input_is_refused() -> None:
    with pytest.raises(ValueError, match="prior"):
        Prior(0, 1)
    with pytest.raises(ValueError, match="impossible"):
        log_e_values(3, 2, 10, Prior(1, 1))
    with pytest.raises(ValueError, match="confidence"):
        anytime_set([StratumCount("s", 10, 2, 1)], [Prior(1, 1)], confidence=95)
    assert anytime_rate([], group={}).undefined == "no items"


def test_log_e_values_are_convex() -> None:
    for y, n, size in ((0, 50, 200), (3, 20, 93), (93, 93, 93), (0, 0, 40)):
        assert (np.diff(log_e_values(y, n, size, Prior(0.5, 20)), 2) > -1e-9).all()
