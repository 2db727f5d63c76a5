"""Planned labels against planning.json: sizes exact or +-1, the rest 1e-6."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudicate.core.sampling import allocate
from adjudicate.stats.intervals import clopper_pearson, jeffreys, normal_quantile, wilson
from adjudicate.stats.planning import (
    Allocation,
    expected_allocation,
    expected_interval,
    labels_for_half_width,
    labels_for_zero_event_limit,
    wald_labels,
    zero_event_limit,
)
from tests.stats import reference

SECTIONS = {
    "half_width", "zero_events_upper", "labels_for_zero_event_upper", "paired_power", "paired_sample_size_80",
    "paired_minimum_detectable_difference_80", "independent_sample_size_80", "noninferiority_n_per_pair_80",
}  # fmt: skip


def test_every_section_of_the_reference_is_known(shared: Path) -> None:
    # The power sections are in test_power.
    assert reference.read(shared, "planning.json").keys() == SECTIONS


@pytest.mark.parametrize("method", ["proportional", "mix"])
def test_labels_for_a_half_width_are_reproduced(shared: Path, method: Allocation) -> None:
    for row in reference.read(shared, "planning.json")["half_width"]:
        plan = labels_for_half_width(row["N"], row["planning_rates"], row["half_width"], method=method, limits="wilson")
        assert plan.labels == row[f"mover_wilson_{method}"]
        assert [round(labels, 1) for labels in plan.allocation] == row[f"allocation_{method}"]
        assert plan.reached and plan.half_width <= row["half_width"]


def test_the_formula_that_plans_too_few_is_reproduced(shared: Path) -> None:
    for row in reference.read(shared, "planning.json")["half_width"]:
        for method in ("proportional", "neyman"):
            found = wald_labels(
                row["N"],
                row["planning_rates"],
                row["half_width"],
                method=method,
                z=normal_quantile(0.95),  # type: ignore[arg-type]
            )
            assert found == row[f"wald_{method}"]


def test_zero_event_limits_are_reproduced(shared: Path) -> None:
    for row in reference.read(shared, "planning.json")["zero_events_upper"]:
        n = row["n"]
        assert zero_event_limit(n) == pytest.approx(row["one_sided_exact"], abs=1e-6)
        for name, limits in (("wilson", wilson), ("jeffreys", jeffreys), ("clopper_pearson", clopper_pearson)):
            assert limits(0, n).high == pytest.approx(row[name], abs=1e-6)
        assert 3 / n == pytest.approx(row["rule_of_three"])


def test_labels_for_a_zero_event_limit_are_reproduced(shared: Path) -> None:
    for row in reference.read(shared, "planning.json")["labels_for_zero_event_upper"]:
        target = row["target_upper"]
        assert labels_for_zero_event_limit(target) == row["one_sided_exact"]
        assert wilson(0, row["wilson"]).high <= target < wilson(0, row["wilson"] - 1).high


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
