"""The further coefficients: named undefined states, symmetry, near misses, and the package on resampled data."""

from __future__ import annotations

import json
from dataclasses import replace

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement import NO_PAIR, ONE_CATEGORY, ONE_DECLARED
from adjudicate.stats.agreement_counts import Ratings, count_matrix, distinct_patterns
from adjudicate.stats.agreement_further import NOT_NAMED, ONE_VALUE, further_agreement_estimates
from adjudicate.stats.agreement_tables import table_estimates
from adjudicate.stats.agreement_weighted import credit_matrix, gwet_ac2, metric_alpha, metric_distance, weighted_kappa
from adjudicate.stats.conger_kappa import conger_estimate
from adjudicate.stats.event_ratings import event_ratings
from adjudicate.stats.kappa_paradox import rare_event_agreement
from tests.stats import reference


def found(
    ratings: Ratings, categories: tuple[str, ...], values: list[float] | None = None, resamples: int = 0
) -> dict[str, Estimate]:
    estimates = further_agreement_estimates(ratings, categories, group={}, seed=3, values=values, resamples=resamples)
    estimates += table_estimates(ratings, categories, group={}, seed=3, resamples=resamples)
    estimates.append(conger_estimate(ratings, categories, group={}, seed=3, resamples=resamples))
    return {" ".join([estimate.statistic, *estimate.group.values()]): estimate for estimate in estimates}


@pytest.mark.parametrize("level", ["interval", "ratio"])
def test_alpha_of_numbers_is_the_packages_alpha_of_repeated_units(level: str) -> None:
    random, values = np.random.default_rng(5), [0.0, 10.0, 35.0, 100.0]
    patterns = distinct_patterns(count_matrix(random.integers(-1, 4, (4, 60)), 4))
    weights = random.multinomial(60, patterns.multiplicity / patterns.multiplicity.sum(), size=20)
    ours = metric_alpha(weights.astype(float), patterns.counts, metric_distance(values, level))  # type: ignore[arg-type]
    for row, value in zip(weights, ours, strict=True):
        counts = np.repeat(patterns.counts, row, axis=0)
        theirs = krippendorff.alpha(value_counts=counts, value_domain=values, level_of_measurement=level)  # type: ignore[arg-type]
        assert value == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("kind", ["linear", "quadratic"])
def test_weighted_kappa_is_scikit_learns(kind: str) -> None:
    random = np.random.default_rng(6)
    first, second = random.integers(0, 4, 80), random.integers(0, 4, 80)
    cells = np.bincount(first * 4 + second, minlength=16).reshape(1, 4, 4).astype(float)
    value = weighted_kappa(cells, credit_matrix(4, kind))[0]  # type: ignore[arg-type]
    assert value == pytest.approx(cohen_kappa_score(first, second, weights=kind), abs=1e-12)


def test_two_categories_give_no_credit() -> None:
    assert credit_matrix(2, "linear").tolist() == credit_matrix(2, "quadratic").tolist() == [[1, 0], [0, 1]]
    counts = np.array([[2, 0], [1, 1], [0, 2]])
    plain, credited = np.array([[3.0, 2.0, 1.0]]), credit_matrix(2, "linear")
    # pa = 4/6, pi = (8/12, 4/12), pe = 2 pi (1-pi) = 4/9; (2/3 - 4/9) / (5/9) = 0.4.
    assert gwet_ac2(plain, counts, credited)[0] == pytest.approx(0.4)


def test_credit_needs_two_categories_and_ratio_no_negative_value() -> None:
    with pytest.raises(ValueError, match="two declared categories"):
        credit_matrix(1, "linear")
    with pytest.raises(ValueError, match="negative"):
        metric_distance([-1, 1], "ratio")
    assert metric_distance([0, 0, 2], "ratio").tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


def test_near_misses_count_less_than_opposites() -> None:
    near, far = (reference.ratings([[0, 1, 2] * 5, [other, 1, 2] * 5])[0] for other in (1, 2))
    for statistic in ("gwet_ac2 linear", "gwet_ac2 quadratic", "weighted_kappa linear"):
        low, high = (found(r, ("a", "b", "c"))[statistic].value for r in (far, near))
        assert low is not None and high is not None and low < high


def test_specific_agreement_is_dice_for_two_raters() -> None:
    # 80 both first, 5 + 10 one of them, 5 neither: 160/175 and 10/25.
    ratings, categories = reference.table_ratings([[80, 10], [5, 5]])
    estimates = found(ratings, categories, resamples=500)
    assert estimates["specific_agreement 0"].value == pytest.approx(160 / 175)
    rare = estimates["specific_agreement 1"]
    assert rare.value == pytest.approx(0.4)
    assert rare.unit == "fraction" and rare.low is not None and rare.high is not None and rare.low < 0.4 < rare.high


