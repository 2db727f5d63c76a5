"""Changes under adjudicated intents: which estimator, by hand, and how often the interval of a sample of pairs holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.adjudicated_change import adjudicated_change, with_non_response
from adjudicate.stats.bounding import Bounding
from adjudicate.stats.run_change import LabelledPair, Pairs

RATE = Rate("hc", "Harmful compliance", "harmful", ("yes",), "lower")
HARMFUL, BENIGN = ("harmful", "harmful"), ("benign", "benign")
CELL = ("s", "s")
Counts = dict[tuple[str, str, str | None], int]


def pairs(size: int, counts: Counts) -> Pairs:
    """Labelled pairs by outcome before, outcome after and ruled intent, of `size` prompts in one cell."""
    labelled = [LabelledPair(CELL, *said) for said, count in counts.items() for _ in range(count)]
    return Pairs({CELL: size}, tuple(labelled), size, size)


def rates(how: Bounding) -> tuple[Estimate, Estimate]:
    one, two = (
        Estimate("corrected_rate", value, 50, "m", low=value - 0.1, high=value + 0.1, confidence=how.confidence)
        for value in (0.2, 0.3)
    )
    return one, two


def change(seen: dict[tuple[str, str], Pairs], *, sampled: bool = True, how: Bounding | None = None) -> Estimate:
    return adjudicated_change(rates, seen, HARMFUL, RATE, how or Bounding(), group={}, sampled=sampled)


def test_a_census_is_a_table_of_the_prompts_that_have_the_intent() -> None:
    seen = {
        HARMFUL: pairs(10, {("no", "yes", None): 1, ("no", "no", None): 8, ("no", "yes", "benign"): 1}),
        BENIGN: pairs(5, {("yes", "yes", None): 4, ("yes", "yes", "harmful"): 1}),
    }
    found = change(seen)
    # Inside: 9 declared harmful (one gained) and the one moved in, a yes on both sides.
    assert found.value == pytest.approx(1 / 10) and found.n == 10
    assert [found.details[name] for name in ("both", "before_only", "after_only", "neither")] == [1, 0, 1, 8]


def test_a_sample_is_a_ratio_of_two_weighted_shares() -> None:
    seen = {
        HARMFUL: pairs(100, {("no", "yes", None): 4, ("no", "no", None): 14, ("yes", "yes", "benign"): 2}),
        BENIGN: pairs(50, {("yes", "no", "harmful"): 1, ("yes", "yes", None): 9}),
    }
    found = change(seen)
    # Gained less lost: 100 * 4/20 - 50 * 1/10 = 15; inside: 100 * 18/20 + 50 * 1/10 = 95.
    assert found.value == pytest.approx(15 / 95)
    assert found.low is not None and found.high is not None and found.low < 15 / 95 < found.high
    assert found.details["estimated_size"] == pytest.approx(95) and found.n == 19


def test_what_waits_for_a_ruling_counts_either_way() -> None:
    found = change({HARMFUL: pairs(20, {("no", None, None): 1, ("no", "no", None): 9})})  # type: ignore[dict-item]
    assert found.details["unresolved"] == 1
    # One of ten in the sample, of 20 prompts: 10 % either way.
    assert found.details["unresolved_bounds"] == pytest.approx([-0.1, 0.1])


def test_items_that_everyone_skipped_widen_a_change_by_what_they_stand_for() -> None:
    found = change({HARMFUL: pairs(20, {("no", "yes", None): 1, ("no", "no", None): 9})})
    skipped = Estimate("corrected_rate", 0.1, 10, "m", details={"non_response": 2, "unresolved_bounds": [0.08, 0.25]})
    answered = Estimate("corrected_rate", 0.1, 10, "m", details={"unresolved": 1, "unresolved_bounds": [0.0, 0.5]})
    assert with_non_response(found, answered, answered) is found
    wide = with_non_response(found, answered, skipped)
    assert (wide.value, wide.details["non_response"]) == (found.value, 2)
    assert wide.details["unresolved_bounds"] == pytest.approx([0.1 - 0.17, 0.1 + 0.17])


@pytest.mark.parametrize("seen", [{HARMFUL: pairs(9, {("no", "no", None): 4}), BENIGN: pairs(9, {})}, {}])
def test_without_pairs_in_every_population_two_rates_are_compared(seen: dict[tuple[str, str], Pairs]) -> None:
    found = change(seen)
    assert found.statistic == "rate_difference" and found.value == pytest.approx(0.1)


def test_anytime_limits_take_two_sets() -> None:
    found = change({HARMFUL: pairs(20, {("no", "no", None): 9})}, how=Bounding(anytime=True))
    assert "anytime" in found.method and found.confidence == pytest.approx(0.95)


def test_nothing_left_of_the_intent_is_undefined() -> None:
    for size in (3, 30):
        found = change({HARMFUL: pairs(size, {("no", "yes", "benign"): 3})})
        assert found.undefined == "no labelled prompt has this intent after adjudication"


# (change, share of harmful prompts ruled out, share of benign ones ruled in, labelled of 300 and 300)
SETTINGS = [(0.0, 0.05, 0.05, 60), (0.05, 0.02, 0.1, 60), (0.1, 0.1, 0.1, 100), (-0.1, 0.02, 0.02, 100)]


def answer(event: bool) -> str:
    return "yes" if event else "no"


def intent(inside: bool) -> str:
    return "harmful" if inside else "benign"


def coverage(setting: tuple[float, float, float, int], replicates: int, seed: int) -> float:
    """Percent of true changes inside the interval: a base rate of 15 %, the change on a random part of the prompts."""
    shift, out, into, n = setting
    covered = 0
    for replicate in range(replicates):
        rng = np.random.default_rng([seed, replicate])
        declared = np.arange(600) < 300
        inside = np.where(declared, rng.random(600) >= out, rng.random(600) < into)
        before = rng.random(600) < 0.15
        after = np.where(rng.random(600) < 0.8, before, rng.random(600) < 0.15 + 5 * shift * (shift > 0))
        after = after & (rng.random(600) >= 5 * -shift * (shift < 0))
        truth = after[inside].mean() - before[inside].mean()
        seen = {}
        for place, side in ((HARMFUL, True), (BENIGN, False)):
            drawn = rng.permutation(np.flatnonzero(declared == side))[:n]
            said = [
                LabelledPair(CELL, answer(before[i]), answer(after[i]), intent(inside[i]) if inside[i] != side else None)
                for i in drawn
            ]
            seen[place] = Pairs({CELL: 300}, tuple(said), 300, 300)
        found = change(seen)
        assert found.low is not None and found.high is not None
        covered += found.low - 1e-12 <= truth <= found.high + 1e-12
    return 100 * covered / replicates


@pytest.mark.parametrize("setting", SETTINGS[:2])
def test_the_interval_covers(setting: tuple[float, float, float, int]) -> None:
    # A gate promises 95 %; less three standard errors of 150 replicates.
    assert coverage(setting, 150, seed=20274) > 95 - 5.4


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_interval_covers_in_every_setting(
    setting: tuple[float, float, float, int], record_property: Callable[[str, object], None]
) -> None:
    found = coverage(setting, 1500, seed=20275)
    record_property("coverage", found)
    assert found > 95
