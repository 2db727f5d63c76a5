"""Design effects by hand, and coverage against cluster_coverage.json (2 points)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.core.estimates import Estimate
from adjudicate.stats.corrected import StratumCount, stratified_rate
from adjudicate.stats.design_effect import DesignEffect, design_effect
from adjudicate.stats.intervals import wilson
from adjudicate.stats.stratum_bounds import clustered_wilson
from tests.stats import reference
from tests.stats.simulation import noise


def clustered_rate(strata: list[StratumCount], effect: DesignEffect) -> Estimate:
    return stratified_rate(strata, statistic="clustered_rate", group={}, effect=effect)


def test_identical_members_of_pairs_double_the_variance() -> None:
    # 10 pairs, 4 of them events: sum_c e_c^2 = 4 sum_pairs e^2 = 2 sum_i e_i^2; factors 10/9 and 20/19.
    found = design_effect([place // 2 for place in range(20)], [1] * 8 + [0] * 12)  # type: ignore[arg-type]
    assert found.value == pytest.approx(2 * (10 / 9) / (20 / 19))
    assert (found.clusters, found.n, found.estimated) == (10, 20, True)
    assert found.effective_n == pytest.approx(20 / found.value)


def test_the_effect_is_never_below_one() -> None:
    # Every pair holds one event: less variation than by chance.
    found = design_effect(["a", "a", "b", "b", "c", "c"], [0, 1, 1, 0, 0, 1])
    assert found.value == 1


def test_without_an_event_the_largest_effect_is_taken() -> None:
    found = design_effect(["a", "a", "a", "a", "b", "b"], [0] * 6)
    # (16 + 4) / 6
    assert (found.value, found.estimated) == (pytest.approx(20 / 6), False)


def test_one_cluster_says_nothing() -> None:
    effect = design_effect(["a", "a"], [0, 1])
    # As many as one item: both are of the same cluster.
    assert (effect.value, effect.clusters, effect.effective_n) == (2, 1, 1)
    estimate = clustered_rate([StratumCount("s", 10, 2, 1)], effect)
    assert estimate.undefined == "fewer than two clusters are labelled"
    assert estimate.details["unclustered_value"] == 0.5


def test_differences_between_strata_are_no_cluster_effect() -> None:
    clusters, events = ["a", "a", "b", "b", "c", "c", "d", "d"], [1, 0, 0, 1, 0, 0, 0, 0]
    strata = ["f", "f", "f", "f", "c", "c", "c", "c"]
    apart = design_effect(clusters, events, strata=strata)
    assert apart.value == 1


def test_many_clusters_without_effect_give_wilson() -> None:
    limits, plain = clustered_wilson(0.2, 200, clusters=10**7), wilson(40, 200)
    assert [limits.low, limits.high] == pytest.approx([plain.low, plain.high], abs=1e-6)


def test_the_effect_widens_every_stratum_but_a_finished_one() -> None:
    strata = [StratumCount("f", 50, 20, 8), StratumCount("c", 150, 60, 2)]
    effect = design_effect([place // 4 for place in range(80)], [1] * 10 + [0] * 70)  # type: ignore[arg-type]
    assert effect.value > 1
    wide = clustered_rate(strata, effect)
    assert wide.low is not None and wide.high is not None and wide.value is not None
    assert wide.details["design_effect"] == effect.value
    census = clustered_rate([StratumCount("f", 20, 20, 8), StratumCount("c", 60, 60, 2)], effect)
    assert census.low == census.value == census.high


def test_a_stratum_without_labels_stays_undefined() -> None:
    effect = design_effect(["a", "a", "b", "b"], [0, 1, 1, 1])
    estimate = clustered_rate([StratumCount("f", 5, 4, 3), StratumCount("c", 5, 0, 0)], effect)
    assert estimate.undefined == "1 of 2 strata have no settled label"


def test_impossible_input_is_refused() -> None:
    with pytest.raises(ValueError, match="one cluster"):
        design_effect(["a", "b"], [1, 0, 1])
    with pytest.raises(ValueError, match="cannot bound"):
        clustered_wilson(0.5, 10, clusters=1)


def coverage(row: dict[str, Any], replicates: int, seed: int) -> dict[str, float]:
    """Percent covered, mean width (points) and mean design effect by the names of the reference, for beta-binomial clusters."""
    rate, icc, count, size = row["rate"], row["icc"], row["clusters"], row["size"]
    covered, naive, widths, plain, effects = 0, 0, [], [], []
    names = np.repeat(np.arange(count), size)
    for replicate in range(replicates):
        rng = np.random.default_rng([seed, replicate])
        each = rng.beta(rate * (1 / icc - 1), (1 - rate) * (1 / icc - 1), count) if icc else np.full(count, rate)
        events = rng.random(count * size) < each[names]
        effect = design_effect(names, events)
        limits = clustered_wilson(float(events.mean()), effect.effective_n, clusters=count)
        covered += limits.low <= rate <= limits.high
        widths.append(limits.width)
        ignoring = wilson(int(events.sum()), events.size)
        naive += ignoring.low <= rate <= ignoring.high
        plain.append(ignoring.width)
        effects.append(effect.value)
    return {
        "effective_n_wilson_t_cover": 100 * covered / replicates, "effective_n_width_pp": 100 * float(np.mean(widths)),
        "naive_wilson_cover": 100 * naive / replicates, "naive_width_pp": 100 * float(np.mean(plain)),
        "mean_deff": float(np.mean(effects)),
    }  # fmt: skip


def percent(found: float, expected: float, replicates: int) -> bool:
    return abs(found - expected) < 2 + noise(expected, replicates, 2000)


def width(found: float, expected: float, _: int) -> bool:
    return abs(found / expected - 1) < 0.05


def effect_size(found: float, expected: float, _: int) -> bool:
    return abs(found - expected) < 0.1


COLUMNS: Mapping[str, Callable[[float, float, int], bool]] = {
    "effective_n_wilson_t_cover": percent, "naive_wilson_cover": percent, "effective_n_width_pp": width, "naive_width_pp": width,
    "mean_deff": effect_size,
}  # fmt: skip
"""What of a row of cluster_coverage.json is compared, and how; the rest is named in tests/reference_entries.py."""


def check(row: dict[str, Any], replicates: int) -> None:
    found = coverage(row, replicates, seed=20269)
    for name, holds in COLUMNS.items():
        assert holds(found[name], row[name], replicates), (name, row, found)


@pytest.mark.parametrize("place", range(5))
def test_clusters_are_covered(shared: Path, place: int) -> None:
    check(reference.read(shared, "cluster_coverage.json")[place], 400)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("place", range(5))
def test_the_cluster_study_is_reproduced(shared: Path, place: int) -> None:
    rows = reference.read(shared, "cluster_coverage.json")
    assert len(rows) == 5
    check(rows[place], 4000)


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=4, max_size=40), st.randoms())
def test_order_does_not_matter(items: list[tuple[int, bool]], shuffler: Any) -> None:
    def effect(rows: list[tuple[int, bool]]) -> float:
        return design_effect([str(cluster) for cluster, _ in rows], [event for _, event in rows]).value

    before = effect(items)
    shuffler.shuffle(items)
    assert effect(items) == pytest.approx(before)
