"""Planned labels: the search finds the smallest number. Reference values: test_reference_comparison."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudicate.core.sampling import allocate
from adjudicate.stats.planning import (
    expected_allocation,
    expected_interval,
    labels_for_half_width,
    labels_for_zero_event_limit,
    zero_event_limit,
)


def test_the_found_number_is_the_smallest() -> None:
    for limits in ("jeffreys", "wilson", "clopper_pearson"):
        plan = labels_for_half_width([93, 407], [0.4, 0.01], 0.02, limits=limits)

        def width(n: int, limits: str = limits) -> float:
            return expected_interval([93, 407], [0.4, 0.01], expected_allocation([93, 407], [0.4, 0.01], n), limits=limits).width

        assert width(plan.labels) <= 0.04 < width(plan.labels - 1)
        assert all(width(n) > 0.04 for n in range(1, plan.labels))


def test_jeffreys_limits_need_fewer_labels_than_wilson() -> None:
    plans = [labels_for_half_width([93, 1907], [0.4, 0.01], 0.01, limits=limits).labels for limits in ("jeffreys", "wilson")]
    assert plans[0] < plans[1]


def test_the_expected_allocation_is_the_rounded_one_before_rounding() -> None:
    sizes, rates = {"flagged": 93, "clear": 1907}, {"flagged": 0.4, "clear": 0.01}
    for n in (50, 446, 923, 1990):
        expected = expected_allocation(list(sizes.values()), list(rates.values()), n)
        rounded = allocate(sizes, n, "mix", rates)
        assert all(abs(a - b) <= 1 for a, b in zip(expected, rounded.values(), strict=True))
        assert sum(expected) == pytest.approx(n)


def test_impossible_input_is_refused() -> None:
    with pytest.raises(ValueError, match="half-width"):
        labels_for_half_width([10], [0.1], 0)
    with pytest.raises(ValueError, match="at least one label"):
        zero_event_limit(0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        labels_for_zero_event_limit(2)


strata_of = st.lists(st.tuples(st.integers(2, 400), st.floats(0.001, 0.999)), min_size=1, max_size=4)


@given(strata_of, st.sampled_from(["jeffreys", "wilson", "clopper_pearson"]), st.data())
@settings(max_examples=200, deadline=None)
def test_more_labels_never_widen_the_planned_interval(strata: list[tuple[int, float]], limits: str, data: st.DataObject) -> None:
    sizes, rates = [size for size, _ in strata], [rate for _, rate in strata]
    n = data.draw(st.integers(1, sum(sizes) - 1))
    more = data.draw(st.integers(n + 1, sum(sizes)))
    few, many = (
        expected_interval(sizes, rates, expected_allocation(sizes, rates, labels), limits=limits) for labels in (n, more)
    )
    assert many.width <= few.width + 1e-9
    value = sum(size * rate for size, rate in strata) / sum(sizes)
    assert few.low - 1e-12 <= value <= few.high + 1e-12
