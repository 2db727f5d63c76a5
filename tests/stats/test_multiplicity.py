"""Adjusted p values: worked by hand, and their order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm

p_values = st.lists(st.floats(0, 1), max_size=12)


def test_adjusted_values_are_those_worked_by_hand() -> None:
    # Sorted 0.01, 0.02, 0.03, 0.04. Holm: 4 x 0.01, 3 x 0.02, then 2 x 0.03 and 1 x 0.04 raised to 0.06.
    p = [0.04, 0.01, 0.03, 0.02]
    assert holm(p) == pytest.approx((0.06, 0.04, 0.06, 0.06))
    # BH: 4 p / rank is 0.04 everywhere; BY: times 1 + 1/2 + 1/3 + 1/4 = 25/12.
    assert benjamini_hochberg(p) == pytest.approx((0.04,) * 4)
    assert benjamini_yekutieli(p) == pytest.approx((0.04 * 25 / 12,) * 4)


@given(p_values)
def test_adjustment_never_lowers_a_p_value_and_stays_in_range(p: list[float]) -> None:
    for adjusted in (holm(p), benjamini_hochberg(p), benjamini_yekutieli(p)):
        assert all(raw <= value + 1e-12 and value <= 1 for raw, value in zip(p, adjusted, strict=True))


@given(p_values)
def test_claims_ask_for_more_than_finds(p: list[float]) -> None:
    assert all(find <= claim + 1e-12 for find, claim in zip(benjamini_hochberg(p), holm(p), strict=True))


@given(st.permutations([0.001, 0.02, 0.02, 0.3, 0.9]))
def test_order_does_not_matter(p: list[float]) -> None:
    ranked = sorted(zip(p, holm(p), strict=True))
    assert ranked == sorted(zip(sorted(p), holm(sorted(p)), strict=True))


def test_no_test_and_one_test() -> None:
    assert holm([]) == benjamini_hochberg([]) == ()
    assert holm([0.2]) == benjamini_hochberg([0.2]) == benjamini_yekutieli([0.2]) == (0.2,)


def test_a_p_value_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match=r"found \[1.2\]"):
        holm([0.1, 1.2])
