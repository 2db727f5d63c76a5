"""Rogan-Gladen against intervals.json (1e-6), its refusals, and what it costs when its assumption fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.stats.rogan_gladen import NO_BETTER_THAN_CHANCE, TRANSPORT, Calibration, rogan_gladen
from tests.stats import reference


def test_every_entry_of_the_reference_is_reproduced(shared: Path) -> None:
    for row in reference.read(shared, "intervals.json")["rogan_gladen"]:
        calibration = Calibration(row["true_positive"], row["positives"], row["true_negative"], row["negatives"])
        estimate = rogan_gladen(row["judged_positive"], row["N"], calibration, group={})
        assert estimate.value == pytest.approx(row["estimate"], abs=1e-6)
        assert estimate.details["unclipped"] == pytest.approx(row["raw"], abs=1e-6)
        assert [estimate.low, estimate.high] == pytest.approx(row["lang_reiczigel"], abs=1e-6)
        assert estimate.assumes == TRANSPORT


@pytest.mark.parametrize(("true_positive", "true_negative"), [(5, 5), (3, 7), (2, 4), (0, 10)])
def test_a_judge_no_better_than_chance_is_refused(true_positive: int, true_negative: int) -> None:
    estimate = rogan_gladen(30, 100, Calibration(true_positive, 10, true_negative, 10), group={})
    assert (estimate.value, estimate.low) == (None, None)
    assert estimate.undefined == f"{NO_BETTER_THAN_CHANCE} ({true_positive / 10:.3f} + {true_negative / 10:.3f})"


def test_effective_counts_need_not_be_whole_and_keep_the_refusal_exact() -> None:
    # 0.1 + 0.2 is not 0.3 in binary: counts of 7 thirds, sensitivity 1/3 and specificity 2/3, still add up to 1.
    third = 7 / 3
    estimate = rogan_gladen(30, 100, Calibration(third, 3 * third, 2 * third, third + third + third), group={})
    assert estimate.value is None
    halves = rogan_gladen(40, 100, Calibration(4.5, 5, 3.5, 5), group={})
    # (0.4 + 0.7 - 1) / (0.9 + 0.7 - 1)
    assert halves.value == pytest.approx(1 / 6)


def test_a_calibration_set_without_one_class_is_undefined() -> None:
    assert "no event" in str(rogan_gladen(3, 10, Calibration(0, 0, 5, 10), group={}).undefined)
    assert "no non-event" in str(rogan_gladen(3, 10, Calibration(5, 10, 0, 0), group={}).undefined)
    assert rogan_gladen(0, 0, Calibration(5, 10, 5, 10), group={}).undefined == "no verdicts"


def test_a_tiny_calibration_set_excludes_nothing() -> None:
    # 1 of 1 and 1 of 6: se + sp = 7/6, but adjusted 2/3 + 2/8 < 1.
    estimate = rogan_gladen(5, 10, Calibration(1, 1, 1, 6), group={})
    assert (estimate.low, estimate.high) == (0, 1)


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="calibration"):
        Calibration(3, 2, 1, 1)
    with pytest.raises(ValueError, match="verdict"):
        rogan_gladen(11, 10, Calibration(1, 1, 1, 1), group={})


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 200), st.data())
def test_the_interval_contains_the_estimate(m1: int, m0: int, n: int, data: st.DataObject) -> None:
    calibration = Calibration(data.draw(st.integers(0, m1)), m1, data.draw(st.integers(0, m0)), m0)
    estimate = rogan_gladen(data.draw(st.integers(0, n)), n, calibration, group={})
    if estimate.value is not None:
        assert estimate.low is not None and estimate.high is not None
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
