"""Stopping on width and on a verdict against sequential.json; small and seeded here, the full studies are slow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.core.sampling import allocate
from adjudicate.stats.anytime import anytime_rate
from adjudicate.stats.corrected import StratumCount
from tests.stats import reference
from tests.stats.simulation import Stop, corrected, exact_frame, frame, look_until, noise, summary

INTERVALS: dict[str, Callable[[Sequence[StratumCount]], Estimate]] = {
    "peek_wilson": lambda counts: corrected(counts, limits="wilson"),
    "peek_jeffreys": corrected,
    "peek_clopper_pearson": lambda counts: corrected(counts, limits="clopper_pearson"),
    "anytime": lambda counts: anytime_rate(counts, group={}),
}
WIDTHS = [(method, width) for width in (2.0, 1.5, 1.0) for method in ("peek_wilson", "peek_jeffreys", "anytime")]
GATES = [(method, gate) for method in ("peek_wilson", "peek_jeffreys", "peek_clopper_pearson", "anytime") for gate in (2.0, 3.0)]


def entry(shared: Path, section: str, **keys: Any) -> dict[str, Any]:
    rows = reference.read(shared, "sequential.json")[section]
    return next(row for row in rows if all(row[key] == value for key, value in keys.items()))


def stops_on_width(row: dict[str, Any], replicates: int, seed: int) -> list[Stop]:
    limit = 2 * row["stop_half_width_pp"] / 100

    def enough(estimate: Estimate) -> bool:
        return estimate.low is not None and estimate.high is not None and estimate.high - estimate.low <= limit

    found = []
    for replicate in range(replicates):
        rng = np.random.default_rng([seed, replicate])
        found.append(look_until(rng, frame(rng), INTERVALS[row["method"]], enough, n_max=row["n_max"]))
    return found


def stops_on_gate(row: dict[str, Any], replicates: int, seed: int) -> list[Stop]:
    gate = row["gate_pct"] / 100

    def enough(estimate: Estimate) -> bool:
        return estimate.high is not None and estimate.high < gate

    found = []
    for replicate in range(replicates):
        rng = np.random.default_rng([seed, replicate])
        population = exact_frame(rng, round(2000 * gate))
        found.append(look_until(rng, population, INTERVALS[row["method"]], enough, n_max=row["n_max"]))
    return found


def check_width(row: dict[str, Any], replicates: int) -> None:
    stops = stops_on_width(row, replicates, seed=20264)
    study = summary((stop.truth, stop.estimate) for stop in stops)
    expected, others = row["coverage_at_stop_pct"], row["replicates"]
    assert abs(study.coverage - expected) < 1.5 + noise(expected, replicates, others)
    labels = np.array([stop.n for stop in stops])
    assert abs(labels.mean() / row["mean_n"] - 1) < 0.05 + 3 * labels.std() / labels.mean() * (1 / replicates) ** 0.5
    assert abs(study.bias - row["bias_pp"]) < 0.03 + 3 * study.rmse * (1 / replicates + 1 / others) ** 0.5


def check_gate(row: dict[str, Any], replicates: int) -> None:
    stops = stops_on_gate(row, replicates, seed=20265)
    passes = 100 * sum(stop.stopped for stop in stops) / replicates
    assert abs(passes - row["false_pass_pct"]) < 1.5 + noise(row["false_pass_pct"], replicates, row["replicates"])
    if row["method"] == "anytime":
        assert passes <= 2.5
    labels = np.mean([stop.n for stop in stops])
    assert abs(labels / row["mean_n"] - 1) < 0.05


def test_every_entry_of_the_reference_is_known(shared: Path) -> None:
    data = reference.read(shared, "sequential.json")
    assert [(row["method"], row["stop_half_width_pp"]) for row in data["optional_stopping"]] == WIDTHS
    assert [(row["method"], row["gate_pct"]) for row in data["gate_stopping"]] == GATES
    # active_poisson is in test_hajek, prior_by_stratum in test_anytime.
    assert data.keys() == {"prior_by_stratum", "optional_stopping", "active_poisson", "fixed_n_anytime_width", "gate_stopping"}


@pytest.mark.parametrize(("method", "width"), WIDTHS[:3])
def test_stopping_on_width_keeps_the_coverage(shared: Path, method: str, width: float) -> None:
    check_width(entry(shared, "optional_stopping", method=method, stop_half_width_pp=width), 250)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("method", "width"), WIDTHS)
def test_stopping_on_width_reproduces_the_study(shared: Path, method: str, width: float) -> None:
    check_width(entry(shared, "optional_stopping", method=method, stop_half_width_pp=width), 2000)


@pytest.mark.parametrize(("method", "gate"), [("peek_jeffreys", 2.0), ("peek_clopper_pearson", 3.0), ("anytime", 3.0)])
def test_stopping_on_a_verdict_passes_too_often_except_anytime(shared: Path, method: str, gate: float) -> None:
    check_gate(entry(shared, "gate_stopping", method=method, gate_pct=gate), 150)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("method", "gate"), GATES)
def test_stopping_on_a_verdict_reproduces_the_study(shared: Path, method: str, gate: float) -> None:
    check_gate(entry(shared, "gate_stopping", method=method, gate_pct=gate), 2000)


@pytest.mark.parametrize("n", [100, 200, 400])
def test_the_anytime_set_is_wider_at_a_fixed_n(shared: Path, n: int) -> None:
    row, replicates = entry(shared, "fixed_n_anytime_width", n=n), 150
    widths: dict[str, list[float]] = {name: [] for name in ("anytime", "peek_wilson", "peek_jeffreys")}
    covered = 0
    for replicate in range(replicates):
        rng = np.random.default_rng([20266, n, replicate])
        population = frame(rng)
        members = {"flagged": population.verdict, "clear": ~population.verdict}
        sizes = {name: int(inside.sum()) for name, inside in members.items()}
        labels = allocate(sizes, n, "mix", {"flagged": 0.4, "clear": 0.01})
        counts = [
            StratumCount(name, sizes[name], labels[name], int(rng.permutation(population.truth[inside])[: labels[name]].sum()))
            for name, inside in members.items()
        ]
        for name, found in widths.items():
            estimate = INTERVALS[name](counts)
            assert estimate.low is not None and estimate.high is not None
            found.append(100 * (estimate.high - estimate.low))
            covered += name == "anytime" and estimate.low <= population.rate <= estimate.high
    for name, key in (("anytime", "anytime"), ("peek_wilson", "mover_wilson"), ("peek_jeffreys", "mover_jeffreys")):
        error = 3 * np.std(widths[name]) / np.mean(widths[name]) / replicates**0.5
        assert abs(np.mean(widths[name]) / row[f"{key}_width_pp"] - 1) < 0.03 + error, name
    assert covered / replicates > row["anytime_coverage_pct"] / 100 - 0.02
