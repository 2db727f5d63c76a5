"""Resamples are multinomial, whichever way they are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from adjudicate.stats.bootstrap import percentiles, resample

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


@pytest.mark.parametrize("size", [1, 2, 40, 1999, 2000])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_limits_are_numpys_quantiles_to_the_last_bit(size: int, confidence: float) -> None:
    replicates = np.random.default_rng(size).normal(size=size + 3)
    replicates[:3] = np.nan
    found = percentiles(lambda weights: weights[:, 0], replicates[:, None], value=0.0, confidence=confidence)
    low, high = np.quantile(replicates[3:], [(1 - confidence) / 2, (1 + confidence) / 2])
    assert found.degenerate == 3
    if size == 1:
        assert found.reason is not None
    else:
        assert (found.low, found.high) == (min(low, 0.0), max(high, 0.0))


def test_resamples_that_are_kept_cannot_be_changed_and_are_those_drawn_afresh() -> None:
    kept = resample(MANY, seed=5, resamples=100)
    assert resample(MANY.copy(), seed=5, resamples=100) is kept
    with pytest.raises(ValueError, match="read-only"):
        kept[0, 0] = 1
    # 10 patterns x 6,000 replicates are more than is kept; another seed or number of replicates is another set.
    afresh = resample(MANY, seed=5, resamples=6000)
    assert resample(MANY, seed=5, resamples=6000) is not afresh
    assert (resample(MANY, seed=5, resamples=6000) == afresh).all()
    assert (resample(MANY, seed=6, resamples=100) != kept).any()
