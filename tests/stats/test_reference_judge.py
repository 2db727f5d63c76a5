"""judge_validation.json, rebuilt from items.csv within 1e-6, and what of items.csv is computed.

Values of the whole population are those of a census: the complete truth taken as labels of every item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.core.sampling import Stratum
from adjudicate.stats.calibration import calibration_estimates
from adjudicate.stats.corrected import StratumCount, stratified_rate
from adjudicate.stats.isotonic import isotonic_fit
from adjudicate.stats.judge_accuracy import Design, JudgedItems
from adjudicate.stats.judge_comparison import ComparedItems, judge_difference_estimates
from adjudicate.stats.judge_rates import judge_rate_estimates
from adjudicate.stats.rates import human_rate, raw_rate
from adjudicate.stats.reliability import reliability_table
from adjudicate.stats.score_roc import highest_youden, weighted_roc
from adjudicate.stats.slices import SlicedItem, judge_bias_by_slice
from tests.reference_entries import cells as csv_cells
from tests.reference_entries import compare, read_json, read_rows, unaccounted
from tests.stats import reference

Row = Mapping[str, str]
MEASURES = ("sensitivity", "specificity", "ppv", "npv", "accuracy", "balanced_accuracy", "mcc", "kappa")
WITH_ERRORS = ("sensitivity", "specificity", "accuracy")
WHOLE: Mapping[str, Design] = {"unweighted": "reviewed", "design_weighted": "sample", "whole_population_truth": "census"}


def test_every_entry_is_reproduced_or_named(shared: Path) -> None:
    document, rows = read_json(shared, "judge_validation.json"), reference.items(shared)
    ours = {
        "corrected": {name: corrected(rows, name) for name in document["corrected"]},
        "validation": {outcome: validation(among(rows, outcome)) for outcome in document["validation"]},
        "two_judges": {outcome: two_judges(among(rows, outcome)) for outcome in document["two_judges"]},
        "calibration": {outcome: calibration(among(rows, outcome)) for outcome in document["calibration"]},
        "slices_marginal_bias_test": {"rows": slices(rows, document["slices_marginal_bias_test"]["rows"])},
    }
    # A tie: the table of exceptions says what differs, and here that it does not differ by anything else.
    tie = document["two_judges"]["BR"]
    assert tie["mcnemar_midp"] == pytest.approx(2 * ours["two_judges"]["BR"].pop("mcnemar_midp") - 1, abs=1e-6)
    compare("judge_validation.json", document, ours, tolerance=lambda _: 1e-6)


def test_every_cell_of_the_items_is_an_input_or_reproduced(shared: Path) -> None:
    key = reference.CSV_KEYS["items.csv"]
    rows = read_rows(shared, "items.csv", key)
    names = [name for name, _ in csv_cells(rows, key)]
    assert unaccounted("items.csv", iter(names), lambda name: name.endswith(": inclusion_probability")) == []
    for stratum in population_cells(list(rows.values())):
        drawn = Stratum(stratum.stratum, stratum.size, stratum.labelled)
        for row in rows.values():
            if row["stratum"] == stratum.stratum:
                assert (row["human"] == "") is (row["inclusion_probability"] == "")
                if row["human"]:
                    assert float(row["inclusion_probability"]) == pytest.approx(drawn.inclusion_probability, abs=1e-6)


def among(rows: Sequence[Row], outcome: str) -> list[Row]:
    return [row for row in rows if outcome in ("all", row["outcome"])]


def population_cells(rows: Sequence[Row]) -> list[StratumCount]:
    names = sorted({row["population"] for row in rows})
    return [stratum for name in names for stratum in reference.population_strata(rows, name)]


def pair(estimate: Estimate) -> list[float | None]:
    return [estimate.low, estimate.high]


def corrected(rows: Sequence[Row], population: str) -> dict[str, Any]:
    inside = [row for row in rows if row["population"] == population]
    strata = sorted(reference.population_strata(rows, population), key=lambda stratum: stratum.stratum)
    found = stratified_rate(strata, statistic="corrected_rate", group={})
    by_wilson = stratified_rate(strata, statistic="corrected_rate", group={}, limits="wilson")
    truth, size = sum(row["truth"] == "1" for row in inside), len(inside)
    census = stratified_rate([StratumCount("all", size, size, truth)], statistic="corrected_rate", group={})
    labelled, events = sum(stratum.labelled for stratum in strata), sum(stratum.events for stratum in strata)
    return {
        "N": found.details["N"], "n": found.n, "strata": [stratum.stratum for stratum in strata],
        "N_h": [stratum.size for stratum in strata], "n_h": [stratum.labelled for stratum in strata],
        "y_h": [stratum.events for stratum in strata], "full_truth_rate": census.value,
        "naive_judge_rate": raw_rate(sum(row["judge_a"] == "1" for row in inside), size, 0, group={}).value,
        "unweighted_human_rate": human_rate(events, labelled, group={}).value, "corrected": found.value,
        "se": found.details["standard_error"], "mover_jeffreys_fpc": pair(found), "mover_wilson_fpc": pair(by_wilson),
    }  # fmt: skip


def judged(rows: Sequence[Row], design: Design) -> JudgedItems:
    """Labelled items, or all of them with their truth as the label."""
    column = "truth" if design == "census" else "human"
    used = [row for row in rows if row[column]]
    weights = [1 / float(row["inclusion_probability"]) if design == "sample" else 1.0 for row in used]
    sizes = Counter(row["stratum"] for row in rows)
    return JudgedItems(
        [row[column] for row in used], [row["judge_a"] for row in used], weights, [row["stratum"] for row in used],
        {} if design == "reviewed" else sizes, design,
    )  # fmt: skip


def validation(rows: Sequence[Row]) -> dict[str, Any]:
    ours: dict[str, Any] = {}
    for section, design in WHOLE.items():
        estimates = judge_rate_estimates(judged(rows, design), ("0", "1"), rate="event", counts=("1",), group={})
        found = {estimate.statistic.removeprefix("judge_"): estimate for estimate in estimates}
        (tn, fp), (fn, tp) = found["accuracy"].details["confusion_weighted"]
        ours[section] = {
            "tp": tp, "fn": fn, "fp": fp, "tn": tn, **{measure: found[measure].value for measure in MEASURES},
            "f1": found["accuracy"].details["f1"], "youden_j": found["accuracy"].details["youden_j"],
        }  # fmt: skip
        if design == "sample":
            details = found["accuracy"].details
            ours |= {"n": found["accuracy"].n, "kish_effective_n": details["kish_effective_n"]}
            ours["design_weighted_se"] = {
                measure: [found[measure].value, found[measure].details["standard_error"]] for measure in WITH_ERRORS
            }
    return ours


def two_judges(rows: Sequence[Row]) -> dict[str, Any]:
    labelled = [row for row in rows if row["human"]]
    items = ComparedItems(
        [row["judge_a"] == row["human"] for row in labelled], [row["judge_b"] == row["human"] for row in labelled],
        [1 / float(row["inclusion_probability"]) for row in labelled], [row["stratum"] for row in labelled],
        Counter(row["stratum"] for row in rows), "sample",
    )  # fmt: skip
    labels, population = judge_difference_estimates(items, group={})
    return {
        "a_right_b_wrong": labels.details["first_right_second_wrong"],
        "a_wrong_b_right": labels.details["first_wrong_second_right"],
        "mcnemar_exact_p": labels.details["mcnemar_exact_p"], "mcnemar_midp": labels.details["mcnemar_mid_p"],
        "weighted_accuracy_difference": population.value, "weighted_se": population.details["standard_error"],
        "weighted_z": population.details["z"],
    }  # fmt: skip


def calibration(rows: Sequence[Row]) -> dict[str, Any]:
    ours: dict[str, Any] = {}
    for name, weighted in (("weighted", True), ("unweighted", False)):
        ece, brier = calibration_estimates(reference.scored(rows, weighted=weighted), group={}, seed=1, simulations=1)
        ours |= {f"ece10_{name}": ece.value, f"brier_{name}": brier.value}
    items = reference.scored(rows, weighted=True)
    fit, points = isotonic_fit(items), weighted_roc(items, [place / 20 for place in range(21)])
    assert points is not None
    return {
        **ours,
        "reliability_weighted": [[row.bin, row.n, row.mean_score, row.event_rate, row.share] for row in reliability_table(items)],
        "isotonic_weighted": [[100 * score, value] for score, value in zip(fit.scores, fit.values, strict=True)],
        "weighted_roc_by_threshold": [[100 * point.threshold, point.sensitivity, point.specificity] for point in points],
        "youden_threshold": 100 * highest_youden(points).threshold,
    }


def slices(rows: Sequence[Row], expected: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """In the order of the reference, which every slice must be in."""
    labelled = [
        SlicedItem(row["item"], row["human"] == "1", row["judge_a"] == "1", {"population": row["population"]})
        for row in rows
        if row["human"]
    ]
    found = {e.group["population"]: e for e in judge_bias_by_slice(labelled, ["population"], group={"judge": "a"})}
    assert found.keys() == {row["slice"] for row in expected}
    kept = ("missed", "false_alarm", "p", "holm", "benjamini_hochberg")
    return [{"n": found[row["slice"]].n, **{key: found[row["slice"]].details[key] for key in kept}} for row in expected]
