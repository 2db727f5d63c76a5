"""Every entry of agreement.json is reproduced here or in test_agreement, or named below with the reason why not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement_coefficients import nominal_alpha, ordinal_alpha
from adjudicate.stats.agreement_counts import Ratings, count_matrix, distinct_patterns, rating_array
from adjudicate.stats.agreement_further import further_agreement_estimates
from adjudicate.stats.agreement_tables import table_estimates
from adjudicate.stats.agreement_weighted import metric_alpha, metric_distance
from adjudicate.stats.bootstrap import resample
from adjudicate.stats.conger_kappa import conger_estimate
from adjudicate.stats.kappa_paradox import rare_event_agreement
from tests.stats import reference
from tests.stats.test_agreement import MATRICES, table

NAMED = "|".join(MATRICES)
REPRODUCED = (
    rf"({NAMED})\.(source|ratings|published)",
    rf"({NAMED})\.computed\.(alpha|gwet_ac[12].*|percent_agreement_pairable|fleiss_.*)",
    rf"({NAMED})\.computed\.package_krippendorff_0_9",
    rf"({NAMED})\.computed\.package_irrCAC_0_4_4\.(gwet|fleiss|conger|bp)\.(coef|pa|pe)",
    rf"({NAMED})\.computed\.package_irrCAC_0_4_4\.krippendorff\.coef",
    r"edge_cases",
    r"two_rater_tables\.\w+\.(source|table|published)",
    r"two_rater_tables\.\w+\.computed\.(?!statsmodels)",
    r"two_rater_tables\.\w+\.computed\.statsmodels_kappa_se\[0\]",
    r"bootstrap_unit_percentile",
    r"alt_test",
)
"""Paths (from their start) that a test compares; alt_test is in test_alt_test."""
NOT_APPLICABLE = {
    rf"({NAMED})\.computed\.package_irrCAC_0_4_4\.\w+\.(se|ci)": (
        "asymptotic standard errors and intervals of another package; ours are a unit bootstrap (note, section 3)"
    ),
    rf"({NAMED})\.computed\.package_irrCAC_0_4_4\.krippendorff\.(pa|pe)": (
        "by-products of that package's form of alpha (a small-sample correction inside pa); its alpha is compared"
    ),
    r"two_rater_tables\.\w+\.computed\.statsmodels_kappa_se\[[123]\]": "asymptotic standard error and limits, as above",
    r"bootstrap_cost": "indicative timings and a pattern count of a random matrix that is not in the file; see tests/performance",
}


def leaves(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{place}]")
    else:
        yield path


def further(given: tuple[Ratings, tuple[str, ...]], values: list[float] | None = None) -> dict[str, Estimate]:
    """Estimates by statistic and what tells them apart, e.g. ``gwet_ac2 linear``."""
    ratings, categories = given
    estimates = further_agreement_estimates(ratings, categories, group={}, seed=1, values=values, resamples=0)
    estimates += table_estimates(ratings, categories, group={}, seed=1, resamples=0)
    estimates.append(conger_estimate(ratings, categories, group={}, seed=1, resamples=0))
    return {" ".join([estimate.statistic, *estimate.group.values()]): estimate for estimate in estimates}


def valued(entry: dict[str, Any]) -> dict[str, Estimate]:
    given = reference.ratings(entry["ratings"])
    return further(given, [float(name) for name in given[1]])


def test_every_entry_is_reproduced_or_named(shared: Path) -> None:
    for path in leaves(reference.read(shared, "agreement.json")):
        claimed = any(re.match(pattern, path) for pattern in REPRODUCED)
        excused = any(re.match(pattern, path) for pattern in NOT_APPLICABLE)
        assert claimed != excused, path


@pytest.mark.parametrize("name", MATRICES)
def test_rating_matrices_reproduce_the_further_coefficients(shared: Path, name: str) -> None:
    entry = reference.read(shared, "agreement.json")[name]
    found, computed = valued(entry), entry["computed"]
    for kind in ("linear", "quadratic"):
        assert found[f"gwet_ac2 {kind}"].value == pytest.approx(computed[f"gwet_ac2_{kind}"], abs=1e-6)
    for level in ("interval", "ratio"):
        assert found[f"krippendorff_alpha {level}"].value == pytest.approx(computed["alpha"][level], abs=1e-6)
        if level in entry["published"].get("alpha", {}):
            assert found[f"krippendorff_alpha {level}"].value == pytest.approx(entry["published"]["alpha"][level], abs=5e-4)


@pytest.mark.parametrize("name", MATRICES)
def test_rating_matrices_reproduce_other_published_coefficients(shared: Path, name: str) -> None:
    entry = reference.read(shared, "agreement.json")[name]
    found, published = valued(entry), entry["published"]
    for theirs, ours in {
        "fleiss_generalised": "fleiss_kappa_generalised", "brennan_prediger": "brennan_prediger", "conger": "conger_kappa",
    }.items():  # fmt: skip
        if theirs in published:
            assert found[ours].value == pytest.approx(published[theirs], abs=5e-4)


@pytest.mark.parametrize("name", MATRICES)
def test_rating_matrices_agree_with_other_packages(shared: Path, name: str) -> None:
    entry = reference.read(shared, "agreement.json")[name]
    found, plain = valued(entry), table(reference.ratings(entry["ratings"]))
    for level, value in entry["computed"]["package_krippendorff_0_9"].items():
        ours = plain[level] if level in plain else found[f"krippendorff_alpha {level}"]
        assert ours.value == pytest.approx(value, abs=1e-6), level
    package = entry["computed"]["package_irrCAC_0_4_4"]
    assert plain["nominal"].value == pytest.approx(package["krippendorff"]["coef"], abs=1e-6)
    for theirs, ours in {
        "gwet": plain["gwet_ac1"], "fleiss": found["fleiss_kappa_generalised"], "conger": found["conger_kappa"],
        "bp": found["brennan_prediger"],
    }.items():  # fmt: skip
        agreed, value = plain["percent_agreement"].value, ours.value
        assert agreed is not None and value is not None
        assert value == pytest.approx(package[theirs]["coef"], abs=1e-6)
        assert agreed == pytest.approx(package[theirs]["pa"], abs=1e-6)
        # Chance agreement follows from the other two.
        assert (agreed - value) / (1 - value) == pytest.approx(package[theirs]["pe"], abs=1e-6)


@pytest.mark.parametrize("name", MATRICES)
def test_fleiss_by_products_reproduce_the_reference(shared: Path, name: str) -> None:
    entry = reference.read(shared, "agreement.json")[name]
    computed, plain = entry["computed"], table(reference.ratings(entry["ratings"]))
    if "fleiss_kappa" not in computed:
        return
    observed, kappa = plain["percent_agreement"].value, plain["fleiss_kappa"].value
    assert observed is not None and kappa is not None
    assert observed == pytest.approx(computed["fleiss_observed"], abs=1e-6)
    assert (observed - kappa) / (1 - kappa) == pytest.approx(computed["fleiss_expected"], abs=1e-6)
    assert valued(entry)["fleiss_kappa_generalised"].value == pytest.approx(computed["fleiss_kappa"], abs=1e-6)


def test_two_rater_tables_reproduce_the_further_coefficients(shared: Path) -> None:
    for name, entry in reference.read(shared, "agreement.json")["two_rater_tables"].items():
        given, computed = reference.table_ratings(entry["table"]), entry["computed"]
        found, plain = further(given), table(given)
        assert found["scott_pi"].value == pytest.approx(computed["scott_pi"], abs=1e-6), name
        assert found["brennan_prediger"].value == pytest.approx(computed["brennan_prediger"], abs=1e-6), name
        assert found["conger_kappa"].value == pytest.approx(computed["kappa"], abs=1e-6), name
        assert plain["cohen_kappa"].value == pytest.approx(computed["statsmodels_kappa_se"][0], abs=1e-6), name
        for kind in ("linear", "quadratic"):
            if f"kappa_{kind}" in computed:
                assert found[f"weighted_kappa {kind}"].value == pytest.approx(computed[f"kappa_{kind}"], abs=1e-6), name
        published = entry["published"]
        if "ac1" in published:
            assert plain["gwet_ac1"].value == pytest.approx(published["ac1"], abs=5e-4), name
        if "po" in published:
            assert plain["percent_agreement"].value == pytest.approx(published["po"], abs=5e-4), name


def test_two_class_tables_reproduce_the_kappa_paradox(shared: Path) -> None:
    seen = 0
    for name, entry in reference.read(shared, "agreement.json")["two_rater_tables"].items():
        if "pabak" not in entry["computed"]:
            continue
        ratings, categories = reference.table_ratings(entry["table"])
        estimates = rare_event_agreement(ratings, categories, counts=("0",), rate="r", group={}, seed=1, resamples=0)
        found = {estimate.statistic: estimate for estimate in estimates}
        for statistic in ("pabak", "positive_agreement", "negative_agreement", "prevalence_index", "bias_index"):
            assert found[statistic].value == pytest.approx(entry["computed"][statistic], abs=1e-6), (name, statistic)
        for ours, theirs in (("cohen_kappa", "kappa"), ("gwet_ac1", "gwet_ac1"), ("percent_agreement", "po")):
            assert found[ours].value == pytest.approx(entry["computed"][theirs], abs=1e-6), (name, ours)
        seen += 1
    assert seen == 7


def test_bootstrap_reproduces_limits_and_spread_of_the_long_run(shared: Path) -> None:
    data = reference.read(shared, "agreement.json")
    for name, values in data["bootstrap_unit_percentile"]["values"].items():
        ratings, categories = reference.ratings(data[name]["ratings"])
        patterns = distinct_patterns(count_matrix(rating_array(ratings, len(categories)), len(categories)))
        weights = resample(patterns.multiplicity, seed=5)
        distance = metric_distance([float(category) for category in categories], "interval")
        functions = {
            "nominal": nominal_alpha,
            "ordinal": ordinal_alpha,
            "interval": partial(metric_alpha, distance=distance),
        }
        for level, expected in values.items():
            replicates = functions[level](weights, patterns.counts)
            limits = np.quantile(replicates, [0.025, 0.975])
            assert limits == pytest.approx(expected["percentile_95"], abs=expected["tolerance_at_2000_replicates"]), level
            # The standard deviation of 2,000 skewed replicates is known to a few percent.
            assert replicates.std() == pytest.approx(expected["sd"], rel=0.06), (name, level)
            assert int(np.isnan(replicates).sum()) == expected["undefined"]


def test_the_interval_alpha_estimate_carries_the_same_limits(shared: Path) -> None:
    data = reference.read(shared, "agreement.json")
    for name, values in data["bootstrap_unit_percentile"]["values"].items():
        ratings, categories = reference.ratings(data[name]["ratings"])
        estimates = further_agreement_estimates(ratings, categories, group={}, seed=2, values=[float(c) for c in categories])
        alpha = next(estimate for estimate in estimates if estimate.group.get("level") == "interval")
        assert [alpha.low, alpha.high] == pytest.approx(values["interval"]["percentile_95"], abs=0.03)
        assert alpha.details["degenerate_resamples"] == values["interval"]["undefined"]
