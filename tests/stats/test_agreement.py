"""Agreement: undefined states, intervals, order, XSTest. Reference values: test_reference_agreement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement import ONE_CATEGORY, agreement_estimates, alpha_estimate
from adjudicate.stats.agreement_counts import Ratings
from tests.stats import reference


def table(given: tuple[Ratings, tuple[str, ...]], resamples: int = 0, seed: int = 1) -> dict[str, Estimate]:
    """Estimates by statistic, alpha by level."""
    ratings, categories = given
    estimates = agreement_estimates(ratings, categories, group={}, seed=seed, resamples=resamples)
    return {estimate.group.get("level", estimate.statistic): estimate for estimate in estimates}


def test_edge_cases_are_undefined_with_a_reason(shared: Path) -> None:
    cases = reference.read(shared, "agreement.json")["edge_cases"]["cases"]
    _, single, unpaired, *_ = cases
    one = table(reference.ratings(single["ratings"], declared=[0, 1]))
    assert (one["nominal"].value, one["nominal"].undefined) == (None, ONE_CATEGORY)
    assert one["cohen_kappa"].undefined == one["fleiss_kappa"].undefined == ONE_CATEGORY
    assert (one["percent_agreement"].value, one["gwet_ac1"].value) == (1, 1)
    none = table(reference.ratings(unpaired["ratings"]))
    assert {estimate.value for estimate in none.values()} == {None}


def test_equal_seeds_give_equal_intervals(shared: Path) -> None:
    given = reference.ratings(reference.read(shared, "agreement.json")["fleiss_1971_6x30"]["ratings"])
    assert table(given, 500, seed=4) == table(given, 500, seed=4)
    assert table(given, 500, seed=4)["nominal"].low != table(given, 500, seed=5)["nominal"].low


def test_neither_raters_nor_units_have_an_order(shared: Path) -> None:
    ratings, categories = reference.ratings(reference.read(shared, "agreement.json")["gwet_5x15_ordinal"]["ratings"])
    turned = [list(row)[::-1] for row in list(ratings.matrix)[::-1]]
    before, after = table((ratings, categories), 200), table((Ratings(ratings.raters, turned), categories), 200)
    for name in ("percent_agreement", "nominal", "ordinal", "gwet_ac1"):
        assert before[name] == after[name]


def test_below_ten_units_there_is_no_interval_and_a_reason(shared: Path) -> None:
    del shared
    found = table(reference.ratings([[0, 1, 0, 1], [0, 1, 1, 1]]), 2000)["nominal"]
    assert (found.low, found.high, found.confidence) == (None, None, None)
    assert "fewer than 10 units" in found.details["no_interval"]


def test_perfect_agreement_never_claims_a_zero_width_interval() -> None:
    found = table(reference.ratings([[0, 1] * 10, [0, 1] * 10]), 2000)
    for statistic in ("percent_agreement", "nominal", "cohen_kappa"):
        assert (found[statistic].value, found[statistic].low) == (1, None)
        assert "never seen" in found[statistic].details["no_interval"]


def test_degenerate_resamples_are_counted_not_scored() -> None:
    # One unit in twenty holds the only second category: about (19/20)^20 = 36% of resamples miss it.
    found = table(reference.ratings([[0] * 19 + [1], [0] * 20], declared=[0, 1]), 2000)["nominal"]
    assert 0.30 < found.details["degenerate_resamples"] / 2000 < 0.42


def test_more_than_two_raters_get_a_pairwise_mean_instead_of_one_kappa(shared: Path) -> None:
    ratings = reference.ratings(reference.read(shared, "agreement.json")["gwet_5x15_ordinal"]["ratings"])
    cohen = table(ratings)["cohen_kappa"]
    assert cohen.undefined == "Cohen's kappa needs exactly two raters, found 5"
    assert len(cohen.details["pairwise"]) == 10
    assert -1 <= cohen.details["mean_pairwise_kappa"] <= 1


def test_a_rater_without_ratings_is_not_counted() -> None:
    ratings = Ratings(("a", "b", "idle"), [[0, 1, 0], [0, 1, 1], [-1, -1, -1]])
    assert table((ratings, ("x", "y")))["cohen_kappa"].value is not None


def test_no_ratings_at_all_is_undefined_everywhere() -> None:
    found = table((Ratings(("a", "b"), [[], []]), ("x", "y")), 2000)
    assert all(estimate.undefined for estimate in found.values())


def test_xstest_annotators_reproduce_the_expected_agreement(shared: Path) -> None:
    models = json.loads((shared / "data" / "expected.json").read_text(encoding="utf-8"))["xstest"]["models"]
    for model, expected in models.items():
        annotators = expected["annotators"]
        found = table(reference.table_ratings(annotators["confusion_rows_first_cols_second"]))
        assert found["percent_agreement"].value == pytest.approx(annotators["percent_agreement"], abs=1e-9), model
        assert found["cohen_kappa"].value == pytest.approx(annotators["cohen_kappa"], abs=1e-9), model
        assert found["nominal"].value == pytest.approx(annotators["krippendorff_alpha_nominal"], abs=1e-9), model
        assert found["fleiss_kappa"].value == pytest.approx(annotators["fleiss_kappa"], abs=1e-9), model


def test_an_unknown_level_is_refused() -> None:
    ratings, categories = reference.ratings([[0, 1], [0, 1]])
    with pytest.raises(ValueError, match="interval"):
        alpha_estimate(ratings, categories, group={}, seed=0, level="interval")


def test_every_estimate_can_be_written_as_json() -> None:
    for estimate in table(reference.ratings([[0, 1] * 8, [0, 1, 1, 1] * 4, [1, 1, 0, 0] * 4]), 100).values():
        json.dumps(estimate.as_json())
