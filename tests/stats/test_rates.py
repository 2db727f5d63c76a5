"""Raw and human rates: what they say and what they do not."""

from __future__ import annotations

import pytest

from adjudicate.stats.rates import human_rate, raw_rate


def test_a_raw_rate_has_no_interval_since_every_verdict_is_known() -> None:
    estimate = raw_rate(3, 12, 0, group={"judge": "j"})
    assert (estimate.value, estimate.low, estimate.high) == (0.25, None, None)
    assert estimate.details["judge_failed"] == 0
    assert "bounds" not in estimate.details


def test_failed_verdicts_bound_a_raw_rate() -> None:
    estimate = raw_rate(3, 12, 4, group={})
    assert estimate.value == 0.25
    assert estimate.details["bounds"] == [3 / 16, 7 / 16]


def test_a_raw_rate_without_parsed_verdicts_is_undefined() -> None:
    assert raw_rate(0, 0, 5, group={}).undefined == "the judge failed on every item"
    assert raw_rate(0, 0, 0, group={}).undefined == "no verdicts"


def test_a_human_rate_is_sample_only_with_jeffreys_limits() -> None:
    estimate = human_rate(2, 100, group={})
    # intervals.json, y=2 n=100
    assert (estimate.low, estimate.high) == pytest.approx((0.004178812447471804, 0.06260584878481136), abs=1e-6)
    assert "sample only" in estimate.assumes


def test_a_human_rate_without_labels_is_undefined_not_zero() -> None:
    assert human_rate(0, 0, group={}).value is None


def test_unresolved_items_bound_a_human_rate() -> None:
    assert human_rate(1, 8, group={}, unresolved=2).details["unresolved_bounds"] == [0.1, 0.3]


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="verdict counts"):
        raw_rate(5, 4, 0, group={})
    with pytest.raises(ValueError, match="label counts"):
        human_rate(5, 4, group={})
