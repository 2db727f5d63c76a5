"""Stopping on width and on a verdict against sequential.json; small and seeded here, the full studies are slow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.core.sampling import allocate
from adjudicate.stats.anytime import anytime_rate
from adjudicate.stats.corrected import StratumCount
from tests.stats import reference
from tests.stats.simulation import Stop, Study, corrected, exact_frame, frame, look_until, noise, summary

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


@dataclass(frozen=True)
class Stopped:
    """What many runs of labelling did until they stopped."""

    study: Study
    labels: npt.NDArray[np.int64]
    stopped: float
    """Percent that stopped before the labels were used up."""
    replicates: int


def stopped(stops: Sequence[Stop]) -> Stopped:
    return Stopped(
        summary((stop.truth, stop.estimate) for stop in stops), np.array([stop.n for stop in stops]),
        100 * sum(stop.stopped for stop in stops) / len(stops), len(stops),
    )  # fmt: skip


Check = Callable[[Stopped, Mapping[str, Any]], bool]


def coverage(found: Stopped, row: Mapping[str, Any]) -> bool:
    expected = row["coverage_at_stop_pct"]
    return abs(found.study.coverage - expected) < 1.5 + noise(expected, found.replicates, row["replicates"])


def mean_labels(found: Stopped, row: Mapping[str, Any]) -> bool:
    mean, spread = float(found.labels.mean()), float(found.labels.std())
    return abs(mean / row["mean_n"] - 1) < 0.05 + 3 * spread / mean / found.replicates**0.5


def median_labels(found: Stopped, row: Mapping[str, Any]) -> bool:
    # Labels come in batches of 20: one batch to either side, as far as the median is known.
    error = 1.5 / found.replicates**0.5
    low, high = np.quantile(found.labels, [0.5 - error, 0.5 + error])
    return bool(low - row["batch"] <= row["median_n"] <= high + row["batch"])


def stopped_at_cap(found: Stopped, row: Mapping[str, Any]) -> bool:
    expected = row["stopped_at_cap_pct"]
    return abs(100 - found.stopped - expected) < 1.5 + noise(expected, found.replicates, row["replicates"])


def bias(found: Stopped, row: Mapping[str, Any]) -> bool:
    error = 3 * found.study.rmse * (1 / found.replicates + 1 / row["replicates"]) ** 0.5
    return abs(found.study.bias - row["bias_pp"]) < 0.03 + error


def width_at_stop(found: Stopped, row: Mapping[str, Any]) -> bool:
    return abs(found.study.width / row["mean_width_pp"] - 1) < 0.03 + 0.5 / found.replicates**0.5


def false_passes(found: Stopped, row: Mapping[str, Any]) -> bool:
    expected = row["false_pass_pct"]
    held = row["method"] != "anytime" or found.stopped <= 2.5
    return held and abs(found.stopped - expected) < 1.5 + noise(expected, found.replicates, row["replicates"])


WIDTH_COLUMNS: Mapping[str, Check] = {
    "coverage_at_stop_pct": coverage, "mean_n": mean_labels, "median_n": median_labels, "stopped_at_cap_pct": stopped_at_cap,
    "bias_pp": bias, "mean_width_pp": width_at_stop,
}  # fmt: skip
GATE_COLUMNS: Mapping[str, Check] = {"false_pass_pct": false_passes, "mean_n": mean_labels}
FIXED_N_COLUMNS = ("anytime_width_pp", "mover_wilson_width_pp", "mover_jeffreys_width_pp", "anytime_coverage_pct")
"""What of a row of each section is compared, and how; the rest is named in tests/reference_entries.py."""


def check_width(row: dict[str, Any], replicates: int) -> None:
    check(row, stopped(stops_on_width(row, replicates, seed=20264)), WIDTH_COLUMNS)


def check_gate(row: dict[str, Any], replicates: int) -> None:
    check(row, stopped(stops_on_gate(row, replicates, seed=20265)), GATE_COLUMNS)


def check(row: dict[str, Any], found: Stopped, columns: Mapping[str, Check]) -> None:
    wrong = [column for column, holds in columns.items() if not holds(found, row)]
    assert not wrong, (wrong, row, replace(found.study, widths=()), found.labels.mean(), np.median(found.labels), found.stopped)


def test_the_rows_of_the_reference_are_the_ones_simulated(shared: Path) -> None:
    data = reference.read(shared, "sequential.json")
    assert [(row["method"], row["stop_half_width_pp"]) for row in data["optional_stopping"]] == WIDTHS
    assert [(row["method"], row["gate_pct"]) for row in data["gate_stopping"]] == GATES


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
        for name, seen in widths.items():
            estimate = INTERVALS[name](counts)
            assert estimate.low is not None and estimate.high is not None
            seen.append(100 * (estimate.high - estimate.low))
            covered += name == "anytime" and estimate.low <= population.rate <= estimate.high
    found = {"anytime_coverage_pct": 100 * covered / replicates}
    for name, key in (("anytime", "anytime"), ("peek_wilson", "mover_wilson"), ("peek_jeffreys", "mover_jeffreys")):
        found[f"{key}_width_pp"] = float(np.mean(widths[name]))
        error = 3 * np.std(widths[name]) / np.mean(widths[name]) / replicates**0.5
        assert abs(found[f"{key}_width_pp"] / row[f"{key}_width_pp"] - 1) < 0.03 + error, name
    assert found["anytime_coverage_pct"] > row["anytime_coverage_pct"] - 2
    assert found.keys() == set(FIXED_N_COLUMNS)
