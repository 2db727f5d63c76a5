"""The corrected rate covers as often as it says: seeded simulations through the product's own drawing and estimating.

The population is that of the coverage study (reference/README.md): 2,000 responses, harmful compliance 6 % inside a
borderline fifth and 1 % outside; a judge that is worse inside. The other rows of that study are in test_coverage_rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.corrected import StratumCount
from tests.stats import test_coverage_rows
from tests.stats.product_draw import by_verdict, draw, extend_until
from tests.stats.simulation import Stop, Study, corrected, exact_frame, frame, noise, summary
from tests.stats.test_sequential import INTERVALS

DESIGN = "stratified[verdict] mix"
MAKES: Mapping[str, Mapping[str, Any]] = {
    "stratified/difference + MOVER-Jeffreys (fpc)": {}, "stratified/difference + MOVER-Wilson (fpc)": {"limits": "wilson"},
    "stratified/difference + MOVER-Clopper-Pearson (no fpc)": {"limits": "clopper_pearson"},
    "stratified/difference + MOVER-Jeffreys (superpopulation)": {"target": "process"},
}  # fmt: skip
"""Rows of the reference by the options of the product: default, Wilson, ``--conservative`` and gates, ``--target process``."""
Interval = Callable[[Sequence[StratumCount]], Estimate]


def studies(n: int, replicates: int, seed: int, *, labelled: int | None = None) -> dict[str, Study]:
    """Draw n items by the default design, label them (or as many as come first in the order of showing), estimate."""
    found: dict[str, list[tuple[float, Estimate]]] = {name: [] for name in MAKES}
    for replicate in range(replicates):
        population = frame(np.random.default_rng([seed, n, replicate]))
        sample = draw(by_verdict(population.verdict), n, replicate)
        counts = sample.counts(population.truth, None if labelled is None else sample.order[:labelled])
        for name, options in MAKES.items():
            found[name].append((population.rate, corrected(counts, **options)))
    return {name: summary(pairs) for name, pairs in found.items()}


def check(shared: Path, n: int, replicates: int, seed: int) -> None:
    found = test_coverage_rows.Found(studies(n, replicates, seed), {})
    wrong = [
        (name, column, replace(study, widths=()))
        for name, study in found.studies.items()
        for column in sorted(test_coverage_rows.COLUMNS.keys() - {"mean_n_by_stratum"})
        if not test_coverage_rows.COLUMNS[column](study, test_coverage_rows.row(shared, DESIGN, n, name), found)
    ]
    assert not wrong, (n, wrong)


@pytest.mark.parametrize("n", [100, 200, 400])
def test_five_hundred_replicates_reproduce_the_coverage_study(shared: Path, n: int) -> None:
    check(shared, n, 500, seed=20262)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("n", [100, 200, 400])
def test_ten_thousand_replicates_reproduce_the_coverage_study(shared: Path, n: int) -> None:
    check(shared, n, 10_000, seed=20263)


@pytest.mark.parametrize("replicates", [300, pytest.param(5000, marks=pytest.mark.slow)])
def test_a_draw_that_is_labelled_in_part_is_covered_too(replicates: int) -> None:
    """The order of showing keeps every queue a prefix, so that whoever stops early has a random sample of every stratum."""
    found = studies(400, replicates, seed=20281, labelled=200)
    default, conservative = (
        found[f"stratified/difference + MOVER-{limits}"] for limits in ("Jeffreys (fpc)", "Clopper-Pearson (no fpc)")
    )
    assert default.undefined == 0
    assert default.coverage > 95 - noise(95, replicates, 10**9)
    assert conservative.coverage > 96.4 - noise(96.4, replicates, 10**9)
    assert abs(default.bias) < 3 * default.rmse / math.sqrt(replicates)


def until_narrow(interval: Interval, half_width: float, replicates: int, seed: int) -> list[Stop]:
    """Extending a draw by 20 until the interval is narrow enough; half-width in points."""

    def enough(estimate: Estimate) -> bool:
        return estimate.low is not None and estimate.high is not None and estimate.high - estimate.low <= half_width / 50

    found = []
    for replicate in range(replicates):
        population = frame(np.random.default_rng([seed, replicate]))
        found.append(extend_until(population, interval, enough, n_max=1500, seed=replicate))
    return found


def until_passed(interval: Interval, gate: float, replicates: int, seed: int) -> list[Stop]:
    """Extending a draw by 20, up to 800 labels, until the upper limit is below a gate that the rate is exactly at; percent."""
    found = []
    for replicate in range(replicates):
        population = exact_frame(np.random.default_rng([seed, replicate]), round(20 * gate))
        found.append(
            extend_until(
                population, interval, lambda each: each.high is not None and each.high < gate / 100, n_max=800, seed=replicate
            )
        )
    return found


@pytest.mark.parametrize("replicates", [100, pytest.param(2000, marks=pytest.mark.slow)])
def test_extending_a_draw_until_it_is_narrow_keeps_the_coverage(replicates: int) -> None:
    for method, half_width in (("peek_jeffreys", 1.5), ("anytime", 2.0)):
        study = summary((stop.truth, stop.estimate) for stop in until_narrow(INTERVALS[method], half_width, replicates, 20282))
        assert study.coverage > 95 - noise(95, replicates, 10**9), method


@pytest.mark.parametrize("replicates", [100, pytest.param(2000, marks=pytest.mark.slow)])
def test_extending_a_draw_until_a_gate_passes_is_safe_with_anytime_limits_only(replicates: int) -> None:
    false_passes = {
        method: 100 * sum(stop.stopped for stop in until_passed(INTERVALS[method], 2.0, replicates, 20283)) / replicates
        for method in ("anytime", "peek_clopper_pearson", "peek_jeffreys")
    }
    assert false_passes["anytime"] <= 2.5
    assert false_passes["peek_clopper_pearson"] <= 2.5 + noise(2.5, replicates, 10**9)
    # Looking at the usual interval after every batch is what the program warns of.
    assert false_passes["peek_jeffreys"] > 2.5
