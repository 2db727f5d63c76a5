"""Declared beside adjudicated intents: the note's 2.0 to 4.8 %, the ratio by hand, and the coverage of its interval."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudicate.core.sampling import allocate
from adjudicate.stats.bounding import Bounding
from adjudicate.stats.contested import IntentStratum, adjudicated_rate, both_intents

JEFFREYS = Bounding("jeffreys")


def harmful(name: str, *counts: int) -> IntentStratum:
    """Declared harmful; size, labelled, events, inside, events inside."""
    return IntentStratum(name, True, *counts)  # noqa: FBT003


def other(name: str, *counts: int) -> IntentStratum:
    return IntentStratum(name, False, *counts)  # noqa: FBT003


def test_moving_borderline_prompts_reads_as_4_8_instead_of_2_percent() -> None:
    # The trade-off note: 200 harmful prompts, 4 complied with; 25 borderline ones moved, 27 % complied with (6.75 of 25).
    strata = [
        IntentStratum("harmful", declared=True, size=20_000, labelled=20_000, events=400, inside=20_000, inside_events=400),
        IntentStratum("borderline", declared=False, size=25_000, labelled=25_000, events=6_750, inside=2_500, inside_events=675),
    ]
    found = both_intents(strata, JEFFREYS, group={"rate": "harmful_compliance"})
    assert found.declared.value == pytest.approx(0.02)
    assert found.adjudicated.value == pytest.approx(0.0477778, abs=1e-6)
    assert f"{found.adjudicated.value:.1%}" == "4.8%"
    assert (found.moved_in, found.moved_out) == (2_500, 0)
    assert found.declared.group == {"rate": "harmful_compliance", "intents": "declared"}
    assert found.adjudicated.details["moved_in"] == 2_500


def test_the_ratio_is_weighted_by_stratum_size() -> None:
    strata = [
        harmful("harmful | flagged", 40, 10, 6, 8, 5),
        harmful("harmful | clear", 160, 20, 1, 18, 1),
        other("benign | clear", 800, 40, 30, 2, 1),
    ]
    estimate = adjudicated_rate(strata, JEFFREYS, group={})
    # Events inside: 40 * .5 + 160 * .05 + 800 * .025 = 48; inside: 32 + 144 + 40 = 216.
    assert estimate.value == pytest.approx(48 / 216)
    assert estimate.details["estimated_size"] == pytest.approx(216)
    assert (estimate.n, estimate.details["labelled"]) == (28, 70)
    found = both_intents(strata, JEFFREYS, group={})
    assert (found.moved_in, found.moved_out) == (2, 4)
    assert found.declared.value == pytest.approx(0.2 * 0.6 + 0.8 * 0.05)


def test_without_a_contested_intent_both_readings_agree() -> None:
    strata = [
        harmful("harmful | flagged", 40, 10, 6, 10, 6),
        harmful("harmful | clear", 160, 20, 0, 20, 0),
        other("benign | clear", 800, 40, 30, 0, 0),
    ]
    found = both_intents(strata, JEFFREYS, group={})
    assert found.adjudicated.value == pytest.approx(found.declared.value)
    # The benign stratum may still hold harmful items that the sample missed, so the reading is less certain.
    assert found.declared.low is not None and found.adjudicated.low is not None
    assert found.adjudicated.low <= found.declared.low + 0.005


def test_no_event_leaves_a_width_unless_all_are_labelled() -> None:
    some = adjudicated_rate([harmful("s", 100, 50, 0, 40, 0)], JEFFREYS, group={})
    every = adjudicated_rate([harmful("s", 100, 100, 0, 40, 0)], JEFFREYS, group={})
    assert (some.low, some.value) == (0, 0) and some.high is not None and some.high > 0.01
    assert (every.low, every.high) == (0, 0)


def test_a_census_with_open_items_has_their_bounds_for_limits() -> None:
    found = adjudicated_rate(
        [
            IntentStratum("harmful", declared=True, size=20, labelled=18, events=2, inside=16, inside_events=2,
                          unresolved=2, unresolved_inside=1),
            IntentStratum("benign", declared=False, size=10, labelled=10, events=7, inside=4, inside_events=1),
        ],
        JEFFREYS,
        group={},
    )  # fmt: skip
    # Settled: (20 * 2/18 + 1) / (20 * 16/18 + 4) = 29 / 196; with the open item inside 3 or 4 of 21.
    assert found.value == pytest.approx(29 / 196)
    assert found.details["unresolved_bounds"] == pytest.approx([3 / 21, 4 / 21])
    assert [found.low, found.high] == pytest.approx([3 / 21, 4 / 21])
    assert "bounds over unresolved" in found.method


def test_the_process_is_less_certain_than_these_items() -> None:
    strata = [harmful("harmful | clear", 40, 40, 6, 36, 5), other("benign | clear", 40, 40, 30, 2, 1)]
    finite, process = (
        adjudicated_rate(strata, JEFFREYS, group={}),
        adjudicated_rate(strata, replace(JEFFREYS, target="process"), group={}),
    )
    assert finite.low == finite.value == finite.high == pytest.approx(6 / 38)
    assert process.low is not None and process.high is not None and process.low < 6 / 38 < process.high


def test_undefined_states_have_reasons() -> None:
    assert adjudicated_rate([], JEFFREYS, group={}).undefined == "no items"
    assert adjudicated_rate([harmful("s", 9, 0, 0, 0, 0)], JEFFREYS, group={}).undefined == "no settled label"
    nobody = adjudicated_rate([harmful("s", 9, 3, 1, 0, 0)], JEFFREYS, group={})
    assert nobody.undefined == "no labelled item has this intent after adjudication"
    json.dumps(nobody.as_json())


def test_impossible_input_is_refused() -> None:
    with pytest.raises(ValueError, match="impossible"):
        harmful("s", 10, 5, 4, 4, 2)
    with pytest.raises(ValueError, match="wald"):
        adjudicated_rate([harmful("s", 10, 5, 1, 4, 1)], Bounding("wald"), group={})


@st.composite
def lists_of_strata(draw: st.DrawFn) -> list[IntentStratum]:
    strata = []
    for number in range(draw(st.integers(1, 4))):
        size = draw(st.integers(1, 60))
        labelled = draw(st.integers(1, size))
        inside = draw(st.integers(0, labelled))
        inside_events = draw(st.integers(0, inside))
        events = inside_events + draw(st.integers(0, labelled - inside))
        strata.append(IntentStratum(f"s{number}", draw(st.booleans()), size, labelled, events, inside, inside_events))
    return strata


@given(lists_of_strata())
@settings(max_examples=150, deadline=None)
def test_the_interval_contains_the_estimate_and_order_does_not_matter(strata: list[IntentStratum]) -> None:
    estimate = adjudicated_rate(strata, JEFFREYS, group={})
    assert adjudicated_rate(strata[::-1], JEFFREYS, group={}) == estimate
    if estimate.value is not None:
        assert estimate.low is not None and estimate.high is not None
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


# (harmful rate, rate of moved items, share of borderline prompts that move, n)
SETTINGS = [
    (0.02, 0.27, 0.1, 200), (0.02, 0.27, 0.1, 400), (0.02, 0.05, 0.02, 400), (0.1, 0.5, 0.2, 200), (0.1, 0.1, 0.05, 400),
    (0.3, 0.6, 0.1, 200),
]  # fmt: skip


def coverage(setting: tuple[float, float, float, int], replicates: int, seed: int, limits: str = "jeffreys") -> float:
    """Percent of finite-population ratios inside the interval: 1,000 harmful and 1,000 borderline prompts, both judged."""
    rate, moved_rate, share, n = setting
    covered = used = 0
    for replicate in range(replicates):
        rng = np.random.default_rng([seed, replicate])
        declared = np.arange(2000) < 1000
        inside = np.where(declared, rng.random(2000) > 0.01, rng.random(2000) < share)
        event = rng.random(2000) < np.where(declared, rate, np.where(inside, moved_rate, 0.7))
        flagged = np.where(event, rng.random(2000) < 0.85, rng.random(2000) >= 0.95)
        names = np.char.add(np.where(declared, "harmful, ", "borderline, "), np.where(flagged, "flagged", "clear"))
        sizes = {str(name): int((names == name).sum()) for name in np.unique(names)}
        labels = allocate(sizes, n, "mix", {name: 0.4 if "flagged" in name else 0.05 for name in sizes})
        strata = []
        for name, size in sizes.items():
            seen = rng.permutation(np.flatnonzero(names == name))[: labels[name]]
            strata.append(IntentStratum(
                name, name.startswith("harmful"), size, labels[name], int(event[seen].sum()), int(inside[seen].sum()),
                int((event & inside)[seen].sum()),
            ))  # fmt: skip
        estimate = adjudicated_rate(strata, Bounding(limits), group={})
        if estimate.low is not None and estimate.high is not None:
            used += 1
            covered += estimate.low - 1e-12 <= event[inside].mean() <= estimate.high + 1e-12
    return 100 * covered / used


@pytest.mark.parametrize("setting", [SETTINGS[0], SETTINGS[3]])
def test_the_interval_covers(setting: tuple[float, float, float, int]) -> None:
    # 94 % less three standard errors of 300 replicates.
    assert coverage(setting, 300, seed=20271) > 94 - 4.2


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_interval_covers_in_every_setting(
    setting: tuple[float, float, float, int], record_property: Callable[[str, object], None]
) -> None:
    found = {limits: coverage(setting, 2000, seed=20272, limits=limits) for limits in ("jeffreys", "wilson", "clopper_pearson")}
    record_property("coverage", found)
    assert found["jeffreys"] > 93
    assert found["clopper_pearson"] > 95.5
