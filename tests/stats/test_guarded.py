"""The guard at high sampling fractions: where it acts, and what it does to the coverage."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from adjudicate.stats import intervals
from adjudicate.stats.corrected import StratumCount, stratified_rate
from adjudicate.stats.guarded import GUARDED, guarded_limits
from adjudicate.stats.intervals import clopper_pearson, finite_jeffreys
from tests.stats.simulation import Study, cells, drawn, frame, labels_by, summary


@pytest.fixture(autouse=True)
def _offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(intervals.LIMITS, "guarded", GUARDED)  # type: ignore[arg-type]


def test_it_acts_on_few_events_in_a_nearly_complete_stratum_only() -> None:
    assert guarded_limits(2, 80, 100) == clopper_pearson(2, 80)
    for y, n, size in ((3, 80, 100), (2, 70, 100), (2, 80, None), (0, 10, 100)):
        assert guarded_limits(y, n, size) == finite_jeffreys(y, n, size)


def test_a_complete_stratum_keeps_zero_width() -> None:
    assert guarded_limits(1, 50, 50).width == 0


def test_it_fits_the_table_of_limits() -> None:
    estimate = stratified_rate([StratumCount("s", 100, 90, 1)], statistic="r", group={}, limits="guarded")
    assert "Clopper-Pearson in nearly complete strata" in estimate.method
    assert estimate.low is not None and estimate.low < 1 / 90


# Size of a single stratum, rate, labels: 71 % and more are labelled and one or two events are what to expect.
SETTINGS = [
    (size, events, n)
    for size in (60, 100, 250)
    for events in (1, 2, 3, 4)
    for n in (round(0.72 * size), round(0.8 * size), round(0.9 * size))
]


def coverage(size: int, events: int, n: int, limits: str) -> float:
    """Exact percent of samples whose interval holds the rate of the stratum, by enumeration."""
    from scipy.stats import hypergeom

    covered = 0.0
    for seen in range(max(0, n - (size - events)), min(n, events) + 1):
        estimate = stratified_rate([StratumCount("s", size, n, seen)], statistic="r", group={}, limits=limits)
        assert estimate.low is not None and estimate.high is not None
        inside = estimate.low - 1e-12 <= events / size <= estimate.high + 1e-12
        covered += float(hypergeom.pmf(seen, size, events, n)) * inside
    return 100 * covered


def test_one_nearly_complete_stratum_never_falls_below_nominal() -> None:
    # Jeffreys limits alone: 72 % at worst, 90 % on average.
    assert min(coverage(*setting, "jeffreys") for setting in SETTINGS) < 75
    assert min(coverage(*setting, "guarded") for setting in SETTINGS) > 95


def study(rate: float, n: int, limits: str, replicates: int) -> Study:
    """250 responses judged and drawn by verdict with the default design: the clear stratum is three quarters labelled."""
    found = []
    for replicate in range(replicates):
        rng = np.random.default_rng([20281, n, replicate])
        population = frame(rng, size=250, rates=(rate, rate), sensitivity=(0.85, 0.85), specificity=(0.97, 0.97))
        strata = cells(population, "verdict")
        labels = labels_by("mix", {name: size for name, (size, _) in strata.items()}, n)
        found.append((population.rate, stratified_rate(drawn(rng, strata, labels), statistic="r", group={}, limits=limits)))
    return summary(found)


STUDIES = [(rate, n) for rate in (0.005, 0.01, 0.02, 0.05, 0.1) for n in (190, 210, 230)]


def check(rate: float, n: int, replicates: int) -> dict[str, float]:
    plain, guarded = (study(rate, n, limits, replicates) for limits in ("jeffreys", "guarded"))
    assert guarded.coverage >= plain.coverage
    assert guarded.coverage > 95 - 3 * 100 * (0.05 * 0.95 / replicates) ** 0.5
    return {"plain": plain.coverage, "guarded": guarded.coverage, "plain width": plain.width, "guarded width": guarded.width}


def test_the_default_design_on_a_small_population_is_covered() -> None:
    check(0.02, 210, 400)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("rate", "n"), STUDIES)
def test_the_default_design_is_covered_at_every_setting(
    rate: float, n: int, record_property: Callable[[str, object], None]
) -> None:
    record_property(f"rate {rate}, n {n}", check(rate, n, 4000))
