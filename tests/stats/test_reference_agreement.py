"""agreement.json, rebuilt: 1e-6 for computed values, 5e-4 or the digits printed for published ones, 0.03 for bootstrap limits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.agreement import agreement_estimates
from adjudicate.stats.agreement_coefficients import nominal_alpha, ordinal_alpha
from adjudicate.stats.agreement_counts import Ratings, count_matrix, distinct_patterns, rating_array
from adjudicate.stats.agreement_further import further_agreement_estimates
from adjudicate.stats.agreement_tables import table_estimates
from adjudicate.stats.agreement_weighted import metric_alpha, metric_distance
from adjudicate.stats.alt_test import alt_test
from adjudicate.stats.bootstrap import resample
from adjudicate.stats.conger_kappa import conger_estimate
from adjudicate.stats.intervals import normal_quantile
from adjudicate.stats.judge_accuracy import JudgedItems, judge_accuracy_estimates
from adjudicate.stats.kappa_paradox import rare_event_agreement
from tests.reference_entries import Within, compare, read_json
from tests.stats import reference

MATRICES = [
    "krippendorff_4x12", "gwet_4x12", "krippendorff_binary_2x10", "krippendorff_nominal_2x12", "encyclopedia_3x15",
    "fleiss_1971_6x30", "fleiss_worked_14x10", "gwet_5x15_ordinal",
]  # fmt: skip
LEVELS = ("nominal", "ordinal", "interval", "ratio")
PARADOX = ("pabak", "positive_agreement", "negative_agreement", "prevalence_index", "bias_index")
IRRCAC = {
    "gwet": "gwet_ac1", "fleiss": "fleiss_kappa_generalised", "conger": "conger_kappa", "bp": "brennan_prediger",
}  # fmt: skip
PUBLISHED = {
    "gwet_ac1": "gwet_ac1", "fleiss_kappa": "fleiss_kappa", "fleiss_generalised": "fleiss_kappa_generalised",
    "krippendorff": "nominal", "conger": "conger_kappa", "brennan_prediger": "brennan_prediger", "pa": "percent_agreement",
    "kappa": "cohen_kappa", "ac1": "gwet_ac1", "po": "percent_agreement",
}  # fmt: skip
"""The names of the sources and ours."""
SPREAD = 0.06
"""Relative: the standard deviation of 2,000 skewed replicates is known to a few percent."""


def test_every_entry_is_reproduced_or_named(shared: Path) -> None:
    document = read_json(shared, "agreement.json")
    ours: dict[str, Any] = {name: matrix(document[name]) for name in MATRICES}
    ours["two_rater_tables"] = {name: two_raters(entry) for name, entry in document["two_rater_tables"].items()}
    ours["edge_cases"] = {"cases": [edge_case(case) for case in document["edge_cases"]["cases"]]}
    values = document["bootstrap_unit_percentile"]["values"]
    ours["bootstrap_unit_percentile"] = {"values": {name: bootstrap(document[name], levels) for name, levels in values.items()}}
    ours["alt_test"] = alternatives(document["alt_test"])
    compare("agreement.json", document, ours, tolerance=tolerance)


def tolerance(path: str) -> float:
    if path.startswith("alt_test"):
        return 1e-9
    return 5e-4 if ".published." in path else 1e-6


def estimates(given: tuple[Ratings, tuple[str, ...]]) -> dict[str, Estimate]:
    """Every coefficient by name and what tells it apart: alpha by level, weighted ones by their weights."""
    ratings, categories = given
    values = [float(category) for category in categories]
    found = agreement_estimates(ratings, categories, group={}, seed=1, resamples=0)
    found += further_agreement_estimates(ratings, categories, group={}, seed=1, values=values, resamples=0)
    found += table_estimates(ratings, categories, group={}, seed=1, resamples=0)
    found.append(conger_estimate(ratings, categories, group={}, seed=1, resamples=0))
    return {e.group.get("level") or " ".join([e.statistic, *e.group.values()]): e for e in found}


def value(estimate: Estimate) -> float:
    assert estimate.value is not None, estimate.undefined
    return estimate.value


def published(entry: Mapping[str, Any], found: Mapping[str, Estimate]) -> dict[str, Any]:
    ours: dict[str, Any] = {name: printed(found[PUBLISHED[name]], text) for name, text in entry.items() if name != "alpha"}
    if "alpha" in entry:
        ours["alpha"] = {level: printed(found[level], text) for level, text in entry["alpha"].items()}
    return ours


def printed(estimate: Estimate, text: float) -> Within:
    """Some sources print two decimals only."""
    digits = len(str(text).partition(".")[2])
    return Within(value(estimate), max(5e-4, 0.5 * 10**-digits) + 1e-12)


def matrix(entry: Mapping[str, Any]) -> dict[str, Any]:
    found = estimates(reference.ratings(entry["ratings"]))
    agreed = value(found["percent_agreement"])
    computed: dict[str, Any] = {
        "alpha": {level: value(found[level]) for level in LEVELS}, "gwet_ac1": value(found["gwet_ac1"]),
        "gwet_ac2_linear": value(found["gwet_ac2 linear"]), "gwet_ac2_quadratic": value(found["gwet_ac2 quadratic"]),
        "percent_agreement_pairable": agreed,
        "package_krippendorff_0_9": {level: value(found[level]) for level in LEVELS},
        "package_irrCAC_0_4_4": {theirs: beyond_chance(agreed, value(found[name])) for theirs, name in IRRCAC.items()},
    }  # fmt: skip
    computed["package_irrCAC_0_4_4"]["krippendorff"] = {"coef": value(found["nominal"])}
    if "fleiss_kappa" in entry["computed"]:
        chance = beyond_chance(agreed, value(found["fleiss_kappa"]))
        assert abs(value(found["fleiss_kappa_generalised"]) - value(found["fleiss_kappa"])) < 1e-9
        computed |= {"fleiss_kappa": chance["coef"], "fleiss_observed": agreed, "fleiss_expected": chance["pe"]}
    else:
        assert found["fleiss_kappa"].undefined == "pairable units have unequal numbers of ratings"
    return {"published": published(entry["published"], found), "computed": computed}


def beyond_chance(agreed: float, coefficient: float) -> dict[str, float]:
    """Chance agreement follows from the other two."""
    return {"coef": coefficient, "pa": agreed, "pe": (agreed - coefficient) / (1 - coefficient)}


def two_raters(entry: Mapping[str, Any]) -> dict[str, Any]:
    given = reference.table_ratings(entry["table"])
    found = estimates(given)
    kappa = value(found["cohen_kappa"])
    # With two raters Conger's kappa is Cohen's and Fleiss' is Scott's.
    assert abs(value(found["conger_kappa"]) - kappa) < 1e-9
    assert abs(value(found["fleiss_kappa"]) - value(found["scott_pi"])) < 1e-9
    computed: dict[str, Any] = {
        "po": value(found["percent_agreement"]), "kappa": kappa, "scott_pi": value(found["scott_pi"]),
        "gwet_ac1": value(found["gwet_ac1"]), "brennan_prediger": value(found["brennan_prediger"]),
        "alpha_nominal": value(found["nominal"]), "statsmodels_kappa_se": [kappa, *kappa_error(entry["table"], kappa)],
    }  # fmt: skip
    computed |= {f"kappa_{weights}": value(found[f"weighted_kappa {weights}"]) for weights in ("linear", "quadratic")}
    if len(given[1]) == 2:
        rare = rare_event_agreement(*given, counts=("0",), rate="r", group={}, seed=1, resamples=0)
        by_name = {estimate.statistic: estimate for estimate in rare}
        computed |= {name: value(by_name[name]) for name in PARADOX}
    return {"published": published(entry["published"], found), "computed": computed}


def kappa_error(table: list[list[int]], kappa: float) -> tuple[float, float, float]:
    """Standard error and normal limits of the kappa of a judge that is the second rater, with the divisor n of the formula."""
    cells = [(str(i), str(j)) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    n, outcomes = len(cells), [str(place) for place in range(len(table))]
    items = JudgedItems([gold for gold, _ in cells], [said for _, said in cells], [1.0] * n, [""] * n, {}, "reviewed")
    found = judge_accuracy_estimates(items, outcomes, group={})
    judged = next(each for each in found if each.statistic == "judge_kappa")
    assert judged.value == pytest.approx(kappa)
    error = float(judged.details["standard_error"]) * ((n - 1) / n) ** 0.5
    half = normal_quantile(0.95) * error
    return error, kappa - half, kappa + half


def edge_case(case: Mapping[str, Any]) -> dict[str, Any]:
    """What a case states, None where it is undefined."""

    def found(statistic: str, *declared: int) -> float | None:
        return estimates(reference.ratings(case["ratings"], declared=declared or None))[statistic].value

    functions = {
        "alpha_nominal": partial(found, "nominal"), "percent_agreement": partial(found, "percent_agreement"),
        "gwet_ac1_two_category_scale": partial(found, "gwet_ac1", 0, 1),
        "gwet_ac1_declared_2": partial(found, "gwet_ac1", 1, 2), "gwet_ac1_declared_3": partial(found, "gwet_ac1", 1, 2, 3),
    }  # fmt: skip
    return {name: function() for name, function in functions.items() if name in case}


def bootstrap(entry: Mapping[str, Any], levels: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Limits and spread over the product's own 2,000 resamples of units."""
    ratings, categories = reference.ratings(entry["ratings"])
    patterns = distinct_patterns(count_matrix(rating_array(ratings, len(categories)), len(categories)))
    weights = resample(patterns.multiplicity, seed=5)
    distance = metric_distance([float(category) for category in categories], "interval")
    functions = {"nominal": nominal_alpha, "ordinal": ordinal_alpha, "interval": partial(metric_alpha, distance=distance)}
    ours = {}
    for level, expected in levels.items():
        replicates = functions[level](weights, patterns.counts)
        limits = np.quantile(replicates, [0.025, 0.975]).tolist()
        ours[level] = {
            "percentile_95": [Within(limit, expected["tolerance_at_2000_replicates"]) for limit in limits],
            "sd": Within(float(replicates.std()), SPREAD * expected["sd"]), "undefined": int(np.isnan(replicates).sum()),
        }  # fmt: skip
    return ours


