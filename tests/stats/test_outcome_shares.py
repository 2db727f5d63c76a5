"""Shares of K outcomes against the multiclass and delta entries of intervals.json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudicate.core.estimates import Estimate
from adjudicate.stats.evidence import CellCount, Evidence, LabelledItem
from adjudicate.stats.outcome_shares import inverted_shares
from adjudicate.stats.report_rates import corrected_rates
from tests.stats import reference

OUTCOMES = ("answered", "deflected", "refused")


def table(shared: Path) -> tuple[dict[str, list[float]], np.ndarray]:
    """The reference entry, and its joint counts of judge (rows) and truth (columns) among 10,000, which are whole."""
    entry = reference.read(shared, "intervals.json")["multiclass"]
    counts = np.rint(10_000 * np.array(entry["M"]) * np.array(entry["truth"])).astype(int)
    assert counts / 10_000 == pytest.approx(np.array(entry["M"]) * np.array(entry["truth"]))
    return entry, counts


def labels_from_here(sizes: Sequence[int], labelled: Sequence[Sequence[int]]) -> list[Estimate]:
    """Corrected shares of the report for a sample with the verdicts as strata: the predictive-value route."""
    cells = [CellCount(f"v{j}", "p", "benign", "m", "", None, size) for j, size in enumerate(sizes)]
    items = [
        LabelledItem(
            f"{j}-{k}-{place}", f"v{j}", "p", "benign", "m", outcome, outcome, {"j": OUTCOMES[j]}, {"a": outcome}, sampled=True
        )
        for j, row in enumerate(labelled)
        for k, outcome in enumerate(OUTCOMES)
        for place in range(row[k])
    ]  # fmt: skip
    return corrected_rates(Evidence(OUTCOMES, (), tuple(cells), tuple(items)))


def test_the_inversion_is_reproduced(shared: Path) -> None:
    entry, counts = table(shared)
    found = inverted_shares(OUTCOMES, counts.sum(axis=1).tolist(), counts.tolist(), group={})
    assert [estimate.value for estimate in found] == pytest.approx(entry["recovered"], abs=1e-6)
    assert counts.sum(axis=1) / 10_000 == pytest.approx(entry["judged"])
    assert found[0].details["condition_number"] == pytest.approx(entry["condition_number"], abs=1e-6)
    assert [estimate.group["outcome"] for estimate in found] == list(OUTCOMES)


def test_the_predictive_value_route_is_reproduced(shared: Path) -> None:
    entry, counts = table(shared)
    given_judge = counts / counts.sum(axis=1, keepdims=True)
    assert given_judge == pytest.approx(np.array(entry["P_truth_given_judge"]), abs=1e-6)
    found = labels_from_here(counts.sum(axis=1).tolist(), counts.tolist())
    assert [estimate.value for estimate in found] == pytest.approx(entry["recovered_by_predictive_values"], abs=1e-6)


def test_two_outcomes_give_the_delta_interval_of_rogan_gladen(shared: Path) -> None:
    for row in reference.read(shared, "intervals.json")["rogan_gladen"]:
        judged = [row["judged_positive"], row["N"] - row["judged_positive"]]
        calibration = [
            [row["true_positive"], row["negatives"] - row["true_negative"]],
            [row["positives"] - row["true_positive"], row["true_negative"]],
        ]
        found = inverted_shares(("bad", "fine"), judged, calibration, group={})[0]
        assert found.value == pytest.approx(row["estimate"], abs=1e-6)
        if row["raw"] >= 0:
            assert [found.low, found.high] == pytest.approx(row["delta"], abs=1e-6)


def test_labels_from_here_beat_an_inversion() -> None:
    # The same 100 labels of this population, used both ways.
    labelled = [[18, 2, 0], [3, 30, 7], [0, 5, 35]]
    here = labels_from_here([200, 400, 400], labelled)
    there = inverted_shares(OUTCOMES, [200, 400, 400], labelled, group={})
    for own, other in zip(here, there, strict=True):
        assert own.high is not None and own.low is not None and other.high is not None and other.low is not None
        assert own.high - own.low < other.high - other.low


def test_a_judge_that_cannot_tell_is_refused() -> None:
    blind = inverted_shares(OUTCOMES, [10, 10, 10], [[5, 5, 5], [3, 3, 3], [2, 2, 2]], group={})
    assert {estimate.value for estimate in blind} == {None}
    assert "tells the outcomes apart" in str(blind[0].undefined)
    backwards = inverted_shares(("bad", "fine"), [10, 10], [[2, 8], [8, 2]], group={})
    assert backwards[0].value is None
    lacking = str(inverted_shares(("a", "b"), [1, 1], [[1, 0], [1, 0]], group={})[0].undefined)
    assert "lacks an outcome" in lacking and lacking.endswith(": b")
    assert inverted_shares(("a", "b"), [0, 0], [[1, 0], [0, 1]], group={})[0].undefined == "no verdicts"


def test_shapes_are_checked() -> None:
    with pytest.raises(ValueError, match="3 verdict counts"):
        inverted_shares(OUTCOMES, [1, 2], [[1, 2], [3, 4]], group={})


@given(
    st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=3, max_size=3),
    st.lists(st.integers(0, 50), min_size=3, max_size=3),
)
@settings(max_examples=150, deadline=None)
def test_shares_sum_to_one_and_lie_in_their_intervals(labelled: list[list[int]], extra: list[int]) -> None:
    sizes = [sum(row) + more for row, more in zip(labelled, extra, strict=True)]
    for found in (
        labels_from_here(sizes, labelled),
        inverted_shares(OUTCOMES, sizes, labelled, group={}),
    ):
        values = [estimate.value for estimate in found]
        if None in values:
            assert set(values) == {None}
            continue
        assert sum(value for value in values if value is not None) == pytest.approx(1)
        for estimate in found:
            if estimate.low is not None and estimate.high is not None and estimate.value is not None:
                assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
