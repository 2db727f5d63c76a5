"""Resamples are multinomial, whichever way they are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from adjudicate.stats.bootstrap import resample

FEW, MANY = np.array([30, 15, 4, 1]), np.array([4000, 3000, 1500, 800, 400, 200, 80, 15, 4, 1])


@pytest.mark.parametrize("multiplicity", [FEW, MANY])
def test_rows_add_up_to_the_number_of_units(multiplicity: np.ndarray) -> None:
    weights = resample(multiplicity, seed=3, resamples=501)
    assert weights.shape == (501, multiplicity.size)
    assert set(weights.sum(axis=1)) == {float(multiplicity.sum())}
    assert weights.min() >= 0


@pytest.mark.parametrize("multiplicity", [FEW, MANY])
def test_moments_are_those_of_the_multinomial(multiplicity: np.ndarray) -> None:
    draws = 40_000
    weights, units = resample(multiplicity, seed=8, resamples=draws), int(multiplicity.sum())
    share = multiplicity / units
    variance = units * share * (1 - share)
    # Five standard errors of a mean; variances and the largest covariance to 5%.
    assert np.all(np.abs(weights.mean(axis=0) - multiplicity) < 5 * np.sqrt(variance / draws))
    assert weights.var(axis=0) == pytest.approx(variance, rel=0.05)
    assert np.cov(weights[:, 0], weights[:, 1])[0, 1] == pytest.approx(-units * share[0] * share[1], rel=0.05)


def test_the_two_ways_of_drawing_give_the_same_distribution() -> None:
    plain = np.random.default_rng(1).multinomial(int(MANY.sum()), MANY / MANY.sum(), size=20_000)
    split = resample(MANY, seed=1, resamples=20_000)
    for probability in (0.025, 0.5, 0.975):
        assert np.quantile(split, probability, axis=0) == pytest.approx(np.quantile(plain, probability, axis=0), rel=0.02, abs=1)


@pytest.mark.parametrize("multiplicity", [FEW, MANY])
def test_equal_seeds_give_equal_draws(multiplicity: np.ndarray) -> None:
    assert np.array_equal(resample(multiplicity, seed=9, resamples=50), resample(multiplicity, seed=9, resamples=50))
    assert not np.array_equal(resample(multiplicity, seed=9, resamples=50), resample(multiplicity, seed=10, resamples=50))