def test_undefined_states_are_named() -> None:
    one = found(Ratings(("a", "b"), [[0] * 12, [0] * 12]), ("x", "y"), [1.0, 2.0], 100)
    assert one["scott_pi"].undefined == one["weighted_kappa linear"].undefined == one["conger_kappa"].undefined == ONE_CATEGORY
    assert one["fleiss_kappa_generalised"].undefined == ONE_CATEGORY
    assert one["krippendorff_alpha interval"].undefined == ONE_VALUE
    assert one["specific_agreement y"].undefined == NOT_NAMED
    assert (one["brennan_prediger"].value, one["gwet_ac2 linear"].value, one["specific_agreement x"].value) == (1, 1, 1)
    nothing = found(Ratings(("a", "b"), [[0, -1], [-1, 1]]), ("x", "y"), [1.0, 2.0], 100)
    assert {estimate.undefined for estimate in nothing.values()} == {NO_PAIR}
    alone = found(Ratings(("a", "b"), [[0, 0], [0, 0]]), ("x",))
    assert alone["brennan_prediger"].undefined == alone["gwet_ac2 linear"].undefined == ONE_DECLARED
    assert alone["weighted_kappa linear"].undefined == ONE_DECLARED
    three = found(Ratings(("a", "b", "c"), [[0, 1], [0, 1], [1, 1]]), ("x", "y"))
    assert three["scott_pi"].undefined == "Scott's pi needs exactly two raters, found 3"
    assert found(Ratings(("a",), [[0, 1]]), ("x", "y"))["conger_kappa"].undefined == "Conger's kappa needs two raters, found 1"
    assert found(Ratings((), []), ("x", "y"))["conger_kappa"].undefined == "Conger's kappa needs two raters, found 0"


def test_categories_with_equal_numbers_do_not_disagree() -> None:
    tied = found(Ratings(("a", "b"), [[0, 1] * 6, [1, 0] * 6]), ("x", "y"), [5.0, 5.0])
    assert tied["krippendorff_alpha interval"].undefined == ONE_VALUE


def test_ratio_alpha_is_left_out_below_zero() -> None:
    assert "krippendorff_alpha ratio" not in found(Ratings(("a", "b"), [[0, 1], [0, 1]]), ("x", "y"), [-1.0, 1.0])
    with pytest.raises(ValueError, match="one value per category"):
        found(Ratings(("a", "b"), [[0], [0]]), ("x", "y"), [1.0])


def test_neither_raters_nor_units_have_an_order() -> None:
    matrix = np.random.default_rng(7).integers(-1, 3, (3, 30))
    before, after = (found(Ratings(("a", "b", "c"), m), ("x", "y", "z"), [1, 2, 4], 200) for m in (matrix, matrix[::-1, ::-1]))
    for name, estimate in before.items():
        if name == "conger_kappa":
            assert estimate.value == pytest.approx(after[name].value)
        else:
            assert replace(estimate) == after[name], name


def test_label_coding_does_not_matter_for_categories_without_order() -> None:
    matrix = np.random.default_rng(8).integers(0, 3, (2, 40))
    turned = np.array([2, 0, 1])[matrix]
    before, after = (found(Ratings(("a", "b"), m), ("x", "y", "z")) for m in (matrix, turned))
    for name in ("brennan_prediger", "fleiss_kappa_generalised", "scott_pi", "conger_kappa"):
        assert before[name].value == pytest.approx(after[name].value)
    assert before["specific_agreement x"].value == pytest.approx(after["specific_agreement z"].value)


def test_equal_seeds_give_equal_intervals_that_hold_the_value() -> None:
    matrix = np.random.default_rng(9).integers(0, 3, (2, 40))
    first, second = (found(Ratings(("a", "b"), matrix), ("x", "y", "z"), [0, 1, 2], 300) for _ in range(2))
    assert first == second
    for estimate in first.values():
        assert estimate.value is not None and estimate.low is not None and estimate.high is not None
        assert estimate.low <= estimate.value <= estimate.high
        json.dumps(estimate.as_json())


def test_outcomes_reduce_to_the_event_and_the_rest() -> None:
    ratings = Ratings(("a", "b"), [[0, 1, 2, -1], [2, 1, 0, 1]])
    assert np.asarray(event_ratings(ratings, ("x", "y", "z"), ("x", "z")).matrix).tolist() == [[0, 1, 0, -1], [0, 1, 0, 1]]
    with pytest.raises(ValueError, match="not a category: w"):
        event_ratings(ratings, ("x", "y", "z"), ("w",))


def test_a_rare_event_shows_the_paradox_side_by_side() -> None:
    ratings, categories = reference.table_ratings([[5, 5], [10, 80]])
    estimates = rare_event_agreement(ratings, categories, counts=("0",), rate="hc", group={"model": "m"}, seed=1, resamples=300)
    shown = {estimate.statistic: estimate.value for estimate in estimates}
    assert shown == pytest.approx({
        "percent_agreement": 0.85, "krippendorff_alpha": 0.3177143, "cohen_kappa": 0.3181818, "gwet_ac1": 0.808,
        "positive_agreement": 0.4, "negative_agreement": 160 / 175, "pabak": 0.7, "prevalence_index": 0.75, "bias_index": 0.05,
    })  # fmt: skip
    assert all(estimate.group["rate"] == "hc" and estimate.group["model"] == "m" for estimate in estimates)


def test_the_indexes_need_two_raters_and_a_common_unit() -> None:
    def pabak(matrix: list[list[int]]) -> str | None:
        ratings = Ratings(tuple("abc"[: len(matrix)]), matrix)
        estimates = rare_event_agreement(ratings, ("x", "y"), counts=("x",), rate="r", group={}, seed=1)
        return next(estimate.undefined for estimate in estimates if estimate.statistic == "pabak")

    assert pabak([[0, 1], [0, 1], [0, 0]]) == "the table of two raters needs exactly two, found 3"
    assert pabak([[0, -1], [-1, 1]]) == NO_PAIR
