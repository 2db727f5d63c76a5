"""intervals.json and anytime.json, rebuilt: 1e-6 for computed values, 5e-5 for published ones, e-values 1e-9, sets exactly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate, Interval
from adjudicate.stats.anytime import Prior, anytime_set, log_e_values
from adjudicate.stats.corrected import StratumCount, stratified_rate
from adjudicate.stats.intervals import clopper_pearson, finite_jeffreys, finite_wilson, jeffreys, wilson
from adjudicate.stats.outcome_shares import inverted_shares
from adjudicate.stats.rogan_gladen import Calibration, rogan_gladen
from tests.reference_entries import compare, read_json
from tests.stats import reference

PLAIN: Mapping[str, Callable[[float, float], Interval]] = {
    "wilson": wilson, "clopper_pearson": clopper_pearson, "jeffreys": jeffreys,
}  # fmt: skip
STRATIFIED: Mapping[str, Mapping[str, str]] = {
    "mover_jeffreys_fpc": {}, "mover_wilson_fpc": {"limits": "wilson"}, "mover_clopper_pearson": {"limits": "clopper_pearson"},
    "mover_jeffreys_superpopulation": {"target": "process"},
    "mover_wilson_superpopulation": {"limits": "wilson", "target": "process"},
}  # fmt: skip
OUTCOMES = ("answered", "deflected", "refused")
PUBLISHED = re.compile(r"(\d+)/(\d+) ([\d.]+)-([\d.]+)")
"""An entry of the note that names the published limits: ``81/263 0.2553-0.3662``."""


def test_every_entry_is_reproduced_or_named(shared: Path) -> None:
    document = read_json(shared, "intervals.json")
    compare("intervals.json", document, intervals(document), tolerance=lambda _: 1e-6)


def test_every_entry_of_the_anytime_file_is_reproduced_or_named(shared: Path) -> None:
    document = read_json(shared, "anytime.json")
    ours = {
        "log_e": [{"values": log_e(row)} for row in document["log_e"]],
        "sets": [an_anytime_set(row) for row in document["sets"]],
    }
    compare("anytime.json", document, ours, tolerance=lambda path: 1e-9 if path.startswith("log_e") else 0.0)


def intervals(document: Any) -> dict[str, Any]:
    finite = {"wilson_fpc": finite_wilson, "jeffreys_fpc": finite_jeffreys}
    return {
        "one_sample": [
            {name: pair(function(row["y"], row["n"])) for name, function in PLAIN.items()} for row in document["one_sample"]
        ],
        "one_sample_published": {"note": published(document["one_sample_published"]["note"])},
        "one_sample_finite_population": [
            {name: pair(function(row["y"], row["n"], row["N"])) for name, function in finite.items()}
            for row in document["one_sample_finite_population"]
        ],
        "stratified_mover": [stratified(row) for row in document["stratified_mover"]],
        "rogan_gladen": [from_elsewhere(row) for row in document["rogan_gladen"]],
        "multiclass": multiclass(document["multiclass"]),
    }


def pair(interval: Interval | Estimate) -> list[Any]:
    return [interval.low, interval.high]


def published(note: str) -> str:
    """The note, if our limits are those that it names as published."""
    parts = note.split("Clopper-Pearson")
    for function, text, count in zip((wilson, clopper_pearson), parts, (4, 3), strict=True):
        found = PUBLISHED.findall(text)
        assert len(found) == count
        for y, n, low, high in found:
            assert pair(function(int(y), int(n))) == pytest.approx([float(low), float(high)], abs=5e-5), (y, n)
    return note


def rate(strata: Sequence[StratumCount], **options: Any) -> Estimate:
    return stratified_rate(strata, statistic="corrected_rate", group={}, **options)


def stratified(row: Mapping[str, Any]) -> dict[str, Any]:
    strata = reference.strata(row["y"], row["n"], row["N"])
    found = {name: rate(strata, **options) for name, options in STRATIFIED.items()}
    first = found["mover_jeffreys_fpc"]
    ours = {"estimate": first.value, "se_design": first.details["standard_error"], **{n: pair(e) for n, e in found.items()}}
    # One label has no variance, and the table says that the reference has one there.
    return {name: value for name, value in ours.items() if name != "se_design" or value is not None}


def from_elsewhere(row: Mapping[str, Any]) -> dict[str, Any]:
    """Rogan-Gladen with Lang and Reiczigel's limits, and the delta limits of its K-class form at K = 2."""
    calibration = Calibration(row["true_positive"], row["positives"], row["true_negative"], row["negatives"])
    estimate = rogan_gladen(row["judged_positive"], row["N"], calibration, group={})
    errors = row["negatives"] - row["true_negative"], row["positives"] - row["true_positive"]
    table = [[row["true_positive"], errors[0]], [errors[1], row["true_negative"]]]
    delta = inverted_shares(("bad", "fine"), [row["judged_positive"], row["N"] - row["judged_positive"]], table, group={})[0]
    assert delta.value == pytest.approx(estimate.value)
    return {
        "raw": estimate.details["unclipped"], "estimate": estimate.value, "lang_reiczigel": pair(estimate), "delta": pair(delta),
    }  # fmt: skip


def multiclass(entry: Mapping[str, Any]) -> dict[str, Any]:
    # Joint counts of judge (rows) and truth (columns) among 10,000 are whole.
    counts = np.rint(10_000 * np.array(entry["M"]) * np.array(entry["truth"])).astype(int)
    judged = counts.sum(axis=1)
    inverted = inverted_shares(OUTCOMES, judged.tolist(), counts.tolist(), group={})
    # With the verdicts as strata the corrected rate of an outcome is the predictive-value route.
    by_values = [
        rate([StratumCount(str(verdict), sum(row), sum(row), row[k]) for verdict, row in enumerate(counts.tolist())])
        for k in range(len(OUTCOMES))
    ]
    return {
        "judged": (judged / 10_000).tolist(), "recovered": [estimate.value for estimate in inverted],
        "condition_number": inverted[0].details["condition_number"],
        "P_truth_given_judge": (counts / judged[:, None]).tolist(),
        "recovered_by_predictive_values": [estimate.value for estimate in by_values],
    }  # fmt: skip


def log_e(row: Mapping[str, Any]) -> dict[str, float]:
    found = log_e_values(row["y"], row["n"], row["N"], Prior(row["a"], row["b"]))
    return {total: float(found[int(total) - row["y"]]) for total in row["values"]}


def an_anytime_set(row: Mapping[str, Any]) -> dict[str, float]:
    strata = reference.strata(row["y"], row["n"], row["N"])
    found = anytime_set(strata, [Prior(*prior) for prior in row["prior"]], confidence=1 - row["alpha"])
    return {"lower": found.low, "upper": found.high}
