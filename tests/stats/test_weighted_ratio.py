"""The linearised standard error by hand."""

from __future__ import annotations

import pytest

from adjudicate.stats.weighted_ratio import weighted_ratio


def test_one_stratum_has_the_textbook_standard_error_of_a_mean() -> None:
    ratio = weighted_ratio([1, 1, 1, 0], [1] * 4, [5.0] * 4, ["s"] * 4, {"s": 20})
    assert ratio is not None
    # p = 3/4, s^2 = 4/3 * 3/16 = 1/4; (1 - 4/20) * s^2 / 4 = 0.05.
    assert (ratio.value, ratio.n) == (0.75, 4)
    assert ratio.standard_error == pytest.approx(0.05**0.5)


def test_an_endless_stratum_has_no_finite_factor() -> None:
    ratio = weighted_ratio([1, 1, 1, 0], [1] * 4, [1.0] * 4, ["s"] * 4, {})
    assert ratio is not None
    assert ratio.standard_error == pytest.approx(0.25)


def test_a_single_label_of_many_adds_its_whole_residual() -> None:
    ratio = weighted_ratio([1, 0], [1, 1], [4.0, 6.0], ["a", "b"], {"a": 4, "b": 6})
    assert ratio is not None
    # r = 0.4; residuals 4 * 0.6 / 10 = 0.24 and -6 * 0.4 / 10 = -0.24; factors 3/4 and 5/6.
    assert ratio.standard_error == pytest.approx((0.24**2 * (3 / 4 + 5 / 6)) ** 0.5)


def test_nobody_in_the_denominator_gives_none() -> None:
    assert weighted_ratio([0, 0], [0, 0], [1, 1], ["s", "s"], {}) is None


def test_a_ratio_without_spread_has_no_interval() -> None:
    ratio = weighted_ratio([1, 1], [1, 1], [1, 1], ["s", "s"], {})
    assert ratio is not None
    assert ratio.interval(0.95) is None
