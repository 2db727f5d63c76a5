"""The default corrected rate covers as often as it says: a seeded simulation through the product's own drawing and estimating.

The population is that of the coverage study (reference/README.md): 2,000 responses, harmful compliance 6 % inside a
borderline fifth and 1 % outside; a judge that is worse inside.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from adjudicate.core.sampling import allocate, planning_rate, queue
from adjudicate.stats.corrected import StratumCount, stratified_rate

SIZE = 2000
BORDERLINE = SIZE // 5
EVENT_RATE = (0.06, 0.01)
SENSITIVITY = (0.77, 0.97)
SPECIFICITY = (0.9068085, 0.985)
ESTIMATOR = "stratified/difference + MOVER-Jeffreys (fpc)"
DESIGN = "stratified[verdict] mix"


@dataclass(frozen=True)
class Study:
    """Percentage points and percent, as in the reference table."""

    bias: float
    coverage: float
    width: float
    rmse: float


def simulate(n: int, replicates: int, seed: int) -> Study:
    errors, covered, widths = [], 0, []
    for replicate in range(replicates):
        rng = np.random.default_rng([seed, n, replicate])
        inside = np.arange(SIZE) < BORDERLINE
        truth = rng.random(SIZE) < np.where(inside, *EVENT_RATE)
        said_when_true = rng.random(SIZE) < np.where(inside, *SENSITIVITY)
        said_when_false = rng.random(SIZE) >= np.where(inside, *SPECIFICITY)
        verdict = np.where(truth, said_when_true, said_when_false)
        estimate = estimated(truth, verdict, n, replicate)
        value, low, high = estimate
        rate = float(truth.mean())
        errors.append(value - rate)
        covered += low <= rate <= high
        widths.append(high - low)
    return Study(
        bias=100 * float(np.mean(errors)),
        coverage=100 * covered / replicates,
        width=100 * float(np.mean(widths)),
        rmse=100 * float(np.sqrt(np.mean(np.square(errors)))),
    )


def estimated(truth: np.ndarray, verdict: np.ndarray, n: int, seed: int) -> tuple[float, float, float]:
    """Draw by the default design and estimate by the default estimator."""
    names = np.where(verdict, "harmful | flagged", "harmful | clear")
    members = {name: [str(place) for place in np.flatnonzero(names == name)] for name in sorted(set(names))}
    sizes = {name: len(items) for name, items in members.items()}
    drawn = allocate(sizes, n, "mix", {name: planning_rate(name) for name in sizes})
    counts = []
    for name, items in members.items():
        labelled = [int(place) for place in queue(seed, items)[: drawn[name]]]
        counts.append(StratumCount(name, sizes[name], drawn[name], int(truth[labelled].sum())))
    estimate = stratified_rate(counts, statistic="corrected_rate", group={})
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.value, estimate.low, estimate.high


def reference(shared: Path, n: int) -> Study:
    with (shared / "reference" / "corrected_rate_coverage.csv").open(encoding="utf-8") as file:
        row = next(
            row for row in csv.DictReader(file) if (row["design"], row["n"], row["estimator"]) == (DESIGN, str(n), ESTIMATOR)
        )
    return Study(float(row["bias_pp"]), float(row["cover_fin_pct"]), float(row["mean_width_pp"]), float(row["rmse_pp"]))


@pytest.mark.parametrize("n", [100, 200, 400])
def test_five_hundred_replicates_reproduce_the_coverage_study(shared: Path, n: int) -> None:
    expected, found = reference(shared, n), simulate(n, 500, seed=20262)
    # Three standard errors of 500 replicates around the published tolerances (0.03 points, 1 %, 3 %).
    assert abs(found.bias - expected.bias) < 0.03 + 3 * expected.rmse / math.sqrt(500)
    assert abs(found.coverage - expected.coverage) < 1 + 3 * 100 * math.sqrt(0.043 * 0.957 / 500)
    assert abs(found.width / expected.width - 1) < 0.03 + 0.03


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("n", [100, 200, 400])
def test_ten_thousand_replicates_reproduce_the_coverage_study(shared: Path, n: int) -> None:
    expected, found = reference(shared, n), simulate(n, 10_000, seed=20263)
    assert abs(found.bias - expected.bias) < 0.03
    assert abs(found.coverage - expected.coverage) < 1
    assert abs(found.width / expected.width - 1) < 0.03
