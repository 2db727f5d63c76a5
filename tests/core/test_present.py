"""How estimates are written for people."""

from __future__ import annotations

import pytest

from adjudicate.core import present
from adjudicate.core.estimates import Estimate


def difference(statistic: str, value: float = -0.179, low: float = -0.3, high: float = 0.058) -> Estimate:
    return Estimate(statistic, value, 40, "m", low=low, high=high, confidence=0.95)


@pytest.mark.parametrize("statistic", sorted(present.DIFFERENCES))
def test_a_difference_is_told_in_points_with_its_sign_and_never_in_percent(statistic: str) -> None:
    estimate = difference(statistic)
    assert (present.value(estimate), present.interval(estimate)) == ("-17.9 points", "-30.0 to +5.8 points")
    assert "%" not in present.value(estimate) + present.interval(estimate)


def test_a_share_stays_in_percent() -> None:
    estimate = Estimate("raw_rate", 0.179, 40, "m", low=0.058, high=0.3, confidence=0.95)
    assert (present.value(estimate), present.interval(estimate)) == ("17.9 %", "5.8 % to 30.0 %")


@pytest.mark.parametrize(("value", "shown"), [(0.0, "+0.0"), (-0.0, "+0.0"), (-0.0004, "+0.0"), (-0.0006, "-0.1")])
def test_zero_points_have_one_sign(value: float, shown: str) -> None:
    assert present.points(value) == f"{shown} points"


@pytest.mark.parametrize(("n", "mark"), [(0, "few"), (19, "few"), (20, "")])
def test_values_on_fewer_than_twenty_items_are_marked(n: int, mark: str) -> None:
    estimate = Estimate("krippendorff_alpha", 0.5, n, "m", "coefficient")
    assert present.few(estimate) == mark
    assert present.with_few(estimate).details == {"few": bool(mark)}


def test_a_count_and_an_undefined_value_carry_no_mark() -> None:
    assert present.few(Estimate("judge_errors", 3, 5, "m", "count")) == ""
    assert present.with_few(Estimate("judge_errors", 3, 5, "m", "count")).details == {}
    undefined = Estimate("judge_ppv", None, 0, "m", undefined="nothing flagged")
    assert present.few(undefined) == ""
    assert present.with_few(undefined).details["few"] is True


@pytest.mark.parametrize(("confidence", "shown"), [(0.95, "95%"), (0.9, "90%"), (0.995, "99.5%"), (0.9999, "99.99%")])
def test_a_confidence_keeps_its_digits(confidence: float, shown: str) -> None:
    assert present.level_of(confidence) == shown


def test_why_there_is_no_interval_is_the_estimates_own_reason() -> None:
    estimate = Estimate("judge_ece", 0.1, 40, "m", details={"no_interval": "biased upward in small samples; compare it"})
    assert present.interval(estimate) == "no interval: biased upward in small samples"