def alternatives(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The alternative annotator test on the fixture, and on a rare outcome (1,000 items of the reference's seed)."""
    humans = [[-1 if label is None else label for label in row] for row in entry["humans"]]
    warning, (raters, judge) = entry["rare_outcome_warning"], rare_outcome()
    flagged = raters.any(axis=0)
    return {
        "judges": {
            name: {"results": {e: replaced(humans, each["labels"], float(e), 3) for e in each["results"]}}
            for name, each in entry["judges"].items()
        },
        "rare_outcome_warning": {
            section: {
                e: without_raters(replaced(raters[:, chosen].tolist(), judge[chosen].tolist(), float(e), 2))
                for e in warning[section]
            }
            for section, chosen in (("results", slice(None)), ("restricted_to_items_any_rater_called_positive", flagged))
        },
    }


def rare_outcome() -> tuple[np.ndarray, np.ndarray]:
    """2 % positive, three raters with 3 % error, a judge that always says 0."""
    random = np.random.default_rng(20273)
    truth = (random.random(1000) < 0.02).astype(int)
    return np.where(random.random((3, 1000)) < 0.03, 1 - truth, truth), np.zeros(1000, dtype=int)


def replaced(labels: list[list[int]], verdicts: list[int], epsilon: float, categories: int) -> dict[str, Any]:
    ratings = Ratings(tuple(str(rater) for rater in range(len(labels))), labels)
    carried = Estimate("judge_sensitivity", 0.8, 20, "design-weighted")
    winning, advantage = alt_test(
        ratings, verdicts, categories=categories, epsilon=epsilon, group={"judge": "j"}, sensitivity=carried
    )
    kept = ("n", "rho_judge", "rho_human", "mean_d", "p")
    return {
        "winning_rate": value(winning), "advantage_probability": value(advantage),
        "rejected": [int(rater) for rater in winning.details["rejected"]],
        "per_rater": [
            {"rater": int(test["rater"]), **{key: test[key] for key in kept}} for test in winning.details["per_rater"]
        ],
    }  # fmt: skip


def without_raters(found: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in found.items() if key != "per_rater"}


def test_the_interval_alpha_estimate_carries_the_same_limits(shared: Path) -> None:
    data = read_json(shared, "agreement.json")
    for name, values in data["bootstrap_unit_percentile"]["values"].items():
        ratings, categories = reference.ratings(data[name]["ratings"])
        found = further_agreement_estimates(ratings, categories, group={}, seed=2, values=[float(c) for c in categories])
        alpha = next(estimate for estimate in found if estimate.group.get("level") == "interval")
        assert alpha.low is not None and alpha.high is not None
        limits = values["interval"]["percentile_95"]
        assert abs(alpha.low - limits[0]) < 0.03 and abs(alpha.high - limits[1]) < 0.03
        assert alpha.details["degenerate_resamples"] == values["interval"]["undefined"]
