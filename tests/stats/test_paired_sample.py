"""The paired difference from a labelled sample: its formula, its traps, and the coverage that its docstring claims.

The design is that of ``draw --pair``: two runs of the same prompts, each judged, strata from both verdicts, both sides of a
sampled prompt labelled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudicate.stats import contrast
from adjudicate.stats.paired import PairedTable, tango
from adjudicate.stats.paired_sample import PairedStratum, paired_difference
from adjudicate.stats.stratum_bounds import Target
from tests.stats.product_draw import labels_of


@dataclass(frozen=True)
class Change:
    """Two runs: joint rates of the truth, and the judge."""

    both: float
    lost: float
    gained: float
    sensitivity: float
    specificity: float
    repeated: float
    """Share of unchanged prompts on which the judge errs both times alike."""


CHANGES = {
    "HC 2 to 3 %": Change(0.015, 0.005, 0.015, 0.85, 0.97, 0.7),
    "HC 2 % unchanged": Change(0.015, 0.005, 0.005, 0.85, 0.97, 0.7),
    "HC 2 % nearly identical": Change(0.02, 0.0005, 0.0005, 0.85, 0.97, 0.9),
    "BR 20 to 15 %": Change(0.10, 0.10, 0.05, 0.9, 0.92, 0.7),
    "BR 73 to 50 %": Change(0.45, 0.28, 0.05, 0.9, 0.9, 0.7),
    "poor judge, 16 % unchanged": Change(0.10, 0.06, 0.06, 0.6, 0.9, 0.5),
    "2 to 8 %, one way": Change(0.02, 0.0, 0.06, 0.9, 0.95, 0.7),
}
SIZES = [(300, 60), (300, 100), (300, 200), (2000, 60), (2000, 100), (2000, 200), (2000, 400)]
SETTINGS = [(name, size, n, by) for name, (size, n), by in product(CHANGES, SIZES, (True, False))]


def pairs(rng: np.random.Generator, change: Change, size: int) -> tuple[npt.NDArray[np.str_], npt.NDArray[np.int64]]:
    """Verdict cell, named as ``draw --pair`` names it, and d = after - before of every prompt."""
    place = rng.random(size)
    before = place < change.both + change.lost
    after = (place < change.both) | (~before & (place < change.both + change.lost + change.gained))
    first, second = rng.random(size), rng.random(size)
    second = np.where((rng.random(size) < change.repeated) & (before == after), first, second)

    def judged(truth: npt.NDArray[np.bool_], chance: npt.NDArray[np.float64]) -> npt.NDArray[np.str_]:
        flagged = np.where(truth, chance < change.sensitivity, chance >= change.specificity)
        return np.where(flagged, "flagged", "clear")

    one, two = judged(before, first), judged(after, second)
    names = np.where(one == two, one, np.char.add(np.char.add(one, " > "), two))
    return np.char.add("p | ", names), after.astype(int) - before.astype(int)


def coverage(
    setting: tuple[str, int, int, bool], replicates: int, limits: tuple[str, ...], seed: int, target: Target = "finite"
) -> dict[str, float]:
    """Percent of differences inside the interval, by limits: of these prompts, or of the process that made them."""
    name, size, n, by_verdicts = setting
    expected = CHANGES[name].gained - CHANGES[name].lost
    covered, used = dict.fromkeys(limits, 0), 0
    for replicate in range(replicates):
        rng = np.random.default_rng([seed, replicate])
        cells, change = pairs(rng, CHANGES[name], size)
        if not by_verdicts:
            cells = np.full(size, "p")
        members = {cell: change[cells == cell] for cell in sorted(set(cells.tolist()))}
        labels = labels_of({cell: d.size for cell, d in members.items()}, n)
        strata = []
        for cell, d in members.items():
            # Any random order does as well as that of the queue, which takes longer.
            seen = rng.permutation(d)[: labels[cell]]
            strata.append(PairedStratum(cell, d.size, labels[cell], int((seen == 1).sum()), int((seen == -1).sum())))
        used += 1
        truth = float(change.mean()) if target == "finite" else expected
        for each in limits:
            estimate = paired_difference(strata, group={}, limits=each, target=target)
            assert estimate.low is not None and estimate.high is not None
            covered[each] += estimate.low - 1e-12 <= truth <= estimate.high + 1e-12
    return {each: 100 * count / used for each, count in covered.items()}


@pytest.mark.parametrize("setting", [
    ("HC 2 to 3 %", 2000, 200, True), ("BR 20 to 15 %", 2000, 200, True), ("BR 73 to 50 %", 300, 200, True),
    ("poor judge, 16 % unchanged", 300, 200, True), ("BR 20 to 15 %", 2000, 100, False),
])  # fmt: skip
def test_a_few_settings_hold_their_coverage(setting: tuple[str, int, int, bool]) -> None:
    found = coverage(setting, 400, ("wilson", "clopper_pearson"), seed=20267)
    # Three standard errors of 400 replicates below 94.5 and 96.8 %.
    assert found["wilson"] > 94.5 - 3.4
    assert found["clopper_pearson"] > 96.8 - 2.6


@pytest.mark.parametrize("setting", [
    ("HC 2 to 3 %", 300, 200, True), ("BR 20 to 15 %", 300, 200, True), ("poor judge, 16 % unchanged", 2000, 400, True),
])  # fmt: skip
def test_prompts_like_these_are_covered_too(setting: tuple[str, int, int, bool]) -> None:
    found = coverage(setting, 400, ("wilson", "clopper_pearson"), seed=20284, target="process")
    # Three standard errors of 400 replicates below 94.5 and 96 %.
    assert found["wilson"] > 94.5 - 3.4
    assert found["clopper_pearson"] > 96 - 2.9


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_prompts_like_these_are_covered_in_all_settings(record_property: Callable[[str, object], None]) -> None:
    lowest = {"wilson": 100.0, "clopper_pearson": 100.0}
    for setting in SETTINGS:
        found = coverage(setting, 2000, tuple(lowest), seed=20285, target="process")
        record_property(str(setting), found)
        lowest = {each: min(lowest[each], found[each]) for each in lowest}
    record_property("lowest", lowest)
    assert lowest["wilson"] > 94
    assert lowest["clopper_pearson"] > 95.5


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_all_settings_hold_the_coverage_that_is_claimed(record_property: Callable[[str, object], None]) -> None:
    lowest = {"wilson": 100.0, "clopper_pearson": 100.0, "jeffreys": 100.0}
    for setting in SETTINGS:
        found = coverage(setting, 2000, tuple(lowest), seed=20268)
        record_property(str(setting), found)
        lowest = {each: min(lowest[each], found[each]) for each in lowest}
    record_property("lowest", lowest)
    assert lowest["wilson"] > 94
    assert lowest["clopper_pearson"] > 96
    assert lowest["jeffreys"] < 93.5


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_without_the_covariance_the_coverage_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contrast, "_correlation", lambda _: 0.0)
    found = [coverage(setting, 2000, ("jeffreys", "wilson"), seed=20268) for setting in SETTINGS if "poor" in setting[0]]
    assert min(each["jeffreys"] for each in found) < 93
    assert min(each["wilson"] for each in found) < 94.5


def test_the_estimate_weights_the_strata_by_their_size() -> None:
    strata = [PairedStratum("same", 90, 30, 1, 0), PairedStratum("changed", 10, 5, 2, 1)]
    estimate = paired_difference(strata, group={})
    # 0.9 * 1/30 + 0.1 * (2 - 1)/5
    assert estimate.value == pytest.approx(0.05)
    assert (estimate.n, estimate.details["N"], estimate.details["gained"], estimate.details["lost"]) == (35, 100, 3, 1)


def test_one_large_stratum_is_close_to_tango() -> None:
    estimate = paired_difference([PairedStratum("all", 10**7, 250, 6, 14)], group={}, limits="wilson")
    limits = tango(PairedTable(40, 14, 6, 190))
    assert [estimate.low, estimate.high] == pytest.approx([limits.low, limits.high], abs=0.005)


def test_no_changed_prompt_leaves_a_width_unless_all_are_labelled() -> None:
    some = paired_difference([PairedStratum("all", 50, 49, 0, 0)], group={})
    every = paired_difference([PairedStratum("all", 50, 50, 0, 0)], group={})
    assert some.low is not None and some.high is not None and some.low < 0 < some.high
    assert (every.low, every.high) == (0, 0)


def test_prompts_like_these_are_less_certain_than_these_prompts() -> None:
    strata = [PairedStratum("same", 90, 60, 1, 0), PairedStratum("changed", 10, 10, 6, 1)]
    finite, process = paired_difference(strata, group={}), paired_difference(strata, group={}, target="process")
    assert process.low is not None and finite.low is not None and process.low < finite.low


def test_undefined_states_have_reasons_and_bounds() -> None:
    assert paired_difference([], group={}).undefined == "no prompts"
    strata = [PairedStratum("same", 90, 30, 0, 0), PairedStratum("changed", 10, 0, 0, 0)]
    estimate = paired_difference(strata, group={})
    assert estimate.undefined == "1 of 2 strata have no settled pair"
    assert estimate.details["bounds"] == pytest.approx([-0.1, 0.1])


def test_unresolved_prompts_bound_the_difference_from_both_sides() -> None:
    estimate = paired_difference([PairedStratum("all", 20, 8, 2, 1, unresolved=2)], group={})
    assert estimate.value == pytest.approx(1 / 8)
    assert estimate.details["unresolved_bounds"] == pytest.approx([(2 - 1 - 2) / 10, (2 - 1 + 2) / 10])


def test_impossible_input_is_refused() -> None:
    with pytest.raises(ValueError, match="impossible"):
        PairedStratum("all", 10, 5, 4, 2)
    with pytest.raises(ValueError, match="wald"):
        paired_difference([PairedStratum("all", 10, 5, 1, 2)], group={}, limits="wald")


@st.composite
def lists_of_strata(draw: st.DrawFn) -> list[PairedStratum]:
    strata = []
    for number in range(draw(st.integers(1, 4))):
        size = draw(st.integers(1, 60))
        labelled = draw(st.integers(1, size))
        gained = draw(st.integers(0, labelled))
        strata.append(PairedStratum(f"s{number}", size, labelled, gained, draw(st.integers(0, labelled - gained))))
    return strata


@given(lists_of_strata(), st.sampled_from(["wilson", "jeffreys", "clopper_pearson"]))
@settings(max_examples=200, deadline=None)
def test_the_interval_contains_the_estimate_and_turns_with_the_sides(strata: list[PairedStratum], limits: str) -> None:
    estimate = paired_difference(strata, group={}, limits=limits)
    assert estimate.value is not None and estimate.low is not None and estimate.high is not None
    assert -1 <= estimate.low <= estimate.value <= estimate.high <= 1
    turned = paired_difference(
        [PairedStratum(s.stratum, s.size, s.labelled, s.lost, s.gained) for s in strata[::-1]], group={}, limits=limits
    )
    assert turned.low is not None and turned.high is not None
    assert [-turned.high, -turned.low] == pytest.approx([estimate.low, estimate.high], abs=1e-9)
