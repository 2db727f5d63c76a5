"""The boundary score: its corners, its sides, and the coverage of its interval."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.core.estimates import Estimate
from adjudicate.stats.boundary_score import Combining, boundary_score, complement, half_error, harmonic_mean
from tests.stats.simulation import cells, corrected, drawn, frame, labels_by

COMBININGS: tuple[Combining, ...] = ("corners", "mover")


def side(value: float | None, low: float | None = None, high: float | None = None, **options: Any) -> Estimate:
    return Estimate(
        options.pop("statistic", "side"), value, options.pop("n", 100), "m", low=low, high=high,
        confidence=None if low is None else 0.95, undefined=None if value is not None else "no labels yet", **options,
    )  # fmt: skip


@pytest.mark.parametrize(("benign", "harmful", "score"), [(100, 0, 0), (80, 80, 80), (0, 0, 0), (100, 100, 100), (60, 90, 72)])
def test_neither_side_buys_the_other(benign: float, harmful: float, score: float) -> None:
    estimate = boundary_score(side(benign, unit="points"), side(harmful, unit="points"), group={})
    assert estimate.value == pytest.approx(score)
    assert (estimate.unit, estimate.low, estimate.n) == ("points", None, 200)


def test_the_interval_moves_one_side_at_a_time() -> None:
    estimate = boundary_score(side(0.8, 0.7, 0.9), side(0.8, 0.8, 0.8), group={})
    # Only the benign side is uncertain, so the limits are those of the score at its limits.
    assert estimate.low == pytest.approx(harmonic_mean(0.7, 0.8))
    assert estimate.high == pytest.approx(harmonic_mean(0.9, 0.8))


def test_limits_that_hold_at_every_look_are_combined_at_their_corners() -> None:
    # Two intervals of 97.5 % hold together with 95 %; square-and-add would promise more than they do.
    sides = [replace(side(0.8, 0.7, 0.9), confidence=half_error(0.95)) for _ in range(2)]
    found, usual = (boundary_score(*sides, group={}, combining=each) for each in COMBININGS)
    assert [found.low, found.high] == pytest.approx([0.7, 0.9])
    assert found.confidence == pytest.approx(0.95) and "half of the error" in found.method
    assert usual.low is not None and found.low is not None and found.low < usual.low


def test_a_side_without_an_interval_says_why() -> None:
    bare = side(50, unit="points", details={"no_interval": "for a reason"})
    found = boundary_score(bare, side(60, 40, 70, unit="points"), group={})
    assert (found.low, found.details["no_interval"]) == (None, "for a reason")


def test_what_is_open_on_a_side_bounds_the_score() -> None:
    opened = side(0.8, 0.7, 0.9, details={"unresolved": 2, "non_response": 1, "unresolved_bounds": [0.6, 0.9]})
    found = boundary_score(opened, side(0.8, 0.7, 0.9), group={})
    assert (found.details["unresolved"], found.details["non_response"]) == (2, 1)
    assert found.details["unresolved_bounds"] == pytest.approx([harmonic_mean(0.6, 0.8), harmonic_mean(0.9, 0.8)])
    assert "unresolved_bounds" not in boundary_score(side(0.8), side(0.8), group={}).details


def test_a_complement_turns_the_limits_round() -> None:
    rate = side(0.2, 0.1, 0.35, details={"unresolved_bounds": [0.15, 0.3]})
    found = complement(rate, "helpfulness")
    assert [found.value, found.low, found.high] == pytest.approx([0.8, 0.65, 0.9])
    assert found.details["unresolved_bounds"] == pytest.approx([0.7, 0.85])
    assert complement(side(None), "helpfulness").undefined == "no labels yet"
    with pytest.raises(ValueError, match="points"):
        complement(side(20, unit="points"), "helpfulness")


def test_an_undefined_side_makes_the_score_undefined() -> None:
    estimate = boundary_score(side(0.9, 0.8, 0.95), side(None), group={"model": "m"})
    assert estimate.undefined == "harmful side: no labels yet"
    json.dumps(estimate.as_json())


def test_sides_on_different_scales_are_refused() -> None:
    with pytest.raises(ValueError, match="share a scale"):
        boundary_score(side(0.5), side(50, unit="points"), group={})
    with pytest.raises(ValueError, match="share a confidence"):
        boundary_score(side(0.5, 0.4, 0.6), Estimate("s", 0.5, 9, "m", low=0.4, high=0.6, confidence=0.9), group={})


limits = st.tuples(*[st.floats(0, 1)] * 3).map(sorted)


@given(limits, limits)
def test_the_interval_contains_the_score(benign: list[float], harmful: list[float]) -> None:
    low, value, high = benign
    other_low, other, other_high = harmful
    estimate = boundary_score(side(value, low, high), side(other, other_low, other_high), group={})
    assert estimate.value is not None and estimate.low is not None and estimate.high is not None
    assert 0 <= estimate.low <= estimate.value + 1e-15 and estimate.value <= estimate.high + 1e-15 <= 1 + 1e-15
    turned = boundary_score(side(other, other_low, other_high), side(value, low, high), group={})
    assert turned.value == pytest.approx(estimate.value)


# (benign refusal, harmful compliance, labels per side)
SETTINGS = [(0.2, 0.02, 100), (0.2, 0.02, 400), (0.05, 0.02, 200), (0.5, 0.1, 200), (0.01, 0.01, 100), (0.73, 0.3, 100)]


def coverage(setting: tuple[float, float, int], replicates: int, seed: int) -> float:
    """Percent of finite-population scores inside the interval; both sides drawn by verdict with the default design."""
    refusal, compliance, n = setting
    covered = 0
    for replicate in range(replicates):
        rng = np.random.default_rng([seed, replicate])
        sides, truths = [], []
        for rate in (refusal, compliance):
            population = frame(rng, size=1000, rates=(rate, rate), sensitivity=(0.85, 0.85), specificity=(0.95, 0.95))
            strata = cells(population, "verdict")
            labels = labels_by("mix", {name: size for name, (size, _) in strata.items()}, n)
            sides.append(complement(corrected(drawn(rng, strata, labels)), "right"))
            truths.append(1 - population.rate)
        estimate = boundary_score(sides[0], sides[1], group={})
        assert estimate.low is not None and estimate.high is not None
        covered += estimate.low - 1e-12 <= harmonic_mean(truths[0], truths[1]) <= estimate.high + 1e-12
    return 100 * covered / replicates


@pytest.mark.parametrize("setting", [SETTINGS[0], SETTINGS[3]])
def test_the_interval_covers(setting: tuple[float, float, int]) -> None:
    # 94 % less three standard errors of 400 replicates.
    assert coverage(setting, 400, seed=20273) > 94 - 3.6


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_interval_covers_in_every_setting(
    setting: tuple[float, float, int], record_property: Callable[[str, object], None]
) -> None:
    found = coverage(setting, 4000, seed=20274)
    record_property("coverage", found)
    assert found > 94 - 1
